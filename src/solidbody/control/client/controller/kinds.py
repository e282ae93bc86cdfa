# GENERATED FILE, DO NOT EDIT: python tools/make_client.py
"""Classes of devices, those of plain sensors among them, and node types."""

from .camera import Camera
from .connector import Connector
from .display import Display
from .emitter import Emitter
from .led import LED
from .lidar import Lidar
from .motor import Brake, Motor, PositionSensor
from .pen import Pen
from .radar import Radar
from .range_finder import RangeFinder
from .receiver import Receiver
from .sensors import (
    GPS,
    CurveSensor,
    DistanceSensor,
    InertialUnit,
    NumberSensor,
    TouchSensor,
    VectorSensor,
)
from .skin import Skin
from .speaker import Speaker
from .vacuum_gripper import VacuumGripper


class Accelerometer(VectorSensor):
    """Acceleration minus gravity [m/s^2]."""


class Altimeter(NumberSensor):
    """Height [m]."""


class Compass(VectorSensor):
    """Direction of north."""


class Gyro(VectorSensor):
    """Angular velocity [rad/s]."""


class LightSensor(CurveSensor):
    """Light, through a lookup table."""


CLASSES = {
    "ACCELEROMETER": Accelerometer,
    "ALTIMETER": Altimeter,
    "BRAKE": Brake,
    "CAMERA": Camera,
    "COMPASS": Compass,
    "CONNECTOR": Connector,
    "DISPLAY": Display,
    "DISTANCE_SENSOR": DistanceSensor,
    "EMITTER": Emitter,
    "GPS": GPS,
    "GYRO": Gyro,
    "INERTIAL_UNIT": InertialUnit,
    "LED": LED,
    "LIDAR": Lidar,
    "LIGHT_SENSOR": LightSensor,
    "LINEAR_MOTOR": Motor,
    "PEN": Pen,
    "POSITION_SENSOR": PositionSensor,
    "RADAR": Radar,
    "RANGE_FINDER": RangeFinder,
    "RECEIVER": Receiver,
    "ROTATIONAL_MOTOR": Motor,
    "SKIN": Skin,
    "SPEAKER": Speaker,
    "TOUCH_SENSOR": TouchSensor,
    "VACUUM_GRIPPER": VacuumGripper,
}
"""Class of each node type."""

MODULES = {
    "accelerometer": Accelerometer,
    "altimeter": Altimeter,
    "brake": Brake,
    "camera": Camera,
    "compass": Compass,
    "connector": Connector,
    "display": Display,
    "distance_sensor": DistanceSensor,
    "emitter": Emitter,
    "gps": GPS,
    "gyro": Gyro,
    "inertial_unit": InertialUnit,
    "led": LED,
    "lidar": Lidar,
    "light_sensor": LightSensor,
    "motor": Motor,
    "pen": Pen,
    "position_sensor": PositionSensor,
    "radar": Radar,
    "range_finder": RangeFinder,
    "receiver": Receiver,
    "skin": Skin,
    "speaker": Speaker,
    "touch_sensor": TouchSensor,
    "vacuum_gripper": VacuumGripper,
}
"""Class in each of Webots' modules: `from controller.motor import Motor`."""

_NODE_TYPES = """
NO_NODE APPEARANCE BACKGROUND BILLBOARD BOX CAD_SHAPE CAPSULE COLOR CONE COORDINATE CYLINDER
DIRECTIONAL_LIGHT ELEVATION_GRID FOG GROUP IMAGE_TEXTURE INDEXED_FACE_SET INDEXED_LINE_SET MATERIAL
MESH MUSCLE NORMAL PBR_APPEARANCE PLANE POINT_LIGHT POINT_SET POSE SHAPE SPHERE SPOT_LIGHT
TEXTURE_COORDINATE TEXTURE_TRANSFORM TRANSFORM VIEWPOINT ROBOT ACCELEROMETER ALTIMETER BRAKE CAMERA
COMPASS CONNECTOR DISPLAY DISTANCE_SENSOR EMITTER GPS GYRO INERTIAL_UNIT LED LIDAR LIGHT_SENSOR
LINEAR_MOTOR PEN POSITION_SENSOR PROPELLER RADAR RANGE_FINDER RECEIVER ROTATIONAL_MOTOR SKIN SPEAKER
TOUCH_SENSOR VACUUM_GRIPPER BALL_JOINT BALL_JOINT_PARAMETERS CHARGER CONTACT_PROPERTIES DAMPING
FLUID FOCUS HINGE_JOINT HINGE_JOINT_PARAMETERS HINGE_2_JOINT IMMERSION_PROPERTIES JOINT_PARAMETERS
LENS LENS_FLARE PHYSICS RECOGNITION SLIDER_JOINT SLOT SOLID SOLID_REFERENCE TRACK TRACK_WHEEL
WORLD_INFO ZOOM MICROPHONE RADIO
"""
NODE_TYPES = tuple(_NODE_TYPES.split())
"""Node types by name, in the order of their numbers (that of the R2023b headers)."""

__all__ = [
    "GPS",
    "LED",
    "Accelerometer",
    "Altimeter",
    "Brake",
    "Camera",
    "Compass",
    "Connector",
    "Display",
    "DistanceSensor",
    "Emitter",
    "Gyro",
    "InertialUnit",
    "Lidar",
    "LightSensor",
    "Motor",
    "Pen",
    "PositionSensor",
    "Radar",
    "RangeFinder",
    "Receiver",
    "Skin",
    "Speaker",
    "TouchSensor",
    "VacuumGripper",
]
