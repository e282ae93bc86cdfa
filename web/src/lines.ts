import { BufferGeometry, LineBasicMaterial, LineSegments } from "three";

/** Line segments that are seen through everything, without any yet. */
export function makeLines(color: number): LineSegments {
  const material = new LineBasicMaterial({ color, depthTest: false, transparent: true, toneMapped: false });
  const lines = new LineSegments(new BufferGeometry(), material);
  lines.frustumCulled = false;
  lines.renderOrder = 10;
  return lines;
}
