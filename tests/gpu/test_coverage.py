"""What kernels cannot do is refused by name, with its place in the file, before anything runs."""

from __future__ import annotations

from dataclasses import replace

import mujoco
import pytest

from solidbody.formats.loading import read_scene_text
from solidbody.gpu.coverage import NotOnDevice, refusals
from solidbody.gpu.model_tables import collidable_pairs
from solidbody.model.devices import DeviceRotor
from solidbody.sim import Sim

HEAD = "#VRML_SIM R2025a utf8\nWorldInfo { }\n"
SOLID = (
    'Solid {{ name "{name}" translation 0 0 {z} boundingObject {shape} physics Physics {{ }} }}\n'
)


def refuse(text: str) -> str:
    """Return what is said of a world."""
    scene, messages = read_scene_text(HEAD + text)
    assert scene is not None, list(messages)
    with pytest.raises(NotOnDevice) as found:
        Sim(scene).batch(2, device="cpu")
    return str(found.value)


def test_pairs_without_a_collider() -> None:
    """Two cylinders: both are named, the first with its line."""
    can = "Cylinder { }"
    text = refuse(
        SOLID.format(name="one", z=0, shape=can) + SOLID.format(name="two", z=3, shape=can)
    )
    assert 'contacts of a cylinder and a cylinder (boundingObject of "two")' in text
    assert ":3:" in text


WHEELED = """Robot {{ translation 0 0 1 selfCollision TRUE children [
  HingeJoint {{ jointParameters HingeJointParameters {{ axis 0 1 0 anchor 0 0.2 0 }} endPoint Solid {{
    name "left" translation {x} 0.2 0 rotation 1 0 0 1.5708 boundingObject
    DEF WHEEL Cylinder {{ radius 0.1 height 0.05 }} physics Physics {{ }} }} }}
  HingeJoint {{ jointParameters HingeJointParameters {{ axis 0 1 0 anchor 0 -0.2 0 }} endPoint Solid {{
    name "right" translation 0 -0.2 0 rotation 1 0 0 1.5708 boundingObject USE WHEEL
    physics Physics {{ }} }} }}
] boundingObject Box {{ size 0.1 0.1 0.1 }} physics Physics {{ }} }}
Solid {{ boundingObject Plane {{ }} }}
"""


def test_shapes_that_never_meet_are_no_pair() -> None:
    """Wheels side by side; one that goes round so far out that it may is refused, by name."""
    scene, messages = read_scene_text(HEAD + WHEELED.format(x=0))
    assert scene is not None, list(messages)
    compiled = Sim(scene).compiled
    assert not refusals(compiled)
    names = [
        {compiled.model.geom(int(g)).type.item() for g in pair}
        for pair in collidable_pairs(compiled)
    ]
    assert {int(mujoco.mjtGeom.mjGEOM_CYLINDER)} not in names
    assert len(names) == 3  # each part on the floor
    text = refuse(WHEELED.format(x=0.3))
    assert "contacts of a cylinder and a cylinder" in text


def test_meshes() -> None:
    """Two meshes that move."""
    faces = (
        "IndexedFaceSet { coord Coordinate { point [0 0 0, 1 0 0, 0 1 0, 0 0 1] }"
        " coordIndex [0 2 1 -1 0 1 3 -1 0 3 2 -1 1 2 3 -1] }"
    )
    text = refuse(
        SOLID.format(name="rock", z=1, shape=faces) + SOLID.format(name="stone", z=5, shape=faces)
    )
    assert 'boundingObject of "rock": contacts of a mesh and a mesh' in text


def test_terrain() -> None:
    """A hollow mesh that moves over a height field, whose triangles meet."""
    hollow = (
        "IndexedFaceSet { coord Coordinate { point [0 0 0, 1 0 0, 0 1 0, 0 0 1] }"
        " coordIndex [0 1 3 -1 0 3 2 -1 1 2 3 -1] }"
    )
    text = refuse(
        SOLID.format(name="shell", z=1, shape=hollow)
        + 'Solid { name "hills" boundingObject ElevationGrid { xDimension 2 yDimension 2 height [0 1 0 1] } }'
    )
    assert 'boundingObject of "shell": a hollow mesh that moves on triangles' in text
    assert ":3:" in text


def test_rotors_that_programs_drive() -> None:
    """Their force is told from outside."""
    scene, _ = read_scene_text(HEAD + SOLID.format(name="drone", z=1, shape="Box { }"), "world.wbt")
    assert scene is not None
    body = scene.bodies[0]
    link = replace(body.links[0], devices=(DeviceRotor(name="rotor"),))
    scene = replace(scene, bodies=(replace(body, links=(link, *body.links[1:])),))
    with pytest.raises(NotOnDevice, match="a rotor that a program drives"):
        Sim(scene).batch(2, device="cpu")


def test_all_is_named_at_once() -> None:
    """One error lists everything."""
    text = refuse(
        SOLID.format(name="one", z=0, shape="Cylinder { }")
        + SOLID.format(name="two", z=3, shape="Cylinder { }")
        + SOLID.format(name="three", z=6, shape="Capsule { }")
    )
    assert "2 thing(s) that only a batch on the processor can do" in text
