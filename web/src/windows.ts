import { element, make } from "./elements";
import type { Command, EventWindowText } from "./protocol";

const LINES = 500;

/** What robots say to their windows, and what users say to robots. */
export class WindowPanel {
  private readonly list = element("windows-list", HTMLElement);
  private readonly robot = element("windows-robot", HTMLSelectElement);
  private readonly text = element("windows-text", HTMLInputElement);
  private readonly badge = element("windows-badge", HTMLElement);
  private unseen = 0;

  constructor(
    private readonly isOpen: () => boolean,
    private readonly send: (command: Command) => void,
  ) {
    element("windows-form", HTMLFormElement).onsubmit = (event) => {
      event.preventDefault();
      this.say();
    };
    this.robot.onchange = () => this.filter();
  }

  /** Offer the robots of a scene; without any the panel has no button. */
  showRobots(robots: string[]): void {
    const chosen = this.robot.value;
    const options = robots.map((name) => new Option(name, name));
    this.robot.replaceChildren(...options);
    if (robots.includes(chosen)) this.robot.value = chosen;
    element("windows-button", HTMLButtonElement).hidden = robots.length === 0;
    this.filter();
  }

  /** Forget all lines: the server tells them again to a new connection. */
  clear(): void {
    this.list.replaceChildren();
    this.unseen = 0;
    this.showBadge();
  }

  /** A robot has sent a text. */
  add({ robot, text }: EventWindowText): void {
    this.append(robot, text, "output");
    this.unseen += 1;
    this.showBadge();
  }

  /** Show how many texts came while nobody looked. */
  showBadge(): void {
    if (this.isOpen()) this.unseen = 0;
    this.badge.hidden = this.unseen === 0;
    this.badge.textContent = String(this.unseen);
  }

  private say(): void {
    const { value } = this.text;
    if (!value || !this.robot.value) return;
    this.send({ command: "window", robot: this.robot.value, text: value });
    this.append(this.robot.value, value, "said");
    this.text.value = "";
  }

  private append(robot: string, text: string, kind: string): void {
    const line = make("div", { className: `line ${kind}` }, make("b", {}, kind === "said" ? "→" : robot), " ", make("span", {}, text));
    line.dataset.robot = robot;
    line.hidden = robot !== this.robot.value;
    this.list.append(line);
    while (this.list.childElementCount > LINES) this.list.firstElementChild!.remove();
    this.list.scrollTop = this.list.scrollHeight;
  }

  private filter(): void {
    for (const line of this.list.children) {
      if (line instanceof HTMLElement) line.hidden = line.dataset.robot !== this.robot.value;
    }
  }
}
