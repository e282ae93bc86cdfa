"""Bodies on height fields and meshes: the kernels against the native step, with the same points."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Final

import numpy as np
import pytest

from solidbody.model.contacts import ContactProperties
from solidbody.model.devices import DeviceTouchSensor
from solidbody.model.geometry import (
    Geometry,
    GeometryBox,
    GeometryCapsule,
    GeometryCylinder,
    GeometryHeightField,
    GeometryMesh,
    GeometrySphere,
)
from solidbody.model.scene import RidgeRule, Scene, Sleeping
from solidbody.sim import Sim
from tests.gpu.comparing import DEVICE, compare
from tests.physics import building as b
from tests.physics import terrain
from tests.physics.twins import Twin

pytestmark = pytest.mark.slow  # the first test of a process compiles or loads the kernels

SURFACE: Final = ContactProperties(friction=(0.5,))
TILTED: Final = b.turned((1.0, 0.3, 0.0), 0.7)
TURNED: Final = b.turned((1.0, 2.0, 3.0), 0.2)
FORMS: Final[dict[str, Geometry]] = {
    "sphere": GeometrySphere(0.1),
    "box": GeometryBox((0.2, 0.3, 0.1)),
    "cylinder": GeometryCylinder(0.1, 0.2),
    "capsule": GeometryCapsule(0.1, 0.2),
    "convex mesh": terrain.block(0.2, 0.3, 0.1),
}
GROUNDS: Final[dict[str, GeometryHeightField | GeometryMesh]] = {
    "heights": terrain.bumps(),
    "a mesh": terrain.as_mesh(terrain.bumps()),
    "a block": terrain.block(0.4, 0.4, 0.3),
}


def dropped(ground: Geometry, form: Geometry, *, ridges: RidgeRule | None = None) -> Scene:
    """Return a body that falls onto a ridge of the ground, turning; its first contact is within 20 steps."""
    middle = not isinstance(ground, GeometryMesh) or len(ground.vertices) > 8
    still = (
        terrain.placed(ground, TURNED)
        if middle
        else b.static_body("block", ground, at=(0.1, 0.2, 0.0), rotation=TURNED)
    )
    body = terrain.free_form(
        "body", form, at=(0.23, 0.31, 0.32), rotation=TILTED, velocity=(0.3, 0.0, -1.0)
    )
    scene = b.scene(still, body, surface=SURFACE)
    if ridges is not None:
        scene = replace(scene, physics=replace(scene.physics, ridges=ridges))
    return scene


@pytest.mark.native
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("ground", GROUNDS)
def test_kernels_equal_the_native_step_on(ground: str, form: str) -> None:
    """Positions, velocities and the number of contacts after every step; it touches in most of them."""
    scene = dropped(GROUNDS[ground], FORMS[form])
    compare(Twin(f"{form} on {ground}", scene))
    sim = Sim(scene)
    touched = 0
    for _ in range(50):
        sim.step()
        touched += sim.stats.contacts > 0
    assert touched > 10


@pytest.mark.native
@pytest.mark.parametrize("form", ["box", "sphere"])
def test_odes_rule_for_ridges(form: str) -> None:
    """Which lifts what has sunk below all faces, too."""
    scene = dropped(GROUNDS["heights"], FORMS[form], ridges=RidgeRule.ODE)
    compare(Twin("ridges", scene))
    sunken = b.free_body("sunken", FORMS[form], at=(0.4, 0.4, -1.5))
    level = b.static_body("level", terrain.level(), at=terrain.MIDDLE)
    scene = b.scene(level, sunken, surface=SURFACE)
    compare(Twin("sunken", replace(scene, physics=replace(scene.physics, ridges=RidgeRule.ODE))))


@pytest.mark.native
def test_triangles_that_move() -> None:
    """A ball inside a tube that floats, without gravity."""
    tube = terrain.free_form(
        "tube", terrain.tube(0.15, 0.2, 0.4), (0.0, 0.0, 1.0), velocity=(0.0, 0.0, 0.1)
    )
    ball = b.free_body("ball", GeometrySphere(0.1), at=(0.0, 0.0, 1.0), velocity=(1.0, 0.4, 0.2))
    compare(Twin("tube", b.scene(tube, ball, surface=SURFACE, gravity=(0.0, 0.0, 0.0))))


@pytest.mark.native
def test_what_rests_on_terrain_sleeps_and_wakes() -> None:
    """A box that has come to rest, and a ball that rolls into it."""
    scene = b.scene(
        b.static_body("level", terrain.level(), at=terrain.MIDDLE),
        b.free_body("box", GeometryBox((0.2, 0.2, 0.2)), at=(0.1, 0.1, 0.1)),
        b.free_body("ball", GeometrySphere(0.1), at=(-0.5, 0.1, 0.1), velocity=(1.5, 0.0, 0.0)),
        surface=SURFACE,
    )
    sleeping = Sleeping(0.1, 0.05, 0.2)
    scene = replace(scene, physics=replace(scene.physics, sleeping=sleeping))
    compare(Twin("sleeps", scene))
    sim = Sim(scene, engine="native")
    moved = []
    for _ in range(50):
        before = sim.data.qpos[:3].copy()
        sim.step()
        moved.append(bool((sim.data.qpos[:3] != before).any()))
    assert not all(moved[:30])
    assert any(moved[30:])


def _hills(count: int, spacing: float) -> GeometryHeightField:
    heights = tuple(
        0.03 * math.sin(40 * spacing * x) * math.cos(31 * spacing * y)
        for y in range(count)
        for x in range(count)
    )
    return GeometryHeightField(count, count, spacing, spacing, heights)


def test_points_beyond_room_are_counted() -> None:
    """A plate over many small hills touches each, and worlds have room for three points."""
    scene = b.scene(
        b.static_body("hills", _hills(40, 0.05)),
        b.free_body("plate", GeometryBox((0.8, 0.8, 0.05)), at=(1.0, 1.0, 0.05)),
        surface=replace(SURFACE, max_contacts=20),
    )
    batch = Sim(scene).batch(2, device=DEVICE, contacts=3)
    batch.step(5)
    assert (batch.stats["lost"] > 0).all()
    assert (batch.stats["contacts"] <= 3).all()
    roomy = Sim(scene).batch(1, device=DEVICE, contacts=40)
    roomy.step(5)
    assert roomy.stats["lost"].max() == 0


def test_worlds_are_the_same_in_any_batch_and_after_restore() -> None:
    """Bytes of three worlds with frictions of their own, in two orders, and restored half way."""
    scene = dropped(GROUNDS["a mesh"], FORMS["box"])
    batch = Sim(scene).batch(3, device=DEVICE)
    other = Sim(scene).batch(2, device=DEVICE)
    batch.vary("contact.friction", np.array([[0.1], [0.5], [0.9]]))
    other.vary("contact.friction", np.array([[0.9], [0.1]]))
    batch.step(25)
    kept = batch.snapshot()
    batch.step(25)
    other.step(50)
    found = batch.qpos().copy()
    assert (found[[2, 0]] == other.qpos()).all()
    assert np.abs(found[0] - found[2]).max() > 1e-4
    batch.restore(kept)
    batch.step(25)
    assert (batch.qpos() == found).all()
    batch.reset()
    batch.step(50)
    assert (batch.qpos() == found).all()


@pytest.mark.native
@pytest.mark.parametrize("form", ["block", "tube", "feet"])
def test_meshes_on_a_plane(form: str) -> None:
    """The deepest vertices of a convex one, of a hollow one, and of one of several parts."""
    shape = {
        "block": terrain.block(0.2, 0.3, 0.1),
        "tube": terrain.tube(0.1, 0.15, 0.2),
        "feet": terrain.blocks(6),
    }[form]
    body = terrain.free_form("body", shape, at=(0.0, 0.0, 0.22), rotation=TILTED)
    floor = b.floor(rotation=b.turned((0.0, 1.0, 0.0), 0.1))
    scene = b.scene(floor, body, surface=SURFACE)
    compare(Twin(form, scene))
    sim = Sim(scene)
    assert max(sim.stats.contacts for _ in range(50) if sim.step() is None) > 1


@pytest.mark.native
@pytest.mark.parametrize("case", ["box on heights", "tube on a plane"])
def test_bumpers_feel_terrain_and_planes(case: str) -> None:
    """From the step on at which an ordinary simulation feels them."""
    if case == "box on heights":
        scene = dropped(GROUNDS["heights"], FORMS["box"])
    else:
        tube = terrain.tube(0.1, 0.15, 0.2)
        body = terrain.free_form("body", tube, at=(0.0, 0.0, 0.25), rotation=TILTED)
        scene = b.scene(b.floor(), body, surface=SURFACE)
    *others, body = scene.bodies
    bumper = DeviceTouchSensor(name="bumper", shapes=(0,))
    link = replace(body.links[0], devices=(bumper,))
    scene = replace(scene, bodies=(*others, replace(body, links=(link,))))
    sim = Sim(scene, engine="native")
    batch = sim.batch(1, device=DEVICE)
    felt = batch.bind("sensor.touch")
    sim.device("bumper").enable(sim.time_step)
    told = []
    for step in range(40):
        sim.step()
        batch.step()
        told.append(float(np.ravel(sim.device("bumper").value)[0]))
        assert felt.numpy().ravel()[0] == told[-1], step
    assert 0.0 in told
    assert 1.0 in told
