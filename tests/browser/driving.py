"""Drives the page in a real Chromium: finding it, waiting for the page, reading its pixels."""

from __future__ import annotations

import io
import os
import shutil
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from playwright.sync_api import BrowserContext, Page, ViewportSize

from tests.waiting import wait_until

BROWSER_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")

SHOW_GUIDES = """(visibility) => document.querySelectorAll("#view-cube, #hints").forEach(
    (guide) => (guide.style.visibility = visibility))"""
"""What lies over the picture to guide people is no part of it."""

FLAGS = [
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--ignore-gpu-blocklist",
    "--disable-gpu-compositing",
]
"""Draw WebGL in software: machines that run tests have no graphics card. All else is cheaper by itself."""

OWN_WARNING = "GPU stall due to ReadPixels"
"""What the last of them makes the browser say, as it reads each picture back."""

PATIENCE = 90.0
"""[s] Drawing in software on a busy machine takes its time."""

VIEWPORT = ViewportSize(width=1280, height=720)


def find_browser() -> str | None:
    """Return the path of a Chromium, or None; the environment variable CHROMIUM may name one."""
    names = [os.environ.get("CHROMIUM", ""), *BROWSER_NAMES]
    return next((path for name in names if name and (path := shutil.which(name))), None)


class Viewer:
    """One tab that shows a simulation."""

    def __init__(self, context: BrowserContext, url: str) -> None:
        self.page: Page = context.new_page()
        self.page.set_default_timeout(1000 * PATIENCE)
        self.errors: list[str] = []
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("console", self._note)
        self.page.goto(url)

    def _note(self, message: Any) -> None:
        if message.type in ("error", "warning") and OWN_WARNING not in message.text:
            self.errors.append(message.text)

    def read(self, expression: str) -> Any:
        """Return a value of the page, such as `time` of `window.solidbody`."""
        return self.page.evaluate(f"window.solidbody?.{expression}")

    def wait(self, condition: Callable[[], Any], what: str) -> None:
        """Wait until `condition` is true."""
        wait_until(condition, lambda: f"{what}; page said {self.errors}", patience=PATIENCE)

    def wait_for_picture(self) -> None:
        """Wait until the scene is there and drawn."""
        self.wait(lambda: self.read("connection") == "connected", "a connection")
        self.wait(lambda: (self.read("time") or -1) >= 0 or self.read("time") == 0, "a frame")
        self.settle()

    def settle(self) -> None:
        """Let the page draw what it knows."""
        self.page.evaluate(
            "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
        )

    def press(self, name: str) -> None:
        """Click the button with this test id."""
        self.page.get_by_test_id(name).click(timeout=1000 * PATIENCE)

    def say(self, text: str) -> None:
        """Write to a robot through its window."""
        self.page.get_by_test_id("windows-text").fill(text)
        self.press("windows-send")

    def text(self, name: str) -> str:
        """Return the text of the element with this test id."""
        return self.page.get_by_test_id(name).inner_text()

    def value(self, name: str) -> str:
        """Return what stands in the field with this test id."""
        return self.page.get_by_test_id(name).input_value()

    def position(self, body: str) -> NDArray[np.float64]:
        """Return where a body is drawn, world frame [m]."""
        return np.array(self.page.evaluate("(name) => window.solidbody.position(name)", body))

    def screen_position(self, body: str) -> tuple[int, int]:
        """Return where the middle of a body is on the screen [pixels]."""
        x, y = self.page.evaluate("(name) => window.solidbody.screenPosition(name)", body)
        return round(x), round(y)

    def pause(self) -> None:
        """Pause by the button, and wait until the last frame is drawn."""
        self.press("pause")
        self.wait(lambda: self.read("paused"), "pause")
        self.wait_until_still()

    def wait_until_still(self) -> None:
        """Wait until the page has drawn its finest, and nothing moves from one picture to the next."""
        self.wait(lambda: self.read("isAtRest"), "a finished picture")
        last = self.page.screenshot()
        for _ in range(50):
            self.settle()
            now = self.page.screenshot()
            if now == last:
                return
            last = now
        raise AssertionError("the picture never comes to rest")

    def pixels(self) -> NDArray[np.uint8]:
        """Return what is on the screen but for the view cube and hints, shape (height, width, 3)."""
        self.page.evaluate(SHOW_GUIDES, "hidden")
        png = self.page.screenshot()
        self.page.evaluate(SHOW_GUIDES, "")
        return decode(png)


def decode(png: bytes) -> NDArray[np.uint8]:
    """Return the pixels of a PNG, shape (height, width, 3)."""
    return np.asarray(Image.open(io.BytesIO(png)).convert("RGB"))


def patch(pixels: NDArray[np.uint8], x: int, y: int, *, reach: int = 6) -> NDArray[np.float64]:
    """Return the mean colour around a point."""
    region = pixels[max(0, y - reach) : y + reach + 1, max(0, x - reach) : x + reach + 1]
    return region.reshape(-1, 3).astype(float).mean(axis=0)
