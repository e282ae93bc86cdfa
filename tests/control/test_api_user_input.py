"""Keys, mouse, joystick and robot windows: from a user to a controller and back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import solidbody as sb
from solidbody.base.errors import NameLookupError
from solidbody.control.hub import ControllerHub
from solidbody.control.user_input import JoystickInput, MouseInput
from tests.control.projects import Project, robot


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


def at_step(number: int, action: Any) -> Any:
    """Return a user who does something once, after a step."""

    def user(sim: sb.Sim, hub: ControllerHub) -> None:
        if sim.step_count == number:
            action(hub)

    return user


def test_keys_that_are_down_are_listed_one_by_one(project: Project) -> None:
    """Held keys come again with every sample; -1 ends the list."""
    out = project.exercise(
        """
        keyboard = robot.getKeyboard()
        out["same"] = [keyboard is robot.keyboard, keyboard.getSamplingPeriod()]
        keyboard.enable(8)
        out["none"] = [keyboard.getKey(), keyboard.sampling_period]
        robot.step(8)
        robot.step(8)
        out["keys"] = [keyboard.getKey(), keyboard.getKeyCode(), keyboard.getKey()]
        robot.step(8)
        out["words"] = [keyboard.get_key(), keyboard.get_key(), keyboard.get_key()]
        keyboard.disable()
        robot.step(8)
        out["off"] = keyboard.getKey()
        out["constants"] = [Keyboard.END, Keyboard.LEFT, Keyboard.DOWN, Keyboard.PAGEUP,
            Keyboard.NUMPAD_END, Keyboard.KEY, Keyboard.SHIFT, Keyboard.CONTROL, Keyboard.ALT]
        second = Keyboard()
        out["second"] = second.getSamplingPeriod()
        """,
        beside=at_step(1, lambda hub: hub.press_keys("robot", [ord("A"), 314 | 0x10000])),
    )
    assert out["same"] == [True, 0] and out["none"] == [-1, 8]
    assert out["keys"] == [65, 314 | 0x10000, -1]
    assert out["words"] == ["A", "shift-left", ""]
    assert out["off"] == -1
    assert out["constants"] == [312, 314, 317, 366, 382, 0xFFFF, 0x10000, 0x20000, 0x40000]
    assert out["second"] == 8


def test_a_key_that_was_only_tapped_is_not_lost(project: Project) -> None:
    """Pressed and let go between two samples: it is seen once."""

    def tap(hub: ControllerHub) -> None:
        hub.press_keys(None, [66])
        hub.press_keys(None, [])

    out = project.exercise(
        """
        keyboard = robot.getKeyboard()
        keyboard.enable(8)
        seen = []
        for _ in range(5):
            robot.step(8)
            seen.append(keyboard.getKey())
        out["seen"] = seen
        """,
        beside=at_step(2, tap),
    )
    assert sorted(out["seen"]) == [-1, -1, -1, -1, 66]


def test_mouse_and_joystick(project: Project) -> None:
    """The point in the world is told only when it is asked for."""

    def move(hub: ControllerHub) -> None:
        hub.move_mouse("robot", MouseInput(0.25, 0.75, (1.0, 2.0, 3.0), left=True))
        hub.move_joystick("robot", JoystickInput("stick", (100, -100), (8,), (2, 5)))

    out = project.exercise(
        """
        mouse, stick = robot.getMouse(), robot.getJoystick()
        out["first"] = [mouse.is3dPositionEnabled(), mouse.getSamplingPeriod(), stick.isConnected(),
            stick.getPressedButton(), stick.getAxisValue(0), stick.getNumberOfAxes()]
        mouse.enable(8)
        stick.enable(8)
        robot.step(8)
        robot.step(8)
        state = mouse.getState()
        out["flat"] = [state.u, state.v, state.x != state.x, state.left, state.middle, state.right]
        mouse.enable3dPosition()
        robot.step(8)
        state = mouse.state
        out["point"] = [state.getX(), state.getY(), state.getZ(), state.getU(), state.getV(),
            state.getLeft(), state.getMiddle(), state.getRight()]
        mouse.disable3dPosition()
        out["stick"] = [stick.is_connected, stick.model, stick.number_of_axes, stick.getAxisValue(1),
            stick.number_of_povs, stick.getPovValue(0), stick.getPressedButton(),
            stick.pressed_button, stick.getPressedButton(), stick.getModel()]
        out["none"] = [stick.getAxisValue(9), stick.getPovValue(9), stick.getNumberOfPovs()]
        stick.setConstantForce(10)
        stick.setConstantForceDuration(0.5)
        stick.setAutoCenteringGain(0.1)
        stick.setResistanceGain(0.1)
        stick.setForceAxis(1)
        robot.step(8)
        mouse.disable()
        stick.disable()
        """,
        beside=at_step(1, move),
    )
    assert out["first"] == [False, 0, False, -1, 0, 0]
    assert out["flat"] == [0.25, 0.75, True, True, False, False]
    assert out["point"] == [1, 2, 3, 0.25, 0.75, True, False, False]
    assert out["stick"] == [True, "stick", 2, -100, 1, 8, 2, 5, -1, "stick"]
    assert out["none"] == [0, 0, 1]
    errors = [line for line in project.errors() if "joystick" in line]
    assert errors == ["Warning: forces on a joystick are not felt"], "it is said once"


def test_texts_go_to_and_from_the_window_of_a_robot(project: Project) -> None:
    """In order, each once."""
    heard: list[tuple[str, str]] = []

    def user(sim: sb.Sim, hub: ControllerHub) -> None:
        if sim.step_count == 1:
            hub.listen_to_windows(lambda name, text: heard.append((name, text)))
            hub.send_window_text("robot", "one")
            hub.send_window_text("robot", "two")

    out = project.exercise(
        """
        out["none"] = robot.wwiReceiveText()
        robot.step(8)
        robot.step(8)
        out["texts"] = [robot.wwiReceiveText(), robot.wwiReceiveText(), robot.wwiReceiveText()]
        robot.wwiSendText("hello")
        robot.wwiSendText("window")
        robot.step(8)
        """,
        beside=user,
    )
    assert out["none"] is None
    assert out["texts"] == ["one", "two", None]
    assert heard == [("robot", "hello"), ("robot", "window")]


def test_a_controller_waits_for_an_event_while_time_stands_still(project: Project) -> None:
    """Until the time is over, or the user does it."""
    project.controller(
        "wait",
        """
        from controller import Robot
        robot = Robot()
        robot.getKeyboard().enable(8)
        print(robot.waitForUserInputEvent(Robot.EVENT_KEYBOARD, 20))
        print("waiting", flush=True)
        print(robot.waitForUserInputEvent(Robot.EVENT_KEYBOARD | Robot.EVENT_MOUSE_MOVE, 20000))
        print(robot.getKeyboard().getKey(), robot.getTime())
        """,
    )
    sim, hub = project.start(robot("wait"))

    def press(name: str, line: str, is_error: bool) -> None:
        project.lines.append((name, line, is_error))
        if line == "waiting":
            hub.press_keys("robot", [67])

    for slot in hub.slots:
        assert slot.process is not None
        slot.process._listener = press
    sim.step(5)
    hub.close()
    assert project.output() == ["0", "waiting", "4", "67 0.0"]


def test_nothing_is_waited_for_that_is_not_enabled(project: Project) -> None:
    """It returns at once, with a message that names what has to be enabled first."""
    out = project.exercise(
        """
        import time
        began = time.monotonic()
        out["event"] = robot.waitForUserInputEvent(
            Robot.EVENT_KEYBOARD | Robot.EVENT_JOYSTICK_AXIS, 20000
        )
        out["took"] = time.monotonic() - began
        """
    )
    assert out["event"] == 0 and out["took"] < 10.0
    assert project.errors() == [
        f"Error: Robot.waitForUserInputEvent(): the {kind} is not enabled; call its enable()"
        for kind in ("keyboard", "joystick")
    ]


def test_an_unknown_robot_is_named(project: Project) -> None:
    """With the names that there are."""
    _, hub = project.start(robot("<none>"))
    with pytest.raises(NameLookupError, match="robbot"):
        hub.press_keys("robbot", [])
    hub.close()


def test_keyboard_may_be_made_before_the_robot(project: Project) -> None:
    """It finds the robot when it is enabled; without one it says so."""
    project.controller(
        "early",
        """
        from controller import Keyboard, Robot
        keyboard = Keyboard()
        keyboard.enable(8)
        print(keyboard.getSamplingPeriod(), keyboard.getKey())
        robot = Robot()
        keyboard.enable(8)
        robot.step(8)
        print(keyboard.getSamplingPeriod(), keyboard.getKey())
        """,
    )
    sim, hub = project.start(robot("early"))
    try:
        hub.press_keys(None, [66])
        sim.run(0.1)
    finally:
        hub.close()
    assert project.output() == ["0 -1", "8 66"]
    assert project.errors() == ["Error: Keyboard.enable() needs a Robot to be made first"]
