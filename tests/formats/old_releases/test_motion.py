"""Old worlds move as their twins that were converted by hand."""

from __future__ import annotations

import numpy as np
import pytest

from solidbody.formats.loading import read_scene_text
from solidbody.sim import Sim

SAME = 1e-9
"""[m, rad] Rounding of rotations by -90 degrees, after a second of motion."""

OLD = """#VRML_SIM R2019a utf8
WorldInfo {{ gravity 0 -9.81 0 basicTimeStep 8 }}
Viewpoint {{ }}
Solid {{ boundingObject Plane {{ size 10 10 }} }}
{0}
"""
NEW = """#VRML_SIM R2025a utf8
WorldInfo {{ coordinateSystem "NUE" basicTimeStep 8 }}
Viewpoint {{ }}
Solid {{ boundingObject Pose {{ rotation 1 0 0 -1.5707963267948966
  children Plane {{ size 10 10 }} }} }}
{0}
"""
CASES = {
    "standing cylinder": (
        'Solid { name "moving" translation 0 0.6 0 linearVelocity 0.5 0 0 angularVelocity 0 0.2 0'
        " boundingObject Cylinder { radius 0.2 height 1 } physics Physics { } }",
        'Solid { name "moving" translation 0 0.6 0 linearVelocity 0.5 0 0 angularVelocity 0 0.2 0'
        " boundingObject Pose { rotation 1 0 0 -1.5707963267948966"
        " children Cylinder { radius 0.2 height 1 } } physics Physics { } }",
    ),
    "sliding box": (
        'Solid { name "moving" translation 0 0.5 0 linearVelocity 2 0 1'
        " boundingObject Box { size 1 1 1 } physics Physics { } }",
        'Solid { name "moving" translation 0 0.5 0 linearVelocity 2 0 1'
        " boundingObject Box { size 1 1 1 } physics Physics { } }",
    ),
    "hinge robot": (
        "Robot { translation 0 2 0 boundingObject Capsule { radius 0.1 height 0.5 }"
        " physics Physics { } children [ HingeJoint {"
        " jointParameters HingeJointParameters { axis 0 0 1 anchor 0 0.4 0 }"
        " endPoint Solid { translation 0.3 0.4 0 rotation 0 0 1 -1.57"
        " boundingObject Transform { translation 0 0.1 0"
        " children [ Capsule { radius 0.05 height 0.4 } ] } physics Physics { } } } ] }",
        "Robot { translation 0 2 0 boundingObject Pose { rotation 1 0 0 -1.5707963267948966"
        " children Capsule { radius 0.1 height 0.5 } }"
        " physics Physics { } children [ HingeJoint {"
        " jointParameters HingeJointParameters { axis 0 0 1 anchor 0 0.4 0 }"
        " endPoint Solid { translation 0.3 0.4 0 rotation 0 0 1 -1.57"
        " boundingObject Pose { translation 0 0.1 0 rotation 1 0 0 -1.5707963267948966"
        " children [ Capsule { radius 0.05 height 0.4 } ] } physics Physics { } } } ] }",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_old_world_moves_as_its_converted_twin(name: str) -> None:
    poses = [moved(frame.format(text)) for frame, text in zip((OLD, NEW), CASES[name], strict=True)]
    assert np.abs(poses[0][0] - poses[0][1]).max() > 0.01  # it did move
    np.testing.assert_allclose(poses[0][1], poses[1][1], atol=SAME, rtol=0)


def moved(text: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the poses of a world before and after a second."""
    scene, log = read_scene_text(text)
    assert scene is not None and not log.items, [str(item) for item in log]
    sim = Sim(scene)
    before = sim.poses()
    sim.run(1.0)
    return before, sim.poses()
