"""Many controllers at once: asynchronous ones, fifty of them, and some that are killed."""

from __future__ import annotations

import os
import random
import signal
import time
from pathlib import Path

import pytest

from tests.control.projects import Project, robot
from tests.waiting import wait_until

LOOP = """
    from controller import Robot
    robot = Robot()
    motor, sensor = robot.getDevice("motor"), robot.getDevice("position")
    motor.setPosition(float("inf"))
    motor.setVelocity(2.0)
    sensor.enable(8)
    while robot.step(8) != -1:
        motor.setVelocity(2.0 + 0.1 * sensor.getValue())
"""


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


def test_nobody_waits_for_an_asynchronous_controller(project: Project) -> None:
    """`step` returns how late its commands came: 0 after quick work, more than a step after slow work."""
    project.controller(
        "slow",
        """
        import os, time
        from controller import Robot
        robot = Robot()
        print(robot.getSynchronization())
        robot.step(8)
        for is_slow in (False, True):
            while is_slow and not os.path.exists("done"):
                time.sleep(0.001)
            before = robot.getTime()
            delay = robot.step(64)
            print(delay, round((robot.getTime() - before) * 1000), flush=True)
        """,
    )
    sim, hub = project.start(robot("slow", fields="synchronization FALSE"))
    wait_until(lambda: sim.step(1) or len(project.output()) == 2)
    sim.step(20)
    (project.folder / "controllers" / "slow" / "done").touch()
    wait_until(lambda: sim.step(1) or len(project.output()) == 3)
    hub.close()
    synchronous, quick, slow = project.output()
    assert synchronous == "False"
    delay, passed = map(int, quick.split())
    # on a busy machine even quick work may take some steps; the step then ends at its own time
    assert delay >= 0 and passed == max(64, delay)
    delay, passed = map(int, slow.split())
    assert delay > 64, "more than 20 steps of 8 ms"
    assert passed == delay, "a step that has overrun is answered at once"


@pytest.mark.slow
def test_fifty_robots_in_one_arena(project: Project) -> None:
    """Each with its own program, all in step."""
    project.controller("loop", LOOP)
    count = 50
    nodes = "".join(robot("loop", name=f"r{k}", x=2.0 * k) for k in range(count))
    sim, hub = project.start(nodes)
    sim.step(20)
    assert sim.step_count == 20
    assert all(slot.session is not None for slot in hub.slots)
    hub.close()
    assert not hub.failures
    axes = [bound.axis for bound in sim.devices.devices if bound.name == "motor"]
    turned = [float(sim.joint_states()[axis, 0]) for axis in axes]
    assert turned[0] > 0.2 and turned == [turned[0]] * count, "the same program on the same robot"


def kill_at_random_moments(project: Project, times: int, seed: int) -> None:
    """Kill one of two controllers again and again while the simulation runs; the other one goes on."""
    chance = random.Random(seed)
    project.controller("loop", LOOP)
    sim, hub = project.start(robot("loop", name="victim") + robot("loop", name="other", x=3))
    victim, other = hub.slots
    for _ in range(times):
        sim.step(chance.randrange(4))
        process = victim.process
        assert process is not None
        if chance.random() < 0.5:  # not always while it waits for us
            until = time.perf_counter() + chance.random() * 0.004
            while time.perf_counter() < until:
                pass
        os.kill(process.process.pid, signal.SIGKILL)
        before = sim.step_count
        sim.step(3)
        assert sim.step_count == before + 3
        hub.restart(victim)
    assert other.session is not None and not other.failure
    hub.close()
    assert sum("was killed by signal 9" in text for text in hub.failures) >= times // 2


def test_robots_of_one_name_within_each_other_have_devices_of_their_own(project: Project) -> None:
    """Neither gets the other's, though both are called "robot" and belong to one body."""
    text = (
        "from controller import Robot\nrobot = Robot()\n"
        "print([robot.getDeviceByIndex(k).getName() for k in range(robot.getNumberOfDevices())])"
    )
    project.controller("outer", text)
    project.controller("inner", text)
    inner = 'Robot { controller "inner" children [ GPS { } ] }'
    project.run(f'Robot {{ controller "outer" children [ Gyro {{ }} {inner} ] }}', 0.04)
    assert sorted(project.output()) == ["['gps']", "['gyro']"]


NESTED = """Robot { name "outer" controller "outer" physics Physics { } boundingObject Box { size 1 1 1 }
  children [
    DistanceSensor { name "ds" lookupTable [ 0 0 0, 10 10 0 ] }
    Robot { name "inner" controller "inner" children [
      DistanceSensor { name "ds" lookupTable [ 0 0 0, 20 20 0 ] }
      HingeJoint { device RotationalMotor { } endPoint Solid { physics Physics { } } } ] } ] }"""


def test_a_robot_without_physics_on_one_with_physics_has_its_own_devices(project: Project) -> None:
    """Both are one link; they keep apart when a supervisor changes the world."""
    text = """
        from controller import Robot
        robot = Robot()
        names = [robot.getDeviceByIndex(k).getName() for k in range(robot.getNumberOfDevices())]
        sensor = robot.getDevice("ds")
        sensor.enable(8)
        for _ in range(4):
            robot.step(8)
        print(names, sensor.getValue())
    """
    project.controller("outer", text)
    project.controller("inner", text)
    project.controller(
        "adds",
        """
        from controller import Supervisor
        robot = Supervisor()
        robot.step(8)
        robot.getRoot().getField("children").importMFNodeFromString(-1, "Solid { }")
        robot.step(8)
        """,
    )
    project.run(NESTED + 'Robot { supervisor TRUE controller "adds" }', 0.1)
    assert project.output("outer") == ["['ds'] 10.0"]
    assert project.output("inner") == ["['ds', 'rotational motor'] 20.0"]


@pytest.mark.slow
def test_a_killed_controller_never_hangs_the_simulation(project: Project) -> None:
    """At ten random moments; two hundred in the slow version."""
    kill_at_random_moments(project, 10, seed=1)


@pytest.mark.slow
def test_two_hundred_kills(project: Project) -> None:
    """At any moment, mid-message too."""
    kill_at_random_moments(project, 200, seed=2)


def test_half_a_message_is_not_waited_for(project: Project) -> None:
    """A controller that dies in the middle of sending is gone, not slow."""
    project.controller(
        "half",
        """
        import os, struct
        from controller import Robot
        robot = Robot()
        robot.step(8)
        link = robot._sb_link._connection._socket
        link.sendall(struct.pack("<I", 1000) + b"only a part")
        os._exit(3)
        """,
    )
    sim, hub = project.start(robot("half"))
    sim.step(10)
    hub.close()
    assert sim.step_count == 10
    assert any("exited with 3" in text for text in hub.failures)


def test_nonsense_is_answered_or_ends_the_connection(project: Project) -> None:
    """A program that speaks wrongly harms itself only."""
    project.controller(
        "wrong",
        """
        import solidbody_protocol as p
        from controller import Robot
        robot = Robot()
        robot._sb_commands += [p.MotorVelocity.pack(99, 1.0), p.LedSet.pack(1, 1), p.NodeRemove.pack(1),
            p.DisplayPolygon.pack(3, [1, 2, 3], [1], True)]
        robot.getDevice("motor")._command(p.MotorVelocity, "fast")
        print(robot.step(8), robot._sb_ask(p.NodeRoot), robot._sb_ask(p.ImageFetch, 1),
            robot._sb_ask(p.ImageSave, 77, "save.png", 1), robot._sb_ask(p.Turn, []))
        print(robot.step(8))
        """,
    )
    sim, hub = project.start(robot("wrong", devices='Display { name "display" }'))
    sim.step(10)
    hub.close()
    assert sim.step_count == 10
    assert project.output() == ["0 None None None None", "-1"]
    errors = "\n".join(project.errors())
    for text in (
        "there is no device with the tag 99",
        '"motor" does not know the command LedSet',
        '"robot" is no supervisor',
        '"display" cannot obey DisplayPolygon: zip()',
        "Error: MotorVelocity.value: 'fast' does not fit: required argument is not a float; nothing is sent",
        '"motor" does not know the request ImageFetch',
        "there is no device with the tag 77",
        "sent this program away: a message is broken: Turn.said at byte 6: no such message has the number 4",
    ):
        assert text in errors, text
