import {
  BackSide,
  Color,
  Mesh,
  PMREMGenerator,
  Scene,
  ShaderMaterial,
  SphereGeometry,
  Texture,
  Vector3,
  WebGLRenderer,
} from "three";
import { color as wireColor } from "./numbers";
import type { WireBackground } from "./protocol";

/** Colours of the sky from above to below. */
interface SkyColors {
  zenith: Color;
  horizon: Color;
  ground: Color;
}

const DEFAULT_COLORS: SkyColors = {
  zenith: new Color(0x5f8fc9),
  horizon: new Color(0xdfe8f2),
  ground: new Color(0x8f9299),
};

/** Light that comes from all around and shows in reflections, even below a black sky. */
const STUDIO_COLORS: SkyColors = {
  zenith: new Color(1.7, 1.7, 1.75),
  horizon: new Color(0.75, 0.79, 0.85),
  ground: new Color(0.3, 0.29, 0.28),
};

/** The sky of a scene: a soft gradient around its one background colour. */
export function skyColors(background: WireBackground | null): SkyColors {
  if (!background) return DEFAULT_COLORS;
  const color = wireColor(background.color);
  const brightness = 0.2126 * color.r + 0.7152 * color.g + 0.0722 * color.b;
  // dark skies get a faint glow at the horizon, bright ones a clear haze
  const haze = new Color("white").multiplyScalar(0.04 + 0.9 * Math.min(1, brightness * 1.6));
  return {
    zenith: color.clone().multiplyScalar(0.92),
    horizon: color.clone().lerp(haze, 0.45),
    ground: color.clone().lerp(haze, 0.25).multiplyScalar(0.75),
  };
}

/** A dome that always stays around the camera. */
export class SkyDome extends Mesh<SphereGeometry, ShaderMaterial> {
  constructor(up: Vector3, colors: SkyColors) {
    super(
      new SphereGeometry(1, 32, 32),
      new ShaderMaterial({
        uniforms: {
          up: { value: up },
          zenith: { value: colors.zenith },
          horizon: { value: colors.horizon },
          ground: { value: colors.ground },
        },
        vertexShader: /* glsl */ `
          varying vec3 direction;
          void main() {
            direction = position;
            // only the turn of the camera counts; depth is the far plane
            vec4 place = projectionMatrix * vec4(mat3(viewMatrix) * position, 1.0);
            gl_Position = place.xyww;
          }`,
        fragmentShader: /* glsl */ `
          #include <common>
          #include <dithering_pars_fragment>
          uniform vec3 up;
          uniform vec3 zenith;
          uniform vec3 horizon;
          uniform vec3 ground;
          varying vec3 direction;
          void main() {
            float height = dot(normalize(direction), up);
            vec3 above = mix(horizon, zenith, pow(clamp(height, 0.0, 1.0), 0.55));
            vec3 below = mix(horizon, ground, smoothstep(0.0, 0.35, -height));
            gl_FragColor = vec4(height > 0.0 ? above : below, 1.0);
            #include <colorspace_fragment>
            #include <dithering_fragment>
          }`,
        side: BackSide,
        depthWrite: false,
        toneMapped: false,
        dithering: true,
      }),
    );
    this.frustumCulled = false;
    this.renderOrder = -1;
  }

  /** Free the graphics memory. */
  free(): void {
    this.geometry.dispose();
    this.material.dispose();
  }
}

/** Reflections and ambient light of a neutral studio, tinted a little by the sky. */
export function environment(renderer: WebGLRenderer, up: Vector3, sky: SkyColors): Texture {
  const tinted = (studio: Color, tint: Color): Color => studio.clone().lerp(tint, 0.25);
  const dome = new SkyDome(up, {
    zenith: tinted(STUDIO_COLORS.zenith, sky.zenith),
    horizon: tinted(STUDIO_COLORS.horizon, sky.horizon),
    ground: tinted(STUDIO_COLORS.ground, sky.ground),
  });
  const scene = new Scene();
  scene.add(dome);
  const generator = new PMREMGenerator(renderer);
  const { texture } = generator.fromScene(scene, 0.02);
  generator.dispose();
  dome.free();
  return texture;
}
