import { element, make } from "./elements";
import type { EventMessage } from "./protocol";

const LINES = 2000;

/** What controllers print and what there is to say about the scene, line by line. */
export class MessagePanel {
  private readonly list = element("console-list", HTMLElement);
  private readonly robot = element("console-robot", HTMLSelectElement);
  private readonly badge = element("console-badge", HTMLElement);
  private unseen = 0;

  constructor(
    private readonly isOpen: () => boolean,
    private readonly select: (path: string) => void,
    private readonly titleOf: (path: string) => string,
  ) {
    this.robot.onchange = () => this.filter();
    element("console-clear", HTMLButtonElement).onclick = () => this.clear();
  }

  /** Forget all lines: the server tells them again to a new connection. */
  clear(): void {
    this.list.replaceChildren();
  }

  showRobots(robots: string[]): void {
    const chosen = this.robot.value;
    this.robot.replaceChildren(new Option("Everything", ""), ...robots.map((name) => new Option(name, name)));
    this.robot.value = robots.includes(chosen) ? chosen : "";
  }

  add(message: EventMessage): void {
    const isAtEnd = this.list.scrollTop + this.list.clientHeight >= this.list.scrollHeight - 8;
    const line = make("div", { className: `line ${message.level}` });
    line.dataset.source = message.source;
    if (message.source) line.append(make("b", {}, message.source), " ");
    line.append(make("span", {}, message.text));
    if (message.path) {
      const link = make("button", { className: "link", title: "Show this node" }, this.titleOf(message.path));
      link.onclick = () => this.select(message.path);
      line.append(" ", link);
    }
    line.hidden = this.isFilteredOut(line);
    this.list.append(line);
    while (this.list.childElementCount > LINES) this.list.firstElementChild!.remove();
    if (isAtEnd) this.list.scrollTop = this.list.scrollHeight;
    if (message.level === "error" || message.level === "warning") this.unseen += 1;
    this.showBadge();
  }

  /** Show how many warnings and errors came while nobody looked. */
  showBadge(): void {
    if (this.isOpen()) this.unseen = 0;
    this.badge.hidden = this.unseen === 0;
    this.badge.textContent = String(this.unseen);
  }

  private isFilteredOut(line: HTMLElement): boolean {
    return this.robot.value !== "" && line.dataset.source !== this.robot.value;
  }

  private filter(): void {
    for (const line of this.list.children) {
      if (line instanceof HTMLElement) line.hidden = this.isFilteredOut(line);
    }
    this.list.scrollTop = this.list.scrollHeight;
  }
}
