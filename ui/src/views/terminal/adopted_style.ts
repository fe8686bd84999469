// xterm.js writes its rules into <style> elements, which the page's policy forbids. The build gives it these instead (see
// vite.config.ts): an element that shows nothing and whose text is a style sheet of the document.
export function adoptedStyle(page: Document): HTMLElement {
  const element = page.createElement("span");
  const sheet = new CSSStyleSheet();
  element.hidden = true;
  page.adoptedStyleSheets.push(sheet);
  Object.defineProperty(element, "textContent", { set: (rules: string) => sheet.replaceSync(rules) });
  element.remove = () => {
    page.adoptedStyleSheets = page.adoptedStyleSheets.filter((one) => one !== sheet);
    Element.prototype.remove.call(element);
  };
  return element;
}

/** The style sheet of a part that comes later: with its code, so that the page does not wait for it. */
export function adopt(rules: string): void {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(rules);
  document.adoptedStyleSheets.push(sheet);
}
