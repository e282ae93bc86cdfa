"""Shapes in the frame of a terrain, and its edges inside them: twin of sb_terrain_pairs.c and _solids.c."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from solidbody.contact.law import Form
from solidbody.contact.reference.colliders import TOUCHING, Place
from solidbody.contact.vectors import Vector, cross, dot, subtract

SOLID_LEAN = 0.1
"""See SB_SOLID_LEAN."""


@dataclass(slots=True)
class Solid:
    """A body in the frame of the terrain (native: SbSolid)."""

    form: Form
    p: Vector
    axes: tuple[Vector, Vector, Vector]
    size: Vector
    corners: list[Vector]
    planes: list[tuple[Vector, float]]
    lo: Vector = field(init=False)
    hi: Vector = field(init=False)

    def inner_radius(self) -> float:
        """Return the radius of the largest ball around the centre that is inside."""
        if self.form is Form.CYLINDER:
            return min(self.size[0], self.size[1])
        return min(offset - dot(normal, self.p) for normal, offset in self.planes)

    def __post_init__(self) -> None:
        self.lo, self.hi = [0.0] * 3, [0.0] * 3
        for i in range(3):
            if self.corners:
                self.lo[i] = min(corner[i] for corner in self.corners)
                self.hi[i] = max(corner[i] for corner in self.corners)
                continue
            reach, a = self.size[0], self.axes[2][i]
            if self.form is Form.CAPSULE:
                reach += abs(a) * self.size[1]
            if self.form is Form.CYLINDER:
                reach = abs(a) * self.size[1] + self.size[0] * math.sqrt(max(1 - a * a, 0.0))
            self.lo[i], self.hi[i] = self.p[i] - reach, self.p[i] + reach

    def lower_face(self, n: Vector) -> Vector:
        """Return the direction of a box's face that looks most against n (native: lower_face)."""
        reach = [self.size[k] * dot(self.axes[k], n) for k in range(3)]
        most = max(range(3), key=lambda k: abs(reach[k]))
        return [-a if reach[most] > 0 else a for a in self.axes[most]]

    def lowest(self, n: Vector) -> float:
        """Return the least n.x over the body."""
        if self.form is Form.CYLINDER:
            across = cross(n, self.axes[2])
            reach = abs(dot(n, self.axes[2])) * self.size[1] + self.size[0] * math.sqrt(
                dot(across, across)
            )
            return dot(n, self.p) - reach
        return min(dot(n, corner) for corner in self.corners)


@dataclass(frozen=True, slots=True)
class Edge:
    """An EDGE row as plain floats."""

    start: Vector
    step: Vector
    c0: Vector
    c1: Vector
    bend: float
    border: bool


def body_in_frame(
    form: Form,
    size: Vector,
    place: Place,
    frame: Place,
    hull: tuple[list[Vector], list[Vector]] | None,
) -> Solid:
    """Return a geom in the frame of a terrain; `hull`: corners and planes of a mesh."""
    p = frame.turn_back(subtract(place.pos, frame.pos))
    x, y, z = (frame.turn_back(place.column(k)) for k in range(3))

    def combine(v: Vector) -> Vector:
        return [v[0] * x[i] + v[1] * y[i] + v[2] * z[i] for i in range(3)]

    corners: list[Vector] = []
    planes: list[tuple[Vector, float]] = []
    if form is Form.BOX:
        for k in range(8):
            turned = combine([size[i] if k >> i & 1 else -size[i] for i in range(3)])
            corners.append([turned[i] + p[i] for i in range(3)])
        for k, axis in enumerate((x, y, z)):
            for sign in (1, -1):
                normal = [sign * axis[i] for i in range(3)]
                planes.append((normal, dot(normal, p) + size[k]))
    elif hull is not None:
        for point in hull[0]:
            turned = combine(point)
            corners.append([turned[i] + p[i] for i in range(3)])
        for plane in hull[1]:
            normal = combine(plane)
            planes.append((normal, dot(normal, p) + plane[3]))
    return Solid(form, p, (x, y, z), size, corners, planes)


class Inside:
    """The part of an edge inside a body, and the best direction to push it out."""

    def __init__(self, edge: Edge, body: Solid) -> None:
        self.edge, self.body = edge, body
        self.first, self.last = 0.0, 1.0
        self.enters = self.leaves = -1
        self.n: Vector = [0.0, 0.0, 0.0]
        self.lowest, self.overlap, self.least = 0.0, math.inf, math.inf
        self.ends: list[Vector] = []
        self.middle: Vector = []

    def narrow(self) -> bool:
        """Find the part inside; False: there is none."""
        if self.body.form is Form.CYLINDER:
            found = self._narrow_by_cylinder()
        else:
            planes = enumerate(self.body.planes)
            found = all(self._narrow_by(normal, offset, k) for k, (normal, offset) in planes)
        e = self.edge
        self.ends = [
            [e.start[i] + t * e.step[i] for i in range(3)] for t in (self.first, self.last)
        ]
        self.middle = [0.5 * (self.ends[0][i] + self.ends[1][i]) for i in range(3)]
        return found

    def _narrow_by(self, normal: Vector, offset: float, plane: int) -> bool:
        start, step = dot(normal, self.edge.start) - offset, dot(normal, self.edge.step)
        if abs(step) < 1e-15:
            return start <= 0
        t = -start / step
        if step < 0 and t > self.first:
            self.first, self.enters = t, plane
        if step > 0 and t < self.last:
            self.last, self.leaves = t, plane
        return self.first < self.last

    def _narrow_by_cylinder(self) -> bool:
        b, a = self.body, self.body.axes[2]
        radius, half, _ = b.size
        centre = dot(a, b.p)
        if not self._narrow_by(a, centre + half, 0):
            return False
        if not self._narrow_by([-x for x in a], half - centre, 1):
            return False
        w = subtract(self.edge.start, b.p)
        wa, ua = dot(w, a), dot(self.edge.step, a)
        w = [w[i] - wa * a[i] for i in range(3)]
        u = [self.edge.step[i] - ua * a[i] for i in range(3)]
        uu, uw, ww = dot(u, u), dot(u, w), dot(w, w) - radius * radius
        if uu < 1e-15:
            return ww <= 0
        root = uw * uw - uu * ww
        if root <= 0:
            return False
        root = math.sqrt(root)
        self.first = max(self.first, (-uw - root) / uu)
        self.last = min(self.last, (-uw + root) / uu)
        return self.first < self.last

    def find_direction(self) -> None:
        """Find the direction along which the body must move least."""
        if self.body.form is Form.CYLINDER:
            self._try_cylinder()
        else:
            self._try_faces()

    def _keep_if_less(self, n: Vector, lowest: float) -> None:
        overlap = max(dot(n, self.ends[0]), dot(n, self.ends[1])) - lowest
        self.least = min(self.least, overlap)
        if dot(self.edge.c0, n) < -SOLID_LEAN or dot(self.edge.c1, n) < -SOLID_LEAN:
            return
        if overlap < self.overlap - TOUCHING:
            self.overlap, self.lowest, self.n = overlap, lowest, n

    def _try_across(self, w: Vector) -> None:
        length = math.sqrt(dot(w, w))
        if length < 1e-6:
            return
        sign = -1 if dot(w, subtract(self.body.p, self.middle)) < 0 else 1
        n = [sign * x / length for x in w]
        self._keep_if_less(n, self.body.lowest(n))

    def _try_faces(self) -> None:
        planes = self.body.planes
        for normal, offset in planes:
            self._keep_if_less([-x for x in normal], -offset)
        if self.enters < 0 or self.leaves < 0:
            return
        f, g = planes[self.enters][0], planes[self.leaves][0]
        step = self.edge.step
        df, dg, length = dot(step, f), dot(step, g), math.sqrt(dot(step, step))
        self._try_across([(f[i] * dg - g[i] * df) / length for i in range(3)])

    def _try_cylinder(self) -> None:
        b, a, d = self.body, self.body.axes[2], self.edge.step
        length = math.sqrt(dot(d, d))
        back = [-x for x in a]
        self._keep_if_less(a, b.lowest(a))
        self._keep_if_less(back, b.lowest(back))
        self._try_across([x / length for x in cross(a, d)])
        for end in self.ends:
            w = subtract(b.p, end)
            along = dot(w, a)
            self._try_across([w[i] - along * a[i] for i in range(3)])
        da = dot(d, a)
        if abs(da) < 1e-6 * length:
            return
        for cap in (-1, 1):
            q = [self.edge.start[i] - (b.p[i] + cap * b.size[1] * a[i]) for i in range(3)]
            t = -dot(q, a) / da
            u = cross(a, [q[i] + t * d[i] for i in range(3)])
            radius = math.sqrt(dot(u, u))
            if radius < 1e-9:
                continue
            self._try_across([x / (radius * length) for x in cross(u, d)])
