import "./style.css";
import "./panels.css";
import "./live.css";
import "./code.css";
import "./edges.css";
import "./guides.css";
import "./inserting.css";
import "./lists.css";
import "./docking.css";
import type { Raycaster } from "three";
import { CameraPaths } from "./camera_path";
import { Connection } from "./connection";
import type { ConnectionEvents } from "./connection";
import { download } from "./download";
import { DropTarget } from "./dropping";
import { element } from "./elements";
import { answerNotebooks } from "./embedding";
import { Gizmo } from "./gizmo";
import { FirstSteps } from "./hints";
import { installHook } from "./hook";
import { JoystickSender } from "./joystick";
import { KeySender } from "./keys";
import { offerLanguages, speak, t } from "./language";
import { Live } from "./live";
import { MouseSender } from "./mouse";
import { Overlays } from "./overlays";
import type { OverlayKind } from "./overlays";
import { Panel, restoreTheme } from "./panel";
import { PhotoCard } from "./photo";
import { PlayState } from "./protocol";
import type { Command, Vector3, WireOutline, WireScene } from "./protocol";
import { Puller } from "./pull";
import { PanelSizes, panelRoom } from "./resizing";
import { Recorder } from "./recorder";
import { keptMoment, offerLink } from "./replay_link";
import { Replay, embeddedReplay, recordedClips } from "./replay";
import { servedClip } from "./sounds";
import { Stage, offerFastPictures } from "./stage";
import { NameTag } from "./tag";
import { VideoRecorder } from "./video";
import { ViewCube } from "./view_cube";
import { Workspace } from "./workspace";

/** A press that moves less than this is a click [CSS pixels]. */
const CLICK_SLACK = 4;

async function start(): Promise<void> {
  await speak();
  offerLanguages();
  answerNotebooks();
  restoreTheme();
  // the cookie carries the token from now on: it need not stand in histories and screenshots
  if (location.search && location.protocol !== "file:") history.replaceState(null, "", location.pathname);
  const canvas = document.getElementById("canvas") as HTMLCanvasElement;
  let scene: WireScene | null = null;
  let outline: WireOutline | null = null;
  let isShown = false;
  let epoch = -1;
  let inputs: string[] = [];
  let stage: Stage;
  try {
    stage = new Stage(canvas);
  } catch {
    const notice = document.getElementById("notice")!;
    notice.textContent = t("This browser cannot draw in 3D (WebGL 2 is missing or switched off).");
    return;
  }

  offerFastPictures(stage);
  const panel = new Panel({
    send: (command) => connection.send(command),
    follow,
    goHome: () => {
      stage.goHome();
      panel.showFollowed(null);
    },
    reload: () => workspace.files.reload(),
    opening: () => workspace.files.opening,
    toggleKeys: () => keys.toggle(),
    frame: () => stage.frameSelection(),
    letGo: () => {
      if (document.querySelector("details.menu[open]")) return; // closes that
      if (stage.selected !== null || workspace.hasSelection) select(null);
      else follow(null);
    },
    lookFrom: (side) => stage.lookFrom(side),
    switchPerspective: () => stage.switchPerspective(),
    turnView: (aside, up, farther) => {
      stage.parts?.view.turn(aside, up, farther);
      stage.redraw();
    },
  });

  const workspace = new Workspace({
    send: (command) => connection.send(command),
    onSelect: (link) => mark(link),
    selected: () => stage.selected,
    onContacts: (contacts) => overlays.drawContacts(contacts),
    onOutline: (loaded) => {
      outline = loaded;
      overlays.show(loaded);
      element("save", HTMLButtonElement).hidden = !loaded.editable;
      mark(stage.selected);
    },
    onReload: () => void connection.reload(),
    place: lookedAt,
    onNew: () => stage.bringIntoSight(),
    onInputs: (kinds) => {
      inputs = kinds;
      keys.offer(kinds.includes("keyboard"));
      mouse.isOn = kinds.includes("mouse");
      joystick.set(kinds.includes("joystick"));
    },
  });
  const send = (command: Command): void => connection.send(command);
  const gizmo = new Gizmo(stage, canvas, send);
  const recorded = embeddedReplay();
  const live = new Live(stage, () => overlays, send, recorded ? recordedClips(recorded) : servedClip);
  const overlays = new Overlays(stage, (kind, isOn) => {
    if (kind === "contacts") workspace.showContacts(isOn);
    else if (kind === "rays" || kind === "points") live.want(kind, isOn);
  });
  const keys = new KeySender(send);
  const mouse = new MouseSender(stage, canvas, send);
  const joystick = new JoystickSender(send);
  new Puller(stage, canvas, send, (link) => {
    const mass = scene?.links[link]?.dynamic && outline?.masses.find((item) => item.link === link);
    return mass ? mass.center : null;
  }, (link) => outline?.joints.some((joint) => joint.link !== null && isBelow(link, joint.link)) ?? false);
  element("turn", HTMLButtonElement).onclick = () => gizmo.switchMode();
  element("save", HTMLButtonElement).onclick = () => workspace.save();
  const film = new VideoRecorder(stage, canvas, () => scene?.name || "solidbody");
  const paths = new CameraPaths(stage, film);
  const photo = new PhotoCard(stage, send, () => scene?.name || "solidbody");
  element("photo", HTMLButtonElement).hidden = recorded !== null;
  const recorder = new Recorder(() => paths.kept);
  element("export", HTMLButtonElement).onclick = () => void recorder.save();
  element("screenshot", HTMLButtonElement).onclick = async () => {
    const picture = await stage.screenshot();
    if (picture) download(`${scene?.name ?? "solidbody"}.png`, picture);
  };

  const bar = document.querySelector<HTMLElement>(".bar.top")!;
  const more = element("more", HTMLButtonElement);
  more.onclick = () => more.setAttribute("aria-expanded", String(bar.classList.toggle("open")));
  const footer = document.querySelector<HTMLElement>(".bar.bottom")!;
  new ResizeObserver(() => document.documentElement.style.setProperty("--footer-height", `${footer.offsetHeight + 12}px`)).observe(footer);

  const cover = (): void => {
    const { left, right } = panelRoom();
    stage.cover(left, right);
  };
  new PanelSizes(cover);
  workspace.dock.onChange(cover);
  window.addEventListener("resize", cover);
  new NameTag(stage, (link) => scene?.links[link]?.name ?? "");
  window.addEventListener("pagehide", () => stage.keepView());
  document.addEventListener("visibilitychange", () => document.hidden && stage.keepView());
  new DropTarget(workspace.files, {
    send,
    placeAt: (x, y) => pointOf(stage.ray(x, y)),
    isEditable: () => workspace.isEditable,
  });
  new ViewCube(stage, {
    lookFrom: (side) => stage.lookFrom(side),
    turn: (aside, up) => {
      stage.parts?.view.turn(aside, up, 1);
      stage.redraw();
    },
  });
  if (!recorded) new FirstSteps();
  const moment = keptMoment();
  const events: ConnectionEvents = {
    onState: (state, detail) => {
      if (state !== "connected") isShown = false;
      if (state === "connected") workspace.connect();
      panel.showConnection(state, detail);
      if (state === "connected") {
        live.ask();
      }
    },
    onProgress: (share) => {
      element("notice", HTMLElement).textContent = t("Loading the scene… {0} %", Math.min(100, Math.round(100 * share)));
    },
    onScene: (loaded, isNext) => {
      const selected = stage.selected === null ? null : scene?.links[stage.selected]?.path;
      if (scene !== null) stage.keepView();
      const isSameFile = scene?.name === loaded.name;
      gizmo.attach(null);
      scene = loaded;
      stage.show(loaded, isNext && isSameFile);
      const again = loaded.links.findIndex((link) => link.path === selected);
      stage.select(again < 0 ? null : again);
      live.ask();
      panel.showScene(loaded);
      panel.showFollowed(stage.followed);
      if (recorded && moment.view) stage.parts?.view.restore(moment.view);
      recorder.show(loaded);
      paths.take(loaded.name, recorded?.path);
      if (!recorded) void workspace.load(loaded).catch(() => undefined); // lost in between: it comes with the next scene
    },
    onSameScene: (loaded) => void workspace.load(loaded).catch(() => undefined),
    onFrame: (frame) => {
      stage.push(frame);
      recorder.push(frame);
      panel.showFrame(frame.header);
      if (recorded && frame.header.epoch !== epoch) live.sounds.silence();
      epoch = frame.header.epoch;
      live.sounds.setTime(frame.header.state === PlayState.RUNNING, frame.header.speed);
      if (!isShown) afterDrawing(() => connection.send({ command: "ready" }));
      isShown = true;
    },
    onFailure: (text) => panel.showFailure(text),
    onGreeting: () => {
      workspace.greet();
      photo.clear();
    },
    onWork: (event) => (event.event === "photo" ? photo.take(event) : workspace.take(event)),
    onPicture: (device, jpeg) => workspace.takePicture(device, jpeg),
    onLive: (event) => {
      if (event.event === "sounds") recorder.hear(event);
      live.take(event);
    },
    onPainting: (shape, image, isInk) => void live.paint(shape, image, isInk).catch(() => undefined), // cut: the next one comes soon
  };
  if (recorded) offerLink(stage);
  const connection = recorded ? new Replay(recorded, events) : new Connection(events);

  /** Mark a link in the picture, with handles if it may be moved by hand. */
  function mark(link: number | null): void {
    stage.select(link);
    const handle = outline?.handles.find((item) => item.link === link) ?? null;
    gizmo.attach(handle);
    element("turn", HTMLButtonElement).hidden = !handle || handle.locked;
    const note = element("locked", HTMLElement);
    note.hidden = !handle?.locked;
    note.textContent = handle?.locked ? t("“{0}” is locked and cannot be moved.", scene?.links[handle.link]?.name ?? "") : "";
  }

  /** Whether a link is another one, or hangs on it. */
  function isBelow(link: number, other: number): boolean {
    const path = scene?.links[link]?.path ?? "";
    const above = scene?.links[other]?.path ?? "-";
    return path === above || path.startsWith(`${above}/`);
  }

  function select(link: number | null): void {
    mark(link);
    workspace.selectLink(link);
  }

  /** What is in the middle of the picture; far from everything, the point that the view turns about. */
  function lookedAt(): Vector3 {
    return pointOf(stage.middleRay());
  }

  /** What a ray hits first; nothing, then the point that the view turns about. */
  function pointOf(ray: Raycaster | null): Vector3 {
    const point = (ray && stage.parts?.bodies.pick(ray)?.point) ?? stage.parts?.view.controls.target;
    return point ? [point.x, point.y, point.z] : [0, 0, 0];
  }

  function follow(link: number | null): void {
    stage.follow(link);
    panel.showFollowed(link);
  }

  let pressed = { x: 0, y: 0 };
  canvas.addEventListener("pointerdown", (event) => {
    pressed = { x: event.clientX, y: event.clientY };
  });
  canvas.addEventListener("click", (event) => {
    if (Math.hypot(event.clientX - pressed.x, event.clientY - pressed.y) > CLICK_SLACK) return;
    if (gizmo.isBusy || event.altKey) return;
    select(stage.pick(event.offsetX, event.offsetY));
  });
  canvas.addEventListener("dblclick", (event) => {
    const link = stage.pick(event.offsetX, event.offsetY);
    follow(link !== null && scene?.links[link]?.dynamic ? link : null);
  });

  // a menu closes when the user goes on elsewhere
  document.addEventListener("pointerdown", (event) => closeMenus(event.target));
  document.addEventListener("keydown", (event) => event.key === "Escape" && closeMenus(null));

  stage.onPicture(() => workspace.showPose(stage.selected === null ? null : stage.pose(stage.selected)));

  installHook(stage, connection, () => scene, { contacts: () => overlays.count("contacts"), handle: () => gizmo.hovered, overlay: (kind) => overlays.count(kind as OverlayKind), live, inputs: () => inputs });
}

/** Close all menus but the one that holds an element. */
function closeMenus(target: EventTarget | null): void {
  for (const menu of document.querySelectorAll<HTMLDetailsElement>("details.menu[open]")) {
    if (!(target instanceof Node && menu.contains(target))) menu.open = false;
  }
}

/** Call back when the picture on the screen is up to date. */
function afterDrawing(callback: () => void): void {
  requestAnimationFrame(() => requestAnimationFrame(callback));
}

void start();
