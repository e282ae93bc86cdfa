/** Longest rest after a picture [s]. */
const MOST_REST = 0.15;

/** How fast a graphics card, or the processor in its place, gets on with pictures; one at a time. */
export class Pace {
  /** What the last finished picture has taken [s]. */
  cost = 0;
  private fence: WebGLSync | null = null;
  private began = 0;
  private end = 0;

  constructor(private readonly gl: WebGL2RenderingContext) {}

  /** A picture has just been asked for. */
  begin(): void {
    const { gl } = this;
    if (this.fence) gl.deleteSync(this.fence);
    this.fence = gl.fenceSync(gl.SYNC_GPU_COMMANDS_COMPLETE, 0);
    gl.flush();
    this.began = performance.now() / 1000;
  }

  /** Whether the last picture is finished. */
  get isDone(): boolean {
    const { gl, fence } = this;
    if (!fence) return true;
    if (gl.clientWaitSync(fence, 0, 0) === gl.TIMEOUT_EXPIRED) return false;
    gl.deleteSync(fence);
    this.fence = null;
    this.end = performance.now() / 1000;
    this.cost = this.end - this.began;
    return true;
  }

  /** Whether it is, and others have had the processor for as long as it took. */
  get isRested(): boolean {
    return this.isDone && performance.now() / 1000 >= this.end + Math.min(this.cost, MOST_REST);
  }
}
