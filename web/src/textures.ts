import { ClampToEdgeWrapping, NoColorSpace, RepeatWrapping, SRGBColorSpace, Texture } from "three";
import type { WireTexture } from "./protocol";

/** The pictures of scenes, decoded when a surface first needs them. */
export class TextureLibrary {
  private readonly textures = new Map<string, Texture>();
  private readonly used = new Set<string>();

  constructor(private readonly onLoad: () => void) {}

  /** Texture of a picture, moved by a matrix (two rows); null = there is none. */
  get(wire: WireTexture | undefined, matrix: number[], { isColor = true } = {}): Texture | null {
    if (!wire) return null;
    const key = `${wire.key} ${isColor} ${wire.repeat_u} ${wire.repeat_v} ${matrix.join()}`;
    this.used.add(key);
    let texture = this.textures.get(key);
    if (!texture) {
      texture = makeTexture(matrix, isColor);
      texture.wrapS = wire.repeat_u ? RepeatWrapping : ClampToEdgeWrapping;
      texture.wrapT = wire.repeat_v ? RepeatWrapping : ClampToEdgeWrapping;
      void load(wire.image, texture).then(this.onLoad);
      this.textures.set(key, texture);
    }
    return texture;
  }

  /** Free the pictures that nobody has asked for since the last sweep. */
  sweep(): void {
    for (const [key, texture] of this.textures) {
      if (this.used.has(key)) continue;
      texture.dispose();
      this.textures.delete(key);
    }
    this.used.clear();
  }
}

async function load(address: string, texture: Texture): Promise<void> {
  const image = new Image();
  image.src = address;
  await image.decode();
  texture.image = image;
  texture.needsUpdate = true;
}

/** A texture without a picture yet. */
export function makeTexture(matrix: number[], isColor = true): Texture {
  const texture = new Texture();
  texture.colorSpace = isColor ? SRGBColorSpace : NoColorSpace;
  texture.wrapS = texture.wrapT = RepeatWrapping;
  texture.anisotropy = 8;
  texture.matrixAutoUpdate = false;
  moveTexture(texture, matrix);
  return texture;
}

/** Move the picture by a matrix (two rows), and then by (u, v) picture sizes. */
export function moveTexture(texture: Texture, m: number[], u = 0, v = 0): void {
  texture.matrix.set(m[0] ?? 1, m[1] ?? 0, (m[2] ?? 0) + u, m[3] ?? 0, m[4] ?? 1, (m[5] ?? 0) + v, 0, 0, 1);
}
