import { element } from "./elements";
import { recall, remember } from "./memory";

/** The panels beside the picture, in the order of their buttons. */
export const PANELS = ["scene", "joints", "plots", "sensors", "console", "windows", "code"] as const;
export type PanelName = (typeof PANELS)[number];

/** Shows and hides panels; which ones are open is remembered for the next visit. */
export class Dock {
  private readonly listeners: (() => void)[] = [];

  constructor() {
    const open = new Set((recall("panels") ?? "").split(" "));
    for (const name of PANELS) {
      this.button(name).onclick = () => this.set(name, !this.isOpen(name));
      element(`${name}-close`, HTMLButtonElement).onclick = () => {
        this.set(name, false);
        this.button(name).focus();
      };
      this.set(name, open.has(name));
    }
  }

  isOpen(name: PanelName): boolean {
    return !element(`${name}-panel`, HTMLElement).hidden;
  }

  set(name: PanelName, isOpen: boolean): void {
    element(`${name}-panel`, HTMLElement).hidden = !isOpen;
    this.button(name).setAttribute("aria-pressed", String(isOpen));
    remember("panels", PANELS.filter((panel) => this.isOpen(panel)).join(" "));
    this.listeners.forEach((listener) => listener());
  }

  /** Call back whenever a panel opens or closes. */
  onChange(listener: () => void): void {
    this.listeners.push(listener);
  }

  private button(name: PanelName): HTMLButtonElement {
    return element(`${name}-button`, HTMLButtonElement);
  }
}
