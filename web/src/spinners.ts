import { make } from "./elements";
import type { WireField } from "./protocol";
import { t } from "./language";

/** What one pixel changes: a number of the size of 1; the shift key makes it ten times as fine. */
const STEP = 0.01;
const FINE = 0.1;

/** Numbers of a type that can be dragged, and what they are called. */
const PARTS: Record<string, string[]> = {
  SFFloat: ["↔"],
  SFInt32: ["↔"],
  SFVec2f: ["x", "y"],
  SFVec3f: ["x", "y", "z"],
  SFRotation: ["", "", "", "∠"],
};

/** Digits behind the point of what is dragged. */
const DIGITS = 4;

/** What helps to set a field beside typing: handles to drag its numbers, a choice of its colour; null = nothing. */
export function fieldHelper(field: WireField, input: HTMLInputElement, set: (value: string) => void): HTMLElement | null {
  if (field.type === "SFColor") return colorHelper(field, input, set);
  const parts = PARTS[field.type];
  if (!parts) return null;
  const helper = make("span", { className: "spinners" });
  parts.forEach((name, k) => {
    if (name) helper.append(makeHandle(name, k, field, input, set));
  });
  return helper;
}

function makeHandle(name: string, index: number, field: WireField, input: HTMLInputElement, set: (value: string) => void): HTMLElement {
  const what = name.length === 1 && name >= "a" ? `${field.name} ${name}` : field.name;
  const handle = make("span", { className: "spinner", testId: `spin-${field.name}-${index}`, title: t("Drag to change {0} (Shift: finely)", what) }, name);
  handle.setAttribute("aria-hidden", "true"); // with the keyboard one types
  handle.onpointerdown = (press) => {
    if (press.button !== 0) return;
    press.preventDefault();
    handle.setPointerCapture(press.pointerId);
    const before = input.value;
    const numbers = before.trim().split(/[\s,]+/).map(Number);
    const start = numbers[index];
    if (start === undefined || !numbers.every(Number.isFinite)) return;
    let value = start;
    let at = press.clientX;
    handle.onpointermove = (move) => {
      const way = move.clientX - at;
      at = move.clientX;
      value += way * STEP * Math.max(1, Math.abs(start)) * (move.shiftKey ? FINE : 1);
      const shown = field.type === "SFInt32" ? Math.round(value) : Number(value.toFixed(DIGITS));
      input.value = numbers.map((number, k) => (k === index ? shown : number)).join(" ");
    };
    handle.onpointerup = handle.onpointercancel = () => {
      handle.onpointermove = handle.onpointerup = handle.onpointercancel = null;
      if (input.value !== before) set(input.value);
    };
  };
  return handle;
}

function colorHelper(field: WireField, input: HTMLInputElement, set: (value: string) => void): HTMLElement {
  const picker = make("input", { className: "color", testId: `color-${field.name}`, label: t("Choose {0}", field.name), title: t("Choose the colour") });
  picker.type = "color";
  picker.value = hexOf(input.value);
  picker.onchange = () => {
    const parts = [1, 3, 5].map((at) => Number((parseInt(picker.value.slice(at, at + 2), 16) / 255).toFixed(3)));
    set(parts.join(" "));
  };
  return picker;
}

/** Colours of files are as screens show them, from 0 to 1. */
function hexOf(text: string): string {
  const parts = text.trim().split(/[\s,]+/).map(Number);
  const bytes = [0, 1, 2].map((k) => Math.round(255 * Math.min(Math.max(parts[k] || 0, 0), 1)));
  return `#${bytes.map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}
