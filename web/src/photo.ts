import { served } from "./addresses";
import { download } from "./download";
import { element, make, makeButton } from "./elements";
import { FloatingCard } from "./floating";
import { t } from "./language";
import { PHOTO_PATH } from "./protocol";
import type { Command, EventPhoto } from "./protocol";
import type { Stage } from "./stage";

/** Paths of light per pixel of drafts, fine and best photos. */
const SAMPLES = [16, 64, 400];

/** Widths of photos [pixels]; 0 = that of the picture. */
const WIDTHS = [0, 1280, 1920, 3840];

/** Most pixels that the server takes. */
const MOST_PIXELS = 3840 * 2160;

/** Takes photos: stills whose light is followed by the server's ray engine, path by path. */
export class PhotoCard {
  private card: FloatingCard | null = null;
  private ticket = "";
  private isWorking = false;
  private isLoading = false;
  private image: Blob | null = null;
  private readonly picture = make("img", { className: "photo-picture", testId: "photo-picture" });
  private readonly progress = make("progress", { testId: "photo-progress", label: t("Progress") });
  private readonly note = make("p", { className: "faint", testId: "photo-note" });
  private readonly quality = make("select", { testId: "photo-quality", label: t("Quality") });
  private readonly width = make("select", { testId: "photo-width", label: t("Width") });
  private readonly button: HTMLButtonElement;
  private readonly keep: HTMLButtonElement;

  constructor(
    private readonly stage: Stage,
    private readonly send: (command: Command) => void,
    private readonly name: () => string,
  ) {
    element("photo", HTMLButtonElement).onclick = () => (this.card ? this.close() : this.open());
    this.quality.append(...[t("Draft"), t("Fine"), t("Best")].map((text, k) => new Option(text, String(SAMPLES[k]))));
    this.quality.selectedIndex = 1;
    this.width.append(...WIDTHS.map((width) => new Option(width ? `${width} px` : t("As wide as the picture"), String(width))));
    this.button = makeButton(t("Take the photo"), () => (this.isWorking ? this.stop() : this.begin()));
    this.button.dataset.testid = "photo-take";
    this.keep = makeButton(t("Save"), () => this.image && download(`${this.name()}-photo.png`, this.image));
    this.keep.dataset.testid = "photo-save";
    this.picture.alt = t("Photo");
  }

  /** The server tells how far a photo is. */
  take(event: EventPhoto): void {
    if (event.ticket !== this.ticket) return;
    this.isWorking = event.state === "working";
    this.progress.value = event.share;
    if (event.state === "failed") this.note.textContent = event.text;
    else if (this.isWorking) this.note.textContent = t("{0} %", Math.round(100 * event.share));
    else this.note.textContent = event.state === "stopped" ? t("Stopped: it stays as fine as it is.") : "";
    if (event.state !== "failed") void this.load();
    this.show();
  }

  /** The connection is a new one: what was under way is lost. */
  clear(): void {
    this.ticket = "";
    this.isWorking = false;
    this.show();
  }

  private open(): void {
    const hint = make("p", { className: "faint" }, t("Light is followed path by path: soft shadows, light of the sky, light that things throw on each other."));
    const tools = make("div", { className: "tools" }, this.width, this.quality, this.button, this.keep);
    const at: [number, number] = [Math.max(window.innerWidth / 2 - 250, 8), 84];
    this.card = new FloatingCard(t("Photo"), { className: "photo", label: t("Photo"), at, remove: () => this.close() }, hint, tools, this.progress, this.note, this.picture);
    this.card.root.dataset.testid = "photo-card";
    this.show();
  }

  private close(): void {
    if (this.isWorking) this.stop();
    this.card?.root.remove();
    this.card = null;
  }

  private begin(): void {
    const { parts } = this.stage;
    if (!parts) return;
    const { camera } = parts.view;
    const { clientWidth, clientHeight } = element("canvas", HTMLCanvasElement);
    const wanted = Number(this.width.value) || clientWidth * Math.min(window.devicePixelRatio, 2);
    const scale = Math.min(wanted / clientWidth, Math.sqrt(MOST_PIXELS / (clientWidth * clientHeight)));
    const { x, y, z, w } = camera.quaternion;
    this.ticket = String(Math.random());
    this.image = null;
    this.isWorking = true;
    this.note.textContent = "";
    this.progress.removeAttribute("value"); // nobody knows yet
    this.send({
      command: "photo",
      ticket: this.ticket,
      position: camera.position.toArray(),
      rotation: [w, x, y, z],
      angle: (camera.fov * Math.PI) / 180,
      width: Math.max(2, Math.floor(clientWidth * scale)),
      height: Math.max(2, Math.floor(clientHeight * scale)),
      samples: Number(this.quality.value),
    });
    this.show();
  }

  private stop(): void {
    this.send({ command: "photo_stop", ticket: this.ticket });
  }

  /** Fetch the photo as it is now, one at a time. */
  private async load(): Promise<void> {
    if (this.isLoading) return;
    this.isLoading = true;
    const [wasWorking, ticket] = [this.isWorking, this.ticket];
    try {
      const response = await fetch(served(PHOTO_PATH));
      if (response.status === 200 && ticket === this.ticket) {
        this.image = await response.blob();
        const old = this.picture.src;
        this.picture.src = URL.createObjectURL(this.image);
        if (old) URL.revokeObjectURL(old);
      }
    } finally {
      this.isLoading = false;
      this.show();
      if (wasWorking && !this.isWorking && ticket === this.ticket) void this.load(); // the last one is the finest
    }
  }

  private show(): void {
    this.button.textContent = this.isWorking ? t("Stop") : t("Take the photo");
    this.progress.hidden = !this.isWorking;
    this.picture.hidden = this.image === null;
    this.keep.disabled = this.image === null || this.isWorking;
    this.quality.disabled = this.width.disabled = this.isWorking;
  }
}
