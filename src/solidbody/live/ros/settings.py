"""Settings of the bridge to ROS 2: what each part is called, how often it is sent, which network is used.

A file says what differs from the defaults (docs/ros2.md); its mistakes are told with file and line.
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import yaml

from solidbody.base.errors import SolidbodyError


class SettingsError(SolidbodyError):
    """The settings are wrong; the text says where, and what is allowed."""


@dataclass(frozen=True, slots=True)
class Quality:
    """How messages of a topic are delivered.

    Attributes:
        reliable: Whether lost ones are sent again.
        keeps: Whether who comes late gets the last ones.
        depth: How many are kept for that, and for readers that lag behind.
    """

    reliable: bool = True
    keeps: bool = False
    depth: int = 10


QUALITIES: Final = {
    "default": Quality(),
    "sensor": Quality(reliable=False, depth=5),
    "latched": Quality(keeps=True, depth=1),
}
"""ROS' profiles by name."""


@dataclass(frozen=True, slots=True)
class DeviceSettings:
    """Of one device.

    Attributes:
        topic: Where its messages go, instead of its name; of several, what they have in common.
        rate: Samples per simulated second; None = as often as it is on, else the usual.
        quality: How they are delivered; None = the default.
        frame: Name of its frame.
        enabled: Whether anything is sent.
    """

    topic: str = ""
    rate: float | None = None
    quality: Quality | None = None
    frame: str = ""
    enabled: bool = True


@dataclass(frozen=True, slots=True)
class DriveSettings:
    """The wheels that `cmd_vel` turns.

    Attributes:
        left: Joints of the wheels on the left; empty = found in the model, as are the next three.
        right: Joints of the wheels on the right.
        wheel_radius: [m].
        wheel_separation: Between left and right [m].
        timeout: Simulated time after which wheels stop when no command comes [s]; None = they go on.
        odometry: `wheels` (counted from their turns) or `truth`.
        publishes_frame: Whether the frame `odom` is told.
        stamped: Whether commands are `TwistStamped` and not `Twist`.
    """

    left: tuple[str, ...] = ()
    right: tuple[str, ...] = ()
    wheel_radius: float | None = None
    wheel_separation: float | None = None
    timeout: float | None = None
    odometry: str = "wheels"
    publishes_frame: bool = True
    stamped: bool = False


@dataclass(frozen=True, slots=True)
class RobotSettings:
    """Of one robot.

    Attributes:
        namespace: Before the names of its topics; None = nothing if it is the only one, else its name.
        frame_prefix: Before the names of its frames; None = as the namespace, with a slash.
        description: URDF file that is told instead of ours; empty = ours.
        drive: Its wheels; None = it is not driven by them.
        devices: By name.
        enabled: Whether anything is sent and taken.
    """

    namespace: str | None = None
    frame_prefix: str | None = None
    description: str = ""
    drive: DriveSettings | None = DriveSettings()
    devices: Mapping[str, DeviceSettings] = field(default_factory=dict[str, DeviceSettings])
    enabled: bool = True


@dataclass(frozen=True, slots=True)
class LockStep:
    """Waits for ROS: after each period, until a message has come on each of these topics.

    Attributes:
        topics: Their names, of those that commands come on.
        period: Simulated time [s].
        timeout: Time by the clock after which the run ends with an error [s].
    """

    topics: tuple[str, ...] = ()
    period: float = 0.032
    timeout: float = 30.0


@dataclass(frozen=True, slots=True)
class Ros2Settings:
    """All of it.

    Attributes:
        domain: Number of the DDS domain; None = ROS_DOMAIN_ID, else 0.
        interface: Name or address of the network interface; `auto` = what DDS chooses.
        namespace: Before the names of all topics and services.
        rate: Frames, joints and odometry per simulated second.
        clock_rate: Times per simulated second.
        sensor_rate: Of sensors that nobody has turned on.
        world_frame: Name of the frame that robots without wheels stand in.
        ground_truth: Whether the true place of everything that is no robot, and of `odom`, is told, too.
        all_sensors: Whether sensors are turned on that nobody has turned on.
        takes_commands: Whether motors may be commanded.
        services: Whether time may be commanded, and robots spawned: `fastdds`, `cyclonedds` (which of them
            callers speak), or none.
        extern_controllers: Whether robots with an `<extern>` controller still wait for one.
        spawn_folder: Where files of robots to spawn may be; empty = the folder of the world.
        lock_step: None = time goes on by itself.
        robots: By name.
    """

    domain: int | None = None
    interface: str = "127.0.0.1"
    namespace: str = ""
    rate: float = 50.0
    clock_rate: float = 100.0
    sensor_rate: float = 30.0
    world_frame: str = "world"
    ground_truth: bool = False
    all_sensors: bool = True
    takes_commands: bool = True
    services: str = "fastdds"
    extern_controllers: bool = False
    spawn_folder: str = ""
    lock_step: LockStep | None = None
    robots: Mapping[str, RobotSettings] = field(default_factory=dict[str, RobotSettings])

    def of_robot(self, name: str) -> RobotSettings:
        """Return the settings of a robot."""
        return self.robots.get(name, RobotSettings())


def read_settings(path: Path) -> Ros2Settings:
    """Return what a file says.

    Raises:
        SettingsError: It cannot be read, or says what cannot be.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path} cannot be read: {error}") from error
    return parse_settings(text, str(path))


def parse_settings(text: str, source: str = "settings") -> Ros2Settings:
    """Return what a text in YAML says; `source` is its name in messages."""
    try:
        node = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise SettingsError(f"{source}:{line}: this is no YAML: {error.problem}") from None
    except (yaml.YAMLError, RecursionError) as error:
        raise SettingsError(f"{source}: this is no YAML: {error}") from None
    if node is None:
        return Ros2Settings()
    return _Reader(source).table(node, Ros2Settings, _SETTINGS)


class _Reader:
    """Turns nodes of YAML into settings, with the line of what is wrong."""

    def __init__(self, source: str) -> None:
        self._source = source

    def error(self, node: yaml.Node, text: str) -> SettingsError:
        return SettingsError(f"{self._source}:{node.start_mark.line + 1}: {text}")

    def items(self, node: yaml.Node, what: str) -> Iterator[tuple[str, yaml.Node, yaml.Node]]:
        if not isinstance(node, yaml.MappingNode):
            raise self.error(node, f"{what} must be a mapping of names to values")
        seen: set[str] = set()
        for key, value in node.value:
            if not isinstance(key, yaml.ScalarNode):
                raise self.error(key, f"{what} must have names as keys")
            if key.value in seen:
                raise self.error(key, f'"{key.value}" is said twice')
            seen.add(key.value)
            yield key.value, key, value

    def table(self, node: yaml.Node, make: type[Any], rules: Mapping[str, _Rule]) -> Any:
        found: dict[str, Any] = {}
        for name, key, value in self.items(node, "this"):
            rule = rules.get(name)
            if rule is None:
                close = difflib.get_close_matches(name, rules, 1)
                hint = f'did you mean "{close[0]}"?' if close else f"known: {', '.join(rules)}"
                raise self.error(key, f'unknown setting "{name}"; {hint}')
            found[name] = rule(self, value, name)
        return make(**found)

    def plain(self, node: yaml.Node) -> Any:
        if not isinstance(node, yaml.ScalarNode):
            return node
        return yaml.SafeLoader("").construct_object(node)


_Rule = Callable[[_Reader, yaml.Node, str], Any]


def _text(reader: _Reader, node: yaml.Node, name: str) -> str:
    if not isinstance(node, yaml.ScalarNode):
        raise reader.error(node, f'"{name}" must be a text')
    return node.value


def _truth(reader: _Reader, node: yaml.Node, name: str) -> bool:
    value = reader.plain(node)
    if not isinstance(value, bool):
        raise reader.error(node, f'"{name}" must be true or false')
    return value


def _above_zero(reader: _Reader, node: yaml.Node, name: str) -> float:
    value = reader.plain(node)
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not 0.0 < value < math.inf:
        raise reader.error(node, f'"{name}" must be a number above 0')
    return float(value)


def _domain(reader: _Reader, node: yaml.Node, name: str) -> int:
    value = reader.plain(node)
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= MOST_DOMAIN:
        raise reader.error(node, f'"{name}" must be a whole number from 0 to {MOST_DOMAIN}')
    return value


MOST_DOMAIN: Final = 232
"""Domains beyond have no ports left."""


def _count(reader: _Reader, node: yaml.Node, name: str) -> int:
    value = reader.plain(node)
    if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= MOST_DEPTH:
        raise reader.error(node, f'"{name}" must be a whole number from 1 to {MOST_DEPTH}')
    return value


MOST_DEPTH: Final = 1000
"""Messages that are kept on one topic."""


def _one_of(*allowed: str) -> _Rule:
    def read(reader: _Reader, node: yaml.Node, name: str) -> str:
        value = _text(reader, node, name)
        if value not in allowed:
            raise reader.error(node, f'"{name}" must be one of {", ".join(allowed)}')
        return value

    return read


def _texts(reader: _Reader, node: yaml.Node, name: str) -> tuple[str, ...]:
    if isinstance(node, yaml.ScalarNode):
        return (node.value,)
    if not isinstance(node, yaml.SequenceNode):
        raise reader.error(node, f'"{name}" must be a text or a list of texts')
    return tuple(_text(reader, item, name) for item in node.value)


def _quality(reader: _Reader, node: yaml.Node, name: str) -> Quality:
    if isinstance(node, yaml.ScalarNode):
        if node.value not in QUALITIES:
            raise reader.error(
                node, f'"{name}" must be one of {", ".join(QUALITIES)}, or a mapping'
            )
        return QUALITIES[node.value]
    said = reader.table(node, dict[str, Any], _QUALITY)
    return Quality(
        reliable=said.get("reliability") != "best_effort",
        keeps=said.get("durability") == "transient_local",
        depth=said.get("depth", QUALITIES["default"].depth),
    )


def _drive(reader: _Reader, node: yaml.Node, name: str) -> DriveSettings | None:
    if isinstance(node, yaml.ScalarNode) and reader.plain(node) is False:
        return None
    drive: DriveSettings = reader.table(node, DriveSettings, _DRIVE)
    if bool(drive.left) != bool(drive.right):
        raise reader.error(node, '"left" and "right" belong together')
    return drive


def _by_name(make: type[Any], rules: Callable[[], Mapping[str, _Rule]]) -> _Rule:
    def read(reader: _Reader, node: yaml.Node, name: str) -> dict[str, Any]:
        return {
            key: reader.table(value, make, rules())
            for key, _, value in reader.items(node, f'"{name}"')
        }

    return read


def _lock_step(reader: _Reader, node: yaml.Node, name: str) -> LockStep:
    found: LockStep = reader.table(node, LockStep, _LOCK_STEP)
    if not found.topics:
        raise reader.error(node, f'"{name}" needs a topic to wait for')
    return found


_QUALITY: Final[Mapping[str, _Rule]] = {
    "reliability": _one_of("reliable", "best_effort"),
    "durability": _one_of("volatile", "transient_local"),
    "depth": _count,
}
_DEVICE: Final[Mapping[str, _Rule]] = {
    "topic": _text,
    "rate": _above_zero,
    "quality": _quality,
    "frame": _text,
    "enabled": _truth,
}
_DRIVE: Final[Mapping[str, _Rule]] = {
    "left": _texts,
    "right": _texts,
    "wheel_radius": _above_zero,
    "wheel_separation": _above_zero,
    "timeout": _above_zero,
    "odometry": _one_of("wheels", "truth"),
    "publishes_frame": _truth,
    "stamped": _truth,
}
_ROBOT: Final[Mapping[str, _Rule]] = {
    "namespace": _text,
    "frame_prefix": _text,
    "description": _text,
    "drive": _drive,
    "devices": _by_name(DeviceSettings, lambda: _DEVICE),
    "enabled": _truth,
}
_LOCK_STEP: Final[Mapping[str, _Rule]] = {
    "topics": _texts,
    "period": _above_zero,
    "timeout": _above_zero,
}
_SETTINGS: Final[Mapping[str, _Rule]] = {
    "domain": _domain,
    "interface": _text,
    "namespace": _text,
    "rate": _above_zero,
    "clock_rate": _above_zero,
    "sensor_rate": _above_zero,
    "world_frame": _text,
    "ground_truth": _truth,
    "all_sensors": _truth,
    "takes_commands": _truth,
    "services": _one_of("fastdds", "cyclonedds", "none"),
    "extern_controllers": _truth,
    "spawn_folder": _text,
    "lock_step": _lock_step,
    "robots": _by_name(RobotSettings, lambda: _ROBOT),
}
