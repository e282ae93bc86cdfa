import type { Material } from "three";
import { FormLibrary } from "./geometry";
import { TextureLibrary } from "./textures";

/** What is on the graphics card: kept from one scene to the next where both need it. */
export class Library {
  readonly forms = new FormLibrary();
  readonly textures: TextureLibrary;
  private readonly materials = new Map<string, Material>();
  private readonly used = new Set<string>();

  /** `onLoad` is told of pictures that have come. */
  constructor(onLoad: () => void) {
    this.textures = new TextureLibrary(onLoad);
  }

  /** The material of a key, made if there is none. */
  material(key: string, make: () => Material): Material {
    let material = this.materials.get(key);
    if (!material) {
      material = make();
      this.materials.set(key, material);
    }
    this.used.add(key);
    return material;
  }

  /** Free what nobody has asked for since the last sweep. */
  sweep(): void {
    for (const [key, material] of this.materials) {
      if (this.used.has(key)) continue;
      material.dispose();
      this.materials.delete(key);
    }
    this.used.clear();
    this.forms.sweep();
    this.textures.sweep();
  }
}
