import { AddEquation, CustomBlending, DstColorFactor, OneFactor, PerspectiveCamera, Scene, ShaderMaterial, Vector2, ZeroFactor } from "three";
import type { Object3D, WebGLRenderer } from "three";
import { GTAOPass } from "three/addons/postprocessing/GTAOPass.js";
import { FullScreenQuad } from "three/addons/postprocessing/Pass.js";

/** Share of the light from all around that deep corners lose. */
const STRENGTH = 0.9;

/** How far surfaces darken each other, as a share of the distance of what is looked at; its bounds [m]. */
const REACH = 0.08;
const LEAST_REACH = 0.01;
const MOST_REACH = 0.6;

/** Where this reach is fewer rows of the picture than the first, none is seen, and all from the second on. */
const GONE = 4;
const CLEAR = 10;

/** Darkens a finished picture where surfaces are close to each other: corners, and where things stand. */
export class AmbientOcclusion {
  private pass: GTAOPass | null = null;
  private readonly quad = new FullScreenQuad(
    new ShaderMaterial({
      uniforms: { occlusion: { value: null }, depth: { value: null }, planes: { value: new Vector2() }, rows: { value: 1 } },
      vertexShader: /* glsl */ `
        varying vec2 place;
        void main() {
          place = uv;
          gl_Position = vec4(position.xy, 0.0, 1.0);
        }`,
      fragmentShader: /* glsl */ `
        #include <packing>
        uniform sampler2D occlusion;
        uniform highp sampler2D depth;
        uniform vec2 planes;
        uniform float rows;
        varying vec2 place;
        void main() {
          float away = -perspectiveDepthToViewZ(texture2D(depth, place).r, planes.x, planes.y);
          float strength = ${STRENGTH} * smoothstep(${GONE.toFixed(1)}, ${CLEAR.toFixed(1)}, rows / max(away, 0.001));
          gl_FragColor = vec4(vec3(mix(1.0, texture2D(occlusion, place).r, strength)), 1.0);
        }`,
      blending: CustomBlending,
      blendEquation: AddEquation,
      blendSrc: DstColorFactor,
      blendDst: ZeroFactor,
      blendSrcAlpha: ZeroFactor,
      blendDstAlpha: OneFactor,
      depthTest: false,
      depthWrite: false,
      transparent: true,
    }),
  );

  constructor(private readonly renderer: WebGLRenderer) {}

  /**
   * Darken the picture of a scene that has just been drawn.
   *
   * `scale` is the fineness against that of the picture, `distance` that of what is looked at, and `unseen` what
   * nothing is to be darkened by.
   */
  draw(scene: Scene, camera: PerspectiveCamera, scale: number, distance: number, unseen: Object3D[]): void {
    const { renderer } = this;
    const { width, height } = renderer.domElement;
    const [across, down] = [Math.max(1, Math.round(scale * width)), Math.max(1, Math.round(scale * height))];
    const reach = Math.min(Math.max(REACH * distance, LEAST_REACH), MOST_REACH);
    const pass = (this.pass ??= makePass(scene, camera, across, down));
    pass.scene = scene;
    pass.camera = camera;
    pass.updateGtaoMaterial({ radius: reach, distanceExponent: 1.5, thickness: reach, distanceFallOff: 1, scale: 1 });
    if (pass.width !== across || pass.height !== down) pass.setSize(across, down);
    const shown = unseen.filter((item) => item.visible);
    for (const item of shown) item.visible = false;
    const { shadowMap } = renderer;
    const isUpdating = shadowMap.autoUpdate;
    shadowMap.autoUpdate = false; // they have just been drawn
    pass.render(renderer, pass.pdRenderTarget, pass.pdRenderTarget, 0, false);
    shadowMap.autoUpdate = isUpdating;
    for (const item of shown) item.visible = true;
    const material = this.quad.material as ShaderMaterial;
    const { occlusion, depth, planes, rows } = material.uniforms;
    occlusion!.value = pass.gtaoMap;
    depth!.value = pass.depthTexture;
    (planes!.value as Vector2).set(camera.near, camera.far);
    rows!.value = (reach * down) / (2 * Math.tan((camera.fov * Math.PI) / 360)); // of what is 1 m away
    renderer.setRenderTarget(null);
    const clears = renderer.autoClear;
    renderer.autoClear = false;
    this.quad.render(renderer);
    renderer.autoClear = clears;
  }
}

function makePass(scene: Scene, camera: PerspectiveCamera, across: number, down: number): GTAOPass {
  const pass = new GTAOPass(scene, camera, across, down);
  pass.output = GTAOPass.OUTPUT.Off;
  pass.updateGtaoMaterial({ samples: 12 });
  pass.updatePdMaterial({ samples: 8, radius: 6 });
  return pass;
}
