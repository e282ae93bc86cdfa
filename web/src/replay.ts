import type { ConnectionEvents, ConnectionState } from "./connection";
import { element } from "./elements";
import { interpolate } from "./frames";
import { FRAME_MAGIC, POSE_FLOATS, PlayState } from "./protocol";
import type { Command } from "./protocol";
import { unpack } from "./recorder";
import type { Heard, ReplayData } from "./recorder";
import { keptMoment } from "./replay_link";
import type { ClipSource } from "./sounds";

/** How long nothing is heard after the timeline was moved [ms]. */
const HUSH = 200;
/** Factor of real time for "as fast as possible". */
const FAST = 1e3;

/** The recorded run inside an exported page, or null in a page that a server has sent. */
export function embeddedReplay(): ReplayData | null {
  const text = document.getElementById("replay")?.textContent;
  return text ? (JSON.parse(text) as ReplayData) : null;
}

/** The clips inside an exported page. */
export function recordedClips({ clips }: ReplayData): ClipSource {
  return async (number) => (clips[number] ? unpack(clips[number]) : null);
}

/** Plays a recorded run in the place of a connection: same events, same commands, and a timeline. */
export class Replay {
  state: ConnectionState = "connecting";
  private frames: Float32Array = new Float32Array();
  private heard: Heard[] = [];
  private toldUntil = -1;
  private quietUntil = 0;
  private time = 0;
  private epoch = 0;
  private sequence = 0;
  private speed = 1;
  private isPlaying = true;
  private lastTick = 0;
  private readonly timeline = element("timeline", HTMLInputElement);

  constructor(
    private readonly data: ReplayData,
    private readonly events: ConnectionEvents,
  ) {
    document.body.dataset.replay = "true";
    // in an article: the picture, and what is needed to play it
    const moment = keptMoment();
    document.body.dataset.embedded = String(moment.isEmbedded);
    const { times } = data;
    this.time = Math.min(Math.max(moment.time ?? times[0] ?? 0, times[0] ?? 0), this.end);
    this.isPlaying = moment.time === null;
    this.timeline.hidden = false;
    this.timeline.min = String(times[0] ?? 0);
    this.timeline.max = String(this.end);
    this.timeline.step = "0.001";
    this.timeline.oninput = () => this.seek(Number(this.timeline.value));
    void this.start();
  }

  async reload(): Promise<void> {
    // a recorded scene never changes
  }

  send(command: Command): void {
    switch (command.command) {
      case "play":
        if (this.time >= this.end) this.seek(this.data.times[0] ?? 0);
        this.isPlaying = true;
        break;
      case "pause":
        this.isPlaying = false;
        break;
      case "step":
        this.isPlaying = false;
        this.seek(this.time + command.count * this.data.scene.time_step);
        break;
      case "reset":
        this.seek(this.data.times[0] ?? 0);
        break;
      case "speed":
        this.speed = command.factor ?? FAST;
        break;
      case "show":
        this.toldUntil = -1; // sound may have been turned on: tell again
        break;
      default:
        return; // nothing else can be done with a recorded run
    }
    this.show();
  }

  private get end(): number {
    return this.data.times[this.data.times.length - 1] ?? 0;
  }

  private async start(): Promise<void> {
    this.frames = new Float32Array(await unpack(this.data.poses));
    this.heard = JSON.parse(new TextDecoder().decode(await unpack(this.data.sounds))) as Heard[];
    element("sound", HTMLButtonElement).hidden = !this.heard.some(({ voices }) => voices.length);
    this.events.onScene(this.data.scene, false);
    this.state = "connected";
    this.events.onState("connected", "");
    requestAnimationFrame((now) => this.tick(now));
    this.show();
  }

  private seek(time: number): void {
    this.time = Math.min(Math.max(time, this.data.times[0] ?? 0), this.end);
    this.epoch += 1;
    this.toldUntil = -1;
    this.quietUntil = performance.now() + HUSH;
    this.show();
  }

  private tick(milliseconds: number): void {
    requestAnimationFrame((next) => this.tick(next));
    const seconds = Math.min((milliseconds - this.lastTick) / 1000, 0.1);
    this.lastTick = milliseconds;
    if (!this.isPlaying) return;
    this.time += seconds * this.speed;
    if (this.time >= this.end) {
      this.time = this.end;
      this.isPlaying = false;
    }
    if (milliseconds > this.quietUntil) this.tell();
    this.show();
  }

  /** Tell what sounds now, unless that was told last. */
  private tell(): void {
    const next = this.heard.findIndex(({ time }) => time > this.time);
    const now = (next < 0 ? this.heard.length : next) - 1;
    if (now === this.toldUntil) return;
    this.toldUntil = now;
    this.events.onLive({ event: "sounds", voices: this.heard[now]?.voices ?? [] });
  }

  /** Show the present moment as a frame. */
  private show(): void {
    const { times, scene } = this.data;
    if (!times.length || !this.frames.length) return;
    const width = this.frames.length / times.length;
    const belts = scene.belts.length;
    const bodies = (width - belts) / POSE_FLOATS;
    let next = times.findIndex((time) => time > this.time);
    if (next < 0) next = times.length - 1;
    const from = Math.max(next - 1, 0);
    const gap = times[next]! - times[from]!;
    const share = gap > 0 ? Math.min((this.time - times[from]!) / gap, 1) : 0;
    const poses = new Float32Array(width);
    interpolate(this.frames.subarray(from * width, (from + 1) * width), this.frames.subarray(next * width, (next + 1) * width), share, poses, bodies);
    if (document.activeElement !== this.timeline) this.timeline.value = String(this.time);
    this.sequence += 1;
    this.events.onFrame({
      poses,
      header: {
        magic: FRAME_MAGIC,
        sequence: this.sequence,
        epoch: this.epoch,
        state: this.isPlaying ? PlayState.RUNNING : PlayState.PAUSED,
        time: this.time,
        clock: performance.now() / 1000,
        real_time_factor: this.speed,
        speed: this.speed === FAST ? Infinity : this.speed,
        step_count: Math.round(this.time / scene.time_step),
        not_converged: 0,
        body_count: bodies,
        step_cost: 0,
        belt_count: belts,
      },
    });
  }
}
