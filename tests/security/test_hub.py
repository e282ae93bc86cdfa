"""Programs on the wire that go away, flood, never read or say nonsense: the simulation goes on."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from solidbody.base.errors import SimulationWaits
from solidbody.control import handshakes
from solidbody.control import hub as hub_module
from solidbody.control.client import solidbody_protocol as codec
from solidbody.control.client import solidbody_wire as wire
from solidbody.control.hub import ControllerHub
from solidbody.control.session import Session
from solidbody.devices.core.errors import DeviceError
from tests.control.projects import Project, greeting, robot
from tests.waiting import wait_until

PORT = 2001
PATIENCE = 60.0
"""[s] After which a run that hangs fails."""

REQUEST = codec.Turn.pack([codec.RobotUrdf.pack("")])
COMMAND = codec.Turn.pack([])


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """An empty project."""
    return Project(tmp_path)


ATTACKER = """
import os, socket, sys, time
import solidbody_protocol as p
import solidbody_wire as wire
from solidbody_wire import HEADER
link = wire.connect(os.environ[wire.ADDRESS])
link.send(p.Hello.pack(p.MAGIC, p.VERSION, os.environ[wire.SECRET], "robot", os.getpid()))
link.receive()
def frame(*said):
    body = p.Turn.pack(said)
    return HEADER.pack(len(body)) + body
link._socket.setblocking(True)
"""


@pytest.mark.parametrize("requests", [1, 300])
def test_a_program_that_asks_and_goes_away_does_not_hang_the_run(
    project: Project, requests: int
) -> None:
    """It is gone when it is answered: the run waited for it for ever."""
    ending = f'link._socket.sendall(frame(p.RobotUrdf.pack("")) * {requests})\nos._exit(0)\n'
    project.controller("attack", ATTACKER + ending)
    sim, hub = project.start(robot("attack"))
    hub.patience = PATIENCE
    try:
        sim.run(0.2)
    finally:
        hub.close()
    assert sim.time == pytest.approx(0.2)
    assert ("info", 'the controller of "robot" has ended') in project.said


def test_who_never_reads_its_answers_is_sent_away(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After half a minute, here less; meanwhile its requests are not heard and fill nobody's memory."""
    monkeypatch.setattr(wire, "PATIENCE", 0.2)
    monkeypatch.setattr(hub_module, "PATIENCE", 0.05)
    ending = 'while True:\n    link._socket.sendall(frame(p.RobotUrdf.pack("")) * 1000)\n'
    project.controller("attack", ATTACKER + ending)
    sim, hub = project.start(robot("attack"))
    hub.patience = PATIENCE
    try:
        sim.run(0.1)
    finally:
        hub.close()
    assert sim.time == pytest.approx(0.104)
    warnings = [text for level, text in project.said if level == "warning"]
    assert warnings == [
        'the controller of "robot" is sent away: it has not read its answer for 0.2 s'
    ]


@contextlib.contextmanager
def stranger(hub: ControllerHub, behaviour: Callable[[wire.Connection], None]) -> Iterator[None]:
    """Let somebody drive the extern robot badly, in a thread, while the block runs."""
    link = wire.connect(hub.address)
    link.send(greeting(hub, "robot", 1))

    def act() -> None:
        with contextlib.suppress(wire.Closed):
            link.receive(10.0)
            while True:
                behaviour(link)

    thread = threading.Thread(target=act, daemon=True)
    thread.start()
    try:
        yield
    finally:
        with contextlib.suppress(OSError):
            link._socket.shutdown(socket.SHUT_RDWR)
        thread.join(timeout=10.0)
        link.close()


def flood(link: wire.Connection) -> None:
    """Say something, and never ask for a step."""
    for _ in range(100):
        link.send(COMMAND)


def chat(link: wire.Connection) -> None:
    """Ask for things, and never for a step."""
    link.send(REQUEST)
    link.receive(10.0)


@pytest.mark.parametrize("behaviour", [flood, chat])
def test_who_talks_and_never_steps_is_waited_for_only_as_long_as_one_wants(
    project: Project, behaviour: Callable[[wire.Connection], None]
) -> None:
    """The page stays awake."""
    sim, hub = project.start(robot("<extern>"), port=PORT)
    hub.patience = 0.3
    try:
        with (
            stranger(hub, behaviour),
            pytest.raises(SimulationWaits, match="waits for the controller"),
        ):
            sim.step(1)
    finally:
        hub.close()


@pytest.mark.parametrize("behaviour", [flood, chat])
def test_the_simulation_does_not_wait_for_asynchronous_programs_that_talk_and_talk(
    project: Project, behaviour: Callable[[wire.Connection], None]
) -> None:
    """Each gets its turn, and no more."""
    sim, hub = project.start(robot("<extern>", fields="synchronization FALSE"), port=PORT)
    try:
        with stranger(hub, behaviour):
            wait_until(lambda: sim.step(1) or hub.slots[0].connection)
            sim.step(5)
    finally:
        hub.close()


@pytest.mark.parametrize("behaviour", [flood, chat])
def test_the_end_is_not_put_off_by_who_talks_and_talks(
    project: Project, monkeypatch: pytest.MonkeyPatch, behaviour: Callable[[wire.Connection], None]
) -> None:
    """A second, here less, and it is over."""
    monkeypatch.setattr(hub_module, "PATIENCE", 0.05)
    sim, hub = project.start(robot("<extern>", fields="synchronization FALSE"), port=PORT)
    with stranger(hub, behaviour):
        wait_until(lambda: sim.step(1) or hub.slots[0].connection)
        end = threading.Thread(target=hub.close, daemon=True)
        end.start()
        end.join(timeout=PATIENCE)
        assert not end.is_alive()


def test_a_broken_message_is_told_with_its_field_and_the_run_goes_on(project: Project) -> None:
    """To the user, and to the program, which hears why and can end by itself."""
    ending = """
body = p.Turn.pack([p.MotorVelocity.pack(1, 1.0)])[:-8] + b"\\xff" * 8
link._socket.sendall(HEADER.pack(len(body)) + body)
link._socket.setblocking(False)
print(p.parse(link.receive(20.0), p.FROM_SIMULATOR)[1], flush=True)
time.sleep(60)
"""
    project.controller("attack", ATTACKER + ending)
    sim, hub = project.start(robot("attack"))
    hub.patience = PATIENCE
    start = time.process_time()
    try:
        sim.run(0.1)
    finally:
        hub.close()
    assert time.process_time() - start < 3.0
    text = "a message is broken: MotorVelocity.value at byte 12: it is not a number"
    assert ("warning", f'the controller of "robot" is sent away: {text}') in project.said


NONSENSE = (
    [codec.Step.pack(-1.0)],
    [codec.RobotUrdf.pack("x" * 1000), codec.RobotUrdf.pack("")],
    [codec.SensorEnable.pack(1, -5)] * 3000 + [codec.RobotUrdf.pack("")],
    [codec.LedSet.pack(2**32 - 1, 1), codec.RobotUrdf.pack("")],
    [codec.DisplayPolygon.pack(1, [1] * 60000, [], True), codec.RobotUrdf.pack("")],
    [codec.DisplayImageLoad.pack(1, 0, "x")],
    [codec.FieldFind.pack(-1, -1, "x")],
)


@pytest.mark.parametrize("said", NONSENSE, ids=range(len(NONSENSE)))
def test_nonsense_is_answered_with_an_error_of_bounded_length(
    project: Project, said: list[bytes]
) -> None:
    """And the same program may go on."""
    sim, hub = project.start(robot("<extern>"), port=PORT)
    hub.patience = PATIENCE
    link = wire.connect(hub.address)
    answers: list[bytes] = []

    def drive() -> None:
        link.send(greeting(hub, "robot", 1))
        answers.append(link.receive(30.0) or b"")
        link.send(codec.Turn.pack(said))
        answers.append(link.receive(30.0) or b"")
        link.send(codec.Turn.pack([codec.Step.pack(8.0)]))

    thread = threading.Thread(target=drive, daemon=True)
    thread.start()
    try:
        sim.step(1)
        thread.join(timeout=30.0)
    finally:
        link.close()
        hub.close()
    assert sim.step_count == 1
    answer = codec.parse(answers[1], codec.FROM_SIMULATOR)
    assert answer[0] in (codec.Answer.number, codec.StepAnswer.number)
    assert len(answer[-1]) <= 101
    assert len(answers[1]) < 200_000


@pytest.mark.parametrize("error", [OSError("no space left"), DeviceError("it has no values")])
def test_what_a_device_cannot_do_is_an_answer(
    project: Project, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    """And does not end the run."""
    sim, hub = project.start(robot("<none>"))
    session = Session(hub, hub.slots[0].place)

    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr(session.adapters[0], "answer", fail)
    frame = session.handle(codec.Turn.pack([codec.DisplayImageSave.pack(1, 0, "x.png")]))
    assert str(error) in codec.parse(frame, codec.FROM_SIMULATOR)[1]
    session.close()
    hub.close()
    assert sim.step_count == 0


def test_strangers_at_the_door_are_bounded(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In number and in what they may say; the oldest ones have to go."""
    monkeypatch.setattr(handshakes, "MOST_STRANGERS", 5)
    _, hub = project.start(robot("<none>"))
    try:
        links = [wire.connect(hub.address) for _ in range(9)]
        talker = wire.connect(hub.address)
        talker._socket.send(wire.HEADER.pack(handshakes.GREETING_SIZE + 1))
        hub._handshakes.let_in()
        hub._handshakes.let_in()
        gone = 0
        for link in [*links, talker]:
            try:
                assert link.receive(0.0) is None
            except wire.Closed:
                gone += 1
            link.close()
        assert gone == 6, "five that are too many, and the one who talks too much"
    finally:
        hub.close()


def test_drawing_far_away_or_very_large_takes_no_time_and_no_memory(project: Project) -> None:
    """A few numbers may not stand for hours of drawing."""
    far = 2_000_000_000
    start = time.process_time()
    project.exercise(
        f"""
        display = robot.getDevice("display")
        display.fillOval(5, 5, {far}, {far})
        display.drawLine(-{far}, 0, {far}, 7)
        display.fillPolygon([0, {far}, 0], [0, {far}, 9])
        display.drawPolygon([0, {far}, 0], [0, {far}, 9])
        display.fillRectangle(-{far}, -{far}, 2 * {far}, 2 * {far})
        display.imageCopy(0, 0, 100000, 100000)
        display.setFont("Arial", {far}, True)
        display.drawText("large", 0, 0)
        robot.step(8)
        """,
        devices='Display { name "display" width 20 height 10 }',
    )
    assert time.process_time() - start < 10.0
    errors = "\n".join(project.errors())
    assert errors.count("further than 32768 pixels") == 4
    assert "100000 x 100000 pixels are more than 33554432" in errors
    assert f"a font of {far} pixels" in errors
