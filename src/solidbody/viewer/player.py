"""The player: a thread that owns the simulation, paces it and publishes what viewers need."""

from __future__ import annotations

import logging
import math
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from solidbody.base.errors import SimulationEnd, SimulationWaits, SolidbodyError
from solidbody.viewer.pacing import FRAME_PERIOD, Pacer, RateMeter
from solidbody.viewer.protocol import (
    CommandPause,
    CommandPlay,
    CommandReset,
    CommandSpeed,
    CommandStep,
    PlayerCommand,
    PlayState,
    encode_frame,
)
from solidbody.viewer.protocol_work import WorkCommand
from solidbody.viewer.robots import SupervisorMode
from solidbody.viewer.simulation import Simulation

_log = logging.getLogger(__name__)

CLOSE_TIMEOUT = 10.0
"""How long closing waits for the step that is under way [s]."""

LOOK_PERIOD = 0.1
"""[s] How often a pause is interrupted to see whether something that is watched is due."""


@dataclass(frozen=True, slots=True)
class PlayerFrame:
    """One published moment; `message` is the encoded frame, the same bytes for every viewer."""

    sequence: int
    epoch: int
    state: PlayState
    time: float
    step_count: int
    real_time_factor: float
    failure: str
    message: bytes


@dataclass(frozen=True, slots=True, eq=False)
class Moment:
    """What a frame shows: copies, so that the simulation may go on."""

    poses: NDArray[np.float64]
    travels: Sequence[float]
    time: float
    step_count: int
    not_converged: int


class Attendant(Protocol):
    """Serves the panels; called in the player's thread."""

    def obey(self, command: WorkCommand, *, is_running: bool) -> None:
        """Carry out a command of a panel."""
        ...

    @property
    def is_watched(self) -> bool:
        """Whether anybody wants to be told anything."""
        ...

    def observe(self, now: float) -> bool:
        """The simulation may have moved on; return whether there is anything new to tell."""
        ...

    def travels(self) -> Sequence[float]:
        """Return how far each belt of the scene has run [m]."""
        ...

    def take_mode(self) -> SupervisorMode | None:
        """Return how a program wants the simulation to run; None = as it does."""
        ...

    def note_mode(self, mode: SupervisorMode) -> None:
        """The simulation runs like this now."""
        ...

    def restart_programs(self) -> None:
        """A user has sent the simulation back to its start: programs begin anew as well."""
        ...


class SimulationPause(SolidbodyError):
    """Not an error: raised within a step, it holds time before that step is taken."""

    def __init__(self) -> None:
        super().__init__("a program has paused the simulation")


class Player:
    """Runs a simulation in its own thread.

    After `start` nobody else may touch the simulation until `close`. Commands are queued and take
    effect before the next batch of steps; viewers read `frame`, the latest one, whenever they like,
    so that a slow viewer skips frames and never slows the simulation.

    Args:
        sim: The simulation.
        speed: Factor of real time, > 0; infinite = as fast as possible.
        paused: Whether to wait for a play command.
        stop_time: Simulated time at which the run ends [s]; None = never.
        attendant: Serves the panels; None = there are none.
    """

    def __init__(
        self,
        sim: Simulation,
        *,
        speed: float = 1.0,
        paused: bool = False,
        stop_time: float | None = None,
        attendant: Attendant | None = None,
    ) -> None:
        if not speed > 0.0:
            raise ValueError(f"speed must be above 0, got {speed}")
        self._sim = sim
        self._attendant = attendant
        self._scene = sim.scene
        self._moving = np.array(sim.moving, dtype=np.intp)
        self._scene_listeners: list[Callable[[], None]] = []
        self._stop_step = None if stop_time is None else _last_step(stop_time, sim.time_step)
        self._speed = speed
        self._state = PlayState.PAUSED if paused else PlayState.RUNNING
        self.quit_status: int | None = None
        self._failure = ""
        self._sequence = 0
        self._epoch = 0
        self._rate = 0.0
        self._pacer = Pacer(sim.time_step, speed)
        self._meter = RateMeter()
        self._commands: deque[PlayerCommand | WorkCommand] = deque()
        self._wake = threading.Event()
        self._closing = False
        self._listeners: list[Callable[[], None]] = []
        self._thread = threading.Thread(target=self._run, name="solidbody-player", daemon=True)
        self._moment = self._find_moment()
        self._published = time.monotonic()
        self._frame = self._make_frame(self._published)

    @property
    def frame(self) -> PlayerFrame:
        """The latest frame."""
        return self._frame

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def close(self) -> None:
        """End the thread; the simulation keeps its state."""
        self._closing = True
        self._wake.set()
        if self._thread.is_alive():
            self._thread.join(CLOSE_TIMEOUT)

    def send(self, command: PlayerCommand | WorkCommand) -> None:
        """Queue a command; callable from any thread."""
        self._commands.append(command)
        self._wake.set()

    def subscribe(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Call `listener` in the player's thread after each new frame; returns how to stop that."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def subscribe_scene(self, listener: Callable[[], None]) -> None:
        """Call `listener` in the player's thread before the first frame of another scene."""
        self._scene_listeners.append(listener)

    # --- in the player's thread -------------------------------------------------------------------

    def _run(self) -> None:
        self._restart_schedule()
        while not self._closing:
            began = time.monotonic()
            # an error of the simulation, of whatever kind, must reach the user instead of ending
            # this thread in silence
            try:
                obeyed = self._obey()
                stepped = self._state is PlayState.RUNNING and self._advance(began)
                is_due = obeyed or (stepped and self._is_frame_due())
                has_news = (is_due or not stepped) and self._observe()
                if is_due:
                    self._show_now()
                elif has_news:
                    self._tell()
            except SimulationWaits:
                # a program is not ready: hear what users want meanwhile; time does not run on
                self._pacer.restart(time.monotonic(), speed=self._speed)
                self._show_now()
            except SimulationPause:
                self._enter(PlayState.PAUSED)
                self._show_now()
            except SimulationEnd as end:
                self._end(end)
            except Exception as error:
                self._fail(error)
            self._sleep(began)

    def _show_now(self) -> None:
        """Publish the present moment."""
        self._follow_scene()
        self._moment = self._find_moment()
        self._publish()

    def _find_moment(self) -> Moment:
        sim = self._sim
        return Moment(
            sim.poses()[self._moving],
            () if self._attendant is None else self._attendant.travels(),
            sim.time,
            sim.step_count,
            sim.stats.not_converged,
        )

    def _sleep(self, began: float) -> None:
        """Wait for the next step, frame or command, whichever is due."""
        is_watched = self._attendant is not None and self._attendant.is_watched
        timeout = LOOK_PERIOD if is_watched else None
        if self._state is PlayState.RUNNING:
            now = time.monotonic()
            if math.isinf(self._speed):
                timeout = 0.0  # a command or the end of the frame is checked after each batch
            else:
                timeout = max(self._pacer.wait(now), began + FRAME_PERIOD - now, 0.0)
        if timeout != 0.0:
            self._wake.wait(timeout)
        self._wake.clear()
        # a command that came between wait and clear is still in the queue: do not sleep on it
        if self._commands or self._closing:
            self._wake.set()

    def _obey(self) -> bool:
        """Carry out queued commands; return whether there were any."""
        changed = False
        while self._commands:
            command = self._commands.popleft()
            changed = True
            match command:
                case CommandPlay():
                    if self._state is PlayState.PAUSED:
                        self._enter(PlayState.RUNNING)
                case CommandPause():
                    if self._state is PlayState.RUNNING:
                        self._enter(PlayState.PAUSED)
                case CommandStep(count):
                    if self._state in (PlayState.PAUSED, PlayState.RUNNING):
                        self._enter(PlayState.PAUSED)
                        self._take(count)
                case CommandReset():
                    self._reset()
                case CommandSpeed(factor):
                    self._speed = math.inf if factor is None else factor
                    self._restart_schedule()
                case _:
                    self._work(command)
        return changed

    def _work(self, command: WorkCommand) -> None:
        if self._attendant is None:
            return
        self._attendant.obey(command, is_running=self._state is PlayState.RUNNING)

    def _follow_scene(self) -> None:
        """Another scene may be simulated now, after an edit of the page or a supervisor's change."""
        if self._sim.scene is self._scene:
            return
        self._scene = self._sim.scene
        self._moving = np.array(self._sim.moving, dtype=np.intp)
        self._epoch += 1
        if self._pacer.time_step != self._sim.time_step:
            self._pacer = Pacer(self._sim.time_step, self._speed)
            self._restart_schedule()
        for listener in tuple(self._scene_listeners):
            listener()

    def _observe(self) -> bool:
        return self._attendant is not None and self._attendant.observe(time.monotonic())

    def _enter(self, state: PlayState) -> None:
        self._state = state
        self._restart_schedule()

    def _restart_schedule(self) -> None:
        if self._attendant is not None:
            is_fast = math.isinf(self._speed)
            mode = SupervisorMode.FAST if is_fast else SupervisorMode.REAL_TIME
            self._attendant.note_mode(
                mode if self._state is PlayState.RUNNING else SupervisorMode.PAUSE
            )
        self._pacer.restart(time.monotonic(), speed=self._speed)
        self._meter.clear()
        self._rate = 0.0

    def _reset(self) -> None:
        self._sim.reset()
        if self._attendant is not None:
            self._attendant.restart_programs()
        self._epoch += 1
        self._failure = ""
        if self._state is not PlayState.RUNNING:
            self._state = PlayState.PAUSED
        self._restart_schedule()

    def _advance(self, now: float) -> bool:
        """Take the steps that are due; return whether there were any."""
        steps = self._pacer.due(now)
        if steps <= 0:
            return False
        self._take(steps)
        self._rate = self._meter.add(time.monotonic(), self._sim.time)
        return True

    def _take(self, steps: int) -> None:
        if self._stop_step is not None:
            steps = min(steps, self._stop_step - self._sim.step_count)
        if steps > 0:
            began = time.perf_counter()
            self._sim.step(steps)
            self._pacer.count(steps, time.perf_counter() - began)
            self._follow_mode()
        if self._stop_step is not None and self._sim.step_count >= self._stop_step:
            self._state = PlayState.FINISHED

    def _follow_mode(self) -> None:
        """Run as a program wants it: at real time or as fast as possible; pauses come as exceptions."""
        mode = None if self._attendant is None else self._attendant.take_mode()
        if mode is not None:
            self._speed = math.inf if mode is SupervisorMode.FAST else 1.0
            self._restart_schedule()

    def _is_frame_due(self) -> bool:
        """Whether the running simulation has something new to show; its last moment always is."""
        is_early = time.monotonic() - self._published < 0.75 * FRAME_PERIOD
        return self._state is not PlayState.RUNNING or not is_early

    def _end(self, end: SimulationEnd) -> None:
        """A controller has ended the simulation."""
        self.quit_status = end.status
        self._state = PlayState.FINISHED
        self._rate = 0.0
        self._publish_stopped()

    def _fail(self, error: Exception) -> None:
        is_ours = isinstance(error, SolidbodyError)
        self._failure = str(error) if is_ours else f"{type(error).__name__}: {error}"
        if not is_ours:
            _log.error("the simulation failed", exc_info=error)
        self._state = PlayState.FAILED
        self._rate = 0.0
        self._publish_stopped()

    def _publish_stopped(self) -> None:
        """Publish the time at which the run stopped, with the last good poses."""
        sim = self._sim
        self._moment = replace(self._moment, time=sim.time, step_count=sim.step_count)
        self._publish()

    def _publish(self) -> None:
        is_paced = self._state is PlayState.RUNNING and not math.isinf(self._speed)
        # paced frames carry the time at which they were due: viewers that interpolate over it see
        # even motion, whatever the jitter of this thread
        clock = self._pacer.scheduled if is_paced else time.monotonic()
        self._published = time.monotonic()
        self._frame = self._make_frame(clock)
        self._tell()

    def _tell(self) -> None:
        for listener in tuple(self._listeners):
            listener()

    def _make_frame(self, clock: float) -> PlayerFrame:
        self._sequence += 1
        moment = self._moment
        message = encode_frame(
            moment.poses,
            moment.travels,
            sequence=self._sequence,
            epoch=self._epoch,
            state=self._state,
            time=moment.time,
            clock=clock,
            real_time_factor=self._rate,
            speed=self._speed,
            step_count=moment.step_count,
            not_converged=moment.not_converged,
            step_cost=self._pacer.cost,
        )
        return PlayerFrame(
            sequence=self._sequence,
            epoch=self._epoch,
            state=self._state,
            time=moment.time,
            step_count=moment.step_count,
            real_time_factor=self._rate,
            failure=self._failure,
            message=message,
        )


def _last_step(stop_time: float, time_step: float) -> int:
    """Return the number of steps that reach `stop_time`, at least 0."""
    return max(0, math.ceil(stop_time / time_step - 1e-6))
