"""Fluids: buoyancy at any immersion, drag in both modes, viscous resistance, streams."""

from __future__ import annotations

import ctypes
import math
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from solidbody.base.transforms import Pose, Quat, Vec3
from solidbody.compiler.immersions import corners_of, form_of
from solidbody.contact.native import load_library
from solidbody.contact.reference.fluids import wet_part
from solidbody.model.fluids import DragArea, Fluid, Immersion
from solidbody.model.geometry import (
    Geometry,
    GeometryBox,
    GeometryCapsule,
    GeometryCylinder,
    GeometryMesh,
    GeometrySphere,
)
from solidbody.model.links import Body, Damping
from solidbody.model.scene import Scene
from solidbody.sim import Sim
from tests.physics import building as b
from tests.physics.referee import OUR_ENGINES

G = b.GRAVITY
RHO = 1000.0
TETRAHEDRON = GeometryMesh(
    ((0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)), ((0, 2, 1), (0, 1, 3), (1, 2, 3), (2, 0, 3))
)


# ---------------------------------------------------------------- cuts, in closed form


def native_wet(
    geometry: Geometry, n: Vec3, offset: float
) -> tuple[float, NDArray[np.float64], float]:
    """Return volume, centre and wetted area of the part below n.x = offset, by the library."""
    form = form_of(geometry)
    assert form is not None
    has_corners = isinstance(geometry, GeometryMesh)
    corners = np.ascontiguousarray(corners_of(geometry) if has_corners else np.zeros((1, 9)))
    size, normal, out = np.array(form[1]), np.array(n, dtype=float), np.zeros(8)
    function = load_library().sb_wet_part
    function.restype = None
    function(
        ctypes.c_int(int(form[0])),
        size.ctypes.data_as(ctypes.c_void_p),
        corners.ctypes.data_as(ctypes.c_void_p),
        ctypes.c_int(len(corners) if has_corners else 0),
        normal.ctypes.data_as(ctypes.c_void_p),
        ctypes.c_double(offset),
        out.ctypes.data_as(ctypes.c_void_p),
    )
    return float(out[0]), out[1:4] / out[0] if out[0] else out[1:4], float(out[4])


@pytest.mark.parametrize("depth", [0.05, 0.3, 0.5, 0.8])
def test_sphere_below_a_plane_is_a_cap(depth: float) -> None:
    """V = pi h^2 (3r - h)/3, skin 2 pi r h, centre 3 (2r - h)^2/(4 (3r - h)) below the middle."""
    r, n = 0.5, (0.6, 0.0, 0.8)
    volume, centre, area = native_wet(GeometrySphere(r), n, depth - r)
    assert volume == pytest.approx(math.pi * depth**2 * (3 * r - depth) / 3, rel=1e-14)
    assert area == pytest.approx(2 * math.pi * r * depth, rel=1e-14)
    away = 3 * (2 * r - depth) ** 2 / (4 * (3 * r - depth))
    assert centre == pytest.approx(-away * np.array(n), abs=1e-14)


def test_upright_and_lying_cylinders_have_their_closed_forms() -> None:
    """Upright: a shorter cylinder. Lying: the segment of a circle times the length."""
    r, h = 0.2, 0.9
    form = GeometryCylinder(r, h)
    volume, centre, area = native_wet(form, (0.0, 0.0, 1.0), 0.1)
    wet = 0.1 + h / 2
    assert volume == pytest.approx(math.pi * r * r * wet, rel=1e-12)
    assert centre == pytest.approx((0, 0, (0.1 - h / 2) / 2), abs=1e-12)
    assert area == pytest.approx(2 * math.pi * r * wet + math.pi * r * r, rel=1e-12)
    volume, centre, area = native_wet(form, (0.0, 1.0, 0.0), -0.05)
    angle = 2 * math.acos(0.05 / r)
    segment = 0.5 * r * r * (angle - math.sin(angle))
    assert volume == pytest.approx(segment * h, rel=1e-9)
    chord = 2 * r * math.sin(angle / 2)
    assert centre == pytest.approx((0, -(chord**3) / (12 * segment), 0), abs=1e-9)
    assert area == pytest.approx(r * angle * h + 2 * segment, rel=1e-9)


def test_cylinder_cut_across_its_rim_is_a_wedge() -> None:
    """The hoof below a plane through the diameter of the base: V = 2/3 r^2 H."""
    r, h, rise = 0.3, 1.0, 0.4
    # plane z = -h/2 + rise*x/r rises along x; below it and inside: the half x > 0
    n = np.array([-rise / r, 0.0, 1.0])
    n /= np.linalg.norm(n)
    offset = float(n @ (0.0, 0.0, -h / 2))
    volume, _, _ = native_wet(GeometryCylinder(r, h), tuple(n), offset)
    assert volume == pytest.approx(2.0 / 3.0 * r * r * rise, rel=1e-8)


@pytest.mark.parametrize(
    "geometry",
    [
        GeometryBox((0.3, 0.5, 0.2)),
        GeometrySphere(0.3),
        GeometryCapsule(0.15, 0.4),
        GeometryCylinder(0.2, 0.3),
        TETRAHEDRON,
    ],
    ids=lambda g: type(g).__name__,
)
def test_cuts_agree_with_triangles_and_with_each_other(geometry: Geometry) -> None:
    """Any plane: both halves add up to the whole, and triangles give the same (0.5 % on round ones)."""
    rng = np.random.default_rng(7)
    triangles = corners_of(geometry).reshape(-1, 3, 3)
    whole = native_wet(geometry, (0.0, 0.0, 1.0), 9.0)
    is_flat = isinstance(geometry, GeometryBox | GeometryMesh)
    for _ in range(20):
        n = rng.normal(size=3)
        n /= np.linalg.norm(n)
        offset = float(rng.uniform(-0.3, 0.3))
        low, high = (native_wet(geometry, tuple(s * n), s * offset) for s in (1.0, -1.0))
        assert low[0] + high[0] == pytest.approx(whole[0], rel=1e-7)
        assert low[2] + high[2] == pytest.approx(whole[2], rel=1e-6)
        moment = low[0] * low[1] + high[0] * high[1]
        assert moment == pytest.approx(whole[0] * whole[1], abs=1e-8)
        meshed = wet_part(triangles, n, offset, np.eye(3))
        assert low[0] == pytest.approx(meshed.volume, rel=1e-12 if is_flat else 0.02, abs=1e-4)


# ---------------------------------------------------------------- bodies in water


def pool(
    geometry: Geometry,
    *,
    density: float,
    at: Vec3 = (0, 0, 0),
    rotation: Quat = (1, 0, 0, 0),
    immersion: Immersion | None = None,
    fluid: Fluid | None = None,
    spin: Vec3 = (0, 0, 0),
    damping: Damping | None = None,
    step: float = 0.002,
    gravity: Vec3 = (0, 0, -G),
) -> Scene:
    """A body of the given density in a pool of 10 m whose surface is z = 0."""
    volume, _, _ = native_wet(geometry, (0.0, 0.0, 1.0), 99.0)
    link = b.free_link(
        "body",
        geometry,
        mass=density * volume,
        at=at,
        rotation=rotation,
        spin=spin,
        damping=damping,
    )
    link = replace(link, immersions=(immersion or Immersion("water"),))
    water = fluid or Fluid("water", density=RHO)
    box = b.collider(GeometryBox((10.0, 10.0, 10.0)))
    water = replace(water, pose=Pose((0.0, 0.0, -5.0)), shapes=water.shapes or (box,))
    return replace(b.scene(Body("body", (link,)), step=step, gravity=gravity), fluids=(water,))


@pytest.mark.parametrize("engine", OUR_ENGINES)
def test_box_floats_at_the_depth_of_its_density(engine: str) -> None:
    """Archimedes: 30 % of the density of water, 30 % of its height below the surface."""
    calm = Damping(0.95, 0.95)
    scene = pool(GeometryBox((0.5, 0.5, 0.2)), density=300.0, damping=calm, step=0.008)
    sim = Sim(scene, engine=engine)  # type: ignore[arg-type]
    sim.run(10.0 if engine == "native" else 2.0)
    tolerance = 1e-5 if engine == "native" else 1e-2
    assert sim["body"].position[2] == pytest.approx(0.1 - 0.3 * 0.2, abs=tolerance)


@pytest.mark.parametrize("share", [0.2, 0.5, 0.9])
def test_sphere_floats_where_its_cap_weighs_what_it_does(share: float) -> None:
    """Volume of the cap of height h equals the share of the density."""
    r = 0.2
    sim = Sim(pool(GeometrySphere(r), density=share * RHO, damping=Damping(0.95, 0.95), step=0.008))
    sim.run(6.0)
    depth = r - sim["body"].position[2]
    assert math.pi * depth**2 * (3 * r - depth) / 3 == pytest.approx(
        share * 4 / 3 * math.pi * r**3, rel=1e-4
    )


@pytest.mark.parametrize(
    "geometry", [GeometryCylinder(0.1, 0.6), GeometryCapsule(0.1, 0.5)], ids=["cylinder", "capsule"]
)
def test_long_bodies_float_lying_half_below(geometry: Geometry) -> None:
    """Half the density: the axis ends level with the surface, from any start."""
    scene = pool(
        geometry,
        density=500.0,
        rotation=b.turned((1, 0, 0), 1.0),
        damping=Damping(0.9, 0.9),
        step=0.008,
    )
    sim = Sim(scene)
    sim.run(12.0)
    assert sim["body"].position[2] == pytest.approx(0.0, abs=1e-4)
    w, x, y, z = sim["body"].orientation
    assert abs(1 - 2 * (x * x + y * y)) < 1e-3  # its z axis is horizontal
    assert np.isfinite((w, z)).all()


@pytest.mark.parametrize("engine", OUR_ENGINES)
def test_drag_on_the_wetted_area_gives_the_terminal_velocity(engine: str) -> None:
    """(rho_s - rho) V g = rho A c v^2: no factor 1/2."""
    size, c = 0.2, 0.3
    immersion = Immersion("water", drag_force=(c, 0.0, 0.0))
    box = GeometryBox((size, size, size))
    scene = pool(box, density=2000.0, at=(0, 0, -1), immersion=immersion, step=0.004)
    sim = Sim(scene, engine=engine)  # type: ignore[arg-type]
    sim.run(1.0)
    expected = math.sqrt((2000.0 - RHO) * size**3 * G / (RHO * 6 * size * size * c))
    # approached at the rate 2*g*(1 - 1000/2000)/v = 9.4/s: 3e-4 are left
    assert sim["body"].linear_velocity[2] == pytest.approx(-expected, rel=1e-3)


@pytest.mark.parametrize(
    ("geometry", "area"),
    [
        (GeometryBox((0.2, 0.3, 0.4)), 0.2 * 0.3),
        (GeometrySphere(0.2), math.pi * 0.04),
        (GeometryCylinder(0.2, 0.3), math.pi * 0.04),
        (GeometryCapsule(0.2, 0.3), math.pi * 0.04),
    ],
    ids=["box", "sphere", "cylinder", "capsule"],
)
def test_drag_on_projected_areas_gives_the_terminal_velocity(
    geometry: Geometry, area: float
) -> None:
    """(rho_s - rho) V g = rho A_z c_z v^2; the other coefficients do not matter."""
    immersion = Immersion("water", DragArea.PROJECTED, drag_force=(5.0, 5.0, 0.8))
    volume, _, _ = native_wet(geometry, (0.0, 0.0, 1.0), 99.0)
    sim = Sim(pool(geometry, density=1500.0, at=(0, 0, -1), immersion=immersion))
    sim.run(3.0)
    expected = math.sqrt(500.0 * volume * G / (RHO * area * 0.8))
    # approached at the rate 2*g*(1 - 1000/1500)/v = 3.5/s: 3e-5 are left
    assert sim["body"].linear_velocity[2] == pytest.approx(-expected, rel=1e-4)


@pytest.mark.parametrize("engine", OUR_ENGINES)
def test_viscous_resistance_gives_the_terminal_velocity(engine: str) -> None:
    """Share of wetted area * viscosity * k * v balances the weight in water."""
    fluid = Fluid("water", density=RHO, viscosity=2.0)
    immersion = Immersion("water", viscous_force=60.0)
    size = 0.1
    scene = pool(
        GeometryBox((size, size, size)),
        density=1500.0,
        at=(0, 0, -1),
        immersion=immersion,
        fluid=fluid,
    )
    sim = Sim(scene, engine=engine)  # type: ignore[arg-type]
    sim.run(0.5)
    assert sim["body"].linear_velocity[2] == pytest.approx(-500.0 * size**3 * G / 120.0, rel=1e-6)


def test_stream_carries_a_floating_body_along() -> None:
    """Drag acts on the velocity against the stream."""
    fluid = Fluid("water", density=RHO, stream_velocity=(0.4, -0.1, 0.0))
    immersion = Immersion("water", drag_force=(1.0, 0, 0), viscous_force=1e5)
    sim = Sim(
        pool(
            GeometryBox((0.2, 0.2, 0.2)),
            density=1000.0,
            at=(0, 0, -1),
            immersion=immersion,
            fluid=fluid,
        )
    )
    sim.run(2.0)
    assert sim["body"].linear_velocity == pytest.approx((0.4, -0.1, 0.0), abs=1e-4)


def test_drag_torque_slows_a_spin_as_one_over_time() -> None:
    """I w' = -rho A c w^2 has the solution w0/(1 + k w0 t)."""
    size, c, w0, h = 0.2, 0.001, 20.0, 0.0005
    immersion = Immersion("water", drag_torque=(c, 0.0, 0.0))
    scene = pool(
        GeometryBox((size, size, size)),
        density=1000.0,
        at=(0, 0, -1),
        immersion=immersion,
        spin=(0, 0, w0),
        step=h,
    )
    sim = Sim(scene)
    sim.run(1.0)
    inertia = RHO * size**5 / 6
    k = RHO * 6 * size * size * c / inertia
    # explicit Euler's error is of the order of k*w0*h/2 = 0.5 %
    assert sim["body"].angular_velocity[2] == pytest.approx(w0 / (1 + k * w0), rel=5e-3)


@pytest.mark.parametrize(
    ("shape", "pose"),
    [
        (GeometrySphere(5.0), Pose((0.0, 0.0, -5.0))),
        (GeometryCylinder(5.0, 10.0), Pose((0.0, 0.0, -5.0))),
        (GeometryCapsule(5.0, 2.0), Pose((0.0, 0.0, -6.0))),
    ],
    ids=["sphere", "cylinder", "capsule"],
)
def test_fluids_of_any_form_carry_at_their_top(shape: Geometry, pose: Pose) -> None:
    """The surface is one plane at the body: a box of half the density sinks half in."""
    water = Fluid("water", density=RHO, shapes=(b.collider(shape),))
    scene = pool(
        GeometryBox((0.1, 0.1, 0.1)),
        density=500.0,
        fluid=water,
        damping=Damping(0.9, 0.9),
        step=0.008,
    )
    scene = replace(scene, fluids=(replace(scene.fluids[0], pose=pose),))
    sim = Sim(scene)
    sim.run(4.0)
    assert sim["body"].position[2] == pytest.approx(0.0, abs=1e-4)


def test_body_above_the_water_falls_freely() -> None:
    """No force before it touches the surface."""
    sim = Sim(pool(GeometryBox((0.1, 0.1, 0.1)), density=500.0, at=(0, 0, 3.0), step=0.01))
    sim.step(20)
    assert sim["body"].linear_velocity[2] == pytest.approx(-G * 0.2, rel=1e-12)


def test_only_the_named_fluid_acts() -> None:
    """A body that knows oil sinks in water as in air."""
    sim = Sim(
        pool(GeometryBox((0.1, 0.1, 0.1)), density=500.0, at=(0, 0, -1), immersion=Immersion("oil"))
    )
    sim.step(50)
    assert sim["body"].linear_velocity[2] == pytest.approx(-G * 0.1, rel=1e-12)


@pytest.mark.parametrize(
    "geometry", [GeometryBox((0.3, 0.2, 0.4)), TETRAHEDRON], ids=["box", "mesh"]
)
def test_engines_agree_on_tumbling_bodies_in_water(geometry: Geometry) -> None:
    """Polyhedra are cut exactly by both."""
    immersion = Immersion("water", DragArea.PROJECTED, (0.5, 0.2, 0.3), (0.1, 0.1, 0.1), 3.0, 2.0)
    mass = b.solid_mass(GeometryBox((1.0, 1.0, 1.0)), 100.0)
    link = replace(
        b.free_link("body", GeometryBox((1, 1, 1)), at=(0, 0, 0.1), spin=(1.0, 2.0, 0.5)),
        mass=mass,
        shapes=(b.collider(geometry),),
        immersions=(immersion,),
    )
    box = b.collider(GeometryBox((10.0, 10.0, 10.0)))
    fluid = Fluid("water", Pose((0, 0, -5.0)), (box,), stream_velocity=(0.1, 0.2, 0.0))
    scene = replace(b.scene(Body("body", (link,))), fluids=(fluid,))
    states: list[NDArray[np.float64]] = []
    for engine in ("native", "reference"):
        sim = Sim(scene, engine=engine)
        sim.step(60)
        states.append(np.concatenate([sim.poses()[0], sim.velocities()[0]]))
    assert states[0] == pytest.approx(states[1], abs=1e-9)
