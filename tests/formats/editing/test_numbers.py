"""Numbers of all sizes: files keep them, and the simulation says which it cannot use."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from solidbody.base.diagnostics import Severity
from solidbody.formats.webots.edit.document import load_world
from solidbody.sim import Sim
from tests.formats.reading import PHYSICS, SPHERE, SURROUNDINGS, read

LARGEST_FLOAT = "3.40282347e+38"
NUMBERS = (0.1, 123456789012345.0, sys.float_info.epsilon, sys.float_info.min, float(LARGEST_FLOAT))


@pytest.mark.parametrize("number", [*NUMBERS, sys.float_info.max, -sys.float_info.max])
def test_numbers_survive_saving_and_reading(tmp_path: Path, number: float) -> None:
    """As in Webots' own test: a Pose is set to it, saved and read again."""
    path = tmp_path / "world.wbt"
    content = 'DEF PLACE Pose { children [ Solid { name "at" } ] }'
    path.write_text(f"#VRML_SIM R2025a utf8\n{SURROUNDINGS}{content}\n", encoding="utf-8")
    world = load_world(path)
    world.set("PLACE.translation", (number, 0.0, -number))
    world.save()
    saved = load_world(path)
    assert saved.get("PLACE.translation") == (number, 0.0, -number)
    said = [(item.severity, "to be simulated" in item.text) for item in saved.scene.diagnostics]
    assert said == [(Severity.WARNING, True)] * (abs(number) > 1e30)
    assert np.isfinite(Sim(saved.scene).poses()).all()


def test_the_largest_float_is_a_limit_like_another() -> None:
    """Files have it for "no limit": in motors, stops, gains and tables of sensors."""
    scene, log = read(
        f"""Robot {{ children [ DistanceSensor {{ lookupTable [ 0 9 0, {LARGEST_FLOAT} 0 0 ] }}
          SliderJoint {{
            jointParameters JointParameters {{ minStop -{LARGEST_FLOAT} maxStop {LARGEST_FLOAT} }}
            device LinearMotor {{ name "m" maxForce {LARGEST_FLOAT} maxVelocity {LARGEST_FLOAT}
              controlPID {LARGEST_FLOAT} 0 0 }}
            endPoint Solid {{ {SPHERE} {PHYSICS} }} }} ] }}"""
    )
    assert [str(item) for item in log] == []
    sim = Sim(scene)
    sim.step(5)
    assert np.isfinite(sim.poses()).all()
