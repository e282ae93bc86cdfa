"""Bodies on height fields and meshes against ODE.

On height fields ODE sees a body's points under the plane of the face that is above or below them, and
so do we; where the ground has ridges we see those too, which ODE misses (its bodies sink into them
and are thrown out), unless a world chooses ODE's rule. On meshes ODE makes contacts of its own at edges
inside a smooth surface; we do not (test_terrain.py compares with the plane instead).
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from solidbody.base.transforms import Quat
from solidbody.model.contacts import ContactProperties
from solidbody.model.geometry import (
    Geometry,
    GeometryBox,
    GeometryCapsule,
    GeometryCylinder,
    GeometryHeightField,
    GeometryMesh,
    GeometrySphere,
)
from solidbody.model.scene import RidgeRule, Scene
from tests.ode.marks import NEEDS_ODE
from tests.physics import building as b
from tests.physics import terrain
from tests.physics.referee import deviation, run

SAME_LAW = 1e-9
"""Same contacts, same unique answer (tests/physics/twins.py). Measured: 6e-14."""
STRAIGHT = 1e-9
"""[m] Nothing pushes a ball aside but rounding."""

pytestmark = NEEDS_ODE

SURFACE = ContactProperties(friction=(0.5,))
TILTED = b.turned((1.0, 0.3, 0.0), 0.7)
LYING = b.turned((1.0, 0.0, 0.0), 0.5 * math.pi)

FORMS: dict[str, Geometry] = {
    "sphere": GeometrySphere(0.1),
    "box": GeometryBox((0.2, 0.3, 0.1)),
    "cylinder": GeometryCylinder(0.1, 0.2),
    "capsule": GeometryCapsule(0.1, 0.2),
}
GROUNDS: dict[str, tuple[GeometryHeightField, Quat]] = {
    "level": (terrain.level(), (1.0, 0.0, 0.0, 0.0)),
    "slope": (terrain.slope(), (1.0, 0.0, 0.0, 0.0)),
    "valley": (terrain.valley(), (1.0, 0.0, 0.0, 0.0)),
    "turned valley": (terrain.valley(), b.turned((1.0, 2.0, 3.0), 0.2)),
}


def dropped(ground: Geometry, form: Geometry, rotation: Quat, turn: Quat) -> Scene:
    """Return a body that falls onto the ground, moving sideways."""
    body = b.free_body("body", form, at=(0.13, 0.21, 0.5), rotation=rotation, velocity=(0.3, 0, 0))
    return b.scene(terrain.placed(ground, turn), body, surface=SURFACE)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("ground", GROUNDS)
def test_body_on_a_height_field_moves_as_in_ode(ground: str, form: str) -> None:
    """One second of falling, landing and sliding; cylinders not upright (another rule there)."""
    heights, turn = GROUNDS[ground]
    scene = dropped(heights, FORMS[form], TILTED, turn)
    apart = deviation(run(scene, "native", 125), run(scene, "ode", 125))
    assert apart.worst <= 100 * SAME_LAW, apart
    assert apart.position <= SAME_LAW, apart


@pytest.mark.parametrize("form", ["sphere", "box", "capsule"])
@pytest.mark.parametrize("seed", [0, 3, 8, 9])
def test_body_on_rough_ground_moves_as_in_ode_by_its_rule(seed: int, form: str) -> None:
    """Hills of 6 cm every half metre; the ball of seed 8 falls into a ridge and is thrown out of the ground.

    Cylinders are left out: Webots has a rule of its own for them on planes, which Debian's ODE has not.
    """
    random = np.random.default_rng(seed)
    ground = terrain.heights(lambda _x, _y: float(random.normal(0.0, 0.06)))
    scene = dropped(ground, FORMS[form], TILTED, (1.0, 0.0, 0.0, 0.0))
    scene = replace(scene, physics=replace(scene.physics, ridges=RidgeRule.ODE))
    apart = deviation(run(scene, "native", 125), run(scene, "ode", 125))
    assert apart.position <= SAME_LAW, apart


def test_ball_on_a_mesh_moves_as_in_ode() -> None:
    """One large triangle, as long as ODE sees the contact: shallow ones it loses to rounding."""
    face = GeometryMesh(((-20.0, -10.0, 0.0), (20.0, -10.0, 0.0), (0.0, 30.0, 0.0)), ((0, 1, 2),))
    ground = b.static_body("ground", face, rotation=b.turned((0, 1, 0), 0.2))
    ball = b.free_body("ball", terrain.BALL, at=(0.4, 3.21, 0.3), velocity=(0.3, 0, 0))
    scene = b.scene(ground, ball, surface=SURFACE)
    steps = 70
    apart = deviation(run(scene, "native", steps), run(scene, "ode", steps))
    assert apart.position <= SAME_LAW, apart


def test_seams_of_a_mesh_catch_less_than_in_ode() -> None:
    """A ball rolls straight over level triangles here; in ODE they throw it off its line."""
    ground = terrain.placed(terrain.as_mesh(terrain.level()))
    ball = b.free_body("ball", terrain.BALL, at=(-2.0, 0.21, 0.0996), velocity=(2.0, 0, 0))
    scene = b.scene(ground, ball, surface=SURFACE)
    ours, odes = run(scene, "native", 125), run(scene, "ode", 125)
    aside = [np.abs(trace.positions(1)[:, 1] - 0.21).max() for trace in (ours, odes)]
    assert aside[0] < STRAIGHT
    assert aside[0] < aside[1]


TILES = tuple(
    b.static_body(f"tile {k}", GeometryBox((0.5, 2.0, 0.2)), at=(0.5 * k, 0.0, -0.1))
    for k in range(6)
)


@pytest.mark.parametrize(
    ("form", "rotation", "height"),
    [
        ("sphere", (1.0, 0.0, 0.0, 0.0), 0.0999),
        ("box", (1.0, 0.0, 0.0, 0.0), 0.0499),
        ("box", b.turned((0, 0, 1), 0.4), 0.0499),
        ("cylinder", LYING, 0.0999),
    ],
)
def test_seams_of_level_boxes_catch_as_in_ode(form: str, rotation: Quat, height: float) -> None:
    """Separate boxes side by side: each makes its own contacts, here as there."""
    body = b.free_body(
        "body", FORMS[form], at=(0.0, 0.0, height), rotation=rotation, velocity=(1.5, 0, 0)
    )
    scene = b.scene(*TILES, body, surface=ContactProperties(friction=(0.3,)))
    apart = deviation(run(scene, "native", 125), run(scene, "ode", 125))
    assert apart.position <= SAME_LAW, apart
