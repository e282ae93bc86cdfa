import {
  Color,
  DoubleSide,
  FrontSide,
  MeshLambertMaterial,
  MeshStandardMaterial,
} from "three";
import type { Texture } from "three";
import { glow as wireGlow } from "./numbers";
import type { WireMaterial, WireTexture } from "./protocol";

export type SurfaceMaterial = MeshLambertMaterial | MeshStandardMaterial;

/** Rougher than this without metal shows no highlight worth its price on every pixel. */
const MATT = 0.85;

/** Whether a surface may be drawn together with others: then its colour is given per instance. */
export type ColorSource = { color: Color } | "instance";

/** Text that is equal for surfaces that can share a material, colour aside. */
export function surfaceKey({ color: _, ...rest }: WireMaterial, pictures: WireTexture[]): string {
  return Object.entries(rest)
    .map(([name, value]) => (PICTURES.includes(name) && value !== null ? pictures[Number(value)]?.key : String(value)))
    .join("/");
}

/** Fields of a material that name a picture. */
const PICTURES = ["texture", "normal_map", "roughness_map", "metalness_map", "occlusion_map", "emissive_map"];

/** What a material shows besides its colour. */
export interface Look {
  isTwoSided: boolean;
  /** Finds pictures by their number; none if the form has no texture coordinates. */
  picture: ((index: number | null, matrix: number[], isColor: boolean) => Texture | null) | null;
  /** Whether the picture has holes. */
  isCut: boolean;
}

/** The three.js material of a surface. */
export function makeSurface(wire: WireMaterial, source: ColorSource, { isTwoSided, picture: find, isCut }: Look): SurfaceMaterial {
  const isClear = wire.opacity < 1;
  const picture = (index: number | null, isColor: boolean): Texture | null => find?.(index, wire.texture_matrix, isColor) ?? null;
  const emissiveMap = picture(wire.emissive_map, true);
  const isGlowLost = wire.emissive_map !== null && !emissiveMap; // a form without texture coordinates
  const common = {
    color: source === "instance" ? new Color("white") : source.color,
    emissive: isGlowLost ? new Color("black") : wireGlow(wire.emissive),
    opacity: wire.opacity,
    transparent: isClear,
    depthWrite: !isClear,
    side: isTwoSided ? DoubleSide : FrontSide,
    map: picture(wire.texture, true),
    normalMap: picture(wire.normal_map, false),
    aoMap: picture(wire.occlusion_map, false),
    emissiveMap,
    alphaTest: isCut ? 0.5 : 0, // parts of the picture may be holes
    dithering: true, // no steps in soft shades of large floors
  };
  const roughnessMap = picture(wire.roughness_map, false);
  const metalnessMap = picture(wire.metalness_map, false);
  const isMatt = wire.roughness > MATT && wire.metalness === 0;
  if (isMatt && !roughnessMap && !metalnessMap) return new MeshLambertMaterial(common);
  return new MeshStandardMaterial({
    ...common,
    roughness: roughnessMap ? 1 : wire.roughness,
    metalness: metalnessMap ? 1 : wire.metalness,
    roughnessMap,
    metalnessMap,
  });
}
