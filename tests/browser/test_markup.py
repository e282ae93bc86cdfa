"""Markup in every text that worlds and programs put before users: it shows as text and runs nothing.

Referee: a real browser. Each piece of markup would set `window.harmed` to its own name.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import solidbody as sb
from solidbody.control.hub import ControllerHub
from solidbody.viewer.page_files import load_page
from solidbody.viewer.replay_file import ReplayRecorder
from tests.browser.driving import Viewer
from tests.browser.fixtures import OpenViewer
from tests.viewer.serving import running_view

pytestmark = pytest.mark.browser


def markup(name: str) -> str:
    """Return a text that tries to run something, without a slash so that files can have it as a name."""
    return f"{name}<img src=x onerror=window.harmed='{name}'><svg onload=window.harmed='{name}'>"


def script(name: str) -> str:
    """Return a text that tries to leave an element, an attribute, a text of JSON and a template."""
    return (
        f"{name}</script></textarea></title>'><script>window.harmed='{name}'</script>"
        f"<a href=javascript:window.harmed='{name}'>{{{{x}}}}`"
    )


WORLD = f"""#VRML_SIM R2025a utf8
WorldInfo {{ basicTimeStep 8 title "{script("title")}" info [ "{script("info")}" ] }}
Viewpoint {{ position -4 0 1 }} DirectionalLight {{ direction 0 0 -1 }}
DEF BOX Solid {{ name "{script("solid")}" model "{markup("model")}" description "{script("description")}"
  translation 0 1 0.2 strange<b> 1 "{markup("value")}" children [
    DEF SHAPE Shape {{ appearance PBRAppearance {{ name "{markup("look")}"
      baseColorMap ImageTexture {{ url [ "{markup("image")}.png" ] }} }}
    geometry Box {{ size 0.3 0.3 0.3 }} }} ] boundingObject USE SHAPE physics Physics {{ }} }}
DEF ROBOT Robot {{ name "{script("robot")}" controller "talker" controllerArgs [ "{script("argument")}" ]
  customData "{script("data")}" supervisor TRUE window "{markup("window")}" children [ USE SHAPE
    Camera {{ name "{markup("camera")}" width 16 height 16 }} DistanceSensor {{ name "{script("sensor")}" }}
    HingeJoint {{ jointParameters HingeJointParameters {{ axis 0 1 0 }}
      device [ RotationalMotor {{ name "{markup("motor")}" sound "{markup("sound")}.wav" }}
        PositionSensor {{ name "{script("position")}" }} ]
      endPoint Solid {{ name "{markup("arm")}" translation 0 0 0.4 contactMaterial "{markup("material")}"
        boundingObject Sphere {{ radius 0.05 }} physics Physics {{ }} }} }} ] }}
{"Missing"} {{ name "{markup("missing")}" }}
"""

PROGRAM = f"""
import sys
from controller import Supervisor
robot = Supervisor()
robot.setLabel(1, {script("label")!r}, 0.2, 0.3, 0.1, 0xFF8000, 0, {markup("font")!r})
print({script("print")!r})
print({markup("error")!r}, file=sys.stderr)
robot.wwiSendText({script("wwi")!r})
robot.getDevice({markup("nodevice")!r})
while robot.step(8) != -1:
    text = robot.wwiReceiveText()
    if text:
        robot.wwiSendText("heard " + text)
"""

BUTTONS = (
    "[...document.querySelectorAll('button')].map((item) => item.dataset.testid).filter(Boolean)"
)
MADE = """() => [...document.querySelectorAll(
    "[onerror], [onload], [href^='javascript:'], img[src=x], script"
  )].filter((item) => item.tagName !== "SCRIPT" || item.textContent.startsWith("window.harmed")
  ).map((item) => item.outerHTML.slice(0, 200))"""
"""Elements that only a text could have made."""


@pytest.fixture
def sim(tmp_path: Path) -> sb.Sim:
    """The world, in a file whose name and folder are markup as well."""
    world = tmp_path / markup("project") / "worlds" / f"{markup('file')}.wbt"
    program = world.parents[1] / "controllers" / "talker" / "talker.py"
    for path, text in ((world, WORLD), (program, PROGRAM)):
        path.parent.mkdir(parents=True)
        path.write_text(text, encoding="utf-8")
    return sb.Sim(sb.load(world))


@pytest.fixture
def hub(sim: sb.Sim) -> Iterator[ControllerHub]:
    """Its program runs."""
    running = ControllerHub(sim)
    running.start()
    yield running
    running.close()


def assert_unharmed(tab: Viewer) -> None:
    """Nothing ran, and no element was made of a text."""
    tab.settle()
    assert tab.page.evaluate("window.harmed") is None
    assert tab.page.evaluate(MADE) == []


def test_texts_of_worlds_and_programs_are_text(
    sim: sb.Sim, hub: ControllerHub, open_viewer: OpenViewer
) -> None:
    """All panels are opened, every node is selected, and what is shown is what was written."""
    with running_view(sim, page=load_page(), messages=sim.scene.diagnostics) as view:
        tab = open_viewer(view.url, may_complain=True)  # it looks for no image of ours
        tab.wait_for_picture()
        assert tab.text("title") == script("title")
        tab.wait(lambda: tab.page.get_by_test_id("label").count() > 0, "the label")
        assert tab.page.get_by_test_id("label").first.inner_text() == script("label")
        buttons = [name for name in tab.page.evaluate(BUTTONS) if name.endswith("-button")]
        assert len(buttons) >= 5
        for name in buttons:
            tab.page.get_by_test_id(name).first.evaluate("(button) => button.click()")
            assert_unharmed(tab)
        whole = "document.body.textContent"
        for text in (
            script("print"),
            markup("error"),
            script("wwi"),
            script("solid"),
            markup("camera"),
        ):
            tab.wait(lambda text=text: text in tab.page.evaluate(whole), text)
        count = tab.page.get_by_test_id("node").count()
        assert count >= 5
        for node in range(count):
            tab.page.get_by_test_id("node").nth(node).evaluate("(item) => item.click()")
            assert_unharmed(tab)
        assert_unharmed(tab)
        tab.page.close()


def test_texts_in_a_replay_are_text(sim: sb.Sim, open_viewer: OpenViewer, tmp_path: Path) -> None:
    """They stand inside a script there, which none may end."""
    path = tmp_path / "run.html"
    recorder = ReplayRecorder(sim, path)
    sim.attach(recorder)
    sim.run(0.1)
    recorder.close()
    tab = open_viewer(path.as_uri(), may_complain=True)
    tab.wait(lambda: tab.text("title") == script("title"), "the title")
    assert_unharmed(tab)
    tab.page.close()
