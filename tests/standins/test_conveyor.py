"""The conveyor belt runs: its controller comes with it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.control.projects import Project

BELT = """Floor {{ }}
ConveyorBelt {{ size 3 0.5 0.6 speed 0.3 timer {timer} }}
WoodenBox {{ translation -1 0 0.7 size 0.2 0.2 0.2 mass 1 }}
"""
SECONDS = 4.0


@pytest.mark.parametrize(("timer", "way"), [(0, 0.3 * SECONDS), (2, 0.3 * 2.0)])
def test_belt_carries_a_box_at_its_speed(tmp_path: Path, timer: int, way: float) -> None:
    project = Project(tmp_path)
    sim = project.run(BELT.format(timer=timer), SECONDS, step_ms=32)
    assert project.said == []
    moved = sim.poses()[sim.link_names.index("wooden box"), 0] + 1.0
    # the box starts from rest and the program two steps late: less than 0.1 s of the way
    assert moved == pytest.approx(way, abs=0.03)


def test_border_at_its_end_holds_what_comes(tmp_path: Path) -> None:
    """The border of 1 cm goes all around: a box stops there, its front at the end of the belt."""
    box = "WoodenBox { translation 1 0 0.7 size 0.2 0.2 0.2 mass 1 }"
    sim = Project(tmp_path).run(f"Floor {{ }} ConveyorBelt {{ size 3 0.5 0.6 }} {box}", 3)
    place = sim.poses()[sim.link_names.index("wooden box"), :3]
    # contacts give way by less than 1 mm
    assert place == pytest.approx((1.5 - 0.1, 0, 0.7), abs=1e-3)
