"""Supervisors: whatever a program sends, the simulation goes on."""

from __future__ import annotations

import inspect
import random
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

import solidbody as sb
from solidbody.control import protocol as p
from solidbody.control.hub import ControllerHub
from solidbody.control.session import Session
from solidbody.control.supervisor.operations import GENERAL, PERSONAL, answer, obey
from tests.control.messages import made
from tests.control.projects import Project
from tests.control.supervision import BALL, SUPERVISOR

ALL = {**GENERAL, **PERSONAL}
LEFT_OUT = (
    *(p.SimulationQuit, p.WorldLoad, p.WorldReload, p.WorldSave, p.ImageExport, p.MovieStart),
    *(p.NodeRemove, p.FieldRemoveItem, p.FieldRemoveNode),
)
"""What ends the run, writes files, or takes the supervisor itself away."""
TEXTS = ("", "BALL", "translation", "children", "Solid { }", "Solid {", "mass", "physics", "x.gif")
SEED = 7
CALLS = 400
"""Enough to call each operation several times; a few seconds."""


def test_every_message_of_supervisors_has_its_operation() -> None:
    """And every operation a message."""
    assert set(ALL) == {*p.members(p.Order), *p.members(p.Question)}


@pytest.mark.parametrize("kind", ALL, ids=lambda kind: kind.__name__)
def test_an_operation_takes_the_fields_of_its_message(kind: type[p.Message]) -> None:
    """By the same names."""
    first = 2 if kind in PERSONAL else 1
    taken = list(inspect.signature(ALL[kind]).parameters)[first:]
    assert taken == [item.name for item in fields(kind)]  # type: ignore[arg-type]


def likely(value: Any, chance: random.Random) -> Any:
    """Return a value of the same type that may mean something."""
    if isinstance(value, str):
        return chance.choice(TEXTS)
    if isinstance(value, int) and not isinstance(value, bool):
        return chance.choice((-2, -1, 0, 1, 2, 3, value))
    return value


def test_no_arguments_end_the_simulation(tmp_path: Path) -> None:
    """Each operation, with values of all kinds, in random order."""
    project = Project(tmp_path)
    sim = sb.Sim(sb.load(project.world(SUPERVISOR % "" + BALL)))
    hub = ControllerHub(sim)
    session = Session(hub, hub.slots[0].place)
    chance = random.Random(SEED)
    kinds = [kind for kind in ALL if kind not in LEFT_OUT]
    try:
        for call in range(CALLS):
            kind = chance.choice(kinds)
            number, *values = made(kind, chance)
            message = (number, *(likely(value, chance) for value in values))
            if issubclass(kind, p.Question):
                _, notes = answer(session, message)
                assert all(isinstance(note, str) for note in notes)
            else:
                said = obey(session, message)
                assert said is None or isinstance(said, str)
            if call % 10 == 0:
                sim.step(1)
        hub.stage.restore()
        sim.step(1)
        assert sim.link_names == ("sup", "ball")
    finally:
        hub.close()
        session.close()
