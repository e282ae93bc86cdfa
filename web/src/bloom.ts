import {
  AdditiveBlending,
  BackSide,
  CustomBlending,
  DoubleSide,
  FrontSide,
  HalfFloatType,
  LinearFilter,
  Matrix3,
  MeshBasicMaterial,
  NoBlending,
  OneFactor,
  OneMinusSrcColorFactor,
  ShaderMaterial,
  Vector2,
  WebGLRenderTarget,
} from "three";
import type { Color, Material, Object3D, PerspectiveCamera, Scene, Texture, WebGLRenderer } from "three";
import { FullScreenQuad } from "three/addons/postprocessing/Pass.js";

/** Rows of the picture of what glows: few, so that its blur costs little, and the same for all finenesses. */
const ROWS = 360;

/** Each further picture has half the rows: the last ones spread the glow over a tenth of the view. */
const LEVELS = 5;

/** Dimmer colours are paint, brighter ones are lamps [linear]: many models give off a little for want of other light. */
export const DIM = 0.35;
const BRIGHT = 0.8;

/** A lamp of any strength glows as this one at most [linear], and this share of it is spread. */
const MOST = 4;
const STRENGTH = 0.55;

/** What gives off light: an object, its colour (linear), and the picture of it if it has one. */
export interface Glowing {
  object: Object3D & { material: Material | Material[] };
  emissive: Color;
  picture: Texture | null;
}

/**
 * Bloom: lamps, LEDs and screens shine over their edges, as in an eye or a lens.
 *
 * What glows is drawn once more, alone, with everything else in black before it, blurred in steps of half the
 * size, and laid over the finished picture.
 */
export class Bloom {
  private readonly levels = Array.from({ length: LEVELS }, () => new WebGLRenderTarget(1, 1, { type: HalfFloatType, depthBuffer: false, magFilter: LinearFilter, minFilter: LinearFilter }));
  private readonly source = new WebGLRenderTarget(1, 1, { type: HalfFloatType, samples: 4, magFilter: LinearFilter, minFilter: LinearFilter });
  private readonly dark = [FrontSide, BackSide, DoubleSide].map((side) => new MeshBasicMaterial({ color: "black", side, toneMapped: false, fog: false }));
  private readonly lit = new WeakMap<Material, ShaderMaterial>();
  private readonly down = new FullScreenQuad(makeStep(DOWN, NoBlending));
  private readonly up = new FullScreenQuad(makeStep(UP, AdditiveBlending));
  private readonly last = new FullScreenQuad(makeLast());

  constructor(private readonly renderer: WebGLRenderer) {}

  /** Lay the glow over a picture that has just been drawn; `solid` is what may hide lamps. */
  draw(scene: Scene, camera: PerspectiveCamera, glowing: Glowing[], solid: Glowing["object"][], group: Object3D): void {
    const { renderer } = this;
    const { width, height } = renderer.domElement;
    this.setSize(width / height);
    const { shadowMap, autoClear } = renderer;
    const isUpdating = shadowMap.autoUpdate;
    shadowMap.autoUpdate = false; // they have just been drawn
    const restore = this.disguise(scene, glowing, solid, group);
    renderer.setRenderTarget(this.source);
    renderer.setClearColor(0x000000, 1);
    renderer.autoClear = true;
    renderer.render(scene, camera);
    restore();
    renderer.autoClear = false;
    this.spread();
    renderer.setRenderTarget(null);
    uniforms(this.last).map!.value = this.levels[0]!.texture;
    this.last.render(renderer);
    renderer.autoClear = autoClear;
    shadowMap.autoUpdate = isUpdating;
  }

  private setSize(aspect: number): void {
    let rows = ROWS;
    for (const target of [this.source, ...this.levels]) {
      const across = Math.max(1, Math.round(rows * aspect));
      if (target.width !== across || target.height !== rows) target.setSize(across, rows);
      rows = Math.max(1, Math.round(rows / 2));
    }
  }

  /** Give everything the look of this pass; what comes back takes it off again. */
  private disguise(scene: Scene, glowing: Glowing[], solid: Glowing["object"][], group: Object3D): () => void {
    const seen = new Set<Object3D>([...glowing.map(({ object }) => object), ...solid]);
    const hidden = [...scene.children.filter((child) => child !== group), ...group.children.filter((child) => !seen.has(child))].filter((item) => item.visible);
    const worn = new Map<Glowing["object"], Material | Material[]>();
    for (const item of hidden) item.visible = false;
    for (const object of solid) {
      worn.set(object, object.material);
      object.material = this.dark[(object.material as Material).side]!;
    }
    for (const { object, emissive, picture } of glowing) {
      worn.set(object, object.material);
      object.material = this.shining(object.material as Material, emissive, picture);
    }
    const { environment, fog } = scene;
    scene.environment = null;
    scene.fog = null;
    return () => {
      scene.environment = environment;
      scene.fog = fog;
      worn.forEach((material, object) => (object.material = material));
      for (const item of hidden) item.visible = true;
    };
  }

  private shining(own: Material, emissive: Color, picture: Texture | null): ShaderMaterial {
    let made = this.lit.get(own);
    if (!made || made.defines.HAS_PICTURE !== Number(picture !== null)) {
      made?.dispose();
      made = makeShining(own, picture !== null);
      this.lit.set(own, made);
      own.addEventListener("dispose", () => this.lit.get(own)?.dispose());
    }
    made.uniforms.glow!.value = emissive;
    made.uniforms.picture!.value = picture;
    if (picture) (made.uniforms.matrix!.value as Matrix3).copy(picture.matrix);
    return made;
  }

  /** Blur what glows: smaller and smaller, then back with each size added. */
  private spread(): void {
    const { renderer, levels } = this;
    let from = this.source;
    for (const to of levels) {
      step(this.down, from);
      renderer.setRenderTarget(to);
      this.down.render(renderer);
      from = to;
    }
    for (let k = LEVELS - 1; k > 0; k--) {
      step(this.up, levels[k]!);
      renderer.setRenderTarget(levels[k - 1]!);
      this.up.render(renderer);
    }
  }
}

function uniforms(quad: FullScreenQuad): ShaderMaterial["uniforms"] {
  return (quad.material as ShaderMaterial).uniforms;
}

function step(quad: FullScreenQuad, from: WebGLRenderTarget): void {
  uniforms(quad).map!.value = from.texture;
  (uniforms(quad).texel!.value as Vector2).set(1 / from.width, 1 / from.height);
}

function makeShining(own: Material, hasPicture: boolean): ShaderMaterial {
  return new ShaderMaterial({
    defines: { HAS_PICTURE: Number(hasPicture) },
    uniforms: { glow: { value: null }, picture: { value: null }, matrix: { value: new Matrix3() } },
    vertexShader: /* glsl */ `
      uniform mat3 matrix;
      varying vec2 place;
      void main() {
        #if HAS_PICTURE
          place = (matrix * vec3(uv, 1.0)).xy;
        #endif
        #include <begin_vertex>
        #include <project_vertex>
      }`,
    fragmentShader: /* glsl */ `
      uniform vec3 glow;
      uniform sampler2D picture;
      varying vec2 place;
      void main() {
        vec3 light = glow;
        #if HAS_PICTURE
          light *= texture2D(picture, place).rgb;
        #endif
        float peak = max(light.r, max(light.g, light.b));
        light *= smoothstep(${DIM.toFixed(2)}, ${BRIGHT.toFixed(2)}, peak) * min(1.0, ${MOST.toFixed(1)} / max(peak, 0.001));
        gl_FragColor = vec4(light, 1.0);
      }`,
    side: own.side,
    toneMapped: false,
  });
}

const QUAD = /* glsl */ `
  varying vec2 place;
  void main() {
    place = uv;
    gl_Position = vec4(position.xy, 0.0, 1.0);
  }`;

/** Half the size: a tent over 4 x 4 texels. */
const DOWN = /* glsl */ `
  vec3 sum = vec3(0.0);
  for (int x = -1; x <= 1; x += 2) for (int y = -1; y <= 1; y += 2) sum += texture2D(map, place + texel * vec2(x, y)).rgb;
  gl_FragColor = vec4(sum / 4.0, 1.0);`;

/** Twice the size: a tent over 3 x 3 texels, to be added to the finer picture. */
const UP = /* glsl */ `
  vec3 sum = 4.0 * texture2D(map, place).rgb;
  for (int x = -1; x <= 1; x++) for (int y = -1; y <= 1; y++) {
    float weight = float((2 - abs(x)) * (2 - abs(y)));
    if (x != 0 || y != 0) sum += weight * texture2D(map, place + texel * vec2(x, y)).rgb;
  }
  gl_FragColor = vec4(sum / 16.0, 1.0);`;

function makeStep(body: string, blending: typeof NoBlending | typeof AdditiveBlending): ShaderMaterial {
  return new ShaderMaterial({
    uniforms: { map: { value: null }, texel: { value: new Vector2() } },
    vertexShader: QUAD,
    fragmentShader: /* glsl */ `
      uniform sampler2D map;
      uniform vec2 texel;
      varying vec2 place;
      void main() { ${body} }`,
    blending,
    transparent: blending === AdditiveBlending,
    depthTest: false,
    depthWrite: false,
    toneMapped: false,
  });
}

function makeLast(): ShaderMaterial {
  return new ShaderMaterial({
    uniforms: { map: { value: null } },
    vertexShader: QUAD,
    fragmentShader: /* glsl */ `
      uniform sampler2D map;
      varying vec2 place;
      void main() {
        vec3 light = ${STRENGTH} * texture2D(map, place).rgb / ${LEVELS}.0;
        gl_FragColor = vec4(light / (1.0 + light), 1.0);
        #include <colorspace_fragment>
      }`,
    // as light behind a veil: what is white stays white
    blending: CustomBlending,
    blendSrc: OneFactor,
    blendDst: OneMinusSrcColorFactor,
    depthTest: false,
    depthWrite: false,
    transparent: true,
    toneMapped: false,
  });
}
