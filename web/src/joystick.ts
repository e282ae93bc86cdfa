import type { Command } from "./protocol";

/** How often the joystick is looked at [ms]: browsers have no events for its axes. */
const PERIOD = 33;

/** Directions of a hat as controllers of Webots know them (flags): up, right, down, left. */
const HAT = [0x1, 0x100, 0x10, 0x1000];
/** Where a standard gamepad has its hat among its buttons: up, right, down, left. */
const HAT_BUTTONS = [12, 15, 13, 14];

/** Tells controllers that want it how the first joystick or gamepad of this machine stands. */
export class JoystickSender {
  private timer = 0;
  private told = "";

  constructor(private readonly send: (command: Command) => void) {}

  /** Look at the joystick from now on, or no more. */
  set(isOn: boolean): void {
    if (isOn === (this.timer !== 0)) return;
    window.clearInterval(this.timer);
    this.timer = isOn ? window.setInterval(() => this.look(), PERIOD) : 0;
    this.told = "";
  }

  private look(): void {
    const pad = navigator.getGamepads().find((item) => item?.connected);
    if (!pad) return;
    const isStandard = pad.mapping === "standard";
    const isHat = (button: number): boolean => isStandard && HAT_BUTTONS.includes(button);
    const buttons = pad.buttons.flatMap((button, k) => (button.pressed && !isHat(k) ? [k] : []));
    const hat = HAT_BUTTONS.reduce((sum, button, k) => sum + (pad.buttons[button]?.pressed ? HAT[k]! : 0), 0);
    const command: Command = { command: "joystick", model: pad.id, axes: [...pad.axes], povs: isStandard ? [hat] : [], buttons };
    const text = JSON.stringify(command);
    if (text === this.told) return;
    this.told = text;
    this.send(command);
  }
}
