"""Values that Webots does not accept: what each becomes, and the whole message (rule W1.3.6).

Rows: section, the node that is wrong, the field, and the message about it.
"""

from __future__ import annotations

import pytest

from solidbody.base.diagnostics import Severity
from tests.formats.reading import PHYSICS, SPHERE, codes, read

END = f'endPoint Solid {{ name "end" {SPHERE} {PHYSICS} }}'
ABS = "must be >= 0, got -3; changed to 3."
POSITIVE = "must be > 0, got %s; reset to %s."
NOT_NEGATIVE = "must be >= 0, got %s; reset to %s."
UNIT = "must be between 0 and 1, got %s; reset to %s."
POSITIVE_OR_OFF = "must be > 0, or -1, got %s; reset to -1."

WORLDS = {
    "WorldInfo": "%s",
    "ContactProperties": "WorldInfo { contactProperties [ %s ] }",
    "Damping": "WorldInfo { defaultDamping %s }",
    "Geometry": "Solid { boundingObject %s }",
    "Solid": "%s",
    "Physics": f"Solid {{ {SPHERE} physics %s }}",
    "Hinge": f"Robot {{ {SPHERE} {PHYSICS} children HingeJoint {{ jointParameters %s {END} }} }}",
    "Slider": f"Robot {{ {SPHERE} {PHYSICS} children SliderJoint {{ jointParameters %s {END} }} }}",
    "Ball": f"Robot {{ {SPHERE} {PHYSICS} children BallJoint {{ jointParameters %s {END} }} }}",
    "Motor": f"Robot {{ {SPHERE} {PHYSICS} children HingeJoint {{ device %s {END} }} }}",
    "LinearMotor": f"Robot {{ {SPHERE} {PHYSICS} children SliderJoint {{ device %s {END} }} }}",
    "Immersion": f"Solid {{ {SPHERE} {PHYSICS} immersionProperties %s }}",
    "Device": f"Robot {{ {SPHERE} {PHYSICS} children %s }}",
    "Track": f"Robot {{ {SPHERE} {PHYSICS} children Track {{ {SPHERE} {PHYSICS} children %s }} }}",
}

ROWS: list[tuple[str, str, str, str]] = [
    # WorldInfo
    ("WorldInfo", "WorldInfo { CFM 0 }", "CFM", POSITIVE % (0, "1e-05")),
    ("WorldInfo", "WorldInfo { CFM -1 }", "CFM", POSITIVE % (-1, "1e-05")),
    ("WorldInfo", "WorldInfo { ERP -0.1 }", "ERP", UNIT % (-0.1, 0.2)),
    ("WorldInfo", "WorldInfo { ERP 1.5 }", "ERP", UNIT % (1.5, 0.2)),
    ("WorldInfo", "WorldInfo { basicTimeStep 0 }", "basicTimeStep", POSITIVE % (0, 32)),
    ("WorldInfo", "WorldInfo { FPS -1 }", "FPS", POSITIVE % (-1, 60)),
    ("WorldInfo", "WorldInfo { lineScale -1 }", "lineScale", "must be >= 0, got -1; changed to 0."),
    (
        "WorldInfo",
        "WorldInfo { randomSeed -2 }",
        "randomSeed",
        "must be >= 0, or -1, got -2; reset to 0.",
    ),
    (
        "WorldInfo",
        'WorldInfo { coordinateSystem "NED" }',
        "coordinateSystem",
        'must be one of "ENU", "NUE", "EUN", got "NED"; reset to "ENU".',
    ),
    (
        "WorldInfo",
        'WorldInfo { gpsCoordinateSystem "moon" }',
        "gpsCoordinateSystem",
        'must be one of "local", "WGS84", got "moon"; reset to "local".',
    ),
    # 1.8, 3.3 geometries reset their own sizes
    ("Geometry", "Box { size 1 0 1 }", "size", POSITIVE % ("1 0 1", "2 2 2")),
    ("Geometry", "Sphere { radius 0 }", "radius", POSITIVE % (0, 1)),
    ("Geometry", "Cylinder { radius -1 }", "radius", POSITIVE % (-1, 1)),
    ("Geometry", "Cylinder { height 0 }", "height", POSITIVE % (0, 2)),
    ("Geometry", "Capsule { radius 0 }", "radius", POSITIVE % (0, 1)),
    ("Geometry", "Capsule { height -1 }", "height", POSITIVE % (-1, 2)),
    ("Geometry", "Plane { size 0 1 }", "size", POSITIVE % ("0 1", "1 1")),
    # Solid
    (
        "Solid",
        "Solid { radarCrossSection -1 }",
        "radarCrossSection",
        NOT_NEGATIVE % (-1, 0),
    ),
    (
        "Solid",
        "Solid { recognitionColors [ 2 0 0 ] }",
        "recognitionColors",
        "must be between 0 and 1, got a list; changed to [1 0 0].",
    ),
    # Physics, Damping
    (
        "Physics",
        "Physics { density -1 mass -1 }",
        "density",
        "either density or mass must be > 0; density is reset to 1000 kg/m^3.",
    ),
    ("Physics", "Physics { mass -5 }", "mass", "must be > 0 or -1, got -5; reset to -1."),
    ("Damping", "Damping { linear 1.5 }", "linear", UNIT % (1.5, 0.2)),
    ("Damping", "Damping { angular -0.1 }", "angular", UNIT % (-0.1, 0.2)),
    # ContactProperties
    (
        "ContactProperties",
        "ContactProperties { coulombFriction [ 0.5 -2 ] }",
        "coulombFriction",
        "must be >= 0, or -1, got a list; changed to [0.5, 1].",
    ),
    (
        "ContactProperties",
        "ContactProperties { coulombFriction [ ] }",
        "coulombFriction",
        "takes 1 to 4 values, got 0; the default is used.",
    ),
    (
        "ContactProperties",
        "ContactProperties { forceDependentSlip [ 1 2 3 4 5 ] }",
        "forceDependentSlip",
        "takes 1 to 4 values, got 5; the first 4 are used.",
    ),
    (
        "ContactProperties",
        "ContactProperties { rollingFriction 1 -2 3 }",
        "rollingFriction",
        "must be >= 0, or -1, got 1 -2 3; changed to 1 0 3.",
    ),
    ("ContactProperties", "ContactProperties { bounce -1 }", "bounce", UNIT % (-1, 0.5)),
    (
        "ContactProperties",
        "ContactProperties { bounceVelocity -1 }",
        "bounceVelocity",
        NOT_NEGATIVE % (-1, 0.01),
    ),
    ("ContactProperties", "ContactProperties { softERP 2 }", "softERP", UNIT % (2, 0.2)),
    ("ContactProperties", "ContactProperties { softCFM 0 }", "softCFM", POSITIVE % (0, 0.001)),
    (
        "ContactProperties",
        "ContactProperties { maxContactJoints 0 }",
        "maxContactJoints",
        POSITIVE % (0, 10),
    ),
    # parameters of all kinds
    *(
        (place, f"{node} {{ {field} -3 }}", field, ABS)
        for place, node in (
            ("Hinge", "HingeJointParameters"),
            ("Slider", "JointParameters"),
            ("Ball", "BallJointParameters"),
        )
        for field in ("springConstant", "dampingConstant", "staticFriction")
    ),
    *(
        ("Hinge", f"HingeJointParameters {{ {field} -3 }}", field, ABS)
        for field in ("suspensionSpringConstant", "suspensionDampingConstant")
    ),
    (
        "Hinge",
        "HingeJointParameters { axis 0 0 0 }",
        "axis",
        "the axis is null; reset to 0 0 1.",
    ),
    (
        "Slider",
        "JointParameters { axis 0 0 0 }",
        "axis",
        "the axis is null; reset to 0 0 1.",
    ),
    (
        "Hinge",
        "HingeJointParameters { minStop -4 maxStop 1 }",
        "minStop",
        "a stop at or below -pi is not effective.",
    ),
    (
        "Hinge",
        "HingeJointParameters { minStop -1 maxStop 4 }",
        "maxStop",
        "a stop at or above pi is not effective.",
    ),
    (
        "Slider",
        "JointParameters { position 2 minStop -1 maxStop 1 }",
        "position",
        "position 2 lies outside [minStop, maxStop] = [-1, 1].",
    ),
    # 7.4, 7.6 motors and sensors
    ("Motor", "RotationalMotor { maxVelocity -3 }", "maxVelocity", ABS),
    ("Motor", "RotationalMotor { maxTorque -3 }", "maxTorque", NOT_NEGATIVE % (-3, 10)),
    ("LinearMotor", "LinearMotor { maxVelocity -3 }", "maxVelocity", ABS),
    ("LinearMotor", "LinearMotor { maxForce -3 }", "maxForce", NOT_NEGATIVE % (-3, 10)),
    (
        "Motor",
        "RotationalMotor { acceleration -3 }",
        "acceleration",
        "must be >= 0, or -1, got -3; reset to -1.",
    ),
    (
        "Motor",
        "RotationalMotor { multiplier 0 }",
        "multiplier",
        "must be other than 0, got 0; reset to 1.",
    ),
    (
        "Motor",
        "RotationalMotor { controlPID 0 0 0 }",
        "controlPID",
        "the gain P should be > 0.",
    ),
    (
        "Motor",
        "RotationalMotor { controlPID 1 -1 0 }",
        "controlPID",
        "the gain I should be >= 0.",
    ),
    (
        "Motor",
        "RotationalMotor { controlPID 1 0 -1 }",
        "controlPID",
        "the gain D should be >= 0.",
    ),
    (
        "Motor",
        "RotationalMotor { minPosition 1 maxPosition 2 }",
        "minPosition",
        "the joint starts at 0, outside the motor's limits; they are widened to [0, 2].",
    ),
    (
        "Motor",
        "RotationalMotor { minPosition -2 maxPosition -1 }",
        "maxPosition",
        "the joint starts at 0, outside the motor's limits; they are widened to [-2, 0].",
    ),
    ("Motor", "PositionSensor { resolution 0 }", "resolution", POSITIVE_OR_OFF % 0),
    ("Motor", "PositionSensor { noise -1 }", "noise", NOT_NEGATIVE % (-1, 0)),
    # 7.8, 7.9
    ("Track", "TrackWheel { radius 0 }", "radius", POSITIVE % (0, 0.1)),
    (
        "Device",
        "Propeller { shaftAxis 0 0 0 }",
        "shaftAxis",
        "the axis is null; reset to 0 1 0.",
    ),
    # 8
    ("Solid", "Fluid { density 0 }", "density", POSITIVE % (0, 1000)),
    ("Solid", "Fluid { viscosity -1 }", "viscosity", NOT_NEGATIVE % (-1, 0.001)),
    (
        "Immersion",
        'ImmersionProperties { referenceArea "wet" }',
        "referenceArea",
        'must be one of "immersed area", "xyz-projected area", got "wet"; reset to "immersed area".',
    ),
    *(
        (
            "Immersion",
            f"ImmersionProperties {{ {field} 0 -1 0 }}",
            field,
            NOT_NEGATIVE % ("0 -1 0", "0 0 0"),
        )
        for field in ("dragForceCoefficients", "dragTorqueCoefficients")
    ),
    *(
        ("Immersion", f"ImmersionProperties {{ {field} -1 }}", field, NOT_NEGATIVE % (-1, 0))
        for field in ("viscousResistanceForceCoefficient", "viscousResistanceTorqueCoefficient")
    ),
    # resolutions: other than -1 they are > 0
    *(
        ("Device", f"{node} {{ resolution 0 }}", "resolution", POSITIVE_OR_OFF % 0)
        for node in (
            *("Accelerometer", "Gyro", "InertialUnit", "Compass", "GPS", "Altimeter"),
            *("DistanceSensor", "TouchSensor", "LightSensor", "RangeFinder", "Lidar"),
        )
    ),
    *(
        (
            "Device",
            f"{node} {{ lookupTable [ 1 0 0, 0 1 0 ] }}",
            "lookupTable",
            "the inputs of a lookup table must increase; "
            "the rows are sorted and repeated ones dropped.",
        )
        for node in ("Accelerometer", "Gyro", "Compass", "DistanceSensor", "LightSensor")
    ),
    # other devices
    ("Device", "GPS { noiseCorrelation 2 }", "noiseCorrelation", UNIT % (2, 0)),
    (
        "Device",
        'GPS { type "cellular" }',
        "type",
        'must be one of "satellite", "laser", got "cellular"; reset to "satellite".',
    ),
    (
        "Device",
        'DistanceSensor { type "radio" }',
        "type",
        '"radio" is no type of distance sensor (known: generic, infra-red, sonar, laser); '
        "it acts as a sonar.",
    ),
    ("Device", "DistanceSensor { aperture -3 }", "aperture", ABS),
    ("Device", "DistanceSensor { gaussianWidth 0 }", "gaussianWidth", POSITIVE % (0, 1)),
    (
        "Device",
        'DistanceSensor { type "laser" numberOfRays 3 }',
        "numberOfRays",
        "a laser has one ray, got 3; reset to 1.",
    ),
    (
        "Device",
        'TouchSensor { type "soft" }',
        "type",
        'must be one of "bumper", "force", "force-3d", got "soft"; reset to "bumper".',
    ),
    (
        "Device",
        "Robot { battery [ 1 2 3 4 ] }",
        "battery",
        "takes 3 values (energy, capacity, charging power) or none, got 4; the rest is ignored.",
    ),
]


@pytest.mark.parametrize(("place", "node", "field", "text"), ROWS, ids=[row[1] for row in ROWS])
def test_value_that_webots_does_not_accept(place: str, node: str, field: str, text: str) -> None:
    _, log = read(WORLDS[place] % node)
    assert len(log.items) == 1, [str(item) for item in log]
    (found,) = log.items
    assert (found.severity, found.field, found.text) == (Severity.WARNING, field, text)
    assert found.node.endswith(node.split()[0])


def test_at_load_no_message_about_threads_and_zero_thresholds() -> None:
    """A thread count above what is there warns only when it is changed at run time."""
    _, log = read("WorldInfo { optimalThreadCount 64 physicsDisableTime 0 basicTimeStep 0.5 }")
    assert codes(log) == []
