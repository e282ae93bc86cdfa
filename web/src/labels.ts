import { element, make } from "./elements";
import type { EventLabels, WireLabel } from "./protocol";

/** Texts that supervisors write over the picture: place and size are shares of what is free of it. */
export class Labels {
  private readonly root = element("labels", HTMLElement);

  show(event: EventLabels): void {
    this.root.replaceChildren(...event.labels.map(makeLabel));
  }

  clear(): void {
    this.root.replaceChildren();
  }
}

function makeLabel(label: WireLabel): HTMLElement {
  const made = make("span", { testId: "label" }, label.text);
  const { style } = made; // through the object model: the page's policy forbids style attributes
  style.left = `${100 * label.x}%`;
  style.top = `${100 * label.y}%`;
  style.fontSize = `${100 * label.size}cqh`;
  style.color = `#${label.color.toString(16).padStart(6, "0")}`;
  style.opacity = String(label.opacity);
  style.fontFamily = `${JSON.stringify(label.font)}, sans-serif`;
  return made;
}
