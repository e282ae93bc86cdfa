import type { CodePanel } from "./code";
import { element, make } from "./elements";
import { t } from "./language";
import { ProblemList } from "./problems";
import type { EventMessage } from "./protocol";

/** Stands for warnings and errors of all robots, and of the file. */
const PROBLEMS = "\u0000problems";

const LINES = 2000;

/** Lines that programs have printed, among which a repetition is looked for. */
const PRINTED = 200;

/** How the tracebacks of Python begin. */
const TRACEBACK = "Traceback (most recent call last):";

/** Lines of one that are not indented and do not end it. */
const isJoint = (text: string): boolean => text === "" || text.startsWith(TRACEBACK) || text.startsWith("During handling of") || text.startsWith("The above exception");

/** A place in a program: as Python says it, or as compilers do. */
const PLACE = /File "([^"]+)", line (\d+)|([\w./-]+\.(?:c|cc|cpp|cxx|h|hpp)):(\d+)/;

/** The line that came last, which others may join. */
interface LastLine {
  line: HTMLElement;
  body: HTMLElement;
  counter: HTMLElement;
  count: number;
  message: EventMessage;
  text: string;
  /** Whether a traceback goes on. */
  isOpen: boolean;
}

/** What controllers print and what there is to say about the scene, line by line. */
export class MessagePanel {
  private readonly list = element("console-list", HTMLElement);
  private readonly robot = element("console-robot", HTMLSelectElement);
  private readonly badge = element("console-badge", HTMLElement);
  private readonly search = element("console-search", HTMLInputElement);
  private readonly problems = new ProblemList(element("console-problems", HTMLElement), (path) => this.select(path), (path) => this.titleOf(path), (text) => this.linked(text));
  private readonly counts = new Map<string, number>();
  private robots: string[] = [];
  private unseen = 0;
  private last: LastLine | null = null;
  /** What programs have printed last, of errors. */
  private printed: string[] = [];

  constructor(
    private readonly isOpen: () => boolean,
    private readonly select: (path: string) => void,
    private readonly titleOf: (path: string) => string,
    private readonly code: Pick<CodePanel, "textOf" | "goTo">,
  ) {
    this.robot.onchange = this.search.oninput = () => this.filter();
    element("console-clear", HTMLButtonElement).onclick = () => this.clear();
  }

  /** Forget all lines: the server tells them again to a new connection. */
  clear(): void {
    this.list.replaceChildren();
    this.problems.clear();
    this.counts.clear();
    this.last = null;
    this.showChoices();
  }

  showRobots(robots: string[]): void {
    this.robots = robots;
    this.showChoices();
    this.filter();
  }

  /** Whose messages can be looked at, and how many there are. */
  private showChoices(): void {
    const chosen = this.robot.value;
    const named = (name: string): HTMLOptionElement => new Option(this.counts.has(name) ? `${name} (${this.counts.get(name)})` : name, name);
    const { count } = this.problems;
    this.robot.replaceChildren(new Option(t("Everything"), ""), new Option(count ? `${t("Problems")} (${count})` : t("Problems"), PROBLEMS), ...this.robots.map(named));
    this.robot.value = chosen === PROBLEMS || this.robots.includes(chosen) ? chosen : "";
  }

  private isQueued = false;

  private showCounts(): void {
    this.isQueued = false;
    if (document.activeElement !== this.robot) this.showChoices(); // an open list would close
  }

  add(told: EventMessage): void {
    const message = this.withoutRepetition(told);
    const isAtEnd = this.list.scrollTop + this.list.clientHeight >= this.list.scrollHeight - 8;
    if (this.joins(message)) {
      this.last!.text += `\n${message.text}`;
      this.last!.body.append("\n", ...this.linked(message.text));
      this.problems.extend(message);
      this.last!.isOpen = !/^\S/.test(message.text) || isJoint(message.text);
      this.last!.line.hidden = this.isFilteredOut(this.last!.line);
    } else if (this.last && this.isRepeated(message)) {
      this.problems.add(message);
      this.last.count += 1;
      this.last.counter.textContent = `×${this.last.count}`;
      this.last.counter.hidden = false;
    } else this.append(message);
    if (isAtEnd) this.list.scrollTop = this.list.scrollHeight;
    if (message.source) this.counts.set(message.source, (this.counts.get(message.source) ?? 0) + 1);
    if (!this.isQueued) requestAnimationFrame(() => this.showCounts());
    this.isQueued = true;
    this.showBadge();
  }

  /** How a program ended is told with its last lines: those that it has just printed are not shown twice. */
  private withoutRepetition(message: EventMessage): EventMessage {
    const lines = message.text.split("\n").map((line) => line.trim());
    if (message.level === "error" && message.source) this.printed = [...this.printed, ...lines].slice(-PRINTED);
    else if (message.level === "error" && lines.length > 1 && lines.slice(1).every((line) => this.printed.includes(line))) {
      return { ...message, text: message.text.split("\n")[0]! };
    }
    return message;
  }

  private append(message: EventMessage): void {
    const line = make("div", { className: `line ${message.level}` });
    line.dataset.source = message.source;
    if (message.source) {
      line.append(make("b", {}, message.source), " ");
      line.classList.toggle("follows", this.last?.message.source === message.source && this.list.childElementCount > 0);
      line.style.setProperty("--robot", String(hueOf(message.source)));
    }
    const body = make("span", {}, ...this.linked(message.text));
    const counter = make("span", { className: "badge calm", testId: "console-count" });
    counter.hidden = true;
    line.append(body, " ", counter);
    if (message.path) {
      const link = make("button", { className: "link", title: t("Show this node") }, this.titleOf(message.path));
      link.onclick = () => this.select(message.path);
      line.append(" ", link);
    }
    this.last = { line, body, counter, count: 1, message, text: message.text, isOpen: message.level === "error" && message.text.startsWith(TRACEBACK) };
    line.hidden = this.isFilteredOut(line);
    this.list.append(line);
    while (this.list.childElementCount > LINES) this.list.firstElementChild!.remove();
    this.problems.add(message);
    if (message.level === "error" || message.level === "warning") this.unseen += 1;
  }

  /** Whether a line goes on with the traceback before it, which is one message. */
  private joins({ level, source }: EventMessage): boolean {
    return this.last !== null && this.last.isOpen && level === "error" && source === this.last.message.source;
  }

  private isRepeated({ level, source, text, path }: EventMessage): boolean {
    const { message, text: shown } = this.last!;
    return level === message.level && source === message.source && path === message.path && text === shown;
  }

  /** A text in which places of our programs are links to the editor. */
  private linked(text: string): (Node | string)[] {
    const found = PLACE.exec(text);
    const path = found?.[1] ?? found?.[3];
    const line = Number(found?.[2] ?? found?.[4]);
    if (!found || !path || !this.code.textOf(path)) return [text];
    const link = make("button", { className: "link", testId: "console-place", title: t("Show this line") }, found[0]);
    link.onclick = () => this.code.goTo(path, line);
    return [text.slice(0, found.index), link, text.slice(found.index + found[0].length)];
  }

  /** Show how many warnings and errors came while nobody looked. */
  showBadge(): void {
    if (this.isOpen()) this.unseen = 0;
    this.badge.hidden = this.unseen === 0;
    this.badge.textContent = String(this.unseen);
  }

  private isFilteredOut(line: HTMLElement): boolean {
    const words = this.search.value.trim().toLowerCase();
    const isOther = this.robot.value !== "" && this.robot.value !== PROBLEMS && line.dataset.source !== this.robot.value;
    return isOther || (words !== "" && !line.textContent.toLowerCase().includes(words));
  }

  private filter(): void {
    const isProblems = this.robot.value === PROBLEMS;
    this.list.hidden = isProblems;
    this.problems.show(isProblems, this.search.value.trim().toLowerCase());
    this.list.classList.toggle("searched", this.search.value.trim() !== ""); // then each line has its name
    for (const line of this.list.children) {
      if (line instanceof HTMLElement) line.hidden = this.isFilteredOut(line);
    }
    this.list.scrollTop = this.list.scrollHeight;
  }
}

/** A hue for a robot [degrees], the same whenever it speaks. */
function hueOf(name: string): number {
  let sum = 0;
  for (const letter of name) sum = (31 * sum + letter.codePointAt(0)!) % 9973;
  return Math.round((sum * 137.508) % 360);
}
