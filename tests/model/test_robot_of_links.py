"""Which robot a link belongs to."""

from __future__ import annotations

from solidbody.model.links import Robot, robot_of_links


def test_nearest_robot_above() -> None:
    """Along parents; a robot inside a robot has its own links."""
    links = [(None, "r"), (0, "r:arm"), (1, "r:arm:inner"), (2, "r:arm:inner:hand"), (None, "x")]
    robots = [Robot("r", 0), Robot("inner", 2)]
    assert robot_of_links(links, robots) == [0, 0, 1, 1, None]


def test_what_moves_freely_inside_a_robot_belongs_to_it() -> None:
    """It has no parent; a name that only begins alike is another one."""
    links = [(None, "r"), (None, "r:hand"), (1, "r:hand:finger"), (None, "r2"), (None, "r2:part")]
    assert robot_of_links(links, [Robot("r", 0)]) == [0, 0, 0, None, None]
