import { make } from "./elements";
import { t } from "./language";

/** An edge that is dragged: what it makes larger, in which direction, and between which sizes [CSS pixels]. */
interface Edge {
  holder: HTMLElement;
  name: string;
  label: string;
  axis: "x" | "y";
  /** 1 = larger to the right or down. */
  sign: 1 | -1;
  size: number;
  least: number;
  /** Largest share of the window. */
  most: number;
}

/** What an arrow key changes [CSS pixels]. */
const STEP = 24;

/** Where sizes are kept for the next visit. */
const STORE = "sizes";

/** Lets users drag the edges of panels; sizes are remembered. */
export class PanelSizes {
  private readonly sizes: Record<string, number>;

  constructor(private readonly onChange: () => void) {
    this.sizes = kept();
    const side = (name: string): HTMLElement => document.querySelector<HTMLElement>(`.side.${name}`)!;
    const edges: Edge[] = [
      { holder: side("left"), name: "left-width", label: t("Width of the panels on the left"), axis: "x", sign: 1, size: 312, least: 240, most: 0.45 },
      { holder: side("right"), name: "right-width", label: t("Width of the panels on the right"), axis: "x", sign: -1, size: 312, least: 240, most: 0.45 },
      { holder: side("wide"), name: "code-width", label: t("Width of the code"), axis: "x", sign: -1, size: 640, least: 360, most: 0.75 },
      { holder: side("bottom"), name: "console-height", label: t("Height of the console"), axis: "y", sign: -1, size: 190, least: 100, most: 0.6 },
    ];
    for (const edge of edges) this.add(edge);
  }

  private add(edge: Edge): void {
    const handle = make("div", { className: `edge ${edge.axis} ${edge.sign > 0 ? "after" : "before"}`, testId: `edge-${edge.name}`, label: edge.label });
    handle.setAttribute("role", "separator");
    handle.setAttribute("aria-orientation", edge.axis === "x" ? "vertical" : "horizontal");
    handle.tabIndex = 0;
    const set = (size: number): void => this.set(edge, handle, size);
    handle.onpointerdown = (press) => {
      press.preventDefault();
      handle.setPointerCapture(press.pointerId);
      const start = this.sizes[edge.name] ?? edge.size;
      const from = edge.axis === "x" ? press.clientX : press.clientY;
      handle.onpointermove = (move) => set(start + edge.sign * ((edge.axis === "x" ? move.clientX : move.clientY) - from));
      handle.onpointerup = handle.onpointercancel = () => {
        handle.onpointermove = handle.onpointerup = handle.onpointercancel = null;
      };
    };
    handle.ondblclick = () => set(edge.size);
    handle.onkeydown = (event) => {
      const ways: Record<string, number> = edge.axis === "x" ? { ArrowLeft: -1, ArrowRight: 1 } : { ArrowUp: -1, ArrowDown: 1 };
      const way = ways[event.key];
      if (way === undefined) return;
      event.preventDefault();
      event.stopPropagation();
      set((this.sizes[edge.name] ?? edge.size) + edge.sign * way * STEP);
    };
    edge.holder.append(handle);
    set(this.sizes[edge.name] ?? edge.size);
  }

  private set(edge: Edge, handle: HTMLElement, wanted: number): void {
    const room = edge.axis === "x" ? window.innerWidth : window.innerHeight;
    const size = Math.round(Math.max(Math.min(wanted, edge.most * room), edge.least));
    handle.setAttribute("aria-valuenow", String(size));
    const { style } = document.documentElement;
    if (size === edge.size) {
      delete this.sizes[edge.name];
      style.removeProperty(`--${edge.name}`);
    } else {
      this.sizes[edge.name] = size;
      style.setProperty(`--${edge.name}`, `${size}px`);
    }
    try {
      localStorage.setItem(STORE, JSON.stringify(this.sizes));
    } catch {
      // a frame that may keep nothing
    }
    this.onChange();
  }
}

/** Room at the left and at the right of the picture that panels take [CSS pixels]; 0 if too little would be left. */
export function panelRoom(): { left: number; right: number } {
  const open = (selector: string): number => {
    const boxes = [...document.querySelectorAll<HTMLElement>(selector)].filter((item) => item.checkVisibility()).map((item) => item.getBoundingClientRect());
    return boxes.length ? Math.max(...boxes.map((box) => box.width)) + MARGIN : 0;
  };
  const code = open(".side.wide > .dock");
  const room = { left: open(".side.left > .dock"), right: Math.max(code, open(".side.right > .dock") + (code || 0)) };
  return window.innerWidth - room.left - room.right < LEAST_FREE * window.innerWidth ? { left: 0, right: 0 } : room;
}

/** Between a panel and the edge of the window. */
const MARGIN = 14;

/** Share of the window that has to be free, or else the picture stays as it is, below the panels. */
const LEAST_FREE = 0.3;

function kept(): Record<string, number> {
  try {
    const found = JSON.parse(localStorage.getItem(STORE) ?? "{}") as Record<string, unknown> | null;
    return Object.fromEntries(Object.entries(found ?? {}).filter((item): item is [string, number] => Number.isFinite(item[1])));
  } catch {
    return {};
  }
}
