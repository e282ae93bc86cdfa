"""Public worlds, where they are at hand: all are read, none with an exception."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from solidbody.formats.loading import read_scene

CORPUS = Path(__file__).parents[3] / "shared" / "corpus"
LONGEST = 10.0
"""Seconds for one world; the slowest takes 0.05."""


def worlds() -> list[Path]:
    """Return the worlds of the corpus."""
    return sorted(CORPUS.rglob("*.wbt"))


@pytest.mark.skipif(not CORPUS.is_dir(), reason="no corpus beside the repository")
def test_every_public_world_gives_a_scene() -> None:
    for path in worlds():
        start = time.process_time()
        scene, log = read_scene(path)
        assert scene is not None, path
        assert time.process_time() - start < LONGEST, path
        for item in log:
            assert item.text and item.code, item
            assert item.span.file == str(path) or item.span.file.endswith(".proto"), item
