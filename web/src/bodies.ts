import {
  Box3,
  BufferGeometry,
  Group,
  InstancedMesh,
  LineBasicMaterial,
  LineSegments,
  Matrix4,
  Mesh,
  MeshStandardMaterial,
  Points,
  PointsMaterial,
  Quaternion,
  Raycaster,
  Vector3,
} from "three";
import type { Camera, Material, Object3D, Texture } from "three";
import { DIM } from "./bloom";
import type { Glowing } from "./bloom";
import { Coat } from "./coat";
import { Belt, Muscle } from "./flexible";
import type { Placement } from "./flexible";
import type { Form } from "./geometry";
import type { Surface } from "./highlight";
import { color as wireColor, transform, vector } from "./numbers";
import { POSE_FLOATS } from "./protocol";
import type { Library } from "./library";
import { LiveLook } from "./livelook";
import type { LookSeen } from "./livelook";
import type { EventLooks, WireMaterial, WireScene, WireShape } from "./protocol";
import { makeSurface, surfaceKey } from "./surface";
import type { SurfaceMaterial } from "./surface";

/** Shapes that one draw call draws: same form, same surface but for the colour. */
interface Batch {
  object: InstancedMesh | Mesh | LineSegments | Points;
  placements: Placement[];
  isMoving: boolean;
  /** Its shapes move on their links. */
  isFlexible: boolean;
  isPickable: boolean;
}

const UNIT = new Vector3(1, 1, 1);
/** Turns the axes of a viewer (x forward, y left, z up) into those of a camera (x right, y up, z back). */
const TO_CAMERA = new Quaternion().setFromRotationMatrix(
  new Matrix4().makeBasis(new Vector3(0, 0, -1), new Vector3(-1, 0, 0), new Vector3(0, 1, 0)),
);
/** Makes a shape too small to be seen. */
const NOTHING = new Matrix4().makeScale(0, 0, 0);

/** Draws all links of a scene and moves them. */
export class Bodies {
  /** To be put into the three.js scene. */
  readonly group = new Group();
  /** Indices of the links whose poses come with frames, in the order of frames. */
  readonly moving: number[] = [];
  /** Indices of the links that follow the view. */
  private readonly facing: number[] = [];
  private readonly matrices: Matrix4[];
  private readonly extents: Box3[];
  private readonly batches: Batch[] = [];
  private readonly live = new Map<number, LiveLook>();
  /** Layers of paint, by number of the shape. */
  private readonly coats = new Map<number, Coat>();
  /** Where the shapes of the scene are drawn; none for those that only collide. */
  private readonly drawn: ({ batch: Batch; placement: Placement } | undefined)[] = [];
  private readonly muscles: Muscle[] = [];
  private readonly belts: Belt[] = [];
  private hidden: number[] = [];

  constructor(
    readonly scene: WireScene,
    private readonly library: Library,
  ) {
    this.matrices = scene.links.map((link) => transform(link.position, link.rotation, UNIT));
    this.extents = scene.links.map(() => new Box3());
    scene.links.forEach((link, index) => {
      if (link.moving) this.moving.push(index);
      if (link.follows_view) this.facing.push(index);
    });
    this.build();
    for (const wire of scene.muscles) {
      const muscle = new Muscle(wire, this.drawn[wire.shape]!.placement);
      muscle.update(this.matrices);
      this.muscles.push(muscle);
    }
    for (const wire of scene.belts) {
      const elements = Array.from({ length: wire.count }, (_, k) => this.drawn[wire.first_shape + k]!.placement);
      this.belts.push(new Belt(wire, elements));
    }
    this.run(new Float32Array(this.belts.length));
    for (const batch of this.batches) this.place(batch);
  }

  /** How many numbers a frame has: poses of moving links, travels of belts. */
  get width(): number {
    return POSE_FLOATS * this.moving.length + this.belts.length;
  }

  /** Put the moving links where `poses` (x y z qw qx qy qz each) says; then follows how far belts have run [m]. */
  update(poses: Float32Array): void {
    this.moving.forEach((link, i) => {
      const at = POSE_FLOATS * i;
      position.set(poses[at]!, poses[at + 1]!, poses[at + 2]!);
      rotation.set(poses[at + 4]!, poses[at + 5]!, poses[at + 6]!, poses[at + 3]!);
      this.matrices[link]!.compose(position, rotation, UNIT);
    });
    for (const muscle of this.muscles) muscle.update(this.matrices);
    this.run(poses.subarray(POSE_FLOATS * this.moving.length));
    for (const batch of this.batches) if (batch.isMoving) this.place(batch);
  }

  /** Put one link somewhere. */
  put(link: number, position: Vector3, rotation: Quaternion): void {
    this.matrices[link]!.compose(position, rotation, UNIT);
    for (const muscle of this.muscles) if (muscle.links.includes(link)) muscle.update(this.matrices);
    for (const batch of this.batches) if (batch.isFlexible || batch.placements.some((item) => item.link === link)) this.place(batch);
  }

  /** Put what follows the view before the eye of a camera. */
  face(camera: Camera): void {
    this.facing.forEach((link) => this.put(link, camera.position, rotation.copy(camera.quaternion).multiply(TO_CAMERA)));
  }

  /** Whether surfaces reflect what is around them; matt ones do not. */
  get reflect(): boolean {
    return this.batches.some(({ object }) => object.material instanceof MeshStandardMaterial);
  }

  /** What one can see through. */
  get clear(): Object3D[] {
    return this.batches.flatMap(({ object }) => ((object.material as Material).transparent ? [object] : []));
  }

  /** What gives off light, and what is solid and may hide it. */
  shining(): { glowing: Glowing[]; solid: Mesh[] } {
    const glowing: Glowing[] = [];
    const solid: Mesh[] = [];
    for (const { object, placements } of this.batches) {
      if (!(object instanceof Mesh) || placements.every((placement) => placement.isHidden)) continue;
      const { emissive, emissiveMap, transparent, alphaTest } = object.material as SurfaceMaterial;
      if (Math.max(emissive?.r ?? 0, emissive?.g ?? 0, emissive?.b ?? 0) > DIM) glowing.push({ object, emissive, picture: emissiveMap });
      else if (!transparent && alphaTest === 0) solid.push(object);
    }
    return { glowing, solid };
  }

  /** World transform of a link as it is drawn now. */
  matrix(link: number): Matrix4 {
    return this.matrices[link]!;
  }

  /** Box around the shapes of a link, in its own frame; empty if it has none. */
  extent(link: number): Box3 {
    return this.extents[link]!;
  }

  /** Box around all links in the world; without planes, which may be endless, where possible. */
  bounds(): Box3 {
    const box = new Box3();
    this.extents.forEach((extent, link) => {
      if (!extent.isEmpty()) box.union(extent.clone().applyMatrix4(this.matrices[link]!));
    });
    return box;
  }

  /** Middles of all links that have shapes, in the world; of a scene without any, its origin. */
  centers(): Vector3[] {
    const found = this.extents.flatMap((extent, link) => (extent.isEmpty() ? [] : [extent.getCenter(new Vector3()).applyMatrix4(this.matrices[link]!)]));
    return found.length ? found : [new Vector3()];
  }

  /** Link that the ray hits first, and the point; null if it hits nothing that can be picked. */
  pick(ray: Raycaster): { link: number; point: Vector3 } | null {
    let nearest: { link: number; point: Vector3; distance: number } | null = null;
    for (const { object, placements, isPickable } of this.batches) {
      if (!isPickable || !object.visible) continue;
      if (object instanceof InstancedMesh) object.boundingSphere = null; // bodies have moved
      const hit = ray.intersectObject(object, false).find((item) => !placements[item.instanceId ?? 0]!.isHidden);
      if (hit && (!nearest || hit.distance < nearest.distance)) {
        const { link } = placements[hit.instanceId ?? 0]!;
        nearest = { link, point: hit.point, distance: hit.distance };
      }
    }
    return nearest;
  }

  /** One of the scene's pictures, as it is. */
  picture(index: number): Texture {
    return this.library.textures.get(this.scene.textures[index], [])!;
  }

  /** Show what programs have done to how shapes look. */
  showLooks({ glows, tints, hidden }: EventLooks): void {
    for (const { shape, color } of glows) this.live.get(shape)?.glow(color);
    for (const { shape, color } of tints) this.live.get(shape)?.tint(color);
    if (hidden.join() !== this.hidden.join()) this.hide(hidden);
  }

  /** World transform of a shape as it is drawn now, by its number; null if it is not drawn. */
  shapeMatrix(shape: number): Matrix4 | null {
    const found = this.drawn[shape]?.placement;
    return found ? new Matrix4().multiplyMatrices(this.matrices[found.link]!, found.local) : null;
  }

  /** The surfaces of a link as they are drawn now; none of planes, which may be endless. */
  surfaces(link: number): Surface[] {
    return this.drawn.flatMap((found, number) => {
      if (found?.placement.link !== link || found.placement.isHidden || !(found.batch.object instanceof Mesh)) return [];
      if (this.scene.geometries[this.scene.shapes[number]!.geometry]!.kind === "plane") return [];
      return [{ buffer: found.batch.object.geometry, matrix: new Matrix4().multiplyMatrices(this.matrices[link]!, found.placement.local) }];
    });
  }

  /** Numbers of the shapes that nobody sees for now. */
  get unseen(): number[] {
    return this.hidden;
  }

  /** Cover a shape with a picture. */
  paint(shape: number, picture: ImageBitmap): void {
    this.live.get(shape)?.paint(picture);
  }

  /** Lay paint over a shape. */
  coat(shape: number, picture: ImageBitmap): void {
    let coat = this.coats.get(shape);
    if (!coat) {
      const found = this.drawn[shape];
      const { kind, buffer } = this.library.forms.form(this.scene.geometries[this.scene.shapes[shape]!.geometry]!);
      if (!found || kind !== "surface" || !buffer.hasAttribute("uv")) return;
      coat = new Coat(buffer, this.scene.geometries[this.scene.shapes[shape]!.geometry]!.kind);
      this.coats.set(shape, coat);
      const batch = { ...found.batch, object: coat.object, placements: [found.placement], isPickable: false };
      this.batches.push(batch);
      this.group.add(coat.object);
      this.place(batch);
    }
    coat.show(picture);
  }

  /** Whether paint lies over a shape; for tests. */
  isCoated(shape: number): boolean {
    return this.coats.has(shape);
  }

  /** How shapes look that may change, by number of the shape; for tests. */
  liveLook(shape: number): LookSeen | null {
    return this.live.get(shape)?.seen ?? null;
  }

  /** Free the graphics memory. */
  dispose(): void {
    for (const look of this.live.values()) look.dispose();
    for (const coat of this.coats.values()) coat.dispose();
    for (const { object } of this.batches) if (object instanceof InstancedMesh) object.dispose();
    this.group.clear();
  }

  /** Let belts run on to their travels. */
  private run(travels: Float32Array): void {
    this.belts.forEach((belt, k) => {
      if (!belt.update(travels[k]!)) return;
      for (const shape of belt.wire.slides) this.live.get(shape)?.slide(...belt.slide);
    });
  }

  /** Leave out these shapes, and no others. */
  private hide(hidden: number[]): void {
    const changed = new Set<Batch>();
    for (const [numbers, isHidden] of [[this.hidden, false], [hidden, true]] as const) {
      for (const number of numbers) {
        const found = this.drawn[number];
        if (!found) continue;
        found.placement.isHidden = isHidden;
        changed.add(found.batch);
      }
    }
    this.hidden = hidden;
    for (const batch of changed) this.place(batch);
  }

  private build(): void {
    const gathered = new Map<string, { form: Form; shape: WireShape; index: number; placements: Placement[]; shapes: number[]; isFlexible: boolean }>();
    const { muscles, belts, shapes, geometries } = this.scene;
    this.library.forms.fit(shapes.filter((shape) => !shape.collision_only).map((shape) => geometries[shape.geometry]!));
    const flexible = new Set(muscles.map((muscle) => muscle.shape));
    for (const { first_shape, count } of belts) for (let k = 0; k < count; k++) flexible.add(first_shape + k);
    this.scene.shapes.forEach((shape, index) => {
      if (shape.collision_only) return;
      const geometry = this.scene.geometries[shape.geometry]!;
      const material = this.scene.materials[shape.material]!;
      const form = this.library.forms.form(geometry);
      const scale = form.scale.clone().multiply(vector(shape.scale));
      const local = transform(shape.position, shape.rotation, scale);
      const isFlexible = flexible.has(index);
      const isMoving = this.scene.links[shape.link]!.moving || isFlexible;
      if (geometry.kind !== "plane" && !isFlexible && !this.scene.links[shape.link]!.follows_view) {
        const box = form.buffer.boundingBox!.clone().applyMatrix4(local);
        this.extents[shape.link]!.union(box);
      }
      // clear ones are sorted by depth, live ones change by themselves: each alone
      const isAlone = material.opacity < 1 || form.kind !== "surface" || shape.live;
      const key = isAlone
        ? `alone${index}`
        : [form.key, form.isTwoSided, surfaceKey(material, this.scene.textures), shape.casts_shadows, shape.pickable, isMoving, isFlexible].join();
      const placement = { link: shape.link, local, color: wireColor(material.color), isHidden: false };
      const entry = gathered.get(key);
      if (entry) {
        entry.placements.push(placement);
        entry.shapes.push(index);
      } else gathered.set(key, { form, shape, index, placements: [placement], shapes: [index], isFlexible });
    });
    for (const { form, shape, index, placements, shapes, isFlexible } of gathered.values()) {
      const batch = this.addBatch(form, shape, index, placements, isFlexible);
      shapes.forEach((number, k) => (this.drawn[number] = { batch, placement: placements[k]! }));
    }
  }

  private addBatch(form: Form, shape: WireShape, index: number, placements: Placement[], isFlexible: boolean): Batch {
    const material = this.scene.materials[shape.material]!;
    const object = this.makeObject(form, material, placements, shape.live ? index : null);
    object.matrixAutoUpdate = false;
    object.frustumCulled = false; // one call for many bodies: nearly always in sight
    object.castShadow = shape.casts_shadows && material.opacity > 0.5 && form.kind === "surface";
    object.receiveShadow = true;
    const isMoving = this.scene.links[shape.link]!.moving || isFlexible;
    const batch = { object, placements, isMoving, isFlexible, isPickable: shape.pickable };
    this.batches.push(batch);
    this.group.add(object);
    return batch;
  }

  private makeObject(
    form: Form,
    material: WireMaterial,
    placements: Placement[],
    live: number | null,
  ): InstancedMesh | Mesh | LineSegments | Points {
    const color = placements[0]!.color;
    const buffer: BufferGeometry = form.buffer;
    if (form.kind === "lines") {
      return new LineSegments(buffer, this.library.material(`lines${color.getHex()}`, () => new LineBasicMaterial({ color })));
    }
    if (form.kind === "points") {
      const vertexColors = buffer.hasAttribute("color");
      const make = () => new PointsMaterial({ color: vertexColors ? "white" : color, vertexColors, size: 3, sizeAttenuation: false });
      return new Points(buffer, this.library.material(`points${color.getHex()}${vertexColors}`, make));
    }
    const { textures } = this.library;
    const hasPlaces = buffer.hasAttribute("uv");
    const find = (index: number | null, matrix: number[], isColor: boolean): Texture | null =>
      textures.get(index === null ? undefined : this.scene.textures[index], matrix, { isColor });
    const isCut = hasPlaces && material.texture !== null && !this.scene.textures[material.texture]!.opaque;
    const look = { isTwoSided: form.isTwoSided, picture: hasPlaces ? find : null, isCut };
    if (live !== null) {
      const own = makeSurface(material, { color }, look);
      this.live.set(live, new LiveLook(own, material));
      return new Mesh(buffer, own);
    }
    if (material.opacity < 1) {
      const make = () => makeSurface(material, { color }, look);
      return new Mesh(buffer, this.library.material(`clear${surfaceKey(material, this.scene.textures)}${color.getHex()}${form.isTwoSided}${hasPlaces}`, make));
    }
    const make = () => makeSurface(material, "instance", look);
    const mesh = new InstancedMesh(
      buffer,
      this.library.material(`${surfaceKey(material, this.scene.textures)}${form.isTwoSided}${hasPlaces}`, make),
      placements.length,
    );
    placements.forEach((placement, i) => mesh.setColorAt(i, placement.color));
    return mesh;
  }

  private place({ object, placements }: Batch): void {
    if (object instanceof InstancedMesh) {
      const target = object.instanceMatrix.array as Float32Array;
      placements.forEach(({ link, local, isHidden }, i) => {
        if (isHidden) NOTHING.toArray(target, 16 * i);
        else world.multiplyMatrices(this.matrices[link]!, local).toArray(target, 16 * i);
      });
      object.instanceMatrix.needsUpdate = true;
    } else {
      const { link, local, isHidden } = placements[0]!;
      object.visible = !isHidden;
      object.matrix.multiplyMatrices(this.matrices[link]!, local);
      object.matrixWorldNeedsUpdate = true;
    }
  }
}

// scratch, to keep the frame loop free of garbage
const position = new Vector3();
const rotation = new Quaternion();
const world = new Matrix4();
