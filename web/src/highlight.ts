import { Color, Matrix4, Mesh, MeshBasicMaterial, Scene, ShaderMaterial, Vector2, WebGLRenderTarget } from "three";
import type { BufferGeometry, PerspectiveCamera, WebGLRenderer } from "three";
import { FullScreenQuad } from "three/addons/postprocessing/Pass.js";

/** A surface of what is marked, and where it is drawn. */
export interface Surface {
  buffer: BufferGeometry;
  matrix: Matrix4;
}

const COLOR = new Color(0x3b9dff);

/** Width of the line [pixels of the picture], and samples of the silhouette around each pixel. */
const WIDTH = 2.5;
const SAMPLES = 12;

/** Draws a line around the silhouette of a body, over the finished picture, also where other bodies hide it. */
export class Highlight {
  private readonly scene = new Scene();
  private readonly white = new MeshBasicMaterial({ color: "white", toneMapped: false, depthTest: false });
  private readonly mask = new WebGLRenderTarget(1, 1, { depthBuffer: false });
  private readonly quad = new FullScreenQuad(
    new ShaderMaterial({
      uniforms: { mask: { value: this.mask.texture }, pixel: { value: new Vector2() }, color: { value: COLOR } },
      vertexShader: /* glsl */ `
        varying vec2 place;
        void main() {
          place = uv;
          gl_Position = vec4(position.xy, 0.0, 1.0);
        }`,
      fragmentShader: /* glsl */ `
        uniform sampler2D mask;
        uniform vec2 pixel;
        uniform vec3 color;
        varying vec2 place;
        void main() {
          float near = 0.0;
          for (int k = 0; k < ${SAMPLES}; k++) {
            float angle = float(k) * ${((2 * Math.PI) / SAMPLES).toFixed(6)};
            near += texture2D(mask, place + pixel * vec2(cos(angle), sin(angle))).r;
          }
          float inside = texture2D(mask, place).r;
          gl_FragColor = vec4(color, smoothstep(0.0, 0.3, near / ${SAMPLES}.0) * (1.0 - inside));
          #include <colorspace_fragment>
        }`,
      depthTest: false,
      depthWrite: false,
      transparent: true,
      toneMapped: false,
    }),
  );

  constructor(private readonly renderer: WebGLRenderer) {}

  /** Draw the line around some surfaces. */
  draw(surfaces: Surface[], camera: PerspectiveCamera): void {
    if (!surfaces.length) return;
    const { renderer, mask, scene } = this;
    const { width, height } = renderer.domElement;
    if (mask.width !== width || mask.height !== height) mask.setSize(width, height);
    this.gather(surfaces);
    const clears = renderer.autoClear;
    const { shadowMap } = renderer;
    const isUpdating = shadowMap.autoUpdate;
    shadowMap.autoUpdate = false;
    renderer.setRenderTarget(mask);
    renderer.setClearColor(0x000000, 1);
    renderer.autoClear = true;
    renderer.render(scene, camera);
    renderer.setRenderTarget(null);
    renderer.autoClear = false;
    const uniforms = (this.quad.material as ShaderMaterial).uniforms;
    const ratio = renderer.getPixelRatio();
    uniforms.pixel!.value.set((WIDTH * ratio) / width, (WIDTH * ratio) / height);
    this.quad.render(renderer);
    renderer.autoClear = clears;
    shadowMap.autoUpdate = isUpdating;
  }

  /** Put a mesh into the scene for each surface; meshes are used again. */
  private gather(surfaces: Surface[]): void {
    const { children } = this.scene;
    while (children.length < surfaces.length) {
      const mesh = new Mesh(undefined, this.white);
      mesh.matrixAutoUpdate = false;
      mesh.frustumCulled = false;
      this.scene.add(mesh);
    }
    children.forEach((child, k) => {
      const mesh = child as Mesh;
      const surface = surfaces[k];
      mesh.visible = surface !== undefined;
      if (!surface) return;
      mesh.geometry = surface.buffer;
      mesh.matrix.copy(surface.matrix);
      mesh.matrixWorldNeedsUpdate = true;
    });
  }
}
