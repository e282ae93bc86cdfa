import { CatmullRomCurve3, Vector3 } from "three";
import type { KeptView } from "./camera";
import { element, make, makeButton } from "./elements";
import { FloatingCard } from "./floating";
import { t } from "./language";
import { recall, remember } from "./memory";
import type { Stage } from "./stage";
import type { VideoRecorder } from "./video";

/** Views along the way of the camera, and how long it takes [s]. */
export interface CameraPath {
  views: KeptView[];
  seconds: number;
}

/** How long a way takes at first, and its limits [s]. */
const SECONDS = 8;
const SHORTEST = 1;
const LONGEST = 300;

/** Most views of a way. */
const MOST = 50;

/** A way of the camera through views that the user has chosen: played, and filmed. */
export class CameraPaths {
  private path: CameraPath = { views: [], seconds: SECONDS };
  private scene = "";
  private card: FloatingCard | null = null;
  private began: number | null = null;
  private isFilming = false;
  private readonly list = make("div", { className: "path-views", testId: "path-views" });
  private readonly length = make("input", { testId: "path-seconds", label: t("Seconds"), title: t("How long the way takes [s]") });
  private readonly tools: HTMLButtonElement[];

  constructor(
    private readonly stage: Stage,
    private readonly video: VideoRecorder,
  ) {
    element("path", HTMLButtonElement).onclick = () => (this.card ? this.close() : this.open());
    const tool = (testId: string, text: string, action: () => void): HTMLButtonElement => {
      const button = makeButton(text, action);
      button.dataset.testid = testId;
      return button;
    };
    this.tools = [
      tool("path-add", t("Add this view"), () => this.add()),
      tool("path-play", t("Play"), () => (this.began === null ? this.play(false) : this.stop())),
      tool("path-film", t("Film"), () => this.play(true)),
      tool("path-clear", t("Clear"), () => this.set({ views: [], seconds: this.path.seconds })),
    ];
    this.length.type = "number";
    this.length.onchange = () => this.set({ views: this.path.views, seconds: Number(this.length.value) || SECONDS });
    stage.onPicture(() => this.go());
  }

  /** The way as it is, to be put into a replay. */
  get kept(): CameraPath {
    return this.path;
  }

  /** Another scene is on show, with a way of its own: that of a replay, or that which was kept. */
  take(scene: string, given?: CameraPath): void {
    if (scene === this.scene && !given) return;
    this.scene = scene;
    this.path = sound(given) ?? sound(parsed(recall(`path ${scene}`))) ?? { views: [], seconds: SECONDS };
    this.show();
  }

  private set(path: CameraPath): void {
    this.path = sound(path) ?? this.path;
    remember(`path ${this.scene}`, JSON.stringify(this.path));
    this.show();
  }

  private open(): void {
    const hint = make("p", { className: "faint" }, t("Look from somewhere and add the view; then from elsewhere. The camera goes through all of them."));
    const row = make("div", { className: "tools" }, ...this.tools, make("label", { className: "seconds" }, this.length, "s"));
    this.card = new FloatingCard(t("Camera path"), { className: "path", label: t("Camera path"), at: [Math.max(window.innerWidth / 2 - 190, 8), 84], remove: () => this.close() }, hint, this.list, row);
    this.card.root.dataset.testid = "path-card";
    this.show();
  }

  private close(): void {
    this.stop();
    this.card?.root.remove();
    this.card = null;
  }

  private add(): void {
    const { parts } = this.stage;
    if (parts && this.path.views.length < MOST) this.set({ ...this.path, views: [...this.path.views, parts.view.kept] });
  }

  private show(): void {
    const { views, seconds } = this.path;
    const isMoving = this.began !== null;
    this.list.replaceChildren(
      ...views.map((view, k) => {
        const go = makeButton(String(k + 1), () => this.look(view), t("Look from view {0}", k + 1));
        const drop = makeButton("×", () => this.set({ ...this.path, views: views.filter((_, other) => other !== k) }), t("Remove view {0}", k + 1));
        return make("span", { className: "path-view" }, go, drop);
      }),
    );
    this.length.value = String(seconds);
    const [add, play, film, clear] = this.tools as [HTMLButtonElement, HTMLButtonElement, HTMLButtonElement, HTMLButtonElement];
    add.disabled = isMoving || views.length >= MOST;
    play.textContent = isMoving ? t("Stop") : t("Play");
    play.disabled = views.length < 2;
    film.disabled = isMoving || views.length < 2 || !this.video.isPossible;
    clear.disabled = isMoving || !views.length;
  }

  private look(view: KeptView): void {
    this.stage.parts?.view.restore(view);
    this.stage.redraw();
  }

  private play(isFilm: boolean): void {
    this.look(this.path.views[0]!);
    this.stage.follow(null);
    this.began = performance.now();
    this.isFilming = isFilm;
    if (isFilm) this.video.start();
    this.show();
    this.stage.redraw();
  }

  private stop(): void {
    if (this.began === null) return;
    this.began = null;
    if (this.isFilming) this.video.stop();
    this.isFilming = false;
    this.show();
  }

  /** Before each picture: where the camera is now. */
  private go(): void {
    const { parts } = this.stage;
    if (this.began === null || !parts) return;
    const share = Math.min((performance.now() - this.began) / 1000 / this.path.seconds, 1);
    // slow at both ends
    const { position, target } = viewAt(this.path.views, share * share * (3 - 2 * share));
    parts.view.look(position, target);
    if (share >= 1) window.setTimeout(() => this.stop(), 100); // the last picture belongs to the film
    requestAnimationFrame(() => this.stage.redraw());
  }
}

/** The view at a share of a way. */
export function viewAt(views: KeptView[], share: number): { position: Vector3; target: Vector3 } {
  const curve = (part: "position" | "target"): Vector3 => {
    const points = views.map((view) => new Vector3(...view[part]));
    return new CatmullRomCurve3(points, false, "centripetal").getPoint(share);
  };
  return { position: curve("position"), target: curve("target") };
}

/** A way whose numbers make sense, or null. */
function sound(path: CameraPath | null | undefined): CameraPath | null {
  if (!path || !Array.isArray(path.views)) return null;
  const isView = (view: KeptView): boolean => [view?.position, view?.target].every((numbers) => Array.isArray(numbers) && numbers.length === 3 && numbers.every(Number.isFinite));
  const seconds = Math.min(Math.max(Number(path.seconds) || SECONDS, SHORTEST), LONGEST);
  return { views: path.views.filter(isView).slice(0, MOST), seconds };
}

function parsed(text: string | null): CameraPath | null {
  try {
    return JSON.parse(text ?? "null") as CameraPath | null;
  } catch {
    return null;
  }
}
