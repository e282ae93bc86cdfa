"""The server shows the scene to this machine's browsers and to nobody else, and ends cleanly."""

from __future__ import annotations

import contextlib
import json
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest
from websockets.sync.client import ClientConnection, connect

from solidbody.viewer.address import AddressError, open_listener, page_url
from solidbody.viewer.page_files import PageMissingError, load_page
from solidbody.viewer.protocol import PROTOCOL_VERSION, FrameHeader, PlayState, decode_frame
from tests.viewer.motion import RisingBoxes
from tests.viewer.serving import View, running_view
from tests.waiting import PATIENCE, wait_until


@pytest.fixture
def view() -> Iterator[View]:
    with running_view(RisingBoxes(3)) as running:
        yield running


def get(view: View, path: str, **headers: str) -> httpx.Response:
    return httpx.get(view.url + path, headers=headers)


def raw_get(view: View, target: str) -> bytes:
    """Return the answer to a request whose target is sent as it is, dots and all."""
    with socket.create_connection(("127.0.0.1", view.port), timeout=PATIENCE) as connection:
        request = f"GET {target} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n"
        connection.sendall(request.encode())
        answer = b""
        while part := connection.recv(65536):
            answer += part
        return answer


def next_frame(client: ClientConnection) -> tuple[FrameHeader, np.ndarray]:
    while isinstance(message := client.recv(timeout=PATIENCE), str):
        pass
    return decode_frame(message)[:2]


def next_event(client: ClientConnection) -> dict[str, Any]:
    while not isinstance(message := client.recv(timeout=PATIENCE), str):
        pass
    return json.loads(message)


# --- what is served -------------------------------------------------------------------------------


def test_the_page_and_the_scene_are_served(view: View) -> None:
    """The page at /, its files below /assets/, the scene as JSON."""
    assert get(view, "/").text == "<!doctype html>page"
    assert get(view, "/assets/page.js").headers["content-type"].startswith("text/javascript")
    scene = get(view, "/api/scene").json()
    assert scene["protocol"] == PROTOCOL_VERSION
    assert [link["name"] for link in scene["links"]] == ["floor", "box 0", "box 1", "box 2"]


# --- who is let in --------------------------------------------------------------------------------


def test_a_host_that_is_not_ours_is_explained() -> None:
    """An address of the documentation's network belongs to no machine."""
    with pytest.raises(AddressError, match=r'^--host "192\.0\.2\.1": .* 0\.0\.0\.0 for all\.$'):
        open_listener(0, "192.0.2.1")


def test_the_printed_address_can_be_opened() -> None:
    """It names the host, in brackets where it has colons; for all networks, an address of this machine."""
    listener = open_listener(0)
    port = listener.getsockname()[1]
    assert page_url(listener, "127.0.0.1", "t") == f"http://127.0.0.1:{port}/?token=t"
    assert page_url(listener, "::1", "t") == f"http://[::1]:{port}/?token=t"
    assert "0.0.0.0" not in page_url(listener, "0.0.0.0", "t")
    listener.close()


def test_the_page_itself_is_let_in(view: View) -> None:
    """Its own origin is the address it was loaded from."""
    with connect(view.stream_url, additional_headers={"Origin": view.url}) as client:
        assert next_event(client)["event"] == "hello"


# --- the stream -----------------------------------------------------------------------------------


def test_a_client_gets_hello_and_then_frames(view: View) -> None:
    """The revision is that of the scene; frames advance."""
    with connect(view.stream_url) as client:
        hello = next_event(client)
        assert hello["revision"] == get(view, "/api/scene").json()["revision"]
        first, poses = next_frame(client)
        second, _ = next_frame(client)
    assert poses.shape == (3, 7)
    assert second.sequence > first.sequence and second.time > first.time


def test_commands_come_through_and_all_clients_see_them(view: View) -> None:
    """One tab pauses, the other one sees it; nonsense is answered and changes nothing."""
    with connect(view.stream_url) as one, connect(view.stream_url) as two:
        one.send('{"command": "pause"}')
        while next_frame(two)[0].state != PlayState.PAUSED:
            pass
        two.send('{"command": "fly"}')
        assert "expected one of" in next_event(two)["text"]
        before = view.player.frame.step_count
        two.send('{"command": "step", "count": 2}')
        wait_until(lambda: view.player.frame.step_count == before + 2)
        while next_frame(one)[0].step_count < before + 2:
            pass


def test_a_failure_is_told_to_old_and_new_clients() -> None:
    """Whoever connects later learns it too."""
    with running_view(RisingBoxes(fails_at=20)) as view:
        with connect(view.stream_url) as client:
            next_event(client)
            assert "flew away" in next_event(client)["text"]
        with connect(view.stream_url) as late:
            next_event(late)
            assert next_event(late)["event"] == "failure"
            assert next_frame(late)[0].state == PlayState.FAILED


def test_a_client_that_does_not_read_slows_nobody() -> None:
    """The simulation keeps time, other clients keep getting frames, and memory stays bounded."""
    with running_view(RisingBoxes(5000), speed=1.0) as view:
        # a tiny receive buffer, and nobody who reads: the server's writes soon get stuck
        lazy = socket.socket()
        lazy.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        lazy.connect(("127.0.0.1", view.port))
        lazy.sendall(
            b"GET /api/stream HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\n"
            b"Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
            b"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
        )
        with connect(view.stream_url) as client:
            for _ in range(40):
                next_frame(client)
            wait_until(lambda: next_frame(client) and view.player.frame.real_time_factor > 0.7)
        lazy.close()


# --- starting and ending --------------------------------------------------------------------------


def test_a_taken_port_gives_a_free_one() -> None:
    """The second server moves aside instead of failing."""
    first = open_listener(0)
    port = first.getsockname()[1]
    second = open_listener(port)
    assert second.getsockname()[0] == "127.0.0.1"
    assert second.getsockname()[1] not in (0, port)
    first.close()
    second.close()


def test_ending_closes_streams_and_threads() -> None:
    """A connected client is told, and no thread is left."""
    before = {thread.name for thread in threading.enumerate()}
    with contextlib.ExitStack() as stack:
        with running_view(RisingBoxes()) as view:
            client = stack.enter_context(connect(view.stream_url))
            next_frame(client)
        wait_until(lambda: not view.loop_thread.is_alive())
    wait_until(lambda: {thread.name for thread in threading.enumerate()} <= before)


def test_a_missing_page_says_how_to_build_it(tmp_path: Path) -> None:
    """The error names the command."""
    with pytest.raises(PageMissingError, match="npm run build"):
        load_page(tmp_path)


PROGRAM = """
import sys
import solidbody.viewer.server as server
from tests.viewer.motion import RisingBoxes
from tests.viewer.serving import PAGE
server.load_page = lambda: PAGE
options = eval(sys.argv[1])
sim = RisingBoxes(**options.pop("sim", {}))
sys.exit(server.serve(sim, port=0, **options))
"""


def stream_of(url: str) -> str:
    """Return the address of the stream for the printed address of a page, token and all."""
    return url.replace("http", "ws").replace("/?", "/api/stream?")


def start_program(options: dict[str, object]) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM, repr(options)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[2],
    )


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signals")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signals_end_the_program_cleanly(number: signal.Signals) -> None:
    """Status 0 and no traceback, with a client connected."""
    program = start_program({})
    assert program.stdout is not None
    line = program.stdout.readline()
    url = next(word for word in line.split() if word.startswith("http://127.0.0.1:"))
    with connect(stream_of(url)) as client:
        next_frame(client)
        program.send_signal(number)
        _, errors = program.communicate(timeout=PATIENCE)
    assert (program.returncode, errors) == (0, "")


@pytest.mark.slow
def test_a_host_for_others_says_what_that_means() -> None:
    """Two lines: what it lets others do, and the address; that has the token."""
    program = start_program({"host": "0.0.0.0"})
    assert program.stdout is not None
    warning, address = program.stdout.readline(), program.stdout.readline()
    program.terminate()
    program.communicate(timeout=PATIENCE)
    assert "can be reached from other machines" in warning and "nothing is encrypted" in warning
    assert "/?token=" in address


@pytest.mark.slow
def test_the_simulation_waits_for_the_first_viewer() -> None:
    """Time starts when a page says that it shows the scene."""
    program = start_program({})
    assert program.stdout is not None
    url = next(word for word in program.stdout.readline().split() if word.startswith("http"))
    with connect(stream_of(url)) as client:
        assert next_frame(client)[0].state == PlayState.PAUSED
        client.send('{"command": "ready"}')
        while next_frame(client)[0].step_count == 0:
            pass
    program.terminate()
    program.communicate(timeout=PATIENCE)


@pytest.mark.slow
def test_a_run_with_a_duration_ends_by_itself() -> None:
    """After that much simulated time the status is 0."""
    program = start_program({"duration": 0.2, "speed": float("1e3")})
    _, errors = program.communicate(timeout=PATIENCE)
    assert (program.returncode, errors) == (0, "")


def test_a_failed_run_has_status_1() -> None:
    """And the reason is said."""
    program = start_program({"duration": 5.0, "sim": {"fails_at": 10}})
    output, _ = program.communicate(timeout=PATIENCE)
    assert program.returncode == 1
    assert "flew away" in output
