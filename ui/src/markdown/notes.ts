// Footnotes of one message: numbered in the order they are referred to, each leading to the other.

/** What is referred to and defined gets its number; what is only one of both stays as it was written. */
export function numberNotes(root: Element): void {
  const notes = new Map<string, Element>();
  for (const note of root.querySelectorAll<HTMLElement>(".footnote > .note-label")) {
    const label = (note.dataset["label"] ??= note.textContent ?? "");
    if (!notes.has(label)) notes.set(label, note);
  }
  const numbers = new Map<string, number>();
  for (const ref of root.querySelectorAll<HTMLElement>(".note-ref")) {
    const label = (ref.dataset["label"] ??= (ref.textContent ?? "").slice(2, -1));
    const note = notes.get(label);
    if (!note) continue;
    const number = numbers.get(label) ?? numbers.size + 1;
    const first = !numbers.has(label);
    numbers.set(label, number);
    link(ref, number, `Footnote ${number}`, "to");
    if (first) link(note as HTMLElement, number, `Back to footnote ${number} in the text`, "back");
  }
}

function link(element: HTMLElement, number: number, words: string, way: "to" | "back"): void {
  element.textContent = String(number);
  element.dataset["note"] = `${way} ${number}`;
  element.setAttribute("role", "link");
  element.setAttribute("aria-label", words);
  element.tabIndex = 0;
}

/** Where the link leads: from the text to the note and back. */
export function otherEnd(root: Element, from: HTMLElement): HTMLElement | undefined {
  const [way, number] = (from.dataset["note"] ?? "").split(" ");
  const there = way === "to" ? "back" : "to";
  return root.querySelector<HTMLElement>(`[data-note="${there} ${Number(number)}"]`) ?? undefined;
}
