import {
  Box3,
  CustomToneMapping,
  Fog,
  FogExp2,
  PCFShadowMap,
  Quaternion,
  Raycaster,
  Scene,
  Sphere,
  Vector2,
  Vector3,
  WebGLRenderer,
} from "three";
import { AmbientOcclusion } from "./ambient_occlusion";
import { Bloom } from "./bloom";
import { Bodies } from "./bodies";
import { OrbitCamera } from "./camera";
import { element } from "./elements";
import { Environment } from "./environment";
import type { Side } from "./camera";
import { FrameBuffer } from "./frames";
import type { Frame } from "./frames";
import { Highlight } from "./highlight";
import { Library } from "./library";
import { Lights } from "./lights";
import { recall, remember } from "./memory";
import { color as wireColor, vector } from "./numbers";
import { Pace } from "./pace";
import type { WireFog, WireScene } from "./protocol";
import { SkyBox, SkyDome, skyColors } from "./sky";
import "./tone_mapping";

/** How finely to draw, from a good graphics card down to none at all. */
const QUALITIES = [
  { pixelRatio: 2, shadowSize: 2048 },
  { pixelRatio: 1, shadowSize: 2048 },
  { pixelRatio: 0.75, shadowSize: 1024 },
  { pixelRatio: 0.5, shadowSize: 512 },
];

/** A picture that stands still for this long [s] is drawn once more, as finely as this. */
const STILL_DELAY = 0.4;
const STILL_QUALITY = { pixelRatio: 1.5, shadowSize: 2048 };

/** Fineness of ambient occlusion in such a picture, against that of the picture. */
const STILL_OCCLUSION = 0.5;

/** This many pictures in a row that take longer than this [s] lower the quality by one. */
const SLOW_PICTURES = 6;
const SLOW_PICTURE = 0.08;

/** Share of half of the picture within which something is seen well, and the least that it has to fill. */
const SIGHT = 0.8;
const SMALL = 0.04;

const FAST_STORE = "pictures";

/** What the last picture cost: draw calls, triangles (shadows too), time of the script [ms]; what is on the card; how many there were. */
export interface Cost {
  pictures: number;
  calls: number;
  triangles: number;
  milliseconds: number;
  buffers: number;
  textures: number;
  programs: number;
}

/** Everything that belongs to one scene and is replaced with it. */
export interface Parts {
  scene: Scene;
  bodies: Bodies;
  lights: Lights;
  sky: SkyDome | SkyBox;
  view: OrbitCamera;
  poses: Float32Array;
}

/** Draws the scene into the canvas, whenever there is something new to see. */
export class Stage {
  readonly frames = new FrameBuffer();
  private readonly renderer: WebGLRenderer;
  private readonly environment: Environment;
  private readonly occlusion: AmbientOcclusion;
  private readonly bloom: Bloom;
  private readonly highlight: Highlight;
  private readonly scene = new Scene();
  private readonly library = new Library(() => {
    this.isSettled = false; // pictures that run with belts go where they belong
    this.isSkyStale = true;
    this.redraw();
  });
  private lamps = "";
  private isSkyStale = false;
  private covered = { left: 0, right: 0 };
  private fog: Fog | FogExp2 | null = null;
  private set: Parts | null = null;
  private marked: number | null = null;
  private readonly listeners: (() => void)[] = [];
  private readonly sceneListeners: (() => void)[] = [];
  private lastCost = 0;
  private drawn = { pictures: 0, calls: 0, triangles: 0 };
  private moveCost = 0;
  private isStale = true;
  private isAhead = false;
  private isSettled = false;
  private lastTick = 0;
  private slowPictures = 0;
  private readonly pace: Pace | null;
  private quality: number;
  private isFast = false;
  private lastDrawing = 0;
  private isFine = false;
  private isFilmed = false;
  private readonly isSoftware: boolean;

  constructor(private readonly canvas: HTMLCanvasElement) {
    const isSoftware = (this.isSoftware = drawsInSoftware());
    document.documentElement.dataset.software = String(isSoftware);
    this.quality = isSoftware ? 2 : 0;
    this.renderer = new WebGLRenderer({
      canvas,
      antialias: !isSoftware,
      powerPreference: "high-performance",
    });
    this.pace = isSoftware ? new Pace(this.renderer.getContext() as WebGL2RenderingContext) : null;
    this.environment = new Environment(this.renderer);
    this.highlight = new Highlight(this.renderer);
    this.occlusion = new AmbientOcclusion(this.renderer);
    this.bloom = new Bloom(this.renderer);
    this.renderer.toneMapping = CustomToneMapping;
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = PCFShadowMap;
    new ResizeObserver(() => this.resize()).observe(canvas);
    requestAnimationFrame((milliseconds) => this.tick(milliseconds));
  }

  /** What is drawn now; null before the first scene. */
  get parts(): Parts | null {
    return this.set;
  }

  /** Call back before each picture, when bodies are in their places. */
  onPicture(listener: () => void): void {
    this.listeners.push(listener);
  }

  /** Call back when another scene is on show. */
  onScene(listener: () => void): void {
    this.sceneListeners.push(listener);
  }

  /** What the last picture cost. */
  get cost(): Cost {
    const { memory, programs } = this.renderer.info;
    return { ...this.drawn, milliseconds: this.lastCost, buffers: memory.geometries, textures: memory.textures, programs: programs?.length ?? 0 };
  }

  /** Draw coarsely and without ambient occlusion, on any machine and in stills too; or as finely as it can. */
  set fast(isFast: boolean) {
    this.isFast = isFast;
    this.resize();
    this.redraw();
  }

  /** Draw again soon. */
  redraw(): void {
    this.isStale = true;
  }

  /** Put a link somewhere until the next frame says where it is. */
  place(link: number, position: Vector3, rotation: Quaternion): void {
    this.set?.bodies.put(link, position, rotation);
    this.isStale = true;
  }

  /** Replace what is drawn; with `keepsView` the camera stays where the user has put it. */
  show(wire: WireScene, keepsView = false): void {
    const old = keepsView ? this.set?.view : undefined;
    const seen = old && { position: old.camera.position.clone(), target: old.controls.target.clone() };
    const followed = this.followed;
    const lamps = JSON.stringify([wire.lights, wire.background, wire.up]);
    const kept = lamps === this.lamps ? this.set?.lights : undefined; // with their shadows
    this.clear(kept);
    this.lamps = lamps;
    const up = vector(wire.up);
    const colors = skyColors(wire.background);
    const bodies = new Bodies(wire, this.library);
    const lights = kept ?? new Lights(wire, bodies.centers());
    const images = wire.background?.images ?? [];
    const sky = images.length ? new SkyBox(up, images.map((index) => bodies.picture(index))) : new SkyDome(up, colors);
    this.library.sweep();
    const view = new OrbitCamera(this.canvas, wire, bodies);
    const { scene } = this;
    this.fog = scene.fog = makeFog(wire.fog);
    scene.add(bodies.group, lights.group, sky);
    this.renderer.toneMappingExposure = Math.min(Math.max(wire.viewpoint.exposure, 0.1), 4);
    const poses = new Float32Array(bodies.width);
    this.set = { scene, bodies, lights, sky, view, poses };
    this.isSkyStale = true;
    view.cover(this.covered.left, this.covered.right);
    if (seen) {
      view.look(seen.position, seen.target);
      view.follow(followed !== null && followed < wire.links.length ? followed : null, bodies);
    } else {
      this.follow(wire.viewpoint.follow);
      view.restore(keptView(wire.name));
    }
    this.sceneListeners.forEach((listener) => listener());
    this.resize();
  }

  /** Take a new frame; it is shown when its time has come. */
  push(frame: Frame): void {
    if (!this.set || frame.poses.length !== this.set.poses.length) return;
    this.frames.push(frame, performance.now() / 1000);
    this.isSettled = false;
  }

  /** Let the camera go along with a link; null stops that. */
  follow(link: number | null): void {
    if (!this.set) return;
    this.set.view.follow(link, this.set.bodies);
    this.isStale = true;
  }

  /** Link that the camera goes along with. */
  get followed(): number | null {
    return this.set?.view.followed ?? null;
  }

  /** Mark a link; null marks none. */
  select(link: number | null): void {
    this.marked = link;
    this.isStale = true;
  }

  /** Link that is marked. */
  get selected(): number | null {
    return this.marked;
  }

  /** Back to the first camera. */
  goHome(): void {
    this.follow(null);
    this.set?.view.goHome();
    this.isStale = true;
  }

  /** Show the marked link in full, unless it is seen well already. */
  bringIntoSight(): void {
    const ball = this.marked === null ? null : this.selectionBall();
    if (!ball || !this.set) return;
    const { camera } = this.set.view;
    const middle = ball.center.clone().project(camera);
    const share = ball.radius / (ball.center.distanceTo(camera.position) * Math.tan((camera.fov * Math.PI) / 360));
    const isSeen = middle.z < 1 && Math.abs(middle.x) < SIGHT && Math.abs(middle.y) < SIGHT && share > SMALL && share < SIGHT;
    if (!isSeen) this.frameSelection();
  }

  /** Show the marked link with all that hangs on it in full; without one, the whole scene. */
  frameSelection(): void {
    const ball = this.selectionBall();
    if (!ball || !this.set) return;
    this.set.view.frame(ball.center, ball.radius);
    this.isStale = true;
  }

  /** Ball around the marked link with all that hangs on it, or around all; null if there is nothing. */
  private selectionBall(): Sphere | null {
    if (!this.set) return null;
    const { bodies } = this.set;
    const { links } = bodies.scene;
    const path = this.marked === null ? null : links[this.marked]!.path;
    const box = new Box3();
    links.forEach((link, index) => {
      const isInside = path !== null && (index === this.marked || link.path.startsWith(`${path}/`));
      const extent = bodies.extent(index);
      if (isInside && !extent.isEmpty()) box.union(extent.clone().applyMatrix4(bodies.matrix(index)));
    });
    const ball = (box.isEmpty() ? bodies.bounds() : box).getBoundingSphere(new Sphere());
    return ball.radius > 0 ? ball : null;
  }

  /** Panels cover these parts of the picture [CSS pixels]: what one looks at stays in the middle of the rest. */
  cover(left: number, right: number): void {
    this.covered = { left, right };
    this.set?.view.cover(left, right);
    this.isStale = true;
  }

  /** Ray through the middle of what panels leave of the picture, or null. */
  middleRay(): Raycaster | null {
    const { clientWidth, clientHeight } = this.canvas;
    return this.ray(clientWidth / 2 + (this.set?.view.shift ?? 0), clientHeight / 2);
  }

  /** Look from a side of the world. */
  lookFrom(side: Side): void {
    this.set?.view.lookFrom(side);
    this.isStale = true;
  }

  /** With perspective, or without. */
  switchPerspective(): void {
    this.set?.view.setFlat(!this.set.view.isFlat);
    this.isStale = true;
  }

  /** Keep the view for the next time that this scene is shown in this tab. */
  keepView(): void {
    const { set } = this;
    if (!set) return;
    try {
      sessionStorage.setItem(`view ${set.bodies.scene.name}`, JSON.stringify(set.view.kept));
    } catch {
      // a frame that may keep nothing
    }
  }

  /** Box around a link in the canvas [CSS pixels]: its middle and its upper edge; null if it is not in sight. */
  screenTop(link: number): Vector2 | null {
    if (!this.set) return null;
    const { bodies, view } = this.set;
    const extent = bodies.extent(link);
    if (extent.isEmpty()) return null;
    const top = new Vector2(0, Infinity);
    const corner = new Vector3();
    for (let k = 0; k < 8; k++) {
      corner.set(k & 1 ? extent.max.x : extent.min.x, k & 2 ? extent.max.y : extent.min.y, k & 4 ? extent.max.z : extent.min.z);
      corner.applyMatrix4(bodies.matrix(link)).project(view.camera);
      if (corner.z > 1) return null;
      top.x += corner.x / 8;
      top.y = Math.min(top.y, -corner.y);
    }
    const { clientWidth, clientHeight } = this.canvas;
    return new Vector2(((top.x + 1) * clientWidth) / 2, ((top.y + 1) * clientHeight) / 2);
  }

  /** Link under a point of the canvas [CSS pixels], or null. */
  pick(x: number, y: number): number | null {
    const ray = this.ray(x, y);
    return ray && this.set ? (this.set.bodies.pick(ray)?.link ?? null) : null;
  }

  /** Ray through a point of the canvas [CSS pixels], or null. */
  ray(x: number, y: number): Raycaster | null {
    if (!this.set) return null;
    const { clientWidth, clientHeight } = this.canvas;
    const place = new Vector2((2 * x) / clientWidth - 1, 1 - (2 * y) / clientHeight);
    const ray = new Raycaster();
    ray.setFromCamera(place, this.set.view.camera);
    return ray;
  }

  /** The picture, drawn as finely as stills are, as a PNG. */
  screenshot(): Promise<Blob | null> {
    this.setDetail(true);
    this.draw(); // the browser clears what was drawn before
    return new Promise((done) => this.canvas.toBlob(done, "image/png"));
  }

  /** Draw every picture as finely as stills are while it is filmed; without a graphics card few would be left. */
  film(isFilmed: boolean): void {
    this.isFilmed = isFilmed && !this.isSoftware;
    this.setDetail(this.isFilmed);
    this.draw();
  }

  /** Whether the picture is finished: nothing moves in it, and it is drawn as finely as stills are. */
  get isAtRest(): boolean {
    return !this.isStale && !this.isAhead && this.isSettled && (this.isFast || this.quality === 0 || this.isFine);
  }

  /** World position of a link as drawn, or null. */
  position(link: number): Vector3 | null {
    return this.set ? new Vector3().setFromMatrixPosition(this.set.bodies.matrix(link)) : null;
  }

  /** Position and orientation of a link as drawn, or null. */
  pose(link: number): { position: Vector3; rotation: Quaternion } | null {
    const position = new Vector3();
    const rotation = new Quaternion();
    this.set?.bodies.matrix(link).decompose(position, rotation, new Vector3());
    return this.set ? { position, rotation } : null;
  }

  /** Where a link is in the canvas [CSS pixels], or null. */
  screenPosition(link: number): Vector2 | null {
    if (!this.set) return null;
    const { bodies, view } = this.set;
    const place = bodies.extent(link).isEmpty()
      ? new Vector3()
      : bodies.extent(link).getCenter(new Vector3());
    place.applyMatrix4(bodies.matrix(link)).project(view.camera);
    const { clientWidth, clientHeight } = this.canvas;
    return new Vector2(((place.x + 1) * clientWidth) / 2, ((1 - place.y) * clientHeight) / 2);
  }

  /** Take the scene away, but for lights that are kept. */
  private clear(kept?: Lights): void {
    if (!this.set) return;
    const { bodies, lights, sky, view } = this.set;
    this.scene.clear();
    bodies.dispose();
    if (lights !== kept) lights.dispose();
    sky.free();
    view.dispose();
    this.frames.clear();
    this.marked = null;
    this.set = null;
  }

  private resize(): void {
    const { clientWidth, clientHeight } = this.canvas;
    this.set?.view.resize(clientWidth, clientHeight);
    this.setDetail(this.isFilmed);
    this.draw();
  }

  /** Set the fineness of the next pictures: as fine as the machine can move, or for a still. */
  private setDetail(isFine: boolean): void {
    const { pixelRatio, shadowSize } = isFine ? STILL_QUALITY : QUALITIES[this.isFast ? QUALITIES.length - 1 : this.quality]!;
    const { clientWidth, clientHeight } = this.canvas;
    this.renderer.setPixelRatio(isFine ? pixelRatio : Math.min(window.devicePixelRatio, pixelRatio));
    this.renderer.setSize(clientWidth, clientHeight, false);
    this.set?.lights.setShadowSize(shadowSize);
    this.isFine = isFine;
  }

  private tick(milliseconds: number): void {
    requestAnimationFrame((next) => this.tick(next));
    if (!this.set) return;
    const now = performance.now() / 1000;
    const seconds = Math.min(milliseconds / 1000 - this.lastTick, 0.5);
    this.lastTick = milliseconds / 1000;
    const { bodies, view, poses } = this.set;
    if (!this.isSettled && this.frames.latest) {
      const began = performance.now();
      this.isSettled = this.frames.sample(now, poses);
      bodies.update(poses);
      this.moveCost = performance.now() - began;
      this.isAhead = true;
    }
    if (view.update(seconds, bodies)) this.isStale = true;
    if (this.isStale || this.isAhead) {
      // what people do is shown at once; motion leaves the simulation its share of a processor that draws
      const { pace } = this;
      if (pace && !(this.isStale ? pace.isDone : pace.isRested)) return;
      if (this.isFine !== this.isFilmed) this.setDetail(this.isFilmed);
      this.draw();
      if (!this.isFilmed) this.adapt(pace ? pace.cost : seconds);
      this.lastDrawing = now;
      return;
    }
    this.slowPictures = 0;
    if (this.quality > 0 && !this.isFast && !this.isFine && now - this.lastDrawing > STILL_DELAY) {
      this.setDetail(true);
      this.draw();
    }
  }

  private draw(): void {
    if (!this.set) return;
    const began = performance.now();
    const { scene, bodies, lights, view } = this.set;
    const { target } = view.controls;
    lights.update(bodies, target, view.distance);
    const fog = view.isFlat ? null : this.fog;
    if (scene.fog !== fog) scene.fog = fog;
    this.listeners.forEach((listener) => listener());
    if (this.isSkyStale) scene.environment = bodies.reflect ? this.environment.draw(this.set.sky, vector(bodies.scene.up)) : null;
    this.isSkyStale = false;
    bodies.face(view.camera);
    this.renderer.render(scene, view.camera);
    const { calls, triangles } = this.renderer.info.render; // what comes after that is the same for every scene
    this.drawn = { pictures: this.drawn.pictures + 1, calls, triangles };
    // without perspective depths are too far away to compare
    if (!view.isFlat && (this.isFine || (this.quality === 0 && !this.isFast))) {
      this.occlusion.draw(scene, view.camera, this.quality === 0 ? 1 : STILL_OCCLUSION, view.distance, [this.set.sky, ...bodies.clear]);
    }
    const { glowing, solid } = bodies.shining();
    if (glowing.length && !this.isFast) this.bloom.draw(scene, view.camera, glowing, solid, bodies.group);
    const marked = this.marked ?? view.followed;
    if (marked !== null) this.highlight.draw(bodies.surfaces(marked), view.camera);
    this.lastCost = performance.now() - began + this.moveCost;
    this.moveCost = 0;
    this.isStale = this.isAhead = false;
    this.pace?.begin();
  }

  /** Draw more coarsely where the machine cannot keep up (no graphics card, large screen). */
  private adapt(seconds: number): void {
    this.slowPictures = seconds > SLOW_PICTURE ? this.slowPictures + 1 : 0;
    if (this.slowPictures < SLOW_PICTURES || this.quality === QUALITIES.length - 1) return;
    this.slowPictures = 0;
    this.quality += 1;
    this.resize();
  }
}

/** Let users choose pictures that cost little; browsers remember it. */
export function offerFastPictures(stage: Stage): void {
  const choice = element("pictures", HTMLSelectElement);
  choice.value = recall(FAST_STORE) === "fast" ? "fast" : "fine";
  stage.fast = choice.value === "fast";
  choice.onchange = () => {
    remember(FAST_STORE, choice.value);
    stage.fast = choice.value === "fast";
  };
}

/** How one looked at a scene last in this tab; empty if that is not known. */
function keptView(name: string): object {
  try {
    return (JSON.parse(sessionStorage.getItem(`view ${name}`) ?? "{}") as object | null) ?? {};
  } catch {
    return {};
  }
}

function makeFog(fog: WireFog | null): Fog | FogExp2 | null {
  if (!fog || fog.visibility_range <= 0) return null;
  const color = wireColor(fog.color);
  if (fog.kind === "linear") return new Fog(color, 0, fog.visibility_range);
  // at the visibility range about 5 % of the light is left
  return new FogExp2(color, Math.sqrt(3) / fog.visibility_range);
}

/** Whether WebGL runs on the processor: then even the first pictures should be cheap. */
function drawsInSoftware(): boolean {
  const gl = document.createElement("canvas").getContext("webgl2");
  if (!gl) return false;
  const info = gl.getExtension("WEBGL_debug_renderer_info");
  const name = String(gl.getParameter(info ? info.UNMASKED_RENDERER_WEBGL : gl.RENDERER));
  gl.getExtension("WEBGL_lose_context")?.loseContext();
  return /swiftshader|llvmpipe|softpipe|software|basic render/i.test(name);
}
