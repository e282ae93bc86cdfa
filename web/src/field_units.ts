import { Quaternion, Vector3 } from "three";
import { angleUnit, fromAngleUnit, inAngleUnit } from "./angles";
import type { ShownPose } from "./details";
import type { WireField } from "./protocol";

/** Figures of numbers that were converted: more than files have, fewer than rounding spoils. */
const FIGURES = 9;

/** Decimals of what is shown of the present: a tenth of a millimetre. */
const DECIMALS = 4;

/** What is nearer to its start than this has not moved [m]. */
const NEAR = 1e-4;

/** What has turned by less than a tenth of a degree has not turned: cosine of half the angle. */
const SAME_TURN = Math.cos(Math.PI / 3600);

/** Which numbers of a field are angles: all, the fourth of a rotation, or none. */
function isAngle(field: WireField, index: number): boolean {
  if (field.type === "SFRotation") return index === 3;
  return field.unit === "rad" || field.unit === "rad/s" || field.unit === "rad/s^2";
}

/** The unit of a field as users read it. */
export function shownUnit(field: WireField): string {
  return field.type === "SFRotation" || isAngle(field, 0) ? (field.unit || "rad").replace("rad", angleUnit()) : field.unit;
}

/** A value of the file in the units of the user. */
export function asShown(field: WireField): string {
  return converted(field, field.value, inAngleUnit);
}

/** What a user has typed, as it is written in the file; what are no numbers stays as it is. */
export function asWritten(field: WireField, text: string): string {
  return converted(field, text, fromAngleUnit);
}

function converted(field: WireField, text: string, convert: (angle: number) => number): string {
  const parts = text.trim().split(/[\s,]+/);
  const hasAngles = parts.some((_, k) => isAngle(field, k));
  if (angleUnit() === "rad" || !hasAngles || !parts.every((part) => part !== "" && Number.isFinite(Number(part)))) return text;
  return parts.map((part, k) => (isAngle(field, k) ? String(Number(convert(Number(part)).toPrecision(FIGURES))) : part)).join(" ");
}

/** Where a body is, as the field that tells where it starts would say it. */
export function poseText(name: string, { position, rotation }: ShownPose): string {
  const shown = (numbers: number[]): string => numbers.map((x) => String(Number(x.toFixed(DECIMALS)) || 0)).join(" ");
  if (name === "translation") return shown(position.toArray());
  const turn = rotation.w < 0 ? new Quaternion(-rotation.x, -rotation.y, -rotation.z, -rotation.w) : rotation;
  const sine = Math.hypot(turn.x, turn.y, turn.z);
  const angle = 2 * Math.atan2(sine, turn.w);
  return sine < 1e-9 ? "0 0 1 0" : shown([turn.x / sine, turn.y / sine, turn.z / sine, angle]);
}

/** Whether a body is where a field says that it starts. */
export function isSamePose(field: WireField, { position, rotation }: ShownPose): boolean {
  const numbers = field.value.trim().split(/[\s,]+/).map(Number);
  if (field.name === "translation") return new Vector3(...numbers.slice(0, 3)).distanceTo(position) < NEAR;
  const axis = new Vector3(...numbers.slice(0, 3));
  const start = axis.lengthSq() > 0 ? new Quaternion().setFromAxisAngle(axis.normalize(), numbers[3] ?? 0) : new Quaternion();
  return Math.abs(start.dot(rotation)) > SAME_TURN;
}
