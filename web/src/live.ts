import { float32 } from "./numbers";
import type { Overlays } from "./overlays";
import type { Command, EventLooks, LiveEvent } from "./protocol";
import { SoundPlayer } from "./sounds";
import type { ClipSource } from "./sounds";
import type { Stage } from "./stage";

/** What changes beside poses: sounds, lamps, paint, rays. Says what this tab wants of it. */
export class Live {
  readonly sounds: SoundPlayer;
  private readonly wanted = { rays: false, points: false };

  constructor(
    private readonly stage: Stage,
    private readonly overlays: () => Overlays,
    private readonly send: (command: Command) => void,
    clip: ClipSource,
  ) {
    this.sounds = new SoundPlayer(() => this.ask(), clip);
    stage.onPicture(() => {
      const { parts } = this.stage;
      if (parts) this.sounds.listen(parts.view.camera);
    });
  }

  /** Draw rays or points from now on, or no more. */
  want(kind: "rays" | "points", isOn: boolean): void {
    this.wanted[kind] = isOn;
    this.ask();
  }

  /** Say what this tab wants, after which the server tells all that it knows: also for a new scene. */
  ask(): void {
    this.send({ command: "show", sounds: true, listens: this.sounds.wanted, ...this.wanted });
  }

  take(event: LiveEvent): void {
    switch (event.event) {
      case "sounds":
        this.sounds.take(event);
        break;
      case "looks":
        this.showLooks(event);
        break;
      case "rays":
        this.overlays().drawRays(float32(event.rays));
        break;
      case "points":
        this.overlays().drawPoints(float32(event.points));
        break;
    }
  }

  /** Cover a shape with a picture, or with paint over what it looks like. */
  async paint(shape: number, image: Blob, isInk: boolean): Promise<void> {
    const picture = await createImageBitmap(image, { imageOrientation: "flipY", premultiplyAlpha: isInk ? "none" : "default" });
    if (isInk) this.stage.parts?.bodies.coat(shape, picture);
    else this.stage.parts?.bodies.paint(shape, picture);
    this.stage.redraw();
  }

  private showLooks(event: EventLooks): void {
    const { parts } = this.stage;
    if (!parts) return;
    parts.bodies.showLooks(event);
    parts.lights.showLamps(event);
    this.stage.redraw();
  }
}
