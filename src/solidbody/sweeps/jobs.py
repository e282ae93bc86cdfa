"""What goes to a worker and what comes back: jobs and their outcomes."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from typing import Any

from solidbody.sweeps.study import Value


@dataclass(frozen=True, slots=True)
class Job:
    """One run: its number, the values of the parameters, its seed (None = that of the world)."""

    run: int
    values: tuple[Value, ...]
    seed: int | None = None


OK, FAILED = "ok", "failed"


@dataclass(slots=True)
class RunOutcome:
    """What became of a run. All of it but `wall` and `worker` is the same wherever it was done.

    Attributes:
        run: Its number.
        status: `ok` or `failed`.
        message: Why it failed.
        measured: What was measured, by column.
        seed: Of its random numbers.
        ended_by: `duration`, `program`, the name of a stop, or empty where it never came to an end.
        exit_status: What a program ended the simulation with; None = none did.
        simulated: Simulated time [s].
        steps: Steps done.
        digest: Of the complete state at the end: equal digests, equal bytes.
        wall: Wall time [s].
        worker: Who did it: host and process.
        files: Files to keep, by name.
    """

    run: int
    status: str = OK
    message: str = ""
    measured: dict[str, Any] = field(default_factory=dict[str, Any])
    seed: int | None = None
    ended_by: str = ""
    exit_status: int | None = None
    simulated: float = 0.0
    steps: int = 0
    digest: str = ""
    wall: float = 0.0
    worker: str = ""
    files: dict[str, bytes] = field(default_factory=dict[str, bytes])

    def line(self) -> str:
        """Return the outcome as a line of JSON, without its files."""
        data = asdict(self)
        del data["files"]
        return json.dumps(data)

    @classmethod
    def of_line(cls, text: str) -> RunOutcome:
        """Return what `line` made. Raises ValueError for anything else."""
        data = json.loads(text)
        if not isinstance(data, dict) or type(data.get("run")) is not int:
            raise ValueError("no outcome of a run")
        try:
            return cls(**data)
        except TypeError as error:
            raise ValueError(str(error)) from None


@dataclass(frozen=True, slots=True)
class Lost:
    """A worker is gone, and with it what it was doing; `reason` says how."""

    reason: str
