"""All kinds of input, by name."""

from __future__ import annotations

from tests.fuzz import kept, media, scenes, shapes, wires
from tests.fuzz.kind import Kind

_ALL = (*scenes.KINDS, *shapes.KINDS, *media.KINDS, *wires.KINDS, *kept.KINDS)

KINDS: dict[str, Kind] = {kind.name: kind for kind in _ALL}
