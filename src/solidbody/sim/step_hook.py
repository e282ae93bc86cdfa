"""Step hook: interface of objects that are called between the steps of a simulation."""

from __future__ import annotations

from typing import Protocol


class StepHook(Protocol):
    """Something that has its say before and after steps, such as the programs that drive robots."""

    def before_steps(self) -> None:
        """The simulation is about to advance."""
        ...

    def steps_until_due(self) -> int | None:
        """Return how many steps may be taken before `after_steps` must be called; None = any number."""
        ...

    def after_steps(self) -> None:
        """The simulation has advanced by at most that many steps."""
        ...

    def reset(self) -> None:
        """The simulation went back to its start."""
        ...
