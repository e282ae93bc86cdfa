"""All kinds of input, by name."""

from __future__ import annotations

from dataclasses import replace

from tests.fuzz import media, robots, saved_files, scenes, shapes, wires
from tests.fuzz.kind import Kind

_ALL = (*scenes.KINDS, *robots.KINDS, *shapes.KINDS, *media.KINDS, *wires.KINDS, *saved_files.KINDS)

_SLOW = {
    "world",
    "run",
    "mjcf",
    "exported",
    "proto",
    "body",
    "project",
    "openhrp",
    "wrl",
    "frames",
    "page",
    "wav",
    "png",
}
"""Those that take 5 ms or more."""

KINDS: dict[str, Kind] = {
    kind.name: replace(kind, share=1 if kind.name in _SLOW else 4) for kind in _ALL
}
