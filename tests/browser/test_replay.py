"""Things to keep: a replay that needs no server, a screenshot, the world with its present state."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import solidbody as sb
from solidbody.viewer.page_files import load_page
from solidbody.viewer.replay_file import ReplayRecorder
from tests.browser.conftest import OpenViewer
from tests.browser.driving import Viewer, patch
from tests.browser.worlds import NASTY_NAME, pendulum_world
from tests.viewer.serving import View, running_view

pytestmark = pytest.mark.browser

REPLAY_LIMIT = 5_000_000
"""[bytes] What can still be sent by mail."""


PLAY = """(url) => new Promise((done, fail) => {
  const video = document.createElement("video");
  const pixels = () => {
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [video.videoWidth, video.videoHeight];
    const context = canvas.getContext("2d");
    context.drawImage(video, 0, 0);
    return context.getImageData(0, 0, canvas.width, canvas.height).data;
  };
  let first = null;
  video.muted = true;
  video.onerror = () => fail(new Error(video.error.message));
  video.onloadeddata = () => { first = pixels(); video.play(); };
  video.onended = () => {
    const last = pixels();
    let change = 0;
    for (let k = 0; k < last.length; k++) change = Math.max(change, Math.abs(last[k] - first[k]));
    done([video.currentTime, change]);
  };
  video.src = url;
})"""
"""Plays a video to its end; gives its length [s] and the largest change from first to last picture."""


@pytest.fixture
def nasty_view(tmp_path: Path) -> Iterator[View]:
    world = tmp_path / "nasty.wbt"
    world.write_text(pendulum_world(title=NASTY_NAME), encoding="utf-8")
    with running_view(sb.Sim(sb.load(str(world))), page=load_page(), paused=True) as running:
        yield running


def fetch(viewer: Viewer, button: str, target: Path) -> Path:
    """Press a button of the menu and keep the file that it gives."""
    viewer.page.get_by_test_id("share").click()
    with viewer.page.expect_download(timeout=60_000) as waiting:
        viewer.press(button)
    waiting.value.save_as(target)
    viewer.page.get_by_test_id("share").click()
    return target


def test_an_exported_replay_plays_without_a_server(
    nasty_view: View, open_viewer: OpenViewer, tmp_path: Path
) -> None:
    """Offline it shows the same picture, plays, pauses, goes to any moment; nasty names stay text."""
    viewer = open_viewer(nasty_view.url)
    viewer.wait_for_picture()
    viewer.press("play")
    viewer.wait(lambda: viewer.read("time") > 1.0, "a second")
    viewer.pause()
    end = viewer.read("time")
    place = viewer.position("pendulum")
    file = fetch(viewer, "export", tmp_path / "replay.html")
    viewer.page.close()
    assert 100_000 < file.stat().st_size < REPLAY_LIMIT

    replay = open_viewer(file.as_uri())
    replay.page.context.set_offline(True)
    replay.wait_for_picture()
    assert replay.text("title") == NASTY_NAME
    assert replay.page.evaluate("window.harmed") is None
    replay.wait(lambda: replay.read("paused"), "the end")
    assert replay.read("time") == pytest.approx(end, abs=0.05)
    replay.wait_until_still()
    # the last recorded frame may be one period (1/30 s) older, at 4 m/s at most
    assert np.linalg.norm(replay.position("pendulum") - place) < 0.15
    red, green, blue = patch(replay.pixels(), *replay.screen_position("pendulum"))
    assert green > 1.5 * red and green > 1.5 * blue
    timeline = replay.page.get_by_test_id("timeline")
    timeline.evaluate("(s) => { s.value = s.min; s.dispatchEvent(new Event('input')); }")
    replay.wait(lambda: replay.read("time") < 0.1, "the start")
    replay.wait_until_still()
    assert np.linalg.norm(replay.position("pendulum") - (0.0, -1.5, 1.4)) < 0.05
    replay.press("play")
    replay.wait(lambda: replay.read("time") > 0.3, "the replay to go on")

    # in a frame of an article: the picture with what plays it
    article = tmp_path / "article.html"
    article.write_text(
        f'<iframe src="{file.name}#embed" width="640" height="400"></iframe>', encoding="utf-8"
    )
    # browsers remark that files in files know nothing of each other
    reader = open_viewer(article.as_uri(), may_complain=True)
    frame = reader.page.frame_locator("iframe")
    reader.wait(frame.get_by_test_id("play").is_visible, "the button in the frame")
    assert not frame.get_by_test_id("theme").is_visible()
    assert not frame.get_by_test_id("speed").is_visible()
    frame.get_by_test_id("play").click()
    reader.wait(frame.get_by_test_id("pause").is_visible, "the replay to run in the frame")
    timeline = frame.get_by_test_id("timeline")
    reader.wait(lambda: float(timeline.input_value()) > 0.2, "the timeline to move")


BUZZER = """#VRML_SIM R2025a utf8
WorldInfo { basicTimeStep 8 }
Viewpoint { orientation 0 0.2 0 0.5 position -4 0 2 }
DirectionalLight { direction 0.6 0.3 -1 intensity 2 }
Solid { boundingObject Plane { size 10 10 } }
Solid { name "ball" translation 0 0 1
        children [ DEF S Shape { geometry Sphere { radius 0.1 } } ] boundingObject USE S
        physics Physics { density -1 mass 1 } }
Robot { name "buzzer" translation 0 1 1 controller "<none>" children [
  HingeJoint { jointParameters HingeJointParameters { axis 0 0 1 }
               device RotationalMotor { name "m" }
               endPoint Solid { children [ DEF B Shape { geometry Box { size 0.3 0.1 0.1 } } ]
                                boundingObject USE B physics Physics { density -1 mass 1 } } }
] }
"""
"""A ball that falls, and a motor without a weight to carry: something short and something that lasts."""


def test_a_replay_is_heard_although_nobody_listened(
    open_viewer: OpenViewer, tmp_path: Path
) -> None:
    """A knock and a hum were kept; in the replay they play, stop with a pause and with a jump, and go on."""
    world = tmp_path / "buzzer.wbt"
    world.write_text(BUZZER, encoding="utf-8")
    sim = sb.Sim(sb.load(str(world)))
    sim.joint("m").target_velocity = 8.0
    with running_view(sim, page=load_page()) as view:
        viewer = open_viewer(view.url)
        viewer.wait_for_picture()
        viewer.wait(lambda: viewer.read("time") > 0.5, "time to run")
        viewer.pause()
        viewer.press("reset")
        viewer.wait(lambda: viewer.read("time") < 0.4, "the start")
        sim.joint("m").target_velocity = 8.0  # which the reset has forgotten
        viewer.press("play")
        viewer.wait(lambda: viewer.read("time") > 2.0, "a run with knocks and a hum")
        viewer.pause()
        assert not viewer.read("sound.isOn")
        file = fetch(viewer, "export", tmp_path / "replay.html")
        viewer.page.close()
    assert file.stat().st_size < REPLAY_LIMIT

    replay = open_viewer(file.as_uri())
    replay.page.context.set_offline(True)
    replay.wait_for_picture()
    replay.wait(lambda: replay.read("paused"), "the end, in silence")
    assert replay.read("sound") == {"isOn": False, "started": {}, "level": 0}
    timeline = replay.page.get_by_test_id("timeline")
    timeline.evaluate("(s) => { s.value = s.min; s.dispatchEvent(new Event('input')); }")
    replay.press("sound")
    replay.press("play")
    replay.wait(lambda: replay.read("sound.started.loop"), "the hum")
    replay.wait(lambda: replay.read("sound.started.once"), "the knock")
    replay.wait(lambda: replay.read("sound.level") > 1e-4, "samples that are not silent")
    replay.wait(lambda: replay.read("paused"), "the end")
    level = replay.read("sound.level")
    replay.page.wait_for_timeout(200)
    assert replay.read("sound.level") == level  # the clock of the sound stands still
    hums = replay.read("sound.started.loop")
    # back in time: what sounds there begins anew
    replay.press("play")
    replay.wait(lambda: replay.read("sound.started.loop") > hums, "the hum again")


def test_a_screenshot_and_the_world_can_be_saved(viewer: Viewer, tmp_path: Path) -> None:
    """The picture is a PNG of the view; the world loads again with the pendulum where it was."""
    viewer.wait(lambda: viewer.read("time") > 0.2, "time to run")
    viewer.pause()
    picture = fetch(viewer, "screenshot", tmp_path / "view.png")
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert picture.stat().st_size > 5_000
    place = viewer.position("pendulum")
    world = fetch(viewer, "save", tmp_path / "later.wbt")
    sim = sb.Sim(sb.load(str(world)))
    np.testing.assert_allclose(sim["pendulum"].position, place, atol=1e-4)


def test_a_video_shows_the_motion(viewer: Viewer, tmp_path: Path) -> None:
    """The file plays in the browser, for as long as it was filmed, and its pictures differ."""
    viewer.page.get_by_test_id("share").click()
    viewer.press("video")
    assert viewer.page.get_by_test_id("recording").is_visible()
    start = viewer.read("time")
    # a busy machine without a graphics card encodes few pictures: long enough for several of them
    viewer.wait(lambda: viewer.read("time") > start + 4.0, "four seconds of motion")
    with viewer.page.expect_download(timeout=60_000) as waiting:
        viewer.press("recording")
    file = tmp_path / waiting.value.suggested_filename
    waiting.value.save_as(file)
    assert file.stem == "pendulum" and file.stat().st_size > 2_000
    # WebM begins with the EBML header, MP4 with a box of the type "ftyp"
    head = file.read_bytes()[:12]
    assert head.startswith(b"\x1a\x45\xdf\xa3") or head[4:8] == b"ftyp"
    url = f"data:video/{file.suffix[1:]};base64,{base64.b64encode(file.read_bytes()).decode()}"
    blank = viewer.page.context.new_page()
    seconds, change = blank.evaluate(PLAY, url)
    assert seconds > 0.5
    assert change > 40, "of 255: the pendulum is elsewhere"


def test_a_replay_of_a_run_without_a_page_plays(open_viewer: OpenViewer, tmp_path: Path) -> None:
    """What `--record` and supervisors write shows the same picture and goes to the same place."""
    world = tmp_path / "nasty.wbt"
    world.write_text(pendulum_world(title=NASTY_NAME), encoding="utf-8")
    sim = sb.Sim(sb.load(str(world)))
    recorder = ReplayRecorder(sim, tmp_path / "replay.html")
    sim.attach(recorder)
    sim.run(0.5)
    recorder.close()
    replay = open_viewer((tmp_path / "replay.html").as_uri())
    replay.page.context.set_offline(True)
    replay.wait_for_picture()
    assert replay.text("title") == NASTY_NAME
    assert replay.page.evaluate("window.harmed") is None
    replay.wait(lambda: replay.read("paused"), "the end")
    replay.wait_until_still()
    # the last recorded frame may be one period (1/30 s) older, at 4 m/s at most
    assert np.linalg.norm(replay.position("pendulum") - sim.link("pendulum").position) < 0.15
