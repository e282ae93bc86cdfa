import { ClampToEdgeWrapping, RepeatWrapping, SRGBColorSpace, Texture } from "three";
import type { WireMaterial, WireScene } from "./protocol";

/** The pictures of a scene, decoded when a surface first needs them. */
export class TextureLibrary {
  private readonly textures = new Map<string, Texture>();

  constructor(
    private readonly scene: WireScene,
    private readonly onLoad: () => void,
  ) {}

  /** Picture of a material, or null. */
  of({ texture: index, texture_matrix: m }: WireMaterial): Texture | null {
    const wire = index === null ? undefined : this.scene.textures[index];
    if (!wire) return null;
    const key = `${index} ${m.join()}`;
    let texture = this.textures.get(key);
    if (!texture) {
      const made = (texture = new Texture());
      made.colorSpace = SRGBColorSpace;
      made.wrapS = wire.repeat_u ? RepeatWrapping : ClampToEdgeWrapping;
      made.wrapT = wire.repeat_v ? RepeatWrapping : ClampToEdgeWrapping;
      made.anisotropy = 8;
      made.matrixAutoUpdate = false;
      made.matrix.set(m[0] ?? 1, m[1] ?? 0, m[2] ?? 0, m[3] ?? 0, m[4] ?? 1, m[5] ?? 0, 0, 0, 1);
      const image = new Image();
      image.onload = () => {
        made.image = image;
        made.needsUpdate = true;
        this.onLoad();
      };
      image.src = wire.image;
      this.textures.set(key, made);
    }
    return texture;
  }

  dispose(): void {
    for (const texture of this.textures.values()) texture.dispose();
    this.textures.clear();
  }
}
