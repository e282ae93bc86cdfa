"""Friction of two surfaces combined, as a table, against ODE driven by the same surface parameters.

Referee: tests/ode/surface.py, which turns contact properties into dSurfaceParameters by the rules of
Webots on its own, and dWorldStep.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import pytest

from solidbody.base.transforms import Quat, Vec3, quat_multiply
from solidbody.model.contacts import ContactProperties
from solidbody.model.geometry import GeometryBox, GeometryCylinder
from solidbody.model.links import Body
from solidbody.model.scene import Scene
from tests.ode.marks import NEEDS_ODE
from tests.physics import building as b
from tests.physics.referee import deviation, run

pytestmark = NEEDS_ODE

SAME_LAW = 1e-9
"""Same contacts, same unique answer (tests/physics/twins.py)."""
ON_CAP = 1e-6
"""ODE's rounding of a cylinder's depth near upright (tests/physics/twins.py)."""

STEPS = 40
"""0.32 s: bodies slide 0.2 to 0.3 m and some come to rest, at 1 m/s under friction of 0.1 to 0.7."""

LYING = b.turned((1.0, 0.0, 0.0), 0.5 * math.pi)
ON_END = b.turned((0.0, 1.0, 0.0), 0.5 * math.pi + 1e-5)
"""Not quite square, so that rounding does not choose the face that ODE puts the points on."""
UPRIGHT: Quat = (1.0, 0.0, 0.0, 0.0)
SLAB = GeometryBox((6.0, 6.0, 0.4))


@dataclass(frozen=True, slots=True)
class Pair:
    """A body on a base: which faces meet."""

    form: GeometryBox | GeometryCylinder
    rotation: Quat
    height: float
    on_plane: bool
    tolerance: float = SAME_LAW


BOX = GeometryBox((0.4, 0.3, 0.2))
LOG = GeometryCylinder(0.2, 0.4)
PAIRS = {
    "box on plane": Pair(BOX, UPRIGHT, 0.0999, True),
    "box on its end on plane": Pair(BOX, ON_END, 0.1999, True),
    "cylinder lying on plane": Pair(LOG, LYING, 0.1999, True),
    "cylinder standing on plane": Pair(LOG, UPRIGHT, 0.1999, True),
    "box on box": Pair(BOX, UPRIGHT, 0.0999, False),
    "box on its end on box": Pair(BOX, ON_END, 0.1999, False),
    "cylinder lying on box": Pair(LOG, LYING, 0.1999, False),
    "cylinder standing on box": Pair(LOG, UPRIGHT, 0.1999, False, ON_CAP),
}
FRICTION: dict[str, tuple[float, ...]] = {
    "one value": (0.3,),
    "two values": (0.1, 0.25),
    "three values": (0.05, 0.3, 0.1),
    "four values": (0.05, 0.3, 0.1, 0.2),
}
TURNS = {"aligned": 0.0, "crossed": 0.5 * math.pi, "between": 0.4}
ROTATIONS = {"as they are": (0.0, 0.0), "rotated": (0.5, -0.2)}


def base(pair: Pair) -> Body:
    """Return what the body stands on."""
    if pair.on_plane:
        return b.floor(material="base")
    return b.static_body("slab", SLAB, at=(0.0, 0.0, -0.2), material="base")


def sliding(
    pair: Pair, turn: float, surface: ContactProperties, velocity: Vec3 = (1.0, 0.4, 0.0)
) -> Scene:
    """Return a body that slides and turns on its base."""
    body = b.free_body(
        "body",
        pair.form,
        at=(0.0, 0.0, pair.height),
        rotation=quat_multiply(b.turned((0.0, 0.0, 1.0), turn), pair.rotation),
        velocity=velocity,
        spin=(0.0, 0.0, 0.7),
        material="body",
    )
    return b.scene(base(pair), body, surfaces=(surface,))


@pytest.mark.slow
@pytest.mark.parametrize("rotation", ROTATIONS)
@pytest.mark.parametrize("turn", TURNS)
@pytest.mark.parametrize("values", FRICTION)
@pytest.mark.parametrize("pair", PAIRS)
def test_friction_combines_as_in_ode(pair: str, values: str, turn: str, rotation: str) -> None:
    """Every number of values, friction directions aligned, crossed and between, turned or not."""
    surface = ContactProperties(
        ("body", "base"), friction=FRICTION[values], friction_rotation=ROTATIONS[rotation]
    )
    row = PAIRS[pair]
    scene = sliding(row, TURNS[turn], surface)
    apart = deviation(run(scene, "native", STEPS), run(scene, "ode", STEPS))
    # spins reach 5 rad/s about levers of 0.2 m
    assert max(apart.position, apart.rotation, apart.velocity) <= row.tolerance, apart
    assert apart.spin <= 10 * row.tolerance, apart


@pytest.mark.parametrize("values", FRICTION)
@pytest.mark.parametrize("pair", ["box on plane", "box on box", "cylinder lying on plane"])
def test_materials_in_the_other_order_swap_the_surfaces(pair: str, values: str) -> None:
    """The first two values belong to the material that the properties name first."""
    surface = ContactProperties(
        ("base", "body"), friction=FRICTION[values], friction_rotation=(0.3, 0.1)
    )
    scene = sliding(PAIRS[pair], 0.4, surface)
    apart = deviation(run(scene, "native", STEPS), run(scene, "ode", STEPS))
    assert apart.position <= SAME_LAW, apart
