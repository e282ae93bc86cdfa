"""Lists that only parameters of PROTOs have: booleans and rotations."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.control.projects import Project
from tests.control.supervision import supervise

FLAGS = """#VRML_SIM R2025a utf8
PROTO Flags [
  field SFString  name  "flags"
  field MFBool    flags [ TRUE, FALSE ]
  field MFRotation turns [ 0 0 1 0.5 ]
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
    assert out["first"] == [True, False, [0, 0, 1, 0.5]]
    assert out["counts"] == [3, 2]
    assert out["then"] == [[False, False, True], [1, 0, 0, 0.25], [0, 1, 0, 0.75]]
    assert out["names"] and out["none"] is None
