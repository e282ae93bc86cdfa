"""Shapes made of triangles as geoms: terrain, hulls, parts, and what is said about the rest."""

from __future__ import annotations

import math
from dataclasses import replace

import mujoco
import numpy as np
import pytest

from solidbody.base.span import SourceSpan
from solidbody.compiler import compile_scene
from solidbody.compiler.collision_filters import SURFACE_BIT
from solidbody.compiler.compile import Compiled
from solidbody.compiler.geoms import cone_surface, is_convex, surface_of, thickened
from solidbody.contact.layout import TerrainKind
from solidbody.model.geometry import (
    Geometry,
    GeometryCone,
    GeometryHeightField,
    GeometryLines,
    GeometryMesh,
)
from solidbody.model.links import Body
from tests.physics import building as b
from tests.physics import terrain
from tests.physics.referee import make_sim

PLACE = SourceSpan("mesh.wbt", 3, 5, 3, 9)


def texts(compiled: Compiled) -> list[str]:
    """Return what is said about forms."""
    return [str(item) for item in compiled.diagnostics if item.code == "collision-form"]


def at_place(body: Body) -> Body:
    """Return the body with a place in a file."""
    link = body.links[0]
    shapes = tuple(replace(shape, span=PLACE) for shape in link.shapes)
    return replace(body, links=(replace(link, shapes=shapes),))


def compiled_free(form: Geometry, *, cut_meshes: bool = True) -> Compiled:
    """Return a compiled scene with one floating body of this form."""
    body = at_place(terrain.free_form("body", form, (0, 0, 1)))
    return compile_scene(b.scene(b.floor(), body), cut_meshes=cut_meshes)


def test_static_mesh_is_terrain_that_mujoco_does_not_collide() -> None:
    """Its geom stands for it and has its triangles, but none of MuJoCo's bits."""
    compiled = compile_scene(b.scene(b.static_body("table", terrain.block(1, 1, 1))))
    tables = compiled.tables.collision
    assert len(tables.triangles) == 12
    row = tables.terrains[0]
    assert row["kind"] == TerrainKind.MESH
    assert (row["contype"], row["conaffinity"]) == (1 | SURFACE_BIT, 0)
    geom = int(row["geom"])
    assert compiled.model.geom_type[geom] == mujoco.mjtGeom.mjGEOM_MESH
    assert compiled.model.geom_contype[geom] == compiled.model.geom_conaffinity[geom] == 0
    assert texts(compiled) == []


def test_closed_mesh_that_is_inside_out_is_turned() -> None:
    """A box with its faces the wrong way round holds what stands on it; an open sheet stays as it is."""
    box = terrain.block(1, 1, 1)
    inverted = replace(box, triangles=tuple((c, b, a) for a, b, c in box.triangles))
    assert (surface_of(inverted)[1][:, ::-1] == np.array(inverted.triangles)).all()  # type: ignore[index]
    sheet = replace(inverted, triangles=inverted.triangles[1:])
    assert (surface_of(sheet)[1] == np.array(sheet.triangles)).all()  # type: ignore[index]
    normals = compile_scene(b.scene(b.static_body("box", inverted))).tables.collision.triangles
    assert ((normals["normal"] * normals["centre"]).sum(axis=1) > 0).all()


def test_closed_room_around_a_body_keeps_its_faces() -> None:
    """Walls that face inwards hold what is inside; an empty one is a solid block that is inside out."""
    room = terrain.block(4, 4, 2)
    inwards = replace(room, triangles=tuple((c, b, a) for a, b, c in room.triangles))
    ball = b.free_body("ball", terrain.BALL, at=(0.5, 0.3, 1.0))
    sim = make_sim(b.scene(b.static_body("room", inwards, at=(0, 0, 1)), ball))
    sim.step(250)
    assert sim.poses()[1, 2] == pytest.approx(0.1, abs=1e-3)


def test_rays_meet_the_terrain_where_it_is() -> None:
    """MuJoCo's own geom is at the right place, though MuJoCo moves meshes to their centres."""
    body = b.static_body("table", terrain.block(1, 2, 0.5), at=(1, 2, 3), rotation=(0, 0, 0, 1))
    compiled = compile_scene(b.scene(body))
    data = mujoco.MjData(compiled.model)
    mujoco.mj_forward(compiled.model, data)
    hit = np.zeros(1, dtype=np.int32)
    down = mujoco.mj_ray(
        compiled.model, data, np.array([1.3, 2.4, 9.0]), np.array([0, 0, -1.0]), None, 1, -1, hit
    )
    assert down == pytest.approx(9.0 - 3.25, abs=1e-6)


def test_height_field_is_solid_for_its_thickness() -> None:
    """The box of the terrain reaches that far below its lowest point."""
    ground = replace(terrain.bumps(), thickness=0.7)
    compiled = compile_scene(b.scene(terrain.placed(ground)))
    row = compiled.tables.collision.terrains[0]
    assert row["kind"] == TerrainKind.HEIGHTS
    assert row["lo"][2] == pytest.approx(min(ground.heights) - 0.7)
    assert row["hi"][2] == pytest.approx(max(ground.heights))


def test_moving_convex_mesh_is_one_hull_with_merged_faces() -> None:
    """Twelve triangles of a box are six planes and eight corners."""
    compiled = compiled_free(terrain.block(0.2, 0.4, 0.6))
    hull = compiled.tables.collision.hulls[0]
    assert (hull["point_count"], hull["plane_count"]) == (8, 6)
    offsets = sorted(compiled.tables.collision.hull_planes[:, 3].tolist())
    assert offsets == pytest.approx([0.1, 0.1, 0.2, 0.2, 0.3, 0.3], abs=1e-7)
    assert texts(compiled) == []


def test_moving_cone_is_a_hull_within_its_tolerance() -> None:
    """48 sides: volume sin(2*pi/48)/(2*pi/48) of the cone's, corners on the cone."""
    points, faces = cone_surface(0.5, 1.0)
    assert is_convex(points, faces)
    radii = np.hypot(points[:, 0], points[:, 1])
    assert radii[:48] == pytest.approx(0.5)
    share = math.sin(2 * math.pi / 48) / (2 * math.pi / 48)
    corners = points[faces]
    volume = np.linalg.det(corners).sum() / 6
    assert volume == pytest.approx(share * math.pi * 0.25 / 3)
    hull = compiled_free(GeometryCone(0.5, 1.0)).tables.collision.hulls[0]
    assert (hull["point_count"], hull["plane_count"]) == (49, 49)


def test_moving_ground_has_a_hull_for_planes_and_triangles_only() -> None:
    """Its own triangles meet everything else."""
    compiled = compiled_free(terrain.bumps())
    model, tables = compiled.model, compiled.tables.collision
    assert texts(compiled) == []
    assert [row["kind"] for row in tables.terrains] == [TerrainKind.HEIGHTS]
    (hull,) = tables.hulls["geom"].tolist()
    assert (model.geom_contype[hull], model.geom_conaffinity[hull]) == (0, SURFACE_BIT)


def test_flat_moving_mesh_gets_a_thickness() -> None:
    """MuJoCo's hulls need a volume: 1e-4 of the size to each side."""
    plate = GeometryMesh(((0, 0, 0), (1, 0, 0), (0, 1, 0)), ((0, 1, 2),))
    hull = compiled_free(plate).tables.collision.hulls[0]
    assert hull["point_count"] == 6
    points = np.array(plate.vertices)
    assert np.ptp(thickened(points)[:, 2]) == pytest.approx(2e-4, rel=0.5)


@pytest.mark.parametrize(
    ("form", "text"),
    [
        (GeometryMesh((), ()), "this mesh has no triangle with an area: it does not collide"),
        (
            GeometryMesh(((0, 0, 0), (1, 0, 0), (2, 0, 0)), ((0, 1, 2),)),
            "this mesh has no triangle with an area: it does not collide",
        ),
        (
            GeometryHeightField(1, 1, 1.0, 1.0, (0.0,)),
            "this heightfield has no triangle with an area: it does not collide",
        ),
        (
            GeometryLines(((0, 0, 0), (1, 0, 0)), ((0, 1),)),
            "this lines has no surface: it does not collide",
        ),
    ],
    ids=["empty", "line", "point", "lines"],
)
def test_form_that_cannot_collide_is_reported_with_its_place(form: Geometry, text: str) -> None:
    """One warning, and the rest of the scene is simulated."""
    found = texts(compiled_free(form))
    assert found == [f"mesh.wbt:3:5: warning: body: {text}"]


def test_mjcf_has_meshes_and_says_where_they_are_hulls() -> None:
    """A hollow mesh is written whole, and collides as its hull in plain MuJoCo."""
    scene = b.scene(at_place(b.static_body("pipe", terrain.tube(0.2, 0.3, 0.4))))
    compiled = compile_scene(scene, for_export=True)
    assert texts(compiled) == [
        "mesh.wbt:3:5: warning: pipe: MuJoCo collides this mesh as its convex hull"
    ]
    again = mujoco.MjModel.from_xml_string(compiled.spec.to_xml())
    assert again.nmesh == 1 and again.mesh_facenum[0] == 128


def test_terrain_goes_with_its_kinematic_body() -> None:
    """A platform of triangles lifts what stands on it.

    It lags by v*h*(1/ERP - 1), since only its place pushes, as in ODE: a body without mass has no velocity.
    """
    speed, h, erp = 0.5, 0.008, 0.2
    platform = b.static_body("platform", terrain.block(1, 1, 0.1), at=(0, 0, -0.05))
    link = replace(platform.links[0], linear_velocity=(0.0, 0.0, speed))
    box = terrain.free_form("box", terrain.block(0.2, 0.2, 0.2), (0, 0, 0.1))
    sim = make_sim(b.scene(replace(platform, links=(link,)), box))
    sim.step(250)
    lag = speed * h * (1 / erp - 1)
    # and sinks in by h*CFM*m*g/ERP/4 = 0.1 mm
    assert sim.poses()[1, 2] == pytest.approx(0.1 + speed * 2.0 - lag, abs=2e-4)


@pytest.mark.parametrize("seed", range(8))
def test_any_triangles_compile(seed: int) -> None:
    """Flat, tiny, huge, thin, repeated, not finite: standing or moving, MuJoCo never refuses."""
    random = np.random.default_rng(seed)
    for trial in range(12):
        count = int(random.integers(1, 12))
        points = random.normal(size=(count, 3)) * 10.0 ** random.integers(-7, 5)
        match trial % 5:
            case 0:
                points[:, 2] = 0.0
            case 1:
                points[:, 1:] = 0.0
            case 2:
                points[0] = math.nan
            case 3:
                points[0] = 1e30
            case _:
                points = np.round(points)
        faces = random.integers(0, count, size=(int(random.integers(0, 15)), 3))
        mesh = GeometryMesh(
            tuple((x, y, z) for x, y, z in points.tolist()),
            tuple((i, j, k) for i, j, k in faces.tolist()),
        )
        for body in (b.static_body("body", mesh), terrain.free_form("body", mesh, (0, 0, 1))):
            compiled = compile_scene(b.scene(body), cut_meshes=False)
            tables = compiled.tables.collision
            touches = len(tables.terrains) + len(tables.hulls)
            assert touches + len(texts(compiled)) == 1, "it collides, or it is said why not"


def test_shapes_of_one_mesh_share_their_triangles_and_vertices() -> None:
    """A hundred robots of one make need the tables of one."""
    tube = terrain.tube(0.06, 0.1, 0.15)
    one = terrain.free_form("one", tube, (0.0, 0.0, 0.5))
    two = terrain.free_form("two", replace(tube), (1.0, 0.0, 0.5))
    tables = compile_scene(b.scene(b.floor(), one, two)).tables.collision
    assert tables.terrains["triangle_start"].tolist() == [0, 0]
    assert len(tables.triangles) == len(tube.triangles)
    assert tables.meshes["point_start"].tolist() == [0, 0]
    assert len(tables.mesh_points) == len(tube.vertices)
