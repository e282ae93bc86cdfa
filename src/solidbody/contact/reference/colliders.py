"""Collides cylinders with planes and boxes, as sb_colliders.c explains.

Plain floats in the same order of operations as there, so that both give the same bits: which points
a contact has depends on comparisons, and those must not turn on rounding.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from solidbody.contact.vectors import Vector, cross, dot, subtract

CAP_SIN2 = 0.1
"""sin^2 of the tilt up to which a cap on a plane has four points."""
UPRIGHT_SIN2 = 1e-3
"""sin^2 of the tilt up to which these are at the cylinder's own y and x."""
CAP_COSINE = 0.9
"""|n.a| from which a cylinder touches a box with a cap."""
NO_AXIS = 1e-6
"""Sine of two directions that count as parallel."""
SAME_DEPTH = 1e-12
"""[m] A later axis must be better by more."""
SAME_POINT = 1e-6
"""[m] Corners nearer to each other are one point."""
TOUCHING = 1e-12
"""[m] Depths below are rounding."""

_C8, _S8 = 0.92387953251128674, 0.38268343236508977
PRISM = (
    (_C8, _S8),
    (_S8, _C8),
    (-_S8, _C8),
    (-_C8, _S8),
    (-_C8, -_S8),
    (-_S8, -_C8),
    (_S8, -_C8),
    (_C8, -_S8),
)


@dataclass(slots=True)
class Manifold:
    """Contact points of one pair.

    Attributes:
        normal: From geom 0 to geom 1.
        points: (position, depth), where ODE puts them; none: the geoms do not touch.
    """

    normal: Vector = field(default_factory=lambda: [0.0, 0.0, 0.0])
    points: list[tuple[Vector, float]] = field(default_factory=list[tuple[Vector, float]])


@dataclass(frozen=True, slots=True)
class Place:
    """Pose of a geom: position, and rotation to the world as nine numbers, row-major."""

    pos: Sequence[float]
    mat: Sequence[float]

    def column(self, k: int) -> Vector:
        """Return axis k of the geom."""
        return [self.mat[k], self.mat[3 + k], self.mat[6 + k]]

    def turn(self, v: Vector) -> Vector:
        """Return a direction of the geom's frame in the world's."""
        return [dot(self.mat[3 * i : 3 * i + 3], v) for i in range(3)]

    def turn_back(self, v: Vector) -> Vector:
        """Return a direction of the world's frame in the geom's."""
        return [dot(self.column(i), v) for i in range(3)]


# ---------------------------------------------------------------- cylinder on plane


def cylinder_under_plane(
    plane: Sequence[float],
    n: Vector,
    pos: Sequence[float],
    axes: tuple[Vector, Vector, Vector],
    radius: float,
    half: float,
) -> list[tuple[Vector, float]]:
    """Return the points of a cylinder under the plane through `plane` with normal `n`."""
    x, y, a = axes
    along = dot(n, a)
    m = [along * a[i] - n[i] for i in range(3)]
    sin2 = dot(m, m)
    if sin2 < UPRIGHT_SIN2:
        m, c = y, x
    else:
        sine = math.sqrt(sin2)
        c = [x / sine for x in cross(a, n)]
        m = [x / sine for x in m]
    radii = [(radius, m)]
    if sin2 < CAP_SIN2:
        radii += [(radius, c), (-radius, m), (-radius, c)]
    out: list[tuple[Vector, float]] = []
    for cap in (-1, 1) if along > 0 else (1, -1):
        centre = [pos[i] + cap * half * a[i] for i in range(3)]
        for length, direction in radii:
            p = [centre[i] + length * direction[i] for i in range(3)]
            depth = dot(n, subtract(plane, p))
            if depth > TOUCHING:
                out.append((p, depth))
    return out


def collide_plane_cylinder(plane: Place, place: Place, radius: float, half: float) -> Manifold:
    """Return the points of a cylinder under a plane, by Webots' rule."""
    n = plane.column(2)
    axes = place.column(0), place.column(1), place.column(2)
    return Manifold(n, cylinder_under_plane(plane.pos, n, place.pos, axes, radius, half))


# ---------------------------------------------------------------- points that matter

FEW_POINTS = 8
"""Points of one normal that are kept as they are."""
SPREAD_POINTS = 64
"""Most points that are looked at together."""
MUCH_DEEPER = 1.1
"""See SB_MUCH_DEEPER."""
_WAYS = ((1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1))


def spread(points: Sequence[tuple[Vector, float]], x: Vector, y: Vector) -> list[int]:
    """Return the indices of the points that are outermost along x, y and between; and the deepest."""
    kept: set[int] = set()
    for along, across in _WAYS:
        reaches = [along * dot(x, p) + across * dot(y, p) for p, _ in points]
        kept.add(reaches.index(max(reaches)))
    depths = [depth for _, depth in points]
    deep = depths.index(max(depths))
    if depths[deep] > MUCH_DEEPER * max(depths[k] for k in kept):
        kept.add(deep)
    return sorted(kept)


# ---------------------------------------------------------------- cylinder on box


@dataclass(slots=True)
class _Overlap:
    """Cylinder in the frame of the box, and the best direction so far."""

    p: Vector
    x: Vector
    y: Vector
    a: Vector
    radius: float
    half: float
    box: Sequence[float]
    n: Vector = field(default_factory=lambda: [0.0, 0.0, 0.0])
    depth: float = math.inf

    def reach_of_cylinder(self, direction: Vector) -> float:
        across = cross(direction, self.a)
        sine = math.sqrt(dot(across, across))
        return abs(dot(direction, self.a)) * self.half + self.radius * sine

    def reach_of_box(self, direction: Vector) -> float:
        return dot([abs(x) for x in direction], self.box)

    def touches_along(self, direction: Vector) -> bool:
        """Whether the two overlap along a direction; keeps it if they overlap least."""
        length = math.sqrt(dot(direction, direction))
        if length < NO_AXIS:
            return True
        unit = [x / length for x in direction]
        between = dot(unit, self.p)
        depth = self.reach_of_cylinder(unit) + self.reach_of_box(unit) - abs(between)
        if depth < 0:
            return False
        if depth < self.depth - SAME_DEPTH:
            self.depth = depth
            self.n = [-x for x in unit] if between < 0 else unit
        return True

    def corner_directions(self) -> list[Vector]:
        out: list[Vector] = []
        for k in range(8):
            w = [(s if k >> i & 1 else -s) - self.p[i] for i, s in enumerate(self.box)]
            along = dot(w, self.a)
            out.append([w[i] - along * self.a[i] for i in range(3)])
        return out

    def edge_directions(self, i: int) -> list[Vector]:
        j, k = (i + 1) % 3, (i + 2) % 3
        if abs(self.a[i]) < NO_AXIS:
            return []
        out: list[Vector] = []
        for edge in range(4):
            for cap in (-1, 1):
                q = [-(self.p[c] + cap * self.half * self.a[c]) for c in range(3)]
                q[j] += self.box[j] if edge & 1 else -self.box[j]
                q[k] += self.box[k] if edge & 2 else -self.box[k]
                q[i] -= dot(q, self.a) / self.a[i]
                u = cross(self.a, q)
                length = math.sqrt(dot(u, u))
                if length < NO_AXIS:
                    continue
                direction = [0.0, 0.0, 0.0]
                direction[j] = u[k] / length
                direction[k] = -u[j] / length
                out.append(direction)
        return out

    def directions(self) -> list[Vector]:
        """Return every direction in which the two can be apart, in the native order."""
        units = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
        return [
            *units,
            self.a,
            *(cross(self.a, edge) for edge in units),
            *self.corner_directions(),
            *(direction for i in range(3) for direction in self.edge_directions(i)),
        ]


def _side_points(o: _Overlap, cosine: float) -> list[tuple[Vector, float]]:
    w = [o.n[i] - cosine * o.a[i] for i in range(3)]
    length = math.sqrt(dot(w, w))
    start = [o.p[i] - o.radius * w[i] / length - o.half * o.a[i] for i in range(3)]
    step = [2 * o.half * o.a[i] for i in range(3)]
    begin, end = 0.0, 1.0
    for i in range(3):
        for side in (-1, 1):
            first = o.box[i] + TOUCHING - side * start[i]
            last = first - side * step[i]
            if first < 0 and last < 0:
                return []
            if first < 0:
                begin = max(begin, first / (first - last))
            if last < 0:
                end = min(end, first / (first - last))
    if begin > end:
        return []
    reach = o.reach_of_box(o.n)
    points = [[start[i] + t * step[i] for i in range(3)] for t in (begin, end)]
    return [(p, max(reach - dot(o.n, p), 0.0)) for p in points]


def _cut(polygon: list[Vector], normal: Vector, through: Vector, offset: float) -> list[Vector]:
    """Return the part of a polygon where normal.(p - through) <= offset."""
    inside = [offset - dot(normal, subtract(q, through)) for q in polygon]
    out: list[Vector] = []
    for k, q in enumerate(polygon):
        p, before = polygon[k - 1], inside[k - 1]
        if before > 0 > inside[k] or before < 0 < inside[k]:
            t = before / (before - inside[k])
            out.append([p[i] + t * (q[i] - p[i]) for i in range(3)])
        if inside[k] >= 0:
            out.append(q)
    return out


def _cap_points(o: _Overlap, cosine: float, *, ode_depths: bool) -> list[tuple[Vector, float]]:
    size = [abs(x) for x in o.n]
    i = size.index(max(size))
    j, k = (i + 1) % 3, (i + 2) % 3
    polygon: list[Vector] = []
    for sign_j, sign_k in ((1, 1), (-1, 1), (-1, -1), (1, -1)):
        corner = [0.0, 0.0, 0.0]
        corner[i] = o.box[i] if o.n[i] > 0 else -o.box[i]
        corner[j], corner[k] = sign_j * o.box[j], sign_k * o.box[k]
        polygon.append(corner)

    outward = [-x for x in o.a] if cosine > 0 else o.a
    polygon = _cut(polygon, outward, o.p, o.half - TOUCHING)
    for cos, sin in PRISM:
        normal = [cos * o.x[c] + sin * o.y[c] for c in range(3)]
        polygon = _cut(polygon, normal, o.p, o.radius)

    reach = o.reach_of_cylinder(o.n)
    out: list[tuple[Vector, float]] = []
    for corner in polygon:
        offset = subtract(o.p, corner)
        depth = reach - dot(o.n, offset)
        to_cap = (o.half + dot(outward, offset)) / abs(cosine)
        if not ode_depths and to_cap < depth:
            depth = to_cap
        if depth > 0 and _is_new(out, corner):
            out.append((corner, depth))
    return out


def _is_new(points: list[tuple[Vector, float]], p: Vector) -> bool:
    apart = (subtract(p, q) for q, _ in points)
    return all(dot(d, d) >= SAME_POINT * SAME_POINT for d in apart)


def collide_cylinder_box(
    place: Place,
    radius: float,
    half: float,
    box: Place,
    box_half: Sequence[float],
    *,
    ode_depths: bool,
) -> Manifold | None:
    """Return the points of a cylinder and a box, or None when undecided.

    Args:
        place: Of the cylinder, whose axis is its z.
        radius: [m].
        half: Half the height [m].
        box: Its place.
        box_half: Half sizes [m].
        ode_depths: Take ODE's own depths under a tilted cap.
    """
    x, y, a = (box.turn_back(place.column(k)) for k in range(3))
    centre = box.turn_back(subtract(place.pos, box.pos))
    o = _Overlap(centre, x, y, a, radius, half, box_half)
    if not all(o.touches_along(direction) for direction in o.directions()):
        return Manifold()
    if not o.depth < math.inf:
        return None
    cosine = dot(o.n, o.a)
    is_side = abs(cosine) < CAP_COSINE
    found = _side_points(o, cosine) if is_side else _cap_points(o, cosine, ode_depths=ode_depths)
    if not found:
        return Manifold() if o.depth < 2 * TOUCHING else None
    normal = [-x for x in box.turn(o.n)]
    turned = ((box.turn(p), depth) for p, depth in found)
    return Manifold(normal, [([box.pos[i] + p[i] for i in range(3)], depth) for p, depth in turned])
