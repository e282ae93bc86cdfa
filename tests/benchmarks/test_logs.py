"""Runs of two trees are compared as far as both have come."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from benchmarks.logs import HEAD, Digest, compare, difference, starts_programs

RUN = Digest("exit 0", log="a", head="h", said="s", rows=100)


@pytest.mark.parametrize(
    ("other", "text"),
    [
        (RUN, ""),
        (replace(RUN, log="b"), "the log differs (100 and 100 rows)"),
        (replace(RUN, outcome="exit 1"), "exit 0 has become exit 1"),
        (replace(RUN, said="t"), "what is said differs"),
        (replace(RUN, outcome="slow", log="b", rows=60), ""),
        (replace(RUN, outcome="slow", log="b", head="i", rows=60), "the first rows differ"),
        (replace(RUN, outcome="lost", log="b", head="i", rows=HEAD), ""),
    ],
)
def test_a_run_that_was_cut_off_is_compared_by_its_first_rows(other: Digest, text: str) -> None:
    """How far a run comes within its budget depends on the machine."""
    assert difference(RUN, other) == text


def test_files_are_compared_run_by_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What is missing in one file is named too."""
    old, new = tmp_path / "old.json", tmp_path / "new.json"
    old.write_text(json.dumps({"a.wbt": asdict(RUN), "b.wbt": asdict(RUN)}))
    new.write_text(json.dumps({"a.wbt": asdict(replace(RUN, log="b"))}))
    assert compare(old, old) == 0
    assert compare(old, new) == 1
    assert capsys.readouterr().out.splitlines()[1:] == [
        "the log differs (100 and 100 rows): a.wbt",
        "only in old.json: b.wbt",
        "1 runs in both, 1 differ, 0 cut off by the budget",
    ]


def test_programs_of_others_are_not_waited_for(tmp_path: Path) -> None:
    """A world with an extern robot would wait for ever."""
    own, extern = (tmp_path / name for name in ("own.wbt", "extern.wbt"))
    own.write_text('Robot { controller "turn" }')
    extern.write_text('Robot { controller "<extern>" }')
    assert starts_programs(own)
    assert not starts_programs(extern)
