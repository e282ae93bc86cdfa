import {
  Color,
  DirectionalLight,
  Group,
  HemisphereLight,
  Light,
  Object3D,
  PointLight,
  ShaderChunk,
  SpotLight,
  Vector3,
} from "three";
import type { Bodies } from "./bodies";
import { color as wireColor, quaternion, vector } from "./numbers";
import type { EventLooks, WireLight, WireLightPoint, WireLightSpot, WireScene } from "./protocol";
import { Sun } from "./sun";

/**
 * Limits of the light of all lamps where things stand: pi would make a white surface white. Files have all
 * kinds of sums, since their renderers map tones differently; the picture should neither drown nor burn.
 */
const LEAST_LIGHT = 1.8;
const MOST_LIGHT = 2.0;

/** Colours of the light from above and of what the floor throws back. */
const AMBIENT_SKY = new Color(0.97, 1.0, 1.06);
const AMBIENT_GROUND = new Color(0.42, 0.4, 0.38);

/** Textures are scarce: more lights than this throw no shadows. */
const SHADOW_LIMIT = 3;

/** Texels of the finest map over which the edge of a shadow fades. */
const SOFTNESS = 3;

/** A scene that gets less light than this where things stand is lit by our own sun as well. */
const DARK_LIMIT = 0.25;

/** Lamps are at most this many times as bright as the file says: a far one may still leave most in the dark. */
const SHARE_LIMIT = 8;

// the law of files: as bright as they say up to where attenuation begins, never brighter nearby
const FALLOFF = "max( pow( lightDistance, decayExponent ), 0.01 )";
ShaderChunk.lights_pars_begin = ShaderChunk.lights_pars_begin.replace(FALLOFF, FALLOFF.replace("0.01", "1.0"));

/** A light that stands on a link and goes along with it. */
interface Carried {
  link: number;
  light: DirectionalLight | Sun | PointLight | SpotLight;
  position: Vector3;
  direction: Vector3;
}

/** The lamps of a scene, and the sun when it has none. */
export class Lights {
  readonly group = new Group();
  /** Light from all around, relative to a white sky. */
  readonly ambient: number;
  /** Those with shadows. */
  private readonly suns: Sun[] = [];
  private readonly carried: Carried[] = [];
  private readonly lamps: (DirectionalLight | Sun | PointLight | SpotLight)[] = [];
  private readonly up: Vector3;
  private share = 1;

  /** `places` are what the lamps are there to light. */
  constructor(scene: WireScene, places: Vector3[]) {
    this.up = vector(scene.up);
    const lit = scene.lights.filter((light) => light.is_on);
    const received = typical(places.map((place) => lit.reduce((sum, light) => sum + brightness(light) * reaching(light, scene, place), 0)));
    const ambient = lit.reduce((sum, light) => sum + light.ambient, 0);
    const isDark = received < DARK_LIMIT;
    const luminosity = scene.background?.luminosity ?? 1;
    this.ambient = Math.min(0.6, 0.45 * Math.min(Math.max(0.6, luminosity), 1.3) + 0.1 * ambient);
    const sky = new HemisphereLight(AMBIENT_SKY, AMBIENT_GROUND, Math.PI * this.ambient);
    sky.position.copy(this.up);
    this.group.add(sky);
    if (isDark) this.addSun();
    this.addLights(scene.lights, received);
  }

  /** Switch and dim lamps as programs do. */
  showLamps({ lamps }: EventLooks): void {
    for (const { light: index, is_on, color, intensity } of lamps) {
      const light = this.lamps[index];
      if (!light) continue;
      light.visible = is_on;
      light.color.copy(wireColor(color));
      light.intensity = this.share * intensity * (light.userData.weakness as number);
    }
  }

  /** Whether each lamp of the scene shines, for tests. */
  get shining(): boolean[] {
    return this.lamps.map((light) => light.visible && light.intensity > 0);
  }

  /** Move carried lights, and fit the sun's shadows to what is looked at. */
  update(bodies: Bodies, center: Vector3, distance: number): void {
    for (const { link, light, position, direction } of this.carried) {
      const matrix = bodies.matrix(link);
      if (light instanceof DirectionalLight || light instanceof Sun) {
        light.position.copy(direction).transformDirection(matrix).negate();
        continue;
      }
      light.position.copy(position).applyMatrix4(matrix);
      if (light instanceof SpotLight) {
        light.target.position.copy(direction).transformDirection(matrix).add(light.position);
      }
    }
    // in steps, so that zooming does not make shadow edges crawl
    const reach = 2 ** (Math.ceil(2 * Math.log2(Math.max(distance, 0.2))) / 2);
    for (const sun of this.suns) sun.shadow.fit(sun.position, center, distance, reach);
  }

  /** Set the fineness of shadows [pixels]. */
  setShadowSize(size: number): void {
    this.group.traverse((object: Object3D) => {
      if (!(object instanceof Sun || object instanceof PointLight || object instanceof SpotLight)) return;
      const wanted = object instanceof Sun ? size : size / 2;
      if (object.shadow.mapSize.x === wanted) return;
      object.shadow.mapSize.set(wanted, wanted);
      object.shadow.map?.dispose();
      object.shadow.map = null; // made anew at the next picture
    });
  }

  /** Free the graphics memory. */
  dispose(): void {
    this.group.traverse((object: Object3D) => {
      if (object instanceof Light) object.dispose();
    });
  }

  private addSun(): void {
    // from above, a little from the side: every face of a box gets its own shade
    const side = Math.abs(this.up.x) < 0.9 ? new Vector3(1, 0, 0) : new Vector3(0, 1, 0);
    const other = this.up.clone().cross(side);
    const towards = this.up.clone().addScaledVector(side, -0.45).addScaledVector(other, 0.6);
    this.addDirectional(towards.negate(), new Color(1, 0.97, 0.92), MOST_LIGHT, true);
  }

  private addLights(lights: WireLight[], received: number): void {
    const lit = lights.filter((light) => light.is_on);
    // the strongest lamp throws shadows even if the file asks for none: bodies need to stand somewhere
    const wantsShadow = lit.filter((light) => light.casts_shadows);
    const strongest = [...lit].sort((a, b) => brightness(b) - brightness(a)).slice(0, this.suns.length ? 0 : 1);
    const casters = new Set((wantsShadow.length ? wantsShadow : strongest).slice(0, SHADOW_LIMIT));
    // beside our own sun lamps are as bright as the file says
    const wanted = Math.min(Math.max(received, LEAST_LIGHT), MOST_LIGHT);
    this.share = this.suns.length ? 1 : Math.min(wanted / received, SHARE_LIMIT);
    for (const light of lights) {
      const color = wireColor(light.color);
      const casts = casters.has(light);
      const intensity = this.share * light.intensity;
      const made =
        light.kind === "directional"
          ? this.addDirectional(vector(light.direction), color, intensity, casts)
          : this.addLamp(light, color, intensity, casts);
      made.visible = light.is_on;
      this.lamps.push(made);
      if (light.link === null) continue;
      const position = light.kind === "directional" ? new Vector3() : vector(light.position);
      const direction = light.kind === "point" ? new Vector3() : vector(light.direction).normalize();
      this.carried.push({ link: light.link, light: made, position, direction });
    }
  }

  private addDirectional(direction: Vector3, color: Color, intensity: number, casts: boolean): DirectionalLight | Sun {
    const light = casts ? new Sun(color, intensity) : new DirectionalLight(color, intensity);
    light.position.copy(direction).normalize().negate(); // shines from there to the origin
    light.castShadow = casts;
    light.userData.weakness = 1;
    this.group.add(light);
    if (light instanceof Sun) this.suns.push(light);
    return light;
  }

  private addLamp(
    wire: WireLightPoint | WireLightSpot,
    color: Color,
    intensity: number,
    casts: boolean,
  ): PointLight | SpotLight {
    const [constant, linear, square] = wire.attenuation;
    const decay = square > 0 ? 2 : linear > 0 ? 1 : 0;
    const weaker = Math.max([constant, linear, square][decay] ?? 1, 1e-6);
    const power = intensity / weaker;
    let light: PointLight | SpotLight;
    if (wire.kind === "spot") {
      const penumbra = 1 - Math.min(1, wire.beam_width / wire.cut_off_angle);
      const angle = Math.min(wire.cut_off_angle, Math.PI / 2 - 0.01);
      light = new SpotLight(color, power, wire.radius, angle, Math.max(0.1, penumbra), decay);
      light.target.position.copy(vector(wire.position)).add(vector(wire.direction));
      this.group.add(light.target);
    } else {
      light = new PointLight(color, power, wire.radius, decay);
    }
    light.position.copy(vector(wire.position));
    light.castShadow = casts;
    light.shadow.mapSize.set(1024, 1024);
    light.shadow.radius = SOFTNESS;
    // depth is stored as 1/distance: with this near plane the bias is about 3 mm at 2.5 m
    light.shadow.camera.near = 0.1;
    light.shadow.camera.far = Math.min(wire.radius, 60);
    light.shadow.bias = -0.00005;
    light.shadow.normalBias = 0.02;
    light.userData.weakness = 1 / weaker;
    this.group.add(light);
    return light;
  }
}

function brightness({ intensity, color: [red, green, blue] }: WireLight): number {
  return intensity * (0.2126 * red + 0.7152 * green + 0.0722 * blue);
}

/** The light that most places get at least: the lower quartile, so that corners may stay dark. */
function typical(received: number[]): number {
  return [...received].sort((a, b) => a - b)[Math.floor(received.length / 4)] ?? 0;
}

/** Share of the light of a lamp that gets to a place if it points there, from where it is at the start. */
function reaching(light: WireLight, scene: WireScene, place: Vector3): number {
  if (light.kind === "directional") return 1;
  const from = vector(light.position);
  const link = light.link === null ? undefined : scene.links[light.link];
  if (link) from.applyQuaternion(quaternion(link.rotation)).add(vector(link.position));
  const distance = place.distanceTo(from);
  const [constant, linear, square] = light.attenuation;
  return distance > light.radius ? 0 : 1 / Math.max(constant + linear * distance + square * distance * distance, 1);
}
