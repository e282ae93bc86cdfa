"""Resource nodes: files, picks, units, sharing, and what happens when something is wrong."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.base.transforms import Vec3
from solidbody.formats.link_trees import mesh_files
from solidbody.formats.loading import read_scene
from solidbody.formats.options import DEFAULT_OPTIONS, LoadOptions
from solidbody.model.appearance import Appearance
from solidbody.model.geometry import GeometryBox, GeometryMesh, GeometrySphere
from solidbody.model.links import Link
from solidbody.model.shapes import Shape, ShapeRole
from tests.formats.choreonoid.bodies import HEADER
from tests.formats.geometry.measures import area
from tests.formats.meshes import MTL, OBJ, STL_TEXT, dae

CORPUS = Path(__file__).parents[4] / "shared" / "corpus" / "choreonoid"
ROUNDING = 1e-12

ARM = """#VRML V2.0 utf8
DEF ARM Transform { translation 1 0 0 rotation 0 0 1 1.5707963267948966 children [
  DEF UPPER Shape { geometry Box { } }
  DEF FOREARM Transform { translation 0 2 0 children Shape {
    appearance Appearance { material Material { diffuseColor 1 0 0 } } geometry Sphere { } } }
] }
"""


def read(
    folder: Path,
    elements: str,
    files: dict[str, str] | None = None,
    *,
    header: str = HEADER,
    options: LoadOptions = DEFAULT_OPTIONS,
) -> tuple[tuple[Link, ...], DiagnosticLog]:
    """Return the links of a body with one entry of `links` per line of `elements`."""
    for name, text in (files or {}).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    links = "".join(
        f"  - {{ name: L{i}, {'' if i == 0 else 'parent: L0, '}elements: {line} }}\n"
        for i, line in enumerate(elements.splitlines())
    )
    body = folder / "a.body"
    body.write_text(f"{header}links:\n{links}")
    scene, log = read_scene(body, options=options)
    assert scene is not None, [str(item) for item in log]
    return scene.bodies[0].links, log


def shapes_of(
    folder: Path, elements: str, files: dict[str, str] | None = None, *, header: str = HEADER
) -> tuple[Shape, ...]:
    """Return the shapes of the first link of a body about which there is nothing to say."""
    links, log = read(folder, elements, files, header=header)
    assert [str(item) for item in log] == []
    return links[0].shapes


def point_of(shape: Shape, p: Vec3) -> Vec3:
    """Return where a point of a geometry is on the link."""
    return shape.pose.point(p)


# ------------------------------------------------------------------------------------------- kinds


@pytest.mark.parametrize(
    ("name", "text", "count"),
    [
        ("m.stl", STL_TEXT, 1),
        ("M.STL", STL_TEXT, 1),
        ("m.obj", OBJ, 2),
        ("m.dae", dae("<node name='A'>USE</node>"), 1),
        ("m.wrl", ARM, 2),
    ],
)
def test_mesh_files_give_shapes(tmp_path: Path, name: str, text: str, count: int) -> None:
    """By extension, in any case."""
    shapes = shapes_of(
        tmp_path, f"{{ Resource: {{ uri: {name} }} }}", {name: text, "colors.mtl": MTL}
    )
    assert len(shapes) == count
    assert {shape.role for shape in shapes} == {ShapeRole.BOTH}


def test_materials_of_files_are_kept(tmp_path: Path) -> None:
    """A red ball in a VRML file."""
    _, ball = shapes_of(tmp_path, "{ Resource: { uri: m.wrl } }", {"m.wrl": ARM})
    assert ball.geometry == GeometrySphere(1.0)
    assert ball.appearance == Appearance(
        base_color=(1.0, 0.0, 0.0), specular=(0.0, 0.0, 0.0), shininess=0.2, ambient=0.2
    )


def test_a_resource_has_a_transform(tmp_path: Path) -> None:
    """Translation, rotation, scale, the last innermost."""
    (shape,) = shapes_of(
        tmp_path,
        "{ Resource: { uri: m.stl, translation: [1, 2, 3], rotation: [0, 0, 1, 90], "
        "scale: [2, 1, 1] } }",
        {"m.stl": STL_TEXT},
    )
    mesh = shape.geometry
    assert isinstance(mesh, GeometryMesh)
    assert area(mesh) == pytest.approx(2.0)
    corner = next(p for p in mesh.vertices if p[0] > 1.0 and p[1] == 0.0)
    assert point_of(shape, corner) == pytest.approx((1.0, 4.0, 3.0), abs=ROUNDING)


@pytest.mark.parametrize(
    ("metadata", "image"),
    [
        ("", (1.0, 0.0, 0.0)),
        (", metadata: { length_unit: millimeter }", (0.001, 0.0, 0.0)),
        (", metadata: { length_unit: inch }", (0.0254, 0.0, 0.0)),
        (", metadata: { upper_axis: Y }", (0.0, 1.0, 0.0)),
        (", metadata: { length_unit: millimeter, upper_axis: Y }", (0.0, 0.001, 0.0)),
        (", metadata: millimeter", (0.001, 0.0, 0.0)),
        (", metadata: millimeter y_upper", (0.0, 0.001, 0.0)),
    ],
)
def test_metadata_tells_unit_and_upper_axis(tmp_path: Path, metadata: str, image: Vec3) -> None:
    """Y up maps (x, y, z) to (z, x, y); the old form is a text of words."""
    (shape,) = shapes_of(
        tmp_path, f"{{ Resource: {{ uri: m.stl{metadata} }} }}", {"m.stl": STL_TEXT}
    )
    mesh = shape.geometry
    assert isinstance(mesh, GeometryMesh)
    corner = max(mesh.vertices, key=lambda p: (p[0], -p[1]))
    assert point_of(shape, corner) == pytest.approx(image, abs=ROUNDING)


def test_wrong_metadata_is_named(tmp_path: Path) -> None:
    """With what is allowed."""
    _, log = read(
        tmp_path,
        "{ Resource: { uri: m.stl, metadata: { length_unit: mile } } }\n"
        "{ Resource: { uri: m.stl, metadata: milimeter } }",
        {"m.stl": STL_TEXT},
    )
    assert [item.text for item in log] == [
        'expected one of meter, millimeter, inch, got "mile".',
        '"milimeter" is no word of metadata; known: meter, millimeter, inch, y_upper, z_upper. '
        'Did you mean "millimeter"?',
    ]


def test_a_file_is_read_once_and_shared(tmp_path: Path) -> None:
    """Also when it is scaled alike."""
    links, log = read(
        tmp_path,
        "{ Resource: { uri: m.stl } }\n{ Resource: { uri: ./m.stl, translation: [1, 0, 0] } }\n"
        "{ Resource: { uri: m.stl, scale: [2, 2, 1] } }\n"
        "{ Resource: { uri: m.stl, scale: [2, 2, 1], rotation: [1, 0, 0, 30] } }",
        {"m.stl": STL_TEXT},
    )
    assert [str(item) for item in log] == []
    plain, moved, large, turned = (link.shapes[0].geometry for link in links)
    assert plain is moved
    assert large is turned
    assert large is not plain


# ------------------------------------------------------------------------------------------- picks


@pytest.mark.parametrize("key", ["node", "fragment"])
def test_a_picked_node_loses_its_translations(tmp_path: Path, key: str) -> None:
    """Its own (0,2,0) and ARM's (1,0,0); ARM's quarter turn stays."""
    (shape,) = shapes_of(
        tmp_path, f"{{ Resource: {{ uri: m.wrl, {key}: FOREARM }} }}", {"m.wrl": ARM}
    )
    assert shape.geometry == GeometrySphere(1.0)
    assert shape.pose.position == (0.0, 0.0, 0.0)
    assert shape.pose.direction((1.0, 0.0, 0.0)) == pytest.approx((0, 1, 0), abs=ROUNDING)


def test_several_nodes_can_be_picked(tmp_path: Path) -> None:
    """As a list."""
    shapes = shapes_of(
        tmp_path, "{ Resource: { uri: m.wrl, node: [UPPER, FOREARM] } }", {"m.wrl": ARM}
    )
    assert [type(shape.geometry) for shape in shapes] == [GeometryBox, GeometrySphere]


def test_a_picked_node_no_longer_stands_in_the_others(tmp_path: Path) -> None:
    """ARM is drawn without the forearm that another link has, whichever comes first."""
    lines = [
        "{ Resource: { uri: m.wrl, node: ARM } }",
        "{ Resource: { uri: m.wrl, node: FOREARM } }",
    ]
    for order in (lines, lines[::-1]):
        links, log = read(tmp_path, "\n".join(order), {"m.wrl": ARM})
        assert [str(item) for item in log] == []
        kinds = {type(link.shapes[0].geometry) for link in links if len(link.shapes) == 1}
        assert kinds == {GeometryBox, GeometrySphere}


def test_nodes_picked_together_are_drawn_once(tmp_path: Path) -> None:
    """Also when one stands inside the other."""
    shapes = shapes_of(
        tmp_path, "{ Resource: { uri: m.wrl, node: [ARM, FOREARM] } }", {"m.wrl": ARM}
    )
    assert [type(shape.geometry) for shape in shapes] == [GeometryBox, GeometrySphere]


def test_an_unknown_node_is_named(tmp_path: Path) -> None:
    """With a guess; the link stays without the shape."""
    links, log = read(tmp_path, "{ Resource: { uri: m.wrl, node: FOREARN } }", {"m.wrl": ARM})
    assert links[0].shapes == ()
    (item,) = log
    assert (item.code, item.field) == ("unknown-mesh-node", "node")
    assert item.text == ('"m.wrl" has no node "FOREARN"; it is left out. Did you mean "FOREARM"?')


# ------------------------------------------------------------------------------------- YAML files

PARTS = """
BALL: &BALL
  type: Shape
  geometry: { type: Sphere, radius: 0.5 }
BOXES: &BOXES
  - { type: Shape, geometry: { type: Box } }
  - { type: RigidBody, mass: 2, centerOfMass: [0, 0, 0], inertia: [1,0,0, 0,1,0, 0,0,1] }
"""


def test_yaml_nodes_are_picked_by_anchor(tmp_path: Path) -> None:
    """And read as elements, so that a RigidBody counts."""
    links, log = read(
        tmp_path,
        "{ Resource: { uri: p.yaml, node: BALL, translation: [1, 0, 0] } }\n"
        "{ Resource: { uri: p.yaml, fragment: BOXES } }",
        {"p.yaml": PARTS},
    )
    assert [str(item) for item in log] == []
    assert links[0].shapes[0].geometry == GeometrySphere(0.5)
    assert links[0].shapes[0].pose.position == (1.0, 0.0, 0.0)
    assert links[1].shapes[0].geometry == GeometryBox((1.0, 1.0, 1.0))
    assert links[1].mass is not None
    assert links[1].mass.mass == 2.0


def test_a_whole_yaml_file_is_a_list_of_elements(tmp_path: Path) -> None:
    """Or a mapping, or the part of a scene file below `scene`."""
    element = "{ type: Shape, geometry: { type: Box } }"
    for name, text in (
        ("p.yaml", f"- {element}\n- {element}\n"),
        ("p.yml", f"Group: {{ elements: [ {element}, {element} ] }}\n"),
        ("p.scen", f"format: choreonoid_scene\nscene:\n  - {element}\n  - {element}\n"),
    ):
        assert len(shapes_of(tmp_path, f"{{ Resource: {{ uri: {name} }} }}", {name: text})) == 2


def test_addresses_in_a_yaml_file_are_relative_to_it(tmp_path: Path) -> None:
    """Not to the body."""
    (shape,) = shapes_of(
        tmp_path,
        "{ Resource: { uri: parts/p.yaml } }",
        {"parts/p.yaml": "- { type: Resource, uri: m.stl }\n", "parts/m.stl": STL_TEXT},
    )
    assert isinstance(shape.geometry, GeometryMesh)


def test_a_yaml_file_sees_the_anchors_of_the_body(tmp_path: Path) -> None:
    """As Choreonoid imports them."""
    (shape,) = shapes_of(
        tmp_path,
        "{ Resource: { uri: p.yaml } }",
        {"p.yaml": "- { type: Shape, geometry: *FORM }\n"},
        header=HEADER + "form: &FORM { type: Sphere, radius: 3 }\n",
    )
    assert shape.geometry == GeometrySphere(3.0)


def test_an_unknown_anchor_is_named(tmp_path: Path) -> None:
    """With a guess."""
    _, log = read(tmp_path, "{ Resource: { uri: p.yaml, node: BAL } }", {"p.yaml": PARTS})
    (item,) = log
    assert item.code == "unknown-anchor"
    assert item.text == '"p.yaml" has no anchor "BAL"; it is left out. Did you mean "BALL"?'


@pytest.mark.parametrize(
    "files",
    [
        {"p.yaml": "- { type: Resource, uri: p.yaml }\n"},
        {
            "p.yaml": "- { type: Resource, uri: q.yaml }\n",
            "q.yaml": "- { type: Resource, uri: p.yaml }\n",
        },
    ],
)
def test_files_that_take_parts_from_themselves_end(tmp_path: Path, files: dict[str, str]) -> None:
    """With an error where the circle closes."""
    _, log = read(tmp_path, "{ Resource: { uri: p.yaml } }", files)
    assert [item.code for item in log] == ["include-circle"]


def test_vrml_files_that_hold_themselves_end(tmp_path: Path) -> None:
    """With an error that names the file."""
    text = '#VRML V2.0 utf8\nInline { url "m.wrl" } Shape { geometry Box { } }'
    links, log = read(tmp_path, "{ Resource: { uri: m.wrl } }", {"m.wrl": text})
    assert len(links[0].shapes) == 1
    (item,) = log
    assert item.text == "it takes parts from itself; it is left out."
    assert item.span.file.endswith("m.wrl")


# -------------------------------------------------------------------------------------- geometries


def test_a_geometry_can_be_a_mesh_file(tmp_path: Path) -> None:
    """The look is the Shape's own; the crease angle makes its normals."""
    (shape,) = shapes_of(
        tmp_path,
        "{ Shape: { appearance: { material: { diffuse: [0, 1, 0] } }, geometry: { type: Resource, "
        "uri: m.stl, crease_angle: 30, remove_redundant_vertices: true } } }",
        {"m.stl": STL_TEXT},
    )
    assert isinstance(shape.geometry, GeometryMesh)
    assert set(shape.geometry.normals) == {(0.0, 0.0, 1.0)}
    assert shape.appearance is not None
    assert shape.appearance.base_color == (0.0, 1.0, 0.0)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("m.wrl", ARM, 'a geometry must be exactly one mesh, "m.wrl" has 2'),
        ("p.yaml", PARTS, '"p.yaml" is no mesh file'),
    ],
)
def test_a_geometry_must_be_one_mesh(tmp_path: Path, name: str, text: str, message: str) -> None:
    """Otherwise the shape is left out."""
    links, log = read(
        tmp_path, f"{{ Shape: {{ geometry: {{ type: Resource, uri: {name} }} }} }}", {name: text}
    )
    assert links[0].shapes == ()
    (item,) = log
    assert item.code == "wrong-resource"
    assert message in item.text


# -------------------------------------------------------------------------------------- what fails


@pytest.mark.parametrize(
    ("uri", "code", "message"),
    [
        ("none.stl", "missing-mesh", 'the file "none.stl" cannot be used: there is no such file'),
        ("../../../x.stl", "refused-file", "leads out of the folders that may be read"),
        ("broken.stl", "broken-mesh", 'the file "broken.stl" cannot be used'),
        ("broken.wrl", "broken-mesh", 'the file "broken.wrl" cannot be used: it is no VRML97 file'),
        ("broken.yaml", "broken-mesh", 'the file "broken.yaml" could not be read'),
        ("a.fbx", "unknown-mesh", 'files like "a.fbx" cannot be read; known: .yaml'),
        ("''", "missing-key", "a Resource needs the address of a file."),
    ],
)
def test_what_cannot_be_read_is_named_and_left_out(
    tmp_path: Path, uri: str, code: str, message: str
) -> None:
    """With file, line and key; the other shapes of the link stay."""
    broken = {
        "broken.stl": "nothing",
        "broken.wrl": "nothing",
        "broken.yaml": "[ {",
        "a.fbx": "x",
    }
    links, log = read(
        tmp_path,
        f"[ {{ type: Resource, uri: {uri} }}, {{ type: Shape, geometry: {{ type: Box }} }} ]",
        broken,
    )
    assert [shape.geometry for shape in links[0].shapes] == [GeometryBox((1.0, 1.0, 1.0))]
    item = next(item for item in log if item.code == code)
    assert item.severity.value == "error"
    assert message in item.text
    assert (item.span.file, item.span.line) == (str(tmp_path / "a.body"), 5)
    assert item.field == "uri"
    assert item.node.startswith('Link "L0" > elements[0] Resource')


@pytest.mark.parametrize(("limit", "kept"), [("MAX_SHAPES", 3), ("MAX_POINTS", 1)])
def test_shapes_without_end_are_refused_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: str, kept: int
) -> None:
    """At most 3 shapes, or 3 points, which the first square exceeds: one error, what fits is kept."""
    monkeypatch.setattr(mesh_files, limit, 3)
    links, log = read(
        tmp_path,
        "[ " + ", ".join(f"{{ type: Resource, uri: m{i}.stl }}" for i in range(6)) + " ]",
        {f"m{i}.stl": STL_TEXT for i in range(6)},
    )
    assert len(links[0].shapes) == kept
    (item,) = log
    assert item.code == "too-many-shapes"
    assert "from here on they are left out" in item.text


def test_share_is_taken_from_the_options(tmp_path: Path) -> None:
    """Outside the project, with `--share`."""
    share = tmp_path / "elsewhere"
    share.mkdir()
    (share / "m.stl").write_text(STL_TEXT)
    (tmp_path / "robot").mkdir()
    links, log = read(
        tmp_path / "robot",
        "{ Resource: { uri: '${SHARE}/m.stl' } }",
        options=LoadOptions(share=share),
    )
    assert [str(item) for item in log] == []
    assert len(links[0].shapes) == 1


# ------------------------------------------------------------------------------------ public files


@pytest.mark.slow
@pytest.mark.skipif(not CORPUS.is_dir(), reason="no corpus beside the repository")
def test_public_bodies_miss_only_files_that_are_not_there() -> None:
    """Every mesh that is at hand is read without a word against it."""
    allowed = {"missing-mesh"}
    about_meshes = {"broken-mesh", "unknown-mesh", "refused-file", "unknown-mesh-node"}
    about_meshes |= {"unknown-anchor", "include-circle", "bad-geometry", "wrong-resource"}
    bodies = [path for path in sorted(CORPUS.rglob("*.body")) if b"uri:" in path.read_bytes()]
    assert len(bodies) >= 50
    for path in bodies:
        _, log = read_scene(path)
        found = [str(item) for item in log if item.code in about_meshes | allowed]
        assert all("there is no such file" in text for text in found), (path, found)


SLOWEST = 5.0
"""Seconds for any public body; the slowest takes 0.6 on a busy machine."""


@pytest.mark.skipif(not CORPUS.is_dir(), reason="no corpus beside the repository")
@pytest.mark.parametrize("name", ["CarT3.body", "TestField.body", "Labo1.body"])
def test_mesh_heavy_bodies_load_fast(name: str) -> None:
    """Arrays become tuples once."""
    path = next(CORPUS.rglob(name))
    start = time.process_time()
    scene, _ = read_scene(path)
    assert scene is not None
    assert time.process_time() - start < SLOWEST
