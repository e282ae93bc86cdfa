"""Light, sky and view of Choreonoid scenes."""

from __future__ import annotations

import math
from itertools import product
from pathlib import Path

import pytest

from solidbody.base.transforms import normalized, quat_rotate, subtract
from solidbody.formats.choreonoid.project.surroundings import LIGHTS
from solidbody.formats.loading import read_scene_text
from solidbody.model.environment import LightDirectional, LightPoint, LightSpot
from tests.formats.choreonoid.projects import ARM, body, item, project, read, world

AIST = item("AISTSimulatorItem", "AIST")
ROBOT = body("Robot", "arm.body")
VIEW = """
views:
  - { class: ItemTreeView, state: 3 }
  - class: SceneView
    state:
      cameras:
        - { camera: [ System, Perspective ], eye: [ 1, 2, 3 ], direction: [ 0, 2, 0 ], up: [ 0, 0, 1 ] }
        - { camera: Other, eye: [ 9, 9, 9 ], direction: [ 1, 0, 0 ], up: [ 0, 0, 1 ] }
"""


OLD_VIEW = """
views:
  "Items": { selected: [ 6 ] }
  "Scene":
    camera: { current: Perspective, eye: [ 1, 2, 3 ], direction: [ 0, 2, 0 ], up: [ 0, 0, 1 ] }
"""


ONE_CAMERA = """
views:
  - class: SceneView
    state:
      camera: { current: Perspective, eye: [ 1, 2, 3 ], direction: [ 0, 2, 0 ], up: [ 0, 0, 1 ] }
"""


@pytest.mark.parametrize("view", [VIEW, OLD_VIEW, ONE_CAMERA])
def test_a_stored_view_is_kept(tmp_path: Path, view: str) -> None:
    """The first camera of the first scene view: its place, and that it looks along +y."""
    scene, _ = read(tmp_path, project(world(ROBOT, AIST), more=view))
    pose = scene.viewpoint.pose
    assert pose.position == (1.0, 2.0, 3.0)
    assert quat_rotate(pose.rotation, (1.0, 0.0, 0.0)) == pytest.approx((0.0, 1.0, 0.0), abs=1e-12)
    assert quat_rotate(pose.rotation, (0.0, 0.0, 1.0)) == pytest.approx((0.0, 0.0, 1.0), abs=1e-12)


def test_without_one_the_view_shows_what_moves() -> None:
    """The eye looks at the middle of the box around the links, from farther away than the robot is large."""
    scene, _ = read_scene_text(ARM, "arm.body")
    assert scene is not None
    pose = scene.viewpoint.pose
    # frames of BASE and LOOSE at (0,0,0.5), TURN at (1,0,0.5), SLIDE at (2,0,0.5)
    middle = (1.0, 0.0, 0.5)
    towards = normalized(subtract(middle, pose.position))
    assert quat_rotate(pose.rotation, (1.0, 0.0, 0.0)) == pytest.approx(towards, abs=1e-12)
    assert math.dist(middle, pose.position) > 2 * 1.25


@pytest.mark.parametrize("side", [0.2, 4.0, 12.0])
@pytest.mark.parametrize("kind", ["free", "fixed"])
def test_a_body_is_framed_with_its_shapes(side: float, kind: str) -> None:
    """A cube beside its link's frame: each corner is in the picture, and the cube fills a good part of it."""
    text = (
        "{ format: ChoreonoidBody, format_version: 2.0, name: Cube, links: [ { name: CUBE, "
        f"joint_type: {kind}, elements: [ {{ type: RigidBody, mass: 1, elements: [ {{ type: Shape, "
        f"translation: [ 0, {side}, 0 ], geometry: {{ type: Box, size: [ {side}, {side}, {side} ] }} }} ] "
        "} ] } ] }"
    )
    scene, _ = read_scene_text(text, "cube.body")
    assert scene is not None
    view = scene.viewpoint
    half = 0.6978 / 2  # across the shorter side
    seen: list[float] = []
    for x, y, z in product((-0.5, 0.5), (0.5, 1.5), (-0.5, 0.5)):
        place = view.pose.inverse().point((x * side, y * side, z * side))
        assert place[0] > 0
        seen.append(max(abs(math.atan2(place[1], place[0])), abs(math.atan2(place[2], place[0]))))
    assert 0.3 * half < max(seen) < half


def test_scenes_are_lit() -> None:
    """As in the program, whose files hold no sun."""
    scene, _ = read_scene_text(ARM, "arm.body")
    assert scene is not None
    assert scene.lights == LIGHTS
    assert scene.background is not None


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("Directional light", LightDirectional),
        ("Point light", LightPoint),
        ("Spot light", LightSpot),
    ],
)
def test_lighting_items_are_lights(tmp_path: Path, kind: str, expected: type) -> None:
    """With their own spelling of the keys of spot lights."""
    data = (
        f'light_type: "{kind}", translation: [ 0, 0, 2.5 ], direction: [ 0, 0, -2 ], on: false, '
        "color: [ 1, 0, 0 ], intensity: 0.8, ambient_intensity: 0.1, constant_attenuation: 2, "
        "linear_attenuation: 1, quadratic_attenuation: 0.5, beam_width: 60, cutoff_angle: 70, "
        "cutoff_exponent: 2, show_marker: false"
    )
    scene, messages = read(tmp_path, project(world(ROBOT, AIST, item("LightingItem", "L", data))))
    assert messages == []
    light = scene.lights[-1]
    assert isinstance(light, expected)
    assert (light.color, light.intensity, light.ambient) == ((1.0, 0.0, 0.0), 0.8, 0.1)
    assert not light.is_on
    if isinstance(light, LightPoint | LightSpot):
        assert light.position == (0.0, 0.0, 2.5)
        assert light.attenuation == (2.0, 1.0, 0.5)
    if isinstance(light, LightSpot):
        assert light.direction == (0.0, 0.0, -1.0)
        assert light.beam_width == pytest.approx(math.pi / 3)
        assert light.cut_off_angle == pytest.approx(math.radians(70))
        assert light.cut_off_exponent == 2.0


def test_an_unknown_kind_of_light_is_named(tmp_path: Path) -> None:
    """And read as a point light."""
    _, messages = read(
        tmp_path, project(world(ROBOT, AIST, item("LightingItem", "L", "light_type: Sun")))
    )
    assert len(messages) == 1
    assert "expected one of Directional light, Point light, Spot light, got" in messages[0]
