"""What tests of ROS 2 share: a domain of their own, on the loopback interface only."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

import solidbody as sb
from solidbody.live.ros.settings import Ros2Settings

ROVER = """#VRML_SIM R2025a utf8
WorldInfo { basicTimeStep 10
  contactProperties ContactProperties { material2 "slip" coulombFriction 0 } }
Solid { name "floor" boundingObject Plane { size 20 20 } }
Robot { translation 1 2 0.05 rotation 0 0 1 0.5 name "rover" children [
  DEF BOX Pose { translation 0 0 0.05 children [ Shape { geometry Box { size 0.3 0.2 0.1 } } ] }
  HingeJoint { jointParameters HingeJointParameters { axis 0 1 0 anchor 0.05 0.15 0 }
    device RotationalMotor { name "left wheel" maxVelocity 20 }
    endPoint DEF WHEEL Solid { translation 0.05 0.15 0 rotation 1 0 0 1.5708 name "left tyre"
      physics Physics { } boundingObject Cylinder { radius 0.05 height 0.02 } } }
  HingeJoint { jointParameters HingeJointParameters { axis 0 1 0 anchor 0.05 -0.15 0 }
    device RotationalMotor { name "right wheel" maxVelocity 20 }
    endPoint Solid { translation 0.05 -0.15 0 rotation 1 0 0 1.5708 name "right tyre"
      physics Physics { } boundingObject Cylinder { radius 0.05 height 0.02 } } }
  Solid { translation -0.1 0 -0.025 name "caster" physics Physics { } contactMaterial "slip"
    boundingObject Sphere { radius 0.025 } }
  HingeJoint { jointParameters HingeJointParameters { axis 0 0 1 anchor 0 0 0.15 position 0.4 }
    device RotationalMotor { name "head" minPosition -1 maxPosition 1 }
    endPoint Solid { translation 0 0 0.15 rotation 0 0 1 0.4 name "mast"
      physics Physics { density -1 mass 0.1 } boundingObject Box { size 0.02 0.02 0.1 }
      children [ Camera { translation 0.02 0 0.03 width 8 height 6 } ] } }
  GPS { }
  InertialUnit { } Gyro { } Accelerometer { }
  DistanceSensor { translation 0.15 0 0.05 lookupTable [ 0 1000 0, 2 0 0 ] }
  TouchSensor { translation 0 0 0.1 name "bumper" boundingObject Box { size 0.4 0.2 0.05 } }
  Lidar { translation 0 0 0.2 horizontalResolution 16 fieldOfView 3.14 numberOfLayers 1 }
] boundingObject USE BOX physics Physics { density -1 mass 2 } battery [ 100 200 1 ] controller "<extern>" }
"""


@pytest.fixture
def world(tmp_path: Path) -> Path:
    """Return a rover with sensors."""
    path = tmp_path / "rover.wbt"
    path.write_text(ROVER, encoding="utf-8")
    return path


@pytest.fixture
def sim(world: Path) -> sb.Sim:
    """Return its simulation."""
    return sb.Sim(sb.load(world))


@pytest.fixture
def settings() -> Iterator[Ros2Settings]:
    """Return settings with a domain that no other test of this machine has now."""
    pytest.importorskip("cyclonedds", reason="there is no cyclonedds for this Python")
    for number in range(100):
        domain = 1 + (os.getpid() + number) % 100
        with socket.socket() as mark:
            try:
                mark.bind(("127.0.0.1", 7400 + 250 * domain))
            except OSError:
                continue
            yield Ros2Settings(domain=domain)
            return
    pytest.fail("all domains are taken")
