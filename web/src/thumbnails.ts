import { AmbientLight, DirectionalLight, HemisphereLight, PerspectiveCamera, Scene, Sphere, Vector3, WebGLRenderer } from "three";
import { RoomEnvironment } from "three/addons/environments/RoomEnvironment.js";
import { served } from "./addresses";
import { Bodies } from "./bodies";
import { makeGenerator } from "./environment";
import { Library } from "./library";
import { vector } from "./numbers";
import { THING_PATH } from "./protocol";
import type { WireScene } from "./protocol";

/** Size of a picture [pixels]. */
const WIDTH = 176;
const HEIGHT = 132;

/** From where a thing is looked at, in its own axes: from ahead, the left and above. */
const WAY = new Vector3(1, 0.75, 0.6).normalize();

const VIEW = 32;

/** Longest wait for the pictures on a thing [ms]. */
const TEXTURE_TIME = 1500;

/** Draws small pictures of things that can be added, one after the other, and keeps them. */
export class Thumbnails {
  private readonly kept = new Map<string, HTMLCanvasElement | null>();
  private readonly waiting = new Map<string, (picture: HTMLCanvasElement | null) => void>();
  private renderer: WebGLRenderer | null = null;
  private readonly stage = new Scene();
  private isBusy = false;

  /** Draw a thing into an element as soon as there is time; nothing, if it cannot be seen. */
  draw(name: string, into: HTMLElement): void {
    const put = (picture: HTMLCanvasElement | null): void => {
      if (!picture) return;
      const copy = document.createElement("canvas");
      [copy.width, copy.height] = [WIDTH, HEIGHT];
      copy.getContext("2d")!.drawImage(picture, 0, 0);
      into.replaceChildren(copy);
    };
    const known = this.kept.get(name);
    if (known !== undefined) return put(known);
    this.waiting.set(name, put);
    void this.work();
  }

  /** Nobody looks any more. */
  stop(): void {
    this.waiting.clear();
  }

  private async work(): Promise<void> {
    if (this.isBusy) return;
    this.isBusy = true;
    for (let next = this.waiting.entries().next(); !next.done; next = this.waiting.entries().next()) {
      const [name, put] = next.value;
      const picture = await this.picture(name).catch(() => null);
      this.kept.set(name, picture);
      if (this.waiting.delete(name)) put(picture);
    }
    this.isBusy = false;
  }

  private async picture(name: string): Promise<HTMLCanvasElement | null> {
    const response = await fetch(`${served(THING_PATH)}?what=${encodeURIComponent(name)}`);
    if (!response.ok || response.status === 204) return null;
    const wire = (await response.json()) as WireScene;
    let loaded: () => void = () => undefined;
    const library = new Library(() => loaded());
    const bodies = new Bodies(wire, library);
    const ball = bodies.bounds().getBoundingSphere(new Sphere());
    if (!(ball.radius > 0)) return null;
    if (wire.textures.length) {
      await new Promise<void>((done) => {
        loaded = done;
        window.setTimeout(done, TEXTURE_TIME);
      });
    }
    const canvas = this.render(bodies, ball, vector(wire.up));
    bodies.dispose();
    library.sweep(); // what was used is not needed any more:
    library.sweep(); // nobody has asked for it in between
    return canvas;
  }

  private render(bodies: Bodies, ball: Sphere, up: Vector3): HTMLCanvasElement {
    const renderer = (this.renderer ??= this.start());
    const camera = new PerspectiveCamera(VIEW, WIDTH / HEIGHT, ball.radius / 50, ball.radius * 20);
    camera.up.copy(up);
    const distance = ball.radius / Math.sin((VIEW * Math.PI) / 360);
    camera.position.copy(ball.center).addScaledVector(WAY, distance);
    camera.lookAt(ball.center);
    this.stage.add(bodies.group);
    bodies.face(camera);
    renderer.render(this.stage, camera);
    bodies.group.removeFromParent();
    const copy = document.createElement("canvas");
    [copy.width, copy.height] = [WIDTH, HEIGHT];
    copy.getContext("2d")!.drawImage(renderer.domElement, 0, 0);
    return copy;
  }

  private start(): WebGLRenderer {
    const renderer = new WebGLRenderer({ antialias: true, alpha: true, preserveDrawingBuffer: true });
    renderer.setSize(WIDTH, HEIGHT, false);
    const generator = makeGenerator(renderer);
    this.stage.environment = generator.fromScene(new RoomEnvironment(), 0.04).texture;
    this.stage.environmentIntensity = 0.6;
    const sun = new DirectionalLight("white", 2.2);
    sun.position.set(0.6, 0.3, 1);
    this.stage.add(sun, new HemisphereLight(0xffffff, 0x8a8f98, 1.4), new AmbientLight("white", 0.3));
    return renderer;
  }
}
