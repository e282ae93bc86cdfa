"""What a study is: a scene, parameters with their values, what is measured, and when a run ends."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum, StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from solidbody.base.errors import SolidbodyError
from solidbody.formats.options import DEFAULT_OPTIONS, LoadOptions
from solidbody.sweeps.functions import FunctionSource

if TYPE_CHECKING:
    from solidbody.contact.engine import EngineName

Value = bool | int | float | str | tuple["Value", ...]
"""Of a parameter; lists of files become tuples."""

MAX_RUNS: Final = 100_000
"""Of one study. Each is a row that is kept in memory, of about a kilobyte."""

MAX_PARAMETERS: Final = 100

MAX_MEASURES: Final = 100


class StudyError(SolidbodyError):
    """A study that cannot be made; `problems` are its lines, each with the place in the file."""

    def __init__(self, *problems: str) -> None:
        self.problems = problems
        super().__init__("\n".join(problems))


class Kind(Enum):
    """What a parameter is written to."""

    FIELD = "path"
    """A field of the world file."""
    MODEL = "model"
    """An attribute of the scene as it was read, whatever the format."""
    DRIVE = "drive"
    """The command of a motor at the start."""
    FREE = "free"
    """Nothing: functions are told of it."""


@dataclass(frozen=True, slots=True)
class Range:
    """Numbers between two bounds.

    Attributes:
        low: The least.
        high: The greatest.
        count: How many a grid takes; 0 = none was given.
        is_log: Whether they are evenly spread in their logarithms.
        is_integer: Whether they are whole numbers.
    """

    low: float
    high: float
    count: int = 0
    is_log: bool = False
    is_integer: bool = False


@dataclass(frozen=True, slots=True)
class Parameter:
    """What is varied: its name in the results, what it is written to, and its values."""

    name: str
    kind: Kind
    target: str
    values: tuple[Value, ...] | Range


class Method(StrEnum):
    """How points are chosen."""

    GRID = "grid"
    """Every combination."""
    LIST = "list"
    """Those that are given."""
    RANDOM = "random"
    """Evenly spread at random."""
    LATIN_HYPERCUBE = "latin-hypercube"
    """At random, with one point in each of `count` slices of each parameter."""
    SOBOL = "sobol"
    """Sobol's sequence: fills space evenly for any count, best for powers of two."""


@dataclass(frozen=True, slots=True)
class Sample:
    """How points are chosen, how many, and the seed of what is random in it."""

    method: Method = Method.GRID
    count: int = 0
    seed: int = 0


class Reduction(StrEnum):
    """How a column of numbers becomes one number."""

    LAST = "last"
    FIRST = "first"
    MIN = "min"
    MAX = "max"
    MEAN = "mean"
    RANGE = "range"
    """Greatest less least."""


@dataclass(frozen=True, slots=True)
class Measure:
    """What is measured: a column of the log, or what a function returns.

    Attributes:
        name: Column of the results.
        column: Column of the log; empty = a function measures.
        reduction: How the column becomes a number.
        function: What is called at the end of a run.
        columns: Columns of the log that the function gets.
    """

    name: str
    column: str = ""
    reduction: Reduction = Reduction.LAST
    function: FunctionSource | None = None
    columns: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Stop:
    """When a run ends early: a column of the log passes a bound, or a function says so."""

    name: str
    column: str = ""
    below: float | None = None
    above: float | None = None
    function: FunctionSource | None = None


class KeptRuns(StrEnum):
    """Of which runs files are kept, unless they are numbered."""

    NONE = "none"
    FAILED = "failed"
    ALL = "all"


@dataclass(frozen=True, slots=True)
class Keep:
    """Of which runs files are kept, and which: `log`, and recordings by their extensions."""

    runs: KeptRuns | frozenset[int] = KeptRuns.NONE
    log: bool = True
    record: tuple[str, ...] = ()

    def may_keep(self, run: int) -> bool:
        """Whether files of a run are made."""
        return (
            run in self.runs if isinstance(self.runs, frozenset) else self.runs is not KeptRuns.NONE
        )

    def keeps(self, run: int, *, failed: bool) -> bool:
        """Whether they stay."""
        return self.may_keep(run) and (self.runs is not KeptRuns.FAILED or failed)


@dataclass(frozen=True, slots=True)
class Conditions:
    """What holds for every run of a study; it travels to the workers.

    Attributes:
        parameters: What is varied.
        duration: Simulated time [s].
        period: Time between rows of the log, for measures and stops [s]; None = every step.
        time_limit: Wall time that a run may take [s].
        measures: What is measured.
        stops: What ends a run early.
        prepare: Function that is called before the first step.
        controllers: Whether programs of robots are run.
        python: Interpreter of programs in Python; None = our own.
        body_controllers: Choreonoid's controllers in Python, as `run --body-controller` has them.
        engine: auto, native or reference.
        keep: Of which runs files are kept.
    """

    parameters: tuple[Parameter, ...]
    duration: float
    period: float | None = None
    time_limit: float = 600.0
    measures: tuple[Measure, ...] = ()
    stops: tuple[Stop, ...] = ()
    prepare: FunctionSource | None = None
    controllers: bool = True
    python: str | None = None
    body_controllers: tuple[str, ...] = ()
    engine: EngineName = "auto"
    keep: Keep = Keep()

    @property
    def functions(self) -> tuple[FunctionSource, ...]:
        """All functions of the study."""
        found = [self.prepare, *(item.function for item in (*self.measures, *self.stops))]
        return tuple(item for item in found if item is not None)

    @property
    def columns(self) -> tuple[str, ...]:
        """Columns of the log that are looked at, each once."""
        names = [item.column for item in (*self.measures, *self.stops) if item.column]
        names += [name for item in self.measures for name in item.columns]
        return tuple(dict.fromkeys(names))


@dataclass(frozen=True, slots=True)
class Study:
    """A study as its file says.

    Attributes:
        name: For titles.
        folder: What relative paths start from.
        scene: Files of the scene, as `run` takes them.
        conditions: What holds for every run.
        sample: How points are chosen.
        points: Points of the method `list`, if they are written row by row.
        seeds: Seeds of the random numbers of each point; none = that of the world.
        retries: How often a run is tried again whose worker was killed.
        options: Where PROTOs and other files come from.
        places: Lines of the file by path of keys; empty where there is none.
        source: The file; empty = it was given from Python.
        plain: The study as data, for the record.
    """

    name: str
    folder: Path
    scene: tuple[str, ...]
    conditions: Conditions
    sample: Sample = Sample()
    points: tuple[tuple[Value, ...], ...] = ()
    seeds: tuple[int, ...] = ()
    retries: int = 2
    options: LoadOptions = DEFAULT_OPTIONS
    places: Any = None
    source: str = ""
    plain: dict[str, Any] = field(default_factory=dict[str, Any])

    def place(self, *keys: str) -> str:
        """Return the beginning of a message about a key: `file:line: keys: `."""
        shown = ".".join(keys)
        line = None if self.places is None else self.places.line(keys)
        where = f"{self.source}:{line}: " if line else (f"{self.source}: " if self.source else "")
        return f"{where}{shown}: " if shown else where
