"""The table of our stand-ins against the real PROTOs: true of ours of now, and it sees what differs."""

from __future__ import annotations

from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from benchmarks.standin_figures import commands, drive, figures_of, load
from benchmarks.standins import (
    BEGIN,
    DOC,
    END,
    Difference,
    differences,
    group_of,
    kept_figures,
    our_figures,
    row,
)

KEPT = kept_figures()

MADE = DOC.read_text("utf-8").partition(BEGIN)[2].partition(END)[0]
"""The section that the tool has written."""

ROWS = {line.split("`")[1]: line for line in MADE.splitlines() if line.startswith("| `")}


@pytest.mark.slow
@pytest.mark.parametrize("name", KEPT)
def test_the_table_tells_the_figures_of_now(tmp_path: Path, name: str) -> None:
    """`python -m benchmarks.standins --table` writes it anew."""
    if not KEPT[name]["theirs"]:
        pytest.skip("the real one cannot be read")
    line = row(name, our_figures(name, tmp_path), KEPT[name])
    if line is None:
        assert name not in ROWS
        assert f"`{name}`" in MADE
    else:
        assert ROWS[name] == line


def robot(tmp_path: Path) -> dict[str, Any]:
    """Return the figures of a robot with sensors and wheels."""
    return our_figures("E-puck", tmp_path)


def test_a_stand_in_does_not_differ_from_itself(tmp_path: Path) -> None:
    ours = robot(tmp_path)
    assert {"left wheel motor", "right wheel motor"} <= set(ours["axes"])
    assert ours["axes"]["left wheel motor"]["wheel"] == 0.02
    assert ours["devices"]["ps0"]["kind"] == "distance_sensor"
    assert differences(ours, deepcopy(ours)) == []


def test_what_differs_is_named(tmp_path: Path) -> None:
    ours = robot(tmp_path)
    theirs = deepcopy(ours)
    theirs["mass"] *= 1.02
    theirs["axes"]["left wheel motor"]["speed"] = 10.0
    theirs["devices"]["ps0"]["fields"]["lookup"][0][1] = 1.0
    theirs["devices"]["more"] = theirs["devices"].pop("ps1")
    found = {(item.part, item.figure) for item in differences(ours, theirs)}
    assert found == {
        ("", "mass"),
        ("left wheel motor", "speed"),
        ("ps0", "lookup"),
        ("ps1", "devices"),
        ("more", "devices"),
    }


def test_an_anchor_may_lie_anywhere_on_its_axis(tmp_path: Path) -> None:
    ours = robot(tmp_path)
    theirs = deepcopy(ours)
    axis = theirs["axes"]["left wheel motor"]
    axis["anchor"] = [a + 0.1 * b for a, b in zip(axis["anchor"], axis["axis"], strict=True)]
    assert differences(ours, theirs) == []
    axis["anchor"][1] += 0.1
    assert [item.figure for item in differences(ours, theirs)] == ["anchor"]


def test_what_does_not_load_is_told() -> None:
    assert differences({}, {"mass": 1.0}) == [Difference("", "loads", False, True)]


def test_both_are_driven_with_the_commands_that_theirs_can_follow(tmp_path: Path) -> None:
    """A wheel with 20 mm radius at 6.28/3 rad/s goes 84 mm in two seconds, along -z in these axes."""
    scene = load("E-puck", group_of("E-puck"), tmp_path)
    assert scene is not None
    told = commands(figures_of(scene))
    assert set(told) == {"left wheel motor", "right wheel motor"}
    assert {mode for mode, _ in told.values()} == {"velocity"}
    end = drive(scene, told)
    assert end["moved"] == pytest.approx([0.0, 0.0, -0.084], abs=0.002)
