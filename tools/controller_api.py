"""Write docs/controllers-api.md: every class and method of Webots' Python controllers, and how it is covered.

    python tools/controller_api.py

A method is there if our package has it, and tested if a controller in tests/control calls it. The names are
those of Webots' reference manual, R2023b to R2025a; those of devices are in the table of device kinds.
"""

from __future__ import annotations

import importlib
import re
import sys
from pathlib import Path

from solidbody.devices.core.kind import Client, DeviceKind
from solidbody.devices.kinds import KINDS, client_of

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "controllers-api.md"
CLIENT = ROOT / "src" / "solidbody" / "control" / "client"

SENSOR = "enable disable getSamplingPeriod"
DEVICES = sorted(
    (kind.client for kind in KINDS if kind.client is not None),
    key=lambda client: client.name.lower(),
)
NAMES: dict[str, str] = {
    "Robot": "step stepBegin stepEnd getDevice getDeviceByIndex getNumberOfDevices getBasicTimeStep getTime "
    "getName getModel getCustomData setCustomData getProjectPath getWorldPath getSupervisor "
    "getSynchronization getMode setMode getUrdf wwiSendText wwiReceiveText batterySensorEnable "
    "batterySensorDisable batterySensorGetSamplingPeriod batterySensorGetValue waitForUserInputEvent "
    "getKeyboard getMouse getJoystick getServo keyboardEnable keyboardDisable keyboardGetKey",
    "Device": "getName getModel getNodeType",
    **{kind.name: " ".join(kind.methods) for kind in DEVICES},
    "CameraRecognitionObject": "getId getPosition getOrientation getSize getPositionOnImage getSizeOnImage "
    "getNumberOfColors getColors getModel",
    "LidarPoint": "",
    "RadarTarget": "",
    "Keyboard": f"{SENSOR} getKey",
    "Mouse": f"{SENSOR} getState enable3dPosition disable3dPosition is3dPositionEnabled",
    "MouseState": "",
    "Joystick": f"{SENSOR} isConnected getModel getNumberOfAxes getAxisValue getNumberOfPovs getPovValue "
    "getPressedButton setConstantForce setConstantForceDuration setAutoCenteringGain "
    "setResistanceGain setForceAxis",
    "Motion": "isValid play stop setLoop setReverse isOver getDuration getTime setTime",
    "AnsiCodes": "",
    "Servo": "setMotorForce enablePosition disablePosition getPosition getPositionSamplingPeriod "
    "enableMotorForceFeedback disableMotorForceFeedback getMotorForceFeedback "
    "getMotorForceFeedbackSamplingPeriod",
    "DifferentialWheels": "setSpeed getLeftSpeed getRightSpeed enableEncoders disableEncoders "
    "getEncodersSamplingPeriod getLeftEncoder getRightEncoder setEncoders getMaxSpeed getSpeedUnit",
    "Supervisor": "getRoot getSelf getFromDef getFromId getFromDevice getSelected setLabel simulationQuit "
    "simulationSetMode simulationGetMode simulationReset simulationResetPhysics worldLoad worldSave "
    "worldReload exportImage movieStartRecording movieStopRecording movieIsReady movieFailed "
    "animationStartRecording animationStopRecording virtualRealityHeadsetIsUsed "
    "virtualRealityHeadsetGetPosition virtualRealityHeadsetGetOrientation",
    "Node": "getDef getId getType getTypeName getBaseTypeName getParentNode isProto getProto getFromProtoDef "
    "getField getFieldByIndex getNumberOfFields getBaseNodeField getBaseNodeFieldByIndex "
    "getNumberOfBaseNodeFields remove exportString getPosition getOrientation getPose "
    "enablePoseTracking disablePoseTracking getCenterOfMass getContactPoints "
    "enableContactPointsTracking disableContactPointsTracking getStaticBalance getVelocity setVelocity "
    "addForce addForceWithOffset addTorque resetPhysics setJointPosition saveState loadState "
    "restartController moveViewpoint setVisibility",
    "Proto": "getTypeName getParent isDerived getField getFieldByIndex getNumberOfFields",
    "Field": "getName getType getTypeName getCount getActualField enableSFTracking disableSFTracking "
    "getSFBool getSFInt32 getSFFloat getSFVec2f getSFVec3f getSFRotation getSFColor getSFString getSFNode "
    "getMFBool getMFInt32 getMFFloat getMFVec2f getMFVec3f getMFRotation getMFColor getMFString getMFNode "
    "setSFBool setSFInt32 setSFFloat setSFVec2f setSFVec3f setSFRotation setSFColor setSFString "
    "setMFBool setMFInt32 setMFFloat setMFVec2f setMFVec3f setMFRotation setMFColor setMFString "
    "insertMFBool insertMFInt32 insertMFFloat insertMFVec2f insertMFVec3f insertMFRotation insertMFColor "
    "insertMFString removeMF removeSF importMFNodeFromString importSFNodeFromString",
    "ContactPoint": "",
    "vehicle.Car": "getType getEngineType getTrackFront getTrackRear getWheelbase getFrontWheelRadius "
    "getRearWheelRadius getWheelEncoder getWheelSpeed getRightSteeringAngle getLeftSteeringAngle "
    "setRightSteeringAngle setLeftSteeringAngle getIndicatorPeriod setIndicatorPeriod getBackwardsLights "
    "getBrakeLights enableLimitedSlipDifferential enableIndicatorAutoDisabling",
    "vehicle.Driver": "step setSteeringAngle getSteeringAngle setCruisingSpeed getTargetCruisingSpeed "
    "getCurrentSpeed setThrottle getThrottle setBrakeIntensity getBrakeIntensity setGear getGear "
    "getGearNumber getRpm getControlMode setIndicator getIndicator setHazardFlashers getHazardFlashers "
    "setDippedBeams getDippedBeams setAntifogLights getAntifogLights setWiperMode getWiperMode",
}
"""Methods of each class; an empty text stands for a class of values only."""

REASONS: dict[tuple[str, str], str] = {}
"""(class, method) -> why it has no test."""


def called_methods() -> set[str]:
    """Return the names that tests of controllers call."""
    found: set[str] = set()
    for path in sorted((ROOT / "tests" / "control").glob("*.py")):
        text = path.read_text(encoding="utf-8")
        found |= set(re.findall(r"\.(\w+)\(", text))
        # `getattr(field, "get" + kind)`, where the kinds are words in quotes
        prefixes = re.findall(r'getattr\(\w+, "(\w+)" \+', text)
        found |= {first + word for first in prefixes for word in re.findall(r'"(\w+)"', text)}
    return found


def used_names() -> set[str]:
    """Return all words in tests of controllers."""
    found: set[str] = set()
    for path in sorted((ROOT / "tests" / "control").glob("*.py")):
        found |= set(re.findall(r"\w+", path.read_text(encoding="utf-8")))
    return found


def class_of(name: str) -> type | None:
    """Return a class of our package; None if there is none."""
    if str(CLIENT) not in sys.path:
        sys.path.insert(0, str(CLIENT))
    module, _, own = name.rpartition(".")
    return getattr(importlib.import_module(module or "controller"), own, None)


def state(name: str, method: str, called: set[str]) -> str:
    """Return "" for a tested method, else what is missing."""
    kind = class_of(name)
    if kind is None or not hasattr(kind, method):
        return REASONS.get((name, method), "not there")
    if method not in called:
        return REASONS.get((name, method), "not tested")
    return ""


def page() -> str:
    """Return the whole page."""
    called, words = called_methods(), used_names()
    rows: list[str] = []
    total = tested = 0
    for name, text in NAMES.items():
        methods = text.split()
        missing = {method: what for method in methods if (what := state(name, method, called))}
        total += len(methods)
        tested += len(methods) - len(missing)
        if not methods:
            is_there = class_of(name) is not None
            used = name.rpartition(".")[2] in words or _is_returned(name, words)
            status = "values; tested" if is_there and used else "values"
            rows.append(f"| `{name}` | {status} | |")
            continue
        gaps = "; ".join(f"`{method}`: {what}" for method, what in missing.items())
        rows.append(f"| `{name}` | {len(methods) - len(missing)} of {len(methods)} | {gaps} |")
    head = (
        "<!-- GENERATED FILE, DO NOT EDIT: python tools/controller_api.py -->\n\n"
        "# The controller API, class by class\n\n"
        "Every method below is called by a controller in a process of its own in `tests/control`, unless\n"
        "the last column says otherwise. Getters and setters are properties, too (`robot.time`).\n\n"
        f"{tested} of {total} methods are tested.\n\n"
        "| class | methods tested | the others |\n|---|---|---|\n"
    )
    return head + "\n".join(rows) + "\n\n" + devices_table()


def devices_table() -> str:
    """Return the names of each kind of device, and what recordings have of it."""
    head = (
        "## Devices\n\n"
        "A row of `devices/kinds.py` each. Classes have these names in Python, C++ and Java; functions of C\n"
        "and Matlab begin with the prefix. The last column tells what `--record` writes: numbers with their\n"
        "units, or messages of a schema of Foxglove's.\n\n"
        "| device | class | node type | prefix | recorded |\n|---|---|---|---|---|\n"
    )
    return head + "".join(_device_row(kind) for kind in KINDS if client_of(kind) or kind.channels)


def _device_row(kind: DeviceKind) -> str:
    client = client_of(kind)
    name = kind.model.__name__.removeprefix("Device")
    names = "| | | " if client is None else _names(client)
    return f"| {name} {names}| {_recorded(kind)} |\n"


def _names(client: Client) -> str:
    numbers = ", ".join(f"{name} {number}" for name, number in client.node_types.items())
    return f"| `{client.name}` | {numbers} | `wb_{client.word}_` "


def _recorded(kind: DeviceKind) -> str:
    if not kind.channels:
        return "no"
    if kind.parts:
        return ", ".join(f"{p.name} [{p.unit}]" if p.unit else p.name for p in kind.parts)
    return ", ".join(f"{channel.schema.partition('.')[2]}" for channel in kind.channels)


def _is_returned(name: str, words: set[str]) -> bool:
    """Whether a class of values is used through what returns it."""
    getters = {
        "LidarPoint": "getPointCloud",
        "RadarTarget": "getTargets",
        "MouseState": "getState",
        "ContactPoint": "getContactPoints",
    }
    return getters.get(name, "") in words


def main() -> None:
    """Write the page."""
    PAGE.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
