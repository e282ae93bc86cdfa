"""Tables of forms: what our stand-ins are drawn with."""

from __future__ import annotations

import math
import pickle
import re
from pathlib import Path

import numpy as np
import pytest

import solidbody as sb
from solidbody.formats.assets import STANDINS
from solidbody.formats.form_tables import (
    GeometryMeshOfForms,
    meshes_of,
    read_forms,
    split_address,
)
from solidbody.formats.meshes import MeshError
from solidbody.model.geometry import GeometryMesh

TABLES = sorted((STANDINS / "looks").glob("*.forms"))
MOST = 20_000
"""Triangles of a table: of a robot, or of a family of robots."""


def volume(mesh: GeometryMesh) -> float:
    """Return what a closed mesh encloses; triangles that are turned over take away from it."""
    points = np.array(mesh.vertices)[np.array(mesh.triangles)]
    return float(
        np.einsum("ij,ij->i", points[:, 0], np.cross(points[:, 1], points[:, 2])).sum() / 6
    )


@pytest.mark.parametrize(
    ("line", "enclosed"),
    [
        ("box red 1 2 3", 6.0),
        ("box red 1 2 3 bevel=0.02", 6.0),
        ("box red 1 2 3 bevel=0.02 mirror=x at=5,0,0", 12.0),
        ("box red 2 2 3 taper=0.5,0.5", 2 * 2 * 3 * (1 + 0.5 + 0.25) / 3),
        ("cyl red 1 2 n=200", 2 * math.pi),
        ("cyl red 1 2 axis=y bevel=0.01 n=200", 2 * math.pi),
        ("cyl red 1 2 hole=0.5 n=200", 2 * math.pi * 0.75),
        ("lathe red 0,0 1,0 0,3 n=200", math.pi),
        ("ball red 1 2 3 n=100", 4 / 3 * math.pi * 6),
        ("tube red 0.1 0,0,0 0,0,1 n=200", 0.01 * math.pi),
        ("tube red 0.1 0,0,0 1,0,0 n=200 turn=10,20,30", 0.01 * math.pi),
        ("prism red 2 0,0 3,0 3,1 1,1 1,2 0,2", 8.0),
        ("prism red 2 0,2 1,2 1,1 3,1 3,0 0,0 bevel=0.005 axis=x", 8.0),
        ("loft red 0,1,1,0,2 1,1,1,0,2 n=200", math.pi),
    ],
)
def test_forms_enclose_what_they_should_with_their_outsides_out(line: str, enclosed: float) -> None:
    mesh = meshes_of(line)[""]["red"]
    assert volume(mesh) == pytest.approx(enclosed, rel=0.02)
    lengths = np.linalg.norm(np.array(mesh.normals), axis=1)
    assert len(lengths) == 3 * len(mesh.triangles)
    assert lengths == pytest.approx(np.ones_like(lengths))


def test_normals_point_where_triangles_look() -> None:
    forms = ("box red 1 2 3 bevel=0.1", "cyl red 1 2 bevel=0.1", "ball red 1 power=4")
    mesh = meshes_of("\n".join((*forms, "prism red 1 0,0 1,0 0,1 bevel=0.1")))[""]["red"]
    points = np.array(mesh.vertices)[np.array(mesh.triangles)]
    faces = np.cross(points[:, 1] - points[:, 0], points[:, 2] - points[:, 0])
    along = np.einsum("ik,ijk->ij", faces, np.array(mesh.normals).reshape(-1, 3, 3))
    assert (along > 0.0).mean() > 0.99  # those at the poles of a ball have no area


@pytest.mark.parametrize("table", TABLES, ids=lambda path: path.stem)
def test_our_tables_can_be_drawn_and_are_not_heavy(table: Path) -> None:
    parts = meshes_of(table.read_text("utf-8"))
    for name, meshes in parts.items():
        # what is known before anything is drawn is what is drawn
        listed = {part.name for part in read_forms(table, name)} if meshes else set[str]()
        assert listed == set(meshes), name
    assert sum(len(mesh.triangles) for meshes in parts.values() for mesh in meshes.values()) < MOST


def test_every_part_of_a_table_that_a_proto_names_exists() -> None:
    named = 0
    for proto in STANDINS.rglob("*.proto"):
        for file, part in re.findall(r'url "([^"%$]+\.forms)#([\w-]+)"', proto.read_text("utf-8")):
            assert read_forms((proto.parent / file).resolve(), part), proto.name
            named += 1
    assert named > 50


def test_a_car_has_arches_for_its_wheels_and_panes_on_its_skin() -> None:
    curves = "low=-2:0.2,2:0.2 belt=-2:0.9,2:0.9 roof=-2:0.9,-1:1.4,1:1.4,2:0.9 wide=-2:0.9,2:0.9"
    text = f"shell red {curves} arches=1.2,0.3,0.4\npane glass side -0.5,1 0.5,1 0.5,1.3 -0.5,1.3"
    meshes = meshes_of(text)[""]
    points = np.array(meshes["red"].vertices)[np.array(meshes["red"].triangles)].mean(axis=1)
    aside = np.abs(points[:, 1]) > 0.8
    away = np.hypot(points[aside, 0] - 1.2, points[aside, 2] - 0.3)
    assert away.min() > 0.37
    pane = np.array(meshes["glass"].vertices)
    assert np.abs(pane[:, 1]).min() > 0.6
    assert (pane[:, 2].min(), pane[:, 2].max()) == pytest.approx((1.0, 1.3), abs=0.01)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("bax red 1 1 1", 'no form "bax"'),
        ("box rid 1 1 1", 'no paint "rid"'),
        ("box red 1 1", "takes 3 numbers"),
        ("box red 1 1 x", '"x" is no number'),
        ("box red 1 1 nan", "out of range"),
        ("cyl red 1 1 n=1000", "between 1 and 512"),
        ("box red 1 1 1 bevl=2", '"bevl" is not known'),
        ("box red 1 1 1 at=1,2", "should be 3 numbers"),
        ("prism red 1 0,0 1,1", "needs 3 points"),
        ("use head", 'no part "head"'),
        ("pane glass top 0 1", "needs a shell"),
        (
            "shell red low=0:1,1:1 belt=0:1,1:1 roof=1:1,0:1 wide=0:1,1:1",
            "places of roof must grow",
        ),
    ],
)
def test_what_is_wrong_with_a_line_is_said(text: str, said: str) -> None:
    with pytest.raises(MeshError, match=re.escape(said)):
        meshes_of(text)


def test_only_our_own_tables_are_read(tmp_path: Path) -> None:
    (tmp_path / "a.forms").write_text("part b\nbox red 1 1 1", "utf-8")
    world = tmp_path / "w.wbt"
    world.write_text(
        '#VRML_SIM R2025a utf8\nSolid { children [ CadShape { url "a.forms#b" } ] }', "utf-8"
    )
    with pytest.raises(MeshError, match="only solidbody's own"):
        read_forms(tmp_path / "a.forms", "b")
    with pytest.raises(MeshError, match='no part "nose"; known: body'):
        read_forms(STANDINS / "looks" / "e-puck.forms", "nose")
    assert sb.load(world).bodies[0].links[0].shapes == ()
    assert split_address("x/a.forms#b") == ("x/a.forms", "b")
    assert split_address("x/a#b.obj") == ("x/a#b.obj", None)


def test_nothing_is_made_before_somebody_looks(tmp_path: Path) -> None:
    world = tmp_path / "w.wbt"
    text = 'EXTERNPROTO "https://example.org/E-puck.proto"\nE-puck { controller "<none>" }\n'
    world.write_text(f"#VRML_SIM R2025a utf8\n{text}", "utf-8")
    meshes_of.cache_clear()
    scene = sb.load(world)
    sb.Sim(scene).step(10)
    assert meshes_of.cache_info().misses == 0
    drawn = [
        shape.geometry
        for link in scene.links()
        for shape in link.shapes
        if isinstance(shape.geometry, GeometryMeshOfForms)
    ]
    assert len(drawn) > 10
    again = pickle.loads(pickle.dumps(drawn[0]))
    assert again == drawn[0]
    assert hash(again) == hash(drawn[0])
    assert again.vertices == drawn[0].vertices
    assert meshes_of.cache_info().misses == 1
