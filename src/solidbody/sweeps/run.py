"""One run: its simulation, programs, steps and measures. Whatever goes wrong becomes a message."""

from __future__ import annotations

import hashlib
import math
import os
import socket
import tempfile
import time
import warnings
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from solidbody.base.errors import SimulationEnd, SimulationPaused, SimulationWaits, SolidbodyError
from solidbody.base.output_files import GrowingFile
from solidbody.record.motion_log import ROUNDING, header, row, row_step
from solidbody.sweeps.bench import Bench, BenchData
from solidbody.sweeps.columns import ColumnLog, Columns
from solidbody.sweeps.functions import FunctionLoader, FunctionSource, told
from solidbody.sweeps.jobs import FAILED, Job, RunOutcome
from solidbody.sweeps.programs import Programs, programs_of
from solidbody.sweeps.study import Kind, Measure, Reduction, Stop, Value

if TYPE_CHECKING:
    from solidbody.sim import Sim

CALL_TIME: Final = 0.1
"""[s] Wall time aimed at for one call into the simulation: the time limit is looked at as often."""

MAX_STEPS: Final = 10**9

MAX_CARRIED: Final = 256_000_000
"""Bytes of one kept file."""

MAX_MESSAGE: Final = 2_000
"""Characters of a message of a run."""

MAX_MEASURED: Final = 10_000
"""Characters of a text, or numbers of a list, that a function returns."""


class RunError(SolidbodyError):
    """A run has failed; the text says why."""


@dataclass(slots=True)
class Run:
    """What functions of users are told of a run.

    Attributes:
        number: Its number.
        sim: The simulation: at its start for `prepare`, at its end for measures.
        parameters: The values of all parameters, by name.
        seed: Of its random numbers.
        columns: Columns of the log that a measure has asked for, as arrays.
        ended_by: What has ended it: `duration`, `program` or the name of a stop.
        exit_status: What a program has ended it with; None = none has.
    """

    number: int
    sim: Sim
    parameters: Mapping[str, Value]
    seed: int
    columns: dict[str, NDArray[np.float64]] = field(default_factory=dict[str, Any])
    ended_by: str = ""
    exit_status: int | None = None


class Workplace:
    """A worker's side of a study: does one run after the other."""

    def __init__(self, data: BenchData, *, threads: int | None = None) -> None:
        self.bench = Bench(data, threads=threads)
        self._loader = FunctionLoader()
        self._name = f"{socket.gethostname()}:{os.getpid()}"

    def do(self, job: Job) -> RunOutcome:
        """Do a run. Raises nothing: what goes wrong is in the outcome."""
        outcome, began = RunOutcome(job.run, worker=self._name), time.perf_counter()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", RuntimeWarning)
                _RunInProgress(self, job, outcome).go()
        except SolidbodyError as error:
            _fail(outcome, str(error))
        except MemoryError as error:
            _fail(outcome, f"out of memory: {error}" if str(error) else "out of memory")
        except (
            Exception
        ) as error:  # of a program or a scene that nobody has thought of: a row, not the end
            _fail(outcome, told(error))
        outcome.wall = time.perf_counter() - began
        return outcome

    def load(self, source: FunctionSource) -> Any:
        """Return a function of the user."""
        return self._loader.load(source)


def _fail(outcome: RunOutcome, message: str) -> None:
    outcome.status = FAILED
    text = f"{outcome.message}; {message}" if outcome.message else message
    outcome.message = text if len(text) <= MAX_MESSAGE else text[:MAX_MESSAGE] + "..."


class _RunInProgress:
    def __init__(self, place: Workplace, job: Job, outcome: RunOutcome) -> None:
        self.place, self.job, self.outcome = place, job, outcome
        self.conditions = place.bench.data.conditions
        self.deadline = time.monotonic() + self.conditions.time_limit
        self._cost = 0.0
        self._steps = 0

    def go(self) -> None:
        bench, job, conditions = self.place.bench, self.job, self.conditions
        scene = bench.scene(job)
        sim = bench.simulation(scene)
        if not (math.isfinite(sim.time_step) and sim.time_step > 0.0):
            raise RunError(f"a time step of {sim.time_step:g} s cannot be simulated")
        named = {p.name: v for p, v in zip(conditions.parameters, job.values, strict=True)}
        self.run = Run(job.run, sim, named, scene.physics.random_seed)
        self.outcome.seed = self.run.seed
        self._drive(sim)
        if conditions.prepare is not None:
            self._call(conditions.prepare, "prepare")
        self._read_columns(sim)
        document = (lambda: bench.world(job)) if bench.data.world is not None else None
        with ExitStack() as stack:
            programs = Programs()
            files = stack.enter_context(self._kept_files(sim, programs))
            with programs_of(sim, conditions, bench.data.options, document) as running:
                programs.lines = running.lines
                self._go_on(sim, files)
                self._measure(sim)
            if running.failures:
                raise RunError("; ".join(running.failures))

    # ------------------------------------------------------------------ before the first step

    def _drive(self, sim: Sim) -> None:
        drives = [
            (parameter.target, value)
            for parameter, value in zip(self.conditions.parameters, self.job.values, strict=True)
            if parameter.kind is Kind.DRIVE
        ]
        for target, value in drives:
            give_command(sim, target, value)
        if drives:
            sim.keep_commands()

    def _read_columns(self, sim: Sim) -> None:
        conditions = self.conditions
        reductions = [item.reduction for item in conditions.measures if item.column]
        keeps_rows = any(item.columns for item in conditions.measures)
        self.columns = ColumnLog(Columns(sim, conditions.columns), keeps_rows=keeps_rows)
        self._samples = (
            keeps_rows
            or bool(conditions.stops)
            or any(item not in (Reduction.LAST, Reduction.FIRST) for item in reductions)
        )

    # ------------------------------------------------------------------ steps

    def _go_on(self, sim: Sim, log: GrowingFile | None) -> None:
        names = sim.link_names, sim.joint_names
        if log is not None:
            log.write(header(*names))
        total = math.ceil(self.conditions.duration / sim.time_step - ROUNDING)
        if total > MAX_STEPS:
            raise RunError(f"{total:,} steps are too many; {MAX_STEPS:,} at most")
        has_rows = self._samples or log is not None
        period, index, at_row = self.conditions.period, 0, -1
        self.run.ended_by = "duration"
        try:
            while True:
                due = min(row_step(index, period, sim.time_step), total) if has_rows else 0
                if not has_rows and index > 0:
                    due = total
                self._advance(sim, due)
                index += 1
                self.columns.add(sim)
                at_row = self._steps
                if log is not None:
                    log.write(row(sim, names))
                stop = self._stopped(sim)
                if stop:
                    self.run.ended_by = stop
                    break
                if due >= total:
                    break
        except SimulationEnd as end:
            self.run.ended_by = "program"
            if not isinstance(end, SimulationPaused):
                self.run.exit_status = end.status
        finally:
            outcome = self.outcome
            outcome.ended_by, outcome.exit_status = self.run.ended_by, self.run.exit_status
            outcome.steps, outcome.simulated = self._steps, self._steps * sim.time_step
        if at_row != self._steps:
            self.columns.add(sim)
        self.outcome.digest = hashlib.sha256(sim.snapshot().to_bytes()).hexdigest()[:16]

    def _advance(self, sim: Sim, step: int) -> None:
        """Go on until `step` steps are done in all, resets by programs included."""
        while self._steps < step:
            count = max(1, int(CALL_TIME / self._cost)) if self._cost > 0.0 else 1
            count = min(count, step - self._steps)
            before, began = sim.step_count, time.perf_counter()
            try:
                sim.step(count)
                self._steps += count
            except (SimulationWaits, SimulationEnd) as event:
                # a program that has reset the simulation began to count anew
                self._steps += max(sim.step_count - before, 0)
                if isinstance(event, SimulationEnd):
                    raise
                self._check_time(waits=True)
                continue
            self._cost = (time.perf_counter() - began) / count
            self._check_time()

    def _check_time(self, *, waits: bool = False) -> None:
        if time.monotonic() > self.deadline:
            what = " (a program does not answer)" if waits else ""
            raise RunError(f"took longer than {self.conditions.time_limit:g} s{what}")

    def _stopped(self, sim: Sim) -> str:
        """Return the name of the stop that ends the run now, or an empty text."""
        return next((stop.name for stop in self.conditions.stops if self._holds(stop)), "")

    def _holds(self, stop: Stop) -> bool:
        if stop.function is not None:
            answer = self._call(stop.function, f"stop {stop.name}")
            if not isinstance(answer, bool | np.bool_ | None):
                raise RunError(
                    f"stop {stop.name}: {stop.function} returned {answer!r:.80}, not a truth"
                )
            return bool(answer)
        value = self.columns.row[self.columns.columns.names.index(stop.column)]
        return bool(
            (stop.below is not None and value < stop.below)
            or (stop.above is not None and value > stop.above)
        )

    # ------------------------------------------------------------------ at the end

    def _measure(self, sim: Sim) -> None:
        for measure in self.conditions.measures:
            if measure.function is None:
                value: Any = self.columns.reduced(measure.column, measure.reduction)
                self._note(measure.name, value)
                continue
            self.run.columns = self.columns.arrays(measure.columns)
            self._note_answer(measure, self._call(measure.function, f"measure {measure.name}"))

    def _note_answer(self, measure: Measure, answer: Any) -> None:
        if not isinstance(answer, Mapping):
            self._note(measure.name, answer)
            return
        for key, value in answer.items():
            self._note(f"{measure.name}.{key}", value)

    def _note(self, name: str, value: Any) -> None:
        plain = _plain(value, name)
        if isinstance(plain, float) and math.isnan(plain):
            raise RunError(
                f"measure {name} is nan; a function returns None where there is no value"
            )
        if name in self.outcome.measured:
            raise RunError(f"measure {name} has two values")
        self.outcome.measured[name] = plain

    def _call(self, source: FunctionSource, what: str) -> Any:
        function = self.place.load(source)
        try:
            return function(self.run)
        except SimulationEnd:
            raise
        except Exception as error:
            raise RunError(f"{what}: {told(error, source.file)}") from error

    # ------------------------------------------------------------------ files

    @contextmanager
    def _kept_files(self, sim: Sim, programs: Programs) -> Iterator[GrowingFile | None]:
        """Record the run while the block lasts, if its files may be kept; they go into the outcome."""
        keep = self.conditions.keep
        if not keep.may_keep(self.job.run):
            yield None
            return
        with tempfile.TemporaryDirectory(prefix="solidbody-run-") as name:
            folder = Path(name)
            failed = True
            try:
                with ExitStack() as stack:
                    log = None
                    if keep.log:
                        log = GrowingFile(folder / "log.csv")
                        stack.callback(log.finish)
                    for extension in keep.record:
                        stack.callback(_recorder(sim, folder / f"run.{extension}").close)
                    yield log
                failed = False
            except BaseException as error:
                programs.say("error", str(error))
                raise
            finally:
                if keep.keeps(self.job.run, failed=failed):
                    self.outcome.files = _read_all(folder, programs)


def _recorder(sim: Sim, path: Path) -> Any:
    if path.suffix in (".gif", ".mp4"):
        from solidbody.record.video import VideoRecorder

        film = VideoRecorder(sim, path, fps=25.0, size=(480, 360))
        sim.attach(film)
        return film
    from solidbody.record import recorder_for

    return recorder_for(sim, path, all_sensors=True)


def _read_all(folder: Path, programs: Programs) -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    for path in sorted(folder.iterdir()):
        size = path.stat().st_size
        if size > MAX_CARRIED:
            programs.say("error", f"{path.name} has {size:,} bytes, too many to be kept")
        else:
            found[path.name] = path.read_bytes()
    if programs.lines:
        found["output.txt"] = ("\n".join(programs.lines) + "\n").encode("utf-8", "replace")
    return found


def give_command(sim: Sim, target: str, value: Any) -> None:
    """Tell the motor `JOINT` or `JOINT:mode` its target. Raises SolidbodyError."""
    joint, colon, mode = target.rpartition(":")
    if not colon:
        joint, mode = target, "velocity"
    if mode not in MODES:
        raise RunError(f'drive "{target}": unknown mode "{mode}". Allowed: {", ".join(MODES)}')
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise RunError(f'drive "{target}": expected a finite number, got {value!r:.80}')
    handle = sim.joint(joint)
    try:
        match mode:
            case "velocity":
                handle.target_velocity = float(value)
            case "position":
                handle.target_position = float(value)
            case _:
                handle.effort = float(value)
    except ValueError as error:
        raise RunError(f'drive "{target}": {error}') from None


MODES: Final = ("velocity", "position", "effort")


def _plain(value: Any, name: str) -> Any:
    """Return what a function has returned as data of JSON. Raises RunError for what is none."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, np.ndarray):
        value = value.tolist() if value.size <= MAX_MEASURED else [None] * (MAX_MEASURED + 1)
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, str) and len(value) <= MAX_MEASURED:
        return value
    if isinstance(value, list | tuple) and len(value) <= MAX_MEASURED:
        return [_plain(item, name) for item in value]
    what = f"more than {MAX_MEASURED:,} items" if isinstance(value, list | tuple | str) else ""
    raise RunError(
        f"measure {name}: expected a number, text, truth value, list of them or a dict of these, got"
        f" {what or f'a {type(value).__name__}'}"
    )
