"""Groups, names, PROTOs and other files of VRML97."""

from __future__ import annotations

import math
import time

import pytest

from solidbody.base.diagnostics import DiagnosticLog, Severity
from solidbody.base.transforms import Vec3
from solidbody.formats.geometry.trees import TreeError, TreeNode
from solidbody.formats.vrml97.scene import read_vrml97_text
from solidbody.model.geometry import GeometryBox, GeometrySphere
from tests.formats.vrml97.files import HEADER, TextFiles, parts_of, read, read_clean

BOX = "Shape { geometry Box { } }"
ROUNDING = 1e-12


def images(tree: TreeNode, point: Vec3) -> list[Vec3]:
    """Return where a point of each part ends up."""
    return [place.point(point) for _, place, _ in tree.placed_parts()]


def test_a_transform_scales_about_its_centre_along_its_axes() -> None:
    """T C R SR S -SR -C, here by hand: centre (1,0,0), stretched by 2 along x+y, a quarter turn."""
    tree = read_clean(
        "Transform { translation 10 0 0 center 1 0 0 rotation 0 0 1 1.5707963267948966 "
        f"scale 2 1 1 scaleOrientation 0 0 1 0.7853981633974483 children [ {BOX} ] }}"
    )
    # (2,0,0) is (1,0,0) from the centre: (1/2,1/2)+(1/2,-1/2) -> (1,1)+(1/2,-1/2) = (1.5,0.5),
    # turned: (-0.5,1.5), back at the centre: (0.5,1.5), moved: (10.5,1.5)
    assert images(tree, (2.0, 0.0, 0.0)) == [pytest.approx((10.5, 1.5, 0.0), abs=ROUNDING)]


def test_a_transform_without_scale_turns_about_its_centre() -> None:
    """The centre stays where it is."""
    tree = read_clean(f"Transform {{ center 1 0 0 rotation 0 0 1 {math.pi} children {BOX} }}")
    assert images(tree, (1.0, 0.0, 0.0)) == [pytest.approx((1.0, 0.0, 0.0), abs=ROUNDING)]
    assert images(tree, (0.0, 0.0, 0.0)) == [pytest.approx((2.0, 0.0, 0.0), abs=ROUNDING)]


def test_a_def_without_a_name_is_a_node_without_one() -> None:
    """Choreonoid's own models have them, and it reads them."""
    tree, log = read(f"DEF Transform {{ translation 1 0 0 children [ DEF B {BOX} ] }}")
    (said,) = log
    assert (said.severity, said.code) == (Severity.WARNING, "nameless-def")
    assert "DEF NAME Transform { ... }" in said.text
    assert tree is not None and tree.names() == ["B"]
    assert images(tree, (0.0, 0.0, 0.0)) == [(1.0, 0.0, 0.0)]


@pytest.mark.parametrize(
    ("text", "count"),
    [
        (f"Group {{ children [ {BOX} {BOX} ] }}", 2),
        (f"Anchor {{ children {BOX} }}", 1),
        (f"Switch {{ whichChoice 1 choice [ {BOX} Group {{ children [ {BOX} {BOX} ] }} ] }}", 2),
        (f"Switch {{ choice [ {BOX} ] }}", 0),
        (f"LOD {{ range [ 1 ] level [ {BOX} Group {{ children [ {BOX} {BOX} ] }} ] }}", 1),
        (f"Collision {{ collide FALSE children {BOX} }}", 1),
        ('WorldInfo { title "a" } NavigationInfo { } Viewpoint { }', 0),
    ],
)
def test_groups_hold_what_they_show(text: str, count: int) -> None:
    """A Switch its choice (none by default), a LOD its first level."""
    assert len(parts_of(read_clean(text))) == count


def test_use_repeats_the_same_object() -> None:
    """A mesh that is used twice is stored once."""
    tree = read_clean(
        f"DEF A {BOX} Transform {{ translation 1 0 0 children [ USE A ] }} "
        "Shape { geometry DEF B Sphere { } } Shape { geometry USE B }"
    )
    first, second, third, fourth = parts_of(tree)
    assert first is second
    assert third.geometry is fourth.geometry


def test_an_unknown_use_is_named() -> None:
    """With the name that was probably meant."""
    tree, log = read(f"DEF WHEEL {BOX} Group {{ children [ USE WHEELS ] }}")
    assert len(parts_of(tree)) == 1
    assert [item.text for item in log] == [
        'no node before this one has the DEF name "WHEELS". Did you mean "WHEEL"?'
    ]


def test_a_node_cannot_hold_itself() -> None:
    """USE of a node that is not finished gives nothing."""
    tree, _ = read(f"DEF A Group {{ children [ {BOX} USE A ] }}")
    assert len(parts_of(tree)) == 1


def test_nodes_that_double_at_each_level_are_refused_in_time() -> None:
    """2^40 boxes in a text of 2 kB."""
    lines = [f"DEF A0 {BOX}"]
    lines += [f"DEF A{i} Group {{ children [ USE A{i - 1} USE A{i - 1} ] }}" for i in range(1, 41)]
    tree, _ = read("\n".join(lines))
    start = time.process_time()
    with pytest.raises(TreeError, match="more than 20000 parts"):
        list(tree.placed_parts())
    assert time.process_time() - start < 5.0


def test_deep_nesting_is_left_out_with_a_warning() -> None:
    """150 groups inside each other."""
    tree, log = read("Group { children [" * 150 + BOX + "] }" * 150)
    assert parts_of(tree) == []
    assert [item.code for item in log] == ["too-deep"]


OPENHRP = """
PROTO Joint [
  exposedField SFVec3f center 0 0 0
  exposedField MFNode children []
  exposedField SFVec3f translation 0 0 0
  exposedField SFRotation rotation 0 0 1 0
  field SFString jointType "free"
  eventIn SFFloat set_angle
  eventOut SFFloat angle_changed
] {
  Transform { center IS center children IS children translation IS translation
              rotation IS rotation }
}
"""


def test_protos_of_openhrp_are_transforms() -> None:
    """Events are skipped, IS is followed, the DEF name is that of the instance."""
    tree = read_clean(
        OPENHRP
        + f'DEF WAIST Joint {{ translation 0 0 1 jointType "free" children [ DEF KNEE Joint {{ '
        f"translation 0 0 -0.5 children [ {BOX} ] }} ] }} ROUTE A.x TO B.y"
    )
    assert images(tree, (0.0, 0.0, 0.0)) == [(0.0, 0.0, 0.5)]
    assert tree.names() == ["WAIST", "KNEE"]


def test_protos_stand_for_other_protos() -> None:
    """Parameters are handed on; a nested PROTO is known outside."""
    tree = read_clean(
        "PROTO Ball [ field SFFloat size 1 ] { PROTO Inner [ field SFFloat r 7 ] { Shape { geometry "
        "Sphere { radius IS r } } } Inner { r IS size } } Ball { size 3 } Ball { }"
    )
    assert [part.geometry for part in parts_of(tree)] == [GeometrySphere(3.0), GeometrySphere(1.0)]


def test_a_proto_of_itself_is_refused() -> None:
    """The node is left out with an error."""
    tree, log = read(f"PROTO A [ ] {{ A {{ }} }} A {{ }} {BOX}")
    assert len(parts_of(tree)) == 1
    assert [item.code for item in log] == ["too-deep"]


def test_unknown_nodes_are_noted_once() -> None:
    """With a guess."""
    tree, log = read(f"Grup {{ }} Grup {{ }} {BOX}")
    assert len(parts_of(tree)) == 1
    assert [item.text for item in log] == [
        '"Grup" is no node of VRML97 and the file has no PROTO of that name; such nodes are left '
        'out. Did you mean "Group"?'
    ]


def test_extern_protos_are_not_followed() -> None:
    """A note says so; what follows is read."""
    tree, log = read(f'EXTERNPROTO A [ field SFFloat x ] [ "a.wrl" ] {BOX}')
    assert len(parts_of(tree)) == 1
    assert [item.code for item in log] == ["extern-proto"]


def test_inline_puts_another_file_in() -> None:
    """With its names."""
    other = f"{HEADER}DEF PART Transform {{ translation 1 0 0 children {BOX} }}"
    tree, log = read('DEF X Inline { url [ "missing.wrl" "other.wrl" ] }', {"other.wrl": other})
    assert [str(item.text) for item in log] == [
        'the file "missing.wrl": there is no such file; it is left out.'
    ]
    assert images(tree, (0.0, 0.0, 0.0)) == [(1.0, 0.0, 0.0)]
    assert tree.names() == ["X", "PART"]


@pytest.mark.parametrize(
    ("first_line", "hint"),
    [
        ("#VRML V1.0 ascii", "This is another language."),
        ("#VRML_SIM R2025a utf8", "This is another language."),
        ("solid cube", ""),
    ],
)
def test_the_header_must_be_that_of_vrml97(first_line: str, hint: str) -> None:
    """Anything else is not read."""
    log = DiagnosticLog()
    tree = read_vrml97_text(first_line + "\nGroup { }", "a.wrl", TextFiles({}, log), log)
    assert tree is None
    (item,) = log
    assert item.code == "bad-header"
    assert f'must be "#VRML V2.0 utf8", got "{first_line}"' in item.text
    assert hint in item.text


@pytest.mark.parametrize(
    "start", ["", "# made by hand\n", "\n  DEF A ", "PROTO P [ ] { Group { } } "]
)
def test_files_without_a_header_are_read_with_a_warning(start: str) -> None:
    """Choreonoid takes the header for a comment, so people leave it out."""
    log = DiagnosticLog()
    tree = read_vrml97_text(f"{start}Group {{ }}", "a.wrl", TextFiles({}, log), log)
    assert tree is not None and len(tree.children) == 1
    (item,) = log
    assert (item.code, item.severity) == ("bad-header", Severity.WARNING)
    assert item.text.endswith("The file is read as if it were.")


def test_places_of_errors_survive_what_is_blanked_out() -> None:
    """ROUTEs and events before a mistake do not move it."""
    _, log = read("ROUTE A.x TO B.y\n# PROTO\nShape { geometry Box { size 1 } }")
    assert [(item.span.line, item.span.column) for item in log] == [(4, 29)]


def test_a_broken_text_still_gives_what_could_be_read() -> None:
    """The parser's own message names the place."""
    tree, log = read(f"Group {{ children [ {BOX} }}")
    assert len(parts_of(tree)) == 1
    assert log.items[0].code == "missing-bracket"


def test_thousands_of_slips_end_in_time() -> None:
    """500 messages, then silence; guesses stop when they have cost enough."""
    names = " ".join(f"DEF NODE{i} Group {{ }}" for i in range(3000))
    uses = " ".join(f"USE NOD{i}" for i in range(3000))
    start = time.process_time()
    _, log = read(f"{names} Group {{ children [ {uses} ] }}")
    assert time.process_time() - start < 20.0
    assert len(log) == 500
    assert log.items[-1].code == "too-many-messages"


# picking nodes by name

ARM = (
    "DEF ARM Transform { translation 1 0 0 rotation 0 0 1 1.5707963267948966 children [ "
    "DEF UPPER Shape { geometry Box { } } DEF FOREARM Transform { translation 0 2 0 children [ "
    "DEF HAND Transform { translation 3 0 0 children Shape { geometry Sphere { } } } ] } ] }"
)


def test_a_picked_node_keeps_turns_and_loses_moves() -> None:
    """Its own translation and those above are dropped, the quarter turn of ARM is kept."""
    found = read_clean(ARM).find("FOREARM")
    assert found is not None
    ((part, place, name),) = found.placed_parts()
    assert part.geometry == GeometrySphere(1.0)
    assert name == "HAND"
    # (3,0,0) is HAND's place below FOREARM, which stays
    assert place.point((0.0, 0.0, 0.0)) == pytest.approx((0.0, 3.0, 0.0), abs=ROUNDING)
    assert place.direction((1.0, 0.0, 0.0)) == pytest.approx((0.0, 1.0, 0.0), abs=ROUNDING)


def test_a_picked_shape_is_found_by_its_name() -> None:
    """Shapes have names too."""
    found = read_clean(ARM).find("UPPER")
    assert found is not None
    ((part, place, _),) = found.placed_parts()
    assert part.geometry == GeometryBox((2.0, 2.0, 2.0))
    assert place.translation == (0.0, 0.0, 0.0)


def test_the_first_node_of_a_name_counts() -> None:
    """In the order of the file, depth first."""
    tree = read_clean(
        "Group { children [ DEF A Shape { geometry Sphere { } } ] } "
        "DEF A Shape { geometry Box { } }"
    )
    found = tree.find("A")
    assert found is not None
    assert parts_of(found)[0].geometry == GeometrySphere(1.0)
    assert tree.find("B") is None


def test_hidden_nodes_are_left_out() -> None:
    """What another link has taken is not drawn twice."""
    tree = read_clean(ARM)
    _, standing = tree.by_name()["FOREARM"]
    rest = list(tree.placed_parts(frozenset({standing})))
    assert [part.geometry for part, _, _ in rest] == [GeometryBox((2.0, 2.0, 2.0))]
