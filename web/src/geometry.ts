import {
  BoxGeometry,
  BufferAttribute,
  BufferGeometry,
  CapsuleGeometry,
  ConeGeometry,
  CylinderGeometry,
  PlaneGeometry,
  SphereGeometry,
  Vector3,
} from "three";
import { toCreasedNormals } from "three/addons/utils/BufferGeometryUtils.js";
import { float32, uint32 } from "./numbers";
import type { WireCone, WireCylinder, WireGeometry, WireMesh } from "./protocol";

/** A geometry to draw: one buffer serves all sizes of a form, `scale` makes the size. */
export interface Form {
  /** Equal keys share one buffer. */
  key: string;
  buffer: BufferGeometry;
  scale: Vector3;
  kind: "surface" | "lines" | "points";
  isTwoSided: boolean;
}

/** Edges sharper than this stay sharp where a mesh brings no normals [rad]. */
const CREASE_ANGLE = 0.6;

// materialIndex of the groups that three.js gives cylinders and cones
const SIDE = 0;
const TOP = 1;
const BOTTOM = 2;

/** How many faces round forms have: around, and from end to end of balls, caps and cones. */
const FINE = { around: 48, along: 24, caps: 12, wall: 64, cone: 8 };
/** For scenes with this many round shapes or more: each is small, and all together are many. */
const CROWD = 300;
const MEDIUM = { around: 24, along: 12, caps: 6, wall: 32, cone: 3 };
const MULTITUDE = 1000;
/** Few, also for edges that are drawn. */
const COARSE = { around: 16, along: 8, caps: 4, wall: 16, cone: 2 };

const ROUND = new Set(["sphere", "cylinder", "cone", "capsule"]);

/** Makes forms and keeps what can be shared. */
export class FormLibrary {
  private faces: typeof FINE;
  private readonly buffers = new Map<string, BufferGeometry>();
  private readonly used = new Set<string>();

  constructor({ isCoarse = false } = {}) {
    this.faces = isCoarse ? COARSE : FINE;
  }

  /** Make round forms as fine as a scene with these geometries, one for each shape, can bear. */
  fit(drawn: WireGeometry[]): void {
    const count = drawn.filter(({ kind }) => ROUND.has(kind)).length;
    this.faces = count < CROWD ? FINE : count < MULTITUDE ? MEDIUM : COARSE;
  }

  /** Form of a geometry. */
  form(geometry: WireGeometry): Form {
    const one = new Vector3(1, 1, 1);
    const { around, along, caps } = this.faces;
    switch (geometry.kind) {
      case "box":
        // turned so that pictures stand upright on its sides
        return this.surface("box", new Vector3(...geometry.size), () => new BoxGeometry().rotateX(Math.PI / 2));
      case "sphere":
        return this.surface(`sphere ${around}`, one.multiplyScalar(geometry.radius), () =>
          new SphereGeometry(1, around, along).rotateX(Math.PI / 2).rotateZ(-Math.PI / 2),
        );
      case "cylinder":
        return this.cylinder(geometry);
      case "cone":
        return this.cone(geometry);
      case "capsule":
        return this.surface(`capsule ${around} ${geometry.radius} ${geometry.height}`, one, () =>
          new CapsuleGeometry(geometry.radius, geometry.height, caps, around, 1)
            .rotateX(Math.PI / 2)
            .rotateZ(-Math.PI / 2),
        );
      case "plane":
        return this.surface("plane", new Vector3(geometry.width, geometry.depth, 1), () =>
          new PlaneGeometry(),
        );
      case "mesh":
        return this.surface(`mesh ${geometry.key}`, one, () => meshBuffer(geometry), geometry.two_sided);
      case "lines":
        return { ...this.surface(`lines ${geometry.key}`, one, () => points(geometry.points)), kind: "lines" };
      case "points":
        return {
          ...this.surface(`points ${geometry.key}`, one, () => points(geometry.points, geometry.colors)),
          kind: "points",
        };
    }
  }

  /** Free the forms that nobody has asked for since the last sweep. */
  sweep(): void {
    for (const [key, buffer] of this.buffers) {
      if (this.used.has(key)) continue;
      buffer.dispose();
      this.buffers.delete(key);
    }
    this.used.clear();
  }

  /** Free the graphics memory of all forms. */
  dispose(): void {
    for (const buffer of this.buffers.values()) buffer.dispose();
    this.buffers.clear();
  }

  private surface(
    key: string,
    scale: Vector3,
    make: () => BufferGeometry,
    isTwoSided = false,
  ): Form {
    let buffer = this.buffers.get(key);
    if (!buffer) {
      buffer = make();
      buffer.computeBoundingBox();
      buffer.computeBoundingSphere();
      this.buffers.set(key, buffer);
    }
    this.used.add(key);
    return { key, buffer, scale, kind: "surface", isTwoSided };
  }

  private cylinder({ radius, height, top, side, bottom }: WireCylinder): Form {
    const parts = [...(side ? [SIDE] : []), ...(top ? [TOP] : []), ...(bottom ? [BOTTOM] : [])];
    return this.surface(
      `cylinder${parts.join("")} ${this.faces.wall}`,
      new Vector3(radius, radius, height),
      () => upright(onlyParts(new CylinderGeometry(1, 1, 1, this.faces.wall, 1), parts)),
      parts.length < 3,
    );
  }

  private cone({ radius, height, side, bottom }: WireCone): Form {
    const parts = [...(side ? [SIDE] : []), ...(bottom ? [BOTTOM] : [])];
    return this.surface(
      `cone${parts.join("")} ${this.faces.wall}`,
      new Vector3(radius, radius, height),
      () => upright(onlyParts(new ConeGeometry(1, 1, this.faces.wall, this.faces.cone), parts)),
      parts.length < 2,
    );
  }
}

/** Turn a cylinder or cone so that it stands along z, and pictures begin at +y and lie on caps as on a table. */
function upright(buffer: BufferGeometry): BufferGeometry {
  buffer.rotateX(Math.PI / 2).rotateZ(Math.PI);
  const at = buffer.getAttribute("position");
  const normal = buffer.getAttribute("normal");
  const uv = buffer.getAttribute("uv");
  for (let i = 0; i < uv.count; i++) {
    const up = normal.getZ(i);
    if (Math.abs(up) > 0.999) uv.setXY(i, 0.5 + 0.5 * at.getX(i), 0.5 + 0.5 * Math.sign(up) * at.getY(i));
  }
  return buffer;
}

/** Keep only the triangles of some groups. */
function onlyParts(buffer: BufferGeometry, parts: number[]): BufferGeometry {
  const index = Array.from(buffer.index!.array);
  const kept = buffer.groups
    .filter((group) => parts.includes(group.materialIndex ?? SIDE))
    .flatMap((group) => index.slice(group.start, group.start + group.count));
  buffer.setIndex(kept);
  buffer.clearGroups();
  return buffer;
}

function meshBuffer(mesh: WireMesh): BufferGeometry {
  const buffer = new BufferGeometry();
  buffer.setAttribute("position", new BufferAttribute(float32(mesh.vertices), 3));
  buffer.setIndex(new BufferAttribute(uint32(mesh.triangles), 1));
  const normals = float32(mesh.normals);
  // both are without an index: corners stand in the order of the triangles
  const flat = normals.length ? buffer.toNonIndexed() : toCreasedNormals(buffer, CREASE_ANGLE);
  if (normals.length) flat.setAttribute("normal", new BufferAttribute(normals, 3));
  const uvs = float32(mesh.uvs);
  if (uvs.length) flat.setAttribute("uv", new BufferAttribute(uvs, 2));
  return flat;
}

function points(positions: string, colors = ""): BufferGeometry {
  const buffer = new BufferGeometry();
  buffer.setAttribute("position", new BufferAttribute(float32(positions), 3));
  const rgb = float32(colors);
  if (rgb.length) buffer.setAttribute("color", new BufferAttribute(rgb, 3));
  return buffer;
}
