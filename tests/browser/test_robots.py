"""Robots and their users: mouse, joystick, window texts, labels, and supervisors that hold time."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import solidbody as sb
from tests.browser.conftest import OpenViewer, controlled
from tests.browser.driving import Viewer
from tests.browser.robots import arm_world
from tests.browser.worlds import NASTY_NAME

pytestmark = pytest.mark.browser

PROGRAM = f"""
from controller import Supervisor
robot = Supervisor()
mouse = robot.getMouse()
mouse.enable(8)
mouse.enable3dPosition()
joystick = robot.getJoystick()
joystick.enable(8)
stick = None
robot.setLabel(1, {NASTY_NAME!r}, 0.25, 0.5, 0.1, 0xFF8000, 0.25, "Arial")
robot.wwiSendText("ready " + {NASTY_NAME!r})
is_down = False
while robot.step(8) != -1:
    state = mouse.getState()
    if state.left and not is_down:
        print("pressed %.2f %.2f at %.2f" % (state.u, state.v, state.x))
    is_down = state.left
    if joystick.isConnected():
        buttons = []
        while (button := joystick.getPressedButton()) >= 0:
            buttons.append(button)
        axes = [joystick.getAxisValue(k) for k in range(joystick.getNumberOfAxes())]
        now = (joystick.getModel(), axes, joystick.getPovValue(0), buttons)
        if now != stick:
            stick = now
            print("stick", *stick)
    text = robot.wwiReceiveText()
    if text == "hold":
        robot.wwiSendText("holding")
        robot.simulationSetMode(Supervisor.SIMULATION_MODE_PAUSE)
    elif text == "hide":
        robot.setLabel(1, "", 0, 0, 0, 0)
    elif text:
        robot.wwiSendText("you said " + text)
"""

GAMEPAD = """([axes, pressed]) => {
  const buttons = Array.from({ length: 17 }, (_, k) => ({ pressed: pressed.includes(k) }));
  navigator.getGamepads = () => [null, { connected: true, id: "Pad", mapping: "standard", axes, buttons }];
}"""
"""Lets the browser say that a gamepad is there: all that stands for a real one."""


@pytest.fixture
def tab(tmp_path: Path, open_viewer: OpenViewer) -> Iterator[Viewer]:
    """Return a tab that shows a supervisor which listens."""
    world = tmp_path / "worlds" / "arm.wbt"
    folder = tmp_path / "controllers" / "listener"
    world.parent.mkdir()
    folder.mkdir(parents=True)
    (folder / "listener.py").write_text(PROGRAM, encoding="utf-8")
    text = arm_world(controller="listener").replace('name "arm"', 'name "arm" supervisor TRUE')
    world.write_text(text, encoding="utf-8")
    sim = sb.Sim(sb.load(str(world)))
    with controlled(sim, open_viewer) as viewer:
        yield viewer


def test_windows_labels_and_pauses_of_a_supervisor_are_shown(tab: Viewer) -> None:
    """Texts go both ways and stay text; the label stands where it was put; time can be held and runs on."""
    tab.press("windows-button")
    tab.wait(lambda: "ready " + NASTY_NAME in tab.text("windows-list"), "the robot's text")
    label = tab.page.get_by_test_id("label")
    tab.wait(label.is_visible, "the label")
    assert label.inner_text() == NASTY_NAME
    box, free = label.bounding_box(), tab.page.get_by_test_id("labels").bounding_box()
    assert box is not None and free is not None
    place = (free["x"] + 0.25 * free["width"], free["y"] + 0.5 * free["height"])
    assert (box["x"], box["y"]) == pytest.approx(place, abs=1)
    header = tab.page.get_by_test_id("title").bounding_box()
    panel = tab.page.get_by_test_id("windows-panel").bounding_box()
    assert header is not None and header["y"] + header["height"] <= free["y"]
    assert panel is not None and free["x"] + free["width"] <= panel["x"]
    css = label.evaluate("(it) => [getComputedStyle(it).color, getComputedStyle(it).opacity]")
    assert css == ["rgb(255, 128, 0)", "0.75"]
    tab.say("hello")
    tab.wait(lambda: "you said hello" in tab.text("windows-list"), "the answer")
    tab.say("hide")
    tab.wait(lambda: not label.is_visible(), "the label to go")
    tab.say("hold")
    tab.wait(lambda: tab.read("paused"), "the pause")
    tab.wait(lambda: "holding" in tab.text("windows-list"), "the text that came with it")
    tab.press("play")
    before = tab.read("time")
    tab.wait(lambda: tab.read("time") > before + 0.1, "time to run on")
    assert tab.page.evaluate("window.harmed") is None


def test_the_mouse_reaches_a_controller_that_enabled_it(tab: Viewer) -> None:
    """A press on the crate is told with its places in picture and world: its front is at x = -0.25."""
    tab.press("console-button")
    x, y = tab.screen_position("crate")
    tab.wait(lambda: "mouse" in tab.read("inputs"), "the controller to listen")
    tab.page.mouse.move(x, y)
    tab.page.mouse.down()
    expected = f"pressed {x / 1280:.2f} {y / 720:.2f} at -0.25"
    tab.wait(lambda: expected in tab.text("console-list"), expected)
    tab.page.mouse.up()


def test_a_joystick_reaches_a_controller_that_enabled_it(tab: Viewer) -> None:
    """Axes count to 32767, buttons by number; the cross is a hat: up and left are 0x1001."""
    tab.press("console-button")
    tab.wait(lambda: "joystick" in tab.read("inputs"), "the controller to listen")
    tab.page.evaluate(GAMEPAD, [[0, -0.5, 1], []])
    tab.wait(lambda: "stick Pad [0, -16384, 32767] 0 []" in tab.text("console-list"), "the axes")
    tab.page.evaluate(GAMEPAD, [[0, 0, 0], [2, 7, 12, 14]])
    expected = f"stick Pad [0, 0, 0] {0x1001} [2, 7]"
    tab.wait(lambda: expected in tab.text("console-list"), "the buttons")
