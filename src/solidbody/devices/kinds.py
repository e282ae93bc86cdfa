"""Table of device kinds: one row per kind, from which all parts of the program work.

By these rows groups are sampled, controllers find their devices, recordings get their channels and the page
names its numbers. The client's registry and plain classes, its node types and the page of the controller API
are written from them: run `python tools/make_client.py` and `python tools/controller_api.py` after a change.
What lies above this package in the pipeline (adapters in `control/adapters/`, classes in
`control/client/controller/`) is named in words, since imports only point the other way.
"""

from __future__ import annotations

from typing import Any, Final

from solidbody.devices.actuators import (
    connectors,
    displays,
    grippers,
    lamps,
    pens,
    rotors,
    speakers,
    switches,
)
from solidbody.devices.core.group import Group
from solidbody.devices.core.kind import Channel, Client, DeviceKind, NumberPart, ValueForm
from solidbody.devices.imaging import cameras, range_images
from solidbody.devices.radio import packets, radar
from solidbody.devices.scalar import distance, motion, position_sensors, touch
from solidbody.devices.surfaces import muscles
from solidbody.model import devices as d
from solidbody.model.motors import Brake, Motor, PositionSensor

READING: Final = (Channel("solidbody.Reading"),)
"""Plain numbers."""


def number(unit: str = "") -> tuple[NumberPart, ...]:
    """Return a value of one number."""
    return (NumberPart("value", unit),)


def vector(unit: str = "", prefix: str = "") -> tuple[NumberPart, ...]:
    """Return a value of three numbers along the axes."""
    return tuple(NumberPart(prefix + axis, unit) for axis in "xyz")


KINDS: Final[tuple[DeviceKind, ...]] = (
    # first those that need the forces of the last step, which are gone once poses are known
    DeviceKind(
        model=d.DeviceForceSensor,
        group=touch.ForceSensors,
        seen_as=d.DeviceTouchSensor,
        seen_through="sensors.ForceAdapter",
        parts=(*vector("N", "f"), *vector("N*m", "m")),
        channels=READING,
    ),
    DeviceKind(
        model=d.DeviceTouchSensor,
        group=touch.TouchSensors,
        client=Client(
            "TouchSensor",
            60,
            module="sensors",
            adapter="sensors.TouchAdapter",
            own="getValue getValues getType getLookupTable",
            facts="TouchSensorFacts",
        ),
        parts=vector(),
        channels=READING,
    ),
    DeviceKind(
        model=PositionSensor,
        group=position_sensors.PositionSensors,
        client=Client(
            "PositionSensor",
            52,
            module="motor",
            adapter="motors.PositionAdapter",
            own="getValue getVelocity getType getMotor getBrake",
            facts="PositionSensorFacts",
        ),
        parts=number("rad or m"),
        channels=READING,
    ),
    DeviceKind(
        model=d.DeviceAccelerometer,
        group=motion.Accelerometers,
        client=Client("Accelerometer", 35, ValueForm.VECTOR, "Acceleration minus gravity [m/s^2]."),
        parts=vector("m/s^2"),
        channels=READING,
    ),
    DeviceKind(
        model=d.DeviceGyro,
        group=motion.Gyros,
        client=Client("Gyro", 45, ValueForm.VECTOR, "Angular velocity [rad/s]."),
        parts=vector("rad/s"),
        channels=READING,
    ),
    DeviceKind(
        model=d.DeviceImu,
        group=motion.Imus,
        seen_as=d.DeviceInertialUnit,
        seen_through="sensors.ImuAdapter",
        parts=(*vector("m/s^2", "a"), *vector("rad/s", "w")),
        channels=READING,
    ),
    DeviceKind(
        model=d.DeviceInertialUnit,
        group=motion.InertialUnits,
        client=Client(
            "InertialUnit",
            46,
            module="sensors",
            adapter="sensors.InertialAdapter",
            own="getRollPitchYaw getQuaternion getNoise",
            facts="InertialUnitFacts",
        ),
        parts=(*vector("", "q"), NumberPart("qw")),
        channels=READING,
    ),
    DeviceKind(
        model=d.DeviceCompass,
        group=motion.Compasses,
        client=Client("Compass", 39, ValueForm.VECTOR, "Direction of north."),
        parts=vector(),
        channels=READING,
    ),
    DeviceKind(
        model=d.DeviceGps,
        group=motion.GpsDevices,
        client=Client(
            "GPS",
            44,
            module="sensors",
            adapter="sensors.GpsAdapter",
            own="getValues getSpeed getSpeedVector getCoordinateSystem convertToDegreesMinutesSeconds",
            facts="GpsFacts",
        ),
        parts=(*vector("m or degrees"), NumberPart("speed", "m/s"), *vector("m/s", "v")),
        channels=READING,
    ),
    DeviceKind(
        model=d.DeviceAltimeter,
        group=motion.Altimeters,
        client=Client("Altimeter", 36, ValueForm.NUMBER, "Height [m]."),
        parts=number("m"),
        channels=READING,
    ),
    DeviceKind(
        model=d.DeviceDistanceSensor,
        group=distance.DistanceSensors,
        client=Client(
            "DistanceSensor",
            42,
            module="sensors",
            adapter="sensors.DistanceAdapter",
            own="getValue getMinValue getMaxValue getAperture getType getLookupTable",
            facts="DistanceSensorFacts",
        ),
        parts=number(),
        channels=READING,
    ),
    DeviceKind(
        model=d.DeviceLightSensor,
        group=distance.LightSensors,
        client=Client("LightSensor", 49, ValueForm.CURVE, "Light, through a lookup table."),
        parts=number(),
        channels=READING,
    ),
    DeviceKind(
        model=d.DeviceCamera,
        group=cameras.Cameras,
        client=Client(
            "Camera",
            38,
            adapter="images.CameraAdapter",
            own="getImage getImageArray imageGetRed imageGetGreen imageGetBlue imageGetGray getWidth"
            " getHeight getFov setFov getMinFov getMaxFov getNear getExposure setExposure getFocalLength"
            " getFocalDistance setFocalDistance getMinFocalDistance getMaxFocalDistance saveImage"
            " hasRecognition recognitionEnable recognitionDisable getRecognitionSamplingPeriod"
            " getRecognitionNumberOfObjects getRecognitionObjects hasRecognitionSegmentation"
            " enableRecognitionSegmentation disableRecognitionSegmentation"
            " isRecognitionSegmentationEnabled getRecognitionSegmentationImage"
            " getRecognitionSegmentationImageArray saveRecognitionSegmentationImage",
            facts="CameraFacts",
            orders="ImageWant CameraRecognition CameraSegmentation CameraFov CameraExposure"
            " CameraFocalDistance ImageFetch ImageSave CameraObjects SegmentsFetch SegmentsSave",
            report="ReportCamera",
        ),
        channels=(
            Channel("foxglove.CompressedImage"),
            Channel("foxglove.RawImage", "/depth"),
            Channel("foxglove.PointCloud", "/points"),
        ),
        is_picture=True,
    ),
    DeviceKind(
        model=d.DeviceRangeFinder,
        group=range_images.RangeFinders,
        client=Client(
            "RangeFinder",
            55,
            adapter="images.RangeAdapter",
            own="getRangeImage getRangeImageArray rangeImageGetDepth getWidth getHeight getFov"
            " getMinRange getMaxRange saveImage",
            facts="RangeFinderFacts",
            orders="ImageWant ImageFetch ImageSave",
            report="ReportImage",
        ),
        channels=(Channel("foxglove.RawImage"),),
        is_picture=True,
    ),
    DeviceKind(
        model=d.DeviceLidar,
        group=range_images.Lidars,
        client=Client(
            "Lidar",
            48,
            adapter="images.LidarAdapter",
            own="getRangeImage getRangeImageArray getLayerRangeImage enablePointCloud"
            " disablePointCloud isPointCloudEnabled getPointCloud getLayerPointCloud getNumberOfPoints"
            " getHorizontalResolution getNumberOfLayers getFov getVerticalFov getMinRange getMaxRange"
            " getFrequency setFrequency getMinFrequency getMaxFrequency",
            facts="LidarFacts",
            orders="ImageWant LidarFrequency ImageFetch PointsFetch",
            report="ReportImage",
        ),
        channels=(Channel("foxglove.PointCloud"), Channel("foxglove.LaserScan", "/scan")),
        is_picture=True,
    ),
    DeviceKind(
        model=d.DeviceRadar,
        group=radar.Radars,
        client=Client(
            "Radar",
            54,
            adapter="radar_and_speaker.RadarAdapter",
            own="getTargets getNumberOfTargets getMinRange getMaxRange getHorizontalFov getVerticalFov",
            facts="RadarFacts",
            report="ReportEchoes",
        ),
        parts=number(),
        channels=READING,
    ),
    DeviceKind(
        model=d.DeviceEmitter,
        group=packets.Emitters,
        client=Client(
            "Emitter",
            43,
            adapter="radio.EmitterAdapter",
            own="send getChannel setChannel getRange setRange getBufferSize",
            is_sensor=False,
            facts="EmitterFacts",
            orders="EmitterSend RadioChannel EmitterRange",
            report="ReportWaiting",
        ),
    ),
    DeviceKind(
        model=d.DeviceReceiver,
        group=packets.Receivers,
        client=Client(
            "Receiver",
            56,
            adapter="radio.ReceiverAdapter",
            own="getQueueLength nextPacket getString getBytes getFloats getInts getBools getData"
            " getDataSize getSignalStrength getEmitterDirection getChannel setChannel",
            facts="ReceiverFacts",
            orders="RadioChannel ReceiverNext",
            report="ReportPackets",
        ),
    ),
    # then those that do something
    DeviceKind(
        model=d.DeviceLed,
        group=lamps.Leds,
        client=Client(
            "LED",
            47,
            adapter="displays.LedAdapter",
            own="set get",
            is_sensor=False,
            orders="LedSet",
            report="",
        ),
        parts=number(),
    ),
    DeviceKind(model=d.DeviceLight, group=lamps.RobotLights, parts=number(), channels=READING),
    DeviceKind(
        model=d.DeviceSpeaker,
        group=speakers.Speakers,
        client=Client(
            "Speaker",
            59,
            adapter="radar_and_speaker.SpeakerAdapter",
            own="playSound stop isSoundPlaying setEngine getEngine setLanguage getLanguage speak isSpeaking",
            is_sensor=False,
            orders="SpeakerPlay SpeakerSpeak SpeakerStop",
            report="ReportPlaying",
        ),
        parts=number(),
    ),
    DeviceKind(
        model=d.DeviceDisplay,
        group=displays.Displays,
        client=Client(
            "Display",
            41,
            adapter="displays.DisplayAdapter",
            own="getWidth getHeight setColor setAlpha setOpacity setFont attachCamera detachCamera drawPixel"
            " drawLine drawRectangle drawOval drawPolygon drawText fillRectangle fillOval fillPolygon"
            " imageNew imageLoad imageCopy imagePaste imageSave imageDelete",
            is_sensor=False,
            facts="DisplayFacts",
            orders="DisplayShow DisplayColor DisplayAlpha DisplayOpacity DisplayFont DisplayAttach"
            " DisplayDetach DisplayPixel DisplayLine DisplayRectangle DisplayOval DisplayPolygon"
            " DisplayText DisplayImageNew DisplayImageCopy DisplayImagePaste DisplayImageDelete"
            " DisplayImageLoad DisplayImageSave",
            report="",
        ),
        is_picture=True,
    ),
    DeviceKind(
        model=d.DevicePen,
        group=pens.Pens,
        client=Client(
            "Pen",
            51,
            adapter="displays.PenAdapter",
            own="write setInkColor",
            is_sensor=False,
            orders="PenWrite PenInk",
            report="",
        ),
        parts=number(),
    ),
    DeviceKind(
        model=d.DeviceConnector,
        group=connectors.Connectors,
        client=Client(
            "Connector",
            40,
            adapter="grippers.ConnectorAdapter",
            own="enablePresence disablePresence getPresence getPresenceSamplingPeriod lock unlock isLocked",
            is_sensor=False,
            facts="ConnectorFacts",
            orders="PresenceEnable ConnectorLock ConnectorUnlock",
            report="ReportPresence",
        ),
        parts=number(),
    ),
    DeviceKind(
        model=d.DeviceVacuumGripper,
        group=grippers.VacuumGrippers,
        client=Client(
            "VacuumGripper",
            61,
            adapter="grippers.GripperAdapter",
            own="turnOn turnOff isOn enablePresence disablePresence getPresence"
            " getPresenceSamplingPeriod",
            is_sensor=False,
            facts="GripperFacts",
            orders="PresenceEnable GripperOn GripperOff",
            report="ReportPresence",
        ),
        parts=number(),
    ),
    DeviceKind(model=d.DeviceHolder, group=grippers.Holders, parts=number()),
    DeviceKind(model=d.DeviceRotor, group=rotors.Rotors, parts=vector()[:2]),
    DeviceKind(model=d.DeviceMuscle, group=muscles.Muscles, parts=number()),
    # and those that only hold a state
    DeviceKind(model=d.DeviceEffect, group=switches.Switches),
    DeviceKind(model=d.DeviceMarker, group=switches.Switches),
    DeviceKind(model=d.DeviceConveyor, group=switches.Switches),
    DeviceKind(model=d.DeviceZmp, group=switches.ZmpDevices, parts=vector("m"), channels=READING),
    DeviceKind(model=d.DeviceDigitalIo, group=switches.DigitalIos, parts=number()),
    # those that have nothing to read, or are read elsewhere
    DeviceKind(
        model=Motor,
        client=Client(
            "Motor",
            {"LINEAR_MOTOR": 50, "ROTATIONAL_MOTOR": 57},
            module="motor",
            adapter="motors.MotorAdapter",
            own="setPosition setVelocity setAcceleration setAvailableForce setAvailableTorque setForce"
            " setTorque setControlPID getTargetPosition getMinPosition getMaxPosition getVelocity"
            " getMaxVelocity getAcceleration getAvailableForce getAvailableTorque getMaxForce getMaxTorque"
            " getMultiplier enableForceFeedback disableForceFeedback getForceFeedback"
            " getForceFeedbackSamplingPeriod enableTorqueFeedback disableTorqueFeedback getTorqueFeedback"
            " getTorqueFeedbackSamplingPeriod getType getBrake getPositionSensor",
            is_sensor=False,
            facts="MotorFacts",
            orders="MotorPosition MotorVelocity MotorEffort MotorAvailable MotorAcceleration MotorPid"
            " MotorFeedback",
        ),
    ),
    DeviceKind(
        model=Brake,
        client=Client(
            "Brake",
            37,
            module="motor",
            adapter="motors.BrakeAdapter",
            own="setDampingConstant getType getMotor getPositionSensor",
            is_sensor=False,
            facts="BrakeFacts",
            orders="BrakeDamping",
            report="",
        ),
    ),
    DeviceKind(
        model=d.DeviceSkin,
        client=Client(
            "Skin",
            58,
            adapter="base.Adapter",
            own="getBoneCount getBoneName getBoneOrientation getBonePosition setBoneOrientation"
            " setBonePosition",
            is_sensor=False,
            report="",
        ),
    ),
    DeviceKind(model=d.DeviceMicrophone),
    DeviceKind(model=d.DeviceAttachment),
    DeviceKind(model=d.DevicePropeller),
    DeviceKind(model=d.DeviceTrackBelt),
    DeviceKind(model=d.DeviceCharger),
    DeviceKind(model=d.DeviceUnknown),
)
"""Every kind of device, in the order in which groups are sampled and draw noise."""

KIND_OF: Final[dict[type, DeviceKind]] = {kind.model: kind for kind in KINDS}
"""The row of a description."""

GROUPS: Final[tuple[type[Group[Any]], ...]] = tuple(
    dict.fromkeys(kind.group for kind in KINDS if kind.group is not None)
)
"""Every group once."""


def client_of(kind: DeviceKind) -> Client | None:
    """Return how programs know a kind: as itself, or as the kind it is seen as."""
    return kind.client if kind.seen_as is None else KIND_OF[kind.seen_as].client
