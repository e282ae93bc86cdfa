import { BackSide, Color, DoubleSide, Group, Matrix4, Mesh, PlaneGeometry, ShaderMaterial, SphereGeometry, Vector3 } from "three";
import type { Texture } from "three";
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

const DOME_SHADER = /* glsl */ `
  varying vec3 direction;
  varying vec2 place;
  void main() {
    direction = position;
    place = uv;
    // only the turn of the camera counts; depth is the far plane
    vec4 seen = projectionMatrix * vec4(mat3(viewMatrix) * mat3(modelMatrix) * position, 1.0);
    gl_Position = seen.xyww;
  }`;

/** Sides of a cube of pictures (right, left, top, bottom, front, back): where each is, its right, its upper end. */
const SIDES: [Vector3, Vector3, Vector3][] = [
  [new Vector3(1, 0, 0), new Vector3(0, 0, 1), new Vector3(0, 1, 0)],
  [new Vector3(-1, 0, 0), new Vector3(0, 0, -1), new Vector3(0, 1, 0)],
  [new Vector3(0, 1, 0), new Vector3(1, 0, 0), new Vector3(0, 0, 1)],
  [new Vector3(0, -1, 0), new Vector3(1, 0, 0), new Vector3(0, 0, -1)],
  [new Vector3(0, 0, -1), new Vector3(1, 0, 0), new Vector3(0, 1, 0)],
  [new Vector3(0, 0, 1), new Vector3(-1, 0, 0), new Vector3(0, 1, 0)],
];

/** Pictures all around that stay around the camera; in a frame with y up and the front at -z. */
export class SkyBox extends Group {
  constructor(up: Vector3, pictures: Texture[]) {
    super();
    SIDES.forEach(([normal, right, above], k) => {
      const plane = new PlaneGeometry(2, 2);
      const turn = new Matrix4().makeBasis(right, above, normal.clone().negate()).setPosition(normal);
      plane.applyMatrix4(turn);
      const material = new ShaderMaterial({
        uniforms: { picture: { value: pictures[k] } },
        vertexShader: DOME_SHADER,
        fragmentShader: /* glsl */ `
          uniform sampler2D picture;
          varying vec2 place;
          void main() {
            gl_FragColor = texture2D(picture, place);
            #include <colorspace_fragment>
          }`,
        side: DoubleSide,
        depthWrite: false,
        toneMapped: false,
      });
      const side = new Mesh(plane, material);
      side.frustumCulled = false;
      side.renderOrder = -1;
      this.add(side);
    });
    // worlds with z up look at the front along -x: east is behind, as they stood with y up
    if (up.z > 0.9) this.applyMatrix4(new Matrix4().makeBasis(new Vector3(0, 1, 0), new Vector3(0, 0, 1), new Vector3(1, 0, 0)));
  }

  /** Free the graphics memory. */
  free(): void {
    for (const side of this.children as Mesh<PlaneGeometry, ShaderMaterial>[]) {
      side.geometry.dispose();
      side.material.dispose();
    }
  }
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
        vertexShader: DOME_SHADER,
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
