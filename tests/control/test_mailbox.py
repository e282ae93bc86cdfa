"""Frames through a mailbox: in order with those of the socket, and at the border as they are there."""

from __future__ import annotations

import os
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from solidbody.control import hub as hub_module
from solidbody.control.client import solidbody_mailbox as mailboxes
from solidbody.control.client import solidbody_protocol as codec
from solidbody.control.client import solidbody_wire as wire
from tests.control.c.programs import need_c, write_c
from tests.control.projects import Project, robot

Ends = tuple[wire.Connection, wire.Connection]


@pytest.fixture
def ends() -> Iterator[Ends]:
    """A controller's and the simulator's end of a connection with a mailbox."""
    a, b = socket.socketpair()
    controller, simulator = wire.Connection(a), wire.Connection(b)
    mine = mailboxes.make_mailbox()
    if mine is None:
        pytest.skip("there are no mailboxes on this system")
    theirs = mailboxes.open_mailbox(mine.path)
    assert theirs is not None
    controller.use_mailbox(theirs, asks=True)
    simulator.use_mailbox(mine, asks=False)
    yield controller, simulator
    controller.close()
    simulator.close()


def in_socket(connection: wire.Connection) -> bytes:
    """Return what waits in a socket, and take it."""
    try:
        return connection._socket.recv(1 << 20)
    except BlockingIOError:
        return b""


def test_questions_and_answers_that_fit_do_not_touch_the_socket(ends: Ends) -> None:
    """Up to the last byte of the mailbox; of every value."""
    controller, simulator = ends
    for frame in (b"step", bytes(range(256)) * 100, b"\0" * mailboxes.ROOM):
        controller.send(frame)
        assert simulator.receive(0.0) == frame
        simulator.post(frame[::-1])
        assert controller.receive(0.0) == frame[::-1]
        assert in_socket(controller) == in_socket(simulator) == b""


def test_what_does_not_fit_goes_through_the_socket_and_stays_in_order(ends: Ends) -> None:
    """Long frames, several before an answer, and those that follow them."""
    controller, simulator = ends
    long = bytes(range(256)) * 400
    for said in ([long], [b"one", b"two", b"three"], [long, b"short"], [b"short", long, b"again"]):
        for frame in said:
            controller.send(frame)
        assert [simulator.receive(1.0) for _ in said] == said
        for answer in (long, b"answer"):
            simulator.post(answer)
            assert controller.receive(1.0) == answer
            controller.send(b"next")
            assert simulator.receive(1.0) == b"next"
        simulator.post(b"done")
        assert controller.receive(1.0) == b"done"
    assert simulator.receive(0.0) is None


def test_who_sleeps_is_woken_up(ends: Ends, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody looks even for a moment here: each frame must ring. A lost one would hang."""
    monkeypatch.setattr(wire, "SPIN", 0.0)
    controller, simulator = ends
    count = 2000

    def answer() -> None:
        for _ in range(count):
            frame = None
            while frame is None:
                frame = simulator.receive(5.0)
            simulator.post(frame * 2)

    server = threading.Thread(target=answer)
    server.start()
    for number in range(count):
        asked = b"%d" % number
        controller.send(asked)
        assert controller.receive(20.0) == asked * 2
    server.join()


def test_what_was_left_is_heard_before_what_was_sent_after_it(ends: Ends) -> None:
    """Also by who has looked into the mailbox before the first, and into the socket after the second."""
    controller, simulator = ends
    look = simulator._from_socket

    def slow(timeout: float | None) -> bytes | None:
        simulator._from_socket = look
        for frame in (b"left", b"sent", b"sent again"):
            controller.send(frame)
        return look(timeout)

    simulator._from_socket = slow
    assert [simulator.receive(0.0) for _ in range(4)] == [b"left", b"sent", b"sent again", None]


def test_the_end_of_the_other_end_is_noticed(ends: Ends) -> None:
    """What it has left is heard before; it may be in the middle of a frame."""
    controller, simulator = ends
    controller.send(b"last words")
    controller._socket.close()
    assert simulator.receive(1.0) == b"last words"
    with pytest.raises(wire.Closed):
        simulator.receive(1.0)


def test_last_words_are_heard_by_who_has_just_looked(ends: Ends) -> None:
    """A program leaves them and ends while the simulator turns from the mailbox to the socket."""
    controller, simulator = ends
    look = simulator._from_socket

    def slow(timeout: float | None) -> bytes | None:
        simulator._from_socket = look
        controller.send(b"last words")
        controller._socket.close()
        return look(timeout)

    simulator._from_socket = slow
    assert simulator.receive(1.0) == b"last words"
    with pytest.raises(wire.Closed):
        simulator.receive(1.0)


def test_rings_without_end_hold_nobody_up(ends: Ends) -> None:
    """Who is rung looks into the mailbox, and that has nothing."""
    controller, simulator = ends
    stop = threading.Event()

    def ring() -> None:
        while not stop.is_set():
            try:
                controller._socket.send(wire.RING * 1000)
            except BlockingIOError:
                os.sched_yield()

    ringer = threading.Thread(target=ring)
    ringer.start()
    start = time.monotonic()
    try:
        assert simulator.receive(0.0) is None
        assert simulator.receive(0.05) is None
    finally:
        stop.set()
        ringer.join()
    assert time.monotonic() - start < 20.0


def test_a_claim_of_more_than_there_is_room_is_refused(ends: Ends) -> None:
    """The sizes are the other program's word."""
    controller, simulator = ends
    mailbox = controller._mailbox
    mailbox.leave(b"frame")
    mailbox._numbers[mailbox._writes + 1] = mailboxes.ROOM + 1
    with pytest.raises(wire.Refused, match="65473 bytes is too long for a mailbox"):
        simulator.receive(1.0)


def test_its_memory_cannot_be_cut_off(ends: Ends) -> None:
    """Who reads memory that has gone is killed by the system: no program may do that to the simulator."""
    with open(ends[1]._mailbox.path, "r+b", buffering=0) as file:
        for size in (0, 1, 4 * codec.MAILBOX):
            with pytest.raises(PermissionError):
                os.ftruncate(file.fileno(), size)


def test_no_mailbox_is_no_matter(monkeypatch: pytest.MonkeyPatch, ends: Ends) -> None:
    """Paths that lead nowhere, or to files of others; a simulator without any."""
    other = os.memfd_create("other")
    os.ftruncate(other, 2 * codec.MAILBOX)
    place = f"/proc/{os.getpid()}/fd/{other}"
    for path in ("", "/nowhere", os.devnull, __file__, __file__ + "\0", os.getcwd(), place):
        assert mailboxes.open_mailbox(path) is None
    os.close(other)
    monkeypatch.setattr(os, "memfd_create", lambda *_: os.open("/nowhere", os.O_RDWR))
    assert mailboxes.make_mailbox() is None


DRIVE = """
from controller import Robot
robot = Robot()
motor, position = robot.getDevice("motor"), robot.getDevice("position")
position.enable(8)
motor.setPosition(float("inf"))
while robot.step(8) != -1:
    motor.setVelocity(1.0 + 0.1 * position.getValue())
    print(position.getValue())
"""

DRIVE_IN_C = """
int main(void) {
  wb_robot_init();
  WbDeviceTag motor = wb_robot_get_device("motor"), position = wb_robot_get_device("position");
  wb_position_sensor_enable(position, 8);
  wb_motor_set_position(motor, INFINITY);
  static char text[70000];
  while (wb_robot_step(8) != -1) {
    double found = wb_position_sensor_get_value(position);
    wb_motor_set_velocity(motor, 1.0 + 0.1 * found);
    if ((int)(1000.0 * wb_robot_get_time()) % 24 == 0) { /* a turn that is too long for a mailbox */
      memset(text, 'x', sizeof text - 1);
      wb_robot_set_custom_data(text);
    }
    printf("%.17g %d\\n", found, (int)strlen(wb_robot_get_custom_data()));
  }
  wb_robot_cleanup();
  return 0;
}
"""

LINE = """
    print(len(robot.getCustomData()), robot.getTime())
    robot.setCustomData("x" * 70000)
"""


@pytest.mark.slow
@pytest.mark.parametrize("program", [DRIVE, DRIVE + LINE, DRIVE_IN_C])
def test_a_program_gets_the_same_with_and_without(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, program: str
) -> None:
    """Value by value; with turns that are too long for it as well, and programs in C."""
    is_c = program is DRIVE_IN_C
    if is_c:
        need_c()
    said: list[list[str]] = []
    used: list[int] = []
    leave = mailboxes.Mailbox.leave

    def count(box: mailboxes.Mailbox, frame: bytes) -> bool:
        used.append(len(frame))
        return leave(box, frame)

    monkeypatch.setattr(mailboxes.Mailbox, "leave", count)
    for name, make in (("with", mailboxes.make_mailbox), ("without", lambda: None)):
        monkeypatch.setattr(hub_module, "make_mailbox", make)
        project = Project(tmp_path / name)
        if is_c:
            write_c(project, program, name="drive")
        else:
            project.controller("drive", program)
        project.run(robot("drive"), 0.4)
        said.append(project.output())
    assert said[0] == said[1]
    assert len(said[0]) >= 49
    if mailboxes.make_mailbox() is not None:
        assert len(used) >= 49


@pytest.mark.slow
def test_a_program_that_writes_nonsense_is_sent_away(tmp_path: Path) -> None:
    """Into the whole mailbox, again and again: the simulation goes on without it."""
    project = Project(tmp_path)
    project.controller(
        "vandal",
        """
        import os
        from controller import Robot
        robot = Robot()
        mailbox = robot._sb_link._connection._mailbox
        while mailbox is None:
            robot.step(8)
        number = 0
        while True:
            mailbox._bytes[:] = os.urandom(len(mailbox._bytes))
            mailbox._numbers[mailbox._writes + 1] = number % 5000
            number += 1
        """,
    )
    sim, hub = project.start(robot("vandal"))
    hub.patience = 60.0
    try:
        if mailboxes.make_mailbox() is not None:
            sim.run(0.2)
            assert sim.time == pytest.approx(0.2)
    finally:
        hub.close()
    if mailboxes.make_mailbox() is not None:
        assert any("is sent away" in text for _, text in project.said), project.said
