"""`python -m benchmarks.page_corpus [FILE or FOLDER ...]`: every world is opened in the page.

One line for each world that loads without errors and has something to see: seconds until its first picture
(reading and compiling, then the page), how many colours it has and how much of it the commonest covers, what
the browser complained of, then and in half a second of running. Without arguments: the examples, then the
corpus beside the repository. `--shots FOLDER` keeps the pictures, and sheets of them. Needs the development
tools and a Chromium; draws in software.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw
from playwright.sync_api import Browser, Error, sync_playwright

from benchmarks.running import PLACES, worlds
from solidbody.base.errors import SolidbodyError
from solidbody.formats.loading import read_scene
from solidbody.model.shapes import ShapeRole
from solidbody.sim import Sim
from solidbody.viewer.page_files import load_page
from tests.browser.driving import FLAGS, VIEWPORT, Viewer, find_browser
from tests.viewer.serving import running_view

LOOK = 0.5
"""[s] How long a world runs after its picture was taken."""

FEW_COLORS = 12
ONE_COLOR = 0.97
"""A picture with fewer colours, or with one that covers more of it, counts as blank."""

SHEET = (4, 6)
"""Pictures of a sheet: across, down."""

THUMB = (480, 270)


@dataclass(frozen=True, slots=True)
class Shown:
    """What became of one world; times in s."""

    file: Path
    outcome: str
    compiling: float = 0.0
    showing: float = 0.0
    colors: int = 0
    commonest: float = 0.0
    complaints: tuple[str, ...] = ()
    picture: Image.Image | None = None

    def row(self) -> str:
        """Return the line of the table."""
        said = f"  {' | '.join(self.complaints)[:300]}" if self.complaints else ""
        return (
            f"{self.outcome:10} {self.compiling:6.2f} s {self.showing:6.2f} s {self.colors:6d} "
            f"{self.commonest:5.0%}  {self.file}{said}"
        )


def show_one(path: Path, browser: Browser, *, everything: bool) -> Shown:
    """Open a world in a new tab and look at it."""
    began = time.monotonic()
    scene, log = read_scene(path)
    if scene is None or (log.has_errors and not everything):
        return Shown(path, "incomplete")
    if not any(
        shape.role is not ShapeRole.COLLISION for link in scene.links() for shape in link.shapes
    ):
        return Shown(path, "empty")
    try:
        sim = Sim(scene, cut_meshes=False)
    except SolidbodyError as error:
        return Shown(path, "refused", complaints=(str(error),))
    compiled = time.monotonic()
    context = browser.new_context(viewport=VIEWPORT, color_scheme="light")
    try:
        with running_view(sim, page=load_page(), paused=True) as view:
            viewer = Viewer(context, view.url)
            viewer.wait_for_picture()
            shown = time.monotonic()
            pixels = viewer.pixels()
            viewer.press("play")
            viewer.page.wait_for_timeout(1000 * LOOK)
            failure = view.player.frame.failure
            complaints = (*viewer.errors, *filter(None, [failure]))
            viewer.page.close()
    except (AssertionError, Error) as error:
        return Shown(path, "LOST", compiled - began, complaints=(str(error),))
    finally:
        context.close()
    middle = pixels[80:620].reshape(-1, 3) // 8
    _, counts = np.unique(middle, axis=0, return_counts=True)
    share = float(counts.max() / counts.sum())
    is_blank = len(counts) < FEW_COLORS or share > ONE_COLOR
    outcome = "ERRORS" if complaints else "BLANK" if is_blank else "shown"
    return Shown(
        path,
        outcome,
        compiled - began,
        shown - compiled,
        len(counts),
        share,
        complaints,
        Image.fromarray(pixels),
    )


def keep(found: list[Shown], folder: Path) -> None:
    """Write sheets of small pictures with the names of the worlds."""
    across, down = SHEET
    for first in range(0, len(found), across * down):
        sheet = Image.new("RGB", (across * THUMB[0], down * (THUMB[1] + 16)), "white")
        pen = ImageDraw.Draw(sheet)
        for k, item in enumerate(found[first : first + across * down]):
            assert item.picture is not None
            x, y = k % across * THUMB[0], k // across * (THUMB[1] + 16)
            sheet.paste(item.picture, (x, y + 16))
            pen.text((x + 4, y + 2), f"{first + k} {item.file.name} {item.outcome}", fill="black")
        sheet.save(folder / f"sheet{first // (across * down):02d}.png")


def run(places: list[Path], *, everything: bool) -> Iterator[Shown]:
    """Open each world below some places."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_browser(), args=FLAGS)
        for path in worlds(places):
            yield show_one(path, browser, everything=everything)
        browser.close()


def main() -> int:
    """Open all and print; 1 if a world was not shown well."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.page_corpus", description=__doc__)
    parser.add_argument("places", nargs="*", type=Path, default=list(PLACES))
    parser.add_argument("--all", action="store_true", help="worlds with errors too")
    parser.add_argument("--shots", type=Path, help="folder for pictures")
    options = parser.parse_args()
    kept: list[Shown] = []
    bad = 0
    print("outcome    compile   picture colors  most  file")
    for found in run(options.places, everything=options.all):
        if found.outcome in ("incomplete", "empty"):
            continue
        bad += found.outcome not in ("shown", "refused")
        print(found.row(), flush=True)
        if found.picture is not None and options.shots:
            options.shots.mkdir(parents=True, exist_ok=True)
            found.picture.save(options.shots / f"{len(kept):03d}-{found.file.stem}.png")
            found.picture.thumbnail(THUMB)
            kept.append(found)
    keep(kept, options.shots)
    print(f"{bad} worlds were not shown well")
    return 1 if bad else 0


if __name__ == "__main__":
    raise SystemExit(main())
