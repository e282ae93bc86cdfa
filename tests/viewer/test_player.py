"""The player obeys, keeps time, and never leaves an error in the dark."""

from __future__ import annotations

import logging
import math
import threading
import time
from collections.abc import Callable, Iterator
from itertools import pairwise

import pytest

import solidbody as sb
from solidbody.base.errors import SimulationError
from solidbody.viewer.pacing import FRAME_PERIOD, LAG_LIMIT
from solidbody.viewer.player import Player, PlayerFrame
from solidbody.viewer.protocol import (
    CommandPause,
    CommandPlay,
    CommandReset,
    CommandSpeed,
    CommandStep,
    PlayState,
    decode_frame,
)
from tests.viewer.motion import RisingBoxes, make_scene
from tests.waiting import wait_until

StartPlayer = Callable[..., Player]


@pytest.fixture
def start() -> Iterator[StartPlayer]:
    """Start players that are closed after the test."""
    players: list[Player] = []

    def start_player(sim: RisingBoxes | sb.Sim, **options: object) -> Player:
        player = Player(sim, **options)  # pyright: ignore[reportArgumentType]
        players.append(player)
        player.start()
        return player

    yield start_player
    for player in players:
        player.close()


def go_round(player: Player) -> None:
    """Let a paused player go once through all that it does."""
    before = player.frame.sequence
    player.send(CommandPause())
    wait_until(lambda: player.frame.sequence > before)


def test_a_paused_player_takes_no_step(start: StartPlayer) -> None:
    """The first frame is there, and stays."""
    player = start(RisingBoxes(), paused=True)
    assert player.frame.sequence == 1
    go_round(player)
    assert player.frame.state is PlayState.PAUSED
    assert (player.frame.step_count, player.frame.sequence) == (0, 2)


def test_frames_hold_the_moving_links(start: StartPlayer) -> None:
    """Poses are those of the simulation at the frame's own time."""
    player = start(RisingBoxes(3))
    wait_until(lambda: player.frame.step_count > 5)
    header, poses, _ = decode_frame(player.frame.message)
    assert poses.shape == (3, 7)
    assert poses[:, 0].tolist() == [0.0, 1.0, 2.0]
    assert poses[:, 2] == pytest.approx(0.001 * header.step_count)
    assert header.state == PlayState.RUNNING


def test_a_scene_that_changes_while_it_runs_is_followed(start: StartPlayer) -> None:
    """As when a supervisor adds a box: listeners hear of it before the first frame that has it."""
    sim = sb.Sim(make_scene(2))
    player = start(sim, paused=True)
    heard: list[int] = []
    player.subscribe_scene(lambda: heard.append(player.frame.epoch))
    sim.replace_scene(make_scene(3))
    player.send(CommandStep(1))
    wait_until(lambda: player.frame.epoch > 0)
    _, poses, _ = decode_frame(player.frame.message)
    assert poses.shape == (3, 7)
    assert heard == [0]


def test_commands_do_what_they_say(start: StartPlayer) -> None:
    """Step, play, pause, reset, in this order, seen through frames."""
    player = start(RisingBoxes(), paused=True)
    player.send(CommandStep(3))
    wait_until(lambda: player.frame.step_count == 3)
    assert player.frame.state is PlayState.PAUSED
    player.send(CommandPlay())
    wait_until(lambda: player.frame.step_count > 10)
    player.send(CommandPause())
    wait_until(lambda: player.frame.state is PlayState.PAUSED)
    held = player.frame
    go_round(player)
    assert player.frame.step_count == held.step_count
    player.send(CommandReset())
    wait_until(lambda: player.frame.step_count == 0)
    assert player.frame.state is PlayState.PAUSED
    assert player.frame.epoch == held.epoch + 1


def test_a_reset_while_running_runs_on(start: StartPlayer) -> None:
    """Reset starts again from the first pose and keeps playing."""
    player = start(RisingBoxes())
    wait_until(lambda: player.frame.step_count > 20)
    player.send(CommandReset())
    wait_until(lambda: player.frame.epoch == 1)
    assert player.frame.step_count <= 5
    assert player.frame.state is PlayState.RUNNING


def test_real_time_is_kept(start: StartPlayer) -> None:
    """Simulated time advances with the clock, never before it; a busy machine may lose some now and then."""
    player = start(RisingBoxes(time_step=0.002))
    wait_until(lambda: player.frame.step_count > 0)
    first, began = player.frame.time, time.monotonic()
    wait_until(lambda: player.frame.time > first + 0.2)
    wait_until(lambda: 0.9 < player.frame.real_time_factor < 1.1)
    rate = (player.frame.time - first) / (time.monotonic() - began)
    assert rate < 1.15 + LAG_LIMIT / 0.2


def test_the_speed_can_be_changed_while_running(start: StartPlayer) -> None:
    """As fast as possible is much faster than real time for a cheap simulation."""
    player = start(RisingBoxes())
    wait_until(lambda: player.frame.step_count > 0)
    player.send(CommandSpeed(None))
    wait_until(lambda: player.frame.real_time_factor > 20)
    header, _, _ = decode_frame(player.frame.message)
    assert math.isinf(header.speed)
    player.send(CommandSpeed(0.5))
    wait_until(lambda: 0.2 < player.frame.real_time_factor < 0.8)


def test_frames_come_no_faster_than_they_can_be_shown(start: StartPlayer) -> None:
    """Even at full speed there are at most about 60 frames a second."""
    times: list[float] = []
    player = start(RisingBoxes(), speed=math.inf)
    player.subscribe(lambda: times.append(time.monotonic()))
    wait_until(lambda: len(times) > 20)
    assert times[20] - times[0] > 15 * FRAME_PERIOD


def test_paced_frames_carry_the_time_they_were_due(start: StartPlayer) -> None:
    """Between frames the clock advances exactly as simulated time does: motion can be even."""
    player = start(RisingBoxes(time_step=0.01))
    seen: list[tuple[float, float]] = []

    def note() -> None:
        header, _, _ = decode_frame(player.frame.message)
        seen.append((header.time, header.clock))

    player.subscribe(note)
    wait_until(lambda: len(seen) > 20)
    even = [b[1] - a[1] == pytest.approx(b[0] - a[0], abs=1e-9) for a, b in pairwise(seen)]
    assert sum(even) >= len(even) - 2  # a hiccup of the machine may move the schedule


@pytest.mark.parametrize("speed", [math.inf, 1.0])
def test_a_run_ends_at_its_stop_time(start: StartPlayer, speed: float) -> None:
    """Not one step more, and the last moment is published."""
    player = start(RisingBoxes(time_step=0.01), speed=speed, stop_time=0.3)
    wait_until(lambda: player.frame.state is PlayState.FINISHED)
    assert player.frame.step_count == 30


def test_an_error_of_the_simulation_is_shown(
    start: StartPlayer, caplog: pytest.LogCaptureFixture
) -> None:
    """State and text say so, the last good poses stay, and a reset starts over."""
    caplog.set_level(logging.CRITICAL)
    player = start(RisingBoxes(fails_at=30))
    wait_until(lambda: player.frame.state is PlayState.FAILED)
    assert player.frame.failure == "FloatingPointError: the boxes flew away"
    _, poses, _ = decode_frame(player.frame.message)
    assert poses[0, 2] < 0.03
    player.send(CommandPlay())
    player.send(CommandReset())
    wait_until(lambda: player.frame.failure == "")
    assert player.frame.state is PlayState.PAUSED


def test_our_own_errors_speak_for_themselves(start: StartPlayer) -> None:
    """A SimulationError is shown without its class name."""

    class Diverging(RisingBoxes):
        def step(self, n: int = 1) -> None:
            raise SimulationError("box 0 is no longer finite", time=self.time, body="box 0")

    player = start(Diverging())
    wait_until(lambda: player.frame.state is PlayState.FAILED)
    assert player.frame.failure == "box 0 is no longer finite"


def test_closing_ends_the_thread() -> None:
    """No thread is left, whether the player ran, was paused, or never started."""
    for paused in (True, False):
        player = Player(RisingBoxes(), paused=paused)
        player.start()
        go_round(player) if paused else wait_until(lambda: player.frame.step_count > 0)  # noqa: B023
        player.close()
    Player(RisingBoxes()).close()
    assert "solidbody-player" not in {thread.name for thread in threading.enumerate()}


def test_only_the_player_touches_the_simulation(start: StartPlayer) -> None:
    """Commands from any thread are carried out in the player's own."""
    sim = RisingBoxes()
    player = start(sim, paused=True)
    threads = [threading.Thread(target=player.send, args=(CommandStep(1),)) for _ in range(20)]
    for thread in threads:
        thread.start()
    wait_until(lambda: player.frame.step_count == 20)
    assert sim.threads == {"solidbody-player"}


def test_frames_do_not_change_after_publishing(start: StartPlayer) -> None:
    """A viewer may keep a frame as long as it likes."""
    player = start(RisingBoxes())
    kept: list[PlayerFrame] = []
    wait_until(lambda: player.frame.step_count > 0)
    kept.append(player.frame)
    before = bytes(kept[0].message)
    wait_until(lambda: player.frame.step_count > kept[0].step_count + 10)
    assert kept[0].message == before


def test_a_speed_that_is_none_is_refused() -> None:
    """Zero, negative and NaN speeds are mistakes of the caller."""
    for speed in (0.0, -1.0, math.nan):
        with pytest.raises(ValueError, match="speed"):
            Player(RisingBoxes(), speed=speed)
