"""A browser for all tests that look at the page, and tabs that must not complain.

`tests/conftest.py` takes these fixtures for all folders, so that there is one browser in a run. Playwright is
imported when it is needed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser

    from tests.browser.driving import Viewer

    OpenViewer = Callable[..., Viewer]
else:
    OpenViewer = Callable


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Start the machine's own Chromium, without a window."""
    from playwright.sync_api import sync_playwright

    from tests.browser.driving import FLAGS, find_browser

    path = find_browser()
    if path is None:
        pytest.skip("no Chromium on the PATH (Debian: apt install chromium)")
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield running
        running.close()


REMEMBER = """
try { localStorage.pictures ??= "%s"; } catch {}
"""
"""What a browser remembers in which the user has chosen."""

FINE = pytest.mark.parametrize("pictures", ["fine"])
"""For tests of what pictures show; the others see fast ones, as people without a graphics card may choose."""


@pytest.fixture
def pictures() -> str:
    """Return how pictures are drawn, as the page's own choice calls it."""
    return "fast"


@pytest.fixture
def open_viewer(browser: Browser, pictures: str) -> Iterator[OpenViewer]:
    """Open tabs; after the test none of them may have logged an error or a warning.

    A tab opened with `may_complain` is left out: browsers log every refused connection themselves.
    """
    from tests.browser.driving import VIEWPORT, Viewer

    context = browser.new_context(viewport=VIEWPORT, color_scheme="light")
    context.add_init_script(REMEMBER % pictures)
    strict: list[Viewer] = []

    def open_one(url: str, *, may_complain: bool = False) -> Viewer:
        viewer = Viewer(context, url)
        if not may_complain:
            strict.append(viewer)
        return viewer

    yield open_one
    context.close()
    errors = [viewer.errors for viewer in strict if viewer.errors]
    assert errors == [], errors
