"""Defaults of the fields of Webots' nodes (rules W1.3.5, W1.8.1).

The values are typed from its node definitions, not from the table that is tested.
"""

from __future__ import annotations

import math
from typing import Any

import pytest

from solidbody.formats.webots.nodes import NODES
from tests.formats.reading import read_clean

SOUNDS = "webots://projects/default/worlds/sounds/"
ZERO = (0.0, 0.0, 0.0)
NO_TURN = (0.0, 0.0, 1.0, 0.0)
AXES = {"xAxis": True, "yAxis": True, "zAxis": True}
MOTOR: dict[str, Any] = {
    "acceleration": -1,
    "consumptionFactor": 10,
    "controlPID": (10, 0, 0),
    "maxVelocity": 10,
    "minPosition": 0,
    "maxPosition": 0,
    "multiplier": 1,
    "muscles": None,
}
AXIS: dict[str, Any] = {
    "position": 0,
    "minStop": 0,
    "maxStop": 0,
    "springConstant": 0,
    "dampingConstant": 0,
    "staticFriction": 0,
}
LINE: dict[str, Any] = {
    "type": "radio",
    "aperture": -1,
    "channel": 0,
    "baudRate": -1,
    "byteSize": 8,
    "bufferSize": -1,
    "allowedChannels": (),
}

DEFAULTS: dict[str, dict[str, Any]] = {
    # geometries
    "Box": {"size": (2, 2, 2)},
    "Sphere": {"radius": 1, "subdivision": 1, "ico": True},
    "Cylinder": {
        "radius": 1,
        "height": 2,
        "bottom": True,
        "side": True,
        "top": True,
        "subdivision": 36,
    },
    "Capsule": {"radius": 1, "height": 2, "subdivision": 12},
    "Cone": {"bottomRadius": 1, "height": 2},
    "Plane": {"size": (1, 1)},
    "ElevationGrid": {
        "xDimension": 0,
        "yDimension": 0,
        "xSpacing": 1,
        "ySpacing": 1,
        "height": (),
        "thickness": 1,
    },
    "Pose": {"translation": ZERO, "rotation": NO_TURN},
    "Transform": {"scale": (1, 1, 1)},
    # 2
    "WorldInfo": {
        "info": (),
        "title": "",
        "window": "<none>",
        "gravity": 9.81,
        "CFM": 1e-5,
        "ERP": 0.2,
        "physics": "<none>",
        "basicTimeStep": 32,
        "FPS": 60,
        "optimalThreadCount": 1,
        "physicsDisableTime": 1,
        "physicsDisableLinearThreshold": 0.01,
        "physicsDisableAngularThreshold": 0.01,
        "defaultDamping": None,
        "inkEvaporation": 0,
        "coordinateSystem": "ENU",
        "gpsCoordinateSystem": "local",
        "gpsReference": ZERO,
        "lineScale": 0.1,
        "dragForceScale": 30,
        "dragTorqueScale": 5,
        "randomSeed": 0,
        "contactProperties": None,
        "northDirection": (0, 1, 0),
        "fast2d": "",
    },
    # 3
    "Solid": {
        "translation": ZERO,
        "rotation": NO_TURN,
        "children": None,
        "name": "solid",
        "model": "",
        "description": "",
        "contactMaterial": "default",
        "immersionProperties": None,
        "boundingObject": None,
        "physics": None,
        "locked": False,
        "radarCrossSection": 0,
        "recognitionColors": (),
        "translationStep": 0.01,
        "rotationStep": 0.261799387,
        "linearVelocity": ZERO,
        "angularVelocity": ZERO,
    },
    # 4
    "Physics": {
        "density": 1000,
        "mass": -1,
        "centerOfMass": (),
        "inertiaMatrix": (),
        "damping": None,
    },
    "Damping": {"linear": 0.2, "angular": 0.2},
    # 5
    "ContactProperties": {
        "material1": "default",
        "material2": "default",
        "coulombFriction": (1,),
        "frictionRotation": (0, 0),
        "rollingFriction": ZERO,
        "bounce": 0.5,
        "bounceVelocity": 0.01,
        "forceDependentSlip": (0,),
        "softERP": 0.2,
        "softCFM": 0.001,
        "bumpSound": f"{SOUNDS}bump.wav",
        "rollSound": f"{SOUNDS}roll.wav",
        "slideSound": f"{SOUNDS}slide.wav",
        "maxContactJoints": 10,
    },
    # 7
    "JointParameters": {**AXIS, "axis": (0, 0, 1)},
    "HingeJointParameters": {
        **AXIS,
        "axis": (1, 0, 0),
        "anchor": ZERO,
        "suspensionSpringConstant": 0,
        "suspensionDampingConstant": 0,
        "suspensionAxis": (1, 0, 0),
        "stopERP": -1,
        "stopCFM": -1,
    },
    "BallJointParameters": {**AXIS, "anchor": ZERO},
    "RotationalMotor": {
        **MOTOR,
        "name": "rotational motor",
        "maxTorque": 10,
        "sound": f"{SOUNDS}rotational_motor.wav",
    },
    "LinearMotor": {
        **MOTOR,
        "name": "linear motor",
        "maxForce": 10,
        "sound": f"{SOUNDS}linear_motor.wav",
    },
    "PositionSensor": {"noise": 0, "resolution": -1},
    "Track": {
        "device": None,
        "textureAnimation": (0, 0),
        "animatedGeometry": None,
        "geometriesCount": 10,
    },
    "TrackWheel": {"position": (0, 0), "radius": 0.1, "inner": True},
    "Propeller": {
        "shaftAxis": (1, 0, 0),
        "centerOfThrust": ZERO,
        "thrustConstants": (1, 0),
        "torqueConstants": (1, 0),
        "fastHelixThreshold": 75.4,
        "device": None,
        "fastHelix": None,
        "slowHelix": None,
    },
    "Muscle": {
        "volume": 0.01,
        "startOffset": ZERO,
        "endOffset": ZERO,
        "color": (),
        "castShadows": True,
        "visible": True,
    },
    # 8
    "Fluid": {
        "name": "fluid",
        "density": 1000,
        "viscosity": 0.001,
        "streamVelocity": ZERO,
        "boundingObject": None,
        "locked": False,
    },
    "ImmersionProperties": {
        "fluidName": "",
        "referenceArea": "immersed area",
        "dragForceCoefficients": ZERO,
        "dragTorqueCoefficients": ZERO,
        "viscousResistanceForceCoefficient": 0,
        "viscousResistanceTorqueCoefficient": 0,
    },
    # 9.1
    "Accelerometer": {"name": "accelerometer", "lookupTable": (), **AXES, "resolution": -1},
    "Gyro": {"name": "gyro", "lookupTable": (), **AXES, "resolution": -1},
    "InertialUnit": {"name": "inertial unit", "noise": 0, **AXES, "resolution": -1},
    "Compass": {"name": "compass", "lookupTable": (), **AXES, "resolution": -1},
    "GPS": {
        "name": "gps",
        "type": "satellite",
        "accuracy": 0,
        "noiseCorrelation": 0,
        "resolution": -1,
        "speedNoise": 0,
        "speedResolution": -1,
    },
    "Altimeter": {"name": "altimeter", "accuracy": 0, "resolution": -1},
    # 9.2
    "DistanceSensor": {
        "name": "distance sensor",
        "lookupTable": ((0, 0, 0), (0.1, 1000, 0)),
        "type": "generic",
        "numberOfRays": 1,
        "aperture": 1.5708,
        "gaussianWidth": 1,
        "resolution": -1,
        "redColorSensitivity": 1,
    },
    "TouchSensor": {
        "name": "touch sensor",
        "type": "bumper",
        "lookupTable": ((0, 0, 0), (5000, 50000, 0)),
        "resolution": -1,
    },
    "LightSensor": {
        "name": "light sensor",
        "lookupTable": ((0, 0, 0), (1, 1000, 0)),
        "colorFilter": (1, 1, 1),
        "occlusion": False,
        "resolution": -1,
    },
    "Radar": {
        "name": "radar",
        "minRange": 1,
        "maxRange": 50,
        "horizontalFieldOfView": 0.78,
        "verticalFieldOfView": 0.1,
        "minAbsoluteRadialSpeed": 0,
        "minRadialSpeed": 0,
        "maxRadialSpeed": 0,
        "cellDistance": 0,
        "cellSpeed": 0,
        "rangeNoise": 0,
        "speedNoise": 0,
        "angularNoise": 0,
        "antennaGain": 20,
        "frequency": 24,
        "transmittedPower": 20,
        "minDetectableSignal": -100,
        "occlusion": False,
    },
    # 9.3
    "Camera": {
        "name": "camera",
        "fieldOfView": 0.785398,
        "width": 64,
        "height": 64,
        "projection": "planar",
        "near": 0.01,
        "far": 0,
        "exposure": 1,
        "antiAliasing": False,
        "ambientOcclusionRadius": 0,
        "bloomThreshold": -1,
        "motionBlur": 0,
        "noise": 0,
        "noiseMaskUrl": "",
        "lens": None,
        "focus": None,
        "zoom": None,
        "recognition": None,
        "lensFlare": None,
    },
    "Lens": {"center": (0.5, 0.5), "radialCoefficients": (0, 0), "tangentialCoefficients": (0, 0)},
    "Focus": {"minFocalDistance": 0},
    "Zoom": {"maxFieldOfView": 1.5, "minFieldOfView": 0.5},
    "Recognition": {
        "maxRange": 100,
        "maxObjects": -1,
        "occlusion": 1,
        "frameColor": (1, 0, 0),
        "frameThickness": 1,
        "segmentation": False,
    },
    "RangeFinder": {
        "name": "range-finder",
        "fieldOfView": 0.785398,
        "width": 64,
        "height": 64,
        "projection": "planar",
        "near": 0.01,
        "minRange": 0.01,
        "maxRange": 1,
        "motionBlur": 0,
        "noise": 0,
        "resolution": -1,
        "lens": None,
    },
    "Lidar": {
        "name": "lidar",
        "tiltAngle": 0,
        "horizontalResolution": 512,
        "fieldOfView": 1.5708,
        "verticalFieldOfView": 0.2,
        "numberOfLayers": 4,
        "near": 0.01,
        "minRange": 0.01,
        "maxRange": 1,
        "type": "fixed",
        "projection": "cylindrical",
        "noise": 0,
        "resolution": -1,
        "defaultFrequency": 10,
        "minFrequency": 1,
        "maxFrequency": 25,
        "rotatingHead": None,
    },
    "Display": {"name": "display", "width": 64, "height": 64},
    # 9.4
    "Emitter": {"name": "emitter", **LINE, "range": -1, "maxRange": -1},
    "Receiver": {"name": "receiver", **LINE, "signalStrengthNoise": 0, "directionNoise": 0},
    "Connector": {
        "name": "connector",
        "type": "symmetric",
        "isLocked": False,
        "autoLock": False,
        "unilateralLock": True,
        "unilateralUnlock": True,
        "distanceTolerance": 0.01,
        "axisTolerance": 0.2,
        "rotationTolerance": 0.2,
        "numberOfRotations": 4,
        "snap": True,
        "tensileStrength": -1,
        "shearStrength": -1,
    },
    "VacuumGripper": {
        "name": "vacuum gripper",
        "isOn": False,
        "tensileStrength": -1,
        "shearStrength": -1,
        "contactPoints": 3,
    },
    # 9.5
    "LED": {"name": "led", "color": ((1, 0, 0),), "gradual": False},
    "Pen": {
        "name": "pen",
        "inkColor": ZERO,
        "inkDensity": 0.5,
        "leadSize": 0.002,
        "maxDistance": 0,
        "write": True,
    },
    "Speaker": {"name": "speaker"},
    "Charger": {
        "name": "charger",
        "battery": (),
        "radius": 0.04,
        "emissiveColor": (0, 1, 0),
        "gradual": True,
    },
    "Robot": {
        "name": "robot",
        "controller": "<generic>",
        "controllerArgs": (),
        "customData": "",
        "supervisor": False,
        "synchronization": True,
        "battery": (),
        "cpuConsumption": 10,
        "selfCollision": False,
        "window": "<generic>",
        "remoteControl": "<none>",
    },
    "Skin": {
        "name": "skin",
        "translation": ZERO,
        "rotation": NO_TURN,
        "scale": (1, 1, 1),
        "modelUrl": "",
        "appearance": None,
        "bones": None,
        "castShadows": True,
    },
}
DEFAULTS |= {
    # nodes that are gone: the manuals of releases 7 and R2018a
    "Servo": {
        **AXIS,
        "name": "servo",
        "type": "rotational",
        "maxVelocity": 10,
        "maxForce": 10,
        "controlP": 10,
        "acceleration": -1,
        "minPosition": 0,
        "maxPosition": 0,
    },
    "DifferentialWheels": {
        "motorConsumption": 0,
        "axleLength": 0.1,
        "wheelRadius": 0.01,
        "maxSpeed": 10,
        "maxAcceleration": 10,
        "speedUnit": 1,
        "slipNoise": 0.1,
        "encoderNoise": -1,
        "encoderResolution": -1,
        "maxForce": 0.3,
    },
}
ROWS = [(node, name, value) for node, fields in DEFAULTS.items() for name, value in fields.items()]


@pytest.mark.parametrize(("node", "field", "value"), ROWS, ids=[f"{n}.{f}" for n, f, _ in ROWS])
def test_field_that_is_not_written_has_the_default_of_the_specification(
    node: str, field: str, value: object
) -> None:
    assert NODES.fields(node)[field].default == value


def test_every_default_passes_its_own_check() -> None:
    for row in NODES:
        for field in NODES.fields(row.name).values():
            if field.check is None or field.default is None:
                continue
            flat = _flat(field.default)
            assert all(field.check.holds(item) for item in flat), f"{row.name}.{field.name}"


def _flat(value: Any) -> list[Any]:
    return [x for item in value for x in _flat(item)] if isinstance(value, tuple) else [value]


def test_defaults_of_a_world_in_the_units_of_the_model() -> None:
    physics = read_clean("").physics
    assert (physics.time_step, physics.gravity) == (0.032, (0.0, 0.0, -9.81))
    assert (physics.erp, physics.cfm) == (0.2, 1e-5)
    assert physics.sleeping is not None
    assert (
        physics.sleeping.time,
        physics.sleeping.linear_speed,
        physics.sleeping.angular_speed,
    ) == (1.0, 0.01, 0.01)
    assert read_clean("Solid { }").bodies[0].links[0].rotation_step == pytest.approx(math.pi / 12)
