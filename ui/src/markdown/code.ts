// A code block: language, copy button, text; colours come when the fence is closed and the browser has a moment.
const kMaxHighlighted = 60_000;

export class CodeBlock {
  readonly element = document.createElement("figure");
  private readonly code = document.createElement("code");
  private readonly label = document.createElement("span");
  private text = "";
  private lang = "";
  private highlighted = false;

  constructor() {
    this.element.className = "code-block";
    const head = document.createElement("figcaption");
    this.label.className = "code-lang";
    head.append(
      this.label,
      copyButton(() => this.text),
    );
    const pre = document.createElement("pre");
    pre.tabIndex = 0;
    pre.append(this.code);
    this.element.append(head, pre);
  }

  update(text: string, lang: string, closed: boolean): void {
    this.lang = lang;
    this.label.textContent = lang === "" ? "text" : lang;
    if (text !== this.text) this.setText(text);
    if (closed && !this.highlighted) {
      this.highlighted = true;
      void this.colour();
    }
  }

  private setText(text: string): void {
    const node = this.code.firstChild;
    if (!this.highlighted && node instanceof Text && text.startsWith(this.text))
      node.appendData(text.slice(this.text.length));
    else this.code.textContent = text;
    this.text = text;
    this.highlighted = false;
  }

  private async colour(): Promise<void> {
    const { text, lang } = this;
    if (lang === "" || text.length > kMaxHighlighted) return;
    const languages = await import("./languages").catch(() => undefined);
    if (!languages) return; // The server is gone. The text is what matters.
    await idle();
    if (text !== this.text) return;
    const nodes = languages.highlight(text, lang.toLowerCase());
    if (nodes) this.code.replaceChildren(nodes);
  }
}

/** A button that copies what `text` says at the moment of the click. */
export function copyButton(text: () => string): HTMLButtonElement {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "copy";
  button.textContent = "Copy";
  button.addEventListener("click", () => {
    void navigator.clipboard
      .writeText(text())
      .then(
        () => {
          button.textContent = "Copied";
        },
        () => {
          button.textContent = "Not allowed";
        },
      )
      .then(() =>
        setTimeout(() => {
          button.textContent = "Copy";
        }, 1500),
      );
  });
  return button;
}

function idle(): Promise<void> {
  return new Promise((resolve) => {
    if ("requestIdleCallback" in window) window.requestIdleCallback(() => resolve(), { timeout: 500 });
    else setTimeout(resolve, 0);
  });
}
