"""Robots go from every format into every other one and back; what is kept is a table in docs/robots.md.

`python -m tests.formats.exports.test_round_trips` writes the table anew.
"""

from __future__ import annotations

import itertools
import math
import tempfile
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

import pytest

from solidbody.model.scene import Scene
from tests.architecture.sources import ROOT
from tests.formats.exports.comparing import Kept, compared
from tests.formats.exports.models import ARM, GRIPPER, ROVER, read, scene_of

DOC = ROOT / "docs" / "robots.md"
BEGIN = "<!-- made by python -m tests.formats.exports.test_round_trips -->\n"
END = "<!-- end of what is made -->\n"

FORMATS = ("wbt", "body", "urdf", "xml")
PAIRS = tuple(itertools.permutations(FORMATS, 2))
WORDS = {"wbt": "Webots", "body": "Choreonoid", "urdf": "URDF", "xml": "MJCF"}

ROBOTS = {
    "rover": ("rover.wbt", ROVER),
    "arm": ("arm.wbt", ARM),
    "gripper": ("gripper.urdf", GRIPPER),
}

EXACT = 1e-12
"""Nothing but rounding: numbers are written with all their digits, MuJoCo keeps 15."""

NO_SPEEDS = "MJCF has none"
"""Why speed limits of motors are lost: no actuator of MuJoCo has one."""

RATED = "rated only"
"""Why ranges of joints without motors are lost: in body files they are ratings, which others cannot say."""

COLUMNS = ("place", "mass", "limits", "passive", "motors", "speeds")


def first(robot: str, kind: str, folder: Path) -> Scene:
    """Return a robot in one of the formats."""
    name, text = ROBOTS[robot]
    scene = scene_of(folder, text, name)
    path = folder / f"{robot}.{kind}"
    if name == path.name:
        return scene
    scene.save(path, robot=robot)
    return read(path)


def trips(folder: Path, robot: str, pair: tuple[str, str]) -> Iterator[Kept]:
    """Yield what is kept on the way there, and what there and back."""
    here, there = pair
    before = first(robot, here, folder)
    for kind in (there, here):
        path = folder / f"to {kind}" / f"{robot}.{kind}"
        path.parent.mkdir()
        scene = before if kind == there else read(folder / f"to {there}" / f"{robot}.{there}")
        scene.save(path, robot=robot)
        yield compared(before, read(path))


def worst(folder: Path, pair: tuple[str, str]) -> dict[str, float]:
    """Return the greatest difference of all robots on the way there and back."""
    found: dict[str, float] = dict.fromkeys(COLUMNS, 0.0)
    for robot in ROBOTS:
        own = folder / robot
        own.mkdir()
        for kept in trips(own, robot, pair):
            assert not kept.links
            found = {name: max(most, getattr(kept, name)) for name, most in found.items()}
    return found


@pytest.mark.slow
@pytest.mark.parametrize("pair", PAIRS, ids=" to ".join)
def test_kinematics_mass_limits_and_motors_are_kept(pair: tuple[str, str], tmp_path: Path) -> None:
    """At random positions of the joints, there and back, nothing is off but for rounding."""
    found = worst(tmp_path, pair)
    assert found["place"] < EXACT
    assert found["mass"] < EXACT
    assert found["limits"] < EXACT
    assert found["motors"] < EXACT
    assert found["passive"] < EXACT or "body" in pair
    assert found["speeds"] < EXACT or ("xml" in pair and math.isinf(found["speeds"]))
    assert row(pair, found) in DOC.read_text("utf-8")


def row(pair: tuple[str, str], found: dict[str, float]) -> str:
    """Return the row of the table: magnitudes, not figures that differ between machines."""
    cells = [_size(name, value) for name, value in found.items()]
    return f"| {WORDS[pair[0]]} to {WORDS[pair[1]]} and back | {' | '.join(cells)} |\n"


def _size(name: str, value: float) -> str:
    if math.isinf(value):
        return {"speeds": NO_SPEEDS, "passive": RATED}.get(name, "lost")
    return "kept" if value < EXACT else f"{value:.0e}"


def test_every_figure_has_a_column() -> None:
    assert {item.name for item in fields(Kept)} == {"links", *COLUMNS}


def main() -> None:
    """Write the table."""
    head = (
        "| | places | masses | ranges with motors | without | efforts | speeds of motors |\n"
        "|---|---|---|---|---|---|---|\n"
    )
    rows: list[str] = []
    for pair in PAIRS:
        with tempfile.TemporaryDirectory() as folder:
            rows.append(row(pair, worst(Path(folder), pair)))
    text = DOC.read_text("utf-8")
    before, rest = text.split(BEGIN)
    DOC.write_text(before + BEGIN + head + "".join(rows) + END + rest.split(END)[1], "utf-8")


if __name__ == "__main__":
    main()
