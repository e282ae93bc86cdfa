"""Surfaces with everything at once, at random, against ODE: no rule is left that only holds alone."""

from __future__ import annotations

import math
from random import Random

import pytest

from solidbody.base.transforms import Vec3
from solidbody.model.contacts import ContactProperties
from solidbody.model.geometry import Geometry, GeometryBox, GeometryCapsule, GeometrySphere
from solidbody.model.links import Body
from solidbody.model.scene import RollingRule, Scene
from tests.ode.marks import NEEDS_ODE
from tests.physics import building as b
from tests.physics.referee import deviation, run

pytestmark = NEEDS_ODE

SECONDS = 0.6
SAME_LAW = 1e-6
"""[m] Same contacts, same unique answer; tumbling bodies amplify rounding by some powers of ten."""

FORMS: dict[str, tuple[Geometry, tuple[str, ...]]] = {
    "sphere": (GeometrySphere(0.15), ("plane", "slab", "dome")),
    "box": (GeometryBox((0.3, 0.2, 0.25)), ("plane", "slab", "dome")),
    # lying on a box, a capsule has one point in ODE and two here
    "capsule": (GeometryCapsule(0.1, 0.3), ("plane", "dome")),
}
"""Form of the body, and what it falls on."""


def surface(random: Random) -> ContactProperties:
    """Return contact properties with all fields drawn."""
    materials = ("body", "base") if random.random() < 0.5 else ("base", "body")
    friction = [random.uniform(0.0, 1.2) for _ in range(random.randint(1, 4))]
    if random.random() < 0.3:
        friction[random.randrange(len(friction))] = random.choice((0.0, math.inf))
    slip = [random.choice((0.0, random.uniform(0.0, 0.1))) for _ in range(random.randint(1, 4))]
    x, y, z = (random.choice((0.0, 0.0, random.uniform(0.0, 0.05))) for _ in range(3))
    return ContactProperties(
        materials,
        friction=tuple(friction),
        slip=tuple(slip),
        friction_rotation=(random.uniform(-2.0, 2.0), random.uniform(-2.0, 2.0)),
        rolling_friction=(x, y, z),
        bounce=random.choice((0.0, random.random())),
        bounce_velocity=random.uniform(0.0, 0.5),
        soft_erp=random.uniform(0.05, 0.9),
        soft_cfm=10.0 ** random.uniform(-6.0, -2.0),
        max_contacts=random.choice((1, 2, 3, 4, 10)),
    )


def base(kind: str, random: Random) -> Body:
    """Return what the body falls on, its top at the origin."""
    if kind == "plane":
        return b.floor(material="base")
    if kind == "dome":
        return b.static_body("base", GeometrySphere(2.0), at=(0, 0, -2.0), material="base")
    turn = b.turned((0, 1, 0), random.uniform(-0.2, 0.2))
    form = GeometryBox((6.0, 6.0, 0.4))
    return b.static_body("base", form, at=(0, 0, -0.2), rotation=turn, material="base")


def falling(form: Geometry, kind: str, random: Random) -> Scene:
    """Return a body that falls, moving and turning."""

    def vector(size: float) -> Vec3:
        x, y, z = (random.uniform(-size, size) for _ in range(3))
        return (x, y, z)

    body = b.free_body(
        "body",
        form,
        mass=10.0 ** random.uniform(-1.0, 1.5),
        at=(0.0, 0.0, random.uniform(0.2, 0.5)),
        rotation=b.turned((1.0, random.random(), random.random()), random.uniform(0.0, 3.0)),
        velocity=vector(2.0),
        spin=vector(8.0),
        material="body",
    )
    return b.scene(
        base(kind, random),
        body,
        surfaces=(surface(random),),
        step=random.choice((0.002, 0.008, 0.016, 0.032)),
        rolling=random.choice(list(RollingRule)),
    )


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(
    ("form", "kind"), [(form, kind) for form, (_, kinds) in FORMS.items() for kind in kinds]
)
def test_random_surface_acts_as_in_ode(form: str, kind: str, seed: int) -> None:
    """Falling, landing, bouncing, sliding, rolling: every place along the way."""
    scene = falling(FORMS[form][0], kind, Random(f"{form} {kind} {seed}"))
    steps = round(SECONDS / scene.physics.time_step)
    apart = deviation(run(scene, "native", steps), run(scene, "ode", steps))
    assert apart.position <= SAME_LAW, (apart, scene.contacts)
