"""Constants that differ from world to world on a device: each moves as its copy on the processor does."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.scenes import chain, humanoid, two_wheeled_robot
from solidbody.formats.loading import read_scene_text
from solidbody.model.scene import Scene
from solidbody.sim import Sim
from solidbody.sim.batch.device_varying import VARIED_ON_DEVICES
from tests.gpu.comparing import DEVICE

pytestmark = [pytest.mark.slow, pytest.mark.native]

COUNT = 3
SAME = 1e-9

BOXES = """#VRML_SIM R2025a utf8
WorldInfo { basicTimeStep 8 contactProperties [
  ContactProperties { bounce 0.4 coulombFriction [ 0.6 ] rollingFriction 0.01 0 0 } ] }
Solid { boundingObject Plane { size 20 20 } }
DEF BOX Solid { name "box" translation 0 0 0.4 rotation 1 1 0 0.4 boundingObject Box { size 0.2 0.3 0.1 }
  linearVelocity 1 0 0 physics Physics { } }
Solid { name "ball" translation 0 1 0.2 linearVelocity 2 0 0 boundingObject Sphere { radius 0.1 }
  physics Physics { } }
"""


def _scene(name: str) -> Scene:
    if name == "joints":
        return chain(4)
    if name == "figure":
        return humanoid()[0]
    scene, messages = read_scene_text(BOXES)
    assert scene is not None, list(messages)
    return scene


CASES = [
    *((name, "boxes") for name in sorted(VARIED_ON_DEVICES) if name.startswith("contact.")),
    *((name, "boxes") for name in ("link.mass", "link.inertia")),
    *((name, "joints") for name in ("joint.damping", "joint.static_friction", "joint.spring")),
    ("link.mass", "figure"),
]


@pytest.mark.parametrize(("name", "which"), CASES)
def test_worlds_move_as_their_copies_do(name: str, which: str) -> None:
    """Another value in each world, one of them back to that of the scene."""
    sim = Sim(_scene(which))
    one, many = sim.batch(COUNT), sim.batch(COUNT, device=DEVICE)
    nominal = one.constants(name)
    assert (many.constants(name) == nominal).all()
    share = np.array([0.4, 0.7, 0.9]).reshape(COUNT, *(1,) * (nominal.ndim - 1))
    # what the scene has none or little of begins somewhere
    more = {"contact.bounce_velocity": 3.0}.get(name, 0.02 if name.startswith("joint.") else 0.0)
    values = nominal * share + more * share
    for batch in (one, many):
        batch.vary(name, values)
        batch.vary(name, None, ids=[2])
    assert (many.constants(name) == one.constants(name)).all()
    for _ in range(60):
        one.step()
        many.step()
    apart = [np.abs(one.qpos() - many.qpos()), np.abs(one.qvel() - many.qvel())]
    assert max(part.max() for part in apart) <= SAME
    assert np.abs(many.qvel()[0] - many.qvel()[2]).max() > 1e-6


@pytest.mark.parametrize(
    ("name", "value", "channel"),
    [
        ("joint.max_effort", 0.05, "joint.target_velocity"),
        ("joint.acceleration", 4.0, "joint.target_velocity"),
        ("joint.gains", (5.0, 1.0, 0.1), "joint.target_position"),
    ],
)
def test_motors_that_differ(name: str, value: float | tuple[float, ...], channel: str) -> None:
    """What they are told later keeps it, and so does a reset."""
    sim = Sim(two_wheeled_robot(step=0.008))
    one, many = sim.batch(COUNT), sim.batch(COUNT, device=DEVICE)
    share = np.array([0.4, 0.7, 1.0])[:, None, None] * np.array(value).reshape(1, 1, -1)
    values = share[:, :, 0] if np.ndim(value) == 0 else share
    for batch in (one, many):
        batch.vary(name, values)
    told = one.bind(channel), many.bind(channel)
    for again in range(2):
        told[0][:] = 3.0
        told[1].fill_(3.0)
        for _ in range(40):
            one.step()
            many.step()
        assert np.abs(one.qpos() - many.qpos()).max() <= SAME
        assert np.abs(one.qvel() - many.qvel()).max() <= SAME
        assert np.abs(many.qvel()[0] - many.qvel()[2]).max() > 1e-6, again
        one.reset()
        many.reset()


def test_some_worlds_and_items() -> None:
    """The others stay as they are; a reset keeps what differs."""
    sim = Sim(_scene("boxes"))
    batch = sim.batch(COUNT, device=DEVICE)
    batch.vary("link.mass", 5.0, "box", [1])
    found = batch.constants("link.mass", "box")[:, 0]
    assert found[1] == 5.0
    assert found[0] == found[2] != 5.0
    batch.reset()
    assert batch.constants("link.mass", "box")[1, 0] == 5.0


@pytest.mark.parametrize(
    ("name", "values", "why"),
    [
        ("world.gravity", (0.0, 0.0, -1.0), "cannot differ on a device"),
        ("link.mass", -1.0, "must be"),
    ],
)
def test_what_cannot_differ_is_refused(name: str, values: object, why: str) -> None:
    """By name, before anything changes."""
    batch = Sim(_scene("boxes")).batch(1, device=DEVICE)
    with pytest.raises(ValueError, match=why):
        batch.vary(name, values)  # type: ignore[arg-type]
