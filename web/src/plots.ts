import { Chart } from "./chart";
import { download } from "./download";
import { element } from "./elements";
import { t } from "./language";
import type { WireOutline, WireScene } from "./protocol";
import { csvOf } from "./series";
import { TimeWindow } from "./time_window";

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

/** Pictures of curves of any scalars, chosen from a list. */
export class PlotPanel {
  private charts: Chart[] = [];
  private scalars: Scalar[] = [];
  private options: Node[] = [];
  private readonly window = new TimeWindow();
  private readonly list = element("plots-list", HTMLElement);
  private readonly choice = element("plots-choice", HTMLSelectElement);
  private readonly csv = element("plots-csv", HTMLButtonElement);
  private readonly live = element("plots-live", HTMLButtonElement);

  constructor(private readonly onChange: () => void) {
    this.choice.onchange = () => {
      this.add(this.choice.value);
      this.choice.value = "";
    };
    this.csv.onclick = () => download("curves.csv", new Blob([csvOf(this.charts.flatMap((chart) => chart.series))], { type: "text/csv" }));
    this.live.onclick = () => {
      this.window.follow();
      this.redraw();
    };
    this.redraw();
  }

  /** Keys of what is plotted. */
  get keys(): string[] {
    return [...new Set(this.charts.flatMap((chart) => chart.keys))];
  }

  show(scalars: Scalar[]): void {
    this.scalars = scalars;
    const groups = new Map<string, HTMLOptGroupElement>();
    for (const { key, label, group } of scalars) {
      if (!groups.has(group)) {
        const made = document.createElement("optgroup");
        made.label = t(group);
        groups.set(group, made);
      }
      groups.get(group)!.append(new Option(label, key));
    }
    this.options = [...groups.values()];
    this.choice.replaceChildren(new Option(t("Add a curve…"), ""), ...this.options);
    const known = new Set(scalars.map((scalar) => scalar.key));
    this.charts.filter((chart) => !chart.keep(known)).forEach((chart) => this.remove(chart));
    this.charts.forEach((chart) => chart.offer(this.options));
  }

  /** Plot a scalar by key, once, in a picture of its own. */
  add(key: string): void {
    const scalar = this.scalars.find((item) => item.key === key);
    if (!scalar || this.keys.includes(key)) return;
    const chart = new Chart(scalar, this.window, {
      remove: (gone) => this.remove(gone),
      onChange: () => this.onChange(),
      onWindow: () => this.redraw(),
    });
    chart.offer(this.options);
    chart.adder.onchange = () => {
      const more = this.scalars.find((item) => item.key === chart.adder.value);
      chart.adder.value = "";
      if (more) chart.add(more);
      this.onChange();
    };
    this.charts.push(chart);
    this.list.append(chart.root);
    this.redraw();
    this.onChange();
  }

  update(time: number, values: Map<string, number | null>): void {
    this.window.tick(time);
    this.charts.forEach((chart) => chart.update(time, values));
  }

  private redraw(): void {
    this.csv.disabled = !this.charts.length;
    this.live.hidden = this.window.isFollowing;
    this.charts.forEach((chart) => chart.redraw());
  }

  private remove(chart: Chart): void {
    chart.root.remove();
    this.charts = this.charts.filter((item) => item !== chart);
    this.redraw();
    this.onChange();
  }
}
