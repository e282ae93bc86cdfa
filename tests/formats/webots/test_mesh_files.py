"""Mesh and CadShape: files that are found, read, refused."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.formats import meshes
from solidbody.formats.loading import read_scene
from solidbody.model.geometry import GeometryMesh
from solidbody.model.scene import Scene
from tests.formats.reading import assert_warning, codes

TETRAHEDRON_OBJ = """mtllib red.mtl
o lower
v 0 0 0
v 1 0 0
v 0 1 0
v 0 0 1
vt 0 0
vt 1 0
vt 0 1
usemtl red
f 1/1 3/2 2/3
f 1/1 2/2 4/3
o upper
usemtl red
f 1/1 4/2 3/3
f 2/1 3/2 4/3
"""
RED_MTL = "newmtl red\nKd 1 0 0\nd 0.5\n"
TRIANGLE_STL = """solid t
facet normal 0 0 1
outer loop
vertex 0 0 0
vertex 1 0 0
vertex 0 1 0
endloop
endfacet
endsolid t
"""
TRIANGLE_DAE = """<?xml version="1.0" encoding="utf-8"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit name="centimeter" meter="0.01"/><up_axis>Z_UP</up_axis></asset>
<library_geometries><geometry id="g" name="g"><mesh>
<source id="p"><float_array id="pa" count="9">0 0 0 100 0 0 0 100 0</float_array>
<technique_common><accessor source="#pa" count="3" stride="3">
<param name="X" type="float"/><param name="Y" type="float"/><param name="Z" type="float"/>
</accessor></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
<triangles count="1"><input semantic="VERTEX" source="#v" offset="0"/><p>0 1 2</p></triangles>
</mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="s"><node id="n">
<matrix>1 0 0 0 0 1 0 0 0 0 1 200 0 0 0 1</matrix><instance_geometry url="#g"/></node>
</visual_scene></library_visual_scenes><scene><instance_visual_scene url="#s"/></scene>
</COLLADA>
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Return a project with a few mesh files."""
    folder = tmp_path / "project" / "worlds"
    (folder / "meshes").mkdir(parents=True)
    (folder / "meshes" / "t.obj").write_text(TETRAHEDRON_OBJ)
    (folder / "meshes" / "red.mtl").write_text(RED_MTL)
    (folder / "meshes" / "t.stl").write_text(TRIANGLE_STL)
    (folder / "meshes" / "t.dae").write_text(TRIANGLE_DAE)
    (tmp_path / "secret.stl").write_text(TRIANGLE_STL)
    return folder


def load(project: Path, node: str) -> tuple[Scene, DiagnosticLog]:
    """Read a world of the project with one node."""
    world = project / "w.wbt"
    world.write_text(f"#VRML_SIM R2025a utf8\nWorldInfo {{ }}\nViewpoint {{ }}\n{node}\n")
    scene, log = read_scene(world)
    assert scene is not None
    return scene, log


def load_mesh(project: Path, fields: str) -> GeometryMesh:
    """Return the mesh of a Shape without faults."""
    scene, log = load(project, f"Shape {{ geometry Mesh {{ {fields} }} }}")
    assert [str(item) for item in log] == []
    found = scene.bodies[0].links[0].shapes[0].geometry
    assert isinstance(found, GeometryMesh)
    return found


def test_obj_parts_are_one_mesh(project: Path) -> None:
    found = load_mesh(project, 'url "meshes/t.obj"')
    assert len(found.triangles) == 4
    assert len(found.texture_coordinates) == 12


def test_backslashes_in_a_url_are_slashes(project: Path) -> None:
    assert load_mesh(project, r'url "meshes\\t.obj"').triangles


def test_part_of_a_file_by_name(project: Path) -> None:
    assert len(load_mesh(project, 'url "meshes/t.obj" name "upper"').triangles) == 2
    _, log = load(project, 'Shape { geometry Mesh { url "meshes/t.obj" name "nobody" } }')
    assert_warning(log, "missing-mesh", 'no part with the name "nobody"')


def test_stl(project: Path) -> None:
    found = load_mesh(project, 'url "meshes/t.stl"')
    assert [found.vertices[i] for i in found.triangles[0]] == [(0, 0, 0), (1, 0, 0), (0, 1, 0)]


def test_collada_with_its_unit_and_the_places_of_its_parts(project: Path) -> None:
    found = load_mesh(project, 'url "meshes/t.dae"')
    corners = [found.vertices[i] for i in found.triangles[0]]
    assert corners[1] == pytest.approx((1.0, 0.0, 2.0))


@pytest.mark.parametrize(
    ("up", "corner"),
    [
        ("<up_axis>Z_UP</up_axis>", (1.0, 0.0, 2.0)),
        ("<up_axis>Y_UP</up_axis>", (1.0, -2.0, 0.0)),
        ("<up_axis>X_UP</up_axis>", (0.0, -2.0, 1.0)),
        ("", (1.0, -2.0, 0.0)),  # Y_UP is what the standard says of files that say nothing
    ],
)
def test_what_a_collada_file_calls_up_is_z(
    project: Path, up: str, corner: tuple[float, float, float]
) -> None:
    text = TRIANGLE_DAE.replace("<up_axis>Z_UP</up_axis>", up)
    (project / "meshes" / "up.dae").write_text(text)
    found = load_mesh(project, 'url "meshes/up.dae"')
    assert found.vertices[found.triangles[0][1]] == pytest.approx(corner)


def test_clockwise_mesh_is_turned_over(project: Path) -> None:
    straight = load_mesh(project, 'url "meshes/t.stl"')
    turned = load_mesh(project, 'url "meshes/t.stl" ccw FALSE')
    a, b, c = straight.triangles[0]
    assert turned.triangles[0] == (a, c, b)


def test_cad_shape_draws_each_part_in_its_colour(project: Path) -> None:
    scene, log = load(project, 'CadShape { url "meshes/t.obj" castShadows FALSE }')
    assert codes(log) == []
    shapes = scene.bodies[0].links[0].shapes
    assert len(shapes) == 2
    look = shapes[0].appearance
    assert look is not None
    assert look.base_color == pytest.approx((1.0, 0.0, 0.0))
    assert look.transparency == pytest.approx(0.5, abs=0.01)
    assert not shapes[0].casts_shadows


def test_image_in_a_material_file_is_the_texture_of_a_cad_shape(project: Path) -> None:
    """It is relative to the mesh, and nobody opens it: there is no such file."""
    (project / "meshes" / "red.mtl").write_text(RED_MTL + "map_Kd wood/pale oak.jpg\n")
    scene, log = load(project, 'CadShape { url "meshes/t.obj" }')
    assert codes(log) == []
    for shape in scene.bodies[0].links[0].shapes:
        assert shape.appearance is not None and shape.appearance.texture is not None
        assert Path(shape.appearance.texture.uri) == project / "meshes" / "wood" / "pale oak.jpg"


def test_image_in_a_collada_file_is_the_texture_of_a_cad_shape(project: Path) -> None:
    images = '<library_images><image id="i"><init_from>a.png</init_from></image></library_images>'
    effect = (
        '<library_effects><effect id="e"><profile_COMMON>'
        '<newparam sid="s"><surface type="2D"><init_from>i</init_from></surface></newparam>'
        '<newparam sid="t"><sampler2D><source>s</source></sampler2D></newparam>'
        '<technique sid="c"><lambert><diffuse><texture texture="t" texcoord="UV"/></diffuse>'
        "</lambert></technique></profile_COMMON></effect></library_effects>"
        '<library_materials><material id="m"><instance_effect url="#e"/></material>'
        "</library_materials>"
    )
    bound = (
        '<instance_geometry url="#g"><bind_material><technique_common>'
        '<instance_material symbol="M" target="#m"/></technique_common></bind_material>'
        "</instance_geometry>"
    )
    text = (
        TRIANGLE_DAE.replace("<library_geometries>", images + effect + "<library_geometries>")
        .replace('<triangles count="1">', '<triangles count="1" material="M">')
        .replace('<instance_geometry url="#g"/>', bound)
    )
    (project / "meshes" / "textured.dae").write_text(text)
    scene, log = load(project, 'CadShape { url "meshes/textured.dae" }')
    assert codes(log) == []
    look = scene.bodies[0].links[0].shapes[0].appearance
    assert look is not None and look.texture is not None
    assert Path(look.texture.uri) == project / "meshes" / "a.png"


def test_mesh_collides_and_has_the_mass_of_its_inside(project: Path) -> None:
    text = 'Solid { boundingObject Mesh { url "meshes/t.obj" } physics Physics { } }'
    scene, log = load(project, text)
    assert codes(log) == []
    link = scene.bodies[0].links[0]
    assert link.mass is not None
    assert link.mass.mass == pytest.approx(1000.0 / 6.0)
    assert link.mass.center == pytest.approx((0.25, 0.25, 0.25))


def test_missing_mesh_names_the_file_and_the_node(project: Path) -> None:
    _, log = load(project, 'DEF CUP Shape { geometry Mesh { url "meshes/gone.obj" } }')
    found = assert_warning(log, "missing-mesh", '"meshes/gone.obj": there is no such file')
    assert (found.node, found.field) == ("DEF CUP Shape > Mesh", "url")


@pytest.mark.parametrize("name", ["bad.obj", "bad.stl", "bad.dae"])
def test_broken_mesh_names_the_file_and_the_node(project: Path, name: str) -> None:
    (project / "meshes" / name).write_bytes(b"\x00<not a mesh\xff" * 20)
    _, log = load(project, f'DEF CUP Shape {{ geometry Mesh {{ url "meshes/{name}" }} }}')
    found = assert_warning(log, "broken-mesh", f'the mesh "meshes/{name}" cannot be used')
    assert found.node == "DEF CUP Shape > Mesh"


def test_broken_mesh_used_often_is_read_once(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "meshes" / "bad.stl").write_text("nothing")
    reads: list[Path] = []
    real = meshes.read_mesh
    monkeypatch.setattr(
        "solidbody.formats.webots.lower.geometries.read_mesh",
        lambda path, **options: reads.append(path) or real(path, **options),
    )
    shape = 'Shape { geometry Mesh { url "meshes/bad.stl" } }'
    _, log = load(project, shape * 3)
    assert codes(log) == ["broken-mesh"] * 3
    assert len(reads) == 1


def test_unknown_kind_of_mesh_file(project: Path) -> None:
    (project / "meshes" / "t.xyz").write_text("")
    _, log = load(project, 'Shape { geometry Mesh { url "meshes/t.xyz" } }')
    assert_warning(log, "broken-mesh", 'cannot read ".xyz" files; known: stl, obj, dae')


def test_large_mesh_is_refused(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(meshes, "MAX_BYTES", 10)
    _, log = load(project, 'Shape { geometry Mesh { url "meshes/t.stl" } }')
    assert_warning(log, "broken-mesh", "bytes; at most 10 are read")


def test_mesh_with_too_many_triangles_is_refused(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(meshes, "MAX_TRIANGLES", 3)
    _, log = load(project, 'Shape { geometry Mesh { url "meshes/t.obj" } }')
    assert_warning(log, "broken-mesh", "more than 3 triangles")


@pytest.mark.parametrize("url", ["../../secret.stl", "link.stl"])
def test_mesh_outside_the_project_is_refused(project: Path, url: str) -> None:
    os.symlink(project.parents[1] / "secret.stl", project / "link.stl")
    scene, log = load(project, f'Shape {{ geometry Mesh {{ url "{url}" }} }}')
    assert_warning(log, "missing-mesh", "leads out of the folders that may be read")
    assert scene.bodies == ()


def test_material_file_beside_a_mesh_can_not_lead_elsewhere(project: Path) -> None:
    (project.parent / "red.mtl").write_text(RED_MTL)
    (project / "meshes" / "red.mtl").unlink()
    (project / "meshes" / "t.obj").write_text(TETRAHEDRON_OBJ.replace("red.mtl", "../../red.mtl"))
    scene, _ = load(project, 'CadShape { url "meshes/t.obj" }')
    assert all(
        shape.appearance is None or shape.appearance.base_color != (1.0, 0.0, 0.0)
        for shape in scene.bodies[0].links[0].shapes
    )
