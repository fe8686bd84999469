// Where things stand that lie below each other, of which most were never drawn. Pure.

export class Heights {
  private sizes: Float64Array;
  /** tops[i]: where i begins; valid up to `sure`. */
  private tops: Float64Array;
  private sure = 0;
  private measured: Uint8Array;

  constructor(
    readonly count: number,
    estimate: (index: number) => number,
  ) {
    this.sizes = Float64Array.from({ length: count }, (_, index) => estimate(index));
    this.tops = new Float64Array(count + 1);
    this.measured = new Uint8Array(count);
  }

  /** True when it was another. */
  set(index: number, size: number): boolean {
    this.measured[index] = 1;
    if (Math.abs(this.sizes[index]! - size) < 0.5) return false;
    this.sizes[index] = size;
    this.sure = Math.min(this.sure, index);
    return true;
  }
  /** What was measured stays; the rest is guessed anew, as for another width. */
  guess(estimate: (index: number) => number): void {
    for (let index = 0; index < this.count; index++)
      if (!this.measured[index]) this.sizes[index] = estimate(index);
    this.sure = 0;
  }
  forgetMeasured(): void {
    this.measured.fill(0);
  }

  size(index: number): number {
    return this.sizes[index]!;
  }
  top(index: number): number {
    for (; this.sure < index; this.sure++)
      this.tops[this.sure + 1] = this.tops[this.sure]! + this.sizes[this.sure]!;
    return this.tops[index]!;
  }
  get total(): number {
    return this.top(this.count);
  }
  /** The one that is at this height. */
  at(offset: number): number {
    void this.total;
    let [low, high] = [0, Math.max(0, this.count - 1)];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.tops[middle]! <= offset) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}
