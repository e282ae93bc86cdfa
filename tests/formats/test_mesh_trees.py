"""Mesh files as trees of named nodes."""

from __future__ import annotations

import math
import random
from pathlib import Path
from typing import Any

import pytest

from solidbody.base.transforms import Vec3
from solidbody.formats import mesh_trees, meshes
from solidbody.formats.geometry.placing import placed
from solidbody.formats.geometry.trees import TreeNode
from solidbody.formats.mesh_trees import read_mesh_tree
from solidbody.formats.meshes import MeshError
from solidbody.model.geometry import GeometryMesh
from tests.formats.geometry.measures import area, volume
from tests.formats.meshes import MTL, OBJ, PLY, STL_BYTES, STL_TEXT, dae

CORPUS = Path(__file__).parents[3] / "shared" / "corpus" / "choreonoid"


SINGLE = 1e-6
"""pycollada keeps places in single precision."""


def tree_of(folder: Path, name: str, content: str | bytes) -> TreeNode:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return read_mesh_tree(path, lambda url: f"found/{url}")


def meshes_in(tree: TreeNode) -> list[GeometryMesh]:
    found = [part.geometry for part, _, _ in tree.placed_parts()]
    assert all(isinstance(mesh, GeometryMesh) for mesh in found)
    return [mesh for mesh in found if isinstance(mesh, GeometryMesh)]


@pytest.mark.parametrize("content", [STL_TEXT, STL_BYTES])
def test_stl_is_one_mesh_without_name_and_material(tmp_path: Path, content: str | bytes) -> None:
    """Text and binary; points that triangles share are put together."""
    tree = tree_of(tmp_path, "a.stl", content)
    (mesh,) = meshes_in(tree)
    assert (len(mesh.vertices), len(mesh.triangles)) == (4, 2)
    assert area(mesh) == pytest.approx(1.0)
    assert tree.names() == []
    assert [part.appearance for part, _, _ in tree.placed_parts()] == [None]


def test_obj_has_objects_with_colours(tmp_path: Path) -> None:
    """By name, with the material file beside it."""
    (tmp_path / "colors.mtl").write_text(MTL)
    tree = tree_of(tmp_path, "a.obj", OBJ)
    looks = {name: part.appearance for part, _, name in tree.placed_parts()}
    red, plain = looks["red_part"], looks["plain_part"]
    assert red is not None and plain is not None
    assert (red.base_color, red.transparency) == ((1.0, 0.0, 0.0), 0.0)
    assert (plain.base_color, plain.transparency) == ((0.0, 0.0, 1.0), 0.75)


def test_an_obj_object_of_two_materials_is_one_node(tmp_path: Path) -> None:
    """So that picking it by name takes all of it."""
    (tmp_path / "colors.mtl").write_text(MTL)
    tree = tree_of(tmp_path, "a.obj", OBJ.replace("o plain_part\n", ""))
    assert tree.names() == ["red_part"]
    found = tree.find("red_part")
    assert found is not None
    assert len(meshes_in(found)) == 2


def test_ply_is_one_mesh(tmp_path: Path) -> None:
    """Beyond what Choreonoid reads."""
    (mesh,) = meshes_in(tree_of(tmp_path, "a.ply", PLY))
    assert area(mesh) == pytest.approx(0.5)


def test_gltf_keeps_its_nodes(tmp_path: Path) -> None:
    """Binary, with a node in a node; numbers are taken as they are."""
    trimesh: Any = pytest.importorskip("trimesh")
    scene = trimesh.Scene()
    box = trimesh.creation.box((1.0, 2.0, 3.0))
    scene.add_geometry(box, node_name="LEG", geom_name="leg")
    scene.add_geometry(
        box,
        node_name="FOOT",
        geom_name="foot",
        parent_node_name="LEG",
        transform=trimesh.transformations.translation_matrix((5.0, 0.0, 0.0)),
    )
    tree = tree_of(tmp_path, "a.glb", scene.export(file_type="glb"))
    names = tree.names()
    assert names.index("LEG") < names.index("FOOT")
    assert [volume(mesh) for mesh in meshes_in(tree)] == pytest.approx([6.0, 6.0], rel=1e-6)
    centres = sorted(place.point((0.0, 0.0, 0.0)) for _, place, _ in tree.placed_parts())
    assert centres == [(0.0, 0.0, 0.0), (5.0, 0.0, 0.0)]


ARM = (
    '<node id="n1" name="ARM"><translate>1 0 0</translate><rotate>0 0 1 90</rotate>USE'
    '<node id="HAND"><scale>2 1 1</scale><translate>0 3 0</translate>USE</node></node>'
)


def corner_of(tree: TreeNode, name: str, point: Vec3) -> Vec3:
    found = tree.find(name)
    assert found is not None
    return next(place.point(point) for _, place, _ in found.placed_parts())


def test_collada_keeps_its_nodes_by_name_or_id(tmp_path: Path) -> None:
    """With their places inside each other."""
    tree = tree_of(tmp_path, "a.dae", dae(ARM))
    assert tree.names() == ["ARM", "G", "HAND"]
    assert [name for *_, name in tree.placed_parts()] == ["ARM", "HAND"], (
        "of the nodes, not of forms"
    )
    places = [place for _, place, _ in tree.placed_parts()]
    assert places[0].point((1.0, 0.0, 0.0)) == pytest.approx((1.0, 1.0, 0.0))
    # HAND: (1,0,0) moves to (1,3,0), is stretched to (2,3,0), turned to (-3,2,0), moved to (-2,2,0)
    assert places[1].point((1.0, 0.0, 0.0)) == pytest.approx((-2.0, 2.0, 0.0))


def test_a_picked_collada_node_keeps_turn_and_scale(tmp_path: Path) -> None:
    """Translations are dropped: (1,0,0) is stretched to (2,0,0) and turned to (0,2,0)."""
    tree = tree_of(tmp_path, "a.dae", dae(ARM))
    found = corner_of(tree, "HAND", (1.0, 0.0, 0.0))
    assert found == pytest.approx((0.0, 2.0, 0.0), abs=SINGLE)


def test_a_collada_geometry_is_picked_by_its_id(tmp_path: Path) -> None:
    """As Choreonoid names the forms in a node: the first use of G alone, turned as ARM is."""
    tree = tree_of(tmp_path, "a.dae", dae(ARM))
    found = tree.find("G")
    assert found is not None and len(meshes_in(found)) == 1
    assert corner_of(tree, "G", (1.0, 0.0, 0.0)) == pytest.approx((0.0, 1.0, 0.0), abs=SINGLE)
    # it no longer stands in ARM for others, but HAND's does
    standing = tree.by_name()["G"][1]
    assert len(list(tree.placed_parts(frozenset({standing})))) == 1


@pytest.mark.parametrize("up", ["Z_UP", "Y_UP", "X_UP"])
def test_collada_counts_in_its_unit_and_ignores_up(tmp_path: Path, up: str) -> None:
    """A square of one inch, in the plane in which it is written."""
    tree = tree_of(tmp_path, "a.dae", dae("<node name='A'>USE</node>", unit=0.0254, up=up))
    ((_, place, _),) = tree.placed_parts()
    assert place.point((1.0, 1.0, 0.0)) == pytest.approx((0.0254, 0.0254, 0.0))


def test_collada_materials_are_taken_over(tmp_path: Path) -> None:
    """Red, opaque."""
    tree = tree_of(tmp_path, "a.dae", dae("<node name='A'>USE</node>"))
    ((part, _, _),) = tree.placed_parts()
    assert part.appearance is not None
    assert part.appearance.base_color == (1.0, 0.0, 0.0)
    assert part.appearance.transparency == 0.0


@pytest.mark.parametrize("use", ["/>", "></instance_material>"])
def test_collada_with_a_lost_material_is_plain(use: str, tmp_path: Path) -> None:
    """A material whose picture is not described takes only itself away, not the geometry that has it."""
    text = dae("<node name='A'>USE</node>").replace(
        "<color>1 0 0 1</color>", '<texture texture="samp" texcoord="UV"/>'
    )
    text = text.replace(
        '<technique sid="t">',
        '<newparam sid="samp"><sampler2D><source>lost</source></sampler2D></newparam>'
        '<technique sid="t">',
    )
    text = text.replace('target="#MAT"/>', f'target="#MAT"{use}')
    ((part, _, _),) = tree_of(tmp_path, "a.dae", text).placed_parts()
    assert part.appearance is None
    assert len(part.geometry.triangles) == 2  # type: ignore[union-attr]


def test_collada_images_have_an_address(tmp_path: Path) -> None:
    """As the file finder makes of what the file says; the image is not opened."""
    text = dae("<node name='A'>USE</node>")
    text = text.replace(
        "<color>1 0 0 1</color>", '<texture texture="samp" texcoord="UV"/>'
    ).replace(
        '<technique sid="t">',
        '<newparam sid="surf"><surface type="2D"><init_from>I</init_from></surface></newparam>'
        '<newparam sid="samp"><sampler2D><source>surf</source></sampler2D></newparam>'
        '<technique sid="t">',
    )
    text = text.replace(
        "<library_effects>",
        '<library_images><image id="I"><init_from>skin.png</init_from></image></library_images>'
        "<library_effects>",
    )
    ((part, _, _),) = tree_of(tmp_path, "a.dae", text).placed_parts()
    assert part.appearance is not None and part.appearance.texture is not None
    assert part.appearance.texture.uri == "found/skin.png"


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.stl", b"\x00" * 200, "broken|no triangles"),
        ("a.stl", STL_BYTES[:100], "broken|no triangles"),
        ("a.obj", "v 0 0 0\nf 1 2 3\n", "broken|no triangles|does not exist"),
        ("a.dae", "<COLLADA>", "broken"),
        ("a.dae", "not xml", "broken"),
        ("a.dae", dae(""), "no triangles"),
        ("a.glb", b"glTF" + b"\x00" * 30, "broken"),
        ("a.ply", "ply\nformat ascii 1.0\n", "broken|no triangles"),
        ("a.blend", b"x", 'cannot read ".blend" files; known: stl, obj, dae'),
        ("a.stl", STL_TEXT.replace("1 1 0", "1e39 1 0"), "not a usable number"),
    ],
)
def test_broken_files_say_what_is_wrong(
    tmp_path: Path, name: str, content: str | bytes, message: str
) -> None:
    """Always a MeshError, never anything else."""
    with pytest.raises(MeshError, match=message):
        tree_of(tmp_path, name, content)


def test_large_files_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By bytes before they are read, by triangles after."""
    monkeypatch.setattr(mesh_trees, "MAX_TRIANGLES", 1)
    with pytest.raises(MeshError, match="more than 1 triangles"):
        tree_of(tmp_path, "a.stl", STL_TEXT)
    monkeypatch.setattr(meshes, "MAX_BYTES", 10)
    with pytest.raises(MeshError, match="at most 10 are read"):
        tree_of(tmp_path, "a.stl", STL_TEXT)


def test_collada_nodes_that_use_each_other_are_refused(tmp_path: Path) -> None:
    """A node that holds itself has no end."""
    text = dae('<node id="A" name="A"><instance_node url="#A"/></node>')
    with pytest.raises(MeshError):
        tree_of(tmp_path, "a.dae", text)


SCENE = dae(
    '<node id="A" name="B"><translate>1 2 3</translate><rotate>0 0 1 90</rotate>USE'
    "<node><scale>1 2 3</scale>USE</node></node>"
)
STRANGE = (b"1e39", b"nan", b"-1", b"99999999", b"\0\0\xff\xff", b"<", b'">')


@pytest.mark.filterwarnings("ignore")  # of the libraries below, about the damage
@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.stl", STL_TEXT.encode()),
        ("a.stl", STL_BYTES),
        ("a.obj", OBJ.encode()),
        ("a.ply", PLY.encode()),
        ("a.dae", SCENE.encode()),
    ],
)
def test_damaged_files_give_a_mesh_or_a_mesh_error(
    tmp_path: Path, name: str, content: bytes
) -> None:
    """60 of each: bytes changed, cut, doubled, put in."""
    for seed in range(60):
        chance = random.Random(seed)
        data = bytearray(content)
        for _ in range(chance.randint(1, 3)):
            i = chance.randrange(len(data))
            stretch = chance.randint(1, 30)
            match chance.randrange(4):
                case 0:
                    data[i] = chance.randrange(256)
                case 1:
                    del data[i : min(i + stretch, len(data) - 1)]
                case 2:
                    data[i:i] = data[i : i + stretch]
                case _:
                    data[i:i] = chance.choice(STRANGE)
        try:
            tree = tree_of(tmp_path, name, bytes(data))
        except MeshError:
            continue
        for part, place, _ in tree.placed_parts():
            placed(part.geometry, place)


@pytest.mark.skipif(not CORPUS.is_dir(), reason="no corpus beside the repository")
def test_every_public_mesh_is_read() -> None:
    """With finite points and triangles."""
    files = [path for kind in ("stl", "dae") for path in sorted(CORPUS.rglob(f"*.{kind}"))]
    assert len(files) >= 50
    for path in files:
        tree = read_mesh_tree(path, str)
        for part, place, _ in tree.placed_parts():
            assert isinstance(part.geometry, GeometryMesh)
            assert part.geometry.triangles, path
            assert place.is_finite
            assert all(math.isfinite(x) for p in part.geometry.vertices for x in p), path
