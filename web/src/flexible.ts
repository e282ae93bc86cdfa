import { Color, Matrix4, Quaternion, Vector3 } from "three";
import { transform, vector } from "./numbers";
import type { WireBelt, WireMuscle } from "./protocol";

/** One shape inside a batch: whose it is, and where on its link. */
export interface Placement {
  link: number;
  local: Matrix4;
  color: Color;
  /** Nobody sees it for now. */
  isHidden: boolean;
}

/** A muscle shorter than this is not drawn as what it would be: an endlessly wide disc [m]. */
const LEAST = 1e-4;

/** A ball that is stretched between two links, its volume kept. */
export class Muscle {
  private readonly start: Vector3;
  private readonly end: Vector3;

  constructor(
    private readonly wire: WireMuscle,
    private readonly placement: Placement,
  ) {
    this.start = vector(wire.start);
    this.end = vector(wire.end);
  }

  /** The links that it spans. */
  get links(): [number, number] {
    return [this.placement.link, this.wire.end_link];
  }

  /** Stretch it between its links as they are now. */
  update(matrices: Matrix4[]): void {
    const near = matrices[this.placement.link]!;
    way.copy(this.end).applyMatrix4(matrices[this.wire.end_link]!).applyMatrix4(inverse.copy(near).invert()).sub(this.start);
    const length = way.length();
    if (length < LEAST) return;
    const half = Math.sqrt((1.5 * this.wire.volume) / (Math.PI * length));
    middle.copy(this.start).addScaledVector(way, 0.5);
    turn.setFromUnitVectors(X, way.divideScalar(length));
    this.placement.local.compose(middle, turn, size.set(length / 2, half, half));
  }
}

/** Numbers of each piece of a belt's path. */
const PIECE = 5;

/** The elements along a belt that runs around wheels. */
export class Belt {
  private readonly frame: Matrix4;
  private readonly own: Matrix4[];
  private travel = NaN;

  constructor(
    readonly wire: WireBelt,
    private readonly placements: Placement[],
  ) {
    this.frame = transform(wire.position, wire.rotation, new Vector3(1, 1, 1));
    this.own = placements.map(({ local }) => local.clone());
  }

  /** The belt has run this far [m]; returns whether that is new. */
  update(travel: number): boolean {
    if (travel === this.travel) return false;
    this.travel = travel;
    const { length } = this.wire;
    this.placements.forEach(({ local }, k) => {
      this.at(travel + (k * length) / this.placements.length, local);
      local.premultiply(this.frame).multiply(this.own[k]!);
    });
    return true;
  }

  /** How far pictures on it have moved, in picture sizes. */
  get slide(): [number, number] {
    const [u = 0, v = 0] = this.wire.texture_velocity;
    return [(this.travel * u) % 1, (this.travel * v) % 1];
  }

  /** The frame at a place of the path, as solidbody's cameras see it (devices/surfaces/belt_path.py). */
  private at(along: number, out: Matrix4): void {
    const { path, length } = this.wire;
    const place = ((along % length) + length) % length;
    let at = path.length - PIECE;
    while (at > 0 && path[at]! > place) at -= PIECE;
    const [start, x, z, outward, radius] = path.slice(at, at + PIECE) as [number, number, number, number, number];
    const rest = place - start;
    const angle = radius ? outward - rest / radius : outward;
    const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
    const ahead = radius ? 0 : rest; // a quarter turn clockwise from outwards
    out.makeRotationY(Math.PI / 2 - angle).setPosition(x + radius * cos + ahead * sin, 0, z + radius * sin - ahead * cos);
  }
}

// scratch, to keep the frame loop free of garbage
const X = new Vector3(1, 0, 0);
const way = new Vector3();
const middle = new Vector3();
const size = new Vector3();
const turn = new Quaternion();
const inverse = new Matrix4();
