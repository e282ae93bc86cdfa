import { make } from "./elements";
import { t } from "./language";
import type { EventMessage } from "./protocol";

interface Problem {
  line: HTMLElement;
  body: HTMLElement;
  counter: HTMLElement;
  count: number;
}

/** Warnings and errors, each once with how often it was said: errors first, and a link to the node it is about. */
export class ProblemList {
  private readonly problems = new Map<string, Problem>();
  private last: { key: string; message: EventMessage } | null = null;

  constructor(
    private readonly list: HTMLElement,
    private readonly select: (path: string) => void,
    private readonly titleOf: (path: string) => string,
    private readonly linked: (text: string) => (Node | string)[],
  ) {}

  /** How many different ones there are. */
  get count(): number {
    return this.problems.size;
  }

  clear(): void {
    this.problems.clear();
    this.list.replaceChildren();
    this.last = null;
  }

  /** Show or hide the list, as far as it has some words. */
  show(isShown: boolean, words: string): void {
    this.list.hidden = !isShown;
    if (!isShown) return;
    if (!this.problems.size) this.list.replaceChildren(make("p", { className: "faint" }, t("There are no problems.")));
    for (const { line } of this.problems.values()) line.hidden = words !== "" && !line.textContent.toLowerCase().includes(words);
  }

  add(message: EventMessage): void {
    if (message.level !== "error" && message.level !== "warning") return;
    const key = [message.level, message.source, message.path, message.text].join("\n");
    const known = this.problems.get(key);
    this.last = { key, message };
    if (known) {
      known.count += 1;
      known.counter.textContent = `×${known.count}`;
      known.counter.hidden = false;
      return;
    }
    if (!this.problems.size) this.list.replaceChildren();
    const body = make("span", {}, ...this.linked(message.text));
    const counter = make("span", { className: "badge calm", testId: "problem-count" });
    counter.hidden = true;
    const line = make("div", { className: `line ${message.level}`, testId: "problem" }, counter, " ");
    if (message.source) line.append(make("b", {}, message.source), " ");
    line.append(body);
    if (message.path) {
      const link = make("button", { className: "link", title: t("Show this node") }, this.titleOf(message.path));
      link.onclick = () => this.select(message.path);
      line.append(" ", link);
    }
    this.problems.set(key, { line, body, counter, count: 1 });
    const firstWarning = this.list.querySelector(".line.warning");
    if (message.level === "error" && firstWarning) firstWarning.before(line);
    else this.list.append(line);
  }

  /** The last one goes on: a traceback comes line by line. */
  extend(message: EventMessage): void {
    const problem = this.last && this.problems.get(this.last.key);
    if (!this.last || !problem || message.source !== this.last.message.source) return;
    problem.body.append("\n", ...this.linked(message.text));
  }
}
