"""Definitions of the ROS messages that we speak: names and types of their fields, in their order.

They are those of ROS 2 Jazzy; Humble's are the same, but that `Range` ends a field earlier there, which its
readers do not miss. Requests and responses of services are messages, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Final

_TEXT: Final = """
builtin_interfaces/msg/Time: int32 sec, uint32 nanosec
builtin_interfaces/msg/Duration: int32 sec, uint32 nanosec
std_msgs/msg/Header: builtin_interfaces/Time stamp, string frame_id
std_msgs/msg/Bool: bool data
std_msgs/msg/String: string data
std_msgs/msg/UInt64: uint64 data
std_msgs/msg/Float64: float64 data
std_msgs/msg/MultiArrayDimension: string label, uint32 size, uint32 stride
std_msgs/msg/MultiArrayLayout: std_msgs/MultiArrayDimension[] dim, uint32 data_offset
std_msgs/msg/Float64MultiArray: std_msgs/MultiArrayLayout layout, float64[] data
geometry_msgs/msg/Vector3: float64 x, float64 y, float64 z
geometry_msgs/msg/Vector3Stamped: std_msgs/Header header, geometry_msgs/Vector3 vector
geometry_msgs/msg/Point: float64 x, float64 y, float64 z
geometry_msgs/msg/PointStamped: std_msgs/Header header, geometry_msgs/Point point
geometry_msgs/msg/Quaternion: float64 x, float64 y, float64 z, float64 w
geometry_msgs/msg/Pose: geometry_msgs/Point position, geometry_msgs/Quaternion orientation
geometry_msgs/msg/PoseStamped: std_msgs/Header header, geometry_msgs/Pose pose
geometry_msgs/msg/PoseWithCovariance: geometry_msgs/Pose pose, float64[36] covariance
geometry_msgs/msg/Transform: geometry_msgs/Vector3 translation, geometry_msgs/Quaternion rotation
geometry_msgs/msg/TransformStamped: std_msgs/Header header, string child_frame_id, geometry_msgs/Transform transform
geometry_msgs/msg/Twist: geometry_msgs/Vector3 linear, geometry_msgs/Vector3 angular
geometry_msgs/msg/TwistStamped: std_msgs/Header header, geometry_msgs/Twist twist
geometry_msgs/msg/TwistWithCovariance: geometry_msgs/Twist twist, float64[36] covariance
geometry_msgs/msg/Wrench: geometry_msgs/Vector3 force, geometry_msgs/Vector3 torque
geometry_msgs/msg/WrenchStamped: std_msgs/Header header, geometry_msgs/Wrench wrench
rosgraph_msgs/msg/Clock: builtin_interfaces/Time clock
tf2_msgs/msg/TFMessage: geometry_msgs/TransformStamped[] transforms
nav_msgs/msg/Odometry: std_msgs/Header header, string child_frame_id, geometry_msgs/PoseWithCovariance pose, geometry_msgs/TwistWithCovariance twist
rcl_interfaces/msg/Log: builtin_interfaces/Time stamp, uint8 level, string name, string msg, string file, string function, uint32 line
sensor_msgs/msg/JointState: std_msgs/Header header, string[] name, float64[] position, float64[] velocity, float64[] effort
sensor_msgs/msg/Imu: std_msgs/Header header, geometry_msgs/Quaternion orientation, float64[9] orientation_covariance, geometry_msgs/Vector3 angular_velocity, float64[9] angular_velocity_covariance, geometry_msgs/Vector3 linear_acceleration, float64[9] linear_acceleration_covariance
sensor_msgs/msg/NavSatStatus: int8 status, uint16 service
sensor_msgs/msg/NavSatFix: std_msgs/Header header, sensor_msgs/NavSatStatus status, float64 latitude, float64 longitude, float64 altitude, float64[9] position_covariance, uint8 position_covariance_type
sensor_msgs/msg/MagneticField: std_msgs/Header header, geometry_msgs/Vector3 magnetic_field, float64[9] magnetic_field_covariance
sensor_msgs/msg/LaserScan: std_msgs/Header header, float32 angle_min, float32 angle_max, float32 angle_increment, float32 time_increment, float32 scan_time, float32 range_min, float32 range_max, float32[] ranges, float32[] intensities
sensor_msgs/msg/PointField: string name, uint32 offset, uint8 datatype, uint32 count
sensor_msgs/msg/PointCloud2: std_msgs/Header header, uint32 height, uint32 width, sensor_msgs/PointField[] fields, bool is_bigendian, uint32 point_step, uint32 row_step, uint8[] data, bool is_dense
sensor_msgs/msg/Image: std_msgs/Header header, uint32 height, uint32 width, string encoding, uint8 is_bigendian, uint32 step, uint8[] data
sensor_msgs/msg/RegionOfInterest: uint32 x_offset, uint32 y_offset, uint32 height, uint32 width, bool do_rectify
sensor_msgs/msg/CameraInfo: std_msgs/Header header, uint32 height, uint32 width, string distortion_model, float64[] d, float64[9] k, float64[9] r, float64[12] p, uint32 binning_x, uint32 binning_y, sensor_msgs/RegionOfInterest roi
sensor_msgs/msg/Range: std_msgs/Header header, uint8 radiation_type, float32 field_of_view, float32 min_range, float32 max_range, float32 range, float32 variance
sensor_msgs/msg/Illuminance: std_msgs/Header header, float64 illuminance, float64 variance
sensor_msgs/msg/BatteryState: std_msgs/Header header, float32 voltage, float32 temperature, float32 current, float32 charge, float32 capacity, float32 design_capacity, float32 percentage, uint8 power_supply_status, uint8 power_supply_health, uint8 power_supply_technology, bool present, float32[] cell_voltage, float32[] cell_temperature, string location, string serial_number
trajectory_msgs/msg/JointTrajectoryPoint: float64[] positions, float64[] velocities, float64[] accelerations, float64[] effort, builtin_interfaces/Duration time_from_start
trajectory_msgs/msg/JointTrajectory: std_msgs/Header header, string[] joint_names, trajectory_msgs/JointTrajectoryPoint[] points
std_srvs/srv/Trigger_Request: uint8 structure_needs_at_least_one_member
std_srvs/srv/Trigger_Response: bool success, string message
simulation_interfaces/msg/Result: uint8 result, string error_message
simulation_interfaces/msg/SimulationState: uint8 state
simulation_interfaces/msg/Resource: string uri, string resource_string
simulation_interfaces/srv/GetSimulationState_Request: uint8 structure_needs_at_least_one_member
simulation_interfaces/srv/GetSimulationState_Response: simulation_interfaces/SimulationState state, simulation_interfaces/Result result
simulation_interfaces/srv/SetSimulationState_Request: simulation_interfaces/SimulationState state
simulation_interfaces/srv/SetSimulationState_Response: simulation_interfaces/Result result
simulation_interfaces/srv/StepSimulation_Request: uint64 steps
simulation_interfaces/srv/StepSimulation_Response: simulation_interfaces/Result result
simulation_interfaces/srv/ResetSimulation_Request: uint8 scope
simulation_interfaces/srv/ResetSimulation_Response: simulation_interfaces/Result result
simulation_interfaces/srv/SpawnEntity_Request: string name, bool allow_renaming, simulation_interfaces/Resource entity_resource, string entity_namespace, geometry_msgs/PoseStamped initial_pose
simulation_interfaces/srv/SpawnEntity_Response: simulation_interfaces/Result result, string entity_name
"""  # noqa: E501

PRIMITIVES: Final = MappingProxyType(
    {
        "bool": ("?", 1),
        "int8": ("b", 1),
        "uint8": ("B", 1),
        "int16": ("h", 2),
        "uint16": ("H", 2),
        "int32": ("i", 4),
        "uint32": ("I", 4),
        "int64": ("q", 8),
        "uint64": ("Q", 8),
        "float32": ("f", 4),
        "float64": ("d", 8),
    }
)
"""Code of `struct` and bytes of what is a single number."""

EMPTY: Final = "structure_needs_at_least_one_member"
"""Name of the field that ROS gives to messages without fields."""

_FIELD: Final = re.compile(r"([\w/]+)(\[(\d*)\])? (\w+)")


@dataclass(frozen=True, slots=True)
class MessageField:
    """A field of a message.

    Attributes:
        name: Its name.
        kind: A primitive type, `string`, or a full name such as `std_msgs/msg/Header`.
        count: Of a fixed array; 0 = of a sequence; None = it is a single value.
    """

    name: str
    kind: str
    count: int | None


@dataclass(frozen=True, slots=True)
class Definition:
    """A message: its full name and fields."""

    name: str
    fields: tuple[MessageField, ...]

    @property
    def dds_name(self) -> str:
        """Name of the type on the wire of DDS."""
        package, kind, name = self.name.split("/")
        return f"{package}::{kind}::dds_::{name}_"


def _parse(line: str) -> Definition:
    name, _, rest = line.partition(": ")
    fields: list[MessageField] = []
    for text in rest.split(", "):
        found = _FIELD.fullmatch(text)
        assert found, text
        kind = found[1].replace("/", "/msg/")
        count = None if found[2] is None else int(found[3] or 0)
        fields.append(MessageField(found[4], kind, count))
    return Definition(name, tuple(fields))


DEFINITIONS: Final = MappingProxyType(
    {item.name: item for item in map(_parse, _TEXT.strip().splitlines())}
)
"""By full name, such as `sensor_msgs/msg/Imu`."""


_CALLER: Final = (MessageField("guid", "uint64", None), MessageField("seq", "int64", None))
_MARK: Final = "+caller"


def definition(name: str) -> Definition:
    """Return a message by its full name, also one of those that say who calls."""
    plain = DEFINITIONS[name.removesuffix(_MARK)]
    return Definition(plain.name, _CALLER + plain.fields) if name.endswith(_MARK) else plain


def with_caller(name: str) -> str:
    """Return the name of a request or response that says first who calls, as Cyclone's has it."""
    return f"{name}{_MARK}"


@cache
def parts_of(name: str) -> tuple[str, ...]:
    """Return the names of the messages that a message is made of, itself first, each once."""
    found = dict.fromkeys([name])
    for part in _direct_parts(name):
        found |= dict.fromkeys(parts_of(part))
    return tuple(found)


def _direct_parts(name: str) -> Iterator[str]:
    for item in DEFINITIONS[name].fields:
        if item.kind in DEFINITIONS:
            yield item.kind


@cache
def message_text(name: str) -> str:
    """Return the definition of a message and of its parts as bags carry it (encoding `ros2msg`)."""
    texts: list[str] = []
    for part in parts_of(name):
        head = "" if part == name else f"{'=' * 80}\nMSG: {_short(part)}\n"
        texts.append(head + "".join(map(_line, DEFINITIONS[part].fields)))
    return "\n".join(texts)


def _line(item: MessageField) -> str:
    if item.name == EMPTY:
        return ""
    size = "" if item.count is None else f"[{item.count or ''}]"
    return f"{_short(item.kind)}{size} {item.name}\n"


def _short(name: str) -> str:
    return name.replace("/msg/", "/")
