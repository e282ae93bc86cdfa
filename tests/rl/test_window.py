"""`render_mode="human"`: a page in the browser follows the environment."""

from __future__ import annotations

import gzip
import threading
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import urlsplit

import httpx
import numpy as np
import pytest
from websockets.sync.client import ClientConnection, connect

from solidbody import rl
from solidbody.rl import window as showing
from solidbody.rl.window import Window
from solidbody.viewer.guard import frame_path
from solidbody.viewer.page_files import PageFile
from solidbody.viewer.protocol import FrameHeader, PlayState, decode_frame
from tests.rl.pushing import Pushed
from tests.waiting import wait_until

Maker = Callable[..., Pushed]

PUSH = np.array([1.0], np.float32)


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What browsers are asked to open; our page is a small one here, which need not be built."""
    text = b"<html>our page</html>"
    page = {"/": PageFile(text, gzip.compress(text), "text/html", is_hashed=False)}
    found: list[str] = []
    monkeypatch.setattr(showing, "load_page", lambda: page)
    monkeypatch.setattr(showing, "has_display", lambda: True)
    monkeypatch.setattr(showing.webbrowser, "open", found.append)
    monkeypatch.setattr(showing.time, "sleep", lambda seconds: None)
    return found


@pytest.fixture
def env(pushed: Maker, opened: list[str]) -> Iterator[rl.Env]:
    made = rl.Env(pushed, render_mode="human")
    made.reset(seed=0)
    yield made
    made.close()


def window_of(env: Any) -> Window:
    return env._rendering._window


def connected(env: Any) -> ClientConnection:
    """Return a client that has shown the page's token, as a tab does."""
    address = urlsplit(window_of(env).url)
    token = address.query.partition("=")[2]
    return connect(f"ws://{address.netloc}{frame_path(token)}api/stream")


def frames(client: ClientConnection) -> Iterator[FrameHeader]:
    while True:
        if not isinstance(message := client.recv(timeout=60), str):
            yield decode_frame(message)[0]


def test_page_is_served_to_who_has_its_address(env: rl.Env, opened: list[str]) -> None:
    """One browser is opened, at the address with the token; without it nobody gets in."""
    env.step(PUSH)
    url = window_of(env).url
    assert opened == [url] and env.render() is None
    assert "our page" in httpx.get(url, follow_redirects=True).text
    assert httpx.get(url.partition("?")[0]).status_code in (401, 403)


def test_page_follows_actions(env: rl.Env) -> None:
    """What a tab sees has the time of the environment; the next episode begins at its start again."""
    with connected(env) as client:
        seen = frames(client)
        # one step of 10 ms to settle, which may be shown a moment later, then five actions of two
        assert next(item.time for item in seen if item.time > 0.0) == pytest.approx(0.01)
        for _ in range(5):
            env.step(PUSH)
        assert next(item.time for item in seen if item.time > 0.105) == pytest.approx(0.11)
        env.reset()
        assert next(item.time for item in seen if item.time < 0.1) == pytest.approx(0.01)


def test_a_pause_on_the_page_holds_the_program(env: rl.Env) -> None:
    """Until somebody lets time run again; or the environment is closed."""
    done: list[int] = []

    def work() -> None:
        for number in range(50):
            env.step(PUSH)
            done.append(number)

    with connected(env) as client:
        next(frames(client))
        client.send('{"command": "pause"}')
        wait_until(lambda: window_of(env)._player._state is PlayState.PAUSED)
        worker = threading.Thread(target=work)
        worker.start()
        worker.join(0.3)
        assert worker.is_alive() and len(done) <= 1
        client.send('{"command": "play"}')
        worker.join(60)
    assert len(done) == 50


def test_what_is_learned_does_not_depend_on_the_page(pushed: Maker, env: rl.Env) -> None:
    """To the byte."""
    alone = rl.Env(pushed)
    alone.reset(seed=0)
    for _ in range(10):
        shown, quiet = env.step(PUSH), alone.step(PUSH)
        assert shown[0].tobytes() == quiet[0].tobytes() and shown[1] == quiet[1]


def test_vectors_show_their_first_copy(pushed: Maker, opened: list[str]) -> None:
    """And may be closed twice; then the address leads nowhere."""
    envs = rl.VectorEnv(pushed, 2, render_mode="human")
    envs.reset(seed=0)
    envs.step(np.array([[1.0], [0.0]], np.float32))
    url = window_of(envs).url
    assert opened == [url] and envs.render() is None
    envs.close()
    envs.close()
    with pytest.raises(httpx.TransportError):
        httpx.get(url)
