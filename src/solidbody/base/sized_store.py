"""A cache in memory with a size limit: the oldest entries go first."""

from __future__ import annotations

from typing import Generic, TypeVar

_K = TypeVar("_K")
_V = TypeVar("_V")


class SizedStore(Generic[_K, _V]):
    """Keeps values by their keys, and forgets the oldest ones where they are too large together."""

    def __init__(self, room: int) -> None:
        self._room = room
        self._kept: dict[_K, tuple[_V, int]] = {}
        self._size = 0

    def get(self, key: _K) -> _V | None:
        """Return the value of a key; None if it is not kept."""
        found = self._kept.get(key)
        return None if found is None else found[0]

    def keep(self, key: _K, value: _V, size: int) -> None:
        """Keep a value of a size; one that is larger than the room is not kept at all."""
        self._size -= self._kept.pop(key, (None, 0))[1]
        self._kept[key] = (value, size)
        self._size += size
        while self._size > self._room:
            oldest = next(iter(self._kept))
            self._size -= self._kept.pop(oldest)[1]
