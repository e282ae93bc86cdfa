import { ShaderChunk, Vector3 } from "three";
import type { Camera, Frustum, Light, Matrix4, OrthographicCamera, PerspectiveCamera, Vector4 } from "three";
import { SunLight } from "three/addons/lights/SunLight.js";
import { SunLightShadow } from "three/addons/lights/SunLightShadow.js";

/** Texels of the finest map over which the edge of a shadow fades. */
const SOFTNESS = 3;

/** The near map is left for the far one between these shares of the distance of what is looked at, behind it. */
const FADE_START = 0.12;
const NEAR_END = 0.3;

/** The far map reaches this many times as far as what is looked at. */
const FAR = 14;

/** Pushes surfaces out of their own shadow, in texels. */
const NORMAL_BIAS = 2;

// each cascade has texels of its own size: what keeps surfaces out of their own shadow comes with its depths
const LOOKED_UP = "sunShadowMatrix[ cascadeOffset + i ] * shadowWorldPosition";
if (!ShaderChunk.shadowmap_pars_fragment.includes(LOOKED_UP)) throw new Error("three.js has other cascades");
ShaderChunk.shadowmap_pars_fragment = ShaderChunk.shadowmap_pars_fragment.replace(
  LOOKED_UP,
  "sunShadowMatrix[ cascadeOffset + i ] * vec4( vSunShadowWorldPosition.xyz + vSunShadowWorldNormal * cascade.w, 1.0 )",
);

/** What three.js keeps of its cascades. */
interface Cascades {
  _cameras: OrthographicCamera[];
  _matrices: Matrix4[];
  _frustums: Frustum[];
  _cascadeData: Vector4[];
  _viewports: Vector4[];
  _updateMatrix(camera: OrthographicCamera, matrix: Matrix4, frustum: Frustum, viewport: Vector4): void;
}

/**
 * Shadows in two maps: a sharp one around what is looked at, whichever way, and a coarse one for what is behind it.
 *
 * three.js divides the view by its depth alone, so that the closest meter gets most of a map; what is looked at
 * is what has to be sharp.
 */
export class FittedShadow extends SunLightShadow {
  private readonly middle = new Vector3();
  private readonly towards = new Vector3(0, 0, 1);
  private reach = 1;
  private distance = 1;

  /** Fit the maps to a point that is looked at from a distance [m]; `reach` is half of the near map's side. */
  fit(towards: Vector3, middle: Vector3, distance: number, reach: number): void {
    this.towards.copy(towards).normalize();
    this.distance = distance;
    this.reach = reach;
    // in steps, so that edges do not crawl as the view moves
    const step = 8 * this.texel(reach);
    this.middle.copy(middle).divideScalar(step).round().multiplyScalar(step);
    // a coarser map is sampled over fewer texels: the farthest sample must not find the surface itself
    this.radius = Math.max(1, (SOFTNESS * this.mapSize.x) / 2048);
    this.bias = -0.0002;
  }

  override updateMatrices(_: Light, viewCamera?: Camera): void {
    if (!viewCamera) return;
    const own = this as unknown as Cascades;
    const inset = Math.min(0.25, (Math.ceil(this.radius) + 1) / this.mapSize.x);
    own._viewports.forEach((viewport, k) => viewport.set(k + inset, inset, 1 - 2 * inset, 1 - 2 * inset));
    eye.setFromMatrixPosition(viewCamera.matrixWorld);
    viewCamera.getWorldDirection(ahead);
    const depth = Math.max(ahead.dot(away.copy(this.middle).sub(eye)), 0); // without perspective the eye is far away
    const [start, end] = [depth + FADE_START * this.distance, depth + NEAR_END * this.distance];
    const far = Math.min((viewCamera as PerspectiveCamera).far, depth + FAR * this.distance);
    own._cascadeData[0]!.set(-1e10, end, start, this.offset(this.reach));
    this.place(own, 0, this.middle, this.reach, 0);
    const { center, radius } = this.ballAround(viewCamera as PerspectiveCamera, start, Math.max(far, end * 1.001));
    own._cascadeData[1]!.set(start, Math.max(far, end * 1.001), Math.max(0.9 * far, end), this.offset(radius));
    this.place(own, 1, center, radius, radius);
  }

  /** How far surfaces are pushed out of their own shadow [m]. */
  private offset(reach: number): number {
    return NORMAL_BIAS * this.texel(reach);
  }

  /** Length of a texel of a map with half this side [m]. */
  private texel(reach: number): number {
    return (2 * reach) / this.mapSize.x;
  }

  /** Ball around what the view shows between two depths. */
  private ballAround(camera: PerspectiveCamera, start: number, end: number): { center: Vector3; radius: number } {
    // half of the picture's diagonal at the depth 1
    const { elements } = camera.projectionMatrixInverse;
    const half = Math.hypot(elements[0]!, elements[5]!);
    // the ball through both ends of the frustum's corners, or around its far end
    const along = Math.min((end + start) * 0.5 * (1 + half * half), end);
    const radius = Math.max(Math.hypot(end - along, half * end), Math.hypot(along - start, half * start));
    const center = eye.clone().addScaledVector(ahead, along);
    const step = 8 * this.texel(radius);
    return { center: center.divideScalar(step).round().multiplyScalar(step), radius: radius + step };
  }

  /** Put the camera of a cascade above a point. */
  private place(own: Cascades, k: number, middle: Vector3, reach: number, further: number): void {
    const camera = own._cameras[k]!;
    const height = 4 * reach + further;
    camera.up.set(0, 1, 0);
    if (Math.abs(this.towards.y) > 0.99) camera.up.set(0, 0, 1);
    camera.position.copy(this.towards).multiplyScalar(height).add(middle);
    camera.lookAt(middle);
    Object.assign(camera, { left: -reach, right: reach, bottom: -reach, top: reach, near: 0, far: 2 * height });
    camera.updateProjectionMatrix();
    camera.updateMatrixWorld();
    own._updateMatrix(camera, own._matrices[k]!, own._frustums[k]!, own._viewports[k]!);
  }
}

/** A sun whose shadows fit the view. */
export class Sun extends SunLight {
  declare shadow: FittedShadow;

  constructor(...parameters: ConstructorParameters<typeof SunLight>) {
    super(...parameters);
    this.shadow = new FittedShadow();
    this.shadow.mapSize.set(2048, 2048);
  }
}

const eye = new Vector3();
const ahead = new Vector3();
const away = new Vector3();
