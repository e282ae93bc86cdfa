"""Robots of our own PROTOs do what their controllers ask for, within stated bounds."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import solidbody as sb
from tests.standins.driving import FLOOR, MECANUM, Drive, heading

ARENA = """
RectangleArena { floorSize 1 1 }
Solid { translation 0.25 0.15 0.05 name "block" boundingObject DEF BLOCK Box { size 0.1 0.1 0.1 }
  children [ Shape { appearance PBRAppearance { baseColor 1 1 1 roughness 1 } geometry USE BLOCK } ] }
"""


@pytest.mark.slow
def test_epuck_avoids_obstacles(tmp_path: Path) -> None:
    """It drives about an arena and its body touches neither the walls nor the block."""
    drive = Drive(tmp_path, ARENA + 'E-puck { controller "driver" translation -0.2 -0.2 0 }')
    touched: set[str] = set()
    places: list[np.ndarray] = []

    def watch(sim: sb.Sim) -> None:
        found = sim.contacts()
        names = sim.link_names
        sides = np.abs(found.normal[:, 2]) < 0.5
        touched.update(names[k] for k in found.link[sides].ravel())
        places.append(sim["e-puck"].position)

    drive.run(
        """
        ps = sensors(*[f"ps{i}" for i in range(8)])
        left, right = wheels("left wheel motor", "right wheel motor")
        turning = 0
        while robot.step(step) != -1:
            near = [sensor.getValue() for sensor in ps]
            blocked = max(near[0], near[1], near[2] - 100, near[6], near[7], near[5] - 100) > 90
            if blocked and not turning:
                turning = 1 if near[5] + near[6] + near[7] > near[0] + near[1] + near[2] else -1
            elif not blocked:
                turning = 0
            left.setVelocity(3 * turning if turning else 5)
            right.setVelocity(-3 * turning if turning else 5)
        """,
        30,
        watch,
    )
    assert touched == set()
    path = np.array(places)[:, :2]
    assert np.linalg.norm(np.diff(path, axis=0), axis=1).sum() > 0.5
    assert (path.max(axis=0) - path.min(axis=0)).max() > 0.4


def test_turtlebot_drives_one_metre(tmp_path: Path) -> None:
    """Straight ahead by the angle that rolls 1 m: it arrives within 2 %, and no more than 2 % aside."""
    drive = Drive(tmp_path, FLOOR + 'TurtleBot3Burger { controller "driver" }')
    sim = drive.run(
        """
        left, right = wheels("left wheel motor", "right wheel motor")
        angles = sensors("left wheel sensor", "right wheel sensor")
        robot.step(step)
        for motor in (left, right):
            motor.setVelocity(5)
        while robot.step(step) != -1 and angles[0].getValue() < 1 / 0.033:
            pass
        for motor in (left, right):
            motor.setVelocity(0)
        while robot.step(step) != -1:
            pass
        """,
        8,
    )
    x, y, _ = sim["TurtleBot3Burger"].position
    assert x == pytest.approx(1, rel=0.02)
    assert abs(y) < 0.02


@pytest.mark.slow
@pytest.mark.parametrize(
    ("proto", "name", "motors"),
    [
        ("Pioneer3dx", "Pioneer 3-DX", ("left wheel", "right wheel")),
        (
            "Pioneer3at",
            "Pioneer 3-AT",
            ("front left wheel", "front right wheel", "back left wheel", "back right wheel"),
        ),
    ],
)
def test_pioneer_follows_a_wall(
    tmp_path: Path, proto: str, name: str, motors: tuple[str, ...]
) -> None:
    """By its left sonars it comes to 0.6 m from a wall and stays within 0.1 m of that for 3 m."""
    wall = """
    Solid { translation 3 1.05 0.5 name "wall" boundingObject DEF WALL Box { size 12 0.1 1 }
      children [ Shape { geometry USE WALL } ] }
    """
    drive = Drive(tmp_path, f'{FLOOR} {wall} {proto} {{ controller "driver" }}')
    places: list[np.ndarray] = []
    drive.run(
        f"""
        motors = wheels(*{motors})
        front, back = sensors("so0", "so15")
        robot.step(step)
        robot.step(step)
        while robot.step(step) != -1:
            near, far = (5 * (1 - x.getValue() / 1024) for x in (front, back))
            aside = (near + far) / 2 - 0.46  # the sonars are 0.14 m left of the middle
            turned = atan2(far - near, 0.25)  # positive: towards the wall
            turn = max(-1, min(1, 1.5 * max(-0.3, min(0.3, aside)) - 1.5 * turned))
            for i, motor in enumerate(motors):
                motor.setVelocity(4 + (turn if i % 2 else -turn))
        """,
        18,
        lambda sim: places.append(sim[name].position),
    )
    path = np.array(places)
    kept = path[path[:, 0] > 2]
    assert np.ptp(kept[:, 0]) > 3
    assert np.abs(1 - kept[:, 1] - 0.6).max() < 0.1


@pytest.mark.parametrize(
    ("signs", "way"),
    [((1, -1, -1, 1), (0, 1)), ((-1, 1, 1, -1), (0, -1)), ((1, 1, 1, 1), (1, 0))],
    ids=["left", "right", "ahead"],
)
def test_youbot_moves_any_way(tmp_path: Path, signs: tuple[int, ...], way: tuple[int, int]) -> None:
    """Four seconds at 4 rad/s: beyond 0.3 m that way, by less than a tenth of it the other, no turn."""
    drive = Drive(tmp_path, FLOOR + 'Youbot { controller "driver" }', info=MECANUM)
    sim = drive.run(
        f"""
        motors = wheels("wheel1", "wheel2", "wheel3", "wheel4")
        for motor, sign in zip(motors, {signs}):
            motor.setVelocity(4 * sign)
        while robot.step(step) != -1:
            pass
        """,
        4,
    )
    moved = sim["youBot"].position[:2]
    along, aside = float(np.dot(moved, way)), float(np.dot(moved, (-way[1], way[0])))
    assert along > 0.3
    assert abs(aside) < 0.1 * along
    assert abs(heading(sim["youBot"].orientation)) < 0.1


MOTORS = ("left wheel motor", "right wheel motor")

# PROTO -> name, motors, wheel radius [m], distance of the wheels' tracks [m]; some turn about the outer edges
# of wide wheels, as public drivers know of e-pucks and TurtleBots: 57 mm and 178 mm
TWO_WHEELS = {
    "E-puck": ("e-puck", MOTORS, 0.02, 0.057),
    "Thymio2": ("Thymio II", ("motor.left", "motor.right"), 0.021, 0.115),
    "Create": ("Create", MOTORS, 0.031, 0.298),  # 272 mm apart, 26 mm wide
    "Khepera1": ("Khepera", MOTORS, 0.0075, 0.055),  # 52 mm apart, 3 mm wide
    "Khepera3": ("Khepera III", MOTORS, 0.0212, 0.0946),  # 92 mm apart, 3 mm wide
    "Khepera4": ("Khepera IV", MOTORS, 0.021, 0.1054),
    "BoeBot": ("BoeBot", MOTORS, 0.033, 0.1),  # 92 mm apart, 8 mm wide
    "Elisa3": ("Elisa-3", MOTORS, 0.0045, 0.0408),
    "FireBird6": ("Fire Bird 6", MOTORS, 0.046, 0.31),  # 300 mm apart, 10 mm wide
    "TurtleBot3Burger": ("TurtleBot3Burger", MOTORS, 0.033, 0.178),
    # 6 mm wide, turned about the outer edges
    "MindstormsRover": ("MindstormsRover", MOTORS, 0.01, 0.0512),
    "JetBot": ("JetBot", ("left_wheel_hinge", "right_wheel_hinge"), 0.0299, 0.1195),
    "Pioneer3dx": ("Pioneer 3-DX", ("left wheel", "right wheel"), 0.0975, 0.34),
    "TiagoBase": ("TIAGo Base", ("wheel_left_joint", "wheel_right_joint"), 0.0985, 0.444),
    "TiagoLite": ("TIAGo LITE", ("wheel_left_joint", "wheel_right_joint"), 0.0985, 0.444),
    "Mir100": ("Mir100", ("middle_left_wheel_joint", "middle_right_wheel_joint"), 0.0625, 0.445),
}


SLIDING = """contactProperties [
  ContactProperties { material1 "thymio body" coulombFriction [ 0 ] }
  ContactProperties { material1 "jetbot rear wheel" coulombFriction [ 0 ] }
  ContactProperties { material1 "khepera4 caster wheel" coulombFriction [ 0 ] }
]"""
"""Worlds with a Thymio, a JetBot or a Khepera IV let their knobs slide, which have own materials for that."""


@pytest.mark.slow
@pytest.mark.parametrize("proto", TWO_WHEELS)
def test_two_wheels_roll_and_turn(tmp_path: Path, proto: str) -> None:
    """Two seconds ahead, then two seconds about itself, at 3 rad/s: r·ω·t and 2·r·ω·t/d within 3 %.

    Wheels turn about the outer edges of their treads, up to 2.2 % farther apart than their middles.
    """
    name, motors, radius, distance = TWO_WHEELS[proto]
    heights = {"BoeBot": 0.038, "FireBird6": 0.126}  # where worlds put their frames
    place = f"translation 0 0 {heights[proto]}" if proto in heights else ""
    drive = Drive(tmp_path, FLOOR + f'{proto} {{ {place} controller "driver" }}', info=SLIDING)
    turned = [0.0]
    marks: list[tuple[float, float]] = []

    def watch(sim: sb.Sim) -> None:
        now = heading(sim[name].orientation)
        turned.append(turned[-1] + math.remainder(now - turned[-1], math.tau))
        marks.append((sim.time, float(sim[name].position[0])))

    drive.run(
        f"""
        left, right = wheels(*{motors})
        while robot.step(step) != -1:
            t = robot.getTime()
            ahead, about = 0.5 < t <= 2.5, 3 < t <= 5
            left.setVelocity(3 if ahead else -3 if about else 0)
            right.setVelocity(3 if ahead or about else 0)
        """,
        5.5,
        watch,
    )
    rolled = radius * 3 * 2
    between = [x for t, x in marks if 2.7 < t < 2.9]
    assert between[-1] == pytest.approx(rolled, rel=0.03)
    assert turned[-1] == pytest.approx(2 * rolled / distance, rel=0.03)


FOUR_WHEELS = [f"{x}_wheel_joint" for x in ("fl", "fr", "rl", "rr")]
TEN_WHEELS = [f"wheel_motor0{i}" for i in range(10)]
"""Of the Surveyor, which drives backwards for positive speeds: it stands with its back to x."""
EIGHT_WHEELS = [f"{side} motor {i}" for side in ("left", "right") for i in (1, 2, 3, 4)]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("node", "name", "motors", "radius"),
    [
        ("Rosbot {", "rosbot", FOUR_WHEELS, 0.043),
        ("RosbotXl {", "rosbot_xl", FOUR_WHEELS, 0.05),
        ("Moose {", "moose", EIGHT_WHEELS, 0.31),
        ("SurveyorSrv1 { rotation 0 0 1 3.141593", "SurveyorSrv1", TEN_WHEELS, 0.014),
    ],
)
def test_wheels_side_by_side_roll_ahead(
    tmp_path: Path, node: str, name: str, motors: list[str], radius: float
) -> None:
    """Three seconds at 3 rad/s, with half a second to start: r·ω·t within 5 %, less than 2 % aside."""
    drive = Drive(tmp_path, FLOOR + f'{node} controller "driver" }}')
    start: list[float] = []

    def watch(sim: sb.Sim) -> None:
        if sim.time >= 0.5 and not start:
            start.append(float(sim[name].position[0]))

    sim = drive.run(
        f"""
        for motor in wheels(*{motors}):
            motor.setVelocity(3)
        while robot.step(step) != -1:
            pass
        """,
        3.5,
        watch,
    )
    x, y, _ = sim[name].position
    assert x - start[0] == pytest.approx(radius * 3 * 3, rel=0.05)
    assert abs(y) < 0.02 * x


def test_summit_moves_aside(tmp_path: Path) -> None:
    """Its mecanum wheels take it to the left by r·ω·t within 5 %, by less than a tenth of it ahead."""
    drive = Drive(
        tmp_path, FLOOR + 'SummitXlSteel { controller "driver" }', info=MECANUM, step_ms=8
    )
    sim = drive.run(
        """
        names = [f"{x}_wheel_joint" for x in ("front_right", "front_left", "back_right", "back_left")]
        for motor, sign in zip(wheels(*names), (1, -1, -1, 1)):
            motor.setVelocity(3 * sign)
        while robot.step(step) != -1:
            pass
        """,
        4,
    )
    x, y, _ = sim["Summit-XL Steel"].position
    assert y == pytest.approx(0.123 * 3 * 4, rel=0.05)
    assert abs(x) < 0.1 * y


@pytest.mark.slow
@pytest.mark.parametrize(
    ("speeds", "way", "turn"),
    [
        # of the wheels behind, ahead on the right and ahead on the left [rad/s]
        ((0, -3, 3), (0.063 * 3 / math.sqrt(0.75), 0), 0),
        ((3, -1.5, -1.5), (0, 0.063 * 3), 0),
        ((3, 3, 3), (0, 0), -0.063 * 3 / 0.1826),
    ],
    ids=["ahead", "left", "round"],
)
def test_robotino_moves_any_way(
    tmp_path: Path, speeds: tuple[float, ...], way: tuple[float, float], turn: float
) -> None:
    """As its users' kinematics say, for two seconds: within 5 %, for it rolls from roller to roller."""
    drive = Drive(tmp_path, FLOOR + 'Robotino3 { controller "driver" }', step_ms=8)
    sim = drive.run(
        f"""
        for motor, speed in zip(wheels("wheel0_joint", "wheel1_joint", "wheel2_joint"), {speeds}):
            motor.setVelocity(speed)
        while robot.step(step) != -1:
            pass
        """,
        2,
    )
    moved = sim["Robotino 3"].position[:2]
    assert moved == pytest.approx(np.multiply(way, 2), abs=0.05 * 0.44)
    assert heading(sim["Robotino 3"].orientation) == pytest.approx(2 * turn, abs=0.05 * 2.07)


def test_robotino_looks_along_x_and_its_motion_sensors_to_the_left(tmp_path: Path) -> None:
    """A wall 0.1 m ahead of the first sensor gives 1.25 V, nothing 0.31 V; the unit's x axis is along y."""
    wall = 'Solid { translation 0.3764 0 0.1 name "wall" boundingObject Box { size 0.1 0.2 0.2 } }'
    drive = Drive(tmp_path, FLOOR + wall + 'Robotino3 { controller "driver" }', step_ms=8)
    drive.run(
        """
        front, back, unit = sensors("ir1", "ir5", "inertial unit")
        for _ in range(3):
            robot.step(step)
        # five deviations of the noise, 0.5 %
        assert abs(front.getValue() - 1.25) < 0.03, front.getValue()
        assert abs(back.getValue() - 0.31) < 0.008, back.getValue()
        assert abs(unit.getRollPitchYaw()[2] - 1.5708) < 1e-3, unit.getRollPitchYaw()
        while robot.step(step) != -1:
            pass
        """,
        0.1,
    )


def test_create_feels_a_wall(tmp_path: Path) -> None:
    """Its bumpers answer when it has run into a wall ahead, its cliff sensors see the floor throughout."""
    nodes = (
        FLOOR
        + """
    Solid { translation 0.5 0 0.1 name "wall" boundingObject Box { size 0.1 2 0.2 } }
    Create { controller "driver" }
    """
    )
    drive = Drive(tmp_path, nodes)
    sim = drive.run(
        """
        bumpers = sensors("bumper_left", "bumper_right")
        cliffs = sensors("cliff_left", "cliff_front_left", "cliff_front_right", "cliff_right")
        left, right = wheels("left wheel motor", "right wheel motor")
        robot.step(step)
        while robot.step(step) != -1:
            assert min(cliff.getValue() for cliff in cliffs) > 1000
            speed = -8 if any(bumper.getValue() for bumper in bumpers) else left.getVelocity() or 8
            left.setVelocity(speed)
            right.setVelocity(speed)
        """,
        3,
    )
    # it came to 0.45 - 0.17 m, and has gone back since
    assert sim["Create"].position[0] < 0.1


def test_bb8_rolls(tmp_path: Path) -> None:
    """The pitch motor rolls the ball ahead by r·ω·t within 10 %, and the head stays above it.

    The weight swings back while the ball speeds up, which takes from the way.
    """
    drive = Drive(tmp_path, FLOOR + 'BB-8 { controller "driver" }')
    sim = drive.run(
        """
        pitch, = wheels("body pitch motor")
        while robot.step(step) != -1:
            pitch.setVelocity(min(2, robot.getTime()))
        """,
        5,
    )
    assert sim["body"].position[0] == pytest.approx(0.25 * (2 * 5 - 2), rel=0.1)
    assert np.linalg.norm((sim["head"].position - sim["body"].position)[:2]) < 0.1


@pytest.mark.parametrize(("angle", "climbs"), [(6, True), (12, False)])
def test_bb8_climbs_what_its_motor_can_hold(tmp_path: Path, angle: int, climbs: bool) -> None:
    """The 10 N m of its motor hold 26.05 kg at a radius of 0.25 m on slopes up to 9 degrees."""
    slope = (
        f"Solid {{ rotation 0 1 0 {-math.radians(angle)} boundingObject Plane {{ size 99 99 }} }}"
    )
    drive = Drive(tmp_path, slope + 'BB-8 { controller "driver" }')
    sim = drive.run(
        """
        pitch, = wheels("body pitch motor")
        while robot.step(step) != -1:
            pitch.setVelocity(min(2, robot.getTime()))
        """,
        5,
    )
    assert (sim["body"].position[0] > 0.5) == climbs


def test_sojourner_climbs_and_turns(tmp_path: Path) -> None:
    """Its bogies follow a step of 4 cm; arms steer it to the right when positive in front."""
    step = """
    Solid { translation 0.7 0 0.02 name "step" boundingObject Box { size 0.2 2 0.04 } }
    """
    rover = 'Sojourner { translation 0 0 0.2 controller "driver" }'
    drive = Drive(tmp_path, f"{FLOOR} {step} {rover}")
    sim = drive.run(
        """
        sides = [end + side for end in ("Front", "Middle", "Back") for side in ("Left", "Right")]
        motors = wheels(*(name + "Wheel" for name in sides))
        arms = {end: [robot.getDevice(f"{end}{side}Arm") for side in ("Left", "Right")]
                for end in ("Front", "Back")}
        while robot.step(step) != -1:
            turn = 0.3 if robot.getTime() > 6 else 0
            for i, motor in enumerate(motors):  # the outer wheels go farther
                motor.setVelocity(4 if not turn else 3 if i % 2 else 5)
            for end, way in (("Front", 1), ("Back", -1)):
                for arm in arms[end]:
                    arm.setPosition(way * turn)
        """,
        9,
    )
    rover = sim["Sojourner"]
    assert rover.position[0] > 1.3  # 0.26 m/s on the flat, less on the step
    assert heading(rover.orientation) < -0.3
    assert abs(rover.position[2] - 0.2) < 0.01


SHRIMP = """
motors = wheels(*(f"wheel motor 0{{i}}" for i in range(6)))
for motor, speed in zip(motors, (-4, {left}, -{right}, {left}, -{right}, -4)):
    motor.setVelocity(speed)
robot.getDevice("front wheel rotation").setPosition({front})
robot.getDevice("back wheel rotation").setPosition({back})
while robot.step(step) != -1:
    pass
"""
"""As public programs drive it: wheels at the left turn forwards, all others backwards."""


def test_shrimp_drives_ahead_and_its_fork_climbs(tmp_path: Path) -> None:
    """4 rad/s on wheels of 58 mm; the front wheel goes onto a step of 40 mm, the rest stays below."""
    step = "SolidBox { translation 0.85 0 0.02 size 0.6 2 0.04 }"
    sim = Drive(tmp_path, FLOOR + step + 'Shrimp { controller "driver" }').run(
        SHRIMP.format(front=0, back=0, left=4, right=4), 2
    )
    assert sim["Shrimp"].position[0] > 0.3
    assert sim["wheel motor 00 link"].position[2] == pytest.approx(0.098, abs=3e-3)
    assert sim["wheel motor 05 link"].position[2] == pytest.approx(0.058, abs=3e-3)


def test_shrimp_turns_right_when_its_ends_steer_apart(tmp_path: Path) -> None:
    """Front wheel to the right, rear wheel to the left, about a centre at the right of the bogies."""
    sim = Drive(tmp_path, FLOOR + 'Shrimp { controller "driver" }').run(
        SHRIMP.format(front=-0.3, back=0.27, left=6, right=2), 3
    )
    assert heading(sim["Shrimp"].orientation) < -0.4
