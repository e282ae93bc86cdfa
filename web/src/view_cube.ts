import { Matrix4, Vector3 } from "three";
import { SIDES, sideWays } from "./camera";
import type { Side } from "./camera";
import { element, make } from "./elements";
import { t } from "./language";
import type { Stage } from "./stage";

/** What the cube calls its faces. */
const NAMES: Record<Side, string> = { front: "Front", back: "Back", left: "Left", right: "Right", top: "Top", bottom: "Bottom" };

/** Half of an edge [CSS pixels], as in the style sheet. */
const HALF = 26;

/** How far the view turns per pixel of a drag over the cube [rad]. */
const TURN = 0.012;

/** A drag that moves less than this is a click on a face [CSS pixels]. */
const CLICK_SLACK = 4;

/** What the cube asks of the page. */
export interface ViewCubeActions {
  lookFrom(side: Side): void;
  turn(aside: number, up: number): void;
}

/** A small cube that shows how one looks at the scene: a click on a face looks from there, a drag turns the view. */
export class ViewCube {
  private readonly faces = new Map<Side, HTMLElement>();
  private drawn = "";

  constructor(
    private readonly stage: Stage,
    private readonly actions: ViewCubeActions,
  ) {
    const root = element("view-cube", HTMLElement);
    SIDES.forEach((side, k) => {
      // the number keys do the same for those without a mouse
      const face = make("span", { className: "face", testId: `cube-${side}`, title: `${t(NAMES[side])} (${k + 1})` }, t(NAMES[side]));
      this.faces.set(side, face);
      root.append(face);
    });
    root.onpointerdown = (press) => this.press(root, press);
    stage.onPicture(() => this.draw());
  }

  private press(root: HTMLElement, press: PointerEvent): void {
    if (press.button !== 0) return;
    press.preventDefault();
    root.setPointerCapture(press.pointerId);
    const side = SIDES.find((name) => this.faces.get(name) === press.target);
    let [x, y, way] = [press.clientX, press.clientY, 0];
    root.onpointermove = (move) => {
      way += Math.hypot(move.clientX - x, move.clientY - y);
      if (way > CLICK_SLACK) this.actions.turn(-(move.clientX - x) * TURN, (move.clientY - y) * TURN);
      [x, y] = [move.clientX, move.clientY];
    };
    root.onpointerup = root.onpointercancel = (end) => {
      root.onpointermove = root.onpointerup = root.onpointercancel = null;
      if (end.type === "pointerup" && way <= CLICK_SLACK && side) this.actions.lookFrom(side);
    };
  }

  /** Turn the faces as the camera sees the axes of the world. */
  private draw(): void {
    const camera = this.stage.parts?.view.camera;
    if (!camera) return;
    const eye = new Matrix4().extractRotation(camera.matrixWorld).transpose();
    const key = eye.elements.map((x) => x.toFixed(3)).join();
    if (key === this.drawn) return;
    this.drawn = key;
    const ways = sideWays(camera.up);
    for (const side of SIDES) {
      const normal = ways[side];
      const isFlat = side === "top" || side === "bottom";
      // as one reads it from that side: upright, and from above with what is ahead at the top
      const down = isFlat ? ways[side === "top" ? "back" : "front"] : ways.bottom;
      const right = new Vector3().crossVectors(normal, down);
      const axes = [right, down, normal, normal.clone().multiplyScalar(HALF)].map((axis) => axis.clone().applyMatrix4(eye));
      // style sheets count y downwards
      const columns = axes.map(({ x, y, z }, k) => [x, -y, z, k === 3 ? 1 : 0].map((value) => value.toFixed(4)));
      this.faces.get(side)!.style.transform = `matrix3d(${columns.flat().join()})`;
    }
  }
}
