"""The reading benchmark runs, on small input; its figures are for people, not for tests."""

from __future__ import annotations

from benchmarks.reading import made_numbers, made_world, measure


def test_made_files_are_measured() -> None:
    for text in (made_world(5_000), made_numbers(300)):
        found = measure("made.wbt", text, rounds=1)
        assert found.size == len(text) and found.parse_rate > 0 and found.read_rate > 0
        assert "MB/s" in found.row()
