"""Interfaces of what `Sim.record` and `Sim.log` return."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray


class RunRecording(Protocol):
    """Goes along with a simulation and writes a file; a context manager that closes it."""

    path: Path
    is_closed: bool

    def close(self) -> None:
        """Finish the file; the simulation goes on without being recorded."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...


class MemoryLog(RunRecording, Protocol):
    """Goes along with a simulation and keeps numbers; what it kept can be read at any time."""

    @property
    def names(self) -> Sequence[str]:
        """Names of the numbers: `JOINT.position`, `LINK.x`, `/ROBOT/SENSOR[0]`."""
        ...

    def __getitem__(self, name: str) -> Any:
        """Return a series: its `time`, `values` and `unit`."""
        ...

    def __len__(self) -> int:
        """Return the number of rows."""
        ...

    def columns(
        self, *patterns: str, period: float | None = None
    ) -> dict[str, NDArray[np.float64]]:
        """Return a table: arrays of one length by name, the first is `time`."""
        ...

    def plot(self, path: str | Path, *patterns: str, **how: Any) -> Path:
        """Draw it to a .png, .svg or .html file."""
        ...
