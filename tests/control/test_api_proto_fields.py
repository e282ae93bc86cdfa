"""Parameters of PROTOs: lists that only they have, and those that are fields which the simulation knows."""

from __future__ import annotations

from pathlib import Path

import pytest

import solidbody as sb
from tests.control.projects import Project
from tests.control.supervision import supervise

FLAGS = """#VRML_SIM R2025a utf8
PROTO Flags [
  field SFString  name  "flags"
  field MFBool    flags [ TRUE, FALSE ]
  field MFRotation turns [ 0 0 2 0.5 ]
]
{
  Solid { name IS name }
}
"""


@pytest.fixture
def project(tmp_path: Path) -> Project:
    project = Project(tmp_path)
    (tmp_path / "protos").mkdir()
    (tmp_path / "protos" / "Flags.proto").write_text(FLAGS)
    return project


def test_lists_of_booleans_and_rotations(project: Project) -> None:
    """Read, inserted and set by index; negative ones count from the end."""
    out = supervise(
        project,
        """
        node = sup.getFromDef("FLAGS")
        flags, turns = node.getField("flags"), node.getField("turns")
        out["first"] = [flags.getMFBool(0), flags.getMFBool(-1), turns.getMFRotation(0)]
        flags.insertMFBool(-1, True)
        turns.insertMFRotation(0, [1.0, 0.0, 0.0, 0.25])
        out["counts"] = [flags.getCount(), turns.getCount()]
        flags.setMFBool(0, False)
        turns.setMFRotation(-1, [0.0, 1.0, 0.0, 0.75])
        out["then"] = [[flags.getMFBool(k) for k in range(3)], turns.getMFRotation(0),
            turns.getMFRotation(1)]
        names = [node.getBaseNodeFieldByIndex(k).getName()
            for k in range(node.getNumberOfBaseNodeFields())]
        out["names"] = "translation" in names and "flags" not in names
        out["none"] = node.getBaseNodeFieldByIndex(1000)
        """,
        "DEF FLAGS Flags { }",
        externs='EXTERNPROTO "../protos/Flags.proto"',
    )
    assert out["first"] == [True, False, [0, 0, 2, 0.5]], "as written"
    assert out["counts"] == [3, 2]
    assert out["then"] == [[False, False, True], [1, 0, 0, 0.25], [0, 1, 0, 0.75]]
    assert out["names"] and out["none"] is None


DOORS = """#VRML_SIM R2025a utf8
PROTO Doors [
  field SFString name  "doors"
  field SFFloat  angle 0.25
]
{
  Solid { name IS name children [
    HingeJoint {
      jointParameters HingeJointParameters { axis 0 0 1 position IS angle }
      endPoint Solid { name "left" }
    }
    HingeJoint {
      jointParameters HingeJointParameters { axis 0 0 -1 position IS angle }
      endPoint Solid { name "right" }
    }
  ] }
}
"""


def test_parameter_that_is_a_joint_position_moves_the_joints(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is compiled anew for it; reading it gives where the joint is."""
    compiled: list[sb.Scene] = []
    monkeypatch.setattr(sb.Sim, "replace_scene", lambda _, scene: compiled.append(scene))
    (project.folder / "protos" / "Doors.proto").write_text(DOORS)
    out = supervise(
        project,
        """
        node = sup.getFromDef("DOORS")
        angle = node.getField("angle")
        out["first"] = angle.getSFFloat()
        sup.step(8)
        angle.setSFFloat(0.75)
        sup.step(8)
        out["then"] = angle.getSFFloat()
        """,
        "DEF DOORS Doors { }",
        externs='EXTERNPROTO "../protos/Doors.proto"',
    )
    assert (out["first"], out["then"], compiled) == (0.25, 0.75, [])


NUMBERED = """#VRML_SIM R2025a utf8
PROTO Numbered [
  field SFString name "one"
  field SFFloat  size 0.25
]
{
  Solid { name "%<= fields.name.value + context.id + (fields.size.value > 1 ? '!' : '') >%" }
}
"""


def test_the_id_in_templates_is_that_of_the_node(project: Project, tmp_path: Path) -> None:
    """Equal instances have ids of their own, and keep them when a parameter makes them anew."""
    (tmp_path / "protos" / "Numbered.proto").write_text(NUMBERED)
    out = supervise(
        project,
        """
        def names():
            nodes = [sup.getFromDef(name) for name in ("A", "B")]
            return [[node.getId(), node.getBaseNodeField("name").getSFString()] for node in nodes]
        out["first"] = names()
        sup.getFromDef("B").getField("size").setSFFloat(2.0)
        sup.step(32)
        out["then"] = names()
        """,
        "DEF A Numbered { } DEF B Numbered { }",
        externs='EXTERNPROTO "../protos/Numbered.proto"',
    )
    (a, first), (b, second) = out["first"]
    assert a != b and (first, second) == (f"one{a}", f"one{b}")
    assert out["then"] == [[a, first], [b, f"{second}!"]]
