import { angleUnit, fromAngleUnit, inAngleUnit, onAngleUnit } from "./angles";
import { make, makeButton, numberText } from "./elements";
import { t } from "./language";
import type { Command, WireJoint } from "./protocol";

/** After the user lets go of a slider it shows the joint again, this much later [ms]. */
const HOLD = 400;

/** Decimals of positions: a tenth of a millimetre, less than a hundredth of a degree. */
const DIGITS = 4;

/** Beyond a limit by rounding when it is typed [rad or m]. */
const SLACK = 1e-4;

interface Row {
  index: number;
  joint: WireJoint;
  slider: HTMLInputElement;
  value: HTMLInputElement;
  unit: HTMLElement;
  ends: HTMLElement[];
  mode: "position" | "velocity";
  touched: number;
}

/** One slider per joint axis: drives its motor, or poses the robot while time stands still. */
export class JointList {
  private rows: Row[] = [];
  private waiting = new Map<number, Command>();
  private positions: number[] = [];

  constructor(
    private readonly list: HTMLElement,
    private readonly send: (command: Command) => void,
  ) {
    onAngleUnit(() => this.rows.forEach((row) => this.showLimits(row)));
  }

  /** List joints of a scene, those of which `isShown` says so. */
  show(joints: WireJoint[], isShown: (joint: WireJoint) => boolean = () => true): void {
    this.rows = [];
    const parts: Node[] = [];
    let body = "";
    joints.forEach((joint, index) => {
      if (!isShown(joint)) return;
      if (joint.body !== body && joint.body) parts.push(make("h3", {}, joint.body));
      body = joint.body;
      parts.push(this.makeRow(joint, index));
    });
    if (!parts.length) parts.push(make("p", { className: "faint" }, t("There are no joints.")));
    this.list.replaceChildren(...parts);
  }

  /** Show where the joints are. */
  update(positions: number[]): void {
    const now = performance.now();
    this.positions = positions;
    this.rows.forEach((row) => {
      const position = positions[row.index];
      if (position === undefined) return;
      this.showValue(row);
      if (row.mode === "position" && now - row.touched > HOLD) row.slider.value = String(position);
      row.slider.disabled = row.value.disabled = false;
    });
  }

  private makeRow(joint: WireJoint, index: number): HTMLElement {
    const slider = make("input", { testId: `joint-${joint.name}`, label: t("Joint {0}", joint.name) });
    slider.type = "range";
    const value = make("input", { className: "typed", testId: `joint-value-${joint.name}`, label: t("Position of {0}", joint.name) });
    value.inputMode = "decimal";
    value.autocomplete = "off";
    slider.disabled = value.disabled = true; // until it is known where the joint is: keys would move it from anywhere
    const ends = [make("span", { testId: `joint-low-${joint.name}` }), make("span", { testId: `joint-high-${joint.name}` })];
    const mode = joint.motor && joint.endless ? "velocity" : "position";
    const row: Row = { index, joint, slider, value, unit: make("span", { className: "unit faint" }), ends, mode, touched: -Infinity };
    slider.oninput = () => {
      row.touched = performance.now();
      this.queue(row, Number(slider.value));
    };
    slider.ondblclick = () => {
      slider.value = "0";
      slider.dispatchEvent(new Event("input"));
    };
    value.onchange = () => this.type(row);
    value.onkeydown = (event) => {
      event.stopPropagation();
      if (event.key === "Escape" || event.key === "Enter") value.blur();
    };
    value.onblur = () => this.showValue(row);
    this.rows.push(row);
    const head = make("div", { className: "joint-head" }, make("span", { className: "name", title: joint.name }, joint.name), value, row.unit);
    if (joint.motor) {
      const button = makeButton("", () => setMode(row.mode === "position" ? "velocity" : "position"));
      const setMode = (next: Row["mode"]): void => {
        row.mode = next;
        this.showLimits(row);
        if (next === "velocity") slider.value = "0";
        button.textContent = next === "velocity" ? t("speed") : joint.turns ? t("angle") : t("place");
        button.title = t("What the slider sets: a position or a speed");
        button.setAttribute("aria-label", t("Slider of {0} sets {1}", joint.name, next));
      };
      setMode(mode);
      head.append(button);
    } else this.showLimits(row);
    return make("div", { className: "joint" }, head, slider, make("div", { className: "ends faint" }, ...ends));
  }

  /** Write the ends of a slider below it, in the unit that users read. */
  private showLimits(row: Row): void {
    const { joint, slider, mode, ends } = row;
    const reach = mode === "velocity" ? [-joint.speed, joint.speed] : [joint.low, joint.high];
    [slider.min, slider.max] = [String(reach[0]), String(reach[1])];
    slider.step = String((reach[1]! - reach[0]!) / 1000);
    const unit = `${joint.turns ? angleUnit() : "m"}${mode === "velocity" ? "/s" : ""}`;
    const isOpen = mode === "position" && joint.endless;
    ends.forEach((end, k) => (end.textContent = `${isOpen ? "∞ · " : ""}${numberText(this.shown(joint, reach[k]!))} ${unit}`));
    row.unit.textContent = joint.turns ? angleUnit() : "m";
    this.showValue(row);
  }

  private showValue({ index, joint, value }: Row): void {
    const position = this.positions[index];
    if (position === undefined || document.activeElement === value) return;
    value.value = numberText(Number(this.shown(joint, position).toFixed(DIGITS)));
  }

  /** A position as users read it. */
  private shown(joint: WireJoint, position: number): number {
    return joint.turns ? inAngleUnit(position) : position;
  }

  /** A position was typed: it has to lie within the limits. */
  private type(row: Row): void {
    const { joint, value, slider } = row;
    const typed = Number(value.value.trim().replace(",", "."));
    const position = joint.turns ? fromAngleUnit(typed) : typed;
    const isGood = value.value.trim() !== "" && Number.isFinite(typed) && (joint.endless || (position >= joint.low - SLACK && position <= joint.high + SLACK));
    value.setAttribute("aria-invalid", String(!isGood));
    const [low, high] = [joint.low, joint.high].map((end) => numberText(this.shown(joint, end)));
    value.title = isGood ? "" : t("{0} goes from {1} to {2} {3}.", joint.name, low!, high!, joint.turns ? angleUnit() : "m");
    if (!isGood) return;
    row.touched = performance.now();
    if (row.mode === "position") slider.value = String(position);
    this.queue({ ...row, mode: "position" }, position);
  }

  /** Send at most one command per joint and picture. */
  private queue({ index, mode }: Row, value: number): void {
    if (!this.waiting.size) requestAnimationFrame(() => this.flush());
    this.waiting.set(index, { command: "joint", joint: index, mode, value });
  }

  private flush(): void {
    this.waiting.forEach((command) => this.send(command));
    this.waiting.clear();
  }
}
