import { make, makeButton, numberText } from "./elements";
import { t } from "./language";
import { Series } from "./series";
import type { Scalar } from "./plots";
import type { TimeWindow } from "./time_window";

/** Colours of curves, apart from each other on light and on dark; the first is that of the theme. */
const COLORS = ["", "#e4572e", "#2a9d5c", "#a05bd6", "#d19a00", "#0097a7", "#d6499c", "#7a7f87"];

/** Lines across the time axis are about this far apart [CSS pixels]. */
const GRID = 70;

interface Curve {
  scalar: Scalar;
  series: Series;
  color: string;
  value: HTMLOutputElement;
  chip: HTMLElement;
}

/** What a chart asks of the panel. */
export interface ChartActions {
  remove(chart: Chart): void;
  /** A curve has gone. */
  onChange(): void;
  /** Another stretch of time is on show. */
  onWindow(): void;
}

/** Curves in one picture, over the time that the panel shows. */
export class Chart {
  readonly root: HTMLElement;
  private readonly canvas: HTMLCanvasElement;
  private readonly chips = make("div", { className: "chips" });
  readonly adder = make("select", { className: "adder", label: t("Add a curve to this picture"), title: t("Add a curve to this picture") });
  private curves: Curve[] = [];
  private cursor: number | null = null;
  private isQueued = false;

  constructor(
    first: Scalar,
    private readonly window: TimeWindow,
    private readonly actions: ChartActions,
  ) {
    this.canvas = make("canvas", { testId: `plot-${first.key}`, label: t("Plot of {0}", first.label) });
    this.adder.dataset.testid = `plot-add-${first.key}`;
    const close = makeButton("×", () => actions.remove(this), t("Remove the plot of {0}", first.label));
    const head = make("div", { className: "plot-head" }, this.chips, this.adder, close);
    this.root = make("div", { className: "plot" }, head, this.canvas);
    new ResizeObserver(() => this.redraw()).observe(this.canvas);
    this.letMove();
    this.add(first);
  }

  get keys(): string[] {
    return this.curves.map(({ scalar }) => scalar.key);
  }

  /** Series by the name of what they show. */
  get series(): [string, Series][] {
    return this.curves.map(({ scalar, series }) => [scalar.label, series]);
  }

  /** Offer these scalars for further curves. */
  offer(options: Node[]): void {
    this.adder.replaceChildren(new Option("+", ""), ...options.map((option) => option.cloneNode(true)));
    this.adder.value = "";
  }

  /** Add a curve, once. */
  add(scalar: Scalar): void {
    if (this.keys.includes(scalar.key)) return;
    const color = COLORS.find((one) => !this.curves.some((curve) => curve.color === one)) ?? COLORS[0]!;
    const value = make("output", { testId: `plot-value-${scalar.key}` }, "–");
    const chip = make("span", { className: "chip", title: scalar.label }, make("i", {}), make("span", { className: "name" }, scalar.label), value);
    chip.querySelector("i")!.style.background = color || "var(--curve)";
    const curve: Curve = { scalar, series: new Series(), color, value, chip };
    if (this.curves.length) chip.append(makeButton("×", () => this.drop(curve), t("Remove the curve of {0}", scalar.label)));
    this.chips.append(chip);
    this.curves.push(curve);
    this.redraw();
  }

  /** Keep only curves of which there still is something to see; false if none is left. */
  keep(known: Set<string>): boolean {
    this.curves.filter(({ scalar }) => !known.has(scalar.key)).forEach((curve) => this.drop(curve));
    return this.curves.length > 0;
  }

  update(time: number, values: Map<string, number | null>): void {
    for (const { scalar, series, value } of this.curves) {
      const found = values.get(scalar.key);
      if (found === undefined) continue;
      series.add(time, found);
      if (this.cursor === null) value.textContent = found === null ? t("no value yet") : numberText(found);
    }
    this.redraw();
  }

  /** Draw with the next picture, once for all that came before it. */
  redraw(): void {
    if (!this.isQueued) requestAnimationFrame(() => this.draw());
    this.isQueued = true;
  }

  private drop(curve: Curve): void {
    curve.chip.remove();
    this.curves = this.curves.filter((item) => item !== curve);
    this.redraw();
    this.actions.onChange();
  }

  /** The wheel zooms at the mouse, drags move through time, a double-click follows the present again. */
  private letMove(): void {
    const { canvas, window: shown } = this;
    const timeAt = (x: number): number => shown.end - (1 - x / Math.max(canvas.clientWidth, 1)) * shown.span;
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      shown.zoom(Math.exp(event.deltaY / 400), timeAt(event.offsetX));
      this.actions.onWindow();
    });
    canvas.onpointerdown = (press) => {
      canvas.setPointerCapture(press.pointerId);
      let last = press.clientX;
      canvas.onpointermove = (move) => {
        shown.move(((last - move.clientX) / Math.max(canvas.clientWidth, 1)) * shown.span);
        last = move.clientX;
        this.actions.onWindow();
      };
    };
    const look = (move: PointerEvent): void => this.point(timeAt(move.offsetX));
    canvas.onpointerup = canvas.onpointercancel = () => (canvas.onpointermove = look);
    canvas.onpointermove = look;
    canvas.onpointerleave = () => this.point(null);
    canvas.ondblclick = () => {
      shown.follow();
      this.actions.onWindow();
    };
  }

  /** Tell values at a moment, or the latest. */
  private point(time: number | null): void {
    this.cursor = time;
    for (const { series, value } of this.curves) {
      const found = time === null ? series.last : series.at(time);
      value.textContent = found === null ? "–" : numberText(found);
    }
    this.redraw();
  }

  private draw(): void {
    this.isQueued = false;
    const { canvas, curves } = this;
    const { clientWidth: width, clientHeight: height } = canvas;
    if (!width || !height) return;
    const { span, end } = this.window;
    const ratio = Math.min(window.devicePixelRatio, 2);
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    const context = canvas.getContext("2d")!;
    context.scale(ratio, ratio);
    const ranges = curves.map(({ series }) => series.range(end - span, end)).filter((range) => range !== null);
    const low = Math.min(...ranges.map(([one]) => one));
    const high = Math.max(...ranges.map(([, one]) => one));
    const isKnown = ranges.length > 0;
    const pad = Math.max((high - low) * 0.08, Math.abs(high) * 1e-3, 1e-6);
    const y = (value: number): number => height - 4 - ((value - low + pad) / (high - low + 2 * pad)) * (height - 8);
    const x = (time: number): number => width - 2 - ((end - time) / span) * (width - 4);
    context.font = "10px system-ui, sans-serif";
    context.strokeStyle = context.fillStyle = getComputedStyle(canvas).color;
    const step = roundStep((span * GRID) / width);
    context.globalAlpha = 0.25;
    context.beginPath();
    for (let time = Math.ceil((end - span) / step) * step; time <= end; time += step) {
      if (time < 0) continue;
      context.moveTo(x(time), 0);
      context.lineTo(x(time), height);
      context.fillText(`${Number(time.toPrecision(6))} s`, x(time) + 2, height - 4);
    }
    if (this.cursor !== null) {
      context.moveTo(x(this.cursor), 0);
      context.lineTo(x(this.cursor), height);
    }
    context.stroke();
    context.globalAlpha = 0.8;
    if (isKnown) {
      context.fillText(numberText(high), 4, 11);
      context.fillText(numberText(low), 4, height - 14);
    }
    context.globalAlpha = 1;
    context.lineWidth = 1.6;
    context.lineJoin = "round";
    const theme = getComputedStyle(document.documentElement).getPropertyValue("--curve-line").trim() || "#3b8eff";
    for (const { series, color } of curves) {
      context.strokeStyle = color || theme;
      context.beginPath();
      series.trace(end - span, end, (time, value, isFirst) => (isFirst ? context.moveTo(x(time), y(value)) : context.lineTo(x(time), y(value))));
      context.stroke();
    }
  }
}

/** The next larger of 1, 2 and 5 times a power of ten. */
function roundStep(wanted: number): number {
  const power = 10 ** Math.floor(Math.log10(wanted));
  return [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= wanted) ?? 10 * power;
}
