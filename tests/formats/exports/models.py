"""Robots in every format that the tests of exports convert, and how they are read and driven."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import mujoco

from solidbody.base.diagnostics import Diagnostic
from solidbody.compiler import compile_scene
from solidbody.compiler.mjcf import mjcf_text
from solidbody.formats.loading import read_scene
from solidbody.model.scene import Scene

ROVER = """#VRML_SIM R2025a utf8
WorldInfo {
  basicTimeStep 8
  contactProperties [
    ContactProperties { material1 "tyre" coulombFriction [ 1.2 ] bounce 0 }
    ContactProperties { material1 "slider" coulombFriction [ 0 ] bounce 0.5 }
  ]
}
DirectionalLight { direction 0.5 0.4 -1 intensity 2 }
Solid { boundingObject Plane { } name "ground" }
Robot {
  translation 0 0 0.1
  children [
    DEF HULL Pose { children [ Shape { geometry Box { size 0.4 0.25 0.06 } } ] }
    Camera { translation 0.2 0 0.05 width 80 height 60 fieldOfView 1.2 }
    DistanceSensor { translation 0.2 0 0 name "front" lookupTable [ 0 0 0 2 2 0 ] }
    Gyro { }
    Receiver { }
    Emitter { name "one" }
    Emitter { name "two" }
    HingeJoint {
      jointParameters HingeJointParameters { axis 0 1 0 anchor 0.1 0.16 -0.02 }
      device [ RotationalMotor { name "left motor" maxVelocity 20 maxTorque 5 } ]
      endPoint Solid {
        translation 0.1 0.16 -0.02
        rotation -1 0 0 1.5708
        children [ DEF TYRE Shape { geometry Cylinder { height 0.04 radius 0.08 } } ]
        contactMaterial "tyre"
        name "left wheel"
        boundingObject USE TYRE
        physics Physics { density -1 mass 0.3 }
      }
    }
    HingeJoint {
      jointParameters HingeJointParameters { axis 0 1 0 anchor 0.1 -0.16 -0.02 }
      device [ RotationalMotor { name "right motor" maxVelocity 20 maxTorque 5 }
               PositionSensor { name "right sensor" } ]
      endPoint Solid {
        translation 0.1 -0.16 -0.02
        rotation -1 0 0 1.5708
        children [ USE TYRE ]
        contactMaterial "tyre"
        name "right wheel"
        boundingObject USE TYRE
        physics Physics { density -1 mass 0.3 }
      }
    }
    Solid {
      translation -0.15 0 -0.06
      children [ Shape { geometry DEF BALL Sphere { radius 0.04 } } ]
      contactMaterial "slider"
      name "slider"
      boundingObject USE BALL
      physics Physics { density -1 mass 0.1 }
    }
  ]
  name "rover"
  controller "<none>"
  boundingObject USE HULL
  physics Physics { density -1 mass 2 }
}
"""

ARM = """#VRML_SIM R2025a utf8
WorldInfo { basicTimeStep 8 }
Robot {
  name "arm"
  controller "<none>"
  children [
    HingeJoint {
      jointParameters HingeJointParameters { axis 0 0 1 minStop -3 maxStop 3 }
      device [ RotationalMotor { name "turn" minPosition -2.5 maxPosition 2.5 maxVelocity 3 maxTorque 80 } ]
      endPoint Solid {
        name "shoulder" translation 0 0 0.1
        children [
          DEF POST Shape { geometry Box { size 0.08 0.08 0.2 } }
          HingeJoint {
            jointParameters HingeJointParameters { axis 0 1 0 anchor 0 0 0.1 }
            device [ RotationalMotor { name "lift" minPosition -1.5 maxPosition 1.5
                                       maxVelocity 3 maxTorque 80 } ]
            endPoint Solid {
              name "upper" translation 0.2 0 0.1
              children [
                DEF BEAM Shape { geometry Box { size 0.4 0.05 0.05 } }
                SliderJoint {
                  jointParameters JointParameters { axis 1 0 0 }
                  device [ LinearMotor { name "reach" minPosition 0 maxPosition 0.2
                                         maxVelocity 1 maxForce 200 } ]
                  endPoint Solid {
                    name "hand" translation 0.2 0 0
                    children [ DEF TIP Shape { geometry Box { size 0.1 0.04 0.04 } } ]
                    boundingObject USE TIP
                    physics Physics { density -1 mass 0.5 }
                  }
                }
              ]
              boundingObject USE BEAM
              physics Physics { density -1 mass 1.5 }
            }
          }
        ]
        boundingObject USE POST
        physics Physics { density -1 mass 2 }
      }
    }
  ]
}
"""

GRIPPER = """<robot name="gripper">
  <link name="world"/>
  <link name="palm">
    <inertial><mass value="1"/><inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><origin xyz="0 0 0.02"/><geometry><box size="0.2 0.06 0.04"/></geometry></collision>
  </link>
  <joint name="mount" type="fixed"><parent link="world"/><child link="palm"/></joint>
  <link name="left">
    <inertial><origin xyz="0 0 0.05"/><mass value="0.1"/>
      <inertia ixx="0.0001" iyy="0.0001" izz="0.00005" ixy="0" ixz="0" iyz="0"/></inertial>
    <visual><origin xyz="0 0 0.05"/><geometry><box size="0.02 0.04 0.1"/></geometry>
      <material name="red"><color rgba="0.8 0.1 0.1 1"/></material></visual>
    <collision><origin xyz="0 0 0.05"/><geometry><box size="0.02 0.04 0.1"/></geometry></collision>
  </link>
  <joint name="left finger" type="prismatic">
    <origin xyz="-0.05 0 0.04"/><parent link="palm"/><child link="left"/><axis xyz="1 0 0"/>
    <limit lower="0" upper="0.04" effort="20" velocity="0.2"/>
  </joint>
  <link name="right">
    <inertial><origin xyz="0 0 0.05"/><mass value="0.1"/>
      <inertia ixx="0.0001" iyy="0.0001" izz="0.00005" ixy="0" ixz="0" iyz="0"/></inertial>
    <visual><origin xyz="0 0 0.05"/><geometry><cylinder radius="0.01" length="0.1"/></geometry></visual>
    <collision><origin xyz="0 0 0.05"/><geometry><box size="0.02 0.04 0.1"/></geometry></collision>
  </link>
  <joint name="right finger" type="prismatic">
    <origin xyz="0.05 0 0.04" rpy="0 0 3.141592653589793"/><parent link="palm"/><child link="right"/>
    <axis xyz="1 0 0"/><limit lower="0" upper="0.04" effort="20" velocity="0.2"/>
    <mimic joint="left finger"/>
  </joint>
</robot>
"""


def scene_of(folder: Path, text: str, name: str) -> Scene:
    """Return the scene of a text that is written to a file of that name."""
    path = folder / name
    path.write_text(text, "utf-8")
    return read(path)


def read(path: Path) -> Scene:
    """Return a file's scene; errors fail."""
    scene, log = read_scene(path)
    assert scene is not None and not log.has_errors, [str(item) for item in log]
    return scene


def to_mujoco(scene: Scene) -> tuple[Any, tuple[Diagnostic, ...]]:
    """Return plain MuJoCo's model of what is written, and what was said."""
    compiled = compile_scene(scene, for_export=True)
    return mujoco.MjModel.from_xml_string(mjcf_text(compiled)), compiled.diagnostics


def begun(model: Any) -> Any:
    """Return the state of the keyframe."""
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, model.key("start").id)
    return data


def step_to(model: Any, data: Any, time: float) -> None:
    """Step plain MuJoCo up to a time."""
    while data.time < time - 0.5 * model.opt.timestep:
        mujoco.mj_step(model, data)
