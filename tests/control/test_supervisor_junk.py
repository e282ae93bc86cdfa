"""Supervisors: whatever a program sends, the simulation goes on."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import solidbody as sb
from solidbody.control.hub import ControllerHub
from solidbody.control.session import Session
from solidbody.control.supervisor.operations import (
    ASKED,
    ASKED_BY,
    ORDERED,
    ORDERED_BY,
    ask,
    command,
)
from tests.control.projects import Project
from tests.control.supervision import BALL, SUPERVISOR

JUNK: tuple[Any, ...] = (
    *(None, True, -1, 0, 1, 3, 10**9, 0.5, float("nan"), float("inf"), "", "BALL", "translation"),
    *("children", "Solid { }", "Solid {", [], [1.0, 2.0, 3.0], (1.0, 0.0, 0.0, 1.0), b"x", {}),
    *("mass", "physics", "name", "x.png", "x.gif", "x.wbt", "__init__", [float("nan")] * 6),
)
HARMLESS = {"quit", "load_world", "reload_world", "save_world", "export_image"}
"""Left out: what ends the run or writes files."""
SEED = 7
CALLS = 400
"""Enough to call each operation about ten times; a few seconds."""


def test_no_arguments_end_the_simulation(tmp_path: Path) -> None:
    """Each operation, with the right and wrong numbers of values of all kinds, in random order."""
    project = Project(tmp_path)
    sim = sb.Sim(sb.load(project.world(SUPERVISOR % "" + BALL)))
    hub = ControllerHub(sim)
    session = Session(hub, hub.seats[0].place)
    random.seed(SEED)
    asked = sorted((set(ASKED) | set(ASKED_BY)) - HARMLESS)
    ordered = sorted((set(ORDERED) | set(ORDERED_BY)) - HARMLESS)
    try:
        for call in range(CALLS):
            count = random.randrange(0, 7)
            arguments = tuple(random.choice(JUNK) for _ in range(count))
            if call % 2:
                _, notes = ask(session, (random.choice(asked), *arguments))
                assert all(isinstance(note, str) for note in notes)
            else:
                said = command(session, random.choice(ordered), arguments)
                assert said is None or isinstance(said, str)
            if call % 10 == 0:
                sim.step(1)
        hub.stage.restore()
        sim.step(1)
        assert sim.link_names == ("sup", "ball")
    finally:
        hub.close()
        session.close()
