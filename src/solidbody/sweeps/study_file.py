"""Reads studies: TOML files, and the same as mappings of Python. Every mistake is told, with its line."""

from __future__ import annotations

import math
import os
import tomllib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast

from solidbody.base.diagnostics import did_you_mean
from solidbody.formats.options import DEFAULT_OPTIONS, LoadOptions
from solidbody.sweeps.functions import FunctionError, FunctionSource, find_function, function_of
from solidbody.sweeps.study import (
    MAX_MEASURES,
    MAX_PARAMETERS,
    MAX_RUNS,
    Conditions,
    Keep,
    KeptRuns,
    Kind,
    Measure,
    Method,
    Parameter,
    Range,
    Reduction,
    Sample,
    Stop,
    Study,
    StudyError,
    Value,
)
from solidbody.sweeps.toml_lines import TomlLines

if TYPE_CHECKING:
    from solidbody.contact.engine import EngineName

MAX_BYTES: Final = 5_000_000
"""Of a study file: a list of 100,000 points takes some megabytes."""

MAX_DEPTH: Final = 4
"""Lists in lists of a value."""

MAX_ITEMS: Final = 10_000
"""Numbers of one value."""

MAX_SEED: Final = 2**31 - 1

RESERVED: Final = frozenset(
    {"run", "seed", "status", "message", "ended_by", "exit_status", "simulated", "steps", "digest"}
)
"""Columns of the results that no parameter or measure may be called by."""

RECORDINGS: Final = ("mcap", "csv", "gif", "mp4")
"""Extensions of files that can be kept."""

_TOP: Final = (
    *("scene", "duration", "period", "time_limit", "seeds", "retries", "prepare", "controllers"),
    *("python", "body_controllers", "engine", "proto_path", "share", "package_path"),
    *("sample", "parameters", "measure", "stop", "keep", "points", "name"),
)
_PARAMETER: Final = (
    *("path", "model", "drive", "free"),
    *("values", "range", "count", "log", "integer"),
)

T = TypeVar("T")


def read_study(path: str | os.PathLike[str], *, options: LoadOptions = DEFAULT_OPTIONS) -> Study:
    """Return the study of a TOML file. Raises StudyError with all its mistakes."""
    file = Path(path)
    try:
        if file.stat().st_size > MAX_BYTES:
            raise StudyError(f"{file}: longer than {MAX_BYTES:,} bytes")
        text = file.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise StudyError(f"{file} cannot be read: {reason}") from None
    try:
        tree = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise StudyError(f"{file}: not TOML: {error}") from None
    except RecursionError:
        raise StudyError(f"{file}: its lists are too deep") from None
    return _Reader(tree, file.parent, str(file), TomlLines(text), options).study(file.stem)


def study_of(tree: Mapping[str, Any], *, options: LoadOptions = DEFAULT_OPTIONS) -> Study:
    """Return the study of a mapping with the keys of a study file; functions may be functions."""
    return _Reader(dict(tree), Path(), "", None, options).study("study")


class _Reader:
    """Turns plain data into a study, and collects what is wrong."""

    def __init__(
        self,
        tree: dict[str, Any],
        folder: Path,
        source: str,
        places: TomlLines | None,
        options: LoadOptions,
    ) -> None:
        self._tree, self._folder, self._options = tree, folder, options
        self._frame = Study("", folder, (), Conditions((), 1.0), source=source, places=places)
        self._problems: list[str] = []

    def study(self, name: str) -> Study:
        tree = self._tree
        self._only(tree, _TOP)
        parameters = self._parameters()
        functions = self._functions_of_runs()
        sample = self._sample(parameters)
        study = Study(
            name=self._text(tree, "name", default=name),
            folder=self._folder,
            scene=self._scene(),
            conditions=Conditions(
                parameters=parameters,
                duration=self._seconds(tree, "duration", needed=True) or 1.0,
                period=self._seconds(tree, "period"),
                time_limit=self._seconds(tree, "time_limit") or 600.0,
                measures=self._measures(),
                stops=self._stops(),
                prepare=functions,
                controllers=self._flag(tree, "controllers", default=True),
                python=self._text(tree, "python") or None,
                body_controllers=self._texts(tree, "body_controllers"),
                engine=cast(
                    "EngineName",
                    self._choice(tree, "engine", ("auto", "native", "reference"), "auto"),
                ),
                keep=self._keep(),
            ),
            sample=sample,
            points=self._points(parameters, sample),
            seeds=self._seeds(),
            retries=self._whole(tree, "retries", default=2, least=0, most=100),
            options=self._reading(),
            places=self._frame.places,
            source=self._frame.source,
            plain=plain_study(tree),
        )
        self._check_names(study.conditions)
        if self._problems:
            raise StudyError(*self._problems)
        return study

    # ------------------------------------------------------------------ sections

    def _scene(self) -> tuple[str, ...]:
        given = self._tree.get("scene")
        names = [given] if isinstance(given, str | os.PathLike) else given
        if not isinstance(names, Sequence) or not names:
            self._bad("expected a file, or a list of files, of the scene to simulate", "scene")
            return ()
        if not all(isinstance(name, str | os.PathLike) and os.fspath(name) for name in names):
            self._bad("expected names of files", "scene")
            return ()
        return tuple(os.fspath(name) for name in names)

    def _reading(self) -> LoadOptions:
        """Return where files come from: what the caller says, and what the study adds."""
        from dataclasses import replace

        def folders(name: str) -> tuple[str, ...]:
            return tuple(str(self._folder / item) for item in self._texts(self._tree, name))

        share = self._text(self._tree, "share")
        return replace(
            self._options,
            proto_path=(*self._options.proto_path, *folders("proto_path")),
            package_path=(*self._options.package_path, *folders("package_path")),
            share=self._options.share or (str(self._folder / share) if share else ""),
        )

    def _parameters(self) -> tuple[Parameter, ...]:
        tables = self._table(self._tree, "parameters")
        if len(tables) > MAX_PARAMETERS:
            self._bad(
                f"{len(tables)} parameters are too many; {MAX_PARAMETERS} at most", "parameters"
            )
            return ()
        found = [self._parameter(name, table) for name, table in tables.items()]
        return tuple(item for item in found if item is not None)

    def _parameter(self, name: str, table: Any) -> Parameter | None:
        keys = ("parameters", name)
        if isinstance(table, list):  # a short form: its values, told to functions only
            table = {"free": True, "values": table}
        if not isinstance(table, Mapping):
            self._bad("expected a table such as { path = ..., values = [...] }", *keys)
            return None
        self._only(table, _PARAMETER, *keys)
        kinds = [kind for kind in Kind if table.get(kind.value)]
        if len(kinds) != 1:
            self._bad(
                "say what it is written to by one of: path (a field of the world file), model (an"
                " attribute of the scene), drive (a motor), free = true (only functions are told)",
                *keys,
            )
            return None
        kind = kinds[0]
        target = table[kind.value]
        if kind is Kind.FREE:
            target = ""
        if not isinstance(target, str):
            self._bad(f"expected text, got {target!r}", *keys, kind.value)
            return None
        values = self._spread(table, *keys)
        return None if values is None else Parameter(name, kind, target, values)

    def _spread(self, table: Mapping[str, Any], *keys: str) -> tuple[Value, ...] | Range | None:
        if ("values" in table) == ("range" in table):
            if self._tree.get("points") and "values" not in table:
                return ()
            self._bad("needs either values = [...] or range = [low, high]", *keys)
            return None
        if "values" in table:
            given = table["values"]
            if isinstance(given, str | bytes) or not isinstance(given, Sequence):
                given = _listed(given)
            if given is None:
                self._bad(f"expected a list, got {table['values']!r}", *keys, "values")
                return None
            if not given:
                self._bad("the list is empty: there would be no run", *keys, "values")
                return None
            if len(given) > MAX_RUNS:
                self._bad(f"{len(given):,} values; {MAX_RUNS:,} at most", *keys, "values")
                return None
            values = [self._value(item, *keys, "values") for item in given]
            return tuple(item for item in values if item is not None)
        return self._range(table, *keys)

    def _range(self, table: Mapping[str, Any], *keys: str) -> Range | None:
        given = table["range"]
        bounds = [item for item in given if _is_number(item)] if isinstance(given, Sequence) else []
        if len(bounds) != 2 or len(given) != 2 or not all(map(math.isfinite, bounds)):
            self._bad(f"expected two finite numbers [low, high], got {given!r}", *keys, "range")
            return None
        low, high = (float(item) for item in bounds)
        if low > high:
            self._bad(f"the lower bound {low:g} is above the upper one {high:g}", *keys, "range")
            return None
        is_log = self._flag(table, "log", *keys)
        is_integer = self._flag(table, "integer", *keys)
        if is_log and low <= 0.0:
            self._bad("log = true needs numbers above 0", *keys, "range")
            return None
        if is_integer and (not low.is_integer() or not high.is_integer()):
            self._bad("integer = true needs whole numbers", *keys, "range")
            return None
        count = self._whole(table, "count", *keys, default=0, least=1, most=MAX_RUNS)
        return Range(low, high, count, is_log, is_integer)

    def _sample(self, parameters: tuple[Parameter, ...]) -> Sample:
        from solidbody.sweeps.sampling import MAX_SOBOL

        table = self._table(self._tree, "sample")
        self._only(table, ("method", "count", "seed"), "sample")
        usual = Method.LIST if "points" in self._tree else Method.GRID
        name = self._choice(table, "method", [item.value for item in Method], usual.value, "sample")
        method = Method(name)
        count = self._whole(table, "count", "sample", default=0, least=1, most=MAX_RUNS)
        seed = self._whole(table, "seed", "sample", default=0, least=0, most=MAX_SEED)
        if method in (Method.GRID, Method.LIST):
            if "count" in table:
                self._bad(f"the method {method} takes no count", "sample", "count")
            for item in parameters:
                if isinstance(item.values, Range) and item.values.count == 0:
                    self._bad(
                        "a range in a grid or list needs a count", "parameters", item.name, "range"
                    )
        elif count == 0:
            self._bad(f"the method {method} needs a count of points", "sample")
        if method is Method.SOBOL and len(parameters) > MAX_SOBOL:
            self._bad(
                f"sobol takes {MAX_SOBOL} parameters at most; latin-hypercube any number", "sample"
            )
        return Sample(method, count, seed)

    def _points(
        self, parameters: tuple[Parameter, ...], sample: Sample
    ) -> tuple[tuple[Value, ...], ...]:
        given = self._tree.get("points")
        if given is None:
            return ()
        if sample.method is not Method.LIST:
            self._bad(f"points are for the method list, not {sample.method}", "points")
            return ()
        if not isinstance(given, Sequence) or not given or len(given) > MAX_RUNS:
            self._bad(f"expected a list of 1 to {MAX_RUNS:,} points", "points")
            return ()
        names = [item.name for item in parameters]
        out: list[tuple[Value, ...]] = []
        for number, row in enumerate(given):
            if not isinstance(row, Mapping) or set(row) != set(names):
                got = ", ".join(row) if isinstance(row, Mapping) else repr(row)
                self._bad(
                    f"point {number} must have a value for each of {', '.join(names)}, got {got}",
                    "points",
                )
                break
            values = [self._value(row[name], "points") for name in names]
            out.append(tuple(item for item in values if item is not None))
        return tuple(out)

    def _seeds(self) -> tuple[int, ...]:
        given = self._tree.get("seeds")
        if given is None:
            return ()
        if isinstance(given, int) and not isinstance(given, bool) and 1 <= given <= MAX_RUNS:
            return tuple(range(given))
        if (
            isinstance(given, Sequence)
            and not isinstance(given, str)
            and 0 < len(given) <= MAX_RUNS
        ):
            whole = [item for item in given if type(item) is int and 0 <= item <= MAX_SEED]
            if len(whole) == len(given) and len(set(whole)) < len(whole):
                self._bad("a seed stands there twice: both runs would be the same", "seeds")
                return ()
            if len(whole) == len(given):
                return tuple(whole)
        self._bad(
            f"expected how many (1 to {MAX_RUNS:,}), or a list of whole numbers 0 to {MAX_SEED}",
            "seeds",
        )
        return ()

    def _measures(self) -> tuple[Measure, ...]:
        tables = self._table(self._tree, "measure")
        if len(tables) > MAX_MEASURES:
            self._bad(f"{len(tables)} measures are too many; {MAX_MEASURES} at most", "measure")
            return ()
        found = [self._measure(name, table) for name, table in tables.items()]
        return tuple(item for item in found if item is not None)

    def _measure(self, name: str, table: Any) -> Measure | None:
        keys = ("measure", name)
        if isinstance(table, str) or callable(table):  # short forms
            is_function = callable(table) or ".py:" in table
            table = {"function": table} if is_function else {"column": table}
        if not isinstance(table, Mapping):
            self._bad('expected "file.py:function", a column of the log, or a table', *keys)
            return None
        self._only(table, ("column", "reduce", "function", "columns"), *keys)
        if ("column" in table) == ("function" in table):
            self._bad('needs either column = "..." or function = "file.py:function"', *keys)
            return None
        if "column" in table:
            words = [item.value for item in Reduction]
            reduction = Reduction(self._choice(table, "reduce", words, "last", *keys))
            return Measure(name, column=self._text(table, "column", *keys), reduction=reduction)
        function = self._function(table["function"], *keys, "function")
        return Measure(name, function=function, columns=self._texts(table, "columns", *keys))

    def _stops(self) -> tuple[Stop, ...]:
        found: list[Stop] = []
        for name, table in self._table(self._tree, "stop").items():
            keys = ("stop", name)
            if isinstance(table, str) or callable(table):
                table = {"function": table}
            if not isinstance(table, Mapping):
                self._bad('expected "file.py:function" or a table', *keys)
                continue
            self._only(table, ("column", "below", "above", "function"), *keys)
            if "function" in table and "column" not in table:
                function = self._function(table["function"], *keys, "function")
                found.append(Stop(name, function=function))
                continue
            below, above = (self._number(table, word, *keys) for word in ("below", "above"))
            if "column" not in table or "function" in table or (below is None and above is None):
                self._bad(
                    'needs function = "file.py:function", or a column with below or above', *keys
                )
                continue
            found.append(Stop(name, self._text(table, "column", *keys), below, above))
        return tuple(found)

    def _functions_of_runs(self) -> FunctionSource | None:
        if "prepare" not in self._tree:
            return None
        return self._function(self._tree["prepare"], "prepare")

    def _keep(self) -> Keep:
        given = self._tree.get("keep", {})
        if isinstance(given, str | list):
            given = {"runs": given}
        if not isinstance(given, Mapping):
            self._bad("expected failed, all, none, a list of runs, or a table", "keep")
            return Keep()
        self._only(given, ("runs", "log", "record"), "keep")
        runs = given.get("runs", "failed" if given else "none")
        record = self._texts(given, "record", "keep")
        for item in record:
            if item.lstrip(".") not in RECORDINGS:
                self._bad(
                    f'unknown kind of file "{item}".{did_you_mean(item, RECORDINGS)}'
                    f" Allowed: {', '.join(RECORDINGS)}",
                    *("keep", "record"),
                )
        try:
            kept = parse_kept(runs)
        except ValueError as error:
            self._bad(str(error), "keep", "runs")
            kept = KeptRuns.NONE
        log = self._flag(given, "log", "keep", default=True)
        return Keep(kept, log, tuple(item.lstrip(".") for item in record))

    def _check_names(self, conditions: Conditions) -> None:
        taken: dict[str, str] = dict.fromkeys(RESERVED, "the results themselves")
        for section, items in (
            ("parameters", conditions.parameters),
            ("measure", conditions.measures),
        ):
            for item in items:
                name = item.name
                if (
                    not name
                    or not name.isprintable()
                    or len(name) > 200
                    or name.startswith("version.")
                ):
                    self._bad("this is no name for a column", section, name)
                if name in taken:
                    self._bad(f"the name is used by {taken[name]}", section, name)
                taken[name] = f"a row of [{section}]"

    # ------------------------------------------------------------------ values

    def _value(self, value: Any, *keys: str, depth: int = 0) -> Value | None:
        """Return a value of a parameter; None, and a complaint, if it is none."""
        listed = _listed(value)
        if isinstance(value, bool | str):
            return value
        if _is_number(value):
            if math.isnan(value):
                self._bad("nan is no value", *keys)
                return None
            return value if isinstance(value, int) else float(value)
        if listed is None or depth >= MAX_DEPTH or len(listed) > MAX_ITEMS:
            self._bad(
                f"expected numbers, text, truth values or lists of them, got {value!r}"[:300], *keys
            )
            return None
        parts = [self._value(item, *keys, depth=depth + 1) for item in listed]
        return tuple(part for part in parts if part is not None)

    def _function(self, value: Any, *keys: str) -> FunctionSource | None:
        if callable(value):
            return function_of(value)
        if not isinstance(value, str):
            self._bad(f'expected "file.py:function", got {value!r}', *keys)
            return None
        try:
            return find_function(value, self._folder)
        except FunctionError as error:
            self._bad(str(error), *keys)
            return None

    def _table(self, tree: Mapping[str, Any], name: str) -> Mapping[str, Any]:
        found = tree.get(name, {})
        if isinstance(found, Mapping):
            return found
        self._bad(f"expected a table, got {found!r}"[:300], name)
        return {}

    def _text(self, tree: Mapping[str, Any], name: str, *keys: str, default: str = "") -> str:
        return self._typed(tree, name, keys, lambda x: isinstance(x, str), "text", default)

    def _flag(self, tree: Mapping[str, Any], name: str, *keys: str, default: bool = False) -> bool:
        return self._typed(
            tree, name, keys, lambda x: isinstance(x, bool), "true or false", default
        )

    def _texts(self, tree: Mapping[str, Any], name: str, *keys: str) -> tuple[str, ...]:
        def fits(x: Any) -> bool:
            return isinstance(x, list | tuple) and all(isinstance(item, str) for item in x)

        return tuple(self._typed(tree, name, keys, fits, "a list of texts", ()))

    def _choice(
        self, tree: Mapping[str, Any], name: str, words: Sequence[str], default: str, *keys: str
    ) -> str:
        given = tree.get(name, default)
        if given in words:
            return str(given)
        hint = did_you_mean(str(given), words)
        self._bad(f'unknown word "{given}".{hint} Allowed: {", ".join(words)}', *keys, name)
        return default

    def _whole(
        self, tree: Mapping[str, Any], name: str, *keys: str, default: int, least: int, most: int
    ) -> int:
        def fits(x: Any) -> bool:
            return type(x) is int and least <= x <= most

        return self._typed(tree, name, keys, fits, f"a whole number {least} to {most:,}", default)

    def _number(self, tree: Mapping[str, Any], name: str, *keys: str) -> float | None:
        def fits(x: Any) -> bool:
            return _is_number(x) and math.isfinite(x)

        return self._typed(tree, name, keys, fits, "a finite number", None)

    def _seconds(self, tree: Mapping[str, Any], name: str, *, needed: bool = False) -> float | None:
        if needed and name not in tree:
            self._bad("is missing: how long a run is [s]", name)
            return None

        def fits(x: Any) -> bool:
            return _is_number(x) and 0.0 < x < 1e9

        return self._typed(tree, name, (), fits, "seconds above 0", None)

    def _typed(
        self,
        tree: Mapping[str, Any],
        name: str,
        keys: tuple[str, ...],
        fits: Callable[[Any], bool],
        expected: str,
        default: T,
    ) -> T | Any:
        if name not in tree:
            return default
        if fits(tree[name]):
            return tree[name]
        self._bad(f"expected {expected}, got {tree[name]!r}"[:300], *keys, name)
        return default

    def _only(self, table: Mapping[str, Any], known: Sequence[str], *keys: str) -> None:
        for name in table:
            if name not in known:
                hint = did_you_mean(str(name), known)
                self._bad(f"unknown key.{hint} Known: {', '.join(known)}", *keys, str(name))

    def _bad(self, text: str, *keys: str) -> None:
        self._problems.append(f"{self._frame.place(*keys)}{text}")


def parse_kept(given: Any) -> KeptRuns | frozenset[int]:
    """Return which runs are kept: `failed`, `all`, `none`, numbers, or text such as `0,5,10-19`.

    Raises:
        ValueError: It is none of these.
    """
    if isinstance(given, str) and given in [item.value for item in KeptRuns]:
        return KeptRuns(given)
    wrong = ValueError(
        f"expected failed, all, none, or runs such as 0,5,10-19, got {given!r}"[:300]
    )
    if isinstance(given, list | tuple):
        if all(type(item) is int and 0 <= item < MAX_RUNS for item in given):
            return frozenset(given)
        raise wrong
    if not isinstance(given, str):
        raise wrong
    found: set[int] = set()
    for part in given.split(","):
        first, dash, last = part.strip().partition("-")
        if not first.isdecimal() or (dash and not last.isdecimal()):
            raise wrong
        low, high = int(first), int(last or first)
        if not low <= high < MAX_RUNS:
            raise wrong
        found.update(range(low, high + 1))
    return frozenset(found)


def plain_study(tree: Mapping[str, Any]) -> dict[str, Any]:
    """Return a study as data of JSON; functions by their names."""
    return {str(key): _plain(value) for key, value in tree.items()}


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return plain_study(value)
    if isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if callable(value):
        return str(function_of(value))
    listed = _listed(value)
    return str(value) if listed is None else [_plain(item) for item in listed]


def _listed(value: Any) -> list[Any] | None:
    """Return a list, tuple or array as a list; None for anything else."""
    if isinstance(value, list | tuple):
        return list(value)
    if hasattr(value, "tolist") and hasattr(value, "shape"):
        found = value.tolist()
        return found if isinstance(found, list) else None
    return list(value) if isinstance(value, range) else None


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
