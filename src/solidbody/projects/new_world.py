"""Worlds to begin with: the texts of an empty one, an arena and a room."""

from __future__ import annotations

from pathlib import Path

TEMPLATES = Path(__file__).parent / "templates" / "worlds"

WORLDS = ("empty", "arena", "room")
"""Their names, which are those of their files."""


def template_path(kind: str) -> Path:
    """Return the file of a template, which can be opened as it is."""
    return TEMPLATES / f"{kind}.wbt"


def world_text(kind: str, title: str) -> str:
    """Return the text of a new world.

    Args:
        kind: One of `WORLDS`.
        title: What it is called.
    """
    plain = title.replace("\\", " ").replace('"', "'")
    text = template_path(kind).read_text(encoding="utf-8")
    return text.replace('title "New world"', f'title "{plain}"')
