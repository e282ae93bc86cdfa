"""Makes the pictures of `docs/images` from the real page in headless Chromium: `make images`.

Needs the built page, the development tools and a Chromium; the environment variable CHROMIUM names
one that is not on the PATH.
"""

from __future__ import annotations

import base64
import os
import shutil
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from playwright.sync_api import Browser, Page, ViewportSize, sync_playwright

import solidbody as sb
from solidbody.control.hub import ControllerHub
from solidbody.viewer.address import open_listener
from solidbody.viewer.application import Application
from solidbody.viewer.page_files import load_page
from solidbody.viewer.player import Player
from solidbody.viewer.protocol import CommandStep
from solidbody.viewer.server import encode_all, make_panels, make_server

ROOT = Path(__file__).resolve().parent.parent
IMAGES = ROOT / "docs" / "images"
VIEWPORT = ViewportSize(width=1120, height=630)
WORK_VIEWPORT = ViewportSize(width=1280, height=720)
"""Of pictures with panels."""

PATIENCE = 180.0
"""[s] Drawing in software on a busy machine takes its time."""

LOOK = 0.05
"""[s] Simulated time between points of curves."""

NOISE = 3
"""Of 255: steps up to this between neighbours are the page's dithering, which makes files large."""

SMOOTHEN = """async ([png, noise]) => {
  const image = new Image();
  image.src = "data:image/png;base64," + png;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = image.width;
  canvas.height = image.height;
  const context = canvas.getContext("2d");
  context.drawImage(image, 0, 0);
  const pixels = context.getImageData(0, 0, canvas.width, canvas.height);
  const { data } = pixels;
  for (let i = 4; i < data.length; i++) {
    if (Math.abs(data[i] - data[i - 4]) <= noise) data[i] = data[i - 4];
  }
  context.putImageData(pixels, 0, 0);
  return canvas.toDataURL("image/png").split(",")[1];
}"""
PICTURES_ARE_THERE = """() =>
  [...document.querySelectorAll("section.picture canvas")].every((canvas) => canvas.width > 16)"""
"""Cards of cameras have 16 by 9 pixels until the first picture comes."""

BROWSER_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]


@dataclass(frozen=True, slots=True)
class Picture:
    """A moment of an example worth showing.

    Attributes:
        name: Of the picture.
        time: Simulated time [s].
        drive: Speeds of motors.
        file: The example; empty = a world of the picture's name.
        clicks: Test ids of what is clicked on the page; `tree:` names a node, `down:` moves a card that far.
        plots: Curves that are added, by key.
        run: Simulated time for which the page runs after the clicks, so that curves have something to show.
        is_dark: Whether the page is dark.
        programs: Whether the controllers of the robots run.
    """

    name: str
    time: float
    drive: Mapping[str, float] = field(default_factory=dict)
    file: str = ""
    clicks: tuple[str, ...] = ()
    plots: tuple[str, ...] = ()
    run: float = 0.0
    is_dark: bool = False
    programs: bool = False


PICTURES = (
    Picture("showcase", 9.0, file="showcase/worlds/showcase.wbt", programs=True),
    Picture("playground", 5.2),
    Picture("slopes", 1.4),
    Picture("asymmetric", 2.0),
    Picture("bounce", 0.96),
    Picture("rolling", 2.4),
    Picture("slip", 4.0),
    Picture("robot", 2.4, {"left motor": 8.0, "right motor": 8.0}),
    Picture("terrain", 1.6),
    Picture("looks", 0.5),
    Picture(
        "page_sensors",
        0.5,
        file="sensors.wbt",
        clicks=("sensors-button", "show-camera", "show-range-finder", "down:12"),
    ),
    Picture(
        "page_edit",
        0.4,
        {"left motor": 8.0, "right motor": 6.0},
        file="robot.wbt",
        clicks=("scene-button", "joints-button", "plots-button", "tree:Robot"),
        plots=("joint/0/velocity", "joint/0/effort"),
        run=1.4,
        is_dark=True,
    ),
    Picture(
        "choreonoid", 0.6, file="choreonoid/yard.cnoid", clicks=("scene-button", "joints-button")
    ),
)


def main(names: list[str]) -> None:
    """Make the pictures with these names, or all."""
    IMAGES.mkdir(exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_browser(), args=FLAGS)
        for picture in PICTURES:
            if not names or picture.name in names:
                make(picture, browser)
        browser.close()


def find_browser() -> str:
    """Return the path of a Chromium, or end with a sentence that says what to install."""
    found = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, BROWSER_NAMES)), None)
    if found is None:
        sys.exit("no Chromium was found; install one (on Debian: apt-get install chromium)")
    return found


def make(picture: Picture, browser: Browser) -> None:
    """Simulate to the moment, show it on the page, and save what the page shows."""
    sim = sb.Sim(sb.load(str(ROOT / "examples" / (picture.file or f"{picture.name}.wbt"))))
    for motor, velocity in picture.drive.items():
        sim.joint(motor).target_velocity = velocity
    hub = ControllerHub(sim) if picture.programs else None
    if hub is not None:
        hub.start()
    sim.run(picture.time)
    if hub is not None:
        hub.close()
    with served(sim) as (url, player):
        page = browser.new_page(
            viewport=WORK_VIEWPORT if picture.clicks else VIEWPORT,
            color_scheme="dark" if picture.is_dark else "light",
            bypass_csp=True,  # else waiting for a condition would need eval
        )
        page.set_default_timeout(1000 * PATIENCE)
        page.goto(url)
        page.wait_for_function(f"window.solidbody && window.solidbody.time >= {sim.time - 1e-6}")
        for hint in page.get_by_role("button", name="Got it").all():
            hint.click()  # what the page says on the first visit
        act(picture, page)
        for _ in range(round(picture.run / LOOK)):  # curves get a point at each
            player.send(CommandStep(max(1, round(LOOK / sim.time_step))))
            page.wait_for_timeout(40)
        page.wait_for_function(PICTURES_ARE_THERE)
        page.wait_for_timeout(500)  # fonts are there
        page.wait_for_function("window.solidbody.isAtRest")
        png = base64.b64encode(page.screenshot()).decode()
        small = page.evaluate(SMOOTHEN, [png, NOISE])
        (IMAGES / f"{picture.name}.png").write_bytes(base64.b64decode(small))
        page.close()


def act(picture: Picture, page: Page) -> None:
    """Do on the page what the picture is to show."""
    for name in picture.clicks:
        match name.split(":"):
            case ["tree", node]:
                page.locator("button.node", has_text=node).last.click()
            case ["down", times]:
                for _ in range(int(times)):
                    page.locator("section.picture header").last.press("ArrowDown")
                page.evaluate("document.activeElement.blur()")
            case _:
                page.get_by_test_id(name).click()
    for key in picture.plots:
        page.get_by_test_id("plots-choice").select_option(key)


@contextmanager
def served(sim: sb.Sim) -> Iterator[tuple[str, Player]]:
    """Serve the paused simulation while the block runs; yields the address of the page and the player."""
    bench = make_panels(sim)
    player = Player(sim, paused=True, attendant=bench)
    scene, outline = encode_all(sim, bench)
    started = threading.Event()
    server = make_server(
        Application(player, scene, load_page(), outline=outline, panels=bench, on_start=started.set)
    )
    listener = open_listener(0)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    player.start()
    thread.start()
    try:
        started.wait(20)
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/", player
    finally:
        server.should_exit = True
        thread.join(10)
        player.close()
        listener.close()


if __name__ == "__main__":
    main(sys.argv[1:])
