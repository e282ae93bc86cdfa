import type { Texture } from "three";
import { color as wireColor, glow as wireGlow } from "./numbers";
import type { Vector3 as WireVector3, WireMaterial } from "./protocol";
import type { SurfaceMaterial } from "./surface";
import { makeTexture, moveTexture } from "./textures";

/** What can be seen of it, for tests: colours, whether something is painted on it, how far its picture moved. */
export interface LookSeen {
  glow: string;
  tint: number[];
  isPainted: boolean;
  slide: [number, number];
}

/** The look of one shape that changes while the simulation runs: it glows, is painted on, its picture moves. */
export class LiveLook {
  private painting: Texture | null = null;
  private own: Texture | null = null;
  private moved: [number, number] = [0, 0];

  constructor(
    private readonly material: SurfaceMaterial,
    private readonly wire: WireMaterial,
  ) {}

  glow(color: WireVector3): void {
    this.material.emissive.copy(wireGlow(color));
  }

  tint(color: WireVector3): void {
    this.material.color.copy(wireColor(color));
  }

  /** Put a picture on the surface, instead of its own. */
  paint(picture: ImageBitmap): void {
    const old = this.painting?.image as ImageBitmap | undefined;
    if (old && (old.width !== picture.width || old.height !== picture.height)) {
      this.painting?.dispose(); // a texture keeps its size
      this.painting = null;
    }
    old?.close();
    this.painting ??= makeTexture(this.wire.texture_matrix);
    this.painting.flipY = false; // the picture was turned when it was decoded
    this.painting.image = picture;
    this.painting.needsUpdate = true;
    this.show(this.painting);
    this.slide(...this.moved);
  }

  /** Move the picture, in picture sizes; other surfaces with the same one stay. */
  slide(u: number, v: number): void {
    this.moved = [u, v];
    const { map } = this.material;
    if (!map || map.version === 0) return; // not there yet
    if (map !== this.painting && map !== this.own) {
      if (u === 0 && v === 0) return;
      this.own = map.clone();
      this.own.matrixAutoUpdate = false;
      this.own.needsUpdate = true;
      this.show(this.own);
    }
    moveTexture(this.material.map!, this.wire.texture_matrix, u, v);
  }

  get seen(): LookSeen {
    return { glow: this.material.emissive.getHexString(), tint: this.material.color.toArray(), isPainted: this.painting !== null, slide: this.moved };
  }

  dispose(): void {
    this.material.dispose();
    this.painting?.dispose();
    this.own?.dispose();
  }

  private show(map: Texture): void {
    if (this.material.map === map) return;
    this.material.needsUpdate = this.material.map === null; // the shader changes with the first picture
    this.material.map = map;
  }
}
