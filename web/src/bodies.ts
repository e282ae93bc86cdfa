import {
  Box3,
  BufferGeometry,
  Color,
  Group,
  InstancedMesh,
  LineBasicMaterial,
  LineSegments,
  Matrix4,
  Mesh,
  Points,
  PointsMaterial,
  Quaternion,
  Raycaster,
  Vector3,
} from "three";
import type { Texture } from "three";
import type { Form } from "./geometry";
import { color as wireColor, transform, vector } from "./numbers";
import { POSE_FLOATS } from "./protocol";
import type { Library } from "./library";
import { LiveLook } from "./livelook";
import type { EventLooks, WireMaterial, WireScene, WireShape } from "./protocol";
import { makeSurface, surfaceKey } from "./surface";

/** One shape inside a batch: whose it is, and where on its link. */
interface Placement {
  link: number;
  local: Matrix4;
  color: Color;
}

/** Shapes that one draw call draws: same form, same surface but for the colour. */
interface Batch {
  object: InstancedMesh | Mesh | LineSegments | Points;
  placements: Placement[];
  isMoving: boolean;
  isPickable: boolean;
}

const UNIT = new Vector3(1, 1, 1);

/** Draws all links of a scene and moves them. */
export class Bodies {
  /** To be put into the three.js scene. */
  readonly group = new Group();
  /** Indices of the links whose poses come with frames, in the order of frames. */
  readonly moving: number[] = [];
  private readonly up: Vector3;
  private readonly matrices: Matrix4[];
  private readonly extents: Box3[];
  private readonly batches: Batch[] = [];
  private readonly live = new Map<number, LiveLook>();

  constructor(
    readonly scene: WireScene,
    private readonly library: Library,
  ) {
    this.up = vector(scene.up);
    this.matrices = scene.links.map((link) => transform(link.position, link.rotation, UNIT));
    this.extents = scene.links.map(() => new Box3());
    scene.links.forEach((link, index) => {
      if (link.moving) this.moving.push(index);
    });
    this.build();
    for (const batch of this.batches) this.place(batch);
  }

  /** Put the moving links where `poses` (x y z qw qx qy qz each) says. */
  update(poses: Float32Array): void {
    this.moving.forEach((link, i) => {
      const at = POSE_FLOATS * i;
      position.set(poses[at]!, poses[at + 1]!, poses[at + 2]!);
      rotation.set(poses[at + 4]!, poses[at + 5]!, poses[at + 6]!, poses[at + 3]!);
      this.matrices[link]!.compose(position, rotation, UNIT);
    });
    for (const batch of this.batches) if (batch.isMoving) this.place(batch);
  }

  /** Put one link somewhere. */
  put(link: number, position: Vector3, rotation: Quaternion): void {
    this.matrices[link]!.compose(position, rotation, UNIT);
    for (const batch of this.batches) if (batch.placements.some((item) => item.link === link)) this.place(batch);
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

  /** Link that the ray hits first, and the point; null if it hits nothing that can be picked. */
  pick(ray: Raycaster): { link: number; point: Vector3 } | null {
    let nearest: { link: number; point: Vector3; distance: number } | null = null;
    for (const { object, placements, isPickable } of this.batches) {
      if (!isPickable || !object.visible) continue;
      if (object instanceof InstancedMesh) object.boundingSphere = null; // bodies have moved
      const hit = ray.intersectObject(object, false)[0];
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
  showLooks({ glows, slides }: EventLooks): void {
    for (const { shape, color } of glows) this.live.get(shape)?.glow(color);
    for (const { shape, u, v } of slides) this.live.get(shape)?.slide(u, v);
  }

  /** Cover a shape with a picture. */
  paint(shape: number, picture: ImageBitmap): void {
    this.live.get(shape)?.paint(picture);
  }

  /** How shapes look that may change, by number of the shape; for tests. */
  liveLook(shape: number): { glow: string; isPainted: boolean; slide: [number, number] } | null {
    return this.live.get(shape)?.seen ?? null;
  }

  /** Free the graphics memory. */
  dispose(): void {
    for (const look of this.live.values()) look.dispose();
    for (const { object } of this.batches) if (object instanceof InstancedMesh) object.dispose();
    this.group.clear();
  }

  private build(): void {
    const gathered = new Map<string, { form: Form; shape: WireShape; index: number; placements: Placement[] }>();
    this.scene.shapes.forEach((shape, index) => {
      if (shape.collision_only) return;
      const geometry = this.scene.geometries[shape.geometry]!;
      const material = this.scene.materials[shape.material]!;
      const form = this.library.forms.form(geometry);
      const scale = form.scale.clone().multiply(vector(shape.scale));
      const local = transform(shape.position, shape.rotation, scale);
      const isMoving = this.scene.links[shape.link]!.moving;
      if (geometry.kind !== "plane") {
        const box = form.buffer.boundingBox!.clone().applyMatrix4(local);
        this.extents[shape.link]!.union(box);
      }
      // clear ones are sorted by depth, live ones change by themselves: each alone
      const isAlone = material.opacity < 1 || form.kind !== "surface" || shape.live;
      const key = isAlone
        ? `alone${index}`
        : [form.key, form.isTwoSided, surfaceKey(material, this.scene.textures), shape.casts_shadows, shape.pickable, isMoving].join();
      const color = wireColor(material.color);
      const entry = gathered.get(key);
      if (entry) entry.placements.push({ link: shape.link, local, color });
      else gathered.set(key, { form, shape, index, placements: [{ link: shape.link, local, color }] });
    });
    for (const { form, shape, index, placements } of gathered.values()) {
      this.addBatch(form, shape, index, placements);
    }
  }

  private addBatch(form: Form, shape: WireShape, index: number, placements: Placement[]): void {
    const material = this.scene.materials[shape.material]!;
    const object = this.makeObject(form, material, placements, shape.live ? index : null);
    object.matrixAutoUpdate = false;
    object.frustumCulled = false; // one call for many bodies: nearly always in sight
    object.castShadow = shape.casts_shadows && material.opacity > 0.5 && form.kind === "surface";
    object.receiveShadow = true;
    const isMoving = this.scene.links[shape.link]!.moving;
    this.batches.push({ object, placements, isMoving, isPickable: shape.pickable });
    this.group.add(object);
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
    const look = { isTwoSided: form.isTwoSided, up: this.up, picture: hasPlaces ? find : null, isCut };
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
      placements.forEach(({ link, local }, i) => {
        world.multiplyMatrices(this.matrices[link]!, local).toArray(target, 16 * i);
      });
      object.instanceMatrix.needsUpdate = true;
    } else {
      const { link, local } = placements[0]!;
      object.matrix.multiplyMatrices(this.matrices[link]!, local);
      object.matrixWorldNeedsUpdate = true;
    }
  }
}

// scratch, to keep the frame loop free of garbage
const position = new Vector3();
const rotation = new Quaternion();
const world = new Matrix4();
