"""What changes in the picture and in the sound while a simulation runs, in a real browser."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from pathlib import Path

import httpx
import numpy as np
import pytest
from PIL import Image

import solidbody as sb
from solidbody.devices.actuators.displays import Displays
from solidbody.devices.actuators.lamps import Leds
from solidbody.viewer.page_files import load_page
from solidbody.viewer.protocol import CommandStep
from tests.browser.conftest import OpenViewer
from tests.browser.driving import patch
from tests.viewer.serving import running_view

pytestmark = pytest.mark.browser

HEAD = """#VRML_SIM R2025a utf8
WorldInfo { basicTimeStep 8 }
Viewpoint { position -3 0 0.8 orientation 0 1 0 0.15 }
Background { skyColor [ 0.5 0.6 0.8 ] }
Solid { name "floor" children [ DEF FLOOR Shape {
  appearance PBRAppearance { baseColor 0.5 0.5 0.5 roughness 1 metalness 0 }
  geometry Plane { size 6 6 }
} ] boundingObject USE FLOOR }
"""

BALL = """
Solid { name "ball" translation 0 0.5 0.8 children [ DEF BALL Shape {
  appearance PBRAppearance { baseColor 0.8 0.1 0.1 roughness 1 metalness 0 }
  geometry Sphere { radius 0.1 subdivision 3 }
} ] boundingObject USE BALL physics Physics { density -1 mass 1 } }
"""

SHOW = """
DirectionalLight { direction 0.6 0.3 -1 intensity 1 castShadows TRUE }
Robot { name "show" translation 0 0 0.4 controller "<none>" children [
  LED { name "led" translation 0 0.7 0 color [ 0 1 0 ] children [ Group { children [
    Shape { appearance PBRAppearance { baseColor 0.1 0.1 0.1 roughness 1 metalness 0 }
            geometry Box { size 0.3 0.3 0.3 } }
    PointLight { location -0.4 0 0 on FALSE attenuation 0 0 1 intensity 0.2 }
  ] } ] }
  Display { name "screen" width 64 height 32 children [
    Pose { rotation 0 1 0 -1.5708 children [ Pose { rotation 0 0 1 -1.5708 children [
      Shape { appearance PBRAppearance { baseColorMap ImageTexture { } roughness 1 metalness 0 }
              geometry Plane { size 0.8 0.4 } }
    ] } ] }
  ] }
] }
"""

SENSORS = """
DirectionalLight { direction 0.6 0.3 -1 intensity 2 castShadows TRUE }
Solid { translation 1 0 0.3 name "wall" children [ DEF W Shape {
  appearance PBRAppearance { baseColor 0.8 0.7 0.5 roughness 1 metalness 0 }
  geometry Box { size 0.1 3 0.6 }
} ] boundingObject USE W }
Robot { name "car" translation 0 0 0.1 controller "<none>" children [
  Shape { appearance PBRAppearance { baseColor 0.1 0.3 0.8 } geometry Box { size 0.3 0.2 0.1 } }
  Camera { name "eye" translation 0.2 0 0.1 width 32 height 24 }
  Lidar { name "lidar" translation 0 0 0.15 horizontalResolution 64 numberOfLayers 4 maxRange 4
          fieldOfView 1.5 }
  DistanceSensor { name "left" translation 0.1 0.1 0 rotation 0 0 1 0.4 lookupTable [ 0 0 0, 3 3 0 ] }
  DistanceSensor { name "back" translation -0.2 0 0 rotation 0 0 1 3.1416 lookupTable [ 0 0 0, 1 1 0 ] }
  HingeJoint {
    jointParameters HingeJointParameters { axis 0 0 1 anchor 0 0.3 0 }
    device RotationalMotor { name "m" }
    endPoint Solid { name "arm" translation 0 0.4 0
                     children [ DEF A Shape { geometry Box { size 0.05 0.2 0.05 } } ]
                     boundingObject USE A physics Physics { density -1 mass 0.1 } }
  }
] boundingObject Box { size 0.3 0.2 0.1 } physics Physics { density -1 mass 2 } }
"""


def _sim(folder: Path, nodes: str) -> sb.Sim:
    path = folder / "world.wbt"
    path.write_text(HEAD + nodes, encoding="utf-8")
    return sb.Sim(sb.load(str(path)))


def test_sounds_are_played_once_they_are_switched_on(
    tmp_path: Path, open_viewer: OpenViewer
) -> None:
    """A ball that falls, three times: in silence, with a knock after the press of the button, in silence."""
    sim = _sim(tmp_path, "DirectionalLight { direction 0.6 0.3 -1 intensity 2 }" + BALL)
    with running_view(sim, page=load_page()) as view:
        viewer = open_viewer(view.url)
        viewer.wait_for_picture()
        viewer.wait(lambda: viewer.read("time") > 0.6, "the first knock")
        assert viewer.read("sound") == {"isOn": False, "started": {}, "level": 0}
        viewer.press("sound")
        assert viewer.page.get_by_test_id("sound").get_attribute("aria-pressed") == "true"
        viewer.press("reset")
        viewer.wait(lambda: viewer.read("sound.started.once"), "a knock")

        def is_heard() -> bool:
            """It is short: a machine that looked too late lets the ball fall again."""
            is_loud = viewer.read("sound.level") > 1e-4
            if not is_loud and viewer.read("time") > 1.5:
                viewer.press("reset")
            return is_loud

        viewer.wait(is_heard, "samples that are not silent")
        viewer.press("sound")
        count = viewer.read("sound.started.once")
        viewer.pause()  # however seldom a busy machine looks, it sees the start
        viewer.press("reset")
        viewer.wait(lambda: viewer.read("time") < 0.4, "the start")
        viewer.press("play")
        viewer.wait(lambda: viewer.read("time") > 0.8, "the ball to land again")
        assert viewer.read("sound.started.once") == count
        viewer.page.close()


HUM = """#VRML_SIM R2025a utf8
WorldInfo {{ basicTimeStep 8 }}
Viewpoint {{ position -{distance} 0 0.5 }}
Robot {{ name "hummer" translation 0 0 0.5 controller "<none>" children [
  HingeJoint {{ jointParameters HingeJointParameters {{ axis 1 0 0 }}
                device RotationalMotor {{ name "m" }}
                endPoint Solid {{ children [ DEF B Shape {{ geometry Box {{ size 0.1 0.3 0.1 }} }} ]
                                  boundingObject USE B physics Physics {{ density -1 mass 1 }} }} }}
] }}
"""
"""A motor straight ahead of the camera."""


def _level(folder: Path, open_viewer: OpenViewer, distance: float) -> float:
    """Return the loudness of a motor that turns at 8 of 10 rad/s, heard from a distance [m]."""
    path = folder / f"hum{distance:g}.wbt"
    path.write_text(HUM.format(distance=distance), encoding="utf-8")
    sim = sb.Sim(sb.load(str(path)))
    sim.joint("m").target_velocity = 8.0
    with running_view(sim, page=load_page()) as view:
        viewer = open_viewer(view.url)
        viewer.wait_for_picture()
        viewer.press("sound")
        viewer.wait(lambda: viewer.read("sound.started.loop"), "a hum")
        viewer.page.wait_for_timeout(
            500
        )  # until the gain has come in, over 20 ms, also if pictures are late
        levels: list[float] = []
        for _ in range(8):
            viewer.page.wait_for_timeout(60)
            levels.append(viewer.read("sound.level"))
        viewer.page.close()
    return float(np.median(levels))


def test_loudness_falls_as_one_over_the_distance(tmp_path: Path, open_viewer: OpenViewer) -> None:
    """Twice as far, half as loud; up to one metre it is full."""
    near, close, far = (_level(tmp_path, open_viewer, d) for d in (0.8, 2.0, 4.0))
    # 46 ms of a hum of 100 Hz hold four to five periods: 5 % more or less
    assert close / far == pytest.approx(2.0, rel=0.15)
    assert near / close == pytest.approx(2.0, rel=0.15)


def test_sounds_stop_with_time(tmp_path: Path, open_viewer: OpenViewer) -> None:
    """A motor hums while it turns, not while the simulation is paused."""
    sim = _sim(tmp_path, SENSORS)
    sim.joint("m").target_velocity = 8.0
    with running_view(sim, page=load_page()) as view:
        viewer = open_viewer(view.url)
        viewer.wait_for_picture()
        viewer.press("sound")
        viewer.wait(lambda: viewer.read("sound.started.loop"), "a hum")
        viewer.wait(lambda: viewer.read("sound.level") > 1e-4, "samples that are not silent")
        viewer.pause()
        level = viewer.read("sound.level")
        viewer.page.wait_for_timeout(200)
        assert viewer.read("sound.level") == level  # the clock of the sound stands still
        viewer.page.close()


def test_leds_glow_and_displays_show_what_is_drawn(tmp_path: Path, open_viewer: OpenViewer) -> None:
    """A box turns green, its lamp lights the floor, and a screen is red on the left and blue on the right."""
    sim = _sim(tmp_path, SHOW)
    leds = next(g for g in sim.devices.groups if isinstance(g, Leds))
    displays = next(g for g in sim.devices.groups if isinstance(g, Displays))
    with running_view(sim, page=load_page(), paused=True) as view:
        viewer = open_viewer(view.url)
        viewer.wait_for_picture()
        viewer.wait_until_still()
        box = _middle((0.0, 0.7, 0.4))
        dark = patch(viewer.pixels(), *box)
        assert dark.max() < 110
        leds.set(0, 1)  # the simulation stands still: nobody else touches it
        canvas = displays.canvas(0)
        canvas.pixels[:, :32] = (255, 0, 0, 255)
        canvas.pixels[:, 32:] = (0, 0, 255, 255)
        displays.refresh(0)
        viewer.wait(lambda: viewer.read("lamps") == [True, True], "the lamp")
        viewer.wait(lambda: (viewer.read("look(3)") or {}).get("isPainted"), "the screen")
        viewer.wait_until_still()
        pixels = viewer.pixels()
        red, green, blue = patch(pixels, *box)
        assert green > 180 and green > 1.5 * red and green > 1.5 * blue
        left = patch(pixels, *_middle((0.0, 0.2, 0.4)))
        right = patch(pixels, *_middle((0.0, -0.2, 0.4)))
        assert (left.argmax(), right.argmax()) == (0, 2)
        # as a card as well
        viewer.press("sensors-button")
        viewer.press("show-screen")
        card = viewer.page.get_by_test_id("picture-screen")
        viewer.wait(lambda: card.get_attribute("data-drawn"), "the card")
        viewer.page.close()


OVERLAYS = {
    "contacts": ((-0.15, -0.1, 0.0), (0.15, 0.1, 1.0)),  # under the car, and arrows up
    "collision": ((-0.15, -1.5, 0.0), (1.05, 1.5, 0.6)),  # wall, car and arm
    "centres": ((-0.05, -0.05, 0.0), (0.05, 0.45, 0.1)),  # of car and arm
    "axes": ((0.0, 0.3, -0.25), (0.0, 0.3, 0.35)),  # of the hinge, upright
    "frames": ((0.0, -0.3, 0.0), (0.3, 0.7, 0.3)),  # floor, car and arm; the wall hides its own
    "frustums": ((0.0, -0.7, 0.0), (1.0, 0.7, 0.6)),  # in front of the car
    "rays": ((-1.2, -0.05, 0.0), (1.0, 0.5, 0.1)),  # back, and left to the wall
    "points": ((0.95, -1.5, 0.0), (0.95, 1.5, 0.6)),  # on the wall
}
"""What each overlay marks in the world of `SENSORS`: opposite corners of a box around it [m]."""

LINE = 14
"""[pixels] Half the width of marks: balls of contacts and masses, lines."""


def test_every_overlay_draws_what_it_says(tmp_path: Path, open_viewer: OpenViewer) -> None:
    """Each draws as many things as the world has, changes the picture there, and nowhere else."""
    with running_view(_sim(tmp_path, SENSORS), page=load_page()) as view:
        viewer = open_viewer(view.url)
        viewer.wait_for_picture()
        viewer.wait(lambda: viewer.read("time") > 0.5, "bodies at rest")
        viewer.pause()
        viewer.wait_until_still()  # at rest the page draws finer
        counts: dict[str, int] = {}
        plain = viewer.pixels()[100:600].astype(int)
        for kind, (low, high) in OVERLAYS.items():
            switch = viewer.page.get_by_test_id(f"overlay-{kind}")
            switch.evaluate("(it) => it.click()")
            viewer.wait(lambda kind=kind: viewer.read(f"overlay('{kind}')") > 0, kind)
            viewer.wait_until_still()
            counts[kind] = viewer.read(f"overlay('{kind}')")
            rows, columns = np.nonzero(np.abs(viewer.pixels()[100:600] - plain).max(axis=2) > 25)
            corners = np.array([_middle(place) for place in product(*zip(low, high, strict=True))])
            (left, top), (right, bottom) = corners.min(axis=0) - LINE, corners.max(axis=0) + LINE
            is_inside = (left <= columns) & (columns <= right)
            is_inside &= (top <= rows + 100) & (rows + 100 <= bottom)
            assert is_inside.sum() > 15, kind
            assert is_inside.mean() > 0.99, kind
            switch.evaluate("(it) => it.click()")
        assert counts.pop("contacts") >= 3
        assert counts.pop("points") > 100  # of 256 rays; those above the wall see nothing
        # walls, robot and arm; two masses; one joint; four links; camera and lidar; two sensors
        assert counts == {
            "collision": 3,
            "centres": 2,
            "axes": 1,
            "frames": 4,
            "frustums": 2,
            "rays": 2,
        }
        viewer.page.close()


def _middle(place: Sequence[float]) -> tuple[int, int]:
    """Return where a place is on the screen, from (-3, 0, 0.8), 0.15 rad down, 45 degrees over 1280."""
    x, y, z = place
    ahead, up = x + 3.0, z - 0.8
    c, s = np.cos(0.15), np.sin(0.15)
    depth, height = ahead * c - up * s, ahead * s + up * c
    scale = 640 / 0.41421 / depth
    return round(640 - y * scale), round(360 - height * scale)


def test_a_node_that_is_added_updates_only_that(tmp_path: Path, open_viewer: OpenViewer) -> None:
    """The old mesh is not sent again, nothing is compiled anew, and the camera stays where it is."""
    heights = " ".join(str(0.05 * (k % 3)) for k in range(900))
    mesh = f"""
    DirectionalLight {{ direction 0.6 0.3 -1 intensity 2 castShadows TRUE }}
    Solid {{ name "hills" translation 0 0.4 0 children [ Shape {{
      appearance PBRAppearance {{ baseColor 0.2 0.3 0.9 roughness 1 metalness 0 }}
      geometry ElevationGrid {{
        xDimension 30 yDimension 30 xSpacing 0.03 ySpacing 0.03 height [ {heights} ]
      }}
    }} ] }}
    """
    sim = _sim(tmp_path, mesh + BALL)
    more = _sim(
        tmp_path, mesh + BALL + BALL.replace('"ball"', '"new"').replace("0.5 0.8", "-0.7 0.8")
    )
    sizes: list[int] = []
    with running_view(sim, page=load_page(), paused=True) as view:
        viewer = open_viewer(view.url)
        viewer.page.on(
            "response", lambda got: sizes.append(len(got.body())) if "known=" in got.url else None
        )
        viewer.wait_for_picture()
        viewer.page.mouse.move(640, 360)
        viewer.page.mouse.wheel(0, 200)
        viewer.wait_until_still()
        before, place = viewer.read("cost"), viewer.screen_position("hills")
        whole = len(httpx.get(f"{view.url}/api/scene").content)
        sim.replace_scene(more.scene)  # the simulation stands still: nobody else touches it
        view.player.send(CommandStep(1))
        viewer.wait(lambda: viewer.page.evaluate("!!window.solidbody.position('new')"), "the node")
        viewer.wait_until_still()
        after = viewer.read("cost")
        assert (after["programs"], after["textures"]) == (before["programs"], before["textures"])
        assert viewer.screen_position("hills") == place
        red, green, blue = patch(viewer.pixels(), *viewer.screen_position("new"))
        assert red > 1.5 * green and red > 1.5 * blue
        assert sizes[-1] < 0.2 * whole  # most of it is the mesh of 900 corners
        viewer.page.close()


def test_five_hundred_shapes_are_drawn_in_few_calls(
    tmp_path: Path, open_viewer: OpenViewer
) -> None:
    """Of four forms in 500 colours: as many calls as forms, and twice that with their shadows."""
    forms = [
        "Box { size 0.1 0.1 0.1 }",
        "Sphere { radius 0.05 }",
        "Cylinder { radius 0.05 height 0.1 }",
        "Cone { bottomRadius 0.05 height 0.1 }",
    ]
    shapes = "".join(
        f"Pose {{ translation {k % 25 * 0.12 - 1} {k // 25 * 0.12 - 1.2} 0.1 children [ Shape {{ "
        f"appearance PBRAppearance {{ baseColor {k % 7 / 7} {k % 11 / 11} {k % 13 / 13} roughness 0.5 "
        f"metalness 0 }} geometry {forms[k % 4]} }} ] }} "
        for k in range(500)
    )
    light = "DirectionalLight { direction 0.6 0.3 -1 intensity 2 castShadows TRUE }"
    sim = _sim(tmp_path, f'{light} Solid {{ name "all" children [ {shapes} ] }}')
    with running_view(sim, page=load_page(), paused=True) as view:
        viewer = open_viewer(view.url)
        viewer.wait_for_picture()
        viewer.wait_until_still()
        # floor and four forms, each drawn into the picture and into both maps of the shadow; sky; outline
        assert viewer.read("cost.calls") <= 3 * 5 + 2
        viewer.page.close()


def test_the_picture_on_a_track_runs_with_its_belt(tmp_path: Path, open_viewer: OpenViewer) -> None:
    """Half a picture per half metre: what was red on the left is green then, and red is on the right."""
    flag = Image.new("RGB", (64, 64), (220, 10, 10))
    flag.paste((10, 160, 10), (32, 0, 64, 64))
    flag.save(tmp_path / "flag.png")
    sim = _sim(
        tmp_path,
        "DirectionalLight { direction 1 0 -0.3 intensity 3 } "
        'Robot { name "r" translation 0 0 0.5 controller "<none>" children [ Track { '
        'textureAnimation 1 0 device LinearMotor { name "belt" maxVelocity 5 } children [ Shape { '
        "appearance PBRAppearance { roughness 1 metalness 0 "
        'baseColorMap ImageTexture { url [ "flag.png" ] } } '
        "geometry Box { size 0.1 1.6 0.6 } } ] boundingObject Box { size 0.1 1.6 0.6 } } ] }",
    )
    sim.joint("belt").target_velocity = 1.0
    places = [_middle((-0.05, 0.4, 0.5)), _middle((-0.05, -0.4, 0.5))]
    with running_view(sim, page=load_page(), paused=True) as view:
        viewer = open_viewer(view.url)
        viewer.wait_for_picture()
        viewer.wait_until_still()
        assert [int(patch(viewer.pixels(), *at).argmax()) for at in places] == [0, 1]
        view.player.send(CommandStep(round(0.5 / 0.008)))
        viewer.wait(
            lambda: (viewer.read("look(3)") or {"slide": [0]})["slide"][0] > 0.4, "the belt"
        )
        viewer.wait_until_still()
        assert [int(patch(viewer.pixels(), *at).argmax()) for at in places] == [1, 0]
        viewer.page.close()
