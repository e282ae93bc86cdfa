"""A gamepad in the browser drives a controller of Choreonoid's."""

from __future__ import annotations

from pathlib import Path

import pytest

import solidbody as sb
from solidbody.control.simple_controllers import SimpleControllers
from solidbody.viewer.page_files import load_page
from tests.browser.fixtures import OpenViewer
from tests.browser.test_robots import GAMEPAD
from tests.control.cnoid.projects import item, needs_cpp, project, source, workspace
from tests.viewer.serving import running_view

pytestmark = [pytest.mark.browser, needs_cpp]

DRIVE = source(
    """
  Joystick stick;
  bool wasThere = false, wasPressed = false;
  bool initialize(SimpleControllerIO* io_) override {
    io = io_;
    slide = io->body()->link("SLIDE");
    slide->setActuationMode(JointVelocity);
    io->enableOutput(slide);
    return true;
  }
  bool control() override {
    stick.makeReady();
    stick.readCurrentState();
    slide->dq_target() = 0.5 * stick.getPosition(Joystick::L_STICK_H_AXIS);
    if (stick.isReady() && !wasThere) io->os() << "there is a stick" << std::endl;
    wasThere = stick.isReady();
    const bool isPressed = stick.getButtonState(Joystick::X_BUTTON);
    if (isPressed && !wasPressed)
      io->os() << "pressed, pad " << stick.getPosition(Joystick::DIRECTIONAL_PAD_V_AXIS) << std::endl;
    wasPressed = isPressed;
    return true;
  }
""",
    name="Drive",
    more="#include <cnoid/Joystick>",
)


def test_a_gamepad_drives_a_controller_of_choreonoids(
    tmp_path: Path, open_viewer: OpenViewer
) -> None:
    """The stick pushes the carriage to the right; a button and the pad arrive by Choreonoid's numbers."""
    folder = workspace(tmp_path, {"Drive.cpp": DRIVE})
    (folder / "cart.cnoid").write_text(project(item("D", "Drive")), "utf-8")
    sim = sb.Sim(sb.load(folder / "cart.cnoid"))
    controllers = SimpleControllers(sim)
    controllers.start()
    try:
        with running_view(sim, page=load_page()) as view:
            tab = open_viewer(view.url)
            tab.wait_for_picture()
            tab.press("console-button")
            tab.wait(
                lambda: "joystick" in tab.read("inputs"), "the page to be asked for its joystick"
            )
            tab.page.evaluate(GAMEPAD, [[0.8, 0, 0, 0], []])
            tab.wait(lambda: "there is a stick" in tab.text("console-list"), "the stick")
            tab.wait(lambda: sim.joint("SLIDE").position > 0.05, "the carriage to move")
            tab.page.evaluate(GAMEPAD, [[0, 0, 0, 0], [2, 12]])
            tab.wait(lambda: "pressed, pad -1" in tab.text("console-list"), "the button")
            tab.page.close()
    finally:
        controllers.close()
    assert controllers.failures == []
