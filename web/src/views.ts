import { BufferAttribute, BufferGeometry, Group, LineBasicMaterial, LineSegments, Points, PointsMaterial, Vector3 } from "three";
import { makeLines } from "./lines";
import type { WireView } from "./protocol";

/** Lines around a wide view: angles between two of them [rad]. */
const ARC_STEP = 0.2;

const COLORS = { camera: 0xff4fd8, range: 0x35c8ff, lidar: 0x35c8ff };

/** Colours of rays: of those that end at something, and of those that do not. */
const HIT = [1, 0.16, 0.16];
const MISS = [0.2, 0.85, 0.3];

/** The space that a camera, a range finder or a lidar looks into: its corners, and its far end. */
export function makeFrustum(view: WireView, reach: number): LineSegments {
  const far = Math.min(view.far, Math.max(reach, 2 * view.near));
  const near = Math.min(view.near, far);
  const at = (yaw: number, pitch: number, distance: number): Vector3 => place(view, yaw, pitch).multiplyScalar(distance);
  const points: Vector3[] = [];
  for (const pitch of [view.low, view.high]) {
    for (const yaw of [view.right, view.left]) points.push(at(yaw, pitch, near), at(yaw, pitch, far));
    const count = view.flat ? 1 : Math.max(1, Math.ceil((view.left - view.right) / ARC_STEP));
    for (let k = 0; k < count; k++) {
      const from = view.right + ((view.left - view.right) * k) / count;
      const to = view.right + ((view.left - view.right) * (k + 1)) / count;
      points.push(at(from, pitch, far), at(to, pitch, far));
    }
  }
  for (const yaw of [view.right, view.left]) points.push(at(yaw, view.low, far), at(yaw, view.high, far));
  const lines = makeLines(COLORS[view.kind]);
  lines.geometry.setFromPoints(points);
  return lines;
}

/** Direction of a ray; of a flat picture, scaled so that all end on the plane one metre ahead. */
function place(view: WireView, yaw: number, pitch: number): Vector3 {
  if (view.flat) return new Vector3(1, Math.tan(yaw), Math.tan(pitch));
  return new Vector3(Math.cos(pitch) * Math.cos(yaw), Math.cos(pitch) * Math.sin(yaw), Math.sin(pitch));
}

/** Rays of distance sensors and points of lidars, in the world. */
export class SensorDrawings {
  readonly group = new Group();
  rayCount = 0;
  pointCount = 0;
  private readonly rays: LineSegments;
  private readonly points: Points;

  constructor() {
    const ray = new LineBasicMaterial({ vertexColors: true, transparent: true, opacity: 0.85, toneMapped: false });
    this.rays = new LineSegments(new BufferGeometry(), ray);
    const point = new PointsMaterial({ color: 0x00d5ff, size: 3, sizeAttenuation: false, toneMapped: false });
    this.points = new Points(new BufferGeometry(), point);
    for (const object of [this.rays, this.points]) {
      object.frustumCulled = false;
      object.renderOrder = 9;
      this.group.add(object);
    }
  }

  show(rays: boolean, points: boolean): void {
    this.rays.visible = rays && this.rayCount > 0;
    this.points.visible = points && this.pointCount > 0;
  }

  drawRays(numbers: Float32Array): void {
    this.rayCount = numbers.length / 7;
    const ends = new Float32Array(6 * this.rayCount);
    const colors = new Float32Array(6 * this.rayCount);
    for (let k = 0; k < this.rayCount; k++) {
      ends.set(numbers.subarray(7 * k, 7 * k + 6), 6 * k);
      const color = numbers[7 * k + 6]! > 0 ? HIT : MISS;
      colors.set([...color, ...color], 6 * k);
    }
    replace(this.rays.geometry, "position", ends);
    replace(this.rays.geometry, "color", colors);
  }

  drawPoints(numbers: Float32Array): void {
    this.pointCount = numbers.length / 3;
    replace(this.points.geometry, "position", numbers);
  }
}

/** Give a buffer other numbers, three per point; buffers on the graphics card keep their size. */
function replace(buffer: BufferGeometry, name: string, numbers: Float32Array): void {
  const old = buffer.getAttribute(name);
  if (old && old.array.length === numbers.length) {
    old.array.set(numbers);
    old.needsUpdate = true;
    return;
  }
  if (old) buffer.dispose();
  buffer.setAttribute(name, new BufferAttribute(numbers, 3));
}
