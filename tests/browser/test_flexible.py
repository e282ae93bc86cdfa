"""What is drawn otherwise than its link stands: belts, muscles, and shapes that supervisors hide."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import solidbody as sb
from solidbody.devices.surfaces.belt_path import belt_elements
from solidbody.devices.surfaces.muscles import Muscles, thickness
from solidbody.model.devices import DeviceTrackBelt
from solidbody.viewer.page_files import load_page
from solidbody.viewer.protocol import CommandStep
from tests.browser.conftest import OpenViewer, controlled
from tests.browser.driving import Viewer, patch
from tests.browser.test_replay import fetch
from tests.viewer.serving import running_view
from tests.viewer.test_flexible import ARM, TRACK, WHEELS

pytestmark = pytest.mark.browser

HEAD = """#VRML_SIM R2025a utf8
WorldInfo { basicTimeStep 8 }
DEF VIEW Viewpoint { position -3 0 0.8 orientation 0 1 0 0.15 }
Background { skyColor [ 0.2 0.3 0.5 ] }
DirectionalLight { direction 0.6 0.3 -1 intensity 2 castShadows TRUE }
"""

FLOAT32 = 2e-6
"""[m] Positions of about a metre cross the wire in 24 bits, and are multiplied on the page."""

BOXES = """
Robot { name "hider" controller "hider" supervisor TRUE }
DEF LEFT Solid { name "left" translation 0 0.6 0.5 children [ Shape {
  appearance PBRAppearance { baseColor 0.9 0.02 0.02 roughness 1 metalness 0 }
  geometry Box { size 0.4 0.4 0.4 } } ] }
DEF RIGHT Solid { name "right" translation 0 -0.6 0.5 children [ Shape {
  appearance PBRAppearance { baseColor 0.9 0.02 0.02 roughness 1 metalness 0 }
  geometry Box { size 0.4 0.4 0.4 } } ] }
"""

HIDER = """
from controller import Supervisor
robot = Supervisor()
view, left = robot.getFromDef("VIEW"), robot.getFromDef("LEFT")
while robot.step(8) != -1:
    text = robot.wwiReceiveText()
    if text:
        left.setVisibility(view, text == "show")
        robot.wwiSendText("done " + text)
"""


def _sim(tmp_path: Path, nodes: str) -> sb.Sim:
    world = tmp_path / "worlds" / "world.wbt"
    world.parent.mkdir()
    world.write_text(HEAD + nodes, encoding="utf-8")
    return sb.Sim(sb.load(str(world)))


def _drawn(viewer: Viewer, shape: int) -> np.ndarray:
    """Return the transform of a shape as drawn, shape (4, 4)."""
    return np.array(viewer.read(f"shape({shape})")).reshape(4, 4).T


def test_elements_run_along_a_belt_in_one_call(tmp_path: Path, open_viewer: OpenViewer) -> None:
    """After half a metre all twelve are where cameras see them, drawn by one call."""
    sim = _sim(tmp_path, (TRACK % WHEELS).replace('url "a.png"', ""))
    sim.joint("belt").target_velocity = 1.0
    with running_view(sim, page=load_page(), paused=True) as view:
        viewer = open_viewer(view.url)
        viewer.wait_for_picture()
        viewer.wait_until_still()
        start = _drawn(viewer, 2)
        # box and elements, each into the picture and into both maps of the shadow; sky; outline
        assert viewer.read("cost.calls") <= 3 * 2 + 2
        view.player.send(CommandStep(63))
        viewer.wait(lambda: viewer.read("stepCount") == 63, "the steps")
        viewer.wait_until_still()
        links = list(sim.scene.links())
        row, belt = next(
            (k, d)
            for k, link in enumerate(links)
            for d in link.devices
            if isinstance(d, DeviceTrackBelt)
        )
        travel = float(sim.joint_states()[0, 0])
        assert travel == pytest.approx(0.5, abs=0.02)
        carrier = sim.poses()[row]
        for k, pose in enumerate(belt_elements(belt, travel)):
            wanted = _matrix(carrier) @ _matrix(pose)
            wanted[:3, :3] *= (0.04, 0.2, 0.02)  # the size of the box
            assert _drawn(viewer, 2 + k) == pytest.approx(wanted, abs=FLOAT32)
        assert np.linalg.norm(_drawn(viewer, 2)[:3, 3] - start[:3, 3]) > 0.2
        viewer.page.close()


def test_belts_run_in_replays_too(tmp_path: Path, open_viewer: OpenViewer) -> None:
    """Frames carry how far they have run: at the end of the replay elements are where they were."""
    sim = _sim(tmp_path, (TRACK % WHEELS).replace('url "a.png"', ""))
    sim.joint("belt").target_velocity = 1.0
    with running_view(sim, page=load_page(), paused=True) as view:
        viewer = open_viewer(view.url)
        viewer.wait_for_picture()
        start = _drawn(viewer, 2)
        for count in range(1, 7):
            view.player.send(CommandStep(10))
            viewer.wait(lambda count=count: viewer.read("stepCount") == 10 * count, "the steps")
        viewer.wait_until_still()
        end = _drawn(viewer, 2)
        page = fetch(viewer, "export", tmp_path / "replay.html")
        viewer.page.close()
    replay = open_viewer(page.as_uri())
    replay.wait_for_picture()
    replay.wait(lambda: replay.read("time") >= 0.47, "the end of the run")
    replay.wait(lambda: np.allclose(_drawn(replay, 2), end, atol=FLOAT32), "the last place")
    assert np.linalg.norm(end[:3, 3] - start[:3, 3]) > 0.2
    replay.page.close()


def test_a_muscle_is_stretched_and_coloured(tmp_path: Path, open_viewer: OpenViewer) -> None:
    """From end to end, as thick as its volume asks for; less blue as the motor holds the arm."""
    sim = _sim(tmp_path, ARM)
    with running_view(sim, page=load_page(), paused=True) as view:
        viewer = open_viewer(view.url)
        viewer.wait_for_picture()
        view.player.send(CommandStep(50))
        viewer.wait(lambda: viewer.read("stepCount") == 50, "the steps")
        viewer.wait(lambda: viewer.read("look(2)")["tint"][2] < 0.6, "the colour of work")
        viewer.wait_until_still()
        muscles = next(g for g in sim.devices.groups if isinstance(g, Muscles))
        first, second = muscles.ends(0)
        length = float(np.linalg.norm(second - first))
        b = thickness(0.02, length)
        drawn = _drawn(viewer, 2)
        assert drawn[:3, 3] == pytest.approx((first + second) / 2, abs=FLOAT32)
        sizes = np.linalg.norm(drawn[:3, :3], axis=0)
        assert sizes == pytest.approx([length / 2, b, b], abs=FLOAT32)
        assert drawn[:3, 0] == pytest.approx((second - first) / 2, abs=FLOAT32)
        viewer.page.close()


@pytest.fixture
def hidden(tmp_path: Path, open_viewer: OpenViewer) -> Iterator[Viewer]:
    """Return a tab that shows two boxes and a supervisor which hides the left one when it is told to."""
    folder = tmp_path / "controllers" / "hider"
    folder.mkdir(parents=True)
    (folder / "hider.py").write_text(HIDER, encoding="utf-8")
    sim = _sim(tmp_path, BOXES)
    with controlled(sim, open_viewer) as viewer:
        yield viewer


def test_what_supervisors_hide_from_the_view_is_not_there(hidden: Viewer) -> None:
    """One of two boxes that share a draw call goes, cannot be picked, and comes back."""

    def places() -> list[tuple[float, float]]:  # an open panel shifts the picture
        return [hidden.screen_position(name) for name in ("left", "right")]

    def reds() -> list[bool]:
        hidden.settle()
        shown = hidden.pixels()
        colors = [patch(shown, *place) for place in places()]
        return [bool(color[0] > 2 * color[2]) for color in colors]

    assert reds() == [True, True]
    hidden.press("windows-button")
    hidden.say("hide")
    hidden.wait(lambda: hidden.read("hidden") == [0], "the first shape to go")
    assert reds() == [False, True]
    hidden.press("windows-button")  # it covers the right box
    hidden.settle()
    left, right = places()
    hidden.page.mouse.click(*left)
    assert hidden.read("selected") is None
    hidden.page.mouse.click(*right)
    assert hidden.read("selected") == "right"
    hidden.press("windows-button")
    hidden.say("show")
    hidden.wait(lambda: hidden.read("hidden") == [], "the shape to come back")
    assert reds() == [True, True]


def _matrix(pose: np.ndarray) -> np.ndarray:
    """Return the transform (4, 4) of x y z and a quaternion w x y z."""
    w, x, y, z = pose[3:]
    out = np.eye(4)
    out[:3, :3] = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    out[:3, 3] = pose[:3]
    return out
