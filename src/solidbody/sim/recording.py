"""Run recording: interface of what `Sim.record` returns."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType
from typing import Protocol, Self


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
