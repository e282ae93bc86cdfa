"""Runs recursive generators without Python's call stack, so that deep files cannot overflow it.

A function that would call itself yields a new generator instead and receives its result; depth then
costs memory only. Errors travel up through the waiting generators as they would through calls.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, TypeVar

T = TypeVar("T")
Steps = Generator["Steps[Any]", Any, T]
"""A computation of a `T`."""


def run_steps(steps: Steps[T]) -> T:
    """Return the result of a computation."""
    stack: list[Steps[Any]] = [steps]
    sent: Any = None
    error: BaseException | None = None
    while stack:
        try:
            if error is None:
                child = stack[-1].send(sent)
            else:
                thrown, error = error, None
                child = stack[-1].throw(thrown)
        except StopIteration as stop:
            stack.pop()
            sent = stop.value
        except BaseException as raised:
            stack.pop()
            if not stack:
                raise
            error = raised
        else:
            stack.append(child)
            sent = None
    return sent
