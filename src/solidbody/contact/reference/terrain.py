"""Collides shapes with terrain triangles, as sb_terrain*.c explains.

Plain floats in the same order of operations as there, so that both give the same bits. Triangles are
found by looking at all of them instead of by a tree.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from solidbody.contact.law import Form, tangent
from solidbody.contact.layout import TerrainKind
from solidbody.contact.reference.colliders import (
    FEW_POINTS,
    PRISM,
    TOUCHING,
    cylinder_under_plane,
    spread,
)
from solidbody.contact.reference.terrain_solids import Edge, Inside, Solid
from solidbody.contact.tables import CollisionTables, Record
from solidbody.contact.vectors import Vector, cross, dot, subtract

ON_SIDE = 1e-9
"""[m] See SB_ON_SIDE."""
SAME_POINT = 1e-6
"""[m] See SB_PATCH_SAME."""
LEAN = 1e-9
"""See SB_LEAN."""
PARALLEL = 1e-12
"""See SB_PARALLEL."""
LEAST_BEND = 1e-3
"""[rad] See SB_LEAST_BEND."""
WAY_ROUND = 2.0
"""See SB_WAY_ROUND."""
SAME_NORMAL = 0.99
"""See SB_SAME_NORMAL."""
MAX_POINTS = 64
"""See SB_PATCH_POINTS."""


@dataclass(slots=True)
class Patch:
    """Contact points of one pair: position, normal from the terrain to the body, depth."""

    points: list[tuple[Vector, Vector, float]] = field(
        default_factory=list[tuple[Vector, Vector, float]]
    )

    def add(self, point: Vector, normal: Vector, depth: float) -> None:
        """Add a point unless it is there already; when full, the shallowest gives way."""
        for other, _, _ in self.points:
            d = subtract(point, other)
            if dot(d, d) < SAME_POINT * SAME_POINT:
                return
        if len(self.points) < MAX_POINTS:
            self.points.append((point, normal, depth))
            return
        depths = [depth for _, _, depth in self.points]
        at = depths.index(min(depths))
        if depth > depths[at]:
            self.points[at] = (point, normal, depth)

    def choose(self) -> list[int]:
        """Return all points, but of more than eight with about one normal those that matter."""
        left, kept = list(range(len(self.points))), set[int]()
        while left:
            n = self.points[left[0]][1]
            members = [k for k in left if dot(n, self.points[k][1]) >= SAME_NORMAL]
            left = [k for k in left if k not in members]
            if len(members) > FEW_POINTS:
                x = [float(value) for value in tangent(np.array(n))]
                group = [(self.points[k][0], self.points[k][2]) for k in members]
                members = [members[k] for k in spread(group, x, cross(n, x))]
            kept.update(members)
        return sorted(kept)

    def thin_out(self) -> None:
        """Keep what `choose` returns."""
        self.points = [self.points[k] for k in self.choose()]


@dataclass(frozen=True, slots=True)
class Face:
    """A TRIANGLE row as plain floats."""

    index: int
    normal: Vector
    offset: float
    sides: list[Vector]
    centre: Vector
    corners: list[Vector]
    edges: range
    peaks: range

    def is_under(self, p: Vector) -> bool:
        """Whether the point is over (or under) this face (native: sb_over_face)."""
        return all(dot(side, p) >= side[3] - ON_SIDE for side in self.sides)

    def is_beyond(self, normal: Vector, offset: float) -> bool:
        """Whether all corners are beyond the plane normal.x = offset."""
        return all(dot(normal, corner) > offset for corner in self.corners)

    def is_apart(self, b: Solid) -> bool:
        """Whether a plane of the body has the whole face in front of it (native: is_apart)."""
        planes = list(b.planes)
        if b.form is Form.CYLINDER:
            x, y, a = b.axes
            sides = [[c * x[i] + s * y[i] for i in range(3)] for c, s in PRISM]
            planes = [(normal, dot(normal, b.p) + b.size[0]) for normal in sides]
            for cap in ([-t for t in a], a):
                planes.append((cap, dot(cap, b.p) + b.size[1]))
        return any(self.is_beyond(normal, offset) for normal, offset in planes)


class Meeting:
    """One terrain and one body, while they are collided (native: SbMeeting)."""

    def __init__(self, tables: CollisionTables, terrain: Record, body: Solid) -> None:
        self.tables, self.body = tables, body
        self.is_mesh = terrain["kind"] == TerrainKind.MESH
        self.is_ode = terrain["kind"] == TerrainKind.ODE_HEIGHTS
        self.out = Patch()
        top = list(body.hi)
        if not self.is_mesh:
            top[2] = math.inf
        self.faces = [
            face_of(k, tables.triangles[k]) for k in near_triangles(tables, terrain, body.lo, top)
        ]

    def collide(self) -> Patch:
        """Return the contact points."""
        is_round = self.body.form in (Form.SPHERE, Form.CAPSULE)
        for face in self.faces if is_round else ():
            self._round_at(face)
        for face in () if is_round else self.faces:
            self._solid_on_face(face)
        for face in () if is_round else self.faces:
            for edge in self._edges(face):
                self._edge_in_solid(edge)
        return self.out

    def lift_sunken(self) -> bool:
        """Whether ODE lifts a body that is below all faces (native: lift_sunken)."""
        if not self.is_ode:
            return False
        least = min((corner[2] for f in self.faces for corner in f.corners), default=-math.inf)
        if not self.body.hi[2] < least:
            return False
        x, y, _ = self.body.p
        self.out.add([x, y, least], [0.0, 0.0, 1.0], least - self.body.hi[2])
        return True

    def _edges(self, face: Face) -> Iterator[Edge]:
        for row in self.tables.edges[face.edges.start : face.edges.stop]:
            start, step = row["start"].tolist(), row["step"].tolist()
            c0, c1 = row["c0"].tolist(), row["c1"].tolist()
            yield Edge(start, step, c0, c1, float(row["bend"]), bool(row["border"]))

    def is_hidden(self, p: Vector, depth: float, face: Face) -> bool:
        """Whether p leaves the mesh sooner through another face (native: sb_is_hidden)."""
        if not self.is_mesh:
            return False
        for other in self.faces:
            below = other.offset - dot(other.normal, p)
            if below < 0 or below >= depth - ON_SIDE:
                continue
            if not dot(other.normal, self.body.p) > other.offset:
                continue
            if not dot(face.normal, other.centre) < face.offset - ON_SIDE:
                continue
            if other.is_under(p):
                return True
        return False

    def is_out_again(self, p: Vector, depth: float, face: Face) -> bool:
        """Whether p has left what is behind a face again (native: sb_is_out_again)."""
        for other in self.faces:
            along = dot(other.normal, face.normal)
            if not along < -ON_SIDE:
                continue
            t = (other.offset - dot(other.normal, p)) / along
            x = [p[i] + t * face.normal[i] for i in range(3)]
            if 0 <= t <= depth - ON_SIDE and other.is_under(x):
                return True
        return False

    def border_goes_on(self, q: Vector, away: Vector) -> bool:
        """Whether a face goes on from a point of a border (native: sb_border_goes_on)."""
        for other in self.faces:
            if abs(dot(other.normal, q) - other.offset) > SAME_POINT:
                continue
            if dot(subtract(other.centre, q), away) > ON_SIDE and other.is_under(q):
                return True
        return False

    # round bodies

    def _round_at(self, face: Face) -> None:
        b = self.body
        reaches = (-b.size[1], b.size[1]) if b.form is Form.CAPSULE else (0.0,)
        ends = [[b.p[i] + s * b.axes[2][i] for i in range(3)] for s in reaches]
        for end in ends:
            self._ball_on_face(end, face)
        for edge in self._edges(face):
            self._round_on_edge(edge, ends)
        for row in self.tables.peaks[face.peaks.start : face.peaks.stop]:
            self._round_on_peak(row)

    def _skin(self, centre: Vector, q: Vector, n: Vector) -> Vector:
        if self.is_mesh and self.body.form is Form.SPHERE:
            return q
        r = self.body.size[0]
        return [centre[i] - r * n[i] for i in range(3)]

    def _ball_on_face(self, centre: Vector, f: Face) -> None:
        r, height = self.body.size[0], dot(f.normal, centre) - f.offset
        if not r - height > TOUCHING:
            return
        q = [centre[i] - height * f.normal[i] for i in range(3)]
        p = self._skin(centre, q, f.normal)
        if self.is_ode:
            if not f.is_under(p):
                return
        elif height >= 0:
            if not f.is_under(q):
                return
        else:
            if self.is_mesh and not self._goes_through(f, centre, height):
                return
            if not f.is_under(centre) or self.is_hidden(centre, -height, f):
                return
        self.out.add(p, f.normal, r - height)

    def _goes_through(self, f: Face, centre: Vector, height: float) -> bool:
        """Whether the axis comes from in front of a face, and goes through its plane near it."""
        r, middle = self.body.size[0], self.body.p
        below, above = -height, dot(f.normal, middle) - f.offset
        if not dot(f.normal, middle) > f.offset:
            return False
        through = [(above * centre[i] + below * middle[i]) / (above + below) for i in range(3)]
        reach = [[corner[i] for corner in f.corners] for i in range(3)]
        return all(min(reach[i]) - r <= through[i] <= max(reach[i]) + r for i in range(3))

    def _ball_on_edge(self, e: Edge, centre: Vector, t: float) -> None:
        q = [e.start[i] + t * e.step[i] for i in range(3)]
        w = subtract(centre, q)
        length = math.sqrt(dot(w, w))
        if length < ON_SIDE or not self.body.size[0] - length > TOUCHING:
            return
        if dot(e.c0, w) < -LEAN * length or dot(e.c1, w) < -LEAN * length:
            return
        if e.border and self.border_goes_on(q, w):
            return
        self._add_ball(centre, q, w, length)

    def _add_ball(self, centre: Vector, q: Vector, w: Vector, length: float) -> None:
        n = [x / length for x in w]
        self.out.add(self._skin(centre, q, n), n, self.body.size[0] - length)

    def _round_on_edge(self, e: Edge, ends: list[Vector]) -> None:
        b, a = self.body, self.body.axes[2]
        square = dot(e.step, e.step)
        if len(ends) == 2:
            along, half = dot(a, e.step), b.size[1]
            det = square - along * along
            if det > PARALLEL * square:
                w = subtract(b.p, e.start)
                ws, wa = dot(w, e.step), dot(w, a)
                s = (along * ws - square * wa) / det
                t = (ws + s * along) / square
                if -half < s < half and 0 < t < 1:
                    self._ball_on_edge(e, [b.p[i] + s * a[i] for i in range(3)], t)
        for k, end in enumerate(ends):
            t = dot(subtract(end, e.start), e.step) / square
            if not 0 < t < 1:
                continue
            if len(ends) == 2:
                inwards = 0.0
                for i in range(3):
                    sign = a[i] if k == 0 else -a[i]
                    inwards += sign * (end[i] - (e.start[i] + t * e.step[i]))
                if inwards < -TOUCHING:
                    continue
            self._ball_on_edge(e, end, t)

    def _round_on_peak(self, row: Record) -> None:
        b = self.body
        half = b.size[1] if b.form is Form.CAPSULE else 0.0
        point: Vector = row["point"].tolist()
        s = dot(subtract(point, b.p), b.axes[2])
        s = -half if s < -half else half if s > half else s
        centre = [b.p[i] + s * b.axes[2][i] for i in range(3)]
        w = subtract(centre, point)
        length = math.sqrt(dot(w, w))
        if length < ON_SIDE or not b.size[0] - length > TOUCHING:
            return
        start = int(row["spoke_start"])
        for spoke in self.tables.spokes[start : start + int(row["spoke_count"])].tolist():
            if dot(spoke, w) > LEAN * length:
                return
        if not self.border_goes_on(point, w):
            self._add_ball(centre, point, w, length)

    # solids

    def _solid_on_face(self, f: Face) -> None:
        b = self.body
        nearest = -f.offset
        for i in range(3):
            nearest += f.normal[i] * (b.lo[i] if f.normal[i] > 0 else b.hi[i])
        if nearest > 0 or (self.is_mesh and f.is_apart(b)):
            return
        if self.is_mesh and not dot(f.normal, b.p) > f.offset:
            if b.form is Form.BOX:
                self._box_behind_face(f)
            return
        if b.form is Form.CYLINDER:
            on_plane = [f.offset * f.normal[i] for i in range(3)]
            radius, half, _ = b.size
            found = cylinder_under_plane(on_plane, f.normal, b.p, b.axes, radius, half)
        else:
            corners = b.corners
            if self.is_ode and b.form is Form.BOX:
                down = b.lower_face(f.normal)
                corners = [p for p in corners if not dot(down, p) < dot(down, b.p)]
            found = [(p, f.offset - dot(f.normal, p)) for p in corners]
        for p, depth in found:
            if not depth > TOUCHING or not f.is_under(p) or self.is_hidden(p, depth, f):
                continue
            if self.is_mesh and depth > b.inner_radius() and self.is_out_again(p, depth, f):
                continue
            self.out.add(p, f.normal, depth)

    def _box_behind_face(self, f: Face) -> None:
        """Add the corners of a box that a face pushes from behind (native: box_behind_face)."""
        b, back = self.body, [-x for x in f.normal]
        overlap = dot(f.normal, b.p) - f.offset
        for axis, half in zip(b.axes, b.size, strict=True):
            overlap += abs(dot(f.normal, axis)) * half
        for normal, offset in b.planes:
            nearest = min(dot(normal, corner) for corner in f.corners)
            if offset - nearest < overlap - ON_SIDE:
                return
        for p in b.corners:
            depth = dot(f.normal, p) - f.offset
            if depth > TOUCHING and f.is_under(p):
                self.out.add(p, back, depth)

    def _edge_in_solid(self, e: Edge) -> None:
        b = self.body
        if e.bend < LEAST_BEND:
            return
        for i in range(3):
            first, last = e.start[i], e.start[i] + e.step[i]
            if (first < b.lo[i] and last < b.lo[i]) or (first > b.hi[i] and last > b.hi[i]):
                return
        inside = Inside(e, b)
        if not inside.narrow():
            return
        if e.border and self.border_goes_on(inside.middle, e.c0):
            return
        inside.find_direction()
        if not inside.overlap <= WAY_ROUND * inside.least + SAME_POINT:
            return
        n = inside.n
        for q in inside.ends:
            depth = dot(n, q) - inside.lowest
            if depth > TOUCHING:
                self.out.add([q[i] - depth * n[i] for i in range(3)], n, depth)


def near_triangles(tables: CollisionTables, terrain: Record, lo: Vector, hi: Vector) -> list[int]:
    """Return the triangles whose boxes meet the given one, ascending (native: find_triangles)."""
    start = int(terrain["node_start"])
    nodes = tables.nodes[start : start + int(terrain["node_count"])]
    at, found = np.zeros(1, dtype=np.int64), list[int]()
    while len(at):
        # one level of the tree after the other
        at = at[_meets(nodes[at], lo, hi)]
        is_leaf = nodes["count"][at] > 0
        for node in nodes[at[is_leaf]]:
            found += range(int(node["first"]), int(node["first"] + node["count"]))
        inner = at[~is_leaf]
        at = np.concatenate([inner + 1, nodes["first"][inner].astype(np.int64)])
    ordered = np.array(sorted(found), dtype=np.int64)
    return ordered[_meets(tables.triangles[ordered], lo, hi)].tolist()


def _meets(rows: NDArray[np.void], lo: Vector, hi: Vector) -> NDArray[np.bool_]:
    sides = np.concatenate([rows["lo"] <= hi, rows["hi"] >= lo], axis=1)
    return np.logical_and.reduce(sides, axis=1)


def face_of(index: int, row: Record) -> Face:
    """Return a TRIANGLE row as plain floats."""
    edge, peak = int(row["edge_start"]), int(row["peak_start"])
    return Face(
        index,
        row["normal"].tolist(),
        float(row["offset"]),
        row["side"].tolist(),
        row["centre"].tolist(),
        row["corner"].tolist(),
        range(edge, edge + int(row["edge_count"])),
        range(peak, peak + int(row["peak_count"])),
    )
