// GENERATED FILE, DO NOT EDIT: written by `python -m solidbody.view.protocol_ts`.

export const PROTOCOL_VERSION = 1;
export const FRAME_MAGIC = 826688083;
export const HEADER_BYTES = 56;
export const POSE_FLOATS = 7;
export const SCENE_PATH = "/api/scene";
export const STREAM_PATH = "/api/stream";

export type Vector3 = [number, number, number];
export type Quaternion = [number, number, number, number];
export type Float32Base64 = string;
export type Uint32Base64 = string;

/** What the player is doing. */
export const PlayState = { PAUSED: 0, RUNNING: 1, FAILED: 2, FINISHED: 3 } as const;

/** A box with full edge lengths [m]. */
export interface WireBox {
  kind: "box";
  size: Vector3;
}

/** A sphere [m]. */
export interface WireSphere {
  kind: "sphere";
  radius: number;
}

/** A cylinder along z [m]; the flags say which parts are drawn. */
export interface WireCylinder {
  kind: "cylinder";
  radius: number;
  height: number;
  top: boolean;
  side: boolean;
  bottom: boolean;
}

/** A capsule along z [m]; `height` is the cylindrical part. */
export interface WireCapsule {
  kind: "capsule";
  radius: number;
  height: number;
}

/** A cone along z, apex at +height/2 [m]. */
export interface WireCone {
  kind: "cone";
  radius: number;
  height: number;
  side: boolean;
  bottom: boolean;
}

/** A rectangle in z = 0 that faces +z [m]. */
export interface WirePlane {
  kind: "plane";
  width: number;
  depth: number;
}

/** Triangles: xyz per vertex, three indices per triangle, xyz per corner in `normals` or empty. */
export interface WireMesh {
  kind: "mesh";
  vertices: Float32Base64;
  triangles: Uint32Base64;
  normals: Float32Base64;
  two_sided: boolean;
}

/** Line segments: xyz of both ends, one pair after the other. */
export interface WireLines {
  kind: "lines";
  points: Float32Base64;
}

/** A cloud of points: xyz each; `colors` has rgb each or is empty. */
export interface WirePoints {
  kind: "points";
  points: Float32Base64;
  colors: Float32Base64;
}

/** How a surface looks; colours are linear RGB in 0..1. */
export interface WireMaterial {
  color: Vector3;
  emissive: Vector3;
  roughness: number;
  metalness: number;
  opacity: number;
}

/** A geometry on a link; `geometry` and `material` are indices into the scene's lists. */
export interface WireShape {
  link: number;
  geometry: number;
  material: number;
  position: Vector3;
  rotation: Quaternion;
  scale: Vector3;
  collision_only: boolean;
  casts_shadows: boolean;
  pickable: boolean;
}

/** A rigid body by name. */
export interface WireLink {
  name: string;
  path: string;
  position: Vector3;
  rotation: Quaternion;
  moving: boolean;
  dynamic: boolean;
}

/** Parallel light; `direction` is the way it travels. */
export interface WireLightDirectional {
  kind: "directional";
  direction: Vector3;
  color: Vector3;
  intensity: number;
  ambient: number;
  casts_shadows: boolean;
}

/** Light from a point, fixed to a link (its frame) or to the world (link null). */
export interface WireLightPoint {
  kind: "point";
  position: Vector3;
  link: number | null;
  color: Vector3;
  intensity: number;
  ambient: number;
  attenuation: Vector3;
  radius: number;
  casts_shadows: boolean;
}

/** Light in a cone, fixed to a link (its frame) or to the world; half angles [rad]. */
export interface WireLightSpot {
  kind: "spot";
  position: Vector3;
  direction: Vector3;
  link: number | null;
  color: Vector3;
  intensity: number;
  ambient: number;
  attenuation: Vector3;
  radius: number;
  beam_width: number;
  cut_off_angle: number;
  casts_shadows: boolean;
}

/** The sky colour and how much light it gives. */
export interface WireBackground {
  color: Vector3;
  luminosity: number;
}

/** Fog; `visibility_range` [m]. */
export interface WireFog {
  color: Vector3;
  kind: "linear" | "exponential" | "exponential2";
  visibility_range: number;
}

/** The first camera: looks along its +x axis, +z up; the angle spans the larger image side. */
export interface WireViewpoint {
  position: Vector3;
  rotation: Quaternion;
  field_of_view: number;
  near: number;
  exposure: number;
  follow: number | null;
}

/** Everything that is drawn. */
export interface WireScene {
  protocol: number;
  revision: string;
  name: string;
  title: string;
  up: Vector3;
  time_step: number;
  links: WireLink[];
  geometries: WireGeometry[];
  materials: WireMaterial[];
  shapes: WireShape[];
  lights: WireLight[];
  background: WireBackground | null;
  fog: WireFog | null;
  viewpoint: WireViewpoint;
}

export type WireGeometry =
  | WireBox
  | WireSphere
  | WireCylinder
  | WireCapsule
  | WireCone
  | WirePlane
  | WireMesh
  | WireLines
  | WirePoints;

export type WireLight =
  | WireLightDirectional
  | WireLightPoint
  | WireLightSpot;

/** Let time run. */
export interface CommandPlay {
  command: "play";
}

/** Hold time. */
export interface CommandPause {
  command: "pause";
}

/** Pause and advance by `count` steps. */
export interface CommandStep {
  command: "step";
  count: number;
}

/** Go back to the start; playing or pausing stays as it is. */
export interface CommandReset {
  command: "reset";
}

/** Run at `factor` times real time; null = as fast as possible. */
export interface CommandSpeed {
  command: "speed";
  factor: number | null;
}

/** The page shows the scene: a simulation that waits for its first viewer may start. */
export interface CommandReady {
  command: "ready";
}

/** First message of a connection. Another `revision` than the page's means: load the scene. */
export interface EventHello {
  event: "hello";
  protocol: number;
  revision: string;
}

/** The simulation stopped with an error; an empty text takes the message back (after a reset). */
export interface EventFailure {
  event: "failure";
  text: string;
}

/** A command was not understood and changed nothing. */
export interface EventRefused {
  event: "refused";
  text: string;
}

export type Command =
  | CommandPlay
  | CommandPause
  | CommandStep
  | CommandReset
  | CommandSpeed
  | CommandReady;

export type Event =
  | EventHello
  | EventFailure
  | EventRefused;

/** The fixed start of a frame; see the Python side for what each number means. */
export interface FrameHeader {
  magic: number;
  sequence: number;
  epoch: number;
  state: number;
  time: number;
  clock: number;
  real_time_factor: number;
  speed: number;
  step_count: number;
  not_converged: number;
  body_count: number;
  reserved: number;
}

/** Read the header of a frame that is at least HEADER_BYTES long. */
export function readFrameHeader(view: DataView): FrameHeader {
  return {
    magic: view.getUint32(0, true),
    sequence: view.getUint32(4, true),
    epoch: view.getUint32(8, true),
    state: view.getUint32(12, true),
    time: view.getFloat64(16, true),
    clock: view.getFloat64(24, true),
    real_time_factor: view.getFloat32(32, true),
    speed: view.getFloat32(36, true),
    step_count: view.getUint32(40, true),
    not_converged: view.getUint32(44, true),
    body_count: view.getUint32(48, true),
    reserved: view.getUint32(52, true),
  };
}
