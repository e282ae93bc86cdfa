"""Files from the web, with a server on this machine: fetched once, checked, used offline."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from solidbody.formats.downloads import DownloadCache, DownloadError
from solidbody.formats.loading import read_scene
from solidbody.formats.options import LoadOptions
from tests.formats.protos.projects import BALL, HEADER
from tests.formats.reading import link_named, the

OUTER = 'EXTERNPROTO "Blob.proto"\nPROTO Outer [ ] { Blob { } }\n'


class Site(ThreadingHTTPServer):
    """Serves texts by path and counts requests."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.pages: dict[str, bytes] = {
            "/p/Blob.proto": (HEADER + BALL).encode(),
            "/p/Outer.proto": (HEADER + OUTER).encode(),
        }
        self.redirects = {"/away.proto": "http://example.org/Blob.proto"}
        self.requests: list[str] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class _Handler(BaseHTTPRequestHandler):
    server: Site

    def do_GET(self) -> None:
        self.server.requests.append(self.path)
        if self.path in self.server.redirects:
            self.send_response(302)
            self.send_header("Location", self.server.redirects[self.path])
            self.end_headers()
        elif self.path in self.server.pages:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(self.server.pages[self.path])
        else:
            self.send_error(404)

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def site() -> Iterator[Site]:
    server = Site()
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def world_at(folder: Path, url: str) -> Path:
    path = folder / "world.wbt"
    path.write_text(
        f'{HEADER}EXTERNPROTO "{url}"\nWorldInfo {{ }} Viewpoint {{ }} Outer {{ }}\n', "utf-8"
    )
    return path


def test_nothing_is_fetched_unless_allowed(tmp_path: Path, site: Site) -> None:
    path = world_at(tmp_path, f"{site.url}/p/Outer.proto")
    _, log = read_scene(path, options=LoadOptions(cache=tmp_path / "cache"))
    assert "downloads are not allowed" in the(log, "missing-proto").text
    assert site.requests == [] and not (tmp_path / "cache").exists()


def test_fetched_files_are_used_offline_afterwards(tmp_path: Path, site: Site) -> None:
    """A relative url in a fetched PROTO is relative to where that came from."""
    path = world_at(tmp_path, f"{site.url}/p/Outer.proto")
    cache = tmp_path / "cache"
    scene, log = read_scene(path, options=LoadOptions(allow_download=True, cache=cache))
    assert [str(item) for item in log] == []
    assert scene is not None and link_named(scene, "ball")
    assert site.requests == ["/p/Outer.proto", "/p/Blob.proto"]
    scene, log = read_scene(path, options=LoadOptions(cache=cache))
    assert scene is not None and link_named(scene, "ball") and len(log) == 0
    assert len(site.requests) == 2


def test_damaged_copy_is_not_used(tmp_path: Path, site: Site) -> None:
    cache = DownloadCache(tmp_path, {})
    url = f"{site.url}/p/Blob.proto"
    copy = cache.get(url, allow_download=True)
    copy.write_text("something else", encoding="utf-8")
    with pytest.raises(DownloadError, match="not in the download cache"):
        cache.get(url, allow_download=False)
    assert cache.get(url, allow_download=True).read_bytes() == site.pages["/p/Blob.proto"]
    assert [item.name for item in tmp_path.rglob(".part-*")] == []


@pytest.mark.parametrize(
    ("page", "expected"),
    [("/nothing.proto", "fetching it failed"), ("/away.proto", "only https:// is fetched")],
)
def test_failed_download_says_why(tmp_path: Path, site: Site, page: str, expected: str) -> None:
    with pytest.raises(DownloadError, match=expected):
        DownloadCache(tmp_path, {}).get(site.url + page, allow_download=True)


def test_dead_server_is_an_error_of_ours(tmp_path: Path) -> None:
    path = world_at(tmp_path, "http://127.0.0.1:9/Outer.proto")
    _, log = read_scene(path, options=LoadOptions(allow_download=True, cache=tmp_path / "c"))
    assert "fetching it failed" in the(log, "missing-proto").text
