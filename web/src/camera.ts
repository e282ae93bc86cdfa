import { Box3, PerspectiveCamera, Raycaster, Sphere, Vector3 } from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import type { Bodies } from "./bodies";
import { quaternion, vector } from "./numbers";
import type { WireScene } from "./protocol";

/** Half of what is seen of a scene without a viewpoint of its own, in radii of the ball around it. */
const HOME_MARGIN = 1.1;

/** How quickly the camera catches up with what it follows [1/s]. */
const FOLLOW_RATE = 8;

/** Field of view that is as good as none [degrees]: things at the back are less than 1 % smaller. */
const FLAT_VIEW = 0.5;

/** Room around what is shown in full. */
const FRAME_MARGIN = 1.6;

/** Where one looks from, seen from the body or the scene; x is ahead, as robots look. */
export const SIDES = ["front", "back", "left", "right", "top", "bottom"] as const;
export type Side = (typeof SIDES)[number];

/** Direction from the middle to each side, in a world with this way up. */
export function sideWays(up: Vector3): Record<Side, Vector3> {
  const ahead = Math.abs(up.x) < 0.9 ? new Vector3(1, 0, 0) : new Vector3(0, 0, 1);
  const left = new Vector3().crossVectors(up, ahead);
  return { front: ahead, back: ahead.clone().negate(), left, right: left.clone().negate(), top: up.clone(), bottom: up.clone().negate() };
}

/** What is kept of a view from one visit to the next. */
export interface KeptView {
  position: number[];
  target: number[];
  isFlat: boolean;
}

/** The camera of the page: orbits a point, starts where the scene says, can follow a body. */
export class OrbitCamera {
  readonly camera = new PerspectiveCamera(45, 1, 0.05, 1000);
  readonly controls: OrbitControls;
  /** Index of the link that is followed, or null. */
  followed: number | null = null;
  /** Whether things look as large from afar as nearby. */
  isFlat = false;
  private readonly size = { width: 1, height: 1 };
  /** Parts of the picture that panels cover, at the left and at the right [CSS pixels]. */
  private covered = { left: 0, right: 0 };
  private near = 0.05;
  private far = 1000;
  private fieldOfView = 0.785398;
  private readonly home = { position: new Vector3(1, 0, 0), target: new Vector3() };
  private readonly anchor = new Vector3();

  constructor(canvas: HTMLCanvasElement, scene: WireScene, bodies: Bodies) {
    this.camera.up.copy(vector(scene.up));
    this.findHome(canvas, scene, bodies);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.enableDamping = true;
    this.controls.dampingFactor = 0.12;
    this.controls.zoomToCursor = true;
    this.controls.maxPolarAngle = Math.PI * 0.995;
    this.goHome();
  }

  /** Back to where the scene says one should look from. */
  goHome(): void {
    this.setFlat(false);
    this.camera.position.copy(this.home.position);
    this.controls.target.copy(this.home.target);
    this.controls.update();
  }

  /** How far what is looked at would be with perspective [m]. */
  get distance(): number {
    return this.camera.position.distanceTo(this.controls.target) / (this.isFlat ? this.flatFactor : 1);
  }

  /** How much farther the camera is without perspective. */
  private get flatFactor(): number {
    return Math.tan(this.verticalView / 2) / Math.tan((FLAT_VIEW * Math.PI) / 360);
  }

  /** Look without perspective (from very far, through a very long lens), or with it again. */
  setFlat(isFlat: boolean): void {
    if (isFlat === this.isFlat) return;
    const offset = this.camera.position.clone().sub(this.controls.target);
    offset.multiplyScalar(isFlat ? this.flatFactor : 1 / this.flatFactor);
    this.isFlat = isFlat;
    this.camera.position.copy(this.controls.target).add(offset);
    this.fit();
    this.controls.update();
  }

  /** Show a ball in full, from the side that one looks from. */
  frame(center: Vector3, radius: number): void {
    const offset = this.camera.position.clone().sub(this.controls.target).normalize();
    const free = (this.size.width - this.covered.left - this.covered.right) / Math.max(this.size.height, 1);
    const half = Math.min(this.verticalView, 2 * Math.atan(free * Math.tan(this.verticalView / 2))) / 2;
    const distance = (FRAME_MARGIN * Math.max(radius, 0.01)) / Math.sin(half);
    this.look(offset.multiplyScalar(distance * (this.isFlat ? this.flatFactor : 1)).add(center), center);
    this.anchor.copy(center);
  }

  /** Look at the same point from a side of the world, from as far as now. */
  lookFrom(side: Side): void {
    const ways = sideWays(this.camera.up);
    const way = ways[side];
    // from straight above, what is ahead points up in the picture
    if (side === "top" || side === "bottom") way.addScaledVector(ways.front, -1e-4).normalize();
    const distance = this.camera.position.distanceTo(this.controls.target);
    this.look(this.controls.target.clone().addScaledVector(way, distance), this.controls.target.clone());
  }

  /** What is to be kept of the view. */
  get kept(): KeptView {
    return { position: this.camera.position.toArray(), target: this.controls.target.toArray(), isFlat: this.isFlat };
  }

  /** Look as was kept; what is no view changes nothing. */
  restore(kept: Partial<KeptView>): void {
    const numbers = [...(kept.position ?? []), ...(kept.target ?? [])];
    if (numbers.length !== 6 || !numbers.every(Number.isFinite)) return;
    this.isFlat = kept.isFlat === true;
    this.fit();
    this.look(new Vector3(...numbers.slice(0, 3)), new Vector3(...numbers.slice(3)));
  }

  /** Look from somewhere at something. */
  look(position: Vector3, target: Vector3): void {
    this.camera.position.copy(position);
    this.controls.target.copy(target);
    this.controls.update();
  }

  /** Turn about what is looked at, to the side and up [rad], and go nearer or farther by a factor. */
  turn(aside: number, up: number, farther: number): void {
    const offset = this.camera.position.clone().sub(this.controls.target);
    const vertical = this.camera.up;
    const side = new Vector3().crossVectors(vertical, offset).normalize();
    const height = offset.angleTo(vertical);
    // not quite to the top or the bottom, where left and right would change places
    const tilt = Math.min(Math.max(height - up, 0.05), Math.PI - 0.05) - height;
    offset.applyAxisAngle(side, tilt).applyAxisAngle(vertical, aside).multiplyScalar(farther);
    this.camera.position.copy(this.controls.target).add(offset);
    this.controls.update();
  }

  /** Fit the picture into a canvas of this shape; the field of view spans the larger side. */
  resize(width: number, height: number): void {
    Object.assign(this.size, { width, height });
    this.camera.aspect = width / Math.max(1, height);
    this.fit();
  }

  /** Keep the middle of what is seen in the middle of what panels leave of the picture. */
  cover(left: number, right: number): void {
    this.covered = { left, right };
    this.fit();
  }

  /** How far that middle is to the right of the picture's [CSS pixels]. */
  get shift(): number {
    return (this.covered.left - this.covered.right) / 2;
  }

  /** Angle from the lower to the upper edge of the picture, with perspective. */
  private get verticalView(): number {
    const half = Math.tan(this.fieldOfView / 2);
    return 2 * Math.atan(half / Math.max(this.camera.aspect, 1));
  }

  private fit(): void {
    const { camera } = this;
    const distance = camera.position.distanceTo(this.controls.target);
    camera.fov = this.isFlat ? FLAT_VIEW : (180 / Math.PI) * this.verticalView;
    camera.near = this.isFlat ? Math.max(distance - this.far, 0.01 * distance) : this.near;
    camera.far = this.isFlat ? distance + this.far : this.far;
    const { width, height } = this.size;
    if (this.shift) camera.setViewOffset(width, height, -this.shift, 0, width, height);
    else camera.clearViewOffset();
    camera.updateProjectionMatrix();
  }

  /** Go along with a link, or with none. */
  follow(link: number | null, bodies: Bodies): void {
    this.followed = link;
    if (link === null) return;
    const center = bodies.extent(link).getCenter(new Vector3()).applyMatrix4(bodies.matrix(link));
    this.anchor.copy(center);
    // look at it from the side the user chose, not from farther than makes sense
    const offset = this.camera.position.clone().sub(this.controls.target);
    this.controls.target.copy(center);
    this.camera.position.copy(center).add(offset);
  }

  /** Advance by `seconds`; returns whether the picture changed. */
  update(seconds: number, bodies: Bodies): boolean {
    let moved = false;
    if (this.followed !== null) {
      center.copy(bodies.extent(this.followed).getCenter(center));
      center.applyMatrix4(bodies.matrix(this.followed));
      step.copy(center).sub(this.anchor).multiplyScalar(1 - Math.exp(-FOLLOW_RATE * seconds));
      this.anchor.add(step);
      this.controls.target.add(step);
      this.camera.position.add(step);
      moved = step.lengthSq() > 1e-12;
    }
    const isTurned = this.controls.update(seconds);
    if (isTurned && this.isFlat) this.fit();
    return isTurned || moved;
  }

  dispose(): void {
    this.controls.dispose();
  }

  private findHome(canvas: HTMLCanvasElement, scene: WireScene, bodies: Bodies): void {
    const { viewpoint } = scene;
    this.fieldOfView = Math.min(Math.max(viewpoint.field_of_view, 0.05), 2.8);
    const bounds = bodies.bounds();
    const ball = bounds.isEmpty()
      ? new Sphere(new Vector3(), 1)
      : bounds.getBoundingSphere(new Sphere());
    this.near = Math.max(viewpoint.near, ball.radius / 1000, 0.005);
    const forward = new Vector3(1, 0, 0).applyQuaternion(quaternion(viewpoint.rotation));
    const position = vector(viewpoint.position);
    if (isUnset(scene)) {
      const side = Math.abs(forward.dot(this.camera.up)) > 0.9 ? new Vector3(0, 1, 0) : forward;
      const away = side.clone().multiplyScalar(-1).addScaledVector(this.camera.up, 0.55).normalize();
      this.home.target.copy(ball.center);
      // the field of view spans the larger side: all must fit into the smaller one, between the bars
      const { clientWidth, clientHeight } = canvas;
      const smaller = Math.min(clientWidth, clientHeight) / Math.max(clientWidth, clientHeight, 1) || 1;
      const distance = (HOME_MARGIN * ball.radius) / (smaller * Math.tan(this.fieldOfView / 2));
      this.home.position.copy(ball.center).addScaledVector(away, Math.max(distance, 0.3));
    } else {
      this.home.position.copy(position);
      this.home.target.copy(position).addScaledVector(forward, lookDistance(position, forward, bounds, ball, bodies));
    }
    const reach = this.home.position.distanceTo(ball.center) + ball.radius;
    this.far = Math.max(200, 20 * reach);
    Object.assign(this.camera, { near: this.near, far: this.far });
  }
}

const center = new Vector3();
const step = new Vector3();

/** A viewpoint at the origin that looks along x is what a scene without one has. */
function isUnset({ viewpoint }: WireScene): boolean {
  return viewpoint.position.every((x) => x === 0) && viewpoint.rotation[0] === 1;
}

/** Distance to what the viewpoint looks at: the first thing hit, else the middle of the scene. */
function lookDistance(
  position: Vector3,
  forward: Vector3,
  bounds: Box3,
  ball: Sphere,
  bodies: Bodies,
): number {
  bodies.group.updateMatrixWorld(true);
  const hit = bodies.pick(new Raycaster(position, forward));
  const middle = ball.center.clone().sub(position).dot(forward);
  const farthest = Math.max(bounds.isEmpty() ? 0 : 3 * ball.radius, 1) + Math.abs(middle);
  const distance = hit ? hit.point.distanceTo(position) : middle;
  return Math.min(Math.max(distance, 0.1), farthest);
}
