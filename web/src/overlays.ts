import { AxesHelper, BufferAttribute, BufferGeometry, Group, LineBasicMaterial, LineSegments, Matrix4, Mesh, MeshBasicMaterial, Object3D, SphereGeometry, Vector3 } from "three";
import { element } from "./elements";
import { FormLibrary } from "./geometry";
import { transform, vector } from "./numbers";
import type { WireOutline, WireScene } from "./protocol";
import type { Stage } from "./stage";

const KINDS = ["contacts", "collision", "centres", "axes", "frames"] as const;
type Kind = (typeof KINDS)[number];

/** Longest line of a contact force, as a share of the size of the scene. */
const FORCE_SHARE = 0.15;

/** Optional drawings over the picture: contacts and forces, bounding objects, masses, axes, frames. */
export class Overlays {
  private readonly group = new Group();
  private readonly contacts = makeLines(0xff3b6b);
  private readonly riders: { object: Object3D; link: number | null; local: Matrix4; kind: Kind }[] = [];
  private readonly on = new Set<Kind>();
  private size = 1;
  private forms: FormLibrary | null = null;
  private outline: WireOutline | null = null;

  constructor(
    private readonly stage: Stage,
    wantContacts: (isOn: boolean) => void,
  ) {
    for (const kind of KINDS) {
      element(`overlay-${kind}`, HTMLInputElement).onchange = (event) => {
        const { checked } = event.target as HTMLInputElement;
        if (checked) this.on.add(kind);
        else this.on.delete(kind);
        if (kind === "contacts") wantContacts(checked);
        this.place();
        stage.redraw();
      };
    }
    this.group.add(this.contacts);
    stage.onPicture(() => this.place());
  }

  show(outline: WireOutline): void {
    this.outline = outline;
    this.build();
  }

  /** Draw contact points and forces: six numbers each. */
  drawContacts(numbers: number[]): void {
    const forces: number[] = [];
    for (let k = 0; k < numbers.length; k += 6) forces.push(Math.hypot(numbers[k + 3]!, numbers[k + 4]!, numbers[k + 5]!));
    const scale = (FORCE_SHARE * this.size) / Math.max(...forces, 1e-9);
    const points = new Float32Array(numbers.length);
    for (let k = 0; k < numbers.length; k += 6) {
      for (let i = 0; i < 3; i++) {
        points[k + i] = numbers[k + i]!;
        // forces act on the second body; upwards is easier to see than into the ground
        points[k + 3 + i] = numbers[k + i]! + scale * numbers[k + 3 + i]!;
      }
    }
    this.contacts.geometry.setAttribute("position", new BufferAttribute(points, 3));
    this.contacts.userData.count = numbers.length / 6;
    this.stage.redraw();
  }

  /** How many contact points are drawn, for tests. */
  get contactCount(): number {
    return this.on.has("contacts") ? Number(this.contacts.userData.count ?? 0) : 0;
  }

  private build(): void {
    const { parts } = this.stage;
    if (!parts || !this.outline) return;
    this.riders.forEach(({ object }) => object.removeFromParent());
    this.riders.length = 0;
    const bounds = parts.bodies.bounds();
    this.size = bounds.isEmpty() ? 1 : Math.min(bounds.getSize(new Vector3()).length(), 5);
    const ball = new SphereGeometry(0.012 * this.size, 12, 8);
    const yellow = new MeshBasicMaterial({ color: 0xffd21a, depthTest: false, transparent: true, toneMapped: false });
    for (const { link, center } of this.outline.masses) {
      if (parts.bodies.scene.links[link]?.dynamic) this.add(new Mesh(ball, yellow), link, new Matrix4().makeTranslation(vector(center)), "centres");
    }
    for (const joint of this.outline.joints) {
      const line = makeLines(0x1aff9c);
      const half = vector(joint.axis).multiplyScalar(0.06 * this.size);
      line.geometry.setFromPoints([half.clone().negate(), half]);
      this.add(line, joint.parent, new Matrix4().makeTranslation(vector(joint.anchor)), "axes");
    }
    parts.bodies.scene.links.forEach((_, link) => this.add(new AxesHelper(0.05 * this.size), link, new Matrix4(), "frames"));
    parts.scene.add(this.group);
    this.addBounding(parts.bodies.scene);
    this.place();
  }

  /** Bounding objects as wire frames. */
  private addBounding(scene: WireScene): void {
    this.forms?.dispose();
    const forms = (this.forms = new FormLibrary());
    const wires = new MeshBasicMaterial({ color: 0xffffff, wireframe: true, transparent: true, opacity: 0.5, toneMapped: false });
    for (const shape of scene.shapes) {
      const geometry = scene.geometries[shape.geometry]!;
      if (!shape.collides || geometry.kind === "plane") continue;
      const form = forms.form(geometry, shape.geometry);
      if (form.kind !== "surface") continue;
      const size = form.scale.clone().multiply(vector(shape.scale));
      this.add(new Mesh(form.buffer, wires), shape.link, transform(shape.position, shape.rotation, size), "collision");
    }
  }

  private add(object: Object3D, link: number | null, local: Matrix4, kind: Kind): void {
    object.renderOrder = 10;
    object.matrixAutoUpdate = false;
    object.frustumCulled = false;
    this.riders.push({ object, link, local, kind });
    this.group.add(object);
  }

  private place(): void {
    const { parts } = this.stage;
    this.contacts.visible = this.on.has("contacts");
    for (const { object, link, local, kind } of this.riders) {
      object.visible = this.on.has(kind);
      if (!object.visible || !parts) continue;
      object.matrix.copy(local);
      if (link !== null) object.matrix.premultiply(parts.bodies.matrix(link));
      object.matrixWorldNeedsUpdate = true;
    }
  }
}

function makeLines(color: number): LineSegments {
  const material = new LineBasicMaterial({ color, depthTest: false, transparent: true, toneMapped: false });
  const lines = new LineSegments(new BufferGeometry(), material);
  lines.frustumCulled = false;
  lines.renderOrder = 10;
  return lines;
}
