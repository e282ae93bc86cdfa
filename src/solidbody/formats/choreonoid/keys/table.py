"""Columns of the key table: one row per key of each kind of mapping in Choreonoid's files.

From the rows come typed reading, writing, what is said of slips, and the page `docs/choreonoid-keys.md`.
Every row has exactly one fate: `to` (what it becomes), `ignored` or `unsupported` (why nothing does).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Final, Generic, TypeVar

if TYPE_CHECKING:
    from solidbody.formats.choreonoid.keys.access import Keys
    from solidbody.formats.choreonoid.keys.yaml_text import Yaml, YamlPairs
    from solidbody.formats.choreonoid.keys.yaml_tree import YamlNode

BY_HAND: Final[Mapping[str, str]] = {
    "type": "it decides what the mapping is, and with that which rows count",
    "tree": "its value is a mapping or a list, with rows of its own or in an order that counts",
    "sum": "with other rows it makes one field, or says the same in another way",
    "place": "a place is put together with those above it, or with that of what it moves",
    "file": "it takes in another file, or part of one",
    "name": "a name, by which things find each other",
    "body": "it changes what has been read of a body, or makes several links of one",
}
"""Why code of its own reads a row (its `by`); `tests/architecture/test_key_table.py` proves each."""

T = TypeVar("T")
D = TypeVar("D")
V = TypeVar("V", covariant=True)


@dataclass(frozen=True)
class ValueKind(Generic[T]):
    """How values of a key are read and written: two conversions, each the inverse of the other.

    Attributes:
        words: What the page calls it.
        read: From the value under a name to what the model has; None after one message.
        write: Back to what a file has.
        unit: Of the numbers in files; empty = none.
        allowed: Rule for values, in words.
    """

    words: str
    read: Callable[[Keys, str, YamlNode], T | None]
    write: Callable[[T], Yaml]
    unit: str = ""
    allowed: str = ""


class Key(Generic[V]):
    """One key of a kind of mapping; its name is that of the attribute that holds it.

    Attributes:
        name: Today's spelling.
        names: It and the older ones, in the order in which they count.
        kind: How values are read and written.
        default: What holds without the key, as the model has it.
        to: What it becomes: a field of what its table makes (`size`, `offset.position`, `repeat.0` for the
            first of a tuple: read and written by the generic pass), or `Class.field` for keys that are read
            by hand; several with commas.
        ignored: Why nothing needs it.
        unsupported: Why nothing is made of it yet.
        unit: Of the numbers in files.
        doc: What it says.
        by: Why code of its own reads it, a word of `BY_HAND`; empty where the generic pass does.
        always: Whether it is written even where it is the default.
    """

    default: V

    def __init__(
        self: Key[T | D],
        kind: ValueKind[T],
        default: D,
        to: str = "",
        doc: str = "",
        *,
        old: str = "",
        name: str = "",
        unit: str = "",
        ignored: str = "",
        unsupported: str = "",
        by: str = "",
        always: bool = False,
    ) -> None:
        self.kind: ValueKind[Any] = kind
        self.default = default
        self.to = to
        self.ignored = ignored
        self.unsupported = unsupported
        self.unit = unit or kind.unit
        self.doc = doc
        self.by = by
        self.always = always
        self.name = name
        self.names = (name, *old.split())

    def __set_name__(self, owner: type, attribute: str) -> None:
        self.name = self.name or attribute
        self.names = (self.name, *self.names[1:])

    @property
    def is_plain(self) -> bool:
        """Whether the generic pass reads and writes it."""
        return bool(self.to) and not self.to[0].isupper()

    def targets(self, table: type[Table]) -> tuple[str, ...]:
        """Return what it becomes, as `Class.field`.

        Args:
            table: One that has the row.
        """
        if self.is_plain:
            return (f"{table.makes.__name__}.{self.to}",) if table.makes else ()
        return tuple(target.strip() for target in self.to.split(",") if target)


@dataclass(frozen=True)
class Rows:
    """Rows that need no names of their own."""

    rows: tuple[Key[Any], ...]


def ignored(reason: str, *names: str) -> Rows:
    """Return rows of keys that nothing needs, each given by its spellings."""
    kind = ValueKind[Any]("any", lambda keys, name, value: value, lambda value: value)
    rows: list[Key[Any]] = []
    for spellings in names:
        name, _, old = spellings.partition(" ")
        rows.append(Key(kind, None, old=old, name=name, ignored=reason))
    return Rows(tuple(rows))


class Table:
    """The rows of one kind of mapping; those of its base classes come first.

    Attributes:
        rows: By attribute.
        spellings: All names of all rows.
        title: What the page calls it; empty = what files call its `types`.
        types: Values of `type` (or `class`) of these mappings.
        makes: What the generic pass makes of the plain rows; None = all is read by hand.
        parts: Classes of the parts of what is made, by field (`offset`, `poses.0`); other fields in
            fields are tuples.
        fixed: Fields that follow from the type, by type or for all ("").
        is_apart: Whether its rows have a pass of their own, also where other tables are based on it.
    """

    rows: ClassVar[Mapping[str, Key[Any]]] = {}
    spellings: ClassVar[frozenset[str]] = frozenset()
    title: ClassVar[str] = ""
    types: ClassVar[tuple[str, ...]] = ()
    makes: ClassVar[type[Any] | None] = None
    parts: ClassVar[Mapping[str, type[Any]]] = {}
    fixed: ClassVar[Mapping[str, Mapping[str, Any]]] = {}
    is_apart: ClassVar[bool] = False
    _passed: ClassVar[frozenset[str]] = frozenset()

    def __init_subclass__(cls) -> None:
        own: dict[str, Key[Any]] = {}
        for name, value in vars(cls).items():
            if isinstance(value, Key):
                own[name] = value
            elif isinstance(value, Rows):
                own |= {row.name: row for row in value.rows}
        based = [base for base in cls.__bases__ if issubclass(base, Table)]
        rows: dict[str, Key[Any]] = {}
        for name, row in ((name, row) for base in based for name, row in base.rows.items()):
            rows.setdefault(name, row)  # the first base counts
        cls.rows = rows | own
        cls.spellings = frozenset(name for row in cls.rows.values() for name in row.names)
        cls._passed = frozenset(own).union(*(base._passed for base in based if not base.is_apart))
        for name, nothing in (("types", ()), ("title", ""), ("is_apart", False)):
            if name not in vars(cls):
                setattr(cls, name, nothing)
        TABLES.append(cls)

    @classmethod
    def pairs(cls, **values: Yaml) -> YamlPairs:
        """Return values that are written by hand under the names of today; unknown rows raise."""
        return {cls.rows[attribute].name: value for attribute, value in values.items()}

    @classmethod
    def plain(cls) -> Iterator[Key[Any]]:
        """Yield the rows of the generic pass."""
        return (row for name, row in cls.rows.items() if row.is_plain and name in cls._passed)

    @classmethod
    def ignored_rows(cls) -> Iterator[Key[Any]]:
        """Yield the rows that nothing needs."""
        return (row for row in cls.rows.values() if row.ignored)


TABLES: Final[list[type[Table]]] = []
"""All tables, in the order of their definition."""


# --------------------------------------------------------------------------------- the generic pass


def plain_values(
    keys: Keys, table: type[Table], type_name: str = "", **more: Any
) -> dict[str, Any]:
    """Return the fields that the plain rows of a mapping give, parts put together.

    Args:
        keys: The mapping.
        table: Its rows.
        type_name: Its type, which some fields follow from.
        more: Fields that every part with a field of that name gets.
    """
    fixed = {**table.fixed.get("", {}), **table.fixed.get(type_name, {})}
    top = _Fields()
    for path, value in (fixed | {row.to: keys.read(row) for row in table.plain()}).items():
        *outer, last = path.split(".")
        fields = top
        for name in outer:
            fields = fields.setdefault(name, _Fields())
        fields[last] = value
    return {name: _put_together(table, name, value, more) for name, value in top.items()}


class _Fields(dict[str, Any]):
    """Fields of something, by name, or its items by number."""


def _put_together(table: type[Table], path: str, value: Any, more: Mapping[str, Any]) -> Any:
    """Return a value, or the part or tuple of which the fields are given."""
    if not isinstance(value, _Fields):
        return value
    inner = {
        name: _put_together(table, f"{path}.{name}", item, more) for name, item in value.items()
    }
    if path not in table.parts:
        return tuple(inner[str(number)] for number in range(len(inner)))
    kind = table.parts[path]
    known = kind.__dataclass_fields__
    return kind(**inner, **{name: item for name, item in more.items() if name in known})


def plain_pairs(table: type[Table], thing: object) -> YamlPairs:
    """Return the plain keys of what the model has; what is at its default is left out.

    Rows that are written by hand have no value yet, so that all stand in the order of the table.
    """
    pairs: YamlPairs = {row.name: None for row in table.rows.values()}
    for row in table.plain():
        value: Any = thing
        for field in row.to.split("."):
            value = value[int(field)] if field.isdecimal() else getattr(value, field)
        is_left_out = value is None or (value == row.default and not row.always)
        pairs[row.name] = None if is_left_out else row.kind.write(value)
    return pairs
