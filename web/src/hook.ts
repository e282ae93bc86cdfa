import type { ConnectionState } from "./connection";
import type { Live } from "./live";
import type { LookSeen } from "./livelook";
import { PlayState } from "./protocol";
import type { WireScene } from "./protocol";
import type { Cost, Stage } from "./stage";

/** What tests (and curious people at the console) may read; nothing here changes anything. */
export interface Hook {
  /** Simulated time of the newest frame [s]; NaN before the first. */
  readonly time: number;
  readonly stepCount: number;
  readonly connection: ConnectionState;
  readonly paused: boolean;
  /** Name of the body that the camera follows, or null. */
  readonly followed: string | null;
  /** Name of the body that is marked, or null. */
  readonly selected: string | null;
  /** Where one looks from, at what, and whether without perspective. */
  readonly view: { position: number[]; target: number[]; isFlat: boolean } | null;
  /** Name of the handle under the pointer, or null. */
  readonly handle: string | null;
  /** Contact points that are drawn. */
  readonly contacts: number;
  /** Sound: whether it is on, how many have begun, and how loud it is now. */
  readonly sound: { isOn: boolean; started: Record<string, number>; level: number };
  /** Whether the picture is finished: nothing moves in it, and it is drawn as finely as stills are. */
  readonly isAtRest: boolean;
  /** What the last picture cost. */
  readonly cost: Cost;
  /** Which lamps of the scene shine. */
  readonly lamps: boolean[];
  /** How many things an overlay draws. */
  overlay(kind: string): number;
  /** How the n-th shape of the scene looks if that may change, else null. */
  look(shape: number): LookSeen | null;
  /** Whether paint lies over the n-th shape of the scene. */
  isCoated(shape: number): boolean;
  /** Transform of the n-th shape of the scene as drawn, column by column, or null. */
  shape(shape: number): number[] | null;
  /** Numbers of the shapes that supervisors hide. */
  readonly hidden: number[];
  /** What controllers want to be told of their users. */
  readonly inputs: string[];
  /** World position of a body as drawn [m], or null. */
  position(name: string): [number, number, number] | null;
  /** Where the middle of a body is in the canvas [CSS pixels], or null. */
  screenPosition(name: string): [number, number] | null;
}

declare global {
  interface Window {
    solidbody?: Hook;
  }
}

/** Put the hook on the window. */
export function installHook(stage: Stage, connection: { readonly state: ConnectionState }, scene: () => WireScene | null, extras: { contacts(): number; handle(): string | null; overlay(kind: string): number; live: Live; inputs(): string[] }): void {
  const find = (name: string): number => scene()?.links.findIndex((link) => link.name === name) ?? -1;
  window.solidbody = Object.freeze<Hook>({
    get time() {
      return stage.frames.latest?.header.time ?? NaN;
    },
    get stepCount() {
      return stage.frames.latest?.header.step_count ?? NaN;
    },
    get connection() {
      return connection.state;
    },
    get paused() {
      return stage.frames.latest?.header.state !== PlayState.RUNNING;
    },
    get followed() {
      return stage.followed === null ? null : (scene()?.links[stage.followed]?.name ?? null);
    },
    get view() {
      return stage.parts?.view.kept ?? null;
    },
    get handle() {
      return extras.handle();
    },
    get contacts() {
      return extras.contacts();
    },
    get sound() {
      const { wanted, started, level } = extras.live.sounds;
      return { isOn: wanted, started, level };
    },
    get cost() {
      return stage.cost;
    },
    get lamps() {
      return stage.parts?.lights.shining ?? [];
    },
    overlay: (kind) => extras.overlay(kind),
    look: (shape) => stage.parts?.bodies.liveLook(shape) ?? null,
    isCoated: (shape) => stage.parts?.bodies.isCoated(shape) ?? false,
    shape: (shape) => stage.parts?.bodies.shapeMatrix(shape)?.toArray() ?? null,
    get hidden() {
      return stage.parts?.bodies.unseen ?? [];
    },
    get isAtRest() {
      return stage.isAtRest;
    },
    get inputs() {
      return extras.inputs();
    },
    get selected() {
      return stage.selected === null ? null : (scene()?.links[stage.selected]?.name ?? null);
    },
    position(name) {
      const link = find(name);
      return link < 0 ? null : (stage.position(link)?.toArray() ?? null);
    },
    screenPosition(name) {
      const link = find(name);
      return link < 0 ? null : (stage.screenPosition(link)?.toArray() ?? null);
    },
  });
}
