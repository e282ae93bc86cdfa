"""Joints of robots that are alike."""

from __future__ import annotations

import pytest

from solidbody.base.errors import NameLookupError
from solidbody.formats.loading import read_scene_text
from solidbody.sim import Sim

ARM = """Robot {{ name "{name}" controller "<none>" translation {x} 0 0 children [
  HingeJoint {{ jointParameters HingeJointParameters {{ axis 0 0 1 }}
    device [ RotationalMotor {{ name "elbow" }} PositionSensor {{ name "angle" }} ]
    endPoint Solid {{ name "arm" boundingObject Box {{ size 0.2 0.1 0.1 }} physics Physics {{ }} }} }} ] }}
"""


def test_robot_names_tell_motors_of_one_name_apart() -> None:
    """`robot/motor` and `robot/sensor`, as for devices; each robot keeps its own."""
    world = "#VRML_SIM R2025a utf8\nWorldInfo { basicTimeStep 8 gravity 0 }\nViewpoint { }\n"
    scene, _ = read_scene_text(world + ARM.format(name="red", x=0) + ARM.format(name="green", x=1))
    assert scene is not None
    sim = Sim(scene)
    sim.joint("green/elbow").target_velocity = 1.0
    sim.run(0.5)
    assert sim.joint("green/angle").position == pytest.approx(0.5, abs=0.02)
    assert sim.joint("red/elbow").position == 0.0
    with pytest.raises(NameLookupError, match="blue/elbow"):
        sim.joint("blue/elbow")
