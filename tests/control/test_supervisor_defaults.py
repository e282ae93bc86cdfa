"""Nodes that are defaults of PROTO parameters: the world shows them, so supervisors find and change them."""

from __future__ import annotations

from pathlib import Path

import pytest

import solidbody as sb
from tests.control.projects import Project
from tests.control.supervision import supervise

LAMP = """#VRML_SIM R2025a utf8
EXTERNPROTO "Knob.proto"
PROTO Lamp [
  field SFString name "lamp"
  field SFNode   appearance DEF LOOK PBRAppearance { baseColor 1 0 0 metalness 0 }
  field MFNode   slot [ DEF KNOB Knob { } ]
]
{
  Solid { name IS name children [
    DEF INSIDE Shape { appearance IS appearance geometry Sphere { radius 0.1 } }
    Group { children IS slot } ] }
}
"""

KNOB = """#VRML_SIM R2025a utf8
PROTO Knob [ field SFFloat size 0.01 ]
{ DEF KNOB_BODY Pose { children [ Shape { geometry Sphere { radius IS size } } ] } }
"""

STICK = """#VRML_SIM R2025a utf8
PROTO Stick [ field SFFloat height 0.4 ]
{ DEF BODY Solid { name "stick" children [ Shape { geometry Capsule { height IS height } } ] } }
"""

EXTERNS = 'EXTERNPROTO "../protos/Lamp.proto"\nEXTERNPROTO "../protos/Stick.proto"'
LAMPS = 'DEF A Lamp { name "a" } DEF B Lamp { name "b" }'


@pytest.fixture
def project(tmp_path: Path) -> Project:
    project = Project(tmp_path)
    (tmp_path / "protos").mkdir()
    for name, text in {"Lamp": LAMP, "Knob": KNOB, "Stick": STICK}.items():
        (tmp_path / "protos" / f"{name}.proto").write_text(text)
    return project


def test_def_names_in_defaults_are_those_of_the_world(project: Project) -> None:
    """Those of a body are not."""
    out = supervise(
        project,
        """
        out["look"] = sup.getFromDef("LOOK").getField("baseColor").getSFColor()
        out["second"] = sup.getFromDef("B.KNOB").getTypeName()
        out["inside"] = sup.getFromDef("INSIDE")
        out["of proto"] = [sup.getFromDef("A").getFromProtoDef(n).getTypeName()
            for n in ("INSIDE", "LOOK")]
        """,
        LAMPS,
        externs=EXTERNS,
    )
    assert out["look"] == [1, 0, 0]
    assert out["second"] == "Knob"
    assert out["inside"] is None
    assert out["of proto"] == ["Shape", "PBRAppearance"]


def test_fields_of_a_default_node_change_at_that_instance_only(project: Project) -> None:
    """Also those of a PROTO that only the PROTO's file declares; nodes keep their numbers."""
    out = supervise(
        project,
        """
        a, b = (sup.getFromDef(n) for n in "AB")
        look = a.getField("appearance").getSFNode()
        knob = b.getField("slot").getMFNode(0)
        before = [look.getId(), knob.getId()]
        look.getField("baseColor").setSFColor([0.0, 1.0, 0.0])
        knob.getField("size").setSFFloat(0.05)
        sup.step(8)
        sizes = [n.getField("slot").getMFNode(0).getField("size").getSFFloat() for n in (a, b)]
        looks = [n.getField("appearance").getSFNode().getField("baseColor").getSFColor()
            for n in (a, b)]
        out["sizes"], out["looks"] = sizes, looks
        out["kept"] = before == [a.getField("appearance").getSFNode().getId(),
            b.getField("slot").getMFNode(0).getId()]
        out["still"] = look.getField("metalness").getSFFloat()
        """,
        LAMPS,
        externs=EXTERNS,
    )
    assert out["sizes"] == [0.01, 0.05]
    assert out["looks"] == [[0, 1, 0], [1, 0, 0]]
    assert out["kept"]
    assert out["still"] == 0


def test_nodes_that_are_imported_into_a_list_join_its_defaults(project: Project) -> None:
    """They may be of PROTOs that only the world declares. Defaults can be removed."""
    out = supervise(
        project,
        """
        slot = sup.getFromDef("A").getField("slot")
        slot.importMFNodeFromString(-1, "DEF NEW Stick { height 0.2 }")
        out["types"] = [slot.getMFNode(k).getTypeName() for k in range(slot.getCount())]
        sup.getFromDef("NEW").getField("height").setSFFloat(0.3)
        sup.step(8)
        out["height"] = slot.getMFNode(1).getField("height").getSFFloat()
        slot.getMFNode(0).remove()
        out["left"] = [slot.getMFNode(k).getTypeName() for k in range(slot.getCount())]
        sup.getFromDef("LOOK").remove()
        out["look"] = sup.getFromDef("A").getField("appearance").getSFNode()
        out["other"] = sup.getFromDef("B").getField("slot").getCount()
        """,
        LAMPS,
        externs=EXTERNS.replace('EXTERNPROTO "../protos/S', 'IMPORTABLE EXTERNPROTO "../protos/S'),
    )
    assert (out["types"], out["height"]) == (["Knob", "Stick"], 0.3)
    assert (out["left"], out["look"], out["other"]) == (["Stick"], None, 1)


def test_an_instance_without_def_name_goes_by_that_of_its_body(project: Project) -> None:
    """One that the world gives counts alone."""
    out = supervise(
        project,
        """
        node = sup.getFromDef("BODY")
        out["type"], out["name"] = node.getTypeName(), node.getDef()
        node.getField("height").setSFFloat(0.7)
        out["height"] = node.getField("height").getSFFloat()
        out["named"] = [sup.getFromDef("MINE").getDef(), sup.getFromDef("MINE.BODY")]
        """,
        "DEF MINE Stick { } Stick { }",
        externs=EXTERNS,
    )
    assert (out["type"], out["name"], out["height"]) == ("Stick", "BODY", 0.7)
    assert out["named"] == ["MINE", None]


def test_a_world_saved_with_changed_defaults_opens_again(project: Project) -> None:
    """What they name is declared, and found from the world's folder."""
    (project.folder / "protos" / "deep").mkdir()
    for name in ("Lamp", "Knob"):
        (project.folder / "protos" / f"{name}.proto").rename(
            project.folder / "protos" / "deep" / f"{name}.proto"
        )
    lamp = project.folder / "protos" / "deep" / "Lamp.proto"
    texture = 'baseColorMap ImageTexture { url "spot.png" }'
    lamp.write_text(LAMP.replace("metalness 0", f"metalness 0 {texture}"))
    supervise(
        project,
        """
        sup.getFromDef("A.LOOK").getField("roughness").setSFFloat(0.5)
        sup.getFromDef("A.KNOB").getField("size").setSFFloat(0.07)
        sup.step(8)
        sup.worldSave(sys.path[0] + "/../../worlds/saved.wbt")
        """,
        'DEF A Lamp { name "a" }',
        externs='EXTERNPROTO "../protos/deep/Lamp.proto"',
    )
    text = (project.folder / "worlds" / "saved.wbt").read_text()
    assert 'EXTERNPROTO "../protos/deep/Knob.proto"' in text
    assert '"../protos/deep/spot.png"' in text
    scene = sb.load(project.folder / "worlds" / "saved.wbt")
    assert not [item for item in scene.diagnostics if item.severity.value == "error"]
    shapes = [shape for link in scene.links() for shape in link.shapes]
    assert [shape.geometry.radius for shape in shapes] == [0.1, 0.07]
