/** The panels beside the picture, in the order of their buttons. */
export const PANELS = ["scene", "joints", "plots", "sensors", "console", "windows", "code"] as const;
export type PanelName = (typeof PANELS)[number];

/** Where panels can be around the picture. */
export const AREAS = ["left", "right", "wide", "bottom"] as const;
export type Area = (typeof AREAS)[number];

type Stacks = Record<Area, PanelName[][]>;

const START: Stacks = { left: [["scene"]], right: [["joints"], ["plots"], ["sensors"], ["windows"]], wide: [["code"]], bottom: [["console"]] };

/** Which panel is where: each area has stacks, each stack panels of which one is seen at a time. */
export class DockLayout {
  private areas: Stacks;

  /** Take up what was kept; what does not name every panel once is the start. */
  constructor(kept: string | null) {
    this.areas = parsed(kept) ?? structuredClone(START);
  }

  /** To be kept. */
  get text(): string {
    return JSON.stringify(this.areas);
  }

  stacks(area: Area): PanelName[][] {
    return this.areas[area];
  }

  /** The panels that share a place with one, it included. */
  stackOf(name: PanelName): PanelName[] {
    return AREAS.flatMap((area) => this.areas[area]).find((stack) => stack.includes(name)) ?? [name];
  }

  /** Put a panel into an area, or beside or onto another one. */
  move(name: PanelName, target: { area: Area } | { beside: PanelName; how: "tab" | "before" | "after" }): void {
    for (const area of AREAS) this.areas[area] = this.areas[area].map((stack) => stack.filter((one) => one !== name)).filter((stack) => stack.length);
    if ("area" in target) {
      this.areas[target.area].push([name]);
      return;
    }
    for (const area of AREAS) {
      const at = this.areas[area].findIndex((stack) => stack.includes(target.beside));
      if (at < 0) continue;
      if (target.how === "tab") this.areas[area][at]!.push(name);
      else this.areas[area].splice(target.how === "before" ? at : at + 1, 0, [name]);
      return;
    }
  }

  /** All panels as at first. */
  reset(): void {
    this.areas = structuredClone(START);
  }
}

function parsed(text: string | null): Stacks | null {
  try {
    const found = JSON.parse(text ?? "null") as Stacks | null;
    const names = AREAS.flatMap((area) => found![area].flat());
    const isWhole = names.length === PANELS.length && PANELS.every((name) => names.includes(name));
    return isWhole ? found : null;
  } catch {
    return null; // nothing was kept, or something else
  }
}
