"""A running view for tests: player and server in the background, ended with the block."""

from __future__ import annotations

import contextlib
import gzip
import threading
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import uvicorn

from solidbody.base.diagnostics import Diagnostic
from solidbody.viewer.address import allowed_names, open_listener
from solidbody.viewer.application import Application
from solidbody.viewer.page_files import PageFile
from solidbody.viewer.player import Player
from solidbody.viewer.server import encode_all, make_panels, make_server
from solidbody.viewer.simulation import Simulation
from tests.waiting import PATIENCE, wait_until

PAGE = {
    path: PageFile(text, gzip.compress(text), media_type, is_hashed=False)
    for path, text, media_type in [
        ("/", b"<!doctype html>page", "text/html; charset=utf-8"),
        ("/assets/page.js", b"'page'", "text/javascript; charset=utf-8"),
    ]
}
"""Stands for the built page where a test is about the server only."""


@dataclass
class View:
    player: Player
    server: uvicorn.Server
    port: int
    loop_thread: threading.Thread

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def stream_url(self) -> str:
        return f"ws://127.0.0.1:{self.port}/api/stream"


@contextlib.contextmanager
def running_view(
    sim: Simulation,
    *,
    paused: bool = False,
    speed: float = 1.0,
    page: dict[str, PageFile] | None = None,
    port: int = 0,
    token: str | None = None,
    host: str = "127.0.0.1",
    messages: Iterable[Diagnostic] = (),
) -> Iterator[View]:
    """Serve `sim` at a free port."""
    bench = make_panels(sim, messages)
    player = Player(sim, paused=paused, speed=speed, attendant=bench)
    scene, outline = encode_all(sim, bench)
    server = make_server(
        Application(
            player,
            scene,
            page or PAGE,
            outline=outline,
            panels=bench,
            token=token,
            names=allowed_names(host),
        )
    )
    listener = open_listener(port, host)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    player.start()
    thread.start()
    try:
        wait_until(lambda: server.started)
        yield View(player, server, listener.getsockname()[1], thread)
    finally:
        server.should_exit = True
        thread.join(PATIENCE)
        player.close()
        listener.close()
