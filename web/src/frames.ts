import { FRAME_MAGIC, HEADER_BYTES, POSE_FLOATS, PlayState, readFrameHeader } from "./protocol";
import type { FrameHeader } from "./protocol";

/** One published moment: who is where, and after all poses how far belts have run. */
export interface Frame {
  header: FrameHeader;
  poses: Float32Array;
}

/** Read a binary message; throws an Error if it is not one whole frame. */
export function decodeFrame(message: ArrayBuffer): Frame {
  if (message.byteLength < HEADER_BYTES) throw new Error("frame is too short");
  const header = readFrameHeader(new DataView(message));
  if (header.magic !== FRAME_MAGIC) throw new Error("not a frame");
  const poses = new Float32Array(message, HEADER_BYTES);
  if (poses.length !== POSE_FLOATS * header.body_count + header.belt_count) throw new Error("frame is cut");
  return { header, poses };
}

/** Longest time between two frames that is still bridged smoothly [s]. */
const INTERVAL_LIMIT = 0.4;

/**
 * Plays frames back a moment late, so that there is nearly always a next one to interpolate to.
 *
 * Frames carry the server's clock. The smallest delay ever seen between that clock and ours is the
 * way without queues; the play head runs behind it by a little more than one frame interval.
 */
export class FrameBuffer {
  private frames: Frame[] = [];
  private offset = Infinity;
  private interval = 1 / 60;

  /** Forget everything, for example after the connection was lost. */
  clear(): void {
    this.frames = [];
    this.offset = Infinity;
  }

  /** The newest frame. */
  get latest(): Frame | undefined {
    return this.frames[this.frames.length - 1];
  }

  /** Add a frame that arrived at `now` [s]. */
  push(frame: Frame, now: number): void {
    const { clock, epoch, body_count } = frame.header;
    const last = this.latest;
    if (last && (last.header.epoch !== epoch || last.header.body_count !== body_count)) {
      this.frames = []; // nothing moves from before a reset to after it
    } else if (last && last.header.state === PlayState.RUNNING) {
      const gap = clock - last.header.clock;
      if (gap > 0 && gap < INTERVAL_LIMIT) this.interval += 0.15 * (gap - this.interval);
    }
    while (this.frames.length && this.latest!.header.clock >= clock) this.frames.pop();
    this.frames.push(frame);
    const delay = now - clock;
    // quick to believe in a shorter way, slow to believe in a longer one
    this.offset = delay < this.offset ? delay : this.offset + 0.05 * (delay - this.offset);
  }

  /**
   * Write the poses to show at `now` [s] into `poses` (the length of the newest frame).
   * Returns whether the newest frame is reached, so that nothing moves until the next one comes.
   */
  sample(now: number, poses: Float32Array): boolean {
    const head = now - this.offset - 1.25 * this.interval - 0.004;
    while (this.frames.length > 1 && this.frames[1]!.header.clock <= head) this.frames.shift();
    const [from, to] = this.frames;
    if (!from) return true;
    if (!to || head <= from.header.clock) {
      poses.set(from.poses);
      return !to;
    }
    const share = (head - from.header.clock) / (to.header.clock - from.header.clock);
    interpolate(from.poses, to.poses, share, poses, to.header.body_count);
    return false;
  }
}

/** Blend two sets of `count` poses, and what follows them; turns are blended linearly: exact enough for small ones. */
export function interpolate(a: Float32Array, b: Float32Array, share: number, out: Float32Array, count: number): void {
  const end = POSE_FLOATS * count;
  for (let k = end; k < out.length; k++) out[k] = a[k]! + share * (b[k]! - a[k]!);
  for (let i = 0; i < end; i += POSE_FLOATS) {
    for (let k = i; k < i + 3; k++) out[k] = a[k]! + share * (b[k]! - a[k]!);
    let dot = 0;
    for (let k = i + 3; k < i + 7; k++) dot += a[k]! * b[k]!;
    const sign = dot < 0 ? -1 : 1;
    let length = 0;
    for (let k = i + 3; k < i + 7; k++) {
      const value = a[k]! + share * (sign * b[k]! - a[k]!);
      out[k] = value;
      length += value * value;
    }
    const scale = 1 / Math.sqrt(length);
    for (let k = i + 3; k < i + 7; k++) out[k] = out[k]! * scale;
  }
}
