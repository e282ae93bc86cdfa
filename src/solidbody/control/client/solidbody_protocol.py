"""All messages between simulator and controllers; `solidbody_codec.py` knows the codes.

GENERATED FILE, DO NOT EDIT: written by `python -m tools.make_protocol` from the description in
`solidbody.control.protocol`; `docs/wire.md` tells the layout.
"""

# ruff: noqa: E501
# fmt: off

from __future__ import annotations

from struct import Struct
from typing import Any

try:
    from .solidbody_codec import FAMILIES, KINDS, Message, ProtocolError, message, parse
except ImportError:  # in a program of a robot
    from solidbody_codec import FAMILIES, KINDS, Message, ProtocolError, message, parse

__all__ = [
    "FROM_CLIENT", "FROM_SIMULATOR", "KINDS", "Message", "ProtocolError",
    "only_numbers", "parse", "told", "turns",
]

FROM_CLIENT = FAMILIES.setdefault("FromClient", {})
FROM_SIMULATOR = FAMILIES.setdefault("FromSimulator", {})


VERSION = 1
MAGIC = 1346585171
MOST_SAID = 262144
FRAME_LIMIT = 67108864

Packet = message(0, "Packet", "data:b67108864 channel:i signal:d direction:D3")
Echo = message(0, "Echo", "distance:d power:d speed:d azimuth:d")
RecognisedObject = message(0, "RecognisedObject", "number:i position:D3 orientation:D4 size:D2 x:i y:i width:i height:i colors:L65536:d model:s33554432")
ContactFacts = message(0, "ContactFacts", "x:d y:d z:d node:i")
Hello = message(1, "Hello", "magic:I version:I secret:s65536 robot:s65536 pid:I", "FromClient")
Refusal = message(2, "Refusal", "text:s33554432", "FromSimulator")
Welcome = message(3, "Welcome", "name:s65536 controller:s65536 model:s33554432 supervisor:t synchronization:t is_old:t mode:i basic_time_step:d time:d speed_unit:d custom_data:s33554432 project_path:p65536 world_path:p65536 devices:L65536:@DeviceFacts", "FromSimulator")
Turn = message(4, "Turn", "said:L262144:@Said", "FromClient")
Answer = message(5, "Answer", "problem:s33554432 result:o@Result notes:L65536:s33554432", "FromSimulator")
StepAnswer = message(6, "StepAnswer", "status:i time:d told:L1048576:@Told", "FromSimulator")
AnswerBool = message(10, "AnswerBool", "value:t", "Result")
AnswerInt = message(11, "AnswerInt", "value:i", "Result")
AnswerText = message(12, "AnswerText", "value:s33554432", "Result")
AnswerNumbers = message(13, "AnswerNumbers", "value:L65536:d", "Result")
Step = message(20, "Step", "milliseconds:f", "Said")
RobotUrdf = message(21, "RobotUrdf", "prefix:s65536", "Said")
RobotCustomData = message(30, "RobotCustomData", "text:s33554432", "Said")
RobotWindowText = message(31, "RobotWindowText", "text:s33554432", "Said")
RobotInput = message(32, "RobotInput", "kind:ckeyboard,mouse,joystick period_ms:i", "Said")
RobotBattery = message(33, "RobotBattery", "period_ms:i", "Said")
RobotJoystickForce = message(34, "RobotJoystickForce", "kind:cconstant,duration,centering,resistance,axis value:d", "Said")
Note = message(39, "Note", "text:s33554432", "Told")
NewsReset = message(40, "NewsReset", "", "Told")
NewsRobot = message(41, "NewsRobot", "model:s33554432 supervisor:t", "Told")
NewsCustomData = message(42, "NewsCustomData", "text:s33554432", "Told")
NewsDevice = message(43, "NewsDevice", "device:@DeviceFacts", "Told")
NewsWindowText = message(44, "NewsWindowText", "text:s33554432", "Told")
NewsBattery = message(45, "NewsBattery", "charge:d", "Told")
NewsEvents = message(46, "NewsEvents", "events:I", "Told")
NewsKeyboard = message(47, "NewsKeyboard", "keys:L65536:i", "Told")
NewsMouse = message(48, "NewsMouse", "u:d v:d x:d y:d z:d left:t middle:t right:t", "Told")
NewsJoystick = message(49, "NewsJoystick", "model:s65536 axes:L65536:i povs:L65536:i buttons:L65536:i", "Told")
ReportBlock = message(60, "ReportBlock", "block:I width:I tags:L65536:I", "Told")
ReportImage = message(61, "ReportImage", "tag:I number:I", "Told")
ReportCamera = message(62, "ReportCamera", "tag:I image:oI objects:oI segments:oI", "Told")
ReportPackets = message(63, "ReportPackets", "tag:I packets:L65536:*Packet", "Told")
ReportWaiting = message(64, "ReportWaiting", "tag:I count:I", "Told")
ReportEchoes = message(65, "ReportEchoes", "tag:I echoes:L65536:*Echo", "Told")
ReportPresence = message(66, "ReportPresence", "tag:I presence:i", "Told")
ReportPlaying = message(67, "ReportPlaying", "tag:I sounds:L65536:s65536 speaks:t", "Told")
ReportNumbers = message(68, "ReportNumbers", "block:I values:L1048576:d", "Told")
ReportValue = message(69, "ReportValue", "tag:I values:L65536:d", "Told")
PlainFacts = message(100, "PlainFacts", "tag:I name:s65536 type:B model:s33554432", "DeviceFacts")
MotorFacts = message(101, "MotorFacts", "tag:I name:s65536 type:B model:s33554432 linear:t motor:I position_sensor:I brake:I max_velocity:d max_effort:d min_position:d max_position:d acceleration:d multiplier:d target_position:d", "DeviceFacts")
PositionSensorFacts = message(102, "PositionSensorFacts", "tag:I name:s65536 type:B model:s33554432 linear:t motor:I position_sensor:I brake:I resolution:d", "DeviceFacts")
BrakeFacts = message(103, "BrakeFacts", "tag:I name:s65536 type:B model:s33554432 linear:t motor:I position_sensor:I brake:I", "DeviceFacts")
LookupFacts = message(104, "LookupFacts", "tag:I name:s65536 type:B model:s33554432 table:L65536:d", "DeviceFacts")
DistanceSensorFacts = message(105, "DistanceSensorFacts", "tag:I name:s65536 type:B model:s33554432 table:L65536:d min_value:d max_value:d aperture:d kind:B", "DeviceFacts")
TouchSensorFacts = message(106, "TouchSensorFacts", "tag:I name:s65536 type:B model:s33554432 table:L65536:d kind:B", "DeviceFacts")
GpsFacts = message(107, "GpsFacts", "tag:I name:s65536 type:B model:s33554432 system:B", "DeviceFacts")
InertialUnitFacts = message(108, "InertialUnitFacts", "tag:I name:s65536 type:B model:s33554432 noise:d y_up:t", "DeviceFacts")
CameraFacts = message(109, "CameraFacts", "tag:I name:s65536 type:B model:s33554432 width:I height:I fov:d near:d memory:p65536 exposure:d segments_memory:p65536 min_fov:d max_fov:d has_zoom:t has_focus:t focal_length:d focal_distance:d min_focal_distance:d max_focal_distance:d has_recognition:t has_segmentation:t", "DeviceFacts")
RangeFinderFacts = message(110, "RangeFinderFacts", "tag:I name:s65536 type:B model:s33554432 width:I height:I fov:d near:d memory:p65536 min_range:d max_range:d", "DeviceFacts")
LidarFacts = message(111, "LidarFacts", "tag:I name:s65536 type:B model:s33554432 width:I height:I fov:d near:d memory:p65536 vertical_fov:d min_range:d max_range:d frequency:d min_frequency:d max_frequency:d points_memory:p65536", "DeviceFacts")
EmitterFacts = message(112, "EmitterFacts", "tag:I name:s65536 type:B model:s33554432 channel:i range:d max_range:d buffer_size:q allowed_channels:L65536:i", "DeviceFacts")
ReceiverFacts = message(113, "ReceiverFacts", "tag:I name:s65536 type:B model:s33554432 channel:i allowed_channels:L65536:i", "DeviceFacts")
RadarFacts = message(114, "RadarFacts", "tag:I name:s65536 type:B model:s33554432 min_range:d max_range:d horizontal_fov:d vertical_fov:d", "DeviceFacts")
ConnectorFacts = message(115, "ConnectorFacts", "tag:I name:s65536 type:B model:s33554432 kind:csymmetric,active,passive is_on:t", "DeviceFacts")
GripperFacts = message(116, "GripperFacts", "tag:I name:s65536 type:B model:s33554432 is_on:t", "DeviceFacts")
DisplayFacts = message(117, "DisplayFacts", "tag:I name:s65536 type:B model:s33554432 width:I height:I", "DeviceFacts")
SensorEnable = message(150, "SensorEnable", "tag:I period_ms:i", "Said")
MotorPosition = message(151, "MotorPosition", "tag:I value:n", "Said")
MotorVelocity = message(152, "MotorVelocity", "tag:I value:n", "Said")
MotorEffort = message(153, "MotorEffort", "tag:I value:n", "Said")
MotorAvailable = message(154, "MotorAvailable", "tag:I value:n", "Said")
MotorAcceleration = message(155, "MotorAcceleration", "tag:I value:n", "Said")
MotorPid = message(156, "MotorPid", "tag:I p:f i:f d:f", "Said")
MotorFeedback = message(157, "MotorFeedback", "tag:I period_ms:i", "Said")
BrakeDamping = message(158, "BrakeDamping", "tag:I value:n", "Said")
ImageWant = message(170, "ImageWant", "tag:I wanted:t", "Said")
CameraRecognition = message(171, "CameraRecognition", "tag:I period_ms:i", "Said")
CameraSegmentation = message(172, "CameraSegmentation", "tag:I wanted:t", "Said")
CameraFov = message(173, "CameraFov", "tag:I angle:f", "Said")
CameraExposure = message(174, "CameraExposure", "tag:I value:n", "Said")
CameraFocalDistance = message(175, "CameraFocalDistance", "tag:I value:f", "Said")
LidarFrequency = message(176, "LidarFrequency", "tag:I value:f", "Said")
EmitterSend = message(180, "EmitterSend", "tag:I data:b67108864", "Said")
RadioChannel = message(181, "RadioChannel", "tag:I channel:i", "Said")
EmitterRange = message(182, "EmitterRange", "tag:I value:n", "Said")
ReceiverNext = message(183, "ReceiverNext", "tag:I", "Said")
SpeakerPlay = message(184, "SpeakerPlay", "tag:I other:I sound:s65536 volume:d pitch:d balance:d loop:t", "Said")
SpeakerSpeak = message(185, "SpeakerSpeak", "tag:I text:s33554432 volume:d language:s65536", "Said")
SpeakerStop = message(186, "SpeakerStop", "tag:I sound:s65536", "Said")
PresenceEnable = message(190, "PresenceEnable", "tag:I period_ms:i", "Said")
ConnectorLock = message(191, "ConnectorLock", "tag:I", "Said")
ConnectorUnlock = message(192, "ConnectorUnlock", "tag:I", "Said")
GripperOn = message(193, "GripperOn", "tag:I", "Said")
GripperOff = message(194, "GripperOff", "tag:I", "Said")
LedSet = message(195, "LedSet", "tag:I value:i", "Said")
PenWrite = message(196, "PenWrite", "tag:I is_writing:t", "Said")
PenInk = message(197, "PenInk", "tag:I color:i density:d", "Said")
DisplayShow = message(200, "DisplayShow", "tag:I", "Said")
DisplayColor = message(201, "DisplayColor", "tag:I color:i", "Said")
DisplayAlpha = message(202, "DisplayAlpha", "tag:I alpha:f", "Said")
DisplayOpacity = message(203, "DisplayOpacity", "tag:I opacity:f", "Said")
DisplayFont = message(204, "DisplayFont", "tag:I name:s65536 size:i is_smooth:t", "Said")
DisplayAttach = message(205, "DisplayAttach", "tag:I camera:I", "Said")
DisplayDetach = message(206, "DisplayDetach", "tag:I", "Said")
DisplayPixel = message(207, "DisplayPixel", "tag:I x:i y:i", "Said")
DisplayLine = message(208, "DisplayLine", "tag:I x1:i y1:i x2:i y2:i", "Said")
DisplayRectangle = message(209, "DisplayRectangle", "tag:I x:i y:i width:i height:i fill:t", "Said")
DisplayOval = message(210, "DisplayOval", "tag:I cx:i cy:i a:i b:i fill:t", "Said")
DisplayPolygon = message(211, "DisplayPolygon", "tag:I x:L65536:i y:L65536:i fill:t", "Said")
DisplayText = message(212, "DisplayText", "tag:I text:s33554432 x:i y:i", "Said")
DisplayImageNew = message(213, "DisplayImageNew", "tag:I number:i data:b67108864 order:i width:i height:i", "Said")
DisplayImageCopy = message(214, "DisplayImageCopy", "tag:I number:i x:i y:i width:i height:i", "Said")
DisplayImagePaste = message(215, "DisplayImagePaste", "tag:I number:i x:i y:i blend:t", "Said")
DisplayImageDelete = message(216, "DisplayImageDelete", "tag:I number:i", "Said")
RecognisedObjects = message(240, "RecognisedObjects", "value:L65536:*RecognisedObject", "Result")
ImageFetch = message(250, "ImageFetch", "tag:I", "Said")
ImageSave = message(251, "ImageSave", "tag:I path:p65536 quality:i", "Said")
CameraObjects = message(252, "CameraObjects", "tag:I", "Said")
SegmentsFetch = message(253, "SegmentsFetch", "tag:I", "Said")
SegmentsSave = message(254, "SegmentsSave", "tag:I path:p65536 quality:i", "Said")
PointsFetch = message(255, "PointsFetch", "tag:I", "Said")
DisplayImageLoad = message(256, "DisplayImageLoad", "tag:I number:i path:p65536", "Said")
DisplayImageSave = message(257, "DisplayImageSave", "tag:I number:i path:p65536", "Said")
NodeFacts = message(300, "NodeFacts", "number:i kind:B type_name:s65536 base_type:s65536 def_name:s65536 is_proto:t", "Result")
FieldFacts = message(301, "FieldFacts", "node:i name:s65536 kind:B type_name:s65536 level:i", "Result")
ProtoFacts = message(302, "ProtoFacts", "node:i level:i name:s65536 is_derived:t", "Result")
ContactPoints = message(303, "ContactPoints", "value:L65536:*ContactFacts", "Result")
FieldContent = message(304, "FieldContent", "value:v64,33554432", "Result")
FieldSet = message(310, "FieldSet", "number:i level:i name:s65536 index:oi value:v64,33554432", "Said")
FieldInsert = message(311, "FieldInsert", "number:i level:i name:s65536 index:i value:v64,33554432", "Said")
FieldRemoveItem = message(312, "FieldRemoveItem", "number:i level:i name:s65536 index:i", "Said")
FieldRemoveNode = message(313, "FieldRemoveNode", "number:i level:i name:s65536", "Said")
FieldImportItem = message(314, "FieldImportItem", "number:i level:i name:s65536 index:i text:s33554432", "Said")
FieldImportNode = message(315, "FieldImportNode", "number:i level:i name:s65536 text:s33554432", "Said")
FieldImportFile = message(316, "FieldImportFile", "number:i level:i name:s65536 index:oi file:p65536", "Said")
NodeRemove = message(320, "NodeRemove", "number:i", "Said")
NodeSetVelocity = message(321, "NodeSetVelocity", "number:i values:D6", "Said")
NodeAddForce = message(322, "NodeAddForce", "number:i force:D3 relative:t", "Said")
NodeAddForceAt = message(323, "NodeAddForceAt", "number:i force:D3 offset:D3 relative:t", "Said")
NodeAddTorque = message(324, "NodeAddTorque", "number:i torque:D3 relative:t", "Said")
NodeResetPhysics = message(325, "NodeResetPhysics", "number:i", "Said")
NodeJointPosition = message(326, "NodeJointPosition", "number:i value:d index:i", "Said")
NodeSaveState = message(327, "NodeSaveState", "number:i name:s65536", "Said")
NodeLoadState = message(328, "NodeLoadState", "number:i name:s65536", "Said")
NodeRestartController = message(329, "NodeRestartController", "number:i", "Said")
NodeMoveViewpoint = message(330, "NodeMoveViewpoint", "number:i", "Said")
NodeSetVisibility = message(331, "NodeSetVisibility", "number:i viewer:i visible:t", "Said")
SimulationQuit = message(340, "SimulationQuit", "status:i", "Said")
SimulationSetMode = message(341, "SimulationSetMode", "mode:i", "Said")
SimulationReset = message(342, "SimulationReset", "", "Said")
SimulationResetPhysics = message(343, "SimulationResetPhysics", "", "Said")
WorldLoad = message(344, "WorldLoad", "file:p65536", "Said")
WorldReload = message(345, "WorldReload", "", "Said")
LabelSet = message(346, "LabelSet", "number:i text:s33554432 x:d y:d size:d color:i transparency:d font:s65536", "Said")
MovieStart = message(347, "MovieStart", "file:p65536 width:i height:i quality:i acceleration:d", "Said")
MovieStop = message(348, "MovieStop", "", "Said")
NodeRoot = message(360, "NodeRoot", "", "Said")
NodeSelf = message(361, "NodeSelf", "", "Said")
NodeSelected = message(362, "NodeSelected", "", "Said")
NodeFromDef = message(363, "NodeFromDef", "path:s65536", "Said")
NodeFromId = message(364, "NodeFromId", "number:i", "Said")
NodeFromDevice = message(365, "NodeFromDevice", "tag:i", "Said")
NodeFromProtoDef = message(366, "NodeFromProtoDef", "number:i path:s65536", "Said")
NodeFind = message(367, "NodeFind", "number:i", "Said")
NodeParent = message(368, "NodeParent", "number:i", "Said")
NodePresent = message(369, "NodePresent", "number:i", "Said")
NodeProto = message(370, "NodeProto", "number:i level:i", "Said")
NodeExport = message(371, "NodeExport", "number:i", "Said")
NodePosition = message(380, "NodePosition", "number:i", "Said")
NodeOrientation = message(381, "NodeOrientation", "number:i", "Said")
NodePose = message(382, "NodePose", "number:i other:oi", "Said")
NodeVelocity = message(383, "NodeVelocity", "number:i", "Said")
NodeCenterOfMass = message(384, "NodeCenterOfMass", "number:i", "Said")
NodeContactPoints = message(385, "NodeContactPoints", "number:i include_descendants:t", "Said")
NodeStaticBalance = message(386, "NodeStaticBalance", "number:i", "Said")
FieldFind = message(390, "FieldFind", "number:i level:i name:s65536", "Said")
FieldByIndex = message(391, "FieldByIndex", "number:i level:i index:i", "Said")
FieldActual = message(392, "FieldActual", "number:i level:i name:s65536", "Said")
FieldNumber = message(393, "FieldNumber", "number:i level:i", "Said")
FieldLength = message(394, "FieldLength", "number:i level:i name:s65536", "Said")
FieldGet = message(395, "FieldGet", "number:i level:i name:s65536 index:oi", "Said")
SimulationMode = message(400, "SimulationMode", "", "Said")
WorldSettle = message(401, "WorldSettle", "", "Said")
WorldSave = message(402, "WorldSave", "file:op65536", "Said")
ImageExport = message(403, "ImageExport", "file:p65536 quality:i", "Said")
MovieReady = message(404, "MovieReady", "", "Said")
MovieFailed = message(405, "MovieFailed", "", "Said")
AnimationStart = message(406, "AnimationStart", "file:p65536", "Said")
AnimationStop = message(407, "AnimationStop", "", "Said")


def turns(said: list[bytes]) -> list[bytes]:
    """Return what a program says as frames: one, unless it is too much for one."""
    if len(said) <= MOST_SAID:
        frame = Turn.pack(said)
        if len(frame) <= FRAME_LIMIT or len(said) < 2:
            return [frame]
    half = len(said) // 2
    return turns(said[:half]) + turns(said[half:])


_numbers_head = Struct("<HidIHII")
_floats: dict[int, Any] = {}


def only_numbers(frame: bytes) -> tuple[int, float, int, tuple[float, ...]] | None:
    """Return status, time, block and numbers of the answer to most steps, which tells these; else None."""
    start = _numbers_head.size
    if len(frame) < start:
        return None
    answer, status, time, count, report, block, length = _numbers_head.unpack_from(frame)
    if answer != StepAnswer.number or count != 1 or report != ReportNumbers.number:
        return None
    if len(frame) != start + 8 * length:
        return None
    floats = _floats.get(length)
    if floats is None:
        if len(_floats) > 64:
            return None
        floats = _floats[length] = Struct("<%dd" % length).unpack_from
    return status, time, block, floats(frame, start)


def told(message: bytes) -> Any:
    """Return a packed message of the family of what programs are told."""
    return parse(message, FAMILIES["Told"])
