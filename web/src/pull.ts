import { BufferGeometry, Line, LineBasicMaterial, Matrix4, Plane, Vector3 } from "three";
import { element } from "./elements";
import { PlayState } from "./protocol";
import type { Command } from "./protocol";
import type { Stage } from "./stage";

/**
 * Alt and drag, or a drag while the hand is pressed in: pulls a body to the mouse (left button) or turns it (right button).
 *
 * The drawn line ends at the mouse: a pull begins where the body was gripped, a turn at its centre of mass, and goes
 * about the line.
 */
export class Puller {
  private readonly line = new Line(
    new BufferGeometry().setFromPoints([new Vector3(), new Vector3()]),
    new LineBasicMaterial({ color: 0xff7a1a, toneMapped: false }),
  );
  private grip: { link: number; local: Vector3; plane: Plane; turns: boolean; reaches: boolean; holds: boolean } | null = null;
  private readonly target = new Vector3();
  private readonly told = new Vector3(NaN, NaN, NaN);
  private readonly hand = element("hand", HTMLButtonElement);

  constructor(
    private readonly stage: Stage,
    private readonly canvas: HTMLCanvasElement,
    private readonly send: (command: Command) => void,
    /** Centre of mass of a link that forces move, in its frame; null = it cannot be pulled. */
    private readonly centre: (link: number) => [number, number, number] | null,
    /** Whether a link hangs on joints. */
    private readonly isJointed: (link: number) => boolean,
  ) {
    this.line.frustumCulled = false;
    canvas.addEventListener("pointerdown", (event) => this.grab(event), true);
    canvas.addEventListener("pointermove", (event) => this.move(event), true);
    for (const name of ["pointerup", "pointercancel", "lostpointercapture"] as const) {
      canvas.addEventListener(name, () => this.release());
    }
    stage.onPicture(() => this.tell());
    this.hand.onclick = () => this.hand.setAttribute("aria-pressed", String(!this.isHand));
  }

  /** Whether drags pull without a key, as fingers have none. */
  private get isHand(): boolean {
    return this.hand.getAttribute("aria-pressed") === "true";
  }

  private grab(event: PointerEvent): void {
    const { parts } = this.stage;
    if (!(event.altKey || (this.isHand && event.isPrimary)) || !parts) return;
    const ray = this.stage.ray(event.offsetX, event.offsetY);
    const hit = ray && parts.bodies.pick(ray);
    // while time stands still joints follow the mouse
    const reaches = this.stage.frames.latest?.header.state !== PlayState.RUNNING && event.button === 0 && hit !== null && this.isJointed(hit.link);
    const centre = hit && (reaches ? ([0, 0, 0] as [number, number, number]) : this.centre(hit.link));
    // beside things the hand turns the view, as without it
    if (event.altKey || centre) event.stopImmediatePropagation();
    if (!hit || !centre) return;
    this.canvas.setPointerCapture(event.pointerId);
    const pose = parts.bodies.matrix(hit.link);
    const turns = event.button === 2;
    const local = turns ? new Vector3(...centre) : hit.point.clone().applyMatrix4(new Matrix4().copy(pose).invert());
    const start = local.clone().applyMatrix4(pose);
    const normal = parts.view.camera.getWorldDirection(new Vector3());
    this.grip = { link: hit.link, local, plane: new Plane().setFromNormalAndCoplanarPoint(normal, start), turns, reaches, holds: event.shiftKey };
    this.target.copy(start);
    parts.scene.add(this.line);
  }

  private move(event: PointerEvent): void {
    if (!this.grip) return;
    event.stopImmediatePropagation();
    this.stage.ray(event.offsetX, event.offsetY)?.ray.intersectPlane(this.grip.plane, this.target);
    this.tell();
    this.stage.redraw();
  }

  private release(): void {
    if (!this.grip) return;
    this.tell(false);
    this.grip = null;
    this.line.removeFromParent();
    this.stage.redraw();
  }

  /** Tell the server what is held and where the mouse is; the simulation finds the force of every step. */
  private tell(isHeld = true): void {
    const { parts } = this.stage;
    if (!this.grip || !parts) return;
    const { link, local, turns, reaches, holds } = this.grip;
    at.copy(local).applyMatrix4(parts.bodies.matrix(link));
    this.line.geometry.setFromPoints([at, this.target]);
    if (reaches) {
      // once for each movement of the mouse: a solution moves the picture, which is no reason for another one
      if (isHeld && this.told.equals(this.target)) return;
      this.told.copy(isHeld ? this.target : nowhere);
      this.send({ command: "reach", link, grip: local.toArray(), target: this.target.toArray(), holds, is_held: isHeld });
      return;
    }
    this.send({ command: "pull", link, grip: local.toArray(), target: this.target.toArray(), turns, is_held: isHeld });
  }
}

const at = new Vector3();
const nowhere = new Vector3(NaN, NaN, NaN);
