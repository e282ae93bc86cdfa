"""Functions of users: named `file.py:function`, carried to workers as text, loaded there."""

from __future__ import annotations

import hashlib
import inspect
import sys
import types
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from solidbody.base.diagnostics import did_you_mean
from solidbody.base.errors import SolidbodyError

MAX_TEXT: Final = 1_000_000
"""Bytes of a file of functions."""


class FunctionError(SolidbodyError):
    """A function cannot be found or loaded."""


@dataclass(frozen=True, slots=True)
class FunctionSource:
    """A function, as text that any process can load.

    Attributes:
        file: Its file; what it imports may lie beside it.
        name: Its name in the file.
        text: The text of the file; empty where it only works in this process.
        here: The function itself, for this process alone.
    """

    file: str
    name: str
    text: str = ""
    here: Callable[..., Any] | None = None

    @property
    def digest(self) -> str:
        """By which changes of its file are noticed."""
        return hashlib.sha256(self.text.encode()).hexdigest()[:16]

    def __str__(self) -> str:
        return f"{Path(self.file).name}:{self.name}"


def find_function(text: str, folder: Path) -> FunctionSource:
    """Return the function that `file.py:function` names; relative files start from `folder`.

    Raises:
        FunctionError: There is no such file or function.
    """
    file, colon, name = text.rpartition(":")
    if not colon or not file.endswith(".py") or not name.isidentifier():
        raise FunctionError(f'expected "file.py:function", got "{text}"')
    path = (folder / file).resolve()
    try:
        if path.stat().st_size > MAX_TEXT:
            raise FunctionError(f"{file} is longer than {MAX_TEXT:,} bytes")
        source = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError, ValueError) as error:
        beside = [item.name for item in path.parent.glob("*.py")] if path.parent.is_dir() else []
        hint = did_you_mean(path.name, beside)
        reason = getattr(error, "strerror", None) or error
        raise FunctionError(f"{file} cannot be read: {reason}.{hint}") from None
    return FunctionSource(str(path), name, source)


def function_of(function: Callable[..., Any]) -> FunctionSource:
    """Return a function of a running program, by its file if it has one.

    Functions inside others, and those typed at a prompt, only work in this process.
    """
    name = getattr(function, "__qualname__", "")
    try:
        file = inspect.getsourcefile(function)
        text = Path(file).read_text(encoding="utf-8") if file else ""
    except (TypeError, OSError, UnicodeDecodeError):
        file, text = None, ""
    if not name.isidentifier() or not file:
        return FunctionSource(file or "<prompt>", name or "function", "", function)
    return FunctionSource(file, name, text, function)


class FunctionLoader:
    """Loads functions from their texts, each file once."""

    def __init__(self) -> None:
        self._modules: dict[str, types.ModuleType] = {}

    def load(self, source: FunctionSource) -> Callable[..., Any]:
        """Return a function. Raises FunctionError if its file fails, or has none of that name."""
        if source.here is not None:
            return source.here
        module = self._modules.get(source.file)
        if module is None:
            module = self._modules[source.file] = _executed(source)
        found = getattr(module, source.name, None)
        if not callable(found):
            known = [name for name, item in vars(module).items() if callable(item)]
            raise FunctionError(
                f'{Path(source.file).name} has no function "{source.name}".'
                f"{did_you_mean(source.name, known)}"
            )
        return found


def _executed(source: FunctionSource) -> types.ModuleType:
    name = f"solidbody_study_{Path(source.file).stem}"
    module = types.ModuleType(name)
    module.__file__ = source.file
    folder = str(Path(source.file).parent)
    if folder not in sys.path:  # what lies beside it
        sys.path.append(folder)
    sys.modules[name] = module  # dataclasses look there
    try:
        exec(compile(source.text, source.file, "exec"), module.__dict__)
    except Exception as error:
        raise FunctionError(
            f"{Path(source.file).name} cannot be loaded: {told(error, source.file)}"
        ) from error
    return module


def told(error: BaseException, file: str = "") -> str:
    """Return an exception as one line, with the line of the user's file in which it happened."""
    line = error.lineno if isinstance(error, SyntaxError) else None
    step = error.__traceback__
    while step is not None:
        if step.tb_frame.f_code.co_filename == file:
            line = step.tb_lineno
        step = step.tb_next
    where = f" ({Path(file).name}:{line})" if file and line else ""
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text}{where}" if text else f"{type(error).__name__}{where}"
