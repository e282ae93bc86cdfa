"""Recognition: where objects are, how large they look, what hides them; segmentation images."""

from __future__ import annotations

import math

import numpy as np
import pytest

from solidbody.devices.imaging.cameras import Cameras
from solidbody.devices.imaging.depth_of_field import lens_points
from solidbody.devices.imaging.recognition import Recognised
from tests.devices.worlds import sim_of
from tests.render.seeing import light_of

CAMERA = "Camera { width 200 height 100 fieldOfView 1 recognition Recognition { %s } }"
FOCAL = 100.0 / math.tan(0.5)
"""[pixels] of a camera 200 pixels wide with a field of view of 1 rad."""


def _ball(at: str, *, radius: float = 0.5, color: str = "0 1 0", name: str = "ball") -> str:
    return (
        f'Solid {{ translation {at} name "{name}" model "sphere" recognitionColors [ {color} ] '
        f"children [ Shape {{ geometry Sphere {{ radius {radius} }} }} ] "
        f"boundingObject Sphere {{ radius {radius} }} }}"
    )


WALL = (
    'Solid { translation 2 0 0 name "wall" children [ Shape { geometry Box { size 0.1 %s 3 } } ] '
    "boundingObject Box { size 0.1 %s 3 } }"
)


def _cameras(nodes: str, settings: str = "", *, robot: str = "") -> Cameras:
    sim = sim_of(nodes + f"\nRobot {{ {robot} children [ {CAMERA % settings} ] }}")
    group, row = sim.devices.group_of(sim.devices.names["camera"])
    assert isinstance(group, Cameras)
    group.states[row].recognises = True
    sim.device("camera").enable()
    sim.step()
    return group


def _objects(nodes: str, settings: str = "", *, robot: str = "") -> tuple[Recognised, ...]:
    return _cameras(nodes, settings, robot=robot).objects(0)


def test_an_object_is_where_it_is() -> None:
    """Position, size and model in the camera frame; the pixel by the pinhole's law."""
    (found,) = _objects(_ball("4 1 -0.5"))
    assert found.position == pytest.approx((4.0, 1.0, -0.5))
    assert found.size == pytest.approx((1.0, 1.0))
    assert (found.name, found.model, found.colors) == ("ball", "sphere", ((0.0, 1.0, 0.0),))
    # its six outermost points: those at the sides are as far as the middle, whole pixels of 199 and 99
    left, right = (int(99.5 - y * 0.995 * FOCAL / 4) for y in (1.5, 0.5))
    high, low = (int(49.5 - z * 0.99 * FOCAL / 4) for z in (0.0, -1.0))
    assert found.size_on_image == (right - left, low - high)
    assert found.position_on_image == ((left + right + 1) // 2, (high + low + 1) // 2)


def test_positions_are_in_the_frame_of_the_camera() -> None:
    """A camera that looks along +y at (1, 2, 0) sees (1, 6, 0) straight ahead at 4 m."""
    (found,) = _objects(_ball("1 6 0"), robot="translation 1 2 0 rotation 0 0 1 1.5707963267949")
    assert found.position == pytest.approx((4.0, 0.0, 0.0), abs=1e-9)
    # the object is parallel to the world, hence turned by -90 degrees to the camera
    half = math.sqrt(0.5)
    assert found.orientation == pytest.approx((half, 0.0, 0.0, -half))


@pytest.mark.parametrize(
    ("at", "is_seen"),
    [("4 0 0", True), ("-4 0 0", False), ("4 9 0", False), ("11 0 0", False), ("4 2.3 0", True)],
)
def test_only_what_is_in_view_and_in_range_is_recognised(at: str, is_seen: bool) -> None:
    """Behind, beside, beyond maxRange; the last one is half in view: 4 tan(0.5) = 2.19."""
    assert bool(_objects(_ball(at), "maxRange 10")) is is_seen


def _panorama(projection: str, angle: float) -> dict[str, Recognised]:
    """A capsule upright on the left and a beam behind a camera, all in its frame."""
    nodes = """
    Solid { name "capsule" translation 0.37 1.65 0.9 recognitionColors [ 0 0 1 ]
      boundingObject Capsule { height 1 radius 0.05 } }
    Solid { name "beam" translation -0.55 0 0.43 recognitionColors [ 0 1 0 ]
      boundingObject Box { size 0.1 0.9 0.1 } }
    Solid { name "bare" translation 1.15 -0.78 1.98 recognitionColors [ 1 0 0 ]
      children [ Shape { geometry Sphere { radius 0.2 } } ] }
    """
    camera = (
        f'Camera {{ width 256 height 256 projection "{projection}" fieldOfView {angle} '
        "recognition Recognition { maxRange 5 occlusion 2 } }"
    )
    sim = sim_of(nodes + f"Robot {{ children [ {camera} ] }}")
    group, row = sim.devices.group_of(sim.devices.names["camera"])
    assert isinstance(group, Cameras)
    group.states[row].recognises = True
    sim.device("camera").enable()
    sim.step()
    return {found.name: found for found in group.objects(row)}


def test_spherical_and_cylindrical_pictures_show_things_where_webots_has_them() -> None:
    """Pixels of Webots' test camera_recognition, which it gives to within one."""
    found = _panorama("spherical", 6.28)
    capsule, beam = found["capsule"], found["beam"]
    assert capsule.size == pytest.approx((0.1, 0.1)), "forward and to the left"
    assert capsule.position_on_image == pytest.approx((79, 102), abs=1)
    assert capsule.size_on_image == pytest.approx((14, 28), abs=1)
    assert beam.size == pytest.approx((0.1, 0.9))
    assert beam.position_on_image == pytest.approx((128, 47), abs=1)
    assert beam.size_on_image == pytest.approx((146, 42), abs=1)
    found = _panorama("cylindrical", 3.0)
    assert "beam" not in found, "behind it"
    assert found["capsule"].position_on_image == pytest.approx((12, 88), abs=1)
    assert found["capsule"].size_on_image == pytest.approx((6, 45), abs=1)
    assert found["bare"].size == pytest.approx((0.4, 0.4)), "of a ball around what is drawn"


def test_what_is_beyond_an_edge_is_cut_off() -> None:
    """A ball whose right side is outside: smaller by that, its middle moved."""
    (found,) = _objects(_ball("4 -2 0"))
    normal = np.array([math.sin(0.5), math.cos(0.5)])
    outside = 0.5 - float(normal @ (4.0, -2.0))
    assert 0.0 < outside < 0.5
    assert found.size == pytest.approx((1.0, 1.0 - outside))
    assert found.position == pytest.approx((4.0, -2.0 + 0.5 * outside, 0.0))
    assert found.position_on_image[0] + found.size_on_image[0] / 2 <= 199.5


def test_a_thing_is_as_large_as_all_that_hangs_on_it() -> None:
    """A box with a box on an arm: both in one, whether the arm is rigid or a joint."""
    box = "boundingObject Box { size 0.2 0.2 0.2 }"
    part = f"Solid {{ translation 0 0 0.6 {box} physics Physics {{ }} }}"
    joint = f"HingeJoint {{ jointParameters HingeJointParameters {{ }} endPoint {part} }}"
    for below in (part, joint):
        (found,) = _objects(
            f"Solid {{ translation 4 0 0 recognitionColors [ 0 1 0 ] children [ {below} ] {box} "
            "physics Physics { } }"
        )
        assert found.position == pytest.approx((4.0, 0.0, 0.3), abs=1e-3)


def test_things_without_colours_are_not_recognised() -> None:
    """recognitionColors decides."""
    assert not _objects(WALL % (1, 1))


@pytest.mark.parametrize(
    ("occlusion", "width", "is_seen"),
    [(0, 6, True), (1, 6, False), (2, 6, False), (1, 0.2, False), (2, 0.2, True)],
)
def test_a_wall_hides_what_is_behind_it(occlusion: int, width: float, is_seen: bool) -> None:
    """0 does not look, 1 asks for the centre only, 2 for several points.

    A wall 0.2 m wide at 2 m hides the middle of a ball at 4 m, but no more than 0.4 m of its 1 m.
    """
    scene = _ball("4 0 0") + WALL % (width, width)
    assert bool(_objects(scene, f"occlusion {occlusion}")) is is_seen


def test_the_largest_objects_are_kept() -> None:
    """Largest in pixels, not in metres."""
    balls = _ball("4 0 0", name="near") + _ball("9 2 0", radius=0.6, name="far")
    assert len(_objects(balls)) == 2
    (kept,) = _objects(balls, "maxObjects 1")
    assert kept.name == "near"


def test_the_segmentation_image_has_the_first_colour_of_each_object() -> None:
    """Colours 1 0 1 and 0 1 0.2 on black; the disc of a ball of radius r at d has d/sqrt(d^2 - r^2)."""
    balls = _ball("4 0 0", color="1 0 1, 0 0 1") + _ball("6 2 0", color="0 1 0.2", name="other")
    group = _cameras(balls + WALL.replace("2 0 0", "20 0 0") % (90, 90), "segmentation TRUE")
    image = group.segmentation(0)
    assert image is not None
    assert image.shape == (100, 200, 3)
    colours = {tuple(c) for c in image.reshape(-1, 3).tolist()}
    assert colours == {(0, 0, 0), (255, 0, 255), (0, 255, 51)}
    count = int((image == (255, 0, 255)).all(axis=-1).sum())
    radius = FOCAL * 0.5 / math.sqrt(16.0 - 0.25)
    # one pixel of the rim more or less
    assert count == pytest.approx(math.pi * radius**2, abs=2 * math.pi * radius)


def test_focus_blurs_edges_by_the_law_of_the_lens() -> None:
    """A point at s is D·|1/s - 1/F|·f pixels wide; in focus nothing changes."""
    scene = (
        "Background { skyColor [ 0 0 0 ] } Solid { translation 2.05 2 0 children [ Shape { "
        "appearance Appearance { material Material { emissiveColor 1 1 1 } } "
        "geometry Box { size 0.1 4 9 } } ] }"
    )
    camera = (
        "Camera {{ width 200 height 10 fieldOfView 1 "
        "focus Focus {{ focalDistance {} focalLength 0.2 maxFocalDistance 20 }} }}"
    )

    def row(focal_distance: float) -> np.ndarray:
        sim = sim_of(scene + f"Robot {{ children [ {camera.format(focal_distance)} ] }}")
        sim.device("camera").enable()
        sim.step()
        return light_of(sim.device("camera").value[5, :, 0])

    sharp, soft = row(2.0), row(0.5)
    assert ((sharp < 0.01) | (sharp > 0.99)).sum() >= 199
    across = float(np.ptp(lens_points(0.2)[:, 1]))
    assert across == pytest.approx(0.2, rel=0.2)  # 16 points do not reach every part of the rim
    grey = np.flatnonzero((soft > 0.01) & (soft < 0.99))
    # pixels are whole at both ends
    assert grey[-1] - grey[0] == pytest.approx(across * (1 / 0.5 - 1 / 2.0) * FOCAL, abs=2)
    assert soft.mean() == pytest.approx(sharp.mean(), abs=0.02)


def test_a_noise_mask_that_is_missing_is_reported() -> None:
    """The camera works on without it."""
    sim = sim_of('Robot { children [ Camera { noiseMaskUrl "no_such_mask.png" } ] }')
    sim.device("camera").enable()
    sim.step()
    (said,) = sim.devices.world.log
    assert 'cannot read "no_such_mask.png" as a picture' in said.text
    assert sim.device("camera").value.shape == (64, 64, 3)
