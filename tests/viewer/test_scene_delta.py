"""A scene that has changed a little travels without what the page has already."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from PIL import Image

import solidbody as sb
from solidbody.viewer.protocol_scene import WireScene
from solidbody.viewer.scene_delta import keys_of, without
from solidbody.viewer.scene_encoding import SceneCache, encode_scene, to_json
from tests.viewer.serving import running_view
from tests.waiting import wait_until

MESH = """
Solid { name "rock" children [ Shape {
  appearance PBRAppearance { baseColorMap ImageTexture { url "stone.png" } }
  geometry IndexedFaceSet {
    coord Coordinate { point [ 0 0 0, 1 0 0, 0 1 0, 0 0 1 ] }
    coordIndex [ 0 2 1 -1 0 1 3 -1 1 2 3 -1 2 0 3 -1 ]
  }
} ] }
"""
BOX = 'DEF BOX Solid { name "box" children [ Shape { geometry Box { } } ] }\n'


@pytest.fixture
def sim(tmp_path: Path) -> sb.Sim:
    """Return a world with a mesh, a picture and a box."""
    Image.new("RGB", (16, 16), (90, 80, 70)).save(tmp_path / "stone.png")
    world = tmp_path / "world.wbt"
    head = "#VRML_SIM R2025a utf8\nWorldInfo { basicTimeStep 8 }\n"
    world.write_text(head + MESH + BOX, encoding="utf-8")
    return sb.Sim(sb.load(str(world)))


def _encode(sim: sb.Sim, cache: SceneCache | None = None) -> WireScene:
    return encode_scene(sim.scene, sim.poses(), sim.moving, time_step=0.008, cache=cache)


def test_contents_that_are_known_are_left_out(sim: sb.Sim) -> None:
    """The mesh and the picture keep their keys and lose their texts; the rest stays as it is."""
    scene = _encode(sim)
    assert len(keys_of(scene)) == 2
    short = without(scene, keys_of(scene))
    assert short.shapes == scene.shapes
    assert keys_of(short) == keys_of(scene)
    (mesh,) = [item for item in short.geometries if item.kind == "mesh"]
    assert (mesh.vertices, mesh.triangles, mesh.uvs, mesh.two_sided) == ("", "", "", False)
    assert [item.image for item in short.textures] == [""]
    assert without(scene, ()) is scene


def test_other_contents_have_other_keys_and_another_revision(sim: sb.Sim) -> None:
    """One corner of the mesh moves by a millimetre."""
    before = _encode(sim)
    links = list(sim.scene.links())
    geometry: Any = links[0].shapes[0].geometry
    moved = replace(geometry, vertices=((0.001, 0.0, 0.0), *geometry.vertices[1:]))
    shape = replace(links[0].shapes[0], geometry=moved)
    body = sim.scene.bodies[0]
    link = replace(links[0], shapes=(shape,))
    scene = replace(
        sim.scene, bodies=(replace(body, links=(link, *body.links[1:])), *sim.scene.bodies[1:])
    )
    after = encode_scene(scene, sim.poses(), sim.moving, time_step=0.008)
    assert len(keys_of(before) & keys_of(after)) == 1  # the picture
    assert before.revision != after.revision


def test_what_was_encoded_is_not_encoded_again(sim: sb.Sim) -> None:
    """The cache hands out the same texts, and forgets those of scenes that are gone."""
    cache = SceneCache()
    first, second = _encode(sim, cache), _encode(sim, cache)
    assert first == second
    assert first.textures[0] is second.textures[0]
    assert any(a is b for a, b in zip(first.geometries, second.geometries, strict=True))
    assert len(cache.geometries) == 2


def test_the_server_sends_only_what_a_page_lacks(sim: sb.Sim) -> None:
    """To a page that names the scene it has; to one that names none, or a wrong one, all of it."""
    with running_view(sim, paused=True) as view:
        wait_until(lambda: view.server.started)
        scene = httpx.get(f"{view.url}/api/scene").json()
        again = httpx.get(f"{view.url}/api/scene", params={"known": scene["revision"]}).json()
        other = httpx.get(f"{view.url}/api/scene", params={"known": "no such"})
    assert other.json() == scene
    assert int(other.headers["Solidbody-Size"]) == len(other.content)
    assert again["revision"] == scene["revision"]
    assert [item["image"] for item in again["textures"]] == [""]
    assert len(to_json(again)) < len(other.content)
