"""Typed access to the keys of one YAML mapping.

A wrong value gives one diagnostic that names the place, the key, the value and what is allowed, and the
default is used. Every key asked for counts as known: what is left over is the node's info, and a
left-over key that looks like a known one is reported as a likely slip.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, TypeGuard, TypeVar

from solidbody.base.diagnostics import Diagnostic, DiagnosticLog, Severity, did_you_mean
from solidbody.base.span import SourceSpan
from solidbody.base.transforms import IDENTITY, Quat, Vec3, add, quat_from_axis_angle, quat_multiply
from solidbody.formats.choreonoid.keys.yaml_tree import YamlList, YamlMap, YamlNode, YamlScalar

T = TypeVar("T")
V = TypeVar("V")

DEGREE: Final = math.pi / 180.0

_FLAGS: Final = {
    form: value
    for word, value in {
        "y": True,
        "yes": True,
        "true": True,
        "on": True,
        "n": False,
        "no": False,
        "false": False,
        "off": False,
    }.items()
    for form in (word, word.capitalize(), word.upper())
}

_NUMBER: Final = re.compile(r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?", re.ASCII)
_DECIMAL: Final = re.compile(r"-?\d{1,17}(?:\.\d*)?", re.ASCII)
_NOT_FINITE: Final = re.compile(r"[-+]?\.?(?:nan|inf(?:inity)?)", re.IGNORECASE)

_SHORTEST_AXIS: Final = 1e-6
"""Length below which Choreonoid refuses the axis of a rotation."""

_LONGEST_SHOWN: Final = 40

MOST_GUESSES: Final = 200_000
"""Words that one file's slips are compared with, at 10 microseconds each."""


@dataclass(slots=True)
class Reading:
    """What holds for a whole file while it is read.

    Attributes:
        log: Takes all messages.
        angle_factor: Radians per angle unit of the file.
        joints_resist: Whether joints stop at the ends of their range and damping and friction slow
            them: they do in URDF, not in body files.
    """

    log: DiagnosticLog
    angle_factor: float = DEGREE
    joints_resist: bool = False
    _guesses_left: int = MOST_GUESSES
    _slips: dict[tuple[str, frozenset[str]], str] = field(
        default_factory=dict[tuple[str, frozenset[str]], str]
    )
    _said: set[tuple[object, ...]] = field(default_factory=set[tuple[object, ...]])

    def say(
        self,
        severity: Severity,
        code: str,
        span: SourceSpan,
        text: str,
        *,
        node: str = "",
        key: str = "",
    ) -> None:
        """Record a message once, whatever ways lead there: a value that aliases share is read often."""
        said = (severity, code, span, text, key)
        if said not in self._said:
            self._said.add(said)
            self.log.items.append(Diagnostic(severity, code, span, text, node, key))

    def guess(self, word: str, known: Collection[str]) -> str:
        """Return ` Did you mean "x"?` or nothing, as long as this file has not used up its guesses."""
        self._guesses_left -= len(known)
        return did_you_mean(word, known) if self._guesses_left > 0 else ""

    def slip_of(self, word: str, known: frozenset[str]) -> str:
        """Return the known key that `word` is likely to be a slip of, or an empty string."""
        found = self._slips.get((word, known))
        if found is None:
            self._guesses_left -= len(known)
            found = _meant_key(word, known) if self._guesses_left > 0 else ""
            self._slips[word, known] = found
        return found


class Keys:
    """The keys of one mapping, and what is needed to complain about them.

    Every method takes the key's name and then its aliases; the first one that is present is read.
    """

    def __init__(self, node: YamlMap, reading: Reading, path: str = "") -> None:
        self.yaml = node
        self.reading = reading
        self.path = path
        self._pairs: dict[str, tuple[YamlScalar, YamlNode]] = {
            key.text: (key, value) for key, value in node.pairs
        }
        self._known: set[str] = set()

    def __contains__(self, name: object) -> bool:
        return name in self._pairs

    def is_known(self, name: str) -> bool:
        """Whether the key has been asked for, present or not."""
        return name in self._known

    @property
    def span(self) -> SourceSpan:
        """Where the mapping stands."""
        return self.yaml.span

    # ------------------------------------------------------------------------------------- messages

    def error(self, code: str, key: str, text: str, *, span: SourceSpan | None = None) -> None:
        """Record an error about a key (or the mapping, with an empty one)."""
        self._say(Severity.ERROR, code, key, text, span)

    def warning(self, code: str, key: str, text: str, *, span: SourceSpan | None = None) -> None:
        """Record a warning about a key (or the mapping, with an empty one)."""
        self._say(Severity.WARNING, code, key, text, span)

    def info(self, code: str, key: str, text: str, *, span: SourceSpan | None = None) -> None:
        """Record a remark about a key (or the mapping, with an empty one)."""
        self._say(Severity.INFO, code, key, text, span)

    def _say(
        self, severity: Severity, code: str, key: str, text: str, span: SourceSpan | None
    ) -> None:
        if span is None:
            pair = self._pairs.get(key)
            span = pair[1].span if pair else self.yaml.span
        self.reading.say(severity, code, span, text, node=self.path, key=key)

    # ---------------------------------------------------------------------------------------- nodes

    def node(self, *names: str) -> YamlNode | None:
        """Return the value of the first of `names` that is present."""
        found = self.find(*names)
        return None if found is None else found[1]

    def find(self, *names: str) -> tuple[str, YamlNode] | None:
        """Return (the name that is written, its value) of the first of `names` that is present."""
        self._known.update(names)
        present = [name for name in names if name in self._pairs]
        if not present:
            return None
        for other in present[1:]:
            self.warning(
                "duplicate-key",
                other,
                f'"{present[0]}" says the same and counts; this one is ignored.',
                span=self._pairs[other][0].span,
            )
        return present[0], self._pairs[present[0]][1]

    def keys(self, *names: str) -> Keys | None:
        """Return the mapping under a key; None if it is absent or, after a message, something else."""
        found = self.find(*names)
        if found is None:
            return None
        name, value = found
        if not isinstance(value, YamlMap):
            self.wrong(name, value, "a mapping")
            return None
        return self.child(value, name)

    def child(self, node: YamlMap, label: str) -> Keys:
        """Return the keys of a mapping below this one."""
        return Keys(node, self.reading, f"{self.path} > {label}" if self.path else label)

    def items(self, *names: str) -> tuple[YamlNode, ...]:
        """Return the values of a list; a single value counts as a list of one, none as empty."""
        value = self.node(*names)
        if value is None:
            return ()
        return value.items if isinstance(value, YamlList) else (value,)

    def rest(self) -> Iterator[tuple[YamlScalar, YamlNode]]:
        """Yield the pairs that nobody has asked for."""
        return (pair for name, pair in self._pairs.items() if name not in self._known)

    def warn_of_slips(self) -> None:
        """Report left-over keys that look like one that was asked for."""
        left = [key for key, _ in self.rest()]
        known = frozenset(self._known) if left else frozenset[str]()
        for key in left:
            meant = self.reading.slip_of(key.text, known)
            if meant and meant not in self._pairs:
                self.warning(
                    "unknown-key",
                    key.text,
                    f'there is no such key; it is kept as information only. Did you mean "{meant}"?',
                    span=key.span,
                )

    def wrong(self, name: str, value: YamlNode, allowed: str) -> None:
        """Report a value that is not what the key takes."""
        self.error("wrong-value", name, f"expected {allowed}, got {shown(value)}.", span=value.span)

    # --------------------------------------------------------------------------------------- values

    def number(self, *names: str, default: T) -> float | T:
        """Return a finite number."""
        return self._read(names, default, self._number)

    def angle(self, *names: str, default: T) -> float | T:
        """Return an angle [rad], converted from the file's unit; `default` is in radians."""
        factor = self.reading.angle_factor
        return self._read(
            names,
            default,
            lambda name, value: _times(self._number(name, value), factor),
        )

    def integer(self, *names: str, default: T) -> int | T:
        """Return a whole number."""
        return self._read(names, default, self._integer)

    def flag(self, *names: str, default: T) -> bool | T:
        """Return a truth value: y, yes, true, on and their opposites."""
        return self._read(names, default, self._flag)

    def text(self, *names: str, default: T) -> str | T:
        """Return a text."""
        return self._read(names, default, self._text)

    def texts(self, *names: str) -> tuple[str, ...]:
        """Return a list of texts; a single one counts as a list of one."""
        found = self.find(*names)
        if found is None:
            return ()
        name, value = found
        items = value.items if isinstance(value, YamlList) else (value,)
        return tuple(text for item in items if (text := self._text(name, item)) is not None)

    def numbers(self, *names: str, default: T) -> tuple[float, ...] | T:
        """Return a list of numbers of any length."""
        return self._read(names, default, self._numbers)

    def vector(self, *names: str, size: int = 3, default: T) -> tuple[float, ...] | T:
        """Return a list of exactly `size` numbers."""
        return self._read(names, default, lambda name, value: self._vector(name, value, size))

    def vec3(self, *names: str, default: T) -> Vec3 | T:
        """Return a list of exactly three numbers."""
        return self._read(names, default, self._vec3)

    def translation(self, *names: str) -> Vec3:
        """Return a displacement [m]; a list of displacements (or of such lists) gives their sum."""
        return self._read(names, (0.0, 0.0, 0.0), self._translation)

    def rotation(self, *names: str) -> Quat:
        """Return the rotation of [x, y, z, angle]; a list of such lists is multiplied left to right."""
        return self._read(names, IDENTITY, self._rotation)

    def choice(self, *names: str, table: Mapping[str, V], default: T) -> V | T:
        """Return what `table` has for the text."""
        return self._read(names, default, lambda name, value: self._choice(name, value, table))

    def _read(
        self, names: tuple[str, ...], default: T, convert: Callable[[str, YamlNode], V | None]
    ) -> V | T:
        found = self.find(*names)
        if found is None:
            return default
        value = convert(*found)
        return default if value is None else value

    # Converters: each returns None after one message.

    def number_of(self, name: str, value: YamlNode) -> float | None:
        """Return a value of this mapping as a number, or None after a message."""
        return self._number(name, value)

    def flag_of(self, name: str, value: YamlNode) -> bool | None:
        """Return a value of this mapping as a truth value, or None after a message."""
        return self._flag(name, value)

    def _number(self, name: str, value: YamlNode) -> float | None:
        number = self._scalar_number(name, value) if isinstance(value, YamlScalar) else None
        if number is None:
            self.wrong(name, value, "a number")
        elif not math.isfinite(number):
            text = f"expected a finite number, got {shown(value)}."
            self.error("not-finite", name, text, span=value.span)
            return None
        return number

    def _scalar_number(self, name: str, value: YamlScalar) -> float | None:
        text = value.text.strip()
        if _NUMBER.fullmatch(text):
            return float(text)
        return math.nan if _NOT_FINITE.fullmatch(text) else self._leading_number(name, value)

    def _leading_number(self, name: str, value: YamlScalar) -> float | None:
        """Return the number that a text begins with: Choreonoid reads that much and no more."""
        match = _NUMBER.match(value.text.lstrip())
        if match is None:
            return None
        self.warning(
            "trailing-text",
            name,
            f"expected a number, got {shown(value)}; read as {match.group()}.",
            span=value.span,
        )
        return float(match.group())

    def _integer(self, name: str, value: YamlNode) -> int | None:
        number = self._number(name, value)
        if number is None:
            return None
        if number != int(number):
            self.warning(
                "not-whole",
                name,
                f"expected a whole number, got {shown(value)}; read as {int(number)}.",
                span=value.span,
            )
        return int(number)

    def _flag(self, name: str, value: YamlNode) -> bool | None:
        flag = _FLAGS.get(value.text) if isinstance(value, YamlScalar) else None
        if flag is None:
            self.wrong(name, value, "true or false (or yes, no, on, off, y, n)")
        return flag

    def _text(self, name: str, value: YamlNode) -> str | None:
        if isinstance(value, YamlScalar):
            return value.text
        self.wrong(name, value, "a text")
        return None

    def _numbers(self, name: str, value: YamlNode) -> tuple[float, ...] | None:
        if not isinstance(value, YamlList):
            self.wrong(name, value, "a list of numbers")
            return None
        read = [
            float(item.text)  # the way of nearly all; anything odd is looked at closely
            if isinstance(item, YamlScalar) and _DECIMAL.fullmatch(item.text)
            else self._number(name, item)
            for item in value.items
        ]
        numbers = tuple(number for number in read if number is not None)
        return numbers if len(numbers) == len(read) else None

    def _vector(self, name: str, value: YamlNode, size: int) -> tuple[float, ...] | None:
        if not isinstance(value, YamlList) or len(value.items) != size:
            self.wrong(name, value, f"a list of {size} numbers")
            return None
        return self._numbers(name, value)

    def _vec3(self, name: str, value: YamlNode) -> Vec3 | None:
        numbers = self._vector(name, value, 3)
        return None if numbers is None else (numbers[0], numbers[1], numbers[2])

    def _translation(self, name: str, value: YamlNode) -> Vec3 | None:
        if not _is_nested(value):
            return self._vec3(name, value)
        total: Vec3 = (0.0, 0.0, 0.0)
        for item in value.items:
            total = add(total, self._translation(name, item) or (0.0, 0.0, 0.0))
        return total

    def _rotation(self, name: str, value: YamlNode) -> Quat | None:
        if not _is_nested(value):
            return self._turn(name, value)
        product = IDENTITY
        for item in value.items:
            product = quat_multiply(product, self._rotation(name, item) or IDENTITY)
        return product

    def _turn(self, name: str, value: YamlNode) -> Quat | None:
        if not isinstance(value, YamlList) or len(value.items) != 4:
            self.wrong(name, value, "a list of 4 numbers (axis x, y, z and angle)")
            return None
        numbers = self._numbers(name, value)
        if numbers is None:
            return None
        x, y, z, angle = numbers
        if math.hypot(x, y, z) < _SHORTEST_AXIS:
            self.error(
                "null-axis",
                name,
                f"the axis of a rotation must not be null, got {shown(value)}.",
                span=value.span,
            )
            return None
        return quat_from_axis_angle((x, y, z), angle * self.reading.angle_factor)

    def _choice(self, name: str, value: YamlNode, table: Mapping[str, V]) -> V | None:
        text = value.text if isinstance(value, YamlScalar) else None
        if text is not None and text in table:
            return table[text]
        hint = self.reading.guess(text, table) if text is not None else ""
        words = ", ".join(table)
        self.error(
            "wrong-value",
            name,
            f"expected one of {words}, got {shown(value)}.{hint}",
            span=value.span,
        )
        return None


def shown(value: YamlNode) -> str:
    """Return a value as messages show it."""
    match value:
        case YamlScalar():
            text = value.text
            if len(text) > _LONGEST_SHOWN:
                text = text[: _LONGEST_SHOWN - 3] + "..."
            return f'"{text}"'
        case YamlList():
            return f"a list of {len(value.items)} values" if value.items else "an empty list"
        case YamlMap():
            return "a mapping"


def _is_nested(value: YamlNode) -> TypeGuard[YamlList]:
    return isinstance(value, YamlList) and any(isinstance(item, YamlList) for item in value.items)


def _times(number: float | None, factor: float) -> float | None:
    return None if number is None else number * factor


def _meant_key(word: str, known: frozenset[str]) -> str:
    """Return the known key that differs least, by capitals, underscores or one letter in six.

    Info keys of other programs share words with ours ("joint_friction"), so mere likeness says little.
    """
    plain = _plain_word(word)
    most = max(1, len(plain) // 6)
    found = [
        (distance, name != name.lower(), name)
        for name in known
        if (distance := _distance(plain, _plain_word(name), most)) <= most
    ]
    # of the two spellings of a key, the one that is written like the slip
    return (
        min(found, key=lambda item: (item[0], item[1] != (word != word.lower()), item[2]))[2]
        if found
        else ""
    )


def _plain_word(word: str) -> str:
    return word.replace("_", "").replace("-", "").lower()


def _distance(a: str, b: str, most: int) -> int:
    """Return how many letters must be put in, taken out or changed to turn `a` into `b`.

    Above `most` any larger number may come out.
    """
    if abs(len(a) - len(b)) > most:
        return most + 1
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        last, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            last, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, last + (x != y))
        if min(row) > most:
            return most + 1
    return row[-1]
