"""Problems in which rounds of sweeps and exact solves go in circles: light wheels, play in joints."""

from __future__ import annotations

import numpy as np
import pytest

from solidbody.formats.loading import read_scene_text
from solidbody.sim import Sim

WORLD = """#VRML_SIM R2025a utf8
WorldInfo { basicTimeStep 32 }
Viewpoint { }
RectangleArena { floorSize 1.2 1.2 }
WoodenBox { translation 0.25 0.25 0.05 size 0.1 0.1 0.1 }
WoodenBox { translation -0.25 0.2 0.05 rotation 0 0 1 0.5 name "other" size 0.1 0.1 0.1 }
E-puck { translation -0.4 -0.4 0 rotation 0 0 1 0.8 name "a" controller "<none>" }
E-puck { translation 0.4 -0.4 0 rotation 0 0 1 2.2 name "b" controller "<none>" }
E-puck { translation 0 0.4 0 rotation 0 0 1 -1 name "c" controller "<none>" }
"""


@pytest.mark.parametrize("seed", [1, 5])
def test_robots_that_push_against_walls_are_solved_in_every_step(seed: int) -> None:
    """Without the last resort of the solver up to four steps of these runs stay unsolved, by 0.02 m/s."""
    scene, _ = read_scene_text(WORLD)
    assert scene is not None
    sim = Sim(scene, engine="native")
    wheels = [
        sim.joint(f"{side} wheel motor{mark}")
        for mark in ("", "(1)", "(2)")
        for side in ("left", "right")
    ]
    random = np.random.default_rng(seed)
    for _ in range(120):
        for wheel in wheels:
            wheel.target_velocity = float(random.uniform(-2.0, 6.0))
        sim.step(25)
    assert sim.stats.not_converged == 0
    assert sim.stats.worst_residual < 1e-9


SPECK = "density -1 mass 0.001 centerOfMass [ 0 0 0 ] inertiaMatrix [ 4e-9 4e-9 4e-9, 0 0 0 ]"
AXES = ("0 0 1", "1 0 0", "0 1 0", "0 1 0", "0 1 0", "1 0 0")


def leg(side: float, number: int = 0) -> str:
    """Six joints, each a motor, then 1 g, then the play: a hinge of +-0.005 rad."""
    if number == len(AXES):
        return ""
    foot = number == len(AXES) - 1
    form = "Box { size 0.16 0.09 0.03 }" if foot else "Box { size 0.05 0.05 0.06 }"
    anchor = f"0 {side if number == 0 else 0} -0.05"
    axis = AXES[number]
    name = f"{'l' if side > 0 else 'r'}{number}"
    return f"""
HingeJoint {{
  jointParameters HingeJointParameters {{
    axis {axis} anchor {anchor} staticFriction 1.5 dampingConstant 1.2 }}
  device RotationalMotor {{ name "{name}" maxTorque 10 maxVelocity 6 }}
  endPoint Solid {{
    translation {anchor} name "{name}a" physics Physics {{ {SPECK} }}
    children [ HingeJoint {{
      jointParameters HingeJointParameters {{ axis {axis} anchor 0 0 0 minStop -0.005 maxStop 0.005 }}
      endPoint Solid {{
        translation 0 0 -0.05 name "{name}b" boundingObject {form} physics Physics {{ density -1 mass 0.4 }}
        children [ {leg(side, number + 1)} ]
      }}
    }} ]
  }}
}}"""


@pytest.mark.parametrize("step", [8, 10])
def test_humanoid_with_play_in_its_joints_is_solved_in_every_step(step: int) -> None:
    """The stiffest rows are 1e11 times as stiff as the softest: one refinement left 1e-9 to 1e-7 rad/s."""
    scene, log = read_scene_text(
        f"#VRML_SIM R2025a utf8\nWorldInfo {{ basicTimeStep {step} }}\nViewpoint {{ }}\n"
        'Solid { name "floor" boundingObject Plane { size 10 10 } }\n'
        "Robot { translation 0 0 0.75 boundingObject Box { size 0.1 0.2 0.2 } selfCollision FALSE "
        f"physics Physics {{ density -1 mass 3 }} children [ {leg(0.06)} {leg(-0.06)} ] }}"
    )
    assert scene is not None
    assert not [item for item in log if item.severity.value == "error"]
    sim = Sim(scene, engine="native")
    random = np.random.default_rng(3)
    motors = [sim.joint(f"{side}{number}") for side in "lr" for number in range(len(AXES))]
    for _ in range(30):
        for motor in motors:
            motor.target_position = float(random.uniform(-0.5, 0.5))
        sim.step(20)
    assert sim.stats.not_converged == 0
    assert sim.stats.worst_residual < 2e-8
