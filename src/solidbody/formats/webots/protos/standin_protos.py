"""solidbody's own PROTOs: stand-ins for standard PROTOs of Webots whose files are not available.

They are files in the folder `standins` of this package, found by name in any folder below it, and the
family of appearances, whose texts are made from a table (`own_looks`). All are written for today's
axes, x forward and z up. They need no EXTERNPROTO, neither among themselves nor in a world.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

from solidbody.base.transforms import (
    Quat,
    quat_conjugate,
    quat_from_axis_angle,
    quat_multiply,
    quat_rotate,
)
from solidbody.formats.assets import STANDINS
from solidbody.formats.vrml.proto import ProtoDefinition
from solidbody.formats.vrml.syntax import (
    ListSyntax,
    NodeSyntax,
    NumbersSyntax,
    Scope,
    ValueSyntax,
)
from solidbody.formats.webots.protos.standin_appearances import LOOKS, look_text
from solidbody.formats.webots.releases.release import FIRST_Z_UP, Release, parse_release
from solidbody.formats.webots.releases.turns import (
    CAMERA_TURN,
    EMITTER_TURN,
    UPRIGHT_TURN,
    AxisTurn,
    axis_angle,
    field_of,
    items_of,
    with_numbers,
    with_value,
    wrapped,
)
from solidbody.formats.webots.releases.upgrade import turned_instance

FOLDER: Final = STANDINS
"""Where the files are."""

_EXTENTS: Final = frozenset(
    {
        "size",
        "floorSize",
        "floorTileSize",
        "tileSize",
        "wallTileSize",
        "feetSize",
        "frameSize",
        "palletSize",
        "stepSize",
        "landingSize",
    }
)
"""Parameters that hold lengths along the axes of the PROTO."""

ALWAYS_Z_UP: Final = frozenset(
    {
        "Atlas",
        "Crazyflie",
        "Khr2hv",
        "Mavic2Pro",
        "Nao",
        "Pr2",
        "Robotino3",
        "Robotiq3fGripper",
        "RobotisOp3",
        "SummitXlSteel",
        "TiagoBase",
        "TiagoIron",
        "TiagoSteel",
        "TiagoTitanium",
        "Tiagopp",
        "UR10e",
        "UR3e",
        "UR5e",
        "Youbot",
    }
)
"""PROTOs whose axes were those of today in old releases as well: old worlds turn them by themselves.

Nothing in a world file tells them apart. The guides of those releases do: they document a default rotation
of a quarter turn about x for these, and none for all others.
"""

_SAME_AXES: Final = frozenset(
    {
        "E-puckDistanceSensor",
        *(f"MX430{part}Shape" for part in ("FrontRotor", "RearRotor", "Servo")),
        *(f"RobotisOp3{part}Shape" for part in ("Body", "Foot", "Head", "HeadLED")),
        *(f"RobotisOp3{part}FrameShape" for part in ("Arm", "Long", "Shifted", "Squared")),
        *(f"RobotisOp3{part}FrameShape" for part in ("Straight", "Triangle")),
    }
)
"""Parts in the frames of such robots, and of their servos; and one whose y axis points up still today."""

_VEHICLES: Final = (
    *("AckermannVehicle", "Car"),
    *("BmwX5", "CitroenCZero", "LincolnMKZ", "RangeRoverSportSVR", "TeslaModel3", "ToyotaPrius"),
    *("Bus", "MercedesBenzSprinter", "SimpleVehicle", "Tractor", "Truck"),
    *("BmwX5Simple", "BusSimple", "CitroenCZeroSimple", "LincolnMKZSimple"),
    *("MercedesBenzSprinterSimple", "MotorbikeSimple", "RangeRoverSportSVRSimple", "ScooterSimple"),
    *("TeslaModel3Simple", "ToyotaPriusSimple", "TruckSimple"),
    *("TruckTankSimple", "TruckTrailerSimple"),
)
"""They went along z."""

_SENSOR_SLOTS: Final = (
    "sensorsSlotFront",
    "sensorsSlotRear",
    "sensorsSlotTop",
    "sensorsSlotCenter",
)
"""What y-up worlds put into these slots of vehicles looked along -z, as cameras did."""

_LONG_VEHICLES: Final = ("Bus", "BusSimple", "Truck", "TruckSimple")
"""Vehicles whose slot at the centre lies along their own axes."""

_VEHICLE_PARTS: Final = (
    *(f"CitroenCZero{part}" for part in ("BrakeLight", "FogLight", "HeadLight", "Mesh")),
    *("BusShape", "CitroenCZeroLeftIndicator", "CitroenCZeroRightIndicator"),
)
"""Shapes in the frames of vehicles."""

_WITHOUT_POSE: Final = frozenset(
    {*_VEHICLE_PARTS, "PipeBoundingObject", "TexturedBoxShape", "TorusBoundingObject"}
)
"""Shapes and bounding objects that have no rotation of their own: old worlds get them in a turned Pose."""

_ALONG_Z: Final = (
    *_VEHICLES,
    *_VEHICLE_PARTS,
    *("Crossroad", "CurvedRoadSegment", "Road", "RoadIntersection", "StraightRoadSegment"),
    *("AddLaneRoadSegment", "AddLanesRoadSegment", "LaneSeparation", "RoadPillars"),
    *("SphereGrid", "TrafficLightBigPole"),
    *("AdvertisingBoard", "Barbecue", "Bench", "BungalowStyleHouse", "BusStop", "TrashBin"),
    *("Blackboard", "Cabinet", "Clock", "Door", "LandscapePainting", "Mirror", "OfficeChair"),
    *("OfficeTelephone", "Television", "Toilet", "WoodenChair"),
    *("BB-8", "Distributor", "Hoap2", "NXTFeeder", "Pedestrian", "Portal", "QRIO", "RobotisOp2"),
    "Thymio2",
)
"""Vehicles, roads, walkers and more: they went or looked along z, where most others looked along -z."""

_ALONG_X: Final = (
    *("Armchair", "Chair", "DivergentIndicator", "DoubleFluorescentLamp", "FastFoodRestaurant"),
    *("Altino", "ConveyorBelt", "CrashBarrier", "Elisa3", "Fence", "GhostDog", "HighwaySign"),
    *("Puma560", "Spoon", "StraightStairsRail"),
    *("Forest", "Fridge", "HighwayPole", "Knife", "Oven", "Radiator", "Roundabout", "Sofa"),
    *("Blimp", "CreateWall", "Elisa3", "DistanceSensorVisualization", "LegoInterval", "LegoWall"),
    "StraightStairs",
    *(f"Khepera3_{kind}Sensor" for kind in ("Distance", "Ground", "US")),
    *("P-GripDistanceSensor", "Pioneer3DistanceSensor"),
    *("Khepera4InfraredSensor", "Thymio2DistanceSensor"),
    *(f"SharpGP2{kind}" for kind in ("D120", "Y0A02YK0F", "Y0A41SK0F", "Y0A710K0F")),
)
"""PROTOs that looked along x, as they do today."""

_AGAINST_X: Final = (
    *("BioloidDog", "Book", "Cart", "CerealBox", "PaperBoat", "PedestrianCrossing"),
    *(f"IprHd6{kind}" for kind in ("m180", "m90", "ms180", "ms90")),
    *("RoCKInShelf", "RobotstadiumGoal", "RobotstadiumSoccerField", "Shelves"),
    *("Auditorium", "Bed", "LinkedWalls", "Museum", "PlatformCart", "PublicToilet", "SwingCouch"),
)
"""PROTOs that looked along -x; a row of linked walls went along z."""

_QUARTER_ABOUT_Z: Final[Quat] = (0.5**0.5, 0.0, 0.0, 0.5**0.5)

_TURNS: Final[dict[str, Quat]] = {
    **dict.fromkeys(_ALONG_Z, EMITTER_TURN),
    **dict.fromkeys(_ALONG_X, UPRIGHT_TURN),
    **dict.fromkeys(_AGAINST_X, quat_multiply(UPRIGHT_TURN, (0.0, 0.0, 0.0, 1.0))),
    "TinkerbotsBase": _QUARTER_ABOUT_Z,
}
"""Where PROTOs of today lie in the axes of old ones, if not along -z.

Found by comparing the city of Webots' samples in worlds of R2019a and R2023b (roads, buildings), and
the highway of R2021b, whose car stands at the start of a road along z (vehicles), Tinkerbots' samples
of R2019a and R2022a and the maze of robot benchmarks of R2020b and R2022a (school, doors), whose Thymio's
goal is along z; for furniture and roads, by what Webots' converter of worlds turns further; and by
turning all figures of ours until they are those of R2019a's PROTOs (`benchmarks.standins`).
"""

_LEFT_ALONG_X: Final[Quat] = (0.5**0.5, 0.0, 0.0, -(0.5**0.5))

_OLD_FRAMES: Final[dict[str, Quat]] = {"Khr2hv": _LEFT_ALONG_X}
"""Of those whose z axis was up in old releases as well, but which did not look along x: where the axes of
today lie in the old ones."""

_PLUGGED: Final = "tinkerbots"
"""Folder of parts that are plugged into slots."""

_HEIGHTS: Final = {"Pioneer3at": ("axleHeight", 0.11)}
"""PROTOs whose frames were as high as their axles in y-up worlds: the parameter that tells how high axles are
above the frame (0 there), and that height today, at which the frame was by default [m]."""

_POINTS: Final = frozenset({"path", "shape", "spine", "wayPoints"})
"""Parameters that hold points in the frame of the PROTO."""


_OLD_NAMES: Final = {
    "CheckeredFloor": "Floor",
    "DARwInOP": "RobotisOp2",
    "Darwin-op": "RobotisOp2",
    "Darwin-opHinge2": "RobotisOp2",
    "DecimetricFloor": "Floor",
    "EPuck": "E-puck",
    "GenericBuilding": "SimpleBuilding",
    "KinectWithoutFoot": "Kinect",
    "MetricFloor": "Floor",
    "Nao_H21_V33": "Nao",
    "Nao_H21_V40": "Nao",
    "Nao_H25_V33": "Nao",
    "Nao_H25_V40": "Nao",
    "PannelWithTubes": "PanelWithTubes",
    "RobotisOp2Hinge2": "RobotisOp2",
    "RoundTree": "SimpleTree",
    "Sick_LMS291": "SickLms291",
    "SquareArena": "RectangleArena",
    "Tiago++": "Tiagopp",
    "TiagoLeftHey5": "TiagoHey5",
    "TiagoRightHey5": "TiagoHey5",
    "Turtlebot3Burger": "TurtleBot3Burger",
}
"""Today's names of PROTOs of releases 6 to R2023, from Webots' change logs and its repository."""


_OTHERS: Final = {
    "FanatecCslEliteSteeringWheel": "CarSteeringWheel",
    "KinovaGen3": "KinovaGen3_7DoF",
    "Robotino3SickMountingSupport": "Robotino3HokuyoMountingSupport",
    "Robotino3WebcamMountingSupport": "Robotino3HokuyoMountingSupport",
    **dict.fromkeys(("SquarePathPioneer3dx", "WallFollowingPioneer3dx"), "OwnBenchmarkPioneer"),
    **dict.fromkeys(
        (
            *("HighwayDrivingBenchmark", "HumanoidMarathonBenchmark", "InvertedPendulumBenchmark"),
            *("MazeRunnerBenchmark", "ObstacleAvoidanceBenchmark", "PickAndPlaceBenchmark"),
            *("PitEscapeBenchmark", "RobotProgrammingBenchmark", "SquarePathBenchmark"),
            *("ViewpointControlBenchmark", "VisualTrackingBenchmark"),
        ),
        "OwnBenchmark",
    ),
}
"""PROTOs that others of ours stand in for; most are of Webots' robot benchmarks."""


class OwnProto(NamedTuple):
    """A PROTO of ours: the name of its file (which need not exist), its text and its name."""

    file: str
    text: str
    name: str


def find_own(name: str) -> OwnProto | None:
    """Return our PROTO of that name, of today or an old release, or None."""
    name = _OLD_NAMES.get(name) or _OTHERS.get(name, name)
    path = _files().get(name)
    if path is not None:
        return OwnProto(str(path), path.read_text(encoding="utf-8"), name)
    if name in LOOKS:
        file = str(FOLDER / "appearances" / f"{name}.proto")
        return OwnProto(file, look_text(name), name)
    return None


def own_names() -> tuple[str, ...]:
    """Return the names of all PROTOs of ours, sorted."""
    return tuple(sorted({*_files(), *LOOKS}, key=str.lower))


@cache  # asked of every instance: two thirds of the time of 50,000 ones on Python 3.12
def is_own(file: str) -> bool:
    """Whether the file of a PROTO is one of ours."""
    return Path(file).is_relative_to(FOLDER)


def old_turn(name: str) -> Quat:
    """Return how a PROTO with the axes of today is turned to stand as it stood in y-up worlds."""
    return _OLD_FRAMES.get(name) or _TURNS.get(name, CAMERA_TURN)


def slot_turn(name: str, slot: str) -> Quat:
    """Return how the frame of a PROTO is turned for what y-up worlds put into one of its slots."""
    if name not in _VEHICLES or slot not in _SENSOR_SLOTS:
        return old_turn(name)
    is_along = slot == "sensorsSlotCenter" and name in _LONG_VEHICLES
    return old_turn(name) if is_along else CAMERA_TURN


def is_plugged(name: str) -> bool:
    """Whether a PROTO of ours is a part with a plug, which lies in its slot as it always lay."""
    path = _files().get(name)
    return path is not None and path.parent.name == _PLUGGED


def keeps_axes(name: str) -> bool:
    """Whether a PROTO of ours had the axes of today in y-up worlds as well."""
    is_same = name in ALWAYS_Z_UP and name not in _OLD_FRAMES
    return is_same or name in _SAME_AXES or is_plugged(name)


def was_written_y_up(scope: Scope | None, release: Release) -> bool:
    """Whether what stands in the body of a PROTO (None = in the world) lies along the axes of old releases.

    Args:
        scope: The expansion of the PROTO.
        release: That of the world, which counts where the PROTO names none.
    """
    home = release if scope is None else parse_release(scope.header) or release
    return home < FIRST_Z_UP


def turned_back(root: NodeSyntax, name: str) -> NodeSyntax:
    """Return an instance of a PROTO with today's axes as it stood in y-up worlds."""
    turn = old_turn(name)
    if name not in _WITHOUT_POSE:
        return turned_instance(root, turn)
    outer = wrapped(replace(root, def_name=None), AxisTurn(turn))
    return replace(outer, def_name=root.def_name, scope=root.scope)


def is_turned_back(definition: ProtoDefinition) -> bool:
    """Whether instances of a PROTO with today's axes are turned in y-up worlds: appearances are not."""
    return "rotation" in definition.parameters or definition.name in _WITHOUT_POSE


def modern_size(definition: ProtoDefinition, name: str, value: ValueSyntax) -> ValueSyntax:
    """Return what a y-up world or PROTO gives to a parameter of one of ours, along today's axes.

    The instance as a whole is turned so that its z axis points along the world's y: points are turned back,
    and lengths go with their axes. Where its x axis lies along -z or z, (x, y, z) of lengths become
    (z, x, y) and (x, z) become (z, x).
    """
    parameter = definition.parameters.get(name)
    if parameter is None or name not in _EXTENTS | _POINTS:
        return value
    width = {"Vec2f": 2, "Vec3f": 3}.get(parameter.type_name[2:])
    if width is None:
        return value
    turn = old_turn(definition.name)
    return _turned(value, width, turn, is_length=name in _EXTENTS) or value


def with_modern_sizes(node: NodeSyntax, definition: ProtoDefinition) -> NodeSyntax:
    """Return an instance of one of our PROTOs in a y-up world with its sizes along today's axes."""
    for part in node.fields:
        turned = modern_size(definition, part.name, part.value)
        if turned is not part.value:
            node = with_value(node, part.name, turned)
    height = _HEIGHTS.get(definition.name)
    return node if height is None else with_numbers(node, height[0], (0.0,))


def with_old_place(node: NodeSyntax, definition: ProtoDefinition) -> NodeSyntax:
    """Return an instance of one of our PROTOs at the top of a y-up world with its default pose written.

    The default is in the axes of today: its height has to be along y. PROTOs whose axes were always those
    of today lay on their side there, unless they were turned, and that was their default.
    """
    is_turned_alone = definition.name not in ALWAYS_Z_UP
    turn = old_turn(definition.name) if is_turned_alone else UPRIGHT_TURN
    for name, count in (("translation", 3), ("rotation", 4)):
        parameter = definition.parameters.get(name)
        default = parameter.default if parameter is not None else None
        if field_of(node, name) is not None or not isinstance(default, NumbersSyntax):
            continue
        numbers: tuple[float, ...] = default.values
        if name == "translation" and definition.name in _HEIGHTS:
            numbers = (*numbers[:2], _HEIGHTS[definition.name][1])
        is_turn = name == "rotation" and len(numbers) == count and numbers[3] != 0.0
        is_needed = any(numbers) if name == "translation" else not is_turned_alone or is_turn
        if len(numbers) != count or not is_needed:
            continue
        if name == "translation":
            values = quat_rotate(turn, (numbers[0], numbers[1], numbers[2]))
        else:
            own = quat_from_axis_angle((numbers[0], numbers[1], numbers[2]), numbers[3])
            values = axis_angle(quat_multiply(turn, own))
            if is_turned_alone:  # the instance is turned after it
                back = quat_conjugate(turn)
                values = axis_angle(quat_multiply(quat_multiply(turn, own), back))
        node = with_numbers(node, name, tuple(round(x, 12) for x in values))
    return node


def _turned(value: ValueSyntax, width: int, turn: Quat, *, is_length: bool) -> ValueSyntax | None:
    """Return points turned back, or lengths along the axes turned back; None for what is neither.

    Args:
        value: Vectors; those of a list may stand in one row of numbers.
        width: Numbers of each vector: of two, lengths are along x and z; points are left as they are.
        turn: How the PROTO is turned.
        is_length: Whether these are lengths, which have no sign.
    """
    items: list[NumbersSyntax] = []
    for item in items_of(value):
        if not isinstance(item, NumbersSyntax) or len(item.values) % width:
            return None
        numbers: list[float] = []
        for start in range(0, len(item.values), width):
            vector = item.values[start : start + width]
            if is_length or width == 3:
                y = vector[1] if width == 3 else 0.0
                x, y, z = quat_rotate(quat_conjugate(turn), (vector[0], y, vector[-1]))
                vector = (abs(x), abs(y), abs(z))[:width] if is_length else (x, y, z)
            numbers += (round(x, 12) + 0.0 for x in vector)
        items.append(NumbersSyntax(tuple(numbers), item.span))
    if isinstance(value, ListSyntax):
        return ListSyntax(tuple(items), value.span)
    return items[0] if items else None


@cache
def _files() -> Mapping[str, Path]:
    return {path.stem: path for path in sorted(FOLDER.rglob("*.proto"))}
