"""`sb.view`: the page follows a simulation that its caller steps, and obeys in `sync` alone."""

from __future__ import annotations

import json
import logging
import signal
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest
from websockets.sync.client import ClientConnection, connect

import solidbody as sb
from solidbody.viewer.pacing import LAG_LIMIT
from solidbody.viewer.passive_player import ViewClosedError
from solidbody.viewer.passive_view import PassiveView
from solidbody.viewer.player import Player
from solidbody.viewer.protocol import FrameHeader, PlayState, decode_frame
from tests.viewer.motion import make_scene
from tests.waiting import wait_until

ARM = """#VRML_SIM R2025a utf8
WorldInfo { }
Robot { name "arm" children [ HingeJoint {
  jointParameters HingeJointParameters { axis 0 1 0 }
  device RotationalMotor { name "motor" }
  endPoint Solid { translation 0.2 0 0 boundingObject Box { size 0.4 0.1 0.1 } physics Physics { } } } ] }
"""


@pytest.fixture
def sim() -> sb.Sim:
    """Return three boxes that fall apart from each other."""
    return sb.Sim(make_scene(3))


@pytest.fixture
def view(sim: sb.Sim) -> Iterator[PassiveView]:
    """Show them."""
    with sb.view(sim, open_browser=False) as running:
        yield running


def connected(view: PassiveView) -> ClientConnection:
    """Return a client that has shown the page's token, as a tab does."""
    address = urlsplit(view.frame_url)
    return connect(f"ws://{address.netloc}{address.path}api/stream")


def next_header(client: ClientConnection) -> FrameHeader:
    while isinstance(message := client.recv(timeout=60), str):
        pass
    return decode_frame(message)[0]


def wait_for_tab(view: PassiveView) -> None:
    wait_until(lambda: view.has_viewers, "the tab")


def player_of(view: PassiveView) -> Player:
    return view._player


def obey(
    view: PassiveView,
    client: ClientConnection,
    command: dict[str, object],
    until: Callable[[], object],
) -> None:
    """Send a command and sync until it was obeyed, without waiting in a pause."""
    client.send(json.dumps(command))

    def is_obeyed() -> object:
        view.sync(wait=False)
        return until()

    wait_until(is_obeyed)


def test_time_passes_only_when_the_caller_steps(sim: sb.Sim, view: PassiveView) -> None:
    """The page steps nothing by itself; what it gets is the state at the time of `sync`."""
    with connected(view) as client:
        assert next_header(client).step_count == 0
        sim.step(7)
        assert player_of(view).frame.step_count == 0
        view.sync()
        while (header := next_header(client)).step_count == 0:
            pass
        assert header.step_count == 7
        assert header.time == sim.time


def test_the_last_moment_is_always_shown(sim: sb.Sim, view: PassiveView) -> None:
    """Of steps that come faster than frames some are left out, but not the last."""
    before = player_of(view).frame.sequence
    for _ in range(200):
        sim.step()
        view.sync()
    wait_until(lambda: player_of(view).frame.step_count == 200)
    assert player_of(view).frame.sequence - before < 200


def test_a_simulation_moves_the_same_whether_it_is_shown_or_not() -> None:
    """Bit for bit, with somebody who looks at contacts and pulls nothing."""
    shown, alone = sb.Sim(make_scene(3)), sb.Sim(make_scene(3))
    with sb.view(shown, open_browser=False) as view, connected(view) as client:
        client.send('{"command": "watch", "joints": true, "contacts": true}')
        for _ in range(50):
            shown.step()
            alone.step()
            view.sync()
    assert shown.poses().tobytes() == alone.poses().tobytes()


def test_a_pause_holds_the_caller_while_somebody_looks(sim: sb.Sim, view: PassiveView) -> None:
    """The step button lets him take one step; when the tab goes, he goes on."""
    done: list[int] = []

    def work() -> None:
        for _ in range(3):
            sim.step()
            done.append(sim.step_count)
            view.sync()

    with connected(view) as client:
        wait_for_tab(view)
        obey(view, client, {"command": "pause"}, lambda: view.is_paused)
        worker = threading.Thread(target=work)
        worker.start()
        wait_until(lambda: done == [1])
        client.send('{"command": "step", "count": 1}')
        wait_until(lambda: done == [1, 2])
        worker.join(0.3)
        assert worker.is_alive() and done == [1, 2]
    worker.join()
    assert done == [1, 2, 3]


def test_without_waiting_a_pause_is_only_told(sim: sb.Sim, view: PassiveView) -> None:
    """Programs that must go on ask `is_paused`."""
    with connected(view) as client:
        wait_for_tab(view)
        obey(view, client, {"command": "pause"}, lambda: view.is_paused)
        sim.step()
        view.sync(wait=False)
        assert view.is_paused and sim.step_count == 1
        obey(view, client, {"command": "play"}, lambda: not view.is_paused)


def test_the_page_drives_joints_and_resets(tmp_path: Path) -> None:
    """In the thread of the caller, when he syncs."""
    world = tmp_path / "arm.wbt"
    world.write_text(ARM, encoding="utf-8")
    sim = sb.Sim(sb.load(world))
    with sb.view(sim, open_browser=False) as view, connected(view) as client:
        wait_for_tab(view)
        drive = {"command": "joint", "joint": 0, "mode": "velocity", "value": 2.0}
        obey(view, client, drive, lambda: sim.joint("motor").target_velocity == 2.0)
        sim.step(100)
        # the motor's row gives way to gravity by its CFM, some 1e-4 rad/s
        assert sim.joint("motor").velocity == pytest.approx(2.0, abs=1e-3)
        obey(view, client, {"command": "reset"}, lambda: sim.step_count == 0)


def test_a_reset_by_the_caller_begins_a_new_run(sim: sb.Sim, view: PassiveView) -> None:
    """Curves of the page must not connect both."""
    sim.step(5)
    view.sync()
    before = player_of(view).frame.epoch
    sim.reset()
    view.sync()
    wait_until(lambda: player_of(view).frame.epoch == before + 1)


def test_speed_holds_the_caller_to_the_clock(sim: sb.Sim) -> None:
    """At four times real time 2 s of simulated time take 0.5 s; a hiccup may be caught up with."""
    with sb.view(sim, speed=4.0, open_browser=False) as view:
        began = time.monotonic()
        while sim.time < 2.0:
            sim.step()
            view.sync()
        assert time.monotonic() - began >= 2.0 / 4.0 - LAG_LIMIT


def test_a_fault_of_the_page_is_told_and_ends_nothing(
    sim: sb.Sim,
    view: PassiveView,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """The program that steps gets errors of its own calls alone."""

    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("a slip of ours")

    with connected(view) as client:
        wait_for_tab(view)
        monkeypatch.setattr(player_of(view), "_observe", broken)
        with caplog.at_level(logging.ERROR):
            view.sync()
        monkeypatch.undo()
        while "a slip of ours" not in str(client.recv(timeout=60)):
            pass
    sim.step()
    view.sync()
    wait_until(lambda: player_of(view).frame.state is PlayState.RUNNING)


def test_several_views_of_one_simulation(sim: sb.Sim) -> None:
    """Each has its own page; closing one leaves the other, and nothing stays with the simulation."""
    with sb.view(sim, open_browser=False) as one:
        with sb.view(sim, open_browser=False) as two:
            assert one.url != two.url
            sim.step()
            one.sync()
            two.sync()
        assert httpx.get(one.url).status_code == 200
    assert not sim.step_hooks


def test_closing_ends_server_and_threads(sim: sb.Sim) -> None:
    """No port, no thread, no signal handler is left."""
    handlers = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
    threads = threading.active_count()
    view = sb.view(sim, open_browser=False)
    assert [signal.getsignal(n) for n in (signal.SIGINT, signal.SIGTERM)] == handlers
    assert view.is_running()
    view.close()
    view.close()
    assert not view.is_running()
    with pytest.raises(httpx.ConnectError):
        httpx.get(view.url)
    wait_until(lambda: threading.active_count() == threads, "the threads to end")
    with pytest.raises(ViewClosedError):
        view.sync()


def test_one_copy_of_a_batch_is_shown(sim: sb.Sim) -> None:
    """As it is after each step of the batch, and others are not."""
    batch = sim.batch(3)
    batch[1].link("box 0").set_pose((0.0, 5.0, 9.0), (1.0, 0.0, 0.0, 0.0))
    with sb.view(batch, copy=1, open_browser=False) as view, connected(view) as client:
        batch.step(3)
        view.sync()
        while True:
            message = client.recv(timeout=60)
            if not isinstance(message, str):
                header, poses, _ = decode_frame(message)
                if header.step_count == 3:
                    break
        expected = batch[1].poses()[batch[1].moving]
        assert poses[0].tolist() == pytest.approx(expected[0].tolist(), rel=1e-6)
    with pytest.raises(IndexError, match="no copy 3"):
        sb.view(batch, copy=3)


# --- notebooks ------------------------------------------------------------------------------------


def test_a_notebook_shows_the_live_page(view: PassiveView) -> None:
    """The frame may be shown by other sites, needs no cookie, and everything below it is the page."""
    assert f'<iframe src="{view.frame_url}"' in view._repr_html_()
    page = httpx.get(view.frame_url)
    assert page.status_code == 200 and "<canvas" in page.text
    assert "frame-ancestors *" in page.headers["content-security-policy"]
    assert "set-cookie" not in page.headers
    assert httpx.get(view.frame_url + "api/scene").json()["links"]


def test_a_frame_needs_the_token(view: PassiveView) -> None:
    """Without it, and without a cookie, nothing is shown; the page itself is not for frames."""
    address = urlsplit(view.url)
    base = f"http://{address.netloc}"
    for path in ("/frame/", "/frame/x/", "/frame/x/api/scene", "/frame", "/frame//api/scene"):
        assert httpx.get(base + path).status_code == 403
    assert "frame-ancestors 'none'" in httpx.get(view.url).headers["content-security-policy"]
    foreign = httpx.get(view.frame_url, headers={"Origin": "http://evil.example"})
    assert foreign.status_code == 403
    assert httpx.get(view.frame_url, headers={"Host": "evil.example"}).status_code == 403
