import { recall, remember } from "./memory";

/** The unit in which users read and type angles; files and programs have radians. */
export type AngleUnit = "rad" | "°";

const STORE = "angles";
const listeners: (() => void)[] = [];
let unit: AngleUnit = recall(STORE) === "°" ? "°" : "rad";

export function angleUnit(): AngleUnit {
  return unit;
}

/** Radians or degrees from now on, on the next visit too. */
export function switchAngleUnit(): void {
  unit = unit === "rad" ? "°" : "rad";
  remember(STORE, unit);
  listeners.forEach((listener) => listener());
}

/** Call back whenever the unit changes. */
export function onAngleUnit(listener: () => void): void {
  listeners.push(listener);
}

/** An angle [rad] in the unit of the user. */
export function inAngleUnit(angle: number): number {
  return unit === "°" ? (angle * 180) / Math.PI : angle;
}

/** An angle in the unit of the user, in radians. */
export function fromAngleUnit(shown: number): number {
  return unit === "°" ? (shown * Math.PI) / 180 : shown;
}
