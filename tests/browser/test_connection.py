"""The wire between page and simulation: loading, reloading, pace, slow tabs, lost connections."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest
from playwright.sync_api import WebSocketRoute

import solidbody as sb
from solidbody.control.hub import ControllerHub
from solidbody.viewer.page_files import load_page
from tests.browser.conftest import OpenViewer
from tests.browser.driving import Viewer
from tests.browser.robots import arm_world
from tests.viewer.serving import View, running_view

pytestmark = pytest.mark.browser

NOTICES = """document.addEventListener("DOMContentLoaded", () => {
  window.notices = [];
  const notice = document.getElementById("notice");
  new MutationObserver(() => window.notices.push(notice.textContent)).observe(notice, { childList: true });
});"""
"""Keeps every text that the notice in the middle shows."""

HILLS = 180
"""Points along a side of a height field whose scene has more than the half megabyte that shows progress."""

SLOW_WIRE = 400_000
"""[bytes/s] At which page and scene take about a second each, compressed as they are."""

PACE = 0.7
"""Share of real time that counts as undisturbed: other programs use this machine too."""

TICKER = """
from controller import Robot
robot = Robot()
count = 0
while robot.step(40) != -1:
    print("tick", count)
    count += 1
"""


# --- loading --------------------------------------------------------------------------------------


def test_a_slow_load_shows_its_progress(tmp_path: Path, open_viewer: OpenViewer) -> None:
    """Over a slow wire the notice counts up; then it is gone."""
    heights = " ".join(f"{0.3 * ((7919 * k) % 1009) / 1009:.4f}" for k in range(HILLS**2))
    world = tmp_path / "hills.wbt"
    world.write_text(
        "#VRML_SIM R2025a utf8\nWorldInfo { } Solid { children [ Shape { geometry ElevationGrid { "
        f"xDimension {HILLS} yDimension {HILLS} xSpacing 0.05 ySpacing 0.05 height [ {heights} ] "
        "} } ] }\n",
        encoding="utf-8",
    )
    with running_view(sb.Sim(sb.load(str(world))), page=load_page(), paused=True) as view:
        viewer = open_viewer("about:blank")
        viewer.page.add_init_script(NOTICES)
        slow = {
            "offline": False,
            "latency": 0,
            "downloadThroughput": SLOW_WIRE,
            "uploadThroughput": -1,
        }
        wire = viewer.page.context.new_cdp_session(viewer.page)
        wire.send("Network.emulateNetworkConditions", slow)
        viewer.page.goto(view.url)
        viewer.wait_for_picture()
        texts = viewer.page.evaluate("window.notices")
        shares = [int(found[1]) for text in texts if (found := re.search(r"(\d+) %", text))]
        assert len(set(shares)) >= 3, texts
        assert shares == sorted(shares) and shares[-1] == 100
        assert all(text.startswith("Loading the scene… ") for text in texts if "%" in text)
        assert not viewer.page.get_by_test_id("notice").is_visible()
        viewer.page.close()


# --- reading the file again -----------------------------------------------------------------------


def has_body(viewer: Viewer, name: str) -> bool:
    return viewer.page.evaluate("(name) => window.solidbody.position(name) !== null", name)


def select_in_tree(viewer: Viewer, node: str) -> None:
    """Open the tree and select a node."""
    if not viewer.page.get_by_test_id("scene-panel").is_visible():
        viewer.press("scene-button")
    viewer.page.locator("button.node", has_text=node).first.click()


def marked(viewer: Viewer) -> list[str]:
    """Return the titles of the nodes that are marked in the tree."""
    return viewer.page.locator("button.node[aria-selected='true'] .name").all_inner_texts()


def test_reload_shows_the_file_as_it_is_now(arm: Viewer, world: Path) -> None:
    """A ball lies where the crate stood: at time 0, in tree and picture; the crate is no longer selected."""
    select_in_tree(arm, "CRATE")
    arm.press("step")
    arm.wait(lambda: arm.read("stepCount") == 1, "a step")
    text = arm_world().replace("CRATE", "BALL").replace("crate", "ball")
    text = text.replace("Box { size 0.5 0.5 0.5 }", "Sphere { radius 0.25 }")
    world.write_text(text.replace('"An arm"', '"Another arm"'), encoding="utf-8")
    arm.press("reload")
    arm.wait(lambda: has_body(arm, "ball"), "the ball")
    assert not has_body(arm, "crate")
    arm.wait(lambda: arm.read("time") == 0, "the beginning")
    assert arm.text("title") == "Another arm"
    tree = arm.page.get_by_test_id("tree")
    arm.wait(lambda: "BALL" in tree.inner_text(), "the tree")
    assert "CRATE" not in tree.inner_text()
    assert arm.read("selected") is None
    assert marked(arm) == []
    assert arm.page.get_by_test_id("fields").inner_text() == ""


def test_reload_keeps_what_is_selected_and_still_there(arm: Viewer, world: Path) -> None:
    """The crate has moved on in the file, behind a new node; it is still the one that is marked."""
    select_in_tree(arm, "CRATE")
    new = 'Solid { name "new" }\nDEF WALL Solid {'
    world.write_text(arm_world().replace("DEF WALL Solid {", new), encoding="utf-8")
    arm.press("reload")
    arm.wait(lambda: has_body(arm, "new"), "the new node")
    arm.wait(lambda: "new" in arm.page.get_by_test_id("tree").inner_text(), "the tree")
    assert arm.read("selected") == "crate"
    assert marked(arm) == ["CRATE"]
    arm.wait(
        lambda: arm.page.get_by_test_id("field-translation").input_value() == "0 1.1 0.25",
        "its fields",
    )


def test_a_renamed_body_stays_selected(arm: Viewer) -> None:
    """Its name is edited on the page: picture, tree and fields still show it."""
    select_in_tree(arm, "CRATE")
    field = arm.page.get_by_test_id("field-name")
    arm.wait(field.is_visible, "the fields")
    field.fill("box")
    field.press("Enter")
    arm.wait(lambda: has_body(arm, "box"), "the new name")
    arm.wait(lambda: arm.read("selected") == "box", "the selection")
    assert marked(arm) == ["CRATE"]


def test_a_file_that_is_gone_leaves_all_as_it_was(arm: Viewer, world: Path) -> None:
    """The console says so."""
    world.unlink()
    arm.press("reload")
    arm.press("console-button")
    arm.wait(lambda: "There is no file to read again." in arm.text("console-list"), "the message")
    assert has_body(arm, "crate")


# --- pace -----------------------------------------------------------------------------------------


def rate(viewer: Viewer) -> float:
    """Return the real-time factor that the page shows; 0 while it shows none."""
    text = viewer.text("rate").rstrip("×")
    return 0.0 if text == "–" else float(text)


def test_the_page_shows_how_fast_the_simulation_runs(viewer: Viewer, view: View) -> None:
    """Real-time factor and cost of a step are those of the simulation, and fit together."""
    assert viewer.text("step-cost") != ""
    viewer.wait(lambda: PACE < rate(viewer) < 1.3, "real time")
    viewer.page.get_by_test_id("speed").select_option("0.5")
    viewer.wait(lambda: 0.5 * PACE < rate(viewer) < 0.65, "half of real time")
    viewer.page.get_by_test_id("speed").select_option("max")
    viewer.wait(lambda: rate(viewer) > 2.0, "full speed")
    # at full speed nothing but steps is done: factor x cost = step length, less what sending takes
    viewer.wait(
        lambda: 0.05 < rate(viewer) * float(viewer.text("step-cost")) / 8.0 <= 1.5,
        "a factor that fits the cost",
    )
    viewer.pause()
    assert viewer.text("rate") == "–"


def test_a_tab_that_hangs_slows_nobody(viewer: Viewer, view: View, open_viewer: OpenViewer) -> None:
    """While one tab computes for two seconds the simulation keeps its pace; then the tab is up to date."""
    other = open_viewer(view.url)
    other.wait_for_picture()
    throttle = other.page.context.new_cdp_session(other.page)
    throttle.send("Emulation.setCPUThrottlingRate", {"rate": 10})
    viewer.wait(lambda: rate(viewer) > PACE, "real time")
    began, first = time.monotonic(), view.player.frame.time
    other.page.evaluate(
        "() => { const end = performance.now() + 2000; while (performance.now() < end); }"
    )
    passed = time.monotonic() - began
    assert passed > 2.0
    # one that waited for the tab would stand still; others may use the processors beside it
    assert (view.player.frame.time - first) / passed > 0.5 * PACE
    now = view.player.frame.time
    throttle.send("Emulation.setCPUThrottlingRate", {"rate": 1})
    other.wait(lambda: other.read("time") >= now, "the newest frame, not a queue of old ones")
    assert view.player.frame.time - now < 2.0


# --- lost connections -----------------------------------------------------------------------------


def test_a_reconnected_page_has_lost_nothing(world: Path, open_viewer: OpenViewer) -> None:
    """While the wire was cut a program printed on: then every line is there once, and all else as before."""
    folder = world.parent.parent / "controllers" / "ticker"
    folder.mkdir(parents=True)
    (folder / "ticker.py").write_text(TICKER, encoding="utf-8")
    world.write_text(arm_world(controller="ticker"), encoding="utf-8")
    sim = sb.Sim(sb.load(str(world)))
    hub = ControllerHub(sim)
    hub.start()
    wires: list[WebSocketRoute] = []

    def pass_on(wire: WebSocketRoute) -> None:
        wire.connect_to_server()
        wires.append(wire)

    try:
        with running_view(sim, page=load_page()) as view:
            tab = open_viewer("about:blank")
            tab.page.route_web_socket("**/api/stream", pass_on)
            tab.page.goto(view.url)
            tab.wait_for_picture()
            select_in_tree(tab, "CRATE")
            tab.press("joints-button")
            tab.press("console-button")
            tab.wait(lambda: "tick 3" in tab.text("console-list"), "some lines")
            place = tab.screen_position("crate")
            wires[0].close()
            tab.wait(lambda: tab.read("connection") == "lost", "the loss")
            lost = view.player.frame.time
            tab.wait(lambda: tab.read("connection") == "connected", "the connection")
            assert view.player.frame.time > lost  # it ran on meanwhile
            after = int(view.player.frame.time / 0.04) + 2
            tab.wait(lambda: f"tick {after}" in tab.text("console-list"), "lines after the loss")
            ticks = [int(n) for n in re.findall(r"tick (\d+)", tab.text("console-list"))]
            assert ticks == list(range(len(ticks)))
            assert tab.read("selected") == "crate" and marked(tab) == ["CRATE"]
            assert tab.screen_position("crate") == place
            before = tab.value("joint-value-shoulder")
            slider = tab.page.get_by_test_id("joint-shoulder")
            slider.evaluate("(it) => { it.value = 0.5; it.dispatchEvent(new Event('input')); }")
            tab.wait(lambda: tab.value("joint-value-shoulder") != before, "readings and commands")
            tab.page.close()
    finally:
        hub.close()
