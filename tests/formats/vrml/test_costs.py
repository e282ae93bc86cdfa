"""What reading costs: room for a tree, and nothing left behind."""

from __future__ import annotations

import gc
import tracemalloc

import pytest

from benchmarks.reading import made_numbers, made_world
from solidbody.formats.loading import read_scene_text

MOST_ROOM = 30
"""Times the size of the file: the promise. Worlds of small nodes take 28, long lists of numbers 16."""


def room(text: str) -> float:
    """Return the most memory that reading holds at once, in sizes of the text."""
    read_scene_text(text)  # what is made once and kept is not counted
    tracemalloc.start()
    read_scene_text(text)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / len(text.encode())


def test_world_of_small_nodes_takes_less_than_thirty_times_its_size() -> None:
    assert room(made_world(100_000)) < MOST_ROOM


def test_long_lists_of_numbers_take_less_than_thirty_times_their_size() -> None:
    assert room(made_numbers(30_000)) < MOST_ROOM


@pytest.mark.slow
def test_reading_leaves_no_cycles_behind() -> None:
    text = made_world(5_000)
    scene, _ = read_scene_text(text)  # also makes what is made once
    was_enabled = gc.isenabled()
    gc.collect()
    gc.disable()
    try:
        scene, _ = read_scene_text(text)
        assert gc.collect() == 0
    finally:
        if was_enabled:
            gc.enable()
    assert scene is not None
