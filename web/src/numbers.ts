import { Color, LinearSRGBColorSpace, Matrix4, Quaternion, SRGBColorSpace, Vector3 } from "three";
import type { Quaternion as WireQuaternion, Vector3 as WireVector3 } from "./protocol";

/** Three.js vector of a wire vector. */
export function vector(v: WireVector3): Vector3 {
  return new Vector3(v[0], v[1], v[2]);
}

/** Three.js quaternion (x, y, z, w) of a wire quaternion (w, x, y, z). */
export function quaternion(q: WireQuaternion): Quaternion {
  return new Quaternion(q[1], q[2], q[3], q[0]);
}

/** Transform of a wire pose, with scale factors along the child's axes. */
export function transform(position: WireVector3, rotation: WireQuaternion, scale: Vector3): Matrix4 {
  return new Matrix4().compose(vector(position), quaternion(rotation), scale);
}

function bytes(base64: string): ArrayBuffer {
  return Uint8Array.from(atob(base64), (char) => char.charCodeAt(0)).buffer;
}

/** Numbers of a base64 text of little-endian float32. */
export function float32(base64: string): Float32Array {
  return new Float32Array(bytes(base64));
}

/** Numbers of a base64 text of little-endian uint32. */
export function uint32(base64: string): Uint32Array {
  return new Uint32Array(bytes(base64));
}

/** Three.js colour of a wire colour, which is that of a screen (sRGB). */
export function color(rgb: WireVector3): Color {
  return new Color().setRGB(rgb[0], rgb[1], rgb[2], SRGBColorSpace);
}

/** Three.js colour of light that a surface gives off (linear RGB). */
export function glow(rgb: WireVector3): Color {
  return new Color().setRGB(rgb[0], rgb[1], rgb[2], LinearSRGBColorSpace);
}
