"""Our own colliders: native and Python bit for bit, and both against ODE's dCollide.

Referees: the Python twin, Debian's ODE (cylinder on box), Webots' rule in tests/ode (on a plane).
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import mujoco
import numpy as np
import pytest

from solidbody.base.transforms import Pose, Quat, Vec3
from solidbody.contact.native import NativeUnavailable, load_library
from solidbody.contact.reference.colliders import (
    Manifold,
    Place,
    Vector,
    collide_cylinder_box,
    collide_plane_cylinder,
)
from solidbody.model.contacts import ContactProperties
from solidbody.model.geometry import GeometryBox, GeometryCylinder
from solidbody.model.scene import RotationRule
from solidbody.sim import Sim
from tests.ode import library as ode
from tests.ode.marks import NEEDS_ODE
from tests.ode.webots_collider import cylinder_plane_points
from tests.physics import building as b

SAME_DEPTH = 1e-7
"""[m] ODE's depths round by up to 1e-8 near upright (tests/physics/twins.py, ON_CAP)."""
SAME_POINT = 1e-6
"""[m]"""
SAME_NORMAL = 5e-6
"""[rad] At a tilt of 1e-6 rad two directions tie, and ODE's rounding of the depth decides between them."""
MAX_POINTS = 13


@dataclass(frozen=True, slots=True)
class Case:
    """A cylinder and a box."""

    radius: float
    half: float
    place: Pose
    box_half: Vec3
    box: Pose


def placed(pose: Pose) -> Place:
    """Return the pose as the colliders take it."""
    mat = np.zeros(9)
    mujoco.mju_quat2Mat(mat, np.array(pose.rotation))
    return Place(list(pose.position), mat.tolist())


def by_twin(case: Case, *, ode_depths: bool) -> Manifold | None:
    """Collide with the Python twin."""
    places = placed(case.place), placed(case.box)
    return collide_cylinder_box(
        places[0], case.radius, case.half, places[1], case.box_half, ode_depths=ode_depths
    )


def random_rotation(random: np.random.Generator) -> Quat:
    """Return a rotation from all over the sphere."""
    w, x, y, z = (random.normal(size=4)).tolist()
    length = math.hypot(w, x, y, z)
    return w / length, x / length, y / length, z / length


def touching(case: Case, direction: Vec3, depth: float) -> Case:
    """Return the case with its cylinder moved out along `direction` until `depth` is left."""

    def at(distance: float) -> Case:
        position = tuple(
            p + distance * d for p, d in zip(case.box.position, direction, strict=True)
        )
        place = Pose((position[0], position[1], position[2]), case.place.rotation)
        return Case(case.radius, case.half, place, case.box_half, case.box)

    low, high = 0.0, 3.0
    for _ in range(30):
        middle = (low + high) / 2
        found = by_twin(at(middle), ode_depths=True)
        low, high = (low, middle) if found is not None and not found.points else (middle, high)
    return at(low - depth)


def cases(seed: int, count: int) -> Iterator[Case]:
    """Yield overlapping pairs: half of them anyhow, half nearly parallel (standing, lying)."""
    random = np.random.default_rng(seed)
    axes: list[Vec3] = [(1, 0, 0), (0, 1, 0), (0, 0, 1)]
    for k in range(count):
        radius, half = random.uniform(0.05, 0.3), random.uniform(0.03, 0.2)
        x, y, z = random.uniform(0.05, 0.4, 3).tolist()
        px, py, pz = random.normal(size=3).tolist()
        box = Pose((px, py, pz), random_rotation(random))
        rotation = random_rotation(random)
        if k % 2:
            tilt = float(random.choice([0.0, 1e-6, 1e-3, 0.02, 0.2]))
            lie = b.turned(axes[k // 2 % 3], float(random.choice([0.0, math.pi / 2])))
            turn = b.turned((0.6, 0.8, 0.0), tilt)
            rotation = (box * Pose((0, 0, 0), turn) * Pose((0, 0, 0), lie)).rotation
        direction = random.normal(size=3)
        direction /= np.linalg.norm(direction)
        depth = float(random.choice([1e-5, 1e-3, 1e-2]))
        case = Case(radius, half, Pose((0, 0, 0), rotation), (x, y, z), box)
        dx, dy, dz = direction.tolist()
        yield touching(case, (dx, dy, dz), depth)


class NativeManifold(ctypes.Structure):
    """SbManifold."""

    _fields_ = [
        ("normal", ctypes.c_double * 3),
        ("point", ctypes.c_double * 3 * MAX_POINTS),
        ("depth", ctypes.c_double * MAX_POINTS),
        ("count", ctypes.c_int),
    ]

    def as_twin(self) -> Manifold:
        """Return it as the Python twin gives it."""
        points = [(list(self.point[k]), float(self.depth[k])) for k in range(self.count)]
        return Manifold(list(self.normal) if points else [0.0, 0.0, 0.0], points)


@pytest.fixture(scope="module")
def native() -> ctypes.CDLL:
    """Return the native library, or skip."""
    try:
        return load_library()
    except NativeUnavailable as reason:
        pytest.skip(str(reason))


def doubles(values: Vector | Vec3) -> ctypes.Array[ctypes.c_double]:
    """Return numbers as C takes them."""
    return (ctypes.c_double * len(values))(*values)


def flat(place: Place) -> tuple[ctypes.Array[ctypes.c_double], ctypes.Array[ctypes.c_double]]:
    """Return position and rotation as C takes them."""
    return doubles(list(place.pos)), doubles(list(place.mat))


@pytest.mark.slow
@pytest.mark.parametrize("ode_depths", [False, True])
def test_cylinder_on_box_is_the_same_bits_in_both(native: ctypes.CDLL, ode_depths: bool) -> None:
    """Same normal, points and depths, and the same decision not to decide."""
    for case in cases(1, 300):
        out = NativeManifold()
        decided = native.sb_collide_cylinder_box(
            *flat(placed(case.place)),
            ctypes.c_double(case.radius),
            ctypes.c_double(case.half),
            *flat(placed(case.box)),
            doubles(case.box_half),
            int(ode_depths),
            ctypes.byref(out),
        )
        twin = by_twin(case, ode_depths=ode_depths)
        assert bool(decided) == (twin is not None)
        if twin is not None:
            assert out.as_twin() == twin


def plane_cases() -> Iterator[tuple[Pose, Pose, float, float]]:
    """Yield (plane, cylinder, radius, half height) at all tilts around the thresholds."""
    random = np.random.default_rng(5)
    for tilt in (0.0, 1e-12, 1e-6, 0.01, 0.03, 0.033, 0.1, 0.31, 0.33, 1.0, math.pi / 2, 3.0):
        for _ in range(10):
            plane = Pose(tuple(random.normal(size=3).tolist()), random_rotation(random))
            yaw = b.turned((0, 0, 1), float(random.uniform(0, 6)))
            height = float(random.uniform(-0.3, 0.3))
            turn = Pose((0, 0, height), b.turned((0.6, 0.8, 0.0), tilt)) * Pose((0, 0, 0), yaw)
            yield plane, plane * turn, float(random.uniform(0.05, 0.4)), 0.15


def test_cylinder_on_plane_is_the_same_bits_in_both(native: ctypes.CDLL) -> None:
    """Same points and depths at all tilts."""
    for plane, cylinder, radius, half in plane_cases():
        places = placed(plane), placed(cylinder)
        out = NativeManifold()
        native.sb_collide_plane_cylinder(
            *flat(places[0]),
            *flat(places[1]),
            ctypes.c_double(radius),
            ctypes.c_double(half),
            ctypes.byref(out),
        )
        twin = collide_plane_cylinder(*places, radius, half)
        assert list(out.normal) == twin.normal
        assert out.as_twin().points == twin.points


def test_cylinder_on_plane_follows_webots() -> None:
    """The same points as Webots' rule, written independently."""
    for plane, cylinder, radius, half in plane_cases():
        found = collide_plane_cylinder(placed(plane), placed(cylinder), radius, half)
        normal = plane.direction((0.0, 0.0, 1.0))
        offset = float(np.dot(normal, plane.position))
        expected = cylinder_plane_points(cylinder, radius, 2 * half, normal, offset)
        missed, extra = unmatched(expected, found.points)
        # a point may be above or below the plane by rounding
        assert all(depth < SAME_DEPTH for _, depth in (*missed, *extra))


def unmatched(
    one: list[tuple[np.ndarray, float]], two: list[tuple[Vector, float]]
) -> tuple[list[tuple[np.ndarray, float]], list[tuple[Vector, float]]]:
    """Return the points of each list that have no partner in the other."""
    left, missed = list(two), []
    for point, depth in one:
        for candidate in left:
            apart = float(np.linalg.norm(point - np.array(candidate[0])))
            if apart < SAME_POINT and abs(depth - candidate[1]) < SAME_DEPTH:
                left.remove(candidate)
                break
        else:
            missed.append((point, depth))
    return missed, left


@pytest.fixture(scope="module")
def ode_points() -> Callable[[Case], list[ode.ContactGeom]]:
    """Return a caller of dCollide for a cylinder and a box."""
    lib = ode.load()
    space = lib.dSimpleSpaceCreate(None)

    def collide(case: Case) -> list[ode.ContactGeom]:
        cylinder = lib.dCreateCylinder(space, case.radius, 2 * case.half)
        box = lib.dCreateBox(space, *(2 * x for x in case.box_half))
        for geom, pose in ((cylinder, case.place), (box, case.box)):
            lib.dGeomSetPosition(geom, *pose.position)
            lib.dGeomSetQuaternion(geom, ode.Quaternion(*pose.rotation))
        buffer = (ode.ContactGeom * 100)()
        size = ctypes.sizeof(ode.ContactGeom)
        count = lib.dCollide(cylinder, box, 100, ctypes.byref(buffer), size)
        return buffer[:count]

    return collide


@pytest.mark.slow
@pytest.mark.parametrize("seed", [pytest.param(2, marks=NEEDS_ODE)])
def test_cylinder_on_box_has_odes_points(
    ode_points: Callable[[Case], list[ode.ContactGeom]], seed: int
) -> None:
    """Normal, depths and points are ODE's, but for points of depth zero, which ODE rounds away."""
    compared = undecided = 0
    for case in cases(seed, 500):
        found, expected = by_twin(case, ode_depths=True), ode_points(case)
        if found is None:
            # the rim of a cap on an edge: ODE has no contact at all, we take MuJoCo's
            assert not expected
            undecided += 1
            continue
        assert expected
        compared += 1
        for point in expected:
            np.testing.assert_allclose(-np.array(point.normal[:3]), found.normal, atol=SAME_NORMAL)
        theirs = [(np.array(point.pos[:3]), point.depth) for point in expected]
        missed, extra = unmatched(theirs, found.points)
        assert all(depth < SAME_DEPTH for _, depth in (*missed, *extra))
    assert compared > 20 * undecided


@pytest.mark.slow
def test_depths_by_default_are_odes_or_less() -> None:
    """Same points; under a tilted cap each depth ends at the cap, the greatest stays."""
    tilted = 0
    for case in cases(3, 300):
        ours, odes = by_twin(case, ode_depths=False), by_twin(case, ode_depths=True)
        if ours is None or odes is None:
            assert ours is odes
            continue
        assert ours.normal == odes.normal
        assert len(ours.points) == len(odes.points)
        for (p, depth), (q, ode_depth) in zip(ours.points, odes.points, strict=True):
            assert p == q
            assert 0 <= depth <= ode_depth
        tilted += ours.points != odes.points
        # the greatest depth only shrinks where the face ends before it reaches the lowest point
        assert max(d for _, d in ours.points) > 0
    assert tilted > 10


@pytest.mark.parametrize(
    ("place", "count", "at"),
    [
        ((0.3, 0.2, 0.1499), 8, 0.0),  # standing: corners of the prism, on the box
        ((2.03, 0.2, 0.1499), 5, 0.0),  # over the border
        ((2.03, 2.02, 0.1499), 4, 0.0),  # over the corner
    ],
)
def test_standing_cylinder_has_the_corners_of_the_cut_face(
    place: Vec3, count: int, at: float
) -> None:
    """Eight points at r/cos(pi/8), fewer where the box ends; all of the same depth."""
    case = Case(0.1, 0.15, Pose(place), (2.0, 2.0, 0.5), Pose((0.0, 0.0, -0.5)))
    found = by_twin(case, ode_depths=False)
    assert found is not None
    assert found.normal == pytest.approx([0, 0, -1])
    assert len(found.points) == count
    for point, depth in found.points:
        assert point[2] == pytest.approx(at, abs=1e-15)
        assert depth == pytest.approx(1e-4, abs=1e-12)
        assert math.hypot(point[0] - place[0], point[1] - place[1]) <= 0.1 / math.cos(
            math.pi / 8
        ) * (1 + 1e-12)


@pytest.mark.parametrize("engine", ["native", "reference"])
def test_cylinder_upright_up_to_rounding_is_not_lost(engine: str) -> None:
    """MuJoCo 4.0.0 drops such cylinders from its contacts with a plane."""
    tilts = [(x * 1e-15, y * 1e-15) for x in (-3, -1, 1, 3) for y in (-7, 0, 2)]
    bodies = [
        b.free_body(
            f"c{k}",
            GeometryCylinder(0.1, 0.3),
            at=(k, 0, 0.1495),
            rotation=(1.0, x / 2, y / 2, 0.0),
        )
        for k, (x, y) in enumerate(tilts)
    ]
    sim = Sim(b.scene(b.floor(), *bodies), engine=engine)  # pyright: ignore[reportArgumentType]
    sim.step()
    assert sim.stats.contacts == 4 * len(bodies)


@pytest.mark.parametrize("engine", ["native", "reference"])
@pytest.mark.parametrize("limit", [3, 8])
def test_replaced_contacts_obey_the_limit_of_the_surface(engine: str, limit: int) -> None:
    """MuJoCo's own points of the pair neither act nor count."""
    slab = b.static_body("slab", GeometryBox((4, 4, 1)), at=(0, 0, -0.5))
    post = b.free_body("post", GeometryCylinder(0.1, 0.3), at=(0, 0, 0.1495))
    scene = b.scene(
        slab,
        post,
        surface=ContactProperties(max_contacts=limit),
        rotation=RotationRule.EXACT,
    )
    sim = Sim(scene, engine=engine)  # pyright: ignore[reportArgumentType]
    sim.step(2)
    assert sim.stats.contacts == limit
    assert sim.stats.contacts_dropped == 2 * (8 - limit)
    pair = sim.stats.dropped_pair
    if limit == 8:
        assert pair is None
        assert sim.contact_messages == ()
        return
    assert pair is not None
    assert (pair.names, pair.found, pair.kept) == (("post", "slab"), 8, limit)
    (message,) = sim.contact_messages
    assert message.code == "contacts-dropped"
    assert (
        f'"post" and "slab" touch at up to 8 points, and their contact properties keep {limit} '
        f"(maxContactJoints); {2 * (8 - limit)} contacts were left out in all." == message.text
    )
