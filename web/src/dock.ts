import { element, make, makeButton } from "./elements";
import { t } from "./language";
import { AREAS, DockLayout, PANELS } from "./dock_layout";
import type { Area, PanelName } from "./dock_layout";
import { recall, remember } from "./memory";

/** Below this the panels share one sheet at the bottom, as tabs [CSS pixels]. */
const NARROW = "(max-width: 760px)";

/** A press on a head that moves less than this moves no panel [CSS pixels]. */
const DRAG_SLACK = 8;

/** Shares of the window, from its edges, that stand for the areas there. */
const EDGE = 0.28;

/** What panels can be told to do by the list in their heads. */
const PLACES: Record<Area, string> = { left: "To the left", right: "To the right", wide: "To a wide column", bottom: "Below" };

/** Where a dragged panel would go: into an area, or beside or onto another panel. */
type Target = { area: Area } | { beside: PanelName; how: "tab" | "before" | "after" };

/** Shows, hides, collapses and moves panels; how they stand is remembered for the next visit. */
export class Dock {
  private readonly listeners: (() => void)[] = [];
  private readonly layout = new DockLayout(recall("layout"));
  private readonly collapsed = new Set((recall("collapsed") ?? "").split(" "));
  private readonly narrow = matchMedia(NARROW);
  private readonly marker = make("div", { className: "dock-target" });
  /** Panels, the one that was opened or chosen last at first. */
  private recent: PanelName[] = [...PANELS];

  constructor() {
    const open = new Set((recall("panels") ?? "").split(" "));
    for (const name of PANELS) {
      this.button(name).onclick = () => this.set(name, !this.isShown(name));
      element(`${name}-close`, HTMLButtonElement).onclick = () => {
        this.set(name, false);
        this.button(name).focus();
      };
      this.furnish(name);
      this.panel(name).hidden = !open.has(name);
    }
    this.marker.hidden = true;
    document.body.append(this.marker);
    this.narrow.onchange = () => this.arrange();
    this.arrange();
  }

  isOpen(name: PanelName): boolean {
    return !this.panel(name).hidden;
  }

  set(name: PanelName, isOpen: boolean): void {
    this.panel(name).hidden = !isOpen;
    if (isOpen) {
      this.recent = [name, ...this.recent.filter((other) => other !== name)];
      if (this.collapsed.delete(name)) remember("collapsed", [...this.collapsed].join(" "));
    }
    remember("panels", PANELS.filter((panel) => this.isOpen(panel)).join(" "));
    this.arrange();
  }

  /** Call back whenever a panel opens, closes or moves. */
  onChange(listener: () => void): void {
    this.listeners.push(listener);
  }

  /** Open, and not behind another tab. */
  private isShown(name: PanelName): boolean {
    return this.isOpen(name) && !this.panel(name).classList.contains("behind");
  }

  private panel(name: PanelName): HTMLElement {
    return element(`${name}-panel`, HTMLElement);
  }

  private button(name: PanelName): HTMLButtonElement {
    return element(`${name}-button`, HTMLButtonElement);
  }

  private title(name: PanelName): string {
    return this.panel(name).getAttribute("aria-label") ?? name;
  }

  // ------------------------------------------------------------------ heads

  /** Put into a panel's head what collapses and moves it; the head itself can be dragged. */
  private furnish(name: PanelName): void {
    const head = this.panel(name).querySelector("header")!;
    const collapse = makeButton("▾", () => this.toggle(name), t("Collapse {0}", this.title(name)));
    collapse.classList.add("collapse");
    collapse.dataset.testid = `${name}-collapse`;
    const move = make("select", { className: "move", testId: `${name}-move`, label: t("Move {0}", this.title(name)), title: t("Move this panel; its head can be dragged, too") });
    move.onchange = () => {
      const [how, where] = move.value.split(" ");
      if (how === "area") this.layout.move(name, { area: where as Area });
      else if (how === "tab") this.layout.move(name, { beside: where as PanelName, how: "tab" });
      else this.layout.reset();
      this.arrange();
      move.focus();
    };
    head.querySelector(`#${name}-close`)!.before(move, collapse);
    head.addEventListener("pointerdown", (press) => this.drag(name, head, press));
  }

  private fillMoves(name: PanelName, move: HTMLSelectElement): void {
    const options = AREAS.map((area) => new Option(t(PLACES[area]), `area ${area}`));
    const others = PANELS.filter((other) => other !== name && this.isOpen(other) && !this.layout.stackOf(name).includes(other));
    options.push(...others.map((other) => new Option(t("As a tab of {0}", this.title(other)), `tab ${other}`)));
    move.replaceChildren(new Option("⋮", "", true, true), ...options, new Option(t("All back to their places"), "reset"));
  }

  private toggle(name: PanelName): void {
    if (!this.collapsed.delete(name)) this.collapsed.add(name);
    remember("collapsed", [...this.collapsed].join(" "));
    this.arrange();
  }

  // ------------------------------------------------------------------ dragging

  private drag(name: PanelName, head: HTMLElement, press: PointerEvent): void {
    const isFree = press.target instanceof Element && !press.target.closest("button, select, input, summary");
    if (press.button !== 0 || !isFree || this.narrow.matches) return;
    head.setPointerCapture(press.pointerId);
    let target: Target | null = null;
    head.onpointermove = (move) => {
      if (!target && Math.hypot(move.clientX - press.clientX, move.clientY - press.clientY) < DRAG_SLACK) return;
      target = this.targetAt(name, move.clientX, move.clientY);
      this.mark(target);
    };
    head.onpointerup = head.onpointercancel = (end) => {
      head.onpointermove = head.onpointerup = head.onpointercancel = null;
      this.mark(null);
      if (end.type === "pointerup" && target) {
        this.layout.move(name, target);
        this.arrange();
      }
    };
  }

  private targetAt(name: PanelName, x: number, y: number): Target | null {
    const below = document.elementsFromPoint(x, y).map((it) => it.closest(".dock")).find((it) => it !== null);
    const other = PANELS.find((panel) => below === this.panel(panel));
    if (other && other !== name) {
      const box = this.panel(other).getBoundingClientRect();
      const head = this.panel(other).querySelector("header")!.getBoundingClientRect();
      if (y <= head.bottom) return { beside: other, how: "tab" };
      return { beside: other, how: y < box.top + box.height / 2 ? "before" : "after" };
    }
    const { innerWidth, innerHeight } = window;
    if (x < EDGE * innerWidth) return { area: "left" };
    if (x > (1 - EDGE) * innerWidth) return { area: "right" };
    return y > (1 - EDGE) * innerHeight ? { area: "bottom" } : null;
  }

  /** Show where a panel would go. */
  private mark(target: Target | null): void {
    this.marker.hidden = target === null;
    if (!target) return;
    const { innerWidth, innerHeight } = window;
    let box = new DOMRect(14, 72, EDGE * innerWidth, innerHeight - 156);
    if ("beside" in target) {
      box = this.panel(target.beside).getBoundingClientRect();
      if (target.how !== "tab") box = new DOMRect(box.x, target.how === "before" ? box.top - 4 : box.bottom - 4, box.width, 8);
    } else if (target.area === "right") box.x = innerWidth - 14 - box.width;
    else if (target.area === "bottom") box = new DOMRect(0.25 * innerWidth, innerHeight - 84 - 160, 0.5 * innerWidth, 160);
    const { style } = this.marker;
    [style.left, style.top, style.width, style.height] = [box.x, box.y, box.width, box.height].map((size) => `${size}px`) as [string, string, string, string];
  }

  // ------------------------------------------------------------------ arranging

  /** Put all panels where they belong. */
  private arrange(): void {
    remember("layout", this.layout.text);
    const isNarrow = this.narrow.matches;
    for (const area of AREAS) {
      const stacks = isNarrow ? (area === "bottom" ? [[...PANELS]] : []) : this.layout.stacks(area);
      const side = document.querySelector<HTMLElement>(`.side.${area}`)!;
      const wanted = stacks.flat().map((name) => this.panel(name));
      const present = [...side.querySelectorAll<HTMLElement>(":scope > .dock")];
      // what stays is left alone: lists keep their place, frames their content
      if (wanted.some((panel, k) => panel !== present[k])) side.prepend(...wanted);
      stacks.forEach((stack) => this.showStack(stack));
    }
    for (const name of PANELS) {
      const isCollapsed = this.collapsed.has(name);
      this.panel(name).classList.toggle("collapsed", isCollapsed);
      const collapse = this.panel(name).querySelector(".collapse")!;
      collapse.setAttribute("aria-expanded", String(!isCollapsed));
      collapse.textContent = isCollapsed ? "▸" : "▾";
      this.button(name).setAttribute("aria-pressed", String(this.isShown(name)));
      this.fillMoves(name, this.panel(name).querySelector<HTMLSelectElement>("select.move")!);
    }
    this.listeners.forEach((listener) => listener());
  }

  /** Of panels that share a place one is seen; its head has the names of the others. */
  private showStack(stack: PanelName[]): void {
    const open = stack.filter((name) => this.isOpen(name));
    const front = this.recent.find((name) => open.includes(name));
    for (const name of stack) {
      const panel = this.panel(name);
      panel.classList.toggle("behind", this.isOpen(name) && name !== front);
      const head = panel.querySelector("header")!;
      head.querySelectorAll(".tab").forEach((tab) => tab.remove());
      if (name !== front) continue;
      const tabs = open.filter((other) => other !== name).map((other) => this.makeTab(other));
      head.querySelector("h2")!.after(...tabs);
      head.classList.toggle("tabbed", tabs.length > 0);
    }
  }

  private makeTab(name: PanelName): HTMLButtonElement {
    const tab = makeButton(this.title(name), () => {
      this.set(name, true);
      this.panel(name).querySelector<HTMLElement>("header button, header select")?.focus();
    });
    tab.classList.add("tab");
    tab.dataset.testid = `tab-${name}`;
    return tab;
  }
}
