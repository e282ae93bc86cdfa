import { BufferAttribute, BufferGeometry, Mesh, MeshStandardMaterial, NearestFilter, Texture } from "three";

/** Sides of forms that lie beside each other in a layer of paint; others have one. */
const SIDES: Record<string, number> = { box: 6, cylinder: 3, cone: 3 };

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

/** The same surface, its sides beside each other on the picture. */
function unfolded(buffer: BufferGeometry, kind: string): BufferGeometry {
  const out = buffer.clone();
  const count = SIDES[kind] ?? 1;
  if (count === 1) return out;
  const from = buffer.getAttribute("uv");
  const normal = buffer.getAttribute("normal");
  const places = new Float32Array(2 * from.count);
  for (let i = 0; i < from.count; i++) {
    const side = sideOf(kind, normal.getX(i), normal.getY(i), normal.getZ(i));
    places[2 * i] = (side + from.getX(i)) / count;
    places[2 * i + 1] = from.getY(i);
  }
  out.setAttribute("uv", new BufferAttribute(places, 2));
  return out;
}

function sideOf(kind: string, x: number, y: number, z: number): number {
  if (kind !== "box") return Math.abs(z) < 0.999 ? 0 : z > 0 ? 1 : 2;
  if (Math.abs(x) > 0.5) return x > 0 ? 0 : 1;
  if (Math.abs(y) > 0.5) return y > 0 ? 2 : 3;
  return z > 0 ? 4 : 5;
}
