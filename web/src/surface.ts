import {
  Color,
  DoubleSide,
  FrontSide,
  Material,
  MeshLambertMaterial,
  MeshStandardMaterial,
  Texture,
  Vector3,
} from "three";
import { color as wireColor } from "./numbers";
import type { WireMaterial } from "./protocol";

/** Rougher than this without metal shows no highlight worth its price on every pixel. */
const MATT = 0.85;

/**
 * Light that reflections see, as in a photo studio: bright from above, dim from below. Computed where
 * it is needed instead of read from a texture: nothing to prepare, and sharp at any size.
 */
const STUDIO = /* glsl */ `
  uniform vec3 studioUp;
  vec3 studioLight(vec3 direction, float roughness) {
    float height = dot(direction, studioUp);
    float softness = mix(0.12, 1.1, roughness);
    vec3 low = vec3(0.20, 0.19, 0.18);
    vec3 middle = vec3(0.62, 0.66, 0.72);
    vec3 high = vec3(1.30, 1.32, 1.36);
    vec3 light = mix(low, middle, smoothstep(-softness, softness, height));
    return mix(light, high, smoothstep(0.35 - softness, 0.75 + 0.5 * softness, height));
  }`;

const REFLECTION = /* glsl */ `
  radiance += studioLight(
    inverseTransformDirection(reflect(-geometryViewDir, geometryNormal), viewMatrix),
    material.roughness);`;

/** Whether a surface may be drawn together with others: then its colour is given per instance. */
export type ColorSource = { color: Color } | "instance";

/** Text that is equal for surfaces that can share a material, colour aside. */
export function surfaceKey({ roughness, metalness, opacity, emissive, texture, texture_matrix }: WireMaterial): string {
  return [roughness, metalness, opacity, ...emissive, texture, ...texture_matrix].join();
}

/** The three.js material of a surface. */
export function makeSurface(
  wire: WireMaterial,
  source: ColorSource,
  { isTwoSided, up, map, isCut }: { isTwoSided: boolean; up: Vector3; map: Texture | null; isCut: boolean },
): Material {
  const isClear = wire.opacity < 1;
  const common = {
    color: source === "instance" ? new Color("white") : source.color,
    emissive: wireColor(wire.emissive),
    opacity: wire.opacity,
    transparent: isClear,
    depthWrite: !isClear,
    side: isTwoSided ? DoubleSide : FrontSide,
    map,
    alphaTest: isCut ? 0.5 : 0, // parts of the picture may be holes
    dithering: true, // no steps in soft shades of large floors
  };
  if (wire.roughness > MATT && wire.metalness === 0) return new MeshLambertMaterial(common);
  const { roughness, metalness } = wire;
  const material = new MeshStandardMaterial({ ...common, roughness, metalness });
  material.onBeforeCompile = (shader) => {
    shader.uniforms.studioUp = { value: up };
    shader.fragmentShader = shader.fragmentShader
      .replace("#include <common>", `#include <common>\n${STUDIO}`)
      .replace("#include <lights_fragment_maps>", `#include <lights_fragment_maps>\n${REFLECTION}`);
  };
  material.customProgramCacheKey = () => "studio";
  return material;
}
