import { Object3D, Quaternion, Vector3 } from "three";
import { TransformControls } from "three/addons/controls/TransformControls.js";
import type { Command, WireHandle } from "./protocol";
import type { Stage } from "./stage";

/** Arrows and rings by which a selected body is moved and turned, in the steps that its file wants. */
export class Gizmo {
  private readonly proxy = new Object3D();
  private controls: TransformControls | null = null;
  private handle: WireHandle | null = null;
  private readonly start = { position: new Vector3(), rotation: new Quaternion() };
  private isDragging = false;
  private mode: "translate" | "rotate" = "translate";

  constructor(
    private readonly stage: Stage,
    private readonly canvas: HTMLCanvasElement,
    private readonly send: (command: Command) => void,
  ) {
    stage.onPicture(() => this.followBody());
  }

  /** Put the handles on a link, or take them away (null, or a locked one). */
  attach(handle: WireHandle | null): void {
    this.detach();
    const { parts } = this.stage;
    if (!handle || handle.locked || !parts) return;
    this.handle = handle;
    const controls = new TransformControls(parts.view.camera, this.canvas);
    controls.setMode(this.mode);
    controls.setSize(0.8);
    controls.setRotationSnap(handle.rotation_step > 0 ? handle.rotation_step : null);
    controls.addEventListener("dragging-changed", (event) => this.onDragging(Boolean(event.value)));
    controls.addEventListener("objectChange", () => this.onMove());
    controls.addEventListener("change", () => this.stage.redraw());
    parts.scene.add(this.proxy, controls.getHelper());
    this.controls = controls;
    this.followBody();
    controls.attach(this.proxy);
    this.stage.redraw();
  }

  /** Arrows or rings. */
  switchMode(): void {
    this.mode = this.mode === "translate" ? "rotate" : "translate";
    this.controls?.setMode(this.mode);
    this.stage.redraw();
  }

  /** Whether the pointer is on a handle, so that a click does not select what is behind it. */
  get isBusy(): boolean {
    return this.isDragging || this.hovered !== null;
  }

  /** Name of the handle under the pointer, or null. */
  get hovered(): string | null {
    return this.controls?.axis ?? null;
  }

  private detach(): void {
    if (!this.controls) return;
    this.controls.detach();
    this.controls.getHelper().removeFromParent();
    this.proxy.removeFromParent();
    this.controls.dispose();
    this.controls = null;
    this.handle = null;
    this.isDragging = false;
    this.stage.redraw();
  }

  private followBody(): void {
    const { parts } = this.stage;
    if (!this.handle || !parts || this.isDragging) return;
    parts.bodies.matrix(this.handle.link).decompose(this.proxy.position, this.proxy.quaternion, scale);
  }

  private onDragging(isDragging: boolean): void {
    const { parts } = this.stage;
    if (parts) parts.view.controls.enabled = !isDragging;
    if (isDragging) {
      this.start.position.copy(this.proxy.position);
      this.start.rotation.copy(this.proxy.quaternion);
    } else if (this.isDragging) this.tell(true);
    this.isDragging = isDragging;
  }

  /** Round the way from the start of the drag to whole steps. */
  private onMove(): void {
    if (!this.isDragging || !this.handle) return;
    const step = this.handle.translation_step;
    if (this.mode === "translate" && step > 0) {
      way.copy(this.proxy.position).sub(this.start.position);
      way.divideScalar(step).round().multiplyScalar(step);
      this.proxy.position.copy(this.start.position).add(way);
    }
    this.tell(false);
  }

  private tell(isLast: boolean): void {
    if (!this.handle) return;
    const { position: p, quaternion: q } = this.proxy;
    this.send({ command: "pose", link: this.handle.link, position: [p.x, p.y, p.z], rotation: [q.w, q.x, q.y, q.z], is_last: isLast });
    this.stage.place(this.handle.link, this.proxy.position, this.proxy.quaternion);
  }
}

const way = new Vector3();
const scale = new Vector3();
