"""Parses files with poses on the command line: `FILE` or `FILE@x,y,z...`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from solidbody.cli.status import UsageError

if TYPE_CHECKING:
    from solidbody.formats.scene_merging import SceneFile


def parse_parts(texts: Sequence[str], name: str) -> list[SceneFile]:
    """Return the files of an argument and where they go.

    Args:
        texts: As written.
        name: Of the argument, for the message.

    Raises:
        UsageError: What stands after an `@` is no place.
    """
    from solidbody.formats.scene_merging import parse_scene_file

    try:
        return [parse_scene_file(text) for text in texts]
    except ValueError as error:
        raise UsageError(str(error), name) from None


def shown_parts(parts: Sequence[SceneFile]) -> str:
    """Return how messages call the scene that is made of several files."""
    return " + ".join(part.path for part in parts)
