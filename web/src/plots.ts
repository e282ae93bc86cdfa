import { element, make, makeButton, numberText } from "./elements";
import type { WireOutline, WireScene } from "./protocol";

/** Length of the time axis [s]. */
const SPAN = 20;
const HEIGHT = 96;

/** A scalar that can be plotted: the key by which the server knows it, and its name. */
export interface Scalar {
  key: string;
  label: string;
  group: string;
}

/** All scalars of a scene. */
export function scalarsOf(outline: WireOutline, scene: WireScene): Scalar[] {
  const joints = outline.joints.flatMap((joint, k) =>
    [`position`, `velocity`, ...(joint.motor ? ["effort"] : [])].map((part) => ({
      key: `joint/${k}/${part}`,
      label: `${joint.name} ${part}`,
      group: "Joints",
    })),
  );
  const links = scene.links.flatMap((link, k) =>
    link.moving
      ? ["x", "y", "z", "speed"].map((part) => ({ key: `link/${k}/${part}`, label: `${link.name} ${part}`, group: "Bodies" }))
      : [],
  );
  const devices = outline.devices.flatMap((device) =>
    device.parts.map((part, k) => ({
      key: `device/${device.index}/${k}`,
      label: `${device.owner ? `${device.owner} · ` : ""}${device.name}${device.parts.length > 1 ? ` ${part}` : ""}`,
      group: "Sensors",
    })),
  );
  return [...joints, ...links, ...devices];
}

/** One curve over the last seconds of simulated time. */
class Plot {
  readonly root: HTMLElement;
  private readonly canvas: HTMLCanvasElement;
  private readonly value: HTMLOutputElement;
  private times: number[] = [];
  private values: number[] = [];
  private isQueued = false;

  constructor(
    readonly scalar: Scalar,
    remove: () => void,
  ) {
    this.canvas = make("canvas", { testId: `plot-${scalar.key}`, label: `Plot of ${scalar.label}` });
    this.value = make("output", { testId: `plot-value-${scalar.key}` }, "–");
    const close = makeButton("×", remove, `Remove the plot of ${scalar.label}`);
    const head = make("div", { className: "joint-head" }, make("span", { className: "name", title: scalar.label }, scalar.label), this.value, close);
    this.root = make("div", { className: "plot" }, head, this.canvas);
  }

  add(time: number, value: number | null): void {
    const last = this.times[this.times.length - 1];
    if (last !== undefined && time < last) this.times = this.values = []; // a reset
    if (value === null) {
      this.value.textContent = "no value yet";
      return;
    }
    if (last === time) this.values[this.values.length - 1] = value;
    else {
      this.times = [...this.times.filter((t) => t > time - SPAN), time];
      this.values = [...this.values, value].slice(-this.times.length);
    }
    this.value.textContent = numberText(value);
    if (!this.isQueued) requestAnimationFrame(() => this.draw()); // once for all values between two pictures
    this.isQueued = true;
  }

  private draw(): void {
    this.isQueued = false;
    const { canvas, times, values } = this;
    const width = canvas.clientWidth;
    if (!width) return;
    const ratio = Math.min(window.devicePixelRatio, 2);
    canvas.width = width * ratio;
    canvas.height = HEIGHT * ratio;
    const context = canvas.getContext("2d")!;
    context.scale(ratio, ratio);
    const style = getComputedStyle(document.documentElement);
    const low = Math.min(...values);
    const high = Math.max(...values);
    const pad = Math.max((high - low) * 0.08, Math.abs(high) * 1e-3, 1e-6);
    const y = (value: number): number => HEIGHT - 4 - ((value - low + pad) / (high - low + 2 * pad)) * (HEIGHT - 8);
    const end = times[times.length - 1] ?? 0;
    const x = (time: number): number => width - 2 - ((end - time) / SPAN) * (width - 4);
    context.font = "10px system-ui, sans-serif";
    context.strokeStyle = context.fillStyle = getComputedStyle(canvas).color;
    context.globalAlpha = 0.25;
    context.beginPath();
    for (let t = Math.ceil((end - SPAN) / 5) * 5; t <= end; t += 5) {
      context.moveTo(x(t), 0);
      context.lineTo(x(t), HEIGHT);
    }
    context.stroke();
    context.globalAlpha = 0.8;
    context.fillText(numberText(high), 4, 11);
    context.fillText(numberText(low), 4, HEIGHT - 4);
    context.globalAlpha = 1;
    context.strokeStyle = style.getPropertyValue("--curve").trim() || "#3b8eff";
    context.lineWidth = 1.6;
    context.lineJoin = "round";
    context.beginPath();
    times.forEach((time, k) => (k ? context.lineTo(x(time), y(values[k]!)) : context.moveTo(x(time), y(values[k]!))));
    context.stroke();
  }
}

/** Curves of any scalars, chosen from a list. */
export class PlotPanel {
  private plots: Plot[] = [];
  private scalars: Scalar[] = [];
  private readonly list = element("plots-list", HTMLElement);
  private readonly choice = element("plots-choice", HTMLSelectElement);

  constructor(private readonly onChange: () => void) {
    this.choice.onchange = () => {
      this.add(this.choice.value);
      this.choice.value = "";
    };
  }

  /** Keys of what is plotted. */
  get keys(): string[] {
    return this.plots.map((plot) => plot.scalar.key);
  }

  show(scalars: Scalar[]): void {
    this.scalars = scalars;
    const groups = new Map<string, HTMLOptGroupElement>();
    for (const { key, label, group } of scalars) {
      if (!groups.has(group)) {
        const made = document.createElement("optgroup");
        made.label = group;
        groups.set(group, made);
      }
      groups.get(group)!.append(new Option(label, key));
    }
    this.choice.replaceChildren(new Option("Add a curve…", ""), ...groups.values());
    const known = new Set(scalars.map((scalar) => scalar.key));
    this.plots.filter((plot) => !known.has(plot.scalar.key)).forEach((plot) => this.remove(plot));
  }

  /** Plot a scalar by key, once. */
  add(key: string): void {
    const scalar = this.scalars.find((item) => item.key === key);
    if (!scalar || this.keys.includes(key)) return;
    const plot = new Plot(scalar, () => this.remove(plot));
    this.plots.push(plot);
    this.list.append(plot.root);
    this.onChange();
  }

  update(time: number, values: Map<string, number | null>): void {
    for (const plot of this.plots) {
      const value = values.get(plot.scalar.key);
      if (value !== undefined) plot.add(time, value);
    }
  }

  private remove(plot: Plot): void {
    plot.root.remove();
    this.plots = this.plots.filter((item) => item !== plot);
    this.onChange();
  }
}
