"""Protocol messages to and about devices: commands and requests of controllers."""

from __future__ import annotations

from typing import Annotated

from solidbody.control.protocol.fields import (
    I32,
    U32,
    Data,
    Finite,
    Message,
    Name,
    NotNan,
    Number,
    Path,
    Reals,
    Text,
    Vector3,
    message,
    part,
)
from solidbody.control.protocol.frames import (
    AnswerBool,
    AnswerText,
    DeviceCommand,
    DeviceRequest,
    Result,
)

# ---------------------------------------------------------------------- sensors and joints


@message(150)
class SensorEnable(DeviceCommand):
    """Sample every so many milliseconds; 0 = not."""

    period_ms: I32


@message(151)
class MotorPosition(DeviceCommand):
    """Go to a position; infinity = turn at the target velocity."""

    value: NotNan


@message(152)
class MotorVelocity(DeviceCommand):
    """Target velocity, or greatest velocity on the way to a position."""

    value: NotNan


@message(153)
class MotorEffort(DeviceCommand):
    """Push with this force or torque."""

    value: NotNan


@message(154)
class MotorAvailable(DeviceCommand):
    """Limit the force or torque."""

    value: NotNan


@message(155)
class MotorAcceleration(DeviceCommand):
    """Limit the change of velocity; -1 = not."""

    value: NotNan


@message(156)
class MotorPid(DeviceCommand):
    """Gains of the position controller."""

    p: Finite
    i: Finite
    d: Finite


@message(157)
class MotorFeedback(DeviceCommand):
    """Report force or torque every so many milliseconds; 0 = not."""

    period_ms: I32


@message(158)
class BrakeDamping(DeviceCommand):
    """Add this damping to that of the joint."""

    value: NotNan


# ---------------------------------------------------------------------- images


@message(170)
class ImageWant(DeviceCommand):
    """Whether images are to come with their reports."""

    wanted: bool


@message(171)
class CameraRecognition(DeviceCommand):
    """Recognise objects every so many milliseconds; 0 = not."""

    period_ms: I32


@message(172)
class CameraSegmentation(DeviceCommand):
    """Whether an image of object colours comes with each recognition."""

    wanted: bool


@message(173)
class CameraFov(DeviceCommand):
    """Zoom [rad]."""

    angle: Finite


@message(174)
class CameraExposure(DeviceCommand):
    """Factor on the light."""

    value: NotNan


@message(175)
class CameraFocalDistance(DeviceCommand):
    """Where the picture is sharp [m]."""

    value: Finite


@message(176)
class LidarFrequency(DeviceCommand):
    """Turns of the head per second."""

    value: Finite


# ---------------------------------------------------------------------- radio and sound


@message(180)
class EmitterSend(DeviceCommand):
    """Send a packet."""

    data: Data


@message(181)
class RadioChannel(DeviceCommand):
    """Let an emitter or receiver use another channel; -1 = all."""

    channel: I32


@message(182)
class EmitterRange(DeviceCommand):
    """Reach that far [m]; -1 = everywhere."""

    value: NotNan


@message(183)
class ReceiverNext(DeviceCommand):
    """The first packet was read."""


@message(184)
class SpeakerPlay(DeviceCommand):
    """Play a sound file on this speaker and the one with the tag `other`."""

    other: U32
    sound: Name
    volume: Number
    pitch: Number
    balance: Number
    loop: bool


@message(185)
class SpeakerSpeak(DeviceCommand):
    """Speak a text."""

    text: Text
    volume: Number
    language: Name


@message(186)
class SpeakerStop(DeviceCommand):
    """Stop a sound; an empty name = all."""

    sound: Name


# ---------------------------------------------------------------------- what holds and shows


@message(190)
class PresenceEnable(DeviceCommand):
    """Look every so many milliseconds whether something is there; 0 = not."""

    period_ms: I32


@message(191)
class ConnectorLock(DeviceCommand):
    """Lock, and attach to a peer that is there."""


@message(192)
class ConnectorUnlock(DeviceCommand):
    """Let go."""


@message(193)
class GripperOn(DeviceCommand):
    """Hold what touches it."""


@message(194)
class GripperOff(DeviceCommand):
    """Let go."""


@message(195)
class LedSet(DeviceCommand):
    """Show a colour."""

    value: I32


@message(196)
class PenWrite(DeviceCommand):
    """Put the pen down or lift it."""

    is_writing: bool


@message(197)
class PenInk(DeviceCommand):
    """Change the ink: 0xRRGGBB, density 0 to 1."""

    color: I32
    density: Number


# ---------------------------------------------------------------------- displays


@message(200)
class DisplayShow(DeviceCommand):
    """What was drawn is seen from now on."""


@message(201)
class DisplayColor(DeviceCommand):
    """Draw in a colour 0xRRGGBB."""

    color: I32


@message(202)
class DisplayAlpha(DeviceCommand):
    """How opaque new pixels are, 0 to 1."""

    alpha: Finite


@message(203)
class DisplayOpacity(DeviceCommand):
    """How much new pixels replace old ones, 0 to 1."""

    opacity: Finite


@message(204)
class DisplayFont(DeviceCommand):
    """Name, size and edges of letters."""

    name: Name
    size: I32
    is_smooth: bool


@message(205)
class DisplayAttach(DeviceCommand):
    """Show the camera with this tag behind what is drawn."""

    camera: U32


@message(206)
class DisplayDetach(DeviceCommand):
    """Show no camera."""


@message(207)
class DisplayPixel(DeviceCommand):
    """Draw a point."""

    x: I32
    y: I32


@message(208)
class DisplayLine(DeviceCommand):
    """Draw a line."""

    x1: I32
    y1: I32
    x2: I32
    y2: I32


@message(209)
class DisplayRectangle(DeviceCommand):
    """Draw a rectangle, or its outline."""

    x: I32
    y: I32
    width: I32
    height: I32
    fill: bool


@message(210)
class DisplayOval(DeviceCommand):
    """Draw an ellipse with the half axes a and b, or its outline."""

    cx: I32
    cy: I32
    a: I32
    b: I32
    fill: bool


@message(211)
class DisplayPolygon(DeviceCommand):
    """Draw a polygon, or its outline."""

    x: list[I32]
    y: list[I32]
    fill: bool


@message(212)
class DisplayText(DeviceCommand):
    """Draw text; x and y are its upper left corner."""

    text: Text
    x: I32
    y: I32


@message(213)
class DisplayImageNew(DeviceCommand):
    """Keep an image made of bytes, whose order is one of the numbers of the controllers' library."""

    number: I32
    data: Data
    order: I32
    width: I32
    height: I32


@message(214)
class DisplayImageCopy(DeviceCommand):
    """Keep a part of what was drawn."""

    number: I32
    x: I32
    y: I32
    width: I32
    height: I32


@message(215)
class DisplayImagePaste(DeviceCommand):
    """Draw an image that is kept."""

    number: I32
    x: I32
    y: I32
    blend: bool


@message(216)
class DisplayImageDelete(DeviceCommand):
    """Forget an image."""

    number: I32


# ---------------------------------------------------------------------- questions


@part
class RecognisedObject(Message):
    """What a camera has recognised: in the camera's frame [m], on the image [pixels], colours one by one."""

    number: I32
    position: Vector3
    orientation: Annotated[tuple[float, ...], Reals(4)]
    size: Annotated[tuple[float, ...], Reals(2)]
    x: I32
    y: I32
    width: I32
    height: I32
    colors: list[Number]
    model: Text


@message(240)
class RecognisedObjects(Result):
    """All that was recognised."""

    value: list[RecognisedObject]


@message(250, answer=AnswerBool)
class ImageFetch(DeviceRequest):
    """Put the last image where the program finds it; false = there is none."""


@message(251, answer=AnswerText)
class ImageSave(DeviceRequest):
    """Write the last image to a file; the answer is what is wrong."""

    path: Path
    quality: I32


@message(252, answer=RecognisedObjects)
class CameraObjects(DeviceRequest):
    """What was recognised last."""


@message(253, answer=AnswerBool)
class SegmentsFetch(DeviceRequest):
    """Put the last image of object colours where the program finds it."""


@message(254, answer=AnswerText)
class SegmentsSave(DeviceRequest):
    """Write the last image of object colours to a file; the answer is what is wrong."""

    path: Path
    quality: I32


@message(255, answer=AnswerBool)
class PointsFetch(DeviceRequest):
    """Put the points of the last scan where the program finds them."""


@message(256, answer=AnswerText)
class DisplayImageLoad(DeviceRequest):
    """Keep an image from a file; the answer is what is wrong."""

    number: I32
    path: Path


@message(257, answer=AnswerText)
class DisplayImageSave(DeviceRequest):
    """Write an image (0 = what is shown) to a file; the answer is what is wrong."""

    number: I32
    path: Path
