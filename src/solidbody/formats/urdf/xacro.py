"""Expands xacro macros in URDF files, as the program `xacro` of ROS does.

Properties, arguments with their defaults, macros with blocks, conditions, files that are taken in, `${...}`
and `$(...)` in attributes and texts. `$(find NAME)` becomes `package://NAME`, which is looked for as that of
meshes.

Source: ROS wiki, xacro.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from types import MappingProxyType
from typing import Final, Protocol

from solidbody.base.diagnostics import DiagnosticLog, did_you_mean
from solidbody.base.limits import (
    MAX_EXPRESSION,
    MAX_XACRO_BYTES,
    MAX_XACRO_DEPTH,
    BudgetError,
    Cost,
    load_budget,
)
from solidbody.formats.assets import AssetError
from solidbody.formats.choreonoid.keys.yaml_tree import parse_yaml
from solidbody.formats.text_files import read_text
from solidbody.formats.urdf.xacro_values import (
    Value,
    XacroError,
    evaluate,
    is_true,
    literal,
)
from solidbody.formats.urdf.xacro_yaml import yaml_value
from solidbody.formats.xml_tree import XmlElement, parse_xml

PREFIX: Final = "xacro:"

MAX_INNER_DEPTH: Final = 10
"""Expressions inside each other; real robots have one in another."""

_PARAMETER: Final = re.compile(
    r"(\*{0,2})([^\s:=*]+)(?::?=(\^\|?)?((?:'[^']*'|\"[^\"]*\"|\$\{[^}]{0,500}\}|\$\([^)]{0,500}\)|[^\s'\"])*))?"
)
_BRACKETS: Final = re.compile(r"'[^']*'|\"[^\"]*\"|[()]")
_NO: Final = ("false", "False", "0")
_CLOSING: Final = {"{": "}", "(": ")"}


class XacroFiles(Protocol):
    """Finds the files that are taken in."""

    def find(self, url: str, base: str) -> Path:
        """Return the file that `url` names in the file `base`."""
        ...


@dataclass(frozen=True, slots=True)
class _Parameter:
    name: str
    stars: int
    inherits: bool
    default: str | None


@dataclass(frozen=True, slots=True)
class _Macro:
    element: XmlElement
    parameters: tuple[_Parameter, ...]


@dataclass(slots=True)
class _Pending:
    """A property that has not been asked for."""

    text: str
    is_asked: bool = False


@dataclass(slots=True)
class _Scope:
    """Names that hold in a file, or in one call of a macro."""

    outer: _Scope | None = None
    names: dict[str, Value | _Pending] = field(default_factory=dict[str, "Value | _Pending"])
    blocks: dict[str, list[XmlElement]] = field(default_factory=dict[str, list[XmlElement]])

    def block(self, name: str) -> list[XmlElement] | None:
        found = self.blocks.get(name)
        return found if found is not None or self.outer is None else self.outer.block(name)


def is_xacro(robot: XmlElement) -> bool:
    """Whether an element has macros in it, or values to be worked out."""
    return any(
        item.tag.startswith(PREFIX) or any("$" in text for text in item.attributes.values())
        for item in robot.walk()
    )


def expanded(
    robot: XmlElement,
    files: XacroFiles,
    log: DiagnosticLog,
    arguments: Mapping[str, str] = MappingProxyType({}),
) -> XmlElement:
    """Return an element with its macros written out; what cannot be is left out, after a message.

    Args:
        robot: The outermost element.
        files: Finds and reads other files.
        log: Takes what is wrong.
        arguments: Of the file, by name: they come before its defaults.
    """
    expander = _Expander(files, log, robot, arguments)
    scope = _Scope()
    try:
        attributes = expander.attributes(robot, scope)
        children = expander.inside(robot, scope, 0)
    except (_TooMuchError, BudgetError) as error:
        log.error("xacro", expander.place.span, f"{error}; nothing of the robot is read.")
        return XmlElement(robot.tag, {}, robot.span)
    return XmlElement(robot.tag, attributes, robot.span, children)


class _TooMuchError(XacroError):
    """The file comes to more than is written out."""


class _Expander:
    def __init__(
        self,
        files: XacroFiles,
        log: DiagnosticLog,
        robot: XmlElement,
        arguments: Mapping[str, str],
    ) -> None:
        self.place = robot
        """The element that is being written out."""
        self._files, self._log = files, log
        self._budget = load_budget()
        self._taken_in: dict[str, XmlElement | None] = {}
        self._tables: dict[str, Value | None] = {}
        self._macros: dict[str, _Macro] = {}
        self._arguments: dict[str, Value] = dict(arguments)
        self._inner_depth = 0
        self._acts: dict[str, Callable[[XmlElement, _Scope, int], list[XmlElement]]] = {
            "property": self._property,
            "arg": self._argument,
            "macro": self._define,
            "include": self._include,
            "insert_block": self._insert,
            "if": self._if,
            "unless": self._unless,
            "call": self._call,
        }

    # -------------------------------------------------------------------------------------- elements

    def inside(self, element: XmlElement, scope: _Scope, depth: int) -> list[XmlElement]:
        """Return the elements in an element, written out."""
        if depth > MAX_XACRO_DEPTH:
            raise _TooMuchError(f"macros stand more than {MAX_XACRO_DEPTH} deep in each other")
        return [one for child in element.children for one in self._one(child, scope, depth + 1)]

    def _one(self, element: XmlElement, scope: _Scope, depth: int) -> list[XmlElement]:
        self.place = element
        self._add(1)
        if not element.tag.startswith(PREFIX):
            children = self.inside(element, scope, depth)
            attributes = self.attributes(element, scope)
            text = self._told(element, scope)
            return [XmlElement(element.tag, attributes, element.span, children, text)]
        name = element.tag.removeprefix(PREFIX)
        try:
            act = self._acts.get(name)
            if act is not None:
                return act(element, scope, depth)
            if name in self._macros:
                return self._called(self._macros[name], element, scope, depth)
            guess = did_you_mean(name, (*self._acts, *self._macros))
            raise XacroError(f'no macro is named "{name}"; it is left out.{guess}')
        except _TooMuchError:
            raise
        except XacroError as error:
            self._say(element, str(error))
            return []

    def _add(self, count: int) -> None:
        self._budget.spend(Cost.XACRO_ELEMENTS, count)

    def attributes(self, element: XmlElement, scope: _Scope) -> dict[str, str]:
        """Return the attributes of an element, worked out; one that cannot be stays as it is written."""
        found: dict[str, str] = {}
        for name, text in element.attributes.items():
            if name.startswith("xmlns"):
                continue
            try:
                found[name] = self._text(self._value(text, scope, element))
            except XacroError as error:
                self._say(element, str(error), name)
                found[name] = text
        return found

    def _told(self, element: XmlElement, scope: _Scope) -> str:
        """Return the text in an element, worked out, or after a message as it is written."""
        if "$" not in element.text:
            return element.text
        try:
            return self._text(self._value(element.text, scope, element))
        except XacroError as error:
            self._say(element, str(error))
            return element.text

    def _say(self, element: XmlElement, text: str, name: str = "") -> None:
        said = text if text.endswith((".", "?")) else f"{text}."
        self._log.error("xacro", element.span, said, node=f"<{element.tag}>", field=name)

    def _needed(self, element: XmlElement, name: str) -> str:
        if name not in element.attributes:
            raise XacroError(f'<{element.tag}> needs the attribute "{name}"')
        return element.attributes[name]

    # ------------------------------------------------------------------------------------------ tags

    def _property(self, element: XmlElement, scope: _Scope, depth: int) -> list[XmlElement]:
        name = self._needed(element, "name")
        owner = scope
        while element.attributes.get("scope") == "global" and owner.outer is not None:
            owner = owner.outer
        if element.attributes.get("scope") == "parent" and scope.outer is not None:
            owner = scope.outer
        if "value" in element.attributes:
            text = element.attributes["value"]
            # names of a call are gone when a wider one is asked for
            is_lazy = owner is scope and element.attributes.get("lazy_eval", "true") not in _NO
            owner.names[name] = (
                _Pending(text) if is_lazy else _literal(self._value(text, scope, element))
            )
        elif "default" in element.attributes:
            if self._known(name, scope, element) is None:
                owner.names[name] = _Pending(element.attributes["default"])
        else:
            owner.blocks[name] = self.inside(element, scope, depth)
        return []

    def _argument(self, element: XmlElement, scope: _Scope, _: int) -> list[XmlElement]:
        name = self._needed(element, "name")
        if name not in self._arguments and "default" in element.attributes:
            self._arguments[name] = self._value(element.attributes["default"], scope, element)
        return []

    def _define(self, element: XmlElement, _: _Scope, __: int) -> list[XmlElement]:
        name = self._needed(element, "name").removeprefix(PREFIX)
        self._budget.spend(Cost.XACRO_VALUES, len(element.attributes.get("params", "")))
        parameters = tuple(
            _Parameter(
                match[2],
                len(match[1]),
                match[3] is not None,
                None if match[3] == "^" or match[4] is None else _unquoted(match[4]),
            )
            for match in _PARAMETER.finditer(element.attributes.get("params", ""))
        )
        self._macros[name] = _Macro(element, parameters)
        return []

    def _include(self, element: XmlElement, scope: _Scope, depth: int) -> list[XmlElement]:
        url = str(self._value(self._needed(element, "filename"), scope, element))
        try:
            path = self._files.find(url, element.span.file)
        except AssetError as error:
            if element.attributes.get("optional") in ("true", "True", "1"):
                return []
            raise XacroError(f'"{url}" cannot be taken in: {error.text}') from error
        root = self._root_of(str(path))
        return [] if root is None else self.inside(root, scope, depth)

    def _root_of(self, path: str) -> XmlElement | None:
        """Return what a file holds, or None after a message; each is read once."""
        if path not in self._taken_in:
            text = read_text(path, self._log, max_bytes=MAX_XACRO_BYTES)
            self._taken_in[path] = None if text is None else parse_xml(text, path, self._log)
        return self._taken_in[path]

    def _table_of(self, url: str, element: XmlElement) -> Value:
        """Return what a YAML file holds; each is read once."""
        try:
            path = str(self._files.find(url, element.span.file))
        except AssetError as error:
            raise XacroError(f'"{url}" cannot be read: {error.text}') from error
        if path not in self._tables:
            text = read_text(path, self._log, max_bytes=MAX_XACRO_BYTES)
            document = None if text is None else parse_yaml(text, path, self._log)
            self._tables[path] = None if document is None else yaml_value(document.root)
        found = self._tables[path]
        if found is None:
            raise XacroError(f'"{url}" cannot be read')
        return found

    def _insert(self, element: XmlElement, scope: _Scope, _: int) -> list[XmlElement]:
        name = str(self._value(self._needed(element, "name"), scope, element))
        found = scope.block(name)
        if found is None:
            raise XacroError(f'no block is named "{name}"')
        for one in found:
            self._add(sum(1 for _ in one.walk()))
        return found

    def _if(self, element: XmlElement, scope: _Scope, depth: int) -> list[XmlElement]:
        holds = is_true(self._value(self._needed(element, "value"), scope, element))
        return self.inside(element, scope, depth) if holds else []

    def _unless(self, element: XmlElement, scope: _Scope, depth: int) -> list[XmlElement]:
        holds = is_true(self._value(self._needed(element, "value"), scope, element))
        return [] if holds else self.inside(element, scope, depth)

    def _call(self, element: XmlElement, scope: _Scope, depth: int) -> list[XmlElement]:
        name = str(self._value(self._needed(element, "macro"), scope, element))
        if name not in self._macros:
            raise XacroError(f'no macro is named "{name}".{did_you_mean(name, self._macros)}')
        given = {key: text for key, text in element.attributes.items() if key != "macro"}
        call = XmlElement(element.tag, given, element.span, element.children)
        return self._called(self._macros[name], call, scope, depth)

    # ---------------------------------------------------------------------------------------- macros

    def _called(
        self, macro: _Macro, call: XmlElement, scope: _Scope, depth: int
    ) -> list[XmlElement]:
        """Return what a call of a macro stands for."""
        known = [parameter.name for parameter in macro.parameters if not parameter.stars]
        for name in call.attributes:
            if name not in known and not name.startswith("xmlns"):
                guess = did_you_mean(name, known)
                self._say(call, f'the macro has no parameter "{name}".{guess}', name)
        inner = _Scope(scope)
        blocks = iter(self.inside(call, scope, depth))
        for parameter in macro.parameters:
            if parameter.stars:
                block = next(blocks, None)
                if block is None:
                    raise XacroError(f'the block "{parameter.name}" is missing')
                inner.blocks[parameter.name] = [block] if parameter.stars == 1 else block.children
            else:
                inner.names[parameter.name] = self._given(parameter, call, scope)
        return self.inside(macro.element, inner, depth)

    def _given(self, parameter: _Parameter, call: XmlElement, scope: _Scope) -> Value:
        """Return the value of a parameter: given, inherited from where it is called, or its default."""
        text = call.attributes.get(parameter.name)
        if text is None and parameter.inherits:
            found = self._known(parameter.name, scope, call)
            if found is not None:
                return found
        text = parameter.default if text is None else text
        if text is None:
            raise XacroError(f'the parameter "{parameter.name}" is missing')
        return _literal(self._value(text, scope, call))

    # ---------------------------------------------------------------------------------------- values

    def _known(self, name: str, scope: _Scope, element: XmlElement) -> Value | None:
        """Return the value of a name, None if there is none."""
        owner: _Scope | None = scope
        while owner is not None and name not in owner.names:
            owner = owner.outer
        if owner is None:
            return None
        found = owner.names[name]
        if not isinstance(found, _Pending):
            return found
        if found.is_asked:
            raise XacroError(f'"{name}" is made of itself')
        found.is_asked = True
        try:
            value = owner.names[name] = _literal(self._value(found.text, owner, element))
        finally:
            found.is_asked = False
        return value

    def _value(self, text: str, scope: _Scope, element: XmlElement) -> Value:
        """Return what a text with `${...}` and `$(...)` comes to; a lone expression keeps its kind."""
        if "$" not in text:
            return text

        def worked_out(opening: str, inner: str) -> Value:
            if "$" in inner:  # as in ${load_yaml('$(find robot)/limits.yaml')}
                inner = self._text(self._inner_value(inner, scope, element))
            if opening == "{":
                return evaluate(inner, lambda name: self._known(name, scope, element), functions)
            if inner.split(None, 1)[:1] == ["eval"]:
                return evaluate(inner.split(None, 1)[-1], self._given_argument, functions)
            return self._command(inner.split(), element)

        functions: dict[str, Callable[[str], Value]] = {
            "load_yaml": lambda url: self._table_of(url, element),
            "arg": lambda name: _literal(self._command(["arg", name], element)),
            "find": lambda name: self._command(["find", name], element),
            "env": lambda name: self._command(["env", name], element),
        }

        pieces = list(_pieces(text.strip()))
        if len(pieces) == 1 and pieces[0][0]:
            return worked_out(*pieces[0])
        whole = "".join(
            self._text(worked_out(opening, inner)) if opening else inner
            for opening, inner in _pieces(text)
        )
        return whole.replace("file://package://", "package://")

    def _inner_value(self, text: str, scope: _Scope, element: XmlElement) -> Value:
        """Return what a text within an expression comes to."""
        if self._inner_depth == MAX_INNER_DEPTH:
            raise XacroError(f"expressions stand more than {MAX_INNER_DEPTH} deep in each other")
        self._inner_depth += 1
        try:
            return self._value(text, scope, element)
        finally:
            self._inner_depth -= 1

    def _given_argument(self, name: str) -> Value | None:
        found = self._arguments.get(name)
        return None if found is None else _literal(found)

    def _text(self, value: Value) -> str:
        """Return a value as text, which is counted."""
        text = str(value)
        self._budget.spend(Cost.XACRO_CHARACTERS, len(text))
        return text

    def _command(self, words: list[str], element: XmlElement) -> Value:
        """Return what `$(...)` stands for."""
        match words:
            case ["find", package]:
                return f"package://{package}"
            case ["arg", name]:
                if name in self._arguments:
                    return self._arguments[name]
                raise XacroError(
                    f'the argument "{name}" has no default; say --xacro-arg {name}=VALUE'
                )
            case ["dirname"]:
                return PurePath(element.span.file).parent.as_posix()
            case ["env", name]:
                if name in os.environ:
                    return os.environ[name]
                raise XacroError(f'the environment variable "{name}" is not set')
            case ["optenv", name, *default]:
                return os.environ.get(name, " ".join(default))
            case _:
                raise XacroError(f'"$({" ".join(words)})" is not worked out here')


def _pieces(text: str) -> Iterator[tuple[str, str]]:
    """Yield the pieces of a text: ("{" or "(", what stands in `${...}` or `$(...)`), or ("", plain text).

    Two `$` before a bracket stand for one that means nothing.
    """
    position = 0
    is_closed = dict.fromkeys(_CLOSING, True)  # whether there may be an end from here on
    while (start := text.find("$", position)) >= 0:
        if start > position:
            yield "", text[position:start]
        end = start + 1
        while text.startswith("$", end):
            end += 1
        opening = text[end : end + 1]
        close = -1
        if text.startswith("(eval ", end) and end == start + 1:
            close = _end_of_program(text, end)
        elif end == start + 1 and is_closed.get(opening, False):
            close = text.find(_CLOSING[opening], end)
            is_closed[opening] = close >= 0
        if close >= 0:
            yield opening, text[end + 1 : close]
            position = close + 1
        else:
            is_escaped = end > start + 1 and opening in _CLOSING
            yield "", text[start + is_escaped : end]
            position = end
    if position < len(text):
        yield "", text[position:]


def _end_of_program(text: str, start: int) -> int:
    """Return where the bracket closes that opens at `start`, -1 if it does not; texts may hold others."""
    depth = 0
    for match in _BRACKETS.finditer(text, start, start + MAX_EXPRESSION):
        depth += {"(": 1, ")": -1}.get(match[0], 0)
        if depth == 0:
            return match.start()
    return -1


def _literal(value: Value) -> Value:
    return literal(value) if isinstance(value, str) else value


def _unquoted(text: str) -> str:
    is_quoted = len(text) >= 2 and text[0] == text[-1] and text[0] in "'\""
    return text[1:-1] if is_quoted else text
