import { BackSide, Mesh, Object3D, PMREMGenerator, Scene, ShaderChunk, ShaderMaterial, SphereGeometry, Vector3, WebGLRenderTarget } from "three";
import type { Texture, WebGLRenderer } from "three";

/**
 * What shiny surfaces reflect: the scene's own sky, as an environment map with one sharpness for each roughness.
 *
 * It is drawn once for each sky, and again when the pictures of one have come.
 */
export class Environment {
  private readonly generator: PMREMGenerator;
  private target: WebGLRenderTarget | null = null;

  constructor(renderer: WebGLRenderer) {
    this.generator = makeGenerator(renderer);
  }

  /** Draw the map of a sky; the last one is freed. */
  draw(sky: Object3D, up: Vector3): Texture {
    const around = new Scene();
    const parent = sky.parent;
    around.add(sky, ground(up));
    const next = this.generator.fromScene(around, 0, 0.1, 100);
    if (parent) parent.add(sky);
    this.target?.dispose();
    this.target = next;
    return next.texture;
  }
}

/** What shines back from below: dim, and the less of the sky the steeper one looks down. */
function ground(up: Vector3): Mesh {
  const material = new ShaderMaterial({
    uniforms: { up: { value: up } },
    vertexShader: /* glsl */ `
      varying vec3 direction;
      void main() {
        direction = position;
        gl_Position = projectionMatrix * vec4(mat3(viewMatrix) * position, 1.0);
      }`,
    fragmentShader: /* glsl */ `
      uniform vec3 up;
      varying vec3 direction;
      void main() {
        float height = dot(normalize(direction), up);
        gl_FragColor = vec4(vec3(0.16, 0.15, 0.14), smoothstep(0.02, -0.12, height) * 0.85);
      }`,
    side: BackSide,
    transparent: true,
    depthTest: false,
    depthWrite: false,
    toneMapped: false,
  });
  const out = new Mesh(new SphereGeometry(1, 32, 32), material);
  out.frustumCulled = false;
  return out;
}

/** Pixels of each side of a map that a processor draws: the fewest from which every roughness can be made. */
const SMALL_SIZE = 64;

/** Makes maps of surroundings; on a processor small ones, as those for a graphics card would take it seconds. */
export function makeGenerator(renderer: WebGLRenderer): PMREMGenerator {
  return document.documentElement.dataset.software === "true" ? new SmallGenerator(renderer) : new PMREMGenerator(renderer);
}

/** The other one takes no less than 256 pixels: 38 million samples instead of 6. */
class SmallGenerator extends PMREMGenerator {
  declare _cubeSize: number;

  _setSize(): void {
    this._cubeSize = SMALL_SIZE;
  }
}

// matt light from above and below is a lamp's (`lights.ts`), for matt and shiny surfaces alike
const IRRADIANCE = "iblIrradiance += getIBLIrradiance( geometryNormal );";
ShaderChunk.lights_fragment_maps = ShaderChunk.lights_fragment_maps.replace(IRRADIANCE, "");
