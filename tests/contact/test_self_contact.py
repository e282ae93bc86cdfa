"""Contacts between two branches of one free robot: also what both hang on is moved."""

from __future__ import annotations

import numpy as np
import pytest

import solidbody as sb
from solidbody.formats.loading import read_scene_text

ARM = """
HingeJoint {
  jointParameters HingeJointParameters { axis 0 1 0 anchor %(x)g 0 0 }
  endPoint Solid {
    translation %(x)g 0 -0.2 name "arm %(x)g"
    children [ HingeJoint {
      jointParameters HingeJointParameters { axis 0 1 0 anchor 0 0 -0.2 }
      endPoint Solid {
        translation 0 0 -0.3 name "hand %(x)g"
        boundingObject Box { size 0.1 0.1 0.2 } physics Physics { density -1 mass 0.5 }
        angularVelocity 0 %(spin)g 0
      }
    } ]
    boundingObject Box { size 0.1 0.1 0.3 } physics Physics { density -1 mass 1 }
    angularVelocity 0 %(spin)g 0
  }
}
"""

WORLD = """#VRML_SIM R2025a utf8
WorldInfo { basicTimeStep 4 }
Robot {
  name "free" selfCollision TRUE controller "<none>"
  children [ %s %s ]
  boundingObject Box { size 0.6 0.1 0.05 } physics Physics { density -1 mass 2 }
}
"""


@pytest.mark.slow
def test_branches_of_a_free_robot_push_each_other_and_their_root() -> None:
    """Two arms of two links clap under a falling body; both steps solve the same equations, to rounding."""
    arms = [ARM % {"x": x, "spin": spin} for x, spin in ((-0.2, -3.0), (0.2, 3.0))]
    scene, _ = read_scene_text(WORLD % tuple(arms))
    assert scene is not None
    sims = [sb.Sim(scene, engine=engine) for engine in ("native", "reference")]
    claps = 0
    for _ in range(60):
        for sim in sims:
            sim.step()
        claps += sims[0].stats.contacts > 0
        np.testing.assert_allclose(sims[0].data.qvel, sims[1].data.qvel, atol=1e-8)
    assert claps >= 3
