import { element } from "./elements";
import type { Command } from "./protocol";

/** Codes of keys without a letter, as controllers of Webots know them. */
const CODES: Record<string, number> = {
  End: 312, Home: 313, ArrowLeft: 314, ArrowUp: 315, ArrowRight: 316, ArrowDown: 317, PageUp: 366, PageDown: 367,
};
const SHIFT = 0x10000;
const CONTROL = 0x20000;
const ALT = 0x40000;

/** Sends the keyboard to the robots' controllers while its button is pressed in. */
export class KeySender {
  private readonly button = element("keys-button", HTMLButtonElement);
  private readonly held = new Map<string, number>();

  constructor(private readonly send: (command: Command) => void) {
    this.button.onclick = () => this.toggle();
    document.addEventListener("keydown", (event) => this.press(event), true);
    document.addEventListener("keyup", (event) => this.release(event), true);
    window.addEventListener("blur", () => this.releaseAll());
  }

  get isOn(): boolean {
    return this.button.getAttribute("aria-pressed") === "true";
  }

  /** Offer the button only while somebody listens. */
  offer(isWanted: boolean): void {
    this.button.hidden = !isWanted;
    if (!isWanted) this.set(false);
  }

  /** Begin or end to send, if somebody listens. */
  toggle(): void {
    if (!this.button.hidden) this.set(!this.isOn);
  }

  private set(isOn: boolean): void {
    this.button.setAttribute("aria-pressed", String(isOn));
    if (!isOn) this.releaseAll();
    else element("canvas", HTMLCanvasElement).focus();
  }

  private press(event: KeyboardEvent): void {
    if (!this.isOn || isTyping(event.target)) return;
    if (event.key === "Tab" || event.key === "Escape") return; // the way out of the picture
    const code = keyCode(event);
    if (code === null) return;
    event.preventDefault();
    event.stopPropagation();
    if (event.repeat) return;
    this.held.set(event.code, code);
    this.tell();
  }

  private release(event: KeyboardEvent): void {
    if (this.held.delete(event.code)) this.tell();
  }

  private releaseAll(): void {
    if (!this.held.size) return;
    this.held.clear();
    this.tell();
  }

  private tell(): void {
    this.send({ command: "keys", keys: [...this.held.values()].slice(0, 7) });
  }
}

function isTyping(target: EventTarget | null): boolean {
  if (target instanceof Element && target.closest("#code-panel")) return true;
  return target instanceof HTMLInputElement || target instanceof HTMLSelectElement || target instanceof HTMLButtonElement;
}

function keyCode(event: KeyboardEvent): number | null {
  const modifiers = (event.shiftKey ? SHIFT : 0) | (event.ctrlKey ? CONTROL : 0) | (event.altKey ? ALT : 0);
  const special = CODES[event.key];
  if (special !== undefined) return special | modifiers;
  if (event.key.length !== 1) return null;
  const code = event.key.toUpperCase().charCodeAt(0);
  return code < 128 ? code | modifiers : null;
}
