import { served } from "./addresses";
import { INK_MAGIC, PAINT_HEADER_BYTES, PAINT_MAGIC, PICTURE_HEADER_BYTES, PICTURE_MAGIC, PROTOCOL_VERSION, SCENE_PATH, STREAM_PATH } from "./protocol";
import type { Command, Event, LiveEvent, WireScene, WorkEvent } from "./protocol";
import { completed } from "./delta";
import { decodeFrame } from "./frames";
import type { Frame } from "./frames";
import { t } from "./language";

export type ConnectionState = "connecting" | "connected" | "lost";

/** What the connection tells the rest of the page. */
export interface ConnectionEvents {
  onState(state: ConnectionState, detail: string): void;
  /** A share of the scene (0..1) has come. */
  onProgress(share: number): void;
  /** `isNext` says that another scene was on show before. */
  onScene(scene: WireScene, isNext: boolean): void;
  /** The scene looks as before, but what the panels list may be new. */
  onSameScene(scene: WireScene): void;
  onFrame(frame: Frame): void;
  onFailure(text: string): void;
  /** The server has greeted: whatever it told the last connection it tells again. */
  onGreeting(): void;
  /** Something for the panels. */
  onWork(event: WorkEvent): void;
  onPicture(device: number, jpeg: Blob): void;
  /** Something that sounds or looks otherwise now. */
  onLive(event: LiveEvent): void;
  /** A picture that covers a shape, or a layer of paint over it. */
  onPainting(shape: number, image: Blob, isInk: boolean): void;
}

/** Answers larger than this show their progress [bytes]. */
const PROGRESS_SIZE = 500_000;

const FIRST_RETRY = 0.3;
const LAST_RETRY = 5;

/** Keeps a websocket to the simulation open, for as long as the page lives. */
export class Connection {
  state: ConnectionState = "connecting";
  private socket: WebSocket | null = null;
  private revision = "";
  private scene: WireScene | null = null;
  private retry = FIRST_RETRY;
  private timer = 0;

  constructor(private readonly events: ConnectionEvents) {
    // whoever comes back to the tab or to the network wants to see it work now
    window.addEventListener("online", () => this.hurry());
    document.addEventListener("visibilitychange", () => {
      if (!document.hidden) this.hurry();
    });
    this.open();
  }

  /** Send a command; without a connection it is dropped, as the buttons are disabled then. */
  send(command: Command): void {
    if (this.state === "connected") this.socket?.send(JSON.stringify(command));
  }

  private hurry(): void {
    if (this.state !== "lost") return;
    window.clearTimeout(this.timer);
    this.open();
  }

  private open(): void {
    const socket = new WebSocket(served(STREAM_PATH).replace(/^http/, "ws"));
    socket.binaryType = "arraybuffer";
    this.socket = socket;
    let isReady = false; // frames mean nothing before the scene is loaded
    let early: ArrayBuffer | null = null; // but the last of them may be the only one: paused
    socket.onmessage = async (message: MessageEvent<string | ArrayBuffer>) => {
      if (typeof message.data !== "string") {
        if (this.takePicture(message.data) || this.takePainting(message.data)) return;
        if (isReady) this.events.onFrame(decodeFrame(message.data));
        else early = message.data;
        return;
      }
      const event = JSON.parse(message.data) as Event;
      switch (event.event) {
        case "hello":
          this.events.onFailure(""); // the server tells again what still holds
          this.events.onGreeting();
          if (await this.greet(event.protocol, event.revision)) {
            isReady = true;
            if (early) this.events.onFrame(decodeFrame(early));
          } else socket.close();
          break;
        case "failure":
          this.events.onFailure(event.text);
          break;
        case "refused":
          console.warn(`a command was refused: ${event.text}`); // page and server do not fit
          break;
        case "sounds":
        case "looks":
        case "rays":
        case "points":
          this.events.onLive(event);
          break;
        default:
          this.events.onWork(event);
      }
    };
    socket.onclose = () => {
      if (this.socket === socket) this.lose();
    };
  }

  /** Load the scene again: the server has another one. */
  async reload(): Promise<void> {
    try {
      await this.load();
    } catch {
      // the connection went away: the next greeting loads it
    }
  }

  private async load(): Promise<boolean> {
    // the server leaves out what this page has already
    const response = await fetch(`${served(SCENE_PATH)}?known=${this.revision}`);
    if (!response.ok) return false;
    const told = JSON.parse(await this.text(response)) as WireScene;
    const scene = completed(told, this.scene);
    if (scene.revision === this.revision) {
      this.events.onSameScene(scene);
      return true;
    }
    this.events.onScene(scene, this.scene !== null);
    this.scene = scene;
    this.revision = scene.revision;
    return true;
  }

  /** Read an answer, and say how much of it has come. */
  private async text(response: Response): Promise<string> {
    const total = Number(response.headers.get("Solidbody-Size"));
    if (!response.body || !(total > PROGRESS_SIZE)) return response.text();
    const reader = response.body.getReader();
    const parts: Uint8Array<ArrayBuffer>[] = [];
    let size = 0;
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      parts.push(value);
      size += value.length;
      this.events.onProgress(size / total);
    }
    return new Blob(parts).text();
  }

  private takePicture(message: ArrayBuffer): boolean {
    if (message.byteLength < PICTURE_HEADER_BYTES) return false;
    const view = new DataView(message);
    if (view.getUint32(0, true) !== PICTURE_MAGIC) return false;
    const jpeg = new Blob([message.slice(PICTURE_HEADER_BYTES)], { type: "image/jpeg" });
    this.events.onPicture(view.getUint32(4, true), jpeg);
    return true;
  }

  private takePainting(message: ArrayBuffer): boolean {
    if (message.byteLength < PAINT_HEADER_BYTES) return false;
    const view = new DataView(message);
    const magic = view.getUint32(0, true);
    if (magic !== PAINT_MAGIC && magic !== INK_MAGIC) return false;
    this.events.onPainting(view.getUint32(4, true), new Blob([message.slice(PAINT_HEADER_BYTES)]), magic === INK_MAGIC);
    return true;
  }

  /** Load the scene if it is not the one on show; returns whether frames can be drawn. */
  private async greet(protocol: number, revision: string): Promise<boolean> {
    if (protocol !== PROTOCOL_VERSION) {
      this.change("lost", t("The simulation was updated: reload this page."));
      return false;
    }
    if (revision !== this.revision) {
      try {
        if (!(await this.load())) return false;
      } catch {
        return false; // the connection went away in between: retried like any other loss
      }
    }
    this.retry = FIRST_RETRY;
    this.change("connected", "");
    return true;
  }

  private lose(): void {
    this.socket = null;
    const seconds = this.retry * (0.8 + 0.4 * Math.random());
    this.retry = Math.min(this.retry * 1.6, LAST_RETRY);
    this.change("lost", t("No connection to the simulation. Trying again…"));
    void this.explain();
    this.timer = window.setTimeout(() => this.open(), 1000 * seconds);
  }

  /** A server that refuses this page says why: it is another run, with another address. */
  private async explain(): Promise<void> {
    try {
      const response = await fetch(served(SCENE_PATH));
      if (response.status === 403 && this.state === "lost") this.change("lost", (await response.text()).trim());
    } catch {
      // nobody is there
    }
  }

  private change(state: ConnectionState, detail: string): void {
    this.state = state;
    this.events.onState(state, detail);
  }
}
