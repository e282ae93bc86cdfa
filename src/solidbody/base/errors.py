"""Exceptions that callers may catch; each carries data and builds its own text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from solidbody.base.diagnostics import Diagnostic, Severity, did_you_mean


class SolidbodyError(Exception):
    """Root of all errors that solidbody raises on purpose."""


class LoadError(SolidbodyError):
    """A file could not be turned into a scene; `diagnostics` says why, line by line."""

    def __init__(self, path: str, diagnostics: Sequence[Diagnostic]) -> None:
        self.path = path
        self.diagnostics = tuple(diagnostics)
        errors = [item for item in self.diagnostics if item.severity is Severity.ERROR]
        shown = "\n".join(str(item) for item in errors[:20])
        more = f"\n... and {len(errors) - 20} more errors" if len(errors) > 20 else ""
        super().__init__(f"cannot load {path}: {len(errors)} error(s)\n{shown}{more}")


class SaveError(SolidbodyError):
    """A scene cannot be written as it was asked for."""


class CompileError(SolidbodyError):
    """A scene could not be turned into a simulation model."""


class SimulationError(SolidbodyError):
    """The simulation cannot go on, for example because its state is no longer finite.

    `snapshots` are states from before that it can be restored to, oldest first.
    """

    def __init__(
        self,
        text: str,
        *,
        time: float,
        body: str | None = None,
        snapshots: Sequence[object] = (),
    ) -> None:
        self.time = time
        self.body = body
        self.snapshots = tuple(snapshots)
        super().__init__(text)


class SimulationEnd(SolidbodyError):
    """Not an error: a program has ended the simulation; `status` is the exit status that it wants."""

    def __init__(self, status: int) -> None:
        self.status = status
        super().__init__(f"a controller has ended the simulation with status {status}")


class SimulationWaits(SolidbodyError):
    """Not an error: a program that the simulation waits for is not ready; the step can be tried again."""


class SimulationPaused(SimulationEnd):
    """Not an error: a program has paused the simulation where nobody can resume it."""

    def __init__(self) -> None:
        super().__init__(0)


class NameLookupError(SolidbodyError, KeyError):
    """A name was not found among the known ones."""

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        self.kind = kind
        self.name = name
        self.known = tuple(known)
        shown = ", ".join(self.known[:12]) + (", ..." if len(self.known) > 12 else "")
        self._text = (
            f'no {kind} is named "{name}".{did_you_mean(name, self.known)} Known: {shown or "none"}'
        )
        super().__init__(self._text)

    def __str__(self) -> str:
        return self._text
