"""Who may see the page, and what it can load: the rules of the server as a browser meets them."""

from __future__ import annotations

import pytest

import solidbody as sb
from solidbody.viewer.guard import WRONG_TOKEN
from solidbody.viewer.page_files import load_page
from tests.browser.conftest import sim
from tests.browser.fixtures import OpenViewer
from tests.viewer.serving import running_view

__all__ = ["sim"]

pytestmark = pytest.mark.browser

TRICKS = [
    "/pendulum.wbt",
    "/api/../../pendulum.wbt",
    "/assets/..%2f..%2fserver.py",
    "/assets/%2e%2e/server.py",
    "/etc/passwd",
    "/%2e%2e/%2e%2e/etc/passwd",
    "/api/sounds/-1",
    "/api/sounds/999",
]

FETCH = """async (paths) => Promise.all(paths.map(async (path) => (await fetch(path)).status))"""

FOREIGN = """async () => {
  const refusals = [];
  document.addEventListener("securitypolicyviolation", (event) => refusals.push(event.effectiveDirective));
  await fetch("http://localhost:1/").catch(() => undefined);
  document.body.append(Object.assign(document.createElement("script"), { textContent: "window.harmed = 1" }));
  document.body.append(Object.assign(document.createElement("img"), { src: "http://localhost:1/x.png" }));
  await new Promise((done) => setTimeout(done, 100));
  return refusals;
}"""


def test_only_the_printed_address_opens_the_page(sim: sb.Sim, open_viewer: OpenViewer) -> None:
    """Without the token, or with a wrong one, there is one sentence; with it the page, which hides it."""
    with running_view(sim, page=load_page(), token="s3cret") as view:
        for address in (view.url, f"{view.url}/?token=wrong"):
            refused = open_viewer(address, may_complain=True)
            assert refused.page.inner_text("body").strip() == WRONG_TOKEN
            refused.page.close()
        viewer = open_viewer(f"{view.url}/?token=s3cret")
        viewer.wait_for_picture()
        assert viewer.page.url == f"{view.url}/"
        viewer.page.reload()  # the cookie is enough
        viewer.wait_for_picture()
        viewer.page.close()


def test_a_page_of_another_run_says_so(sim: sb.Sim, open_viewer: OpenViewer) -> None:
    """The program was started again at the same port, with another token."""
    with running_view(sim, page=load_page(), token="first") as view:
        viewer = open_viewer(f"{view.url}/?token=first", may_complain=True)
        viewer.wait_for_picture()
    with running_view(sim, page=load_page(), token="second", port=view.port) as second:
        assert second.port == view.port
        viewer.wait(lambda: viewer.text("notice") == WRONG_TOKEN, "the sentence")
        viewer.page.close()


def test_a_page_can_load_nothing_but_itself(sim: sb.Sim, open_viewer: OpenViewer) -> None:
    """Files of the machine do not exist for it, and its policy keeps other hosts and inline scripts out."""
    with running_view(sim, page=load_page(), paused=True) as view:
        viewer = open_viewer(view.url, may_complain=True)
        viewer.wait_for_picture()
        assert viewer.page.evaluate(FETCH, TRICKS) == [404] * len(TRICKS)
        refusals = viewer.page.evaluate(FOREIGN)
        assert sorted(refusals) == ["connect-src", "img-src", "script-src-elem"]
        assert viewer.page.evaluate("window.harmed") is None
        viewer.page.close()
