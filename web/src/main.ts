import "./style.css";
import "./panels.css";
import { Connection } from "./connection";
import { installHook } from "./hook";
import { Panel, restoreTheme } from "./panel";
import type { WireScene } from "./protocol";
import { Stage } from "./stage";
import { Workspace } from "./workspace";

/** A press that moves less than this is a click [CSS pixels]. */
const CLICK_SLACK = 4;

function start(): void {
  restoreTheme();
  const canvas = document.getElementById("canvas") as HTMLCanvasElement;
  let scene: WireScene | null = null;
  let isShown = false;
  let stage: Stage;
  try {
    stage = new Stage(canvas);
  } catch {
    const notice = document.getElementById("notice")!;
    notice.textContent = "This browser cannot draw in 3D (WebGL 2 is missing or switched off).";
    return;
  }

  const panel = new Panel({
    send: (command) => connection.send(command),
    follow,
    goHome: () => {
      stage.goHome();
      panel.showFollowed(null);
    },
  });

  const workspace = new Workspace({
    send: (command) => connection.send(command),
    onSelect: (link) => stage.select(link),
    onContacts: () => undefined,
  });

  const connection = new Connection({
    onState: (state, detail) => {
      if (state !== "connected") isShown = false;
      panel.showConnection(state, detail);
      if (state === "connected") workspace.connect();
    },
    onScene: (loaded) => {
      scene = loaded;
      stage.show(loaded);
      panel.showScene(loaded);
      panel.showFollowed(stage.followed);
      void workspace.load(loaded).catch(() => undefined); // lost in between: it comes with the next scene
    },
    onFrame: (frame) => {
      stage.push(frame);
      panel.showFrame(frame.header);
      if (!isShown) afterDrawing(() => connection.send({ command: "ready" }));
      isShown = true;
    },
    onFailure: (text) => panel.showFailure(text),
    onGreeting: () => workspace.greet(),
    onWork: (event) => workspace.take(event),
    onPicture: (device, jpeg) => workspace.takePicture(device, jpeg),
  });

  function select(link: number | null): void {
    stage.select(link);
    workspace.selectLink(link);
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
    select(stage.pick(event.offsetX, event.offsetY));
  });
  canvas.addEventListener("dblclick", (event) => {
    const link = stage.pick(event.offsetX, event.offsetY);
    follow(link !== null && scene?.links[link]?.dynamic ? link : null);
  });

  installHook(stage, connection, () => scene);
}

/** Call back when the picture on the screen is up to date. */
function afterDrawing(callback: () => void): void {
  requestAnimationFrame(() => requestAnimationFrame(callback));
}

start();
