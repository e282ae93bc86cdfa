"""Evaluates `${...}` expressions of xacro files safely, without running code.

Expressions are Python's, as far as robots use it: numbers, texts, lists, comparisons, and the functions
of `math`. They are walked through as a syntax tree; whatever is not in the tables here is an error.
"""

from __future__ import annotations

import ast
import math
import operator
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final, cast

from solidbody.base.diagnostics import did_you_mean
from solidbody.base.errors import SolidbodyError
from solidbody.base.limits import (
    MAX_EXPRESSION,
    MAX_LIST_DEPTH,
    MAX_RESULT,
    Cost,
    LoadBudget,
    load_budget,
)

Value = bool | int | float | str | Sequence["Value"] | Mapping[str, "Value"]
"""What a name in a file stands for."""

MAX_WHOLE: Final = 2**53
"""Whole numbers beyond it become floats, which do not grow without end."""

_MATH: Final = (
    *("sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh"),
    *("sqrt", "hypot", "exp", "log", "log10", "fabs", "floor", "ceil", "trunc", "copysign"),
    *("degrees", "radians", "fmod"),
)


_CHARACTERS_PER_STEP: Final = 4
"""Of an expression: taking so many apart is as much work as one of its parts."""


class XacroError(SolidbodyError):
    """Something in a file cannot be worked out; the text says what and why."""


class _Items(list["Value"]):
    """A list that knows how much is in it, with what is in its lists: a few names can stand for billions.

    Attributes:
        extent: Characters and items.
        depth: Lists inside each other.
    """

    def __init__(self, items: Iterable[Value]) -> None:
        super().__init__(items)
        self.extent = 1 + sum(_extent(item) for item in self)
        self.depth = 1 + max((_depth(item) for item in self), default=0)
        if self.extent > MAX_RESULT:
            raise XacroError("the result is too long")
        if self.depth > MAX_LIST_DEPTH:
            raise XacroError(f"lists stand more than {MAX_LIST_DEPTH} deep in each other")


class ValueTable(dict[str, "Value"]):
    """A mapping that knows how much is in it, as `_Items` does."""

    def __init__(self, pairs: Iterable[tuple[str, Value]]) -> None:
        super().__init__(pairs)
        self.extent = 1 + sum(_extent(key) + _extent(value) for key, value in self.items())
        self.depth = 1 + max((_depth(value) for value in self.values()), default=0)


def listed(items: Iterable[Value]) -> Value:
    """Return a list of values.

    Raises:
        XacroError: It is too long, or lists stand too deep in each other.
    """
    return _Items(items)


def _extent(value: Value) -> int:
    """Return how much work it is to look at all of a value."""
    if isinstance(value, _Items | ValueTable):
        return value.extent
    return 1 + len(value) // 16 if isinstance(value, str) else 1


def _depth(value: Value) -> int:
    return value.depth if isinstance(value, _Items | ValueTable) else 0


def _power(base: float, exponent: float) -> float:
    return float(base) ** exponent  # whole numbers would grow without end


_FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {
    **{name: getattr(math, name) for name in _MATH},
    "abs": abs,
    "min": min,
    "max": max,
    "round": round,
    "len": len,
    "int": int,
    "float": float,
    "str": str,
    "bool": bool,
    "sum": sum,
    "pow": _power,
}
_CONSTANTS: Final[dict[str, Value]] = {"pi": math.pi, "e": math.e, "true": True, "false": False}
_METHODS: Final = ("lower", "upper", "strip", "split", "startswith", "endswith", "replace", "join")
"""What texts can do."""

_TABLE_METHODS: Final = ("get", "keys", "values", "items")
"""What mappings can do."""

_MODULES: Final = ("math", "python", "xacro")
"""Before a dot they say only where a function comes from."""


def _divided(a: float, b: float) -> float:
    return a / b


def _divided_whole(a: float, b: float) -> float:
    return a // b


def _is_in(item: Any, whole: Any) -> bool:
    return item in whole


def _is_not_in(item: Any, whole: Any) -> bool:
    return item not in whole


_BINARY: Final[dict[type[ast.operator], Callable[..., Any]]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: _divided,
    ast.FloorDiv: _divided_whole,
    ast.Mod: operator.mod,
    ast.Pow: _power,
}
_UNARY: Final[dict[type[ast.unaryop], Callable[..., Any]]] = {
    ast.UAdd: operator.pos,
    ast.USub: operator.neg,
    ast.Not: operator.not_,
}
_COMPARED: Final[dict[type[ast.cmpop], Callable[..., Any]]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.In: _is_in,
    ast.NotIn: _is_not_in,
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
}

_NUMBER: Final = re.compile(r"\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?\s*")
_TRUTH: Final = {"true": True, "True": True, "false": False, "False": False}


def literal(text: str) -> Value:
    """Return the number, truth value or text in quotes that a text is, else the text."""
    if _NUMBER.fullmatch(text):
        number = float(text)
        is_whole = text.strip().lstrip("+-").isdigit() and abs(number) <= MAX_WHOLE
        return int(text) if is_whole else number
    if len(text) >= 2 and text[0] == text[-1] and text[0] in "'\"":
        return text[1:-1]
    return _TRUTH.get(text.strip(), text)


def is_true(value: Value) -> bool:
    """Whether a condition holds.

    Raises:
        XacroError: It is neither true nor false, and no number.
    """
    if isinstance(value, str):
        value = literal(value)
    if isinstance(value, str):
        raise XacroError(f'expected true, false or a number, got "{value}"')
    return bool(value)


Functions = Mapping[str, Callable[[str], Value]]
"""Functions of a text that the file's surroundings offer, by name."""


def evaluate(
    expression: str, look_up: Callable[[str], Value | None], functions: Functions | None = None
) -> Value:
    """Return what an expression comes to.

    Args:
        expression: What stands in `${...}`.
        look_up: Value of a name of the file, None = there is none.
        functions: What reaches out of the expression: files, arguments.

    Raises:
        XacroError: It cannot be worked out.
        BudgetError: All expressions together are too much work.
    """
    if len(expression) > MAX_EXPRESSION:
        raise XacroError(f"the expression is longer than {MAX_EXPRESSION} characters")
    budget = load_budget()
    budget.spend(Cost.XACRO_VALUES, 1 + len(expression) // _CHARACTERS_PER_STEP)
    try:
        value = _Walk(look_up, budget, functions or {}).value(_parsed(expression.strip()))
    except SyntaxError as error:
        raise XacroError(f'"{expression}" is no expression: {error.msg}') from error
    except XacroError:
        raise
    except (
        ArithmeticError,
        LookupError,
        TypeError,
        ValueError,
        RecursionError,
        MemoryError,
    ) as error:
        raise XacroError(f'"{expression}" cannot be worked out: {error}') from error
    return value


@lru_cache(maxsize=2048)
def _parsed(expression: str) -> ast.expr:
    """Return the tree of an expression; macros bring the same ones again and again."""
    return ast.parse(expression, mode="eval").body


class _Walk:
    """Walks through one expression."""

    def __init__(
        self, look_up: Callable[[str], Value | None], budget: LoadBudget, functions: Functions
    ) -> None:
        self._look_up = look_up
        self._budget = budget
        self._functions = functions

    def _look_at(self, *values: Value) -> None:
        """Count the work of looking at all that values hold."""
        self._budget.spend(Cost.XACRO_VALUES, sum(_extent(value) for value in values))

    def value(self, node: ast.expr) -> Value:
        """Return what a part of the expression comes to."""
        self._budget.spend(Cost.XACRO_VALUES)
        result: Value
        match node:
            case ast.Constant(value=bool() | int() | float() | str() as found):
                result = found
            case ast.Name(id=name):
                result = self._named(name)
            case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY:
                a, b = self.value(left), self.value(right)
                if not isinstance(op, ast.Add):
                    _check_numbers(a, b)
                self._look_at(a, b)
                result = _BINARY[type(op)](a, b)
            case ast.UnaryOp(op=op, operand=operand) if type(op) in _UNARY:
                result = _UNARY[type(op)](self.value(operand))
            case ast.BoolOp(op=op, values=values):
                result = self._joined(values, stops_at=isinstance(op, ast.Or))
            case ast.Compare(left=left, ops=ops, comparators=others):
                result = self._compared(self.value(left), ops, others)
            case ast.IfExp(test=test, body=body, orelse=other):
                result = self.value(body if self.value(test) else other)
            case ast.List(elts=items) | ast.Tuple(elts=items):
                result = _Items(self.value(item) for item in items)
            case ast.Subscript(value=whole, slice=index):
                result = cast("dict[Value, Value]", self.value(whole))[self.value(index)]
            case ast.Attribute():
                result = self._attribute(node)
            case ast.Call(func=function, args=arguments, keywords=[]):
                result = self._called(function, [self.value(item) for item in arguments])
            case _:
                raise XacroError(f'"{ast.unparse(node)}" is not worked out here')
        if isinstance(result, str) and len(result) > MAX_RESULT:
            raise XacroError("the result is too long")
        if isinstance(result, list) and not isinstance(result, _Items):
            return _Items(result)
        if isinstance(result, int) and abs(result) > MAX_WHOLE:
            return float(result)
        return result

    def _named(self, name: str) -> Value:
        found = self._look_up(name)
        if found is None:
            found = _CONSTANTS.get(name)
        if found is None:
            raise XacroError(f'nothing is named "{name}"')
        return found

    def _joined(self, values: list[ast.expr], *, stops_at: bool) -> Value:
        """Return the first value that decides `and` or `or`, else the last."""
        result: Value = False
        for node in values:
            result = self.value(node)
            if bool(result) is stops_at:
                break
        return result

    def _compared(self, left: Value, ops: list[ast.cmpop], others: list[ast.expr]) -> bool:
        for op, node in zip(ops, others, strict=True):
            right = self.value(node)
            self._look_at(left, right)
            if not _COMPARED[type(op)](left, right):
                return False
            left = right
        return True

    def _attribute(self, node: ast.Attribute) -> Value:
        """Return `math.pi`, or what a mapping has under a name."""
        if isinstance(node.value, ast.Name) and node.value.id in _MODULES:
            return self._named(node.attr)
        whole = self.value(node.value)
        if isinstance(whole, Mapping) and node.attr in whole:
            return whole[node.attr]
        raise XacroError(f'"{ast.unparse(node)}" is not there')

    def _called(self, node: ast.expr, arguments: list[Value]) -> Value:
        self._look_at(*arguments)
        match node:
            case (
                ast.Name(id=name)
                | ast.Attribute(value=ast.Name(id="math" | "python" | "xacro"), attr=name)
            ):
                if name in self._functions:
                    if len(arguments) != 1 or not isinstance(arguments[0], str):
                        raise XacroError(f'"{name}" takes one text')
                    return self._functions[name](arguments[0])
                if name in _FUNCTIONS:
                    return _FUNCTIONS[name](*arguments)
                guess = did_you_mean(name, (*_FUNCTIONS, *self._functions))
                raise XacroError(f'no function is named "{name}".{guess}')
            case ast.Attribute(value=whole, attr=name) if name in _METHODS:
                text = self.value(whole)
                if isinstance(text, str):
                    self._look_at(text)
                    _check_lengths(text, *arguments)
                    return cast("Value", getattr(text, name)(*arguments))
            case ast.Attribute(value=whole, attr=name) if name in _TABLE_METHODS:
                table = self.value(whole)
                if isinstance(table, ValueTable):
                    self._look_at(table)
                    found: Any = getattr(table, name)(*arguments)
                    return found if name == "get" else _Items(map(_one_item, found))
            case _:
                pass
        raise XacroError(f'"{ast.unparse(node)}" is not worked out here')


def _one_item(item: Any) -> Value:
    """Return an item of a mapping's keys, values or pairs."""
    return _Items(cast("tuple[Value, ...]", item)) if isinstance(item, tuple) else item


def _check_numbers(*values: Value) -> None:
    """Refuse texts and lists times a number, and patterns: small files could ask for all memory."""
    if not all(isinstance(value, int | float) for value in values):
        raise XacroError("expected numbers on both sides")


def _check_lengths(*values: Value) -> None:
    """Refuse long texts that go into each other: one for each character or item of another."""
    if math.prod(max(1, _length(value)) for value in values) > MAX_RESULT:
        raise XacroError("the texts are too long")


def _length(value: Value) -> int:
    """Return the characters of a text, or of those in a list."""
    if isinstance(value, list):
        return sum(len(item) if isinstance(item, str) else 1 for item in value)
    return len(value) if isinstance(value, str) else 1
