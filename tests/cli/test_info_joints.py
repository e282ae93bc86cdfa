"""Which links have a joint in `info`."""

from __future__ import annotations

from solidbody.formats.loading import read_scene_text
from solidbody.model.summary import summarize_scene

WORLD = """#VRML_SIM R2025a utf8
WorldInfo { }
Viewpoint { }
Solid {
  name "table"
  children [
    Solid { name "leg" boundingObject Box { size 0.1 0.1 1 } }
    Solid { name "vice" boundingObject Box { size 0.1 0.1 0.1 } physics Physics { } }
  ]
}
Solid { name "ball" translation 0 0 3 boundingObject Sphere { radius 0.1 } physics Physics { } }
"""


def test_only_links_that_something_holds_have_a_joint() -> None:
    """A part without physics stands where it was put; one with physics is glued to the world."""
    scene, _ = read_scene_text(WORLD, "table.wbt")
    assert scene is not None
    joints = summarize_scene(scene)["joints"]
    assert isinstance(joints, list)
    assert [(joint["child"], joint["type"]) for joint in joints] == [("vice", "fixed")]
