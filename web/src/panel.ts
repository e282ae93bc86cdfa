import type { ConnectionState } from "./connection";
import { SIDES } from "./camera";
import type { Side } from "./camera";
import { element } from "./elements";
import { recall, remember } from "./memory";
import { PlayState } from "./protocol";
import type { Command, FrameHeader, WireScene } from "./protocol";
import { t } from "./language";

/** What the user can ask for. */
export interface PanelActions {
  send(command: Command): void;
  follow(link: number | null): void;
  goHome(): void;
  /** Read the file again. */
  reload(): void;
  toggleKeys(): void;
  /** What is being opened in the place of the file on show; empty = nothing. */
  opening(): string;
  /** Show what is selected, or all, in full. */
  frame(): void;
  /** Select nothing, or follow nothing. */
  letGo(): void;
  lookFrom(side: Side): void;
  switchPerspective(): void;
  /** Turn the view to the side and up [rad], go farther by a factor. */
  turnView(aside: number, up: number, farther: number): void;
}

/** How far a key turns the view [rad], and brings it nearer. */
const TURN = Math.PI / 24;
const NEARER = 0.9;

const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 4, 8];
const MAXIMUM = "max";

/** Without a frame for so long while time runs, something is stuck: a step that takes very long, a dead line [ms]. */
const STALL_TIME = 3000;

/** Text is renewed this often [ms]: faster cannot be read. */
const TEXT_PERIOD = 100;

/** The buttons and readouts around the picture. All text goes in as text, never as markup. */
export class Panel {
  private readonly play = element("play", HTMLButtonElement);
  private readonly pause = element("pause", HTMLButtonElement);
  private readonly step = element("step", HTMLButtonElement);
  private readonly reset = element("reset", HTMLButtonElement);
  private readonly reload = element("reload", HTMLButtonElement);
  private readonly speed = element("speed", HTMLSelectElement);
  private readonly follow = element("follow", HTMLSelectElement);
  private readonly failure = element("failure", HTMLElement);
  private readonly connection = element("connection", HTMLElement);
  private readonly help = element("help", HTMLDialogElement);
  private state: number = PlayState.PAUSED;
  private isConnected = false;
  private header: FrameHeader | null = null;
  private textTimer = 0;
  /** When the last frame came [ms]. */
  private heardAt = 0;

  constructor(private readonly actions: PanelActions) {
    this.play.onclick = () => actions.send({ command: "play" });
    this.pause.onclick = () => actions.send({ command: "pause" });
    this.step.onclick = () => actions.send({ command: "step", count: 1 });
    this.reset.onclick = () => actions.send({ command: "reset" });
    this.reload.onclick = () => actions.reload();
    this.speed.onchange = () => this.sendSpeed(this.speed.value);
    this.follow.onchange = () => {
      const { value } = this.follow;
      actions.follow(value === "" ? null : Number(value));
    };
    element("home", HTMLButtonElement).onclick = () => actions.goHome();
    element("show-help", HTMLButtonElement).onclick = () => this.help.showModal();
    element("failure-close", HTMLButtonElement).onclick = () => (this.failure.hidden = true);
    element("theme", HTMLButtonElement).onclick = switchTheme;
    SPEEDS.forEach((factor) => this.addSpeed(String(factor), `${factor}×`));
    this.addSpeed(MAXIMUM, "Max");
    window.setInterval(() => this.lookForStall(), STALL_TIME / 4);
    document.addEventListener("keydown", (event) => this.onKey(event));
    this.enable();
  }

  /** Show the name of the scene and the bodies that can be followed. */
  showScene(scene: WireScene): void {
    document.title = `${scene.title} · solidbody`;
    element("title", HTMLElement).textContent = scene.title;
    const options = scene.links.flatMap((link, index) =>
      link.dynamic ? [new Option(link.name, String(index))] : [],
    );
    element("bodies", HTMLElement).textContent = String(options.length);
    this.follow.replaceChildren(new Option(t("Nothing"), ""), ...options);
  }

  /** Show what a frame says about time. */
  showFrame(header: FrameHeader): void {
    this.heardAt = performance.now();
    const isSudden = this.header === null || this.header.state !== header.state || header.state !== PlayState.RUNNING;
    this.header = header;
    if (isSudden) this.showText();
    else if (!this.textTimer) this.textTimer = window.setTimeout(() => this.showText(), TEXT_PERIOD);
  }

  /** Show which link is followed. */
  showFollowed(link: number | null): void {
    this.follow.value = link === null ? "" : String(link);
  }

  /** Show or hide the message of a failed simulation. */
  showFailure(text: string): void {
    element("failure-text", HTMLElement).textContent = text;
    this.failure.hidden = text === "";
  }

  /** Show the state of the connection; nothing can be pressed without one. */
  showConnection(state: ConnectionState, detail: string): void {
    this.isConnected = state === "connected";
    this.connection.dataset.state = state;
    const label = { connecting: t("Connecting"), connected: t("Connected"), lost: t("Disconnected") }[state];
    element("connection-label", HTMLElement).textContent = label;
    const notice = element("notice", HTMLElement);
    notice.textContent = this.actions.opening() || (state === "connecting" ? t("Connecting to the simulation…") : detail);
    notice.hidden = this.isConnected;
    this.enable();
  }

  /** A connection that is open, but brings nothing while time should run, is no good one. */
  private lookForStall(): void {
    if (!this.isConnected) return;
    const silence = performance.now() - this.heardAt;
    const isStalled = this.state === PlayState.RUNNING && this.header !== null && silence > STALL_TIME;
    const state = isStalled ? "stalled" : "connected";
    if (isStalled) element("rate", HTMLElement).textContent = "–";
    if (isStalled || this.connection.dataset.state !== state) {
      this.connection.dataset.state = state;
      element("connection-label", HTMLElement).textContent = isStalled ? t("No news for {0} s", Math.round(silence / 1000)) : t("Connected");
    }
  }

  private showText(): void {
    window.clearTimeout(this.textTimer);
    this.textTimer = 0;
    const { header } = this;
    if (!header) return;
    element("time", HTMLElement).textContent = header.time.toFixed(3);
    const isRunning = header.state === PlayState.RUNNING;
    element("rate", HTMLElement).textContent = isRunning ? `${rateText(header.real_time_factor)}×` : "–";
    const cost = 1000 * header.step_cost;
    element("step-cost", HTMLElement).textContent = cost > 0 ? cost.toPrecision(2) : "–";
    const warning = element("not-converged", HTMLElement);
    warning.hidden = header.not_converged === 0;
    warning.textContent = `${header.not_converged} inexact`;
    if (document.activeElement !== this.speed) this.showSpeed(header.speed);
    this.state = header.state;
    this.enable();
  }

  private enable(): void {
    const isRunning = this.state === PlayState.RUNNING;
    const isOver = this.state === PlayState.FAILED || this.state === PlayState.FINISHED;
    const hadFocus = document.activeElement === (isRunning ? this.play : this.pause);
    this.play.hidden = isRunning;
    this.pause.hidden = !isRunning;
    if (hadFocus) (isRunning ? this.pause : this.play).focus(); // the pressed one has just vanished
    this.play.disabled = this.pause.disabled = this.step.disabled = !this.isConnected || isOver;
    this.reset.disabled = this.reload.disabled = this.speed.disabled = !this.isConnected;
    document.body.dataset.running = String(isRunning && this.isConnected);
  }

  private addSpeed(value: string, label: string): void {
    this.speed.append(new Option(label, value));
  }

  private showSpeed(speed: number): void {
    const value = Number.isFinite(speed) ? String(Number(speed.toPrecision(4))) : MAXIMUM;
    if (this.speed.value === value) return;
    if (![...this.speed.options].some((option) => option.value === value)) {
      this.addSpeed(value, `${value}×`);
    }
    this.speed.value = value;
  }

  private sendSpeed(value: string): void {
    this.actions.send({ command: "speed", factor: value === MAXIMUM ? null : Number(value) });
  }

  /** One speed slower or faster. */
  private shiftSpeed(by: number): void {
    if (this.speed.disabled) return;
    const index = this.speed.selectedIndex + by;
    if (index < 0 || index >= this.speed.options.length) return;
    this.speed.selectedIndex = index;
    this.sendSpeed(this.speed.value);
  }

  private followNext(): void {
    const count = this.follow.options.length;
    if (count < 2) return;
    this.follow.selectedIndex = (this.follow.selectedIndex + 1) % count;
    this.follow.onchange?.(new Event("change"));
  }

  private onKey(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey || this.help.open) return;
    const target = event.target as HTMLElement;
    if (target instanceof HTMLSelectElement || target instanceof HTMLInputElement) return; // letters go there
    if (event.key === " " && target instanceof HTMLButtonElement) return; // presses that button
    const shortcuts: Record<string, () => void> = {
      " ": () => (this.play.hidden ? this.pause : this.play).click(),
      ".": () => this.step.click(),
      ArrowRight: () => this.step.click(),
      r: () => this.reset.click(),
      R: () => this.reload.click(),
      "-": () => this.shiftSpeed(-1),
      "+": () => this.shiftSpeed(1),
      "=": () => this.shiftSpeed(1),
      f: () => this.actions.frame(),
      F: () => this.followNext(),
      Escape: () => this.actions.letGo(),
      "0": () => this.actions.switchPerspective(),
      h: () => this.actions.goHome(),
      k: () => this.actions.toggleKeys(),
      "?": () => this.help.showModal(),
    };
    const views: Record<string, [number, number, number]> = {
      ArrowLeft: [-TURN, 0, 1],
      ArrowRight: [TURN, 0, 1],
      ArrowUp: [0, TURN, 1],
      ArrowDown: [0, -TURN, 1],
      PageUp: [0, 0, NEARER],
      PageDown: [0, 0, 1 / NEARER],
    };
    SIDES.forEach((side, k) => (shortcuts[String(k + 1)] = () => this.actions.lookFrom(side)));
    const view = event.shiftKey || event.key.startsWith("Page") ? views[event.key] : undefined;
    const action = view ? () => this.actions.turnView(...view) : shortcuts[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  }
}

function rateText(rate: number): string {
  return rate >= 100 ? rate.toFixed(0) : rate >= 10 ? rate.toFixed(1) : rate.toFixed(2);
}

/** Light, dark, or (again) as the system says; remembered for the next visit. */
function switchTheme(): void {
  const system = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  const now = document.documentElement.dataset.theme ?? system;
  const next = now === "dark" ? "light" : "dark";
  document.documentElement.dataset.theme = next;
  remember("theme", next);
}

/** Take up the theme of the last visit. */
export function restoreTheme(): void {
  const theme = recall("theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
}
