"""Field types of protocol messages, and how messages are declared.

Everything on the wire is little-endian and without padding:

| type | bytes |
|---|---|
| `U8` `U16` `U32` `I32` `I64` | a whole number of that width, `I` with a sign |
| `Number` `NotNan` `Finite` | a float of 64 bits; the last two refuse what their names say |
| `bool` | one byte, 0 = false |
| `Choice` | one byte: the place of the word in its list |
| `Reals(n)` | n floats of 64 bits |
| `Words(n)` | length [bytes] (U32), then that many bytes of UTF-8, n at most; a path may hold other bytes |
| `Raw(n)` | length (U32), then bytes, n at most |
| `list[T]` | count (U32), then the items; `Most(n)` says how many at most |
| `T | None` | one byte, 0 = none, then the value if there is one |
| a part | its fields, one after the other |
| a family | number of the message (U16), then its fields; 0 where there may be none |
| `Value` | a byte: 1 bool, 2 I64, 3 float, 4 floats (count as U32 first), 5 text; then the value |
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from typing import Annotated, Any, ClassVar, Final, TypeVar, dataclass_transform

FRAME_LIMIT: Final = 64 << 20
"""[bytes] Longest frame. Images go through shared memory."""

TEXT_LIMIT: Final = 32 << 20
"""[bytes] Longest text of a program: a node to import, what a window is told."""

NAME_LIMIT: Final = 1 << 16
"""[bytes] Longest name or path."""

LIST_LIMIT: Final = 1 << 16
"""Items of a list that says nothing else."""

VALUE_LIMIT: Final = 64
"""Numbers in a `Value`."""


@dataclass(frozen=True, slots=True)
class Whole:
    """A whole number, with the code of Python's `struct`."""

    code: str


@dataclass(frozen=True, slots=True)
class Real:
    """A float of 64 bits. `refuses`: "" nothing, "nan", or "infinite" (which includes NaN)."""

    refuses: str = ""


@dataclass(frozen=True, slots=True)
class Reals:
    """A fixed number of floats, whatever their values."""

    count: int


@dataclass(frozen=True, slots=True)
class Words:
    """A text; a path keeps bytes that are no UTF-8, as file names may have them."""

    most: int
    is_path: bool = False


@dataclass(frozen=True, slots=True)
class Raw:
    """Bytes."""

    most: int


@dataclass(frozen=True, slots=True)
class Choice:
    """One of some words."""

    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Most:
    """How many items a list may have."""

    count: int


@dataclass(frozen=True, slots=True)
class Scalar:
    """A value whose type is told with it."""


U8 = Annotated[int, Whole("B")]
U16 = Annotated[int, Whole("H")]
U32 = Annotated[int, Whole("I")]
I32 = Annotated[int, Whole("i")]
I64 = Annotated[int, Whole("q")]
Number = Annotated[float, Real()]
NotNan = Annotated[float, Real("nan")]
Finite = Annotated[float, Real("infinite")]
Name = Annotated[str, Words(NAME_LIMIT)]
Text = Annotated[str, Words(TEXT_LIMIT)]
Path = Annotated[str, Words(NAME_LIMIT, is_path=True)]
Data = Annotated[bytes, Raw(FRAME_LIMIT)]
Vector3 = Annotated[tuple[float, ...], Reals(3)]
Value = Annotated[bool | int | float | str | tuple[float, ...], Scalar()]

T = TypeVar("T", bound="Message")


class Message:
    """Anything on the wire. Iterating gives the values of the fields in their order.

    Attributes:
        NUMBER: Tells what a message is; it never changes its meaning. 0 = a part of others.
        IS_FAMILY: Whether a field of this type holds any message derived from it.
        ANSWER: Of requests: what their answer holds.
    """

    __slots__ = ()
    NUMBER: ClassVar[int] = 0
    IS_FAMILY: ClassVar[bool] = False
    ANSWER: ClassVar[type[Message] | None] = None

    def __iter__(self) -> Iterator[Any]:
        return (getattr(self, item.name) for item in fields(self))  # type: ignore[arg-type]


MESSAGES: Final[dict[int, type[Message]]] = {}
"""All messages by their numbers."""


@dataclass_transform(frozen_default=True)
def message(number: int, *, answer: type[Message] | None = None) -> Callable[[type[T]], type[T]]:
    """Declare a message. `answer`: what a request is answered with, if with anything."""

    def declare(cls: type[T]) -> type[T]:
        made = dataclass(frozen=True, slots=True)(cls)
        if not 0 < number < 1 << 16 or number in MESSAGES:
            raise ValueError(f"{cls.__name__}: the number {number} is taken or none")
        made.NUMBER, made.ANSWER, made.IS_FAMILY = number, answer, False
        MESSAGES[number] = made
        return made

    return declare


@dataclass_transform(frozen_default=True)
def part(cls: type[T]) -> type[T]:
    """Declare something that messages are made of."""
    return dataclass(frozen=True, slots=True)(cls)


@dataclass_transform(frozen_default=True)
def family(cls: type[T]) -> type[T]:
    """Declare what messages derive from: a field of this type holds one of them."""
    made = dataclass(frozen=True, slots=True)(cls)
    made.IS_FAMILY = True
    return made


def members(base: type[Message]) -> list[type[Message]]:
    """Return the messages of a family, in the order of their numbers."""
    return [MESSAGES[number] for number in sorted(MESSAGES) if issubclass(MESSAGES[number], base)]
