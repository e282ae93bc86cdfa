// GENERATED FILE, DO NOT EDIT: written by `python -m solidbody.viewer.protocol_ts`.

export const PROTOCOL_VERSION = 2;
export const FRAME_MAGIC = 826688083;
export const HEADER_BYTES = 60;
export const POSE_FLOATS = 7;
export const SCENE_PATH = "/api/scene";
export const OUTLINE_PATH = "/api/outline";
export const STREAM_PATH = "/api/stream";
export const SOUNDS_PATH = "/api/sounds";
export const TEXT_PATH = "/api/text";
export const THING_PATH = "/api/thing";
export const DROP_PATH = "/api/drop";
export const PHOTO_PATH = "/api/photo";
export const VERSION_HEADER = "Solidbody-Version";
export const PAINT_MAGIC = 827605587;
export const INK_MAGIC = 844382803;
export const PAINT_HEADER_BYTES = 8;
export const PICTURE_MAGIC = 827343443;
export const PICTURE_HEADER_BYTES = 16;
export const LONG_TEXT_LIMIT = 49152;

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

/** Triangles: xyz per vertex, three indices per triangle. */
export interface WireMesh {
  kind: "mesh";
  key: string;
  vertices: Float32Base64;
  triangles: Uint32Base64;
  normals: Float32Base64;
  uvs: Float32Base64;
  two_sided: boolean;
}

/** Line segments: xyz of both ends, one pair after the other. */
export interface WireLines {
  kind: "lines";
  key: string;
  points: Float32Base64;
}

/** A cloud of points: xyz each; `colors` has rgb each or is empty. */
export interface WirePoints {
  kind: "points";
  key: string;
  points: Float32Base64;
  colors: Float32Base64;
}

/** A picture on surfaces, as a data address; whether it goes on beyond its right and upper ends. */
export interface WireTexture {
  key: string;
  image: string;
  repeat_u: boolean;
  repeat_v: boolean;
  opaque: boolean;
}

/** How a surface looks; colours are those of a screen (sRGB) in 0..1, but for `emissive`: linear RGB. */
export interface WireMaterial {
  texture: number | null;
  texture_matrix: number[];
  normal_map: number | null;
  roughness_map: number | null;
  metalness_map: number | null;
  occlusion_map: number | null;
  emissive_map: number | null;
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
  collides: boolean;
  casts_shadows: boolean;
  pickable: boolean;
  live: boolean;
}

/** A rigid body by name. */
export interface WireLink {
  name: string;
  path: string;
  position: Vector3;
  rotation: Quaternion;
  moving: boolean;
  dynamic: boolean;
  follows_view: boolean;
}

/** Parallel light; `direction` is the way it travels, in the frame of a link or the world (link null). */
export interface WireLightDirectional {
  kind: "directional";
  direction: Vector3;
  link: number | null;
  color: Vector3;
  intensity: number;
  ambient: number;
  casts_shadows: boolean;
  is_on: boolean;
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
  is_on: boolean;
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
  is_on: boolean;
}

/** The sky colour and how much light it gives. */
export interface WireBackground {
  color: Vector3;
  luminosity: number;
  images: number[];
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

/** What a camera, range finder or lidar looks into: +x is ahead, +z up in its frame on a link. */
export interface WireView {
  link: number;
  position: Vector3;
  rotation: Quaternion;
  kind: "camera" | "range" | "lidar";
  flat: boolean;
  right: number;
  left: number;
  low: number;
  high: number;
  near: number;
  far: number;
}

/** A ball of radius 1 m that is stretched from a point on its link to one on another. */
export interface WireMuscle {
  shape: number;
  start: Vector3;
  end_link: number;
  end: Vector3;
  volume: number;
}

/** A belt that runs around wheels; frames tell how far. */
export interface WireBelt {
  link: number;
  position: Vector3;
  rotation: Quaternion;
  first_shape: number;
  count: number;
  path: number[];
  length: number;
  slides: number[];
  texture_velocity: number[];
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
  textures: WireTexture[];
  shapes: WireShape[];
  lights: WireLight[];
  background: WireBackground | null;
  fog: WireFog | null;
  viewpoint: WireViewpoint;
  views: WireView[];
  muscles: WireMuscle[];
  belts: WireBelt[];
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

/** What this tab keeps, plays and draws besides, from now on: sounds, rays of sensors, points of lidars. */
export interface CommandShow {
  command: "show";
  sounds: boolean;
  listens: boolean;
  rays: boolean;
  points: boolean;
}

/** A sound that is played. */
export interface WireVoice {
  number: number;
  clip: number;
  loops: boolean;
  gain: number;
  pitch: number;
  balance: number;
  at: Vector3 | null;
}

/** All sounds that are played now, and those that have begun and ended within the last moments. */
export interface EventSounds {
  event: "sounds";
  voices: WireVoice[];
}

/** Light that a shape gives off, instead of what its material says; linear RGB. */
export interface WireGlow {
  shape: number;
  color: Vector3;
}

/** How a light of the scene's list shines. */
export interface WireLamp {
  light: number;
  is_on: boolean;
  color: Vector3;
  intensity: number;
}

/** Colour of a shape, instead of what its material says; that of a screen (sRGB). */
export interface WireTint {
  shape: number;
  color: Vector3;
}

/** All looks that differ from the scene's. */
export interface EventLooks {
  event: "looks";
  glows: WireGlow[];
  lamps: WireLamp[];
  tints: WireTint[];
  hidden: number[];
}

/** Rays of distance sensors: xyz of both ends, then 1 if something is hit, else 0; seven numbers each. */
export interface EventRays {
  event: "rays";
  rays: Float32Base64;
}

/** What lidars and range finders see: xyz of each point in the world. */
export interface EventPoints {
  event: "points";
  points: Float32Base64;
}

export type LiveEvent =
  | EventSounds
  | EventLooks
  | EventRays
  | EventPoints;

/** Write the world with all edits to a file of the folder (empty name = its own). */
export interface CommandStore {
  command: "store";
  name: string;
  state: boolean;
  overwrite: boolean;
}

/** Ask for the files that can be opened. */
export interface CommandFiles {
  command: "files";
}

/** Show another file, by its name in one of the lists of `EventFiles`. */
export interface CommandOpen {
  command: "open";
  kind: "folder" | "recent" | "example";
  name: string;
}

/** Make a world (empty, arena, room) or a project with a robot in the folder, and show it. */
export interface CommandNew {
  command: "new";
  kind: "empty" | "arena" | "room" | "wheels" | "arm" | "drone";
  name: string;
  language: "python" | "c" | "cpp";
}

/** End the programs of robots and start them again, as their files are now. */
export interface CommandRestart {
  command: "restart";
  robots: string[];
}

/** Write a first program for a robot that has none in the project, and let it run. */
export interface CommandProgram {
  command: "program";
  robot: string;
  language: "python" | "c" | "cpp";
}

/** How it stands with the file on show. */
export interface EventDocument {
  event: "document";
  name: string;
  folder: string;
  is_changed: boolean;
  disk: "same" | "changed" | "gone";
  remark: string;
  opens: boolean;
  is_start: boolean;
}

/** How saving went; `asks` = it would overwrite something, so that the user has to decide. */
export interface EventStored {
  event: "stored";
  name: string;
  state: boolean;
  text: string;
  is_error: boolean;
  asks: boolean;
}

/** A file that can be opened, and what it is in a few words. */
export interface WireFile {
  name: string;
  what: string;
}

/** What can be opened: of the folder, opened lately, and examples that come along. */
export interface EventFiles {
  event: "files";
  folder: string;
  files: WireFile[];
  recent: WireFile[];
  examples: WireFile[];
}

/** Another file is being opened (or cannot be): the connection ends soon, and the next one shows it. */
export interface EventOpening {
  event: "opening";
  name: string;
  text: string;
  is_error: boolean;
}

/** A text that can be edited: of the world (no robots), or of the program of robots. */
export interface WireText {
  name: string;
  robots: string[];
}

/** The texts that can be edited, and the robots whose programs were changed since they began. */
export interface EventPrograms {
  event: "programs";
  texts: WireText[];
  changed: string[];
  without: string[];
}

/** Take a photo of what a camera sees now. */
export interface CommandPhoto {
  command: "photo";
  ticket: string;
  position: Vector3;
  rotation: Quaternion;
  angle: number;
  width: number;
  height: number;
  samples: number;
}

/** Stop taking the photo of a ticket; it stays as fine as it is. */
export interface CommandPhotoStop {
  command: "photo_stop";
  ticket: string;
}

/** How it stands with the photo of a ticket: the share that is done, or why it cannot be taken. */
export interface EventPhoto {
  event: "photo";
  ticket: string;
  share: number;
  state: "working" | "done" | "stopped" | "failed";
  text: string;
}

/** Drive the motor of a joint axis; while time stands still, put the axis there. */
export interface CommandJoint {
  command: "joint";
  joint: number;
  mode: "position" | "velocity";
  value: number;
}

/** What this tab wants to be told from now on: all joints, contacts, scalars and pictures by key. */
export interface CommandWatch {
  command: "watch";
  joints: boolean;
  contacts: boolean;
  scalars: string[];
  pictures: number[];
}

/** Keys that are held down, as codes that controllers know; none = all let go. */
export interface CommandKeys {
  command: "keys";
  keys: number[];
}

/** Where the mouse is in the picture (0..1 to the right and down), what is under it, what is pressed. */
export interface CommandMouse {
  command: "mouse";
  u: number;
  v: number;
  hits: boolean;
  point: Vector3;
  left: boolean;
  middle: boolean;
  right: boolean;
}

/** How a joystick stands: axes from -1 to 1, directions of hats, numbers of pressed buttons. */
export interface CommandJoystick {
  command: "joystick";
  model: string;
  axes: number[];
  povs: number[];
  buttons: number[];
}

/** Say something to a robot, as its window would. */
export interface CommandWindowText {
  command: "window";
  robot: string;
  text: string;
}

/** The user has selected the node at a path of the file; empty = nothing that is in the file. */
export interface CommandSelect {
  command: "select";
  path: string;
}

/** Read the file again and begin anew. */
export interface CommandReload {
  command: "reload";
}

/** Put a link somewhere, with all that hangs on it, and stop it; `is_last` ends a drag. */
export interface CommandPose {
  command: "pose";
  link: number;
  position: Vector3;
  rotation: Quaternion;
  is_last: boolean;
}

/** Pull a link, gripped at a point of its frame, to a world point, or turn it about the way there. */
export interface CommandPull {
  command: "pull";
  link: number;
  grip: Vector3;
  target: Vector3;
  turns: boolean;
  is_held: boolean;
}

/** While time stands still: bring a link, gripped at a point of its frame, to a world point by its joints. */
export interface CommandReach {
  command: "reach";
  link: number;
  grip: Vector3;
  target: Vector3;
  holds: boolean;
  is_held: boolean;
}

/** Ask for the fields of the node at a path of the file. */
export interface CommandFields {
  command: "fields";
  path: string;
}

/** Set a field of the file; `value` is written as in the file. */
export interface CommandEdit {
  command: "edit";
  path: string;
  value: string;
}

/** Ask what can be put into the node at a path; empty = at the top of the file. */
export interface CommandChoices {
  command: "choices";
  path: string;
}

/** Put something into a field (empty = the top of the file): a name of `WireSlot`, or nodes as in a file. */
export interface CommandInsert {
  command: "insert";
  path: string;
  what: string;
  at: Vector3;
}

/** Take a file of the folder into the world, `at` a point: a robot or a PROTO, or a mesh as a body. */
export interface CommandImport {
  command: "import";
  name: string;
  at: Vector3;
}

/** Take the node at a path out of the file. */
export interface CommandRemove {
  command: "remove";
  path: string;
}

/** Put a copy of the node at a path beside it. */
export interface CommandCopy {
  command: "copy";
  path: string;
}

/** Take the node at a path to be pasted; the answer has it as text. */
export interface CommandClip {
  command: "clip";
  path: string;
}

/** Put nodes at the top of the file, near a point of the world [m]; empty text = what was taken last. */
export interface CommandPaste {
  command: "paste";
  text: string;
  at: Vector3;
}

/** Move the node at a path: before or after the item at another, or into the node there. */
export interface CommandMove {
  command: "move";
  path: string;
  target: string;
  where: "before" | "after" | "into";
}

/** Take the last change of the file back. */
export interface CommandUndo {
  command: "undo";
}

/** Make the change again that was taken back last. */
export interface CommandRedo {
  command: "redo";
}

/** Ask for the file with the present state; the answer carries the same ticket. */
export interface CommandSave {
  command: "save";
  ticket: string;
}

/** What a tab watches, at simulated `time`; NaN (a value that is not there yet) travels as null. */
export interface EventReadings {
  event: "readings";
  time: number;
  joints: number[];
  keys: string[];
  values: (number | null)[];
  contacts: number[];
}

/** A line for the console: `source` is a robot, or empty; `path` names the node it is about. */
export interface EventMessage {
  event: "message";
  level: "output" | "info" | "warning" | "error";
  source: string;
  text: string;
  path: string;
}

/** One field of a node: its value as in the file, or which nodes it holds. */
export interface WireField {
  name: string;
  type: string;
  value: string;
  default: string;
  unit: string;
  allowed: string;
  doc: string;
  editable: boolean;
  choices: string[];
}

/** The fields of the node at `path`. */
export interface EventFields {
  event: "fields";
  path: string;
  title: string;
  fields: WireField[];
}

/** A field that takes nodes, and what fits: things ready to use, node types and PROTOs by name. */
export interface WireSlot {
  field: string;
  is_full: boolean;
  ready: string[];
  nodes: string[];
  protos: string[];
}

/** What there is to say of something that can be added: its group, and one line. */
export interface WireThing {
  name: string;
  group: string;
  what: string;
}

/** What can be put into the node at `path`, field by field, and what there is to say of it. */
export interface EventChoices {
  event: "choices";
  path: string;
  title: string;
  slots: WireSlot[];
  things: WireThing[];
  models: string[];
}

/** The file has changed (or could not): what was done, and what can be undone and done again. */
export interface EventEdited {
  event: "edited";
  text: string;
  is_error: boolean;
  undo: string;
  redo: string;
  path: string;
}

/** A body has left the scene after it was pulled, and time was stopped; undo brings it back. */
export interface EventLost {
  event: "lost";
  text: string;
}

/** A node was taken to be pasted, here or elsewhere as text. */
export interface EventClipped {
  event: "clipped";
  name: string;
  text: string;
}

/** The scene is another one now, to be loaded again. */
export interface EventReload {
  event: "reload";
}

/** The file that was asked for with a ticket. */
export interface EventSaved {
  event: "saved";
  ticket: string;
  name: string;
  text: string;
}

/** What controllers want to be told of their users: some of keyboard, mouse, joystick. */
export interface EventInputs {
  event: "inputs";
  kinds: string[];
}

/** A text over the picture: place and size as shares of it, sRGB colour (0xRRGGBB), opacity 0..1. */
export interface WireLabel {
  text: string;
  x: number;
  y: number;
  size: number;
  color: number;
  opacity: number;
  font: string;
}

/** All texts that supervisors have written over the picture. */
export interface EventLabels {
  event: "labels";
  labels: WireLabel[];
}

/** A robot has sent a text to its window. */
export interface EventWindowText {
  event: "window";
  robot: string;
  text: string;
}

/** One joint axis; `low` and `high` bound its slider, `speed` that of its motor. */
export interface WireJoint {
  name: string;
  body: string;
  link: number | null;
  parent: number | null;
  anchor: Vector3;
  axis: Vector3;
  turns: boolean;
  motor: boolean;
  endless: boolean;
  low: number;
  high: number;
  speed: number;
}

/** Mass properties of a link: about its centre of mass, in its axes (xx, yy, zz, xy, xz, yz). */
export interface WireMass {
  link: number;
  mass: number;
  center: Vector3;
  inertia: number[];
}

/** A link that users move by hand, in steps (-1 = continuously), unless it is locked. */
export interface WireHandle {
  link: number;
  locked: boolean;
  translation_step: number;
  rotation_step: number;
}

/** A device that can be watched: a picture, or `parts` numbers. */
export interface WireDevice {
  index: number;
  name: string;
  kind: string;
  owner: string;
  link: number;
  picture: boolean;
  parts: string[];
}

/** The window of a robot: an HTML page at `address` of the server, or the generic one (empty address). */
export interface WireWindow {
  robot: string;
  body: string;
  address: string;
  remark: string;
}

/** One node of the file as written (or a link, for files of other formats). */
export interface WireNode {
  title: string;
  kind: string;
  path: string;
  parent: number | null;
  link: number | null;
}

/** Everything that can be shown, driven and selected beside the picture. */
export interface WireOutline {
  revision: string;
  editable: boolean;
  joints: WireJoint[];
  masses: WireMass[];
  handles: WireHandle[];
  devices: WireDevice[];
  nodes: WireNode[];
  robots: string[];
  windows: WireWindow[];
}

export type WorkCommand =
  | CommandJoint
  | CommandWatch
  | CommandKeys
  | CommandMouse
  | CommandJoystick
  | CommandWindowText
  | CommandSelect
  | CommandReload
  | CommandPose
  | CommandPull
  | CommandReach
  | CommandFields
  | CommandEdit
  | CommandChoices
  | CommandInsert
  | CommandImport
  | CommandRemove
  | CommandCopy
  | CommandClip
  | CommandPaste
  | CommandMove
  | CommandUndo
  | CommandRedo
  | CommandSave
  | CommandProgram
  | CommandStore
  | CommandFiles
  | CommandOpen
  | CommandNew
  | CommandRestart
  | CommandPhoto
  | CommandPhotoStop;

export type WorkEvent =
  | EventReadings
  | EventMessage
  | EventFields
  | EventChoices
  | EventEdited
  | EventLost
  | EventClipped
  | EventReload
  | EventSaved
  | EventInputs
  | EventLabels
  | EventWindowText
  | EventPhoto
  | EventDocument
  | EventStored
  | EventFiles
  | EventOpening
  | EventPrograms;

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
  | CommandReady
  | CommandShow
  | CommandJoint
  | CommandWatch
  | CommandKeys
  | CommandMouse
  | CommandJoystick
  | CommandWindowText
  | CommandSelect
  | CommandReload
  | CommandPose
  | CommandPull
  | CommandReach
  | CommandFields
  | CommandEdit
  | CommandChoices
  | CommandInsert
  | CommandImport
  | CommandRemove
  | CommandCopy
  | CommandClip
  | CommandPaste
  | CommandMove
  | CommandUndo
  | CommandRedo
  | CommandSave
  | CommandProgram
  | CommandStore
  | CommandFiles
  | CommandOpen
  | CommandNew
  | CommandRestart
  | CommandPhoto
  | CommandPhotoStop;

export type Event =
  | EventHello
  | EventFailure
  | EventRefused
  | EventSounds
  | EventLooks
  | EventRays
  | EventPoints
  | EventReadings
  | EventMessage
  | EventFields
  | EventChoices
  | EventEdited
  | EventLost
  | EventClipped
  | EventReload
  | EventSaved
  | EventInputs
  | EventLabels
  | EventWindowText
  | EventPhoto
  | EventDocument
  | EventStored
  | EventFiles
  | EventOpening
  | EventPrograms;

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
  step_cost: number;
  belt_count: number;
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
    step_cost: view.getFloat32(52, true),
    belt_count: view.getUint32(56, true),
  };
}
