"""Steps that wait for controllers can be given up and tried again: the page stays awake meanwhile."""

from __future__ import annotations

from pathlib import Path

import pytest

import solidbody as sb
from solidbody.base.errors import SimulationWaits
from solidbody.control.body_controller import BodyController, BodyControllers
from solidbody.control.client import solidbody_protocol as codec
from solidbody.control.client import solidbody_wire as wire
from solidbody.viewer.panel_commands import PanelCommands
from solidbody.viewer.player import Player
from solidbody.viewer.protocol import CommandPause, PlayState
from tests.control.projects import Project, greeting, robot
from tests.waiting import wait_until

PORT = 2001


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """An empty project."""
    return Project(tmp_path)


def test_a_step_that_waits_too_long_is_given_up_and_changes_nothing(project: Project) -> None:
    """Once the controller is there, the same step is taken."""
    sim, hub = project.start(robot("<extern>"), port=PORT)
    hub.patience = 0.02
    try:
        for _ in range(2):
            with pytest.raises(SimulationWaits, match='waits for the controller of "robot"'):
                sim.step(3)
        assert sim.step_count == 0
        link = wire.connect(hub.address)
        link.send(greeting(hub, "robot", 1))
        with pytest.raises(SimulationWaits):
            sim.step(1)
        link.send(codec.Turn.pack([codec.Step.pack(16.0)]))
        sim.step(2)
        assert sim.step_count == 2
        link.close()
    finally:
        hub.close()


class Count(BodyController):
    """Counts how often it computes."""

    calls = 0

    def control(self) -> bool:
        self.calls += 1
        return True


def test_a_step_that_is_tried_again_is_computed_once(project: Project) -> None:
    """By the other programs, which have computed it already."""
    sim = sb.Sim(sb.load(project.world(robot("<extern>"))))
    bodies, counter = BodyControllers(sim), Count()
    bodies.add(counter)
    sim.attach(bodies)
    for _ in range(3):
        bodies.before_steps()
    sim.step(2)
    assert counter.calls == 2
    sim.reset()
    bodies.before_steps()
    assert counter.calls == 3


def test_the_page_obeys_while_the_simulation_waits_for_a_program(project: Project) -> None:
    """A pause is entered though no step was ever taken."""
    sim, hub = project.start(robot("<extern>"), port=PORT)
    player = Player(sim, attendant=PanelCommands(sim))
    player.start()
    try:
        player.send(CommandPause())
        wait_until(lambda: player.frame.state is PlayState.PAUSED, "the page to hear the command")
        assert sim.step_count == 0
    finally:
        player.close()
        hub.close()
