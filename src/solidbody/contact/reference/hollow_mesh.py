"""Collides hollow meshes with static triangles, as sb_hollow_mesh.c explains."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from solidbody.contact.reference.colliders import TOUCHING, Place
from solidbody.contact.reference.terrain import (
    LEAST_BEND,
    MAX_POINTS,
    PARALLEL,
    SAME_NORMAL,
    SAME_POINT,
    WAY_ROUND,
    Face,
    Meeting,
    Patch,
    face_of,
)
from solidbody.contact.reference.terrain_solids import SOLID_LEAN, Edge
from solidbody.contact.tables import Record
from solidbody.contact.vectors import Vector, cross, dot, subtract

NEAR = 1e-8
"""[m] See SB_SKIN_NEAR."""
MOST_FRONTS = 16
"""See SB_SKIN_FRONTS."""
AGAINST = 0.5
"""See SB_AGAINST."""
GENTLY = 0.125
"""See SB_GENTLY."""
LEAST_THICK = 0.05
"""See SB_LEAST_THICK."""


@dataclass(frozen=True, slots=True)
class Hit:
    """An edge of one skin through a face of the other (native: SbHit)."""

    is_moving: bool
    edge: int
    at: float
    face: int
    own: int
    behind: int

    @property
    def is_mostly_behind(self) -> bool:
        """Whether most of the edge is behind the face."""
        return self.at < 0.5 if self.behind else self.at > 0.5


@dataclass(slots=True)
class Way:
    """A way to undo a hit."""

    point: Vector
    normal: Vector
    depth: float
    is_weak: bool = False


class Skin:
    """The skin of a mesh and a terrain, in whose frame `place` is (native: Skin)."""

    def __init__(self, meeting: Meeting, own: Record, place: Place) -> None:
        self.m, self.place_of = meeting, place
        first = int(own["triangle_start"])
        self._first = first
        self._rows = meeting.tables.triangles[first : first + int(own["triangle_count"])]
        self._faces: dict[int, Face] = {face.index: face for face in meeting.faces}
        self.hits: list[Hit] = []
        length = max((own["hi"] - own["lo"]).tolist())
        self.deepest = max(meeting.body.inner_radius(), LEAST_THICK * length)
        self.fronts: list[Vector] = []

    def collide(self) -> Patch:
        """Return the contact points."""
        for face in self.m.faces:
            for number in self._near(face, 0.0 if self.m.is_mesh else math.inf):
                own = self._face(number)
                if not self.m.is_mesh:
                    self._vertices_under(face, own)
                self._note_hits(face, own)
        self.hits.sort(key=lambda hit: (not hit.is_moving, hit.edge, hit.at, hit.face, hit.own))
        self._note_fronts()
        for face in self.m.faces if self.m.is_mesh and self.hits else ():
            for number in self._near(face, self.deepest) if self._is_before(face) else ():
                self._vertices_under(face, self._face(number))
        for is_weak in (False, True):
            for number in range(len(self.hits)):
                self._undo(number, is_weak)
        return self.m.out

    def _place(self, v: Vector) -> Vector:
        turned = self.place_of.turn(v)
        return [turned[i] + self.place_of.pos[i] for i in range(3)]

    def _place_back(self, v: Vector) -> Vector:
        return self.place_of.turn_back(subtract(v, self.place_of.pos))

    def _face(self, number: int) -> Face:
        if number not in self._faces:
            self._faces[number] = face_of(number, self.m.tables.triangles[number])
        return self._faces[number]

    def _edge(self, number: int) -> Edge:
        row = self.m.tables.edges[number]
        start, step = row["start"].tolist(), row["step"].tolist()
        c0, c1 = row["c0"].tolist(), row["c1"].tolist()
        return Edge(start, step, c0, c1, float(row["bend"]), bool(row["border"]))

    def _ends(self, e: Edge, is_moving: bool) -> tuple[Vector, Vector]:
        last = [e.start[i] + e.step[i] for i in range(3)]
        return (self._place(e.start), self._place(last)) if is_moving else (e.start, last)

    def _near(self, face: Face, below: float) -> list[int]:
        """Return the triangles of the mesh that may touch a face, or be below it (native: may_touch)."""
        turn = np.array([self.place_of.column(k) for k in range(3)])
        low, high = self._rows["lo"], self._rows["hi"]
        middle = 0.5 * (low + high) @ turn + np.array(self.place_of.pos)
        half, normal = 0.5 * (high - low), np.array(face.normal)
        above = middle @ normal - face.offset
        reach = half @ np.abs(turn @ normal) + NEAR
        out = half @ np.abs(turn) + NEAR
        corners = np.array(face.corners)
        down = np.full(3, below) if self.m.is_mesh else np.array([0.0, 0.0, math.inf])
        up = down if self.m.is_mesh else np.zeros(3)
        is_far = (above > reach) | (above < -reach - below)
        is_far |= ((middle + out) < corners.min(axis=0) - down).any(axis=1)
        is_far |= ((middle - out) > corners.max(axis=0) + up).any(axis=1)
        return (np.flatnonzero(~is_far) + self._first).tolist()

    def _is_before(self, face: Face) -> bool:
        """Whether the middle of the hull is in front of a face."""
        return dot(face.normal, self.m.body.p) > face.offset

    def _gentle(self, hit: Hit, depth: float) -> float:
        is_sure = not hit.is_moving or self._is_before(self._face(hit.face))
        return min(depth, self.deepest if is_sure else GENTLY * self.deepest)

    def _is_front(self, normal: Vector) -> bool:
        return any(dot(front, normal) >= SAME_NORMAL for front in self.fronts)

    def _is_far_side(self, hit: Hit) -> bool:
        face = self._face(hit.face)
        if self._is_before(face):
            return False
        if hit.is_mostly_behind:
            return True
        return any(dot(front, face.normal) < -AGAINST for front in self.fronts)

    def _note_fronts(self) -> None:
        for hit in self.hits:
            face = self._face(hit.face)
            if len(self.fronts) == MOST_FRONTS:
                return
            if hit.is_moving and self._is_before(face) and not self._is_front(face.normal):
                self.fronts.append(face.normal)

    # points

    def _add(self, way: Way) -> None:
        out = self.m.out
        for k, (point, _, depth) in enumerate(out.points):
            d = subtract(way.point, point)
            if dot(d, d) >= SAME_POINT * SAME_POINT:
                continue
            if not way.is_weak and way.depth < depth - TOUCHING:
                out.points[k] = (point, way.normal, way.depth)
            return
        if len(out.points) == MAX_POINTS:
            out.thin_out()
        out.add(way.point, way.normal, way.depth)

    def _vertices_under(self, still: Face, own: Face) -> None:
        for corner in own.corners:
            p = self._place(corner)
            depth = still.offset - dot(still.normal, p)
            if not depth > TOUCHING or not still.is_under(p):
                continue
            if self.m.is_mesh:
                if depth > self.deepest or self.m.is_hidden(p, depth, still):
                    continue
                if not self._is_front(still.normal) and self.m.is_out_again(p, depth, still):
                    continue
            self._add(Way(p, still.normal, depth))

    # hits

    def _note_hit(
        self, edge: int, is_moving: bool, own: int, ends: tuple[Vector, Vector], face: Face
    ) -> None:
        above = [dot(face.normal, end) - face.offset for end in ends]
        if (above[0] > 0) == (above[1] > 0):
            return
        at = above[0] / (above[0] - above[1])
        x = [ends[0][i] + at * (ends[1][i] - ends[0][i]) for i in range(3)]
        if face.is_under(x):
            self.hits.append(Hit(is_moving, edge, at, face.index, own, int(above[0] > 0)))

    def _note_hits(self, still: Face, own: Face) -> None:
        for number in self._ridges(own.index) if self.m.is_mesh else ():
            ends = self._ends(self._edge(number), True)
            self._note_hit(number, True, own.index, ends, still)
        for number in still.edges:
            edge = self._edge(number)
            if edge.bend < LEAST_BEND:
                continue
            start, end = self._ends(edge, False)
            ends = self._place_back(start), self._place_back(end)
            self._note_hit(number, False, own.index, ends, own)

    def _ridges(self, face: int) -> list[int]:
        rows: list[int] = self.m.tables.triangles[face]["ridge"].tolist()
        return [row for row in rows if row >= 0]

    # ways out

    def _leaves_again(self, number: int) -> bool:
        hit = self.hits[number]
        others = self.hits[number + 1 :] if hit.behind else self.hits[:number][::-1]
        for other in others:
            if (other.edge, other.is_moving) != (hit.edge, hit.is_moving):
                return False
            if other.behind != hit.behind:
                return True
        return False

    def _way_of_end(self, hit: Hit) -> Way | None:
        face = self._face(hit.face)
        p = self._ends(self._edge(hit.edge), hit.is_moving)[hit.behind]
        q = p if hit.is_moving else self._place_back(p)
        depth = face.offset - dot(face.normal, q)
        if not depth > TOUCHING:
            return None
        is_weak = not face.is_under(q)
        if hit.is_moving:
            return Way(p, face.normal, depth, is_weak)
        normal = [-x for x in self.place_of.turn(face.normal)]
        return Way([p[i] - depth * normal[i] for i in range(3)], normal, depth, is_weak)

    def _way_of_edges(self, still: Edge, own: Edge) -> tuple[Way, bool] | None:
        """Return the way along which two edges pass over each other, and whether one may take it."""
        start, step = self._place(own.start), self.place_of.turn(own.step)
        n = cross(still.step, step)
        square = dot(n, n)
        if not square > PARALLEL * dot(still.step, still.step) * dot(step, step):
            return None
        d = subtract(start, still.start)
        u, v = dot(cross(d, step), n) / square, dot(cross(d, still.step), n) / square
        length = math.sqrt(square)
        gap = dot(n, d) / length
        if not (0 <= u <= 1 and 0 <= v <= 1) or not abs(gap) > TOUCHING:
            return None
        sign = -1 if gap > 0 else 1
        normal = [sign * x / length for x in n]
        way = Way([start[i] + v * step[i] for i in range(3)], normal, abs(gap))
        back = [-x for x in normal]
        is_free = _in_cone(still.c0, still.c1, normal)
        return way, is_free and _in_cone(
            self.place_of.turn(own.c0), self.place_of.turn(own.c1), back
        )

    def _goes_on(self, e: Edge, at: float) -> bool:
        x = [e.start[i] + at * e.step[i] for i in range(3)]
        return e.border and self.m.border_goes_on(x, e.c0)

    def _add_corners(self, hit: Hit) -> None:
        """Add other corners of the triangle of an edge (native: add_corners)."""
        face = self._face(hit.face)
        for corner in self._face(hit.own).corners:
            p = self._place(corner)
            depth = face.offset - dot(face.normal, p)
            if not depth > TOUCHING or not face.is_under(p):
                continue
            if not self.m.is_out_again(p, depth, face):
                self._add(Way(p, face.normal, self._gentle(hit, depth)))

    def _undo(self, number: int, is_weak: bool) -> None:
        hit = self.hits[number]
        edge = self._edge(hit.edge)
        if hit.is_moving and self._is_far_side(hit):
            return
        if not hit.is_moving and self._goes_on(edge, hit.at):
            return
        ways: list[Way] = []
        least, end = math.inf, self._way_of_end(hit)
        if end is not None:
            least = end.depth
            if not self._leaves_again(number) and (hit.is_moving or not hit.is_mostly_behind):
                ways.append(end)
        for ridge in self._ridges(hit.face):
            side = self._edge(ridge)
            if hit.is_moving and (side.bend < LEAST_BEND or self._goes_on(side, 0.5)):
                continue
            still, own = (side, edge) if hit.is_moving else (edge, side)
            found = self._way_of_edges(still, own)
            if found is None:
                continue
            least = min(least, found[0].depth)
            if found[1]:
                ways.append(found[0])
        for way in ways:
            if way.is_weak == is_weak and way.depth <= WAY_ROUND * least + SAME_POINT:
                if way is end:
                    way.depth = self._gentle(hit, way.depth)
                self._add(way)
                if way is end and hit.is_moving:
                    self._add_corners(hit)


def _in_cone(c0: Vector, c1: Vector, n: Vector) -> bool:
    return dot(c0, n) >= -SOLID_LEAN and dot(c1, n) >= -SOLID_LEAN
