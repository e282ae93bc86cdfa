/** Length of the time axis at first, and its limits [s]. */
const SPAN = 20;
const SHORTEST = 0.02;
const LONGEST = 3600;

/** The stretch of time that curves show: the last seconds, or any others. */
export class TimeWindow {
  span = SPAN;
  private now = 0;
  private held: number | null = null;

  /** The last moment on show [s]. */
  get end(): number {
    return this.held ?? this.now;
  }

  /** Whether the present is on show. */
  get isFollowing(): boolean {
    return this.held === null;
  }

  /** It is this time now; back after a reset. */
  tick(time: number): void {
    if (time < this.now) this.held = null;
    this.now = time;
  }

  /** Show more or less of time around a moment. */
  zoom(factor: number, at: number): void {
    const span = Math.min(Math.max(this.span * factor, SHORTEST), LONGEST);
    const end = at + (this.end - at) * (span / this.span);
    this.span = span;
    if (!this.isFollowing) this.held = Math.min(end, this.now);
  }

  /** Show what was earlier or later. */
  move(by: number): void {
    const end = this.end + by;
    this.held = end >= this.now ? null : end;
  }

  /** Show the last seconds again. */
  follow(): void {
    this.held = null;
    this.span = SPAN;
  }
}
