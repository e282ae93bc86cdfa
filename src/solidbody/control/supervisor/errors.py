"""Errors of supervisor requests."""

from __future__ import annotations

from typing import Final

from solidbody.base.errors import SolidbodyError

WRONG_ARGUMENTS: Final = (
    ArithmeticError,
    AttributeError,
    LookupError,
    MemoryError,
    RecursionError,
    TypeError,
    ValueError,
)
"""What comes of arguments that no controller of ours sends; they must not end the simulation."""


class SupervisorError(SolidbodyError):
    """A request that cannot be met; the text goes to the controller's console, nothing has changed."""
