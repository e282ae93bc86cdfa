import { download } from "./download";
import { element } from "./elements";
import type { Stage } from "./stage";
import { t } from "./language";

/** Pictures per second of a video. */
const RATE = 30;
/** Quality of a video of a million pixels or less [bit/s]; larger ones have more. */
const BITS = 8e6;
/** Kinds of files, best first; a browser takes the first that it can write. */
const KINDS = ["video/mp4;codecs=avc1", "video/webm;codecs=vp9", "video/webm;codecs=vp8", "video/webm"];

/** Films the picture while its button is pressed in, and gives the file to the user. */
export class VideoRecorder {
  private readonly button = element("video", HTMLButtonElement);
  private readonly light = element("recording", HTMLElement);
  /** A copy of the picture in one size: videos cannot follow the view, which changes its own. */
  private readonly copy = document.createElement("canvas");
  private recorder: MediaRecorder | null = null;

  constructor(
    private readonly stage: Stage,
    private readonly canvas: HTMLCanvasElement,
    private readonly name: () => string,
  ) {
    this.button.hidden = typeof MediaRecorder === "undefined";
    this.button.onclick = this.light.onclick = () => (this.recorder ? this.stop() : this.start());
    // what is drawn now is there until the browser shows it: a microtask comes in between
    stage.onPicture(() => this.recorder && queueMicrotask(() => this.take()));
  }

  /** Whether this browser can film. */
  get isPossible(): boolean {
    return !this.button.hidden;
  }

  start(): void {
    if (this.recorder) return;
    const mimeType = KINDS.find((kind) => MediaRecorder.isTypeSupported(kind));
    this.stage.film(true);
    this.copy.width = 2 * Math.ceil(this.canvas.width / 2); // encoders want even sizes
    this.copy.height = 2 * Math.ceil(this.canvas.height / 2);
    const stream = this.copy.captureStream(RATE);
    const recorder = new MediaRecorder(stream, { videoBitsPerSecond: BITS * Math.max(1, (this.copy.width * this.copy.height) / 1e6), ...(mimeType ? { mimeType } : {}) });
    const parts: Blob[] = [];
    recorder.ondataavailable = (event) => parts.push(event.data);
    recorder.onstop = () => {
      stream.getTracks().forEach((track) => track.stop());
      const type = recorder.mimeType.split(";")[0] ?? "video/webm";
      download(`${this.name()}.${type.split("/")[1]}`, new Blob(parts, { type }));
    };
    recorder.start();
    this.recorder = recorder;
    this.stage.redraw(); // a video of a scene at rest has a picture too
    this.show();
  }

  private take(): void {
    this.copy.getContext("2d", { alpha: false })!.drawImage(this.canvas, 0, 0, this.copy.width, this.copy.height);
  }

  stop(): void {
    this.recorder?.stop();
    this.recorder = null;
    this.stage.film(false);
    this.show();
  }

  private show(): void {
    this.button.textContent = this.recorder ? t("Stop the video") : t("Record a video");
    this.light.hidden = this.recorder === null;
  }
}
