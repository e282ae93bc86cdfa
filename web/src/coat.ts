import { BufferAttribute, BufferGeometry, Mesh, MeshStandardMaterial, NearestFilter, Texture } from "three";

/** Columns and rows of cells in a layer of paint, one for each side of a form; others have one. */
const CELLS: Record<string, [number, number]> = { box: [4, 2], cylinder: [2, 2], cone: [2, 1] };

/** A layer of paint over a shape, drawn as a second surface in the same place. */
export class Coat {
  readonly object: Mesh<BufferGeometry, MeshStandardMaterial>;

  constructor(buffer: BufferGeometry, kind: string) {
    const texture = new Texture();
    texture.flipY = false; // the picture was turned when it was decoded
    texture.magFilter = NearestFilter;
    texture.generateMipmaps = false;
    texture.minFilter = NearestFilter;
    const material = new MeshStandardMaterial({
      map: texture,
      roughness: 1,
      transparent: true,
      depthWrite: false,
      polygonOffset: true,
      polygonOffsetFactor: -1,
      polygonOffsetUnits: -1,
    });
    this.object = new Mesh(unfolded(buffer, kind), material);
    this.object.matrixAutoUpdate = false;
    this.object.frustumCulled = false;
    this.object.receiveShadow = true;
  }

  /** Show this layer from now on. */
  show(picture: ImageBitmap): void {
    const { map } = this.object.material;
    (map!.image as ImageBitmap | undefined)?.close();
    map!.image = picture;
    map!.needsUpdate = true;
  }

  dispose(): void {
    this.object.geometry.dispose();
    this.object.material.map?.dispose();
    this.object.material.dispose();
  }
}

/** The same surface, its sides in their cells of the picture. */
function unfolded(buffer: BufferGeometry, kind: string): BufferGeometry {
  const out = buffer.clone();
  const cells = CELLS[kind];
  if (!cells) return out;
  const from = buffer.getAttribute("uv");
  const normal = buffer.getAttribute("normal");
  const places = new Float32Array(2 * from.count);
  for (let i = 0; i < from.count; i++) {
    const [column, row] = cellOf(kind, normal.getX(i), normal.getY(i), normal.getZ(i));
    places[2 * i] = (column + from.getX(i)) / cells[0];
    places[2 * i + 1] = 1 - (row + 1 - from.getY(i)) / cells[1];
  }
  out.setAttribute("uv", new BufferAttribute(places, 2));
  return out;
}

/** Column and row of the side that looks along a direction, counted from the upper left. */
function cellOf(kind: string, x: number, y: number, z: number): [number, number] {
  if (kind === "cone") return [z < -0.999 ? 1 : 0, 0];
  if (kind === "cylinder") return Math.abs(z) < 0.999 ? [0, 0] : z > 0 ? [1, 0] : [0, 1];
  if (Math.abs(x) > 0.5) return [x > 0 ? 3 : 1, 1];
  if (Math.abs(y) > 0.5) return [y > 0 ? 0 : 2, 1];
  return [z > 0 ? 2 : 0, 0];
}
