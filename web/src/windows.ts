import { element, make } from "./elements";
import { FloatingCard } from "./floating";
import { JointList } from "./joints";
import { LONG_TEXT_LIMIT } from "./protocol";
import type { Command, EventReadings, EventWindowText, WireOutline, WireWindow } from "./protocol";
import { SensorList } from "./sensors";
import type { Pictures } from "./sensors";
import { t } from "./language";

const LINES = 500;

/** Characters of texts that wait for the window of a robot to open. */
const WAITING = 4_000_000;

/** Texts that a window may send in a second, and in a burst. */
const RATE = 200;
const BURST = 400;

/** Where the next window opens: two beside each other, then over these. */
function placeOf(count: number): [number, number] {
  return [24 + 440 * (count % 2) + 30 * Math.floor(count / 4), 76 + 250 * (Math.floor(count / 2) % 2)];
}

/** What a window tells the page; see public/robot-window/frame.js. */
interface FrameMessage {
  kind: "ready" | "send" | "title" | "blocked" | "error";
  text: string;
}

/** What open windows need of the panels. */
export interface WindowActions {
  send(command: Command): void;
  /** Write a line to the console of the page. */
  note(robot: string, text: string): void;
  plot(key: string): void;
  pictures: Pictures;
  onChange(): void;
}

/** An HTML robot window: a page of somebody else in a frame that reaches nothing but this object. */
class HtmlWindow {
  readonly card: FloatingCard;
  readonly keys: string[] = [];
  readonly wantsJoints = false;
  private readonly frame: HTMLIFrameElement;
  private readonly listener = (event: MessageEvent): void => this.take(event);
  private readonly blurred = (): void => {
    if (document.activeElement === this.frame) this.card.raise();
  };
  private waiting: string[] = [];
  private isReady = false;
  private allowance = BURST;
  private lastSent = performance.now();
  private notes = 0;

  constructor(
    readonly of: WireWindow,
    place: number,
    remove: () => void,
    private readonly actions: WindowActions,
  ) {
    this.frame = make("iframe", { testId: `window-${of.robot}`, label: `Window of ${of.robot}` });
    this.frame.setAttribute("sandbox", "allow-scripts");
    this.frame.referrerPolicy = "no-referrer";
    this.frame.src = of.address;
    window.addEventListener("message", this.listener);
    // a click into the frame is seen only as the focus that the page loses
    window.addEventListener("blur", this.blurred);
    const label = `Window of ${of.robot}`;
    this.card = new FloatingCard(of.robot, { className: "robot-window", label, at: placeOf(place), remove }, this.frame);
  }

  close(): void {
    window.removeEventListener("message", this.listener);
    window.removeEventListener("blur", this.blurred);
    this.card.root.remove();
  }

  receive(text: string): void {
    if (this.isReady) this.frame.contentWindow?.postMessage({ text }, "*"); // its origin is opaque
    else this.waiting.push(text);
  }

  show(): void {}

  update(): void {}

  /** A new connection: all texts come again, to a window that begins again. */
  restart(): void {
    this.isReady = false;
    this.waiting = [];
    this.frame.src = this.of.address;
  }

  private take(event: MessageEvent): void {
    if (event.source !== this.frame.contentWindow || event.source === null) return;
    const data = event.data as Partial<FrameMessage> | null;
    if (typeof data !== "object" || data === null || typeof data.text !== "string") return;
    if (!this.isAllowed()) return;
    const { robot } = this.of;
    switch (data.kind) {
      case "ready":
        this.isReady = true;
        this.waiting.splice(0).forEach((text) => this.receive(text));
        break;
      case "send":
        if (data.text.length > LONG_TEXT_LIMIT) this.note(`the window sent ${data.text.length} characters; at most ${LONG_TEXT_LIMIT} are passed on`);
        else this.actions.send({ command: "window", robot, text: data.text });
        break;
      case "title":
        this.card.setTitle(`${robot} · ${data.text.slice(0, 80)}`);
        break;
      case "blocked":
        this.note(`the window may not load ${data.text.slice(0, 300)}: robot windows have no network`);
        break;
      case "error":
        this.note(`error in the window: ${data.text.slice(0, 300)}`);
        break;
    }
  }

  /** Whether the window has not said too much yet: it must not flood the simulation. */
  private isAllowed(): boolean {
    const now = performance.now();
    this.allowance = Math.min(BURST, this.allowance + ((now - this.lastSent) * RATE) / 1000);
    this.lastSent = now;
    this.allowance -= 1;
    if (this.allowance < 0) {
      this.allowance = 0;
      this.note(`the window says more than ${RATE} things a second; the rest is dropped`);
      return false;
    }
    return true;
  }

  private note(text: string): void {
    this.notes += 1;
    if (this.notes <= 20) this.actions.note(this.of.robot, text);
  }
}

/** The window of a robot that names none: its sensors and its motors. */
class GenericWindow {
  readonly card: FloatingCard;
  readonly wantsJoints = true;
  private readonly sensors: SensorList;
  private readonly joints: JointList;
  private readonly texts = make("div", { className: "lines" });

  constructor(
    readonly of: WireWindow,
    place: number,
    remove: () => void,
    actions: WindowActions,
  ) {
    const [sensors, joints] = [make("div"), make("div")];
    this.sensors = new SensorList(sensors, actions.pictures, actions.plot);
    this.joints = new JointList(joints, (command) => actions.send(command));
    const body = make("div", { className: "scroll", testId: `window-${of.robot}` }, make("h3", {}, t("Sensors")), sensors, make("h3", {}, t("Joints")), joints, this.texts);
    if (of.remark) body.prepend(make("p", { className: "faint" }, of.remark));
    this.card = new FloatingCard(of.robot, { className: "robot-window", label: `Window of ${of.robot}`, at: placeOf(place), remove }, body);
  }

  get keys(): string[] {
    return this.sensors.keys;
  }

  close(): void {
    this.card.root.remove();
  }

  receive(text: string): void {
    this.texts.append(make("div", { className: "line output" }, text));
    while (this.texts.childElementCount > LINES) this.texts.firstElementChild!.remove();
  }

  restart(): void {
    this.texts.replaceChildren();
  }

  show(outline: WireOutline): void {
    this.sensors.show(outline.devices.filter((device) => device.owner === this.of.robot));
    this.joints.show(outline.joints, (joint) => joint.body === this.of.body);
  }

  update(event: EventReadings, values: Map<string, number | null>): void {
    this.sensors.update(values);
    this.joints.update(event.joints);
  }
}

/** What robots say to their windows, what users say to robots, and the windows that are open. */
export class WindowPanel {
  private readonly list = element("windows-list", HTMLElement);
  private readonly robot = element("windows-robot", HTMLSelectElement);
  private readonly text = element("windows-text", HTMLInputElement);
  private readonly badge = element("windows-badge", HTMLElement);
  private readonly opener = element("windows-open", HTMLButtonElement);
  private readonly opened = new Map<string, HtmlWindow | GenericWindow>();
  private readonly waiting = new Map<string, string[]>();
  private outline: WireOutline | null = null;
  private unseen = 0;

  constructor(
    private readonly isOpen: () => boolean,
    private readonly actions: WindowActions,
  ) {
    element("windows-form", HTMLFormElement).onsubmit = (event) => {
      event.preventDefault();
      this.say();
    };
    this.robot.onchange = () => this.filter();
    this.opener.onclick = () => this.toggle(this.robot.value);
  }

  /** Keys of the numbers that open windows show. */
  get keys(): string[] {
    return [...this.opened.values()].flatMap((item) => item.keys);
  }

  /** Whether an open window shows joints. */
  get wantsJoints(): boolean {
    return [...this.opened.values()].some((item) => item.wantsJoints);
  }

  /** Offer the robots of a scene; without any the panel has no button. */
  show(outline: WireOutline): void {
    this.outline = outline;
    const { robots } = outline;
    const chosen = this.robot.value;
    const options = robots.map((name) => new Option(name, name));
    this.robot.replaceChildren(...options);
    if (robots.includes(chosen)) this.robot.value = chosen;
    element("windows-button", HTMLButtonElement).hidden = robots.length === 0;
    for (const [robot, item] of this.opened) {
      const now = outline.windows.find((window) => window.robot === robot);
      if (now?.address === item.of.address) item.show(outline);
      else this.close(robot);
    }
    this.filter();
  }

  /** Forget all lines: the server tells them again to a new connection. */
  clear(): void {
    this.list.replaceChildren();
    this.waiting.clear();
    this.opened.forEach((item) => item.restart());
    this.unseen = 0;
    this.showBadge();
  }

  /** A robot has sent a text. */
  add({ robot, text }: EventWindowText): void {
    this.append(robot, text, "output");
    const open = this.opened.get(robot);
    if (open) open.receive(text);
    else this.keep(robot, text);
    this.unseen += 1;
    this.showBadge();
  }

  update(event: EventReadings, values: Map<string, number | null>): void {
    this.opened.forEach((item) => item.update(event, values));
  }

  /** Show how many texts came while nobody looked. */
  showBadge(): void {
    if (this.isOpen()) this.unseen = 0;
    this.badge.hidden = this.unseen === 0;
    this.badge.textContent = String(this.unseen);
  }

  private toggle(robot: string): void {
    const found = this.outline?.windows.find((window) => window.robot === robot);
    if (this.opened.has(robot) || !found) this.close(robot);
    else {
      const kind = found.address ? HtmlWindow : GenericWindow;
      const item = new kind(found, this.opened.size, () => this.close(robot), this.actions);
      this.opened.set(robot, item);
      item.show(this.outline!);
      this.waiting.get(robot)?.forEach((text) => item.receive(text));
      this.waiting.delete(robot);
    }
    this.filter();
    this.actions.onChange();
  }

  private close(robot: string): void {
    this.opened.get(robot)?.close();
    this.opened.delete(robot);
    this.filter();
    this.actions.onChange();
  }

  /** Keep a text for a window that may be opened later; the oldest go when there are too many. */
  private keep(robot: string, text: string): void {
    const texts = this.waiting.get(robot) ?? [];
    this.waiting.set(robot, texts);
    texts.push(text);
    let size = texts.reduce((sum, item) => sum + item.length, 0);
    while (size > WAITING || texts.length > LINES) size -= texts.shift()!.length;
  }

  private say(): void {
    const { value } = this.text;
    if (!value || !this.robot.value) return;
    this.actions.send({ command: "window", robot: this.robot.value, text: value });
    this.append(this.robot.value, value, "said");
    this.text.value = "";
  }

  private append(robot: string, text: string, kind: string): void {
    const shown = text.length > 1000 ? `${text.slice(0, 1000)}… (${text.length} characters)` : text;
    const line = make("div", { className: `line ${kind}` }, make("b", {}, kind === "said" ? "→" : robot), " ", make("span", {}, shown));
    line.dataset.robot = robot;
    line.hidden = robot !== this.robot.value;
    this.list.append(line);
    while (this.list.childElementCount > LINES) this.list.firstElementChild!.remove();
    this.list.scrollTop = this.list.scrollHeight;
  }

  private filter(): void {
    const robot = this.robot.value;
    for (const line of this.list.children) {
      if (line instanceof HTMLElement) line.hidden = line.dataset.robot !== robot;
    }
    this.opener.hidden = !this.outline?.windows.some((window) => window.robot === robot);
    this.opener.textContent = this.opened.has(robot) ? t("Close") : t("Open");
  }
}
