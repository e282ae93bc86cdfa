import { make, makeButton, numberText } from "./elements";
import type { Command, WireJoint } from "./protocol";

/** After the user lets go of a slider it shows the joint again, this much later [ms]. */
const HOLD = 400;

interface Row {
  index: number;
  joint: WireJoint;
  slider: HTMLInputElement;
  value: HTMLOutputElement;
  mode: "position" | "velocity";
  touched: number;
}

/** One slider per joint axis: drives its motor, or poses the robot while time stands still. */
export class JointList {
  private rows: Row[] = [];
  private waiting = new Map<number, Command>();

  constructor(
    private readonly list: HTMLElement,
    private readonly send: (command: Command) => void,
  ) {}

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
    if (!parts.length) parts.push(make("p", { className: "faint" }, "There are no joints."));
    this.list.replaceChildren(...parts);
  }

  /** Show where the joints are. */
  update(positions: number[]): void {
    const now = performance.now();
    this.rows.forEach((row) => {
      const position = positions[row.index];
      if (position === undefined) return;
      row.value.textContent = `${numberText(position)} ${row.joint.turns ? "rad" : "m"}`;
      if (row.mode === "position" && now - row.touched > HOLD) row.slider.value = String(position);
      row.slider.disabled = false;
    });
  }

  private makeRow(joint: WireJoint, index: number): HTMLElement {
    const slider = make("input", { testId: `joint-${joint.name}`, label: `Joint ${joint.name}` });
    slider.type = "range";
    slider.disabled = true; // until it is known where the joint is: keys would move it from anywhere
    const value = make("output", { testId: `joint-value-${joint.name}` });
    const mode = joint.motor && joint.endless ? "velocity" : "position";
    const row: Row = { index, joint, slider, value, mode, touched: -Infinity };
    slider.oninput = () => {
      row.touched = performance.now();
      this.queue(row, Number(slider.value));
    };
    slider.ondblclick = () => {
      slider.value = "0";
      slider.dispatchEvent(new Event("input"));
    };
    this.rows.push(row);
    const head = make("div", { className: "joint-head" }, make("span", { className: "name", title: joint.name }, joint.name), value);
    if (joint.motor) {
      const button = makeButton("", () => setMode(row.mode === "position" ? "velocity" : "position"));
      const setMode = (next: Row["mode"]): void => {
        row.mode = next;
        const reach = next === "velocity" ? [-joint.speed, joint.speed] : [joint.low, joint.high];
        [slider.min, slider.max] = [String(reach[0]), String(reach[1])];
        slider.step = String((reach[1]! - reach[0]!) / 1000);
        if (next === "velocity") slider.value = "0";
        button.textContent = next === "velocity" ? "speed" : "angle";
        if (!joint.turns && next === "position") button.textContent = "place";
        button.title = "What the slider sets: a position or a speed";
        button.setAttribute("aria-label", `Slider of ${joint.name} sets ${next}`);
      };
      setMode(mode);
      head.append(button);
    } else {
      [slider.min, slider.max] = [String(joint.low), String(joint.high)];
      slider.step = String((joint.high - joint.low) / 1000);
    }
    return make("div", { className: "joint" }, head, slider);
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
