import { make, makeButton } from "./elements";
import { t } from "./language";

const STEPS: Record<string, [number, number]> = { ArrowLeft: [-20, 0], ArrowRight: [20, 0], ArrowUp: [0, -20], ArrowDown: [0, 20] };

/** A card that floats over the view; its head moves it. */
export class FloatingCard {
  readonly root: HTMLElement;
  private static highest = 5;
  private readonly title: HTMLElement;

  constructor(title: string, options: { className: string; label: string; at: [number, number]; remove: () => void }, ...content: Node[]) {
    this.title = make("span", { className: "name" }, title);
    const head = make("header", { title: t("Drag, or use the arrow keys, to move it") }, this.title, makeButton("×", options.remove, t("Close: {0}", options.label)));
    head.tabIndex = 0;
    this.root = make("section", { className: `card ${options.className}`, label: options.label }, head, ...content);
    this.moveTo(...options.at);
    this.letMove(head);
    this.root.onpointerdown = () => this.raise();
    document.body.append(this.root);
  }

  setTitle(text: string): void {
    this.title.textContent = text;
  }

  /** Show it over all other cards. */
  raise(): void {
    FloatingCard.highest += 1;
    this.root.style.setProperty("z-index", String(FloatingCard.highest));
  }

  private letMove(head: HTMLElement): void {
    head.onpointerdown = (start) => {
      if (start.target instanceof HTMLButtonElement) return;
      head.setPointerCapture(start.pointerId);
      this.root.classList.add("moving");
      const { offsetLeft, offsetTop } = this.root;
      head.onpointermove = (event) =>
        this.moveTo(offsetLeft + event.clientX - start.clientX, offsetTop + event.clientY - start.clientY);
    };
    head.onpointerup = head.onpointercancel = () => {
      head.onpointermove = null;
      this.root.classList.remove("moving");
    };
    head.onkeydown = (event) => {
      const by = STEPS[event.key];
      if (!by) return;
      event.preventDefault();
      event.stopPropagation();
      this.moveTo(this.root.offsetLeft + by[0], this.root.offsetTop + by[1]);
    };
  }

  private moveTo(x: number, y: number): void {
    this.root.style.setProperty("left", `${Math.min(Math.max(x, 0), window.innerWidth - 80)}px`);
    this.root.style.setProperty("top", `${Math.min(Math.max(y, 0), window.innerHeight - 60)}px`);
  }
}
