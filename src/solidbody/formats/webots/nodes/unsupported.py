"""Rows of the node types that are known but not simulated yet.

Their base part counts: a device is a solid with shapes and mass. Their own fields are not listed
until they are supported, so files that use them load without complaints about those fields.

Source: Webots reference manual R2025a (node chart).
"""

from __future__ import annotations

from solidbody.formats.webots.table import Field, FieldType, Node


def _later(name: str, base: str, why: str, *fields: Field, can_be_used: bool = True) -> Node:
    return Node(
        name,
        base=base,
        fields=fields,
        unsupported=why,
        has_all_fields=False,
        can_be_used=can_be_used,
    )


def _device(name: str, default_name: str) -> Node:
    row = Field("name", FieldType.SFString, default_name, to="DeviceUnknown.name")
    why = "the device does not work yet; its shapes and mass count"
    return _later(name, "Device", why, row, can_be_used=False)


_NOT_DRAWN = "not drawn yet"
_NOT_COLLIDING = "not drawn yet and does not collide yet"
_NOT_YET = "not simulated yet"

UNSUPPORTED_ROWS = (
    Node("Device", base="Solid", is_abstract=True, can_be_used=False),
    _device("Accelerometer", "accelerometer"),
    _device("Altimeter", "altimeter"),
    _device("Camera", "camera"),
    _device("Compass", "compass"),
    _device("Connector", "connector"),
    _device("Display", "display"),
    _device("DistanceSensor", "distance sensor"),
    _device("Emitter", "emitter"),
    _device("GPS", "gps"),
    _device("Gyro", "gyro"),
    _device("InertialUnit", "inertial unit"),
    _device("LED", "led"),
    _device("Lidar", "lidar"),
    _device("LightSensor", "light sensor"),
    _device("Microphone", "microphone"),
    _device("Pen", "pen"),
    _device("Radar", "radar"),
    _device("Radio", "radio"),
    _device("RangeFinder", "range-finder"),
    _device("Receiver", "receiver"),
    _device("Speaker", "speaker"),
    _device("TouchSensor", "touch sensor"),
    _device("Track", "track"),
    _device("VacuumGripper", "vacuum gripper"),
    _later(
        "Charger",
        "Solid",
        "it does not charge yet; its shapes count",
        Field("name", FieldType.SFString, "charger", to="Link.name"),
        can_be_used=False,
    ),
    _later("BallJoint", "Joint", "its end point is left out", can_be_used=False),
    _later("Hinge2Joint", "Joint", "its end point is left out", can_be_used=False),
    _later("BallJointParameters", "", _NOT_YET, can_be_used=False),
    _later("SolidReference", "", "closed loops are not built yet"),
    _later("TrackWheel", "", "its shapes are left out", can_be_used=False),
    _later("Propeller", "", _NOT_YET, can_be_used=False),
    _later("Muscle", "", _NOT_DRAWN),
    _later("Slot", "", "what it holds is left out"),
    _later("Skin", "", _NOT_DRAWN),
    _later("Fluid", "Pose", "fluids are not simulated yet", can_be_used=False),
    _later("ImmersionProperties", "", "fluids are not simulated yet"),
    _later("Billboard", "Group", "drawn fixed in the world"),
    _later("CadShape", "", _NOT_DRAWN),
    _later("Cone", "Geometry", _NOT_DRAWN),
    _later("ElevationGrid", "Geometry", _NOT_COLLIDING),
    _later("IndexedFaceSet", "Geometry", _NOT_COLLIDING),
    _later("IndexedLineSet", "Geometry", _NOT_DRAWN),
    _later("Mesh", "Geometry", _NOT_COLLIDING),
    _later("PointSet", "Geometry", _NOT_DRAWN),
    _later("Color", "", _NOT_DRAWN),
    _later("Coordinate", "", _NOT_DRAWN),
    _later("Normal", "", _NOT_DRAWN),
    _later("TextureCoordinate", "", _NOT_DRAWN),
    _later("Focus", "", _NOT_YET),
    _later("Lens", "", _NOT_YET),
    _later("LensFlare", "", _NOT_DRAWN),
    _later("Recognition", "", _NOT_YET),
    _later("Zoom", "", _NOT_YET),
)
