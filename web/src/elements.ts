/** Find an element of the page that must be there. */
export function element<T extends HTMLElement>(id: string, type: abstract new () => T): T {
  const found = document.getElementById(id);
  if (!(found instanceof type)) throw new Error(`the page has no ${type.name} "${id}"`);
  return found;
}

/** Make an element. Children that are strings become text, never markup. */
export function make<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  properties: { className?: string; testId?: string; title?: string; label?: string } = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  if (properties.className) made.className = properties.className;
  if (properties.testId) made.dataset.testid = properties.testId;
  if (properties.title) made.title = properties.title;
  if (properties.label) made.setAttribute("aria-label", properties.label);
  made.append(...children);
  return made;
}

/** A small button with a text. */
export function makeButton(text: string, onClick: () => void, label = ""): HTMLButtonElement {
  const button = make("button", { className: "small", label: label || text, title: label }, text);
  button.type = "button";
  button.onclick = onClick;
  return button;
}

/** A number as people read it: at most five figures. */
export function numberText(value: number): string {
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e5 || size < 1e-4) return value.toExponential(2);
  return String(Number(value.toPrecision(5)));
}
