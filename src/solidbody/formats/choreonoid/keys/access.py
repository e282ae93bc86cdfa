"""Typed access to the keys of one YAML mapping, by the rows of the key table.

A wrong value gives one diagnostic that names the place, the key, the value and what is allowed, and the
default is used. Every key asked for counts as known: what is left over is the node's info, and a
left-over key that looks like a row of the table is reported as a likely slip.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

from solidbody.base.span import SourceSpan
from solidbody.formats.choreonoid.keys.table import Key, Table
from solidbody.formats.choreonoid.keys.yaml_tree import YamlList, YamlMap, YamlNode, YamlScalar
from solidbody.formats.link_trees.messages import Messages, Spot

T = TypeVar("T")

DEGREE: Final = math.pi / 180.0

_LONGEST_SHOWN: Final = 40


@dataclass(slots=True)
class BodyFileReading(Messages):
    """What holds for a whole file while it is read.

    Attributes:
        angle_factor: Radians per angle unit of the file.
    """

    angle_factor: float = DEGREE
    _slips: dict[tuple[str, frozenset[str]], str] = field(
        default_factory=dict[tuple[str, frozenset[str]], str]
    )

    def slip_of(self, word: str, known: frozenset[str]) -> str:
        """Return the known key that `word` is likely to be a slip of, or an empty string."""
        found = self._slips.get((word, known))
        if found is None:
            self._guesses_left -= len(known)
            found = _meant_key(word, known) if self._guesses_left > 0 else ""
            self._slips[word, known] = found
        return found


class Keys:
    """The keys of one mapping, and what is needed to complain about them."""

    def __init__(self, node: YamlMap, reading: BodyFileReading, path: str = "") -> None:
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

    def spot(self, key: Key[Any] | str = "", span: SourceSpan | None = None) -> Spot:
        """Return what messages about a key (or the mapping, without one) are about."""
        key = key if isinstance(key, str) else key.name
        if span is None:
            pair = self._pairs.get(key)
            span = pair[1].span if pair else self.yaml.span
        return Spot(self.reading, span, self.path, key)

    def error(
        self, code: str, key: Key[Any] | str, text: str, *, span: SourceSpan | None = None
    ) -> None:
        """Record an error about a key (or the mapping, with an empty one)."""
        self.spot(key, span).error(code, text)

    def warning(
        self, code: str, key: Key[Any] | str, text: str, *, span: SourceSpan | None = None
    ) -> None:
        """Record a warning about a key (or the mapping, with an empty one)."""
        self.spot(key, span).warning(code, text)

    def info(
        self, code: str, key: Key[Any] | str, text: str, *, span: SourceSpan | None = None
    ) -> None:
        """Record a remark about a key (or the mapping, with an empty one)."""
        self.spot(key, span).info(code, text)

    # ---------------------------------------------------------------------------------------- nodes

    def has(self, *keys: Key[Any]) -> bool:
        """Whether one of the keys is written, in any spelling."""
        return any(name in self._pairs for key in keys for name in key.names)

    def node(self, key: Key[Any]) -> YamlNode | None:
        """Return the value of a key, as written."""
        found = self.find(key)
        return None if found is None else found[1]

    def find(self, key: Key[Any]) -> tuple[str, YamlNode] | None:
        """Return (the spelling that is written, the value) of a key; the first spelling counts."""
        self._known.update(key.names)
        present = [name for name in key.names if name in self._pairs]
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

    def written(self, key: Key[Any]) -> str:
        """Return the spelling under which a key is given, today's without it."""
        return next((name for name in key.names if name in self._pairs), key.name)

    def read(self, key: Key[T]) -> T:
        """Return the value of a key as its kind reads it; the default without it or after a message."""
        found = self.find(key)
        value = None if found is None else key.kind.read(self, *found)
        return key.default if value is None else value

    def pass_over(self, table: type[Table]) -> None:
        """Take the keys that nothing needs as known."""
        for key in table.ignored_rows():
            self.find(key)

    def keys(self, key: Key[Any]) -> Keys | None:
        """Return the mapping under a key; None if it is absent or, after a message, something else."""
        found = self.find(key)
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

    def items(self, key: Key[Any]) -> tuple[YamlNode, ...]:
        """Return the values of a list; a single value counts as a list of one, none as empty."""
        value = self.node(key)
        if value is None:
            return ()
        return value.items if isinstance(value, YamlList) else (value,)

    def rest(self) -> Iterator[tuple[YamlScalar, YamlNode]]:
        """Yield the pairs that nobody has asked for."""
        return (pair for name, pair in self._pairs.items() if name not in self._known)

    def warn_of_slips(self, *tables: type[Table]) -> None:
        """Report left-over keys that look like a row of the tables, or like one that was asked for."""
        left = [key for key, _ in self.rest()]
        known = frozenset(self._known).union(*(table.spellings for table in tables if left))
        for key in left:
            meant = "" if key.text in known else self.reading.slip_of(key.text, known)
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
    """Return how many letters must be put in, taken out, changed or swapped to turn `a` into `b`.

    Above `most` any larger number may come out.
    """
    if abs(len(a) - len(b)) > most:
        return most + 1
    rows = [list(range(len(b) + 1))]
    for i, x in enumerate(a, 1):
        last, row = rows[-1], [i]
        for j, y in enumerate(b, 1):
            row.append(min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (x != y)))
            if i > 1 and j > 1 and x == b[j - 2] and y == a[i - 2]:
                row[j] = min(row[j], rows[-2][j - 2] + 1)
        rows.append(row)
        if min(last) > most and min(row) > most:
            return most + 1
    return rows[-1][-1]
