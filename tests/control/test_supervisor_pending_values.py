"""Supervisors: what is set or imported in a row is read once, and known before that."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from solidbody.formats.loading import lower_world
from solidbody.formats.webots.edit import document
from solidbody.formats.webots.lower.scene import Lowered
from tests.control.projects import Project
from tests.control.supervision import supervise


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


@pytest.fixture
def readings(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """One item for each time that the world is read anew."""
    counts: list[int] = []

    def counted(*arguments: Any) -> Lowered:
        counts.append(1)
        return lower_world(*arguments)

    monkeypatch.setattr(document, "lower_world", counted)
    return counts


def test_lists_that_are_changed_item_by_item_are_written_together(
    project: Project, readings: list[int]
) -> None:
    """Programs draw trails: with each step a line gets one more point, and the world is read anew once.

    What was just set can be read before that, also after another change.
    """
    out = supervise(
        project,
        """
        sup.getRoot().getField("children").importMFNodeFromString(-1, '''Shape {
            geometry DEF LINE IndexedLineSet { coord Coordinate { point [ 0 0 0 ] } } }''')
        line = sup.getFromDef("LINE")
        points = line.getField("coord").getSFNode().getField("point")
        index = line.getField("coordIndex")
        for k in range(1, 11):
            sup.step(8)
            points.insertMFVec3f(-1, [k, 0, 0])
            points.setMFVec3f(0, [0, k, 0])
            for item in (points.getCount() - 2, points.getCount() - 1, -1):
                index.insertMFInt32(-1, item)
        index.removeMF(-1)
        index.insertMFInt32(99, 1)
        out["before"] = [points.getMFVec3f(0), points.getMFVec3f(-1), index.getCount()]
        sup.getFromDef("BALL").getField("translation").setSFVec3f([0.0, 0.0, 3.0])
        sup.getRoot().getField("children").importMFNodeFromString(0, "Group { }")
        out["after"] = [points.getMFVec3f(0), points.getMFVec3f(-1), index.getCount()]
        """,
    )
    assert out["before"] == out["after"] == [[0.0, 10.0, 0.0], [10.0, 0.0, 0.0], 29]
    assert project.errors("sup") == [
        'Error: the index 99 is out of range: the field "coordIndex" has 29 items (allowed: -30 to 29)'
    ]
    # at first, with the line, once for each of ten steps, with the group
    assert len(readings) <= 14


@pytest.mark.slow
def test_many_values_are_written_together(project: Project, readings: list[int]) -> None:
    """Markers that are moved and painted in each step: the world is read anew once, for all of them."""
    markers = "".join(
        f"DEF M{k} Pose {{ children [ Shape {{ appearance DEF A{k} PBRAppearance {{ }} }} ] }}"
        for k in range(5)
    )
    out = supervise(
        project,
        """
        def paint(k, n):
            sup.getFromDef(f"M{k}").getField("translation").setSFVec3f([float(k), float(n), 0.0])
            sup.getFromDef(f"A{k}").getField("baseColor").setSFColor([k / 5, 0.0, 0.5])
        for k in range(5):
            paint(k, 0)
        sup.step(8)
        sup.getFromDef("M0").getField("rotation").setSFRotation([0.0, 0.0, 1.0, 1.0])
        for n in range(10):
            for k in range(5):
                paint(k, n)
            sup.step(8)
        field = sup.getFromDef("M3").getField("translation")
        out["there"] = [field.getSFVec3f(), field.getCount(), sup.getFromDef("M3").getPosition()]
        sup.getFromDef("A2").getField("baseColor").setSFColor([2.0, 0.0, 0.5])
        sup.getFromDef("M3").remove()
        out["gone"] = sup.getFromDef("M3")
        out["rest"] = sup.getFromDef("A2").getField("baseColor").getSFColor()
        """,
        markers,
    )
    assert out["there"] == [[3.0, 9.0, 0.0], -1, [3.0, 9.0, 0.0]]
    assert out["gone"] is None
    assert out["rest"] == [1.0, 0.0, 0.5]
    (warning,) = project.errors("sup")
    assert "baseColor" in warning
    # at first twice for each of ten fields, then once in each of ten steps, and for what follows
    assert len(readings) < 2 * 10 + 10 + 6


@pytest.mark.slow
def test_nodes_that_are_imported_in_a_row_are_read_together(
    project: Project, readings: list[int]
) -> None:
    """Programs lay floors of hundreds of tiles: each gets a name, and errors are told."""
    out = supervise(
        project,
        """
        children = sup.getRoot().getField("children")
        before = children.getCount()
        for k in range(20):
            children.importMFNodeFromString(-1, 'Solid { name "tile" }')
        children.importMFNodeFromString(-1, "Solid { mass 1 }")
        children.importMFNodeFromString(-1, "Solid { boundingObject Box { size 0 1 1 } }")
        out["added"] = children.getCount() - before
        names = [children.getMFNode(before + k).getField("name").getSFString() for k in range(20)]
        out["names"] = names
        """,
    )
    assert out["added"] == 21
    assert out["names"] == ["tile", *(f"tile({k})" for k in range(1, 20))]
    wrong, mended = project.errors("sup")
    assert 'Solid has no field "mass"' in wrong
    assert "Box.size" in mended
    # when it is first looked at, with the new nodes, and with their names
    assert len(readings) == 3


@pytest.mark.slow
def test_values_of_nodes_in_slots_are_written_together(
    project: Project, readings: list[int]
) -> None:
    """Those in a PROTO too, unless a template looks into the nodes; what is as it was costs nothing."""
    protos = project.folder / "protos"
    protos.mkdir()
    for name, read in (("Plain", "other"), ("Looking", "slot")):
        (protos / f"{name}.proto").write_text(
            "#VRML_SIM R2025a utf8\n# template language: javascript\nPROTO "
            f'{name} [ field SFString name "it" field MFNode slot [ ] field MFNode other [ Pose {{ }} ] ]\n'
            f"{{ %< let count = fields.{read}.value.length; >% Solid {{ name IS name children IS slot }} }}\n"
        )
    markers = [
        f"Pose {{ children [ Shape {{ appearance DEF {name}{k} PBRAppearance {{ }} }} ] }}"
        for name in ("A", "B")
        for k in range(4)
    ]
    out = supervise(
        project,
        """
        out["red"] = []
        def paint(name, red):
            for k in range(4):
                sup.getFromDef(f"{name}{k}").getField("baseColor").setSFColor([red, 0.0, 0.5])
        for name in ("A", "B"):
            paint(name, 0.0)
            sup.step(8)
            for n in range(1, 11):
                paint(name, n / 16)
                out["red"].append(sup.getFromDef(f"{name}2").getField("baseColor").getSFColor()[0])
                sup.step(8)
        for _ in range(10):
            paint("A", 10 / 16)
            sup.step(8)
        """,
        f'Plain {{ name "plain" slot [ {" ".join(markers[:4])} ] }}\n'
        f'Looking {{ name "looking" slot [ {" ".join(markers[4:])} ] }}',
        externs='EXTERNPROTO "../protos/Plain.proto"\nEXTERNPROTO "../protos/Looking.proto"',
    )
    assert out["red"] == 2 * [n / 16 for n in range(1, 11)]
    assert project.errors("sup") == []
    # at first, four new fields, ten steps; where a template looks, each of 44 times; what is the same: never
    assert len(readings) <= 1 + 4 + 10 + 44 + 2
