"""Chooses the Python interpreter that runs the controllers."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path


class InterpreterError(Exception):
    """There is no such Python; the text says so."""


def interpreter(given: str | None) -> str:
    """Return the Python to use for controllers.

    Args:
        given: A command, a path, or the folder of a virtual environment. None = the Python of the virtual
            environment that the user has activated, or the one that runs the simulator.

    Raises:
        InterpreterError: There is no such command or file.
    """
    if given is None:
        active = os.environ.get("VIRTUAL_ENV", "")
        return _python_of(Path(active)) or sys.executable if active else sys.executable
    place = os.path.expanduser(given)
    if os.path.isdir(place):
        found = _python_of(Path(place))
        if found is None:
            raise InterpreterError(f'"{given}" is no virtual environment: it has no bin/python')
        return found
    found = shutil.which(place)
    if found is None:
        raise InterpreterError(f'there is no Python "{given}": neither a command nor a file')
    # programs run in folders of their own; links stay, as they tell the environment
    return os.path.abspath(found)


def _python_of(environment: Path) -> str | None:
    """Return the Python of a virtual environment; None if it has none."""
    places = ("Scripts/python.exe", "bin/python")
    found = next((environment / place for place in places if (environment / place).is_file()), None)
    return None if found is None else os.path.abspath(found)
