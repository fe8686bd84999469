// Small words for scripts that measure: options of the command line, dice, quantiles.

/** The number behind `--name` on the command line. */
export const option = (name, otherwise) => {
  const at = process.argv.indexOf(`--${name}`);
  return at < 0 ? otherwise : Number(process.argv[at + 1]);
};
export const flag = (name) => process.argv.includes(`--${name}`);

/** An integer below `n`. */
export const random = (n) => Math.floor(Math.random() * n);
export const pick = (list) => list[random(list.length)];

/** The quantile `q` of numbers in any order; undefined when there are none. */
export function quantile(numbers, q) {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))];
}
export const median = (numbers) => quantile(numbers, 0.5);

/** The slope of `y` over `x` by least squares. */
export function slope(points) {
  const mean = (of) => points.reduce((sum, point) => sum + of(point), 0) / points.length;
  const [mx, my] = [mean((p) => p.x), mean((p) => p.y)];
  const spread = points.reduce((sum, p) => sum + (p.x - mx) ** 2, 0);
  return spread === 0 ? 0 : points.reduce((sum, p) => sum + (p.x - mx) * (p.y - my), 0) / spread;
}
