"""What the field editor knows of parameters of PROTOs, and how the PROTOs that it adds are declared."""

from __future__ import annotations

from pathlib import Path

import pytest

import solidbody as sb
from solidbody.formats.webots.protos.standin_urls import standard_url
from solidbody.viewer.protocol_work import (
    CommandChoices,
    CommandFields,
    CommandInsert,
    EventChoices,
    EventEdited,
    EventFields,
    WireField,
)
from solidbody.viewer.world_editor import WorldEditor, open_editor

PROTO = """#VRML_SIM R2025a utf8
PROTO Lamp [
  field SFVec3f    translation 0 0 0     # Is `Pose.translation`.
  field SFString   name        "lamp"
  # How bright it is,
  # from 0 to 1.
  field SFFloat    power       0.5
  field SFString{"red", "blue"} color "red"  # Colour of its light.
  field MFNode{Shape{}, Pose{}} slot [
  ]  # What stands on it.
  field SFBool     on          TRUE
]
{ Solid { translation IS translation name IS name children IS slot } }
"""

OFFICIAL = "https://raw.githubusercontent.com/cyberbotics/webots/R2023b/"

WORLD = """#VRML_SIM %s utf8
%s
WorldInfo { }
Viewpoint { }
%s
"""


def make_editor(
    folder: Path, *, release: str = "R2025a", externs: str = "", nodes: str = ""
) -> WorldEditor:
    """Return the editor of a world in a project with one PROTO."""
    (folder / "worlds").mkdir()
    (folder / "protos").mkdir()
    (folder / "protos" / "Lamp.proto").write_text(PROTO, encoding="utf-8")
    path = folder / "worlds" / "world.wbt"
    path.write_text(WORLD % (release, externs, nodes), encoding="utf-8")
    found = open_editor(sb.Sim(sb.load(str(path))))
    assert found is not None
    return found


@pytest.fixture
def lamp(tmp_path: Path) -> dict[str, WireField]:
    """The fields of an instance."""
    extern = 'EXTERNPROTO "../protos/Lamp.proto"'
    editor = make_editor(tmp_path, externs=extern, nodes='Lamp { color "blue" }')
    (event,) = editor.obey(CommandFields("2"))
    assert isinstance(event, EventFields)
    return {field.name: field for field in event.fields}


def test_comments_beside_parameters_explain_them(lamp: dict[str, WireField]) -> None:
    """Behind a parameter, behind its list, or in lines of their own above."""
    assert lamp["power"].doc == "How bright it is, from 0 to 1."
    assert lamp["color"].doc == "Colour of its light."
    assert lamp["slot"].doc == "What stands on it."
    assert lamp["on"].doc == "Parameter of Lamp."


def test_a_parameter_that_is_a_field_is_explained_as_that(lamp: dict[str, WireField]) -> None:
    """By its comment, or by the name that all solids have; with the unit."""
    assert lamp["translation"].doc.endswith("It is handed to Pose.translation.")
    assert lamp["translation"].unit == "m"
    assert lamp["name"].doc and "Parameter" not in lamp["name"].doc


def test_allowed_values_are_listed(lamp: dict[str, WireField]) -> None:
    """As they are written, for a list to choose from; of nodes their types."""
    assert lamp["color"].choices == ['"red"', '"blue"']
    assert (lamp["color"].value, lamp["color"].default) == ('"blue"', '"red"')
    assert lamp["color"].allowed == 'one of "red", "blue"'
    assert lamp["slot"].allowed == "one of Shape, Pose"


def declared(editor: WorldEditor, what: str) -> list[str]:
    """Add a PROTO; return what the file declares then."""
    (event,) = editor.obey(CommandInsert("", what, (0.0, 0.0, 0.0)))
    assert isinstance(event, EventEdited) and not event.is_error, event
    return [line for line in editor.world.text().splitlines() if line.startswith("EXTERNPROTO")]


def test_a_standard_proto_is_declared_as_webots_finds_it(tmp_path: Path) -> None:
    """Below the folders of whichever release opens the world."""
    lines = declared(make_editor(tmp_path), "WoodenBox")
    path = "projects/objects/factory/containers/protos/WoodenBox.proto"
    assert lines == [f'EXTERNPROTO "webots://{path}"']


def test_it_comes_from_the_release_that_the_world_names(tmp_path: Path) -> None:
    """As the other PROTOs of the world do."""
    arena = f'EXTERNPROTO "{OFFICIAL}projects/objects/floors/protos/RectangleArena.proto"'
    editor = make_editor(tmp_path, release="R2023b", externs=arena, nodes="RectangleArena { }")
    path = "projects/robots/gctronic/e-puck/protos/E-puck.proto"
    assert declared(editor, "E-puck") == [arena, f'EXTERNPROTO "{OFFICIAL}{path}"']


def test_worlds_before_r2022b_declare_nothing(tmp_path: Path) -> None:
    """They find PROTOs by name."""
    assert declared(make_editor(tmp_path, release="R2021a"), "WoodenBox") == []


def test_protos_of_the_project_are_offered_and_named_from_the_world(tmp_path: Path) -> None:
    """Where their root node fits."""
    editor = make_editor(tmp_path)
    (event,) = editor.obey(CommandChoices(""))
    assert isinstance(event, EventChoices)
    assert "Lamp" in event.slots[0].protos
    assert declared(editor, "Lamp") == ['EXTERNPROTO "../protos/Lamp.proto"']
    editor.obey(CommandInsert("", "Lamp", (1.0, 2.0, 0.0)))
    links = list(editor.world.scene.links())
    assert [link.name for link in links] == ["lamp", "lamp(1)"]
    assert links[1].pose.position == (1.0, 2.0, 0.0)  # where it was asked for


def test_names_that_webots_does_not_have_get_no_address() -> None:
    """Parts of our own, and PROTOs of nobody."""
    assert standard_url("OwnCar", ()) is None
    assert standard_url("Nobody", ()) is None
