import { AxesHelper, BufferAttribute, EdgesGeometry, GridHelper, Group, LineBasicMaterial, LineSegments, Matrix4, Mesh, MeshBasicMaterial, Object3D, Quaternion, SphereGeometry, Vector3 } from "three";
import { element } from "./elements";
import { FormLibrary } from "./geometry";
import { makeLines } from "./lines";
import { transform, vector } from "./numbers";
import type { WireOutline, WireScene } from "./protocol";
import type { Parts, Stage } from "./stage";
import { SensorDrawings, makeFrustum } from "./views";

const KINDS = ["contacts", "collision", "centres", "axes", "frames", "frustums", "rays", "points", "grid"] as const;
export type OverlayKind = (typeof KINDS)[number];

/** Longest line of a contact force, as a share of the size of the scene. */
const FORCE_SHARE = 0.15;

/** Side of the grid on the ground [m], and its squares along it. */
const GRID = { side: 20, squares: 40 };

/** Edges between faces that meet flatter than this are not drawn [degrees]. */
const EDGE_ANGLE = 5;

/** Part of an overlay that goes along with a link (null = stands in the world). */
interface Rider {
  object: Object3D;
  link: number | null;
  local: Matrix4;
}

/** Optional drawings over the picture: contacts, bounding objects, masses, axes, frames, what sensors see. */
export class Overlays {
  private readonly group = new Group();
  private readonly contacts = makeLines(0xff3b6b);
  private readonly sensors = new SensorDrawings();
  private readonly on = new Set<OverlayKind>();
  /** Whether the user has said if there is to be a grid; else it is there where nothing else is below bodies. */
  private hasChosenGrid = false;
  /** What goes along with links, made when it is first shown. */
  private readonly riders = new Map<OverlayKind, Rider[]>();
  private size = 1;
  private forms: FormLibrary | null = null;
  private outline: WireOutline | null = null;

  constructor(
    private readonly stage: Stage,
    onChange: (kind: OverlayKind, isOn: boolean) => void,
  ) {
    for (const kind of KINDS) {
      element(`overlay-${kind}`, HTMLInputElement).onchange = (event) => {
        const { checked } = event.target as HTMLInputElement;
        this.set(kind, checked);
        this.hasChosenGrid ||= kind === "grid";
        onChange(kind, checked);
        this.place();
        stage.redraw();
      };
    }
    this.group.add(this.contacts, this.sensors.group);
    stage.onPicture(() => this.place());
    stage.onScene(() => this.clear());
  }

  private set(kind: OverlayKind, isOn: boolean): void {
    if (isOn) this.on.add(kind);
    else this.on.delete(kind);
  }

  /** Whether an overlay is switched on. */
  isOn(kind: OverlayKind): boolean {
    return this.on.has(kind);
  }

  show(outline: WireOutline): void {
    this.outline = outline;
    this.clear();
    this.place();
    this.stage.redraw();
  }

  /** Draw contact points and forces: six numbers each. */
  drawContacts(numbers: number[]): void {
    const forces: number[] = [];
    for (let k = 0; k < numbers.length; k += 6) forces.push(Math.hypot(numbers[k + 3]!, numbers[k + 4]!, numbers[k + 5]!));
    const scale = (FORCE_SHARE * this.size) / Math.max(...forces, 1e-9);
    const points = new Float32Array(numbers.length);
    const up = this.stage.parts?.bodies.scene.up ?? [0, 0, 1];
    for (let k = 0; k < numbers.length; k += 6) {
      // of the two forces the one on the upper body: into the ground it could not be seen
      const rise = up.reduce((sum, part, i) => sum + part * numbers[k + 3 + i]!, 0);
      for (let i = 0; i < 3; i++) {
        points[k + i] = numbers[k + i]!;
        points[k + 3 + i] = numbers[k + i]! + (rise < 0 ? -scale : scale) * numbers[k + 3 + i]!;
      }
    }
    this.contacts.geometry.setAttribute("position", new BufferAttribute(points, 3));
    this.contacts.userData.count = numbers.length / 6;
    this.stage.redraw();
  }

  /** Draw rays of distance sensors: seven numbers each. */
  drawRays(numbers: Float32Array): void {
    this.sensors.drawRays(numbers);
    this.stage.redraw();
  }

  /** Draw points that sensors see: three numbers each. */
  drawPoints(numbers: Float32Array): void {
    this.sensors.drawPoints(numbers);
    this.stage.redraw();
  }

  /** How many things of a kind are drawn, for tests. */
  count(kind: OverlayKind): number {
    if (!this.on.has(kind)) return 0;
    if (kind === "contacts") return Number(this.contacts.userData.count ?? 0);
    if (kind === "rays") return this.sensors.rayCount;
    if (kind === "points") return this.sensors.pointCount;
    return this.riders.get(kind)?.length ?? 0;
  }

  /** The scene is another one: nothing of the old one may stay. */
  private clear(): void {
    for (const riders of this.riders.values()) riders.forEach(({ object }) => object.removeFromParent());
    this.riders.clear();
    this.forms?.dispose();
    this.forms = null;
    const { parts } = this.stage;
    if (!parts) return;
    const bounds = parts.bodies.bounds();
    this.size = bounds.isEmpty() ? 1 : Math.min(bounds.getSize(new Vector3()).length(), 5);
    parts.scene.add(this.group);
    if (this.hasChosenGrid) return;
    const isBare = isWithoutGround(parts.bodies.scene);
    this.set("grid", isBare);
    element("overlay-grid", HTMLInputElement).checked = isBare;
  }

  private make(kind: OverlayKind, parts: Parts, outline: WireOutline): Rider[] {
    const { scene } = parts.bodies;
    switch (kind) {
      case "centres": {
        const ball = new SphereGeometry(0.008 * this.size, 12, 8);
        const yellow = new MeshBasicMaterial({ color: 0xffd21a, depthTest: false, transparent: true, toneMapped: false });
        return outline.masses
          .filter(({ link }) => scene.links[link]?.dynamic)
          .map(({ link, center }) => ({ object: new Mesh(ball, yellow), link, local: new Matrix4().makeTranslation(vector(center)) }));
      }
      case "axes":
        return outline.joints.map(({ axis, parent, anchor }) => {
          const line = makeLines(0x1aff9c);
          const half = vector(axis).multiplyScalar(0.06 * this.size);
          line.geometry.setFromPoints([half.clone().negate(), half]);
          return { object: line, link: parent, local: new Matrix4().makeTranslation(vector(anchor)) };
        });
      case "frames":
        return scene.links.map((_, link) => ({ object: new AxesHelper(0.05 * this.size), link, local: new Matrix4() }));
      case "frustums":
        return scene.views.map((view) => ({
          object: makeFrustum(view, 0.25 * this.size),
          link: view.link,
          local: transform(view.position, view.rotation, new Vector3(1, 1, 1)),
        }));
      case "grid": {
        const grid = new GridHelper(GRID.side, GRID.squares, 0xb8bcc8, 0x8a8f9e);
        Object.assign(grid.material, { transparent: true, opacity: 0.8, toneMapped: false });
        const turn = new Quaternion().setFromUnitVectors(new Vector3(0, 1, 0), vector(scene.up));
        return [{ object: grid, link: null, local: new Matrix4().makeRotationFromQuaternion(turn) }];
      }
      case "collision":
        return this.makeBounding(parts);
      default:
        return []; // not bound to links
    }
  }

  /** The edges of bounding objects. */
  private makeBounding({ bodies: { scene } }: Parts): Rider[] {
    const forms = (this.forms = new FormLibrary({ isCoarse: true }));
    const white = new LineBasicMaterial({ color: 0xffffff, transparent: true, opacity: 0.75, toneMapped: false });
    const edges = new Map<string, EdgesGeometry>();
    const riders: Rider[] = [];
    for (const shape of scene.shapes) {
      const geometry = scene.geometries[shape.geometry]!;
      if (!shape.collides || geometry.kind === "plane") continue;
      const form = forms.form(geometry);
      if (form.kind !== "surface") continue;
      const lines = edges.get(form.key) ?? new EdgesGeometry(form.buffer, EDGE_ANGLE);
      edges.set(form.key, lines);
      const size = form.scale.clone().multiply(vector(shape.scale));
      riders.push({ object: new LineSegments(lines, white), link: shape.link, local: transform(shape.position, shape.rotation, size) });
    }
    return riders;
  }

  private place(): void {
    const { parts } = this.stage;
    this.contacts.visible = this.on.has("contacts");
    this.sensors.show(this.on.has("rays"), this.on.has("points"));
    if (!parts || !this.outline) return;
    for (const kind of KINDS) {
      const isOn = this.on.has(kind);
      if (isOn && !this.riders.has(kind)) this.add(kind, this.make(kind, parts, this.outline));
      for (const { object, link, local } of this.riders.get(kind) ?? []) {
        object.visible = isOn;
        if (!isOn) continue;
        object.matrix.copy(local);
        if (link !== null) object.matrix.premultiply(parts.bodies.matrix(link));
        object.matrixWorldNeedsUpdate = true;
      }
    }
  }

  private add(kind: OverlayKind, riders: Rider[]): void {
    this.riders.set(kind, riders);
    for (const { object } of riders) {
      object.renderOrder = 10;
      object.matrixAutoUpdate = false;
      object.frustumCulled = false;
      this.group.add(object);
    }
  }
}

/** Whether all that is drawn of a scene can move: a robot alone, which would hang in the air. */
function isWithoutGround({ shapes, links }: WireScene): boolean {
  return shapes.length > 0 && shapes.every((shape) => shape.collision_only || links[shape.link]!.moving);
}
