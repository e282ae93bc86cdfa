import type { Command } from "./protocol";
import type { Stage } from "./stage";

/** Tells controllers that want it where the mouse is in the picture and what is under it. */
export class MouseSender {
  /** Whether a controller listens. */
  isOn = false;
  private last: PointerEvent | null = null;
  private isWaiting = false;

  constructor(
    private readonly stage: Stage,
    private readonly canvas: HTMLCanvasElement,
    private readonly send: (command: Command) => void,
  ) {
    for (const name of ["pointermove", "pointerdown", "pointerup", "pointerleave"] as const) {
      canvas.addEventListener(name, (event) => this.note(event, name !== "pointermove"), true);
    }
  }

  /** At most one message per picture; presses are told at once. */
  private note(event: PointerEvent, isSudden: boolean): void {
    if (!this.isOn) return;
    this.last = event;
    if (isSudden) this.tell();
    else if (!this.isWaiting) {
      this.isWaiting = true;
      requestAnimationFrame(() => this.tell());
    }
  }

  private tell(): void {
    this.isWaiting = false;
    const event = this.last;
    this.last = null;
    if (!event || !this.isOn) return;
    const { clientWidth: width, clientHeight: height } = this.canvas;
    const ray = this.stage.ray(event.offsetX, event.offsetY);
    const hit = ray ? (this.stage.parts?.bodies.pick(ray) ?? null) : null;
    this.send({
      command: "mouse",
      u: event.offsetX / width,
      v: event.offsetY / height,
      hits: hit !== null,
      point: hit ? [hit.point.x, hit.point.y, hit.point.z] : [0, 0, 0],
      left: (event.buttons & 1) !== 0,
      middle: (event.buttons & 4) !== 0,
      right: (event.buttons & 2) !== 0,
    });
  }
}
