import { ShaderChunk } from "three";

/**
 * Filmic tone mapping that keeps colours: what is not bright is shown as it is, brighter light is rolled off towards
 * white with its hue. Importing this file makes it three.js' custom tone mapping.
 */
const CURVE = /* glsl */ `
  vec3 CustomToneMapping(vec3 color) {
    const float shoulder = 0.76;
    const float rest = 1.0 - shoulder;
    color *= toneMappingExposure;
    float peak = max(color.r, max(color.g, color.b));
    if (peak < shoulder) return color;
    float shown = 1.0 - rest * rest / (peak + rest - shoulder);
    float white = 1.0 - 1.0 / (0.15 * (peak - shown) + 1.0);
    return mix(color * shown / peak, vec3(shown), white);
  }`;

const PLAIN = "vec3 CustomToneMapping( vec3 color ) { return color; }";
if (!ShaderChunk.tonemapping_pars_fragment.includes(PLAIN)) throw new Error("three.js has another custom tone mapping");
ShaderChunk.tonemapping_pars_fragment = ShaderChunk.tonemapping_pars_fragment.replace(PLAIN, CURVE);
