"""The one writer of motor commands: coupling, multipliers, limits, what it remembers, whom it wakes."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import pytest

from solidbody.base.transforms import Pose
from solidbody.contact.layout import MotorMode
from solidbody.model.devices import DevicePropeller
from solidbody.model.geometry import GeometryBox, GeometrySphere
from solidbody.model.joints import JointAxis, JointSlider, LoopAttachment, LoopGeneral
from solidbody.model.links import Body, Robot
from solidbody.model.motors import ControlMode, Motor
from solidbody.model.scene import Scene, Sleeping
from solidbody.sim import Sim
from solidbody.sim.motors import Clipped, Limit
from solidbody.sim.waking import hold_links
from tests.physics import building as b

BALL = GeometrySphere(0.1)
LEFT = Motor("grip::left", max_velocity=2.0, max_effort=5.0, range=(-1.0, 1.0))
RIGHT = Motor("grip::right", max_velocity=3.0, max_effort=50.0, range=(-9.0, 9.0), multiplier=-2.0)
ALONE = Motor("alone", max_velocity=4.0, max_effort=5.0)


def robot(*motors: Motor) -> Sim:
    """Fingers on sliders at a fixed base, none of which touches anything; joints are named by number."""
    links = [b.static_body("base", GeometryBox((0.1, 0.1, 0.1))).links[0]]
    for k, motor in enumerate(motors):
        joint = JointSlider(str(k), JointAxis((1, 0, 0), motor=motor))
        links.append(b.jointed_link(f"finger {k}", BALL, joint, parent=0, at=(0, 0, 1.0 + k)))
    return Sim(sleepy(b.scene(Body("r", tuple(links), robots=(Robot("r", 0),)), gravity=(0, 0, 0))))


def sleepy(scene: Scene) -> Scene:
    """The same scene, in which what rests may sleep."""
    return replace(scene, physics=replace(scene.physics, sleeping=Sleeping(1e9, 0.1, 0.1)))


def told(sim: Sim, row: int) -> tuple[MotorMode, float, float, float]:
    """Mode, and targets of position, velocity and effort."""
    axis = sim.motor_axes[row]
    names = ("target_position", "target_velocity", "target_effort")
    position, velocity, effort = (float(axis[name]) for name in names)
    return MotorMode(int(axis["mode"])), position, velocity, effort


def test_each_coupled_motor_takes_a_command_within_its_own_limits() -> None:
    """What limits have held back is returned motor by motor, times the multiplier."""
    sim = robot(LEFT, RIGHT)
    assert sim.motors.coupled(0) == 2
    assert sim.motors.turn(0, 1.0) == ()
    assert [told(sim, row)[2] for row in (0, 1)] == [1.0, -2.0]
    assert sim.motors.turn(1, 2.5) == (
        Clipped(LEFT, Limit.VELOCITY, 2.5, 2.0),
        Clipped(RIGHT, Limit.VELOCITY, -5.0, -3.0),
    )
    assert sim.motors.go_to(0, -4.0) == (Clipped(LEFT, Limit.LOW, -4.0, -1.0),)
    assert sim.motors.go_to(0, 5.0)[1] == Clipped(RIGHT, Limit.LOW, -10.0, -9.0)
    assert [told(sim, row)[1] for row in (0, 1)] == [1.0, -9.0]
    assert sim.motors.push(1, 10.0) == (Clipped(LEFT, Limit.EFFORT, 10.0, 5.0),)
    assert [told(sim, row)[3] for row in (0, 1)] == [5.0, -20.0]
    assert told(sim, 0)[0] is told(sim, 1)[0] is MotorMode.EFFORT


def test_available_effort_is_for_one_motor_and_at_most_what_it_is_built_for() -> None:
    """Nothing of it goes to coupled motors."""
    sim = robot(LEFT, RIGHT)
    assert sim.motors.set_available_effort(0, 7.0) == (Clipped(LEFT, Limit.AVAILABLE, 7.0, 5.0),)
    assert sim.motors.set_available_effort(1, 7.0) == ()
    assert sim.motor_axes["available_effort"][:2].tolist() == [5.0, 7.0]


@pytest.mark.parametrize("mode", [ControlMode.POSITION, ControlMode.VELOCITY, ControlMode.FREE])
def test_a_program_comes_back_to_the_velocity_that_it_has_set(mode: ControlMode) -> None:
    """The greatest until then, whatever the motor does at the start; efforts and positions keep it."""
    sim = robot(replace(ALONE, mode=mode))
    sim.motors.go_to(0, 1.0, as_asked=True)
    assert told(sim, 0)[:3] == (MotorMode.POSITION, 1.0, 4.0)
    sim.motors.turn_as_asked(0)
    assert told(sim, 0)[2] == 4.0
    sim.motors.set_velocity(0, -1.5)
    sim.motors.push(0, 1.0)
    sim.motors.set_velocity(0, -2.5)
    assert told(sim, 0)[0] is MotorMode.EFFORT, "a velocity alone does not end force control"
    sim.motors.go_to(0, 1.0, as_asked=True)
    assert abs(told(sim, 0)[2]) == 2.5
    sim.motors.turn_as_asked(0)
    assert told(sim, 0)[::2] == (MotorMode.VELOCITY, -2.5)
    sim.motors.hold(0, 0.25)
    sim.motors.turn_as_asked(0)
    assert told(sim, 0)[2] == 4.0


def test_what_a_program_has_set_goes_with_snapshots_and_resets() -> None:
    """It is part of the state, as the commands are."""
    sim = robot(ALONE)
    sim.motors.set_velocity(0, 1.5)
    saved = sim.snapshot()
    sim.reset()
    sim.motors.turn_as_asked(0)
    assert told(sim, 0)[2] == 4.0
    sim.restore(saved)
    sim.motors.turn_as_asked(0)
    assert told(sim, 0)[2] == 1.5


def test_a_handle_goes_to_a_position_at_the_greatest_speed_unless_it_is_on_the_way() -> None:
    """`speed_limit` then holds."""
    joint = robot(ALONE).joint("0")
    joint.target_velocity = 0.0
    joint.target_position = 0.5
    assert joint.speed_limit == 4.0
    joint.speed_limit = 0.3
    joint.target_position = 0.6
    assert joint.speed_limit == 0.3


Command = Callable[[Sim], object]

COMMANDS: dict[str, Command] = {
    "turn": lambda sim: sim.motors.turn(0, 1.0),
    "turn as asked": lambda sim: sim.motors.turn_as_asked(0),
    "velocity": lambda sim: sim.motors.set_velocity(0, 1.0),
    "speed limit": lambda sim: sim.motors.limit_speed(0, 1.0),
    "position": lambda sim: sim.motors.go_to(0, 0.5),
    "effort": lambda sim: sim.motors.push(0, 0.5),
    "available effort": lambda sim: sim.motors.set_available_effort(0, 0.5),
    "gains": lambda sim: sim.motors.set_gains(0, 1.0, 0.0, 0.0),
    "brake": lambda sim: sim.motors.set_brake(0, 1.0),
    "hold": lambda sim: sim.motors.hold(0, 0.5),
    "empty battery": lambda sim: sim.motors.switch_off([0]),
    "handle": lambda sim: setattr(sim.joint("0"), "target_velocity", 1.0),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_wakes_what_it_moves(name: str) -> None:
    """Another command than before does; the other finger sleeps on."""
    sim = robot(ALONE, replace(ALONE, name="other"))
    hold_links(sim, [1, 2])
    sim.step()
    assert [sim.is_asleep(link) for link in (1, 2)] == [True, True]
    COMMANDS[name](sim)
    assert [sim.is_asleep(link) for link in (1, 2)] == [False, True]


def test_a_velocity_or_position_that_is_told_again_lets_sleep() -> None:
    """Programs repeat themselves at every step."""
    sim = robot(ALONE)
    sim.motors.set_velocity(0, 1.0)
    sim.motors.go_to(0, 0.0, as_asked=True)
    hold_links(sim, [1])
    sim.step()
    sim.motors.set_velocity(0, 1.0)
    sim.motors.go_to(0, 0.0, as_asked=True)
    assert sim.is_asleep(1)


def test_propellers_and_both_ends_of_a_loop_are_woken() -> None:
    """Their axes belong to no joint of a link."""
    shaft = DevicePropeller(name="p", motor=replace(ALONE, name="shaft"))
    drone = b.free_body("drone", BALL, at=(9, 0, 0))
    drone = replace(drone, links=(replace(drone.links[0], devices=(shaft,)),))
    one, two = (b.free_link(name, BALL, at=(0, 0, z)) for name, z in (("one", 0), ("two", 3)))
    joint = JointSlider("rod", JointAxis((0, 0, 1), motor=ALONE))
    ends = (LoopAttachment("one", Pose((0, 0, 1.5))), LoopAttachment("two", Pose((0, 0, -1.5))))
    pair = Body("pair", (one, two), loops=(LoopGeneral(ends, joint, "rod"),))
    sim = Sim(sleepy(b.scene(drone, pair, gravity=(0, 0, 0))))
    names = list(sim.link_names)
    hold_links(sim, range(len(names)))
    sim.step()
    assert all(sim.is_asleep(names.index(name)) for name in ("drone", "one", "two"))
    sim.joint("shaft").target_velocity = 1.0
    assert not sim.is_asleep(names.index("drone"))
    assert sim.is_asleep(names.index("one"))
    sim.joint("rod").target_velocity = 1.0
    assert not any(sim.is_asleep(names.index(name)) for name in ("one", "two"))


@pytest.mark.parametrize(
    "command",
    [
        lambda sim: sim.motors.turn(0, math.nan),
        lambda sim: sim.motors.set_velocity(0, math.nan),
        lambda sim: sim.motors.go_to(0, math.nan),
        lambda sim: sim.motors.push(0, math.nan),
        lambda sim: sim.motors.set_available_effort(0, math.nan),
        lambda sim: sim.motors.set_available_effort(0, -1.0),
        lambda sim: sim.motors.set_acceleration(0, math.nan),
        lambda sim: sim.motors.set_gains(0, 1.0, math.nan, 0.0),
        lambda sim: sim.motors.set_brake(0, -1.0),
    ],
)
def test_what_is_no_number_changes_nothing(command: Command) -> None:
    """Whoever sends it: a NaN in the state would be the end of the simulation."""
    sim = robot(ALONE)
    before = sim.motor_axes.tobytes()
    with pytest.raises(ValueError, match="must be"):
        command(sim)
    assert sim.motor_axes.tobytes() == before
