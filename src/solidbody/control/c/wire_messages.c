/* GENERATED FILE, DO NOT EDIT: written by `python -m tools.make_protocol`. */
#include <stddef.h>

#include "wire_messages.h"

static const FieldLayout fields_Packet[] = {{'s', 0, NULL, offsetof(Packet, data)}, {'i', 0, NULL,
  offsetof(Packet, channel)}, {'d', 0, NULL, offsetof(Packet, signal)}, {'D', 3, NULL, offsetof(Packet,
  direction)}};
const Layout layout_Packet = {0, 4, sizeof(Packet), fields_Packet};

static const FieldLayout fields_Echo[] = {{'d', 0, NULL, offsetof(Echo, distance)}, {'d', 0, NULL,
  offsetof(Echo, power)}, {'d', 0, NULL, offsetof(Echo, speed)}, {'d', 0, NULL, offsetof(Echo, azimuth)}};
const Layout layout_Echo = {0, 4, sizeof(Echo), fields_Echo};

static const FieldLayout fields_LinkFacts[] = {{'s', 0, NULL, offsetof(LinkFacts, name)}, {'s', 0, NULL,
  offsetof(LinkFacts, joint_name)}, {'s', 0, NULL, offsetof(LinkFacts, material)}, {'i', 0, NULL,
  offsetof(LinkFacts, parent)}, {'i', 0, NULL, offsetof(LinkFacts, joint_id)}, {'B', 0, NULL,
  offsetof(LinkFacts, joint_type)}, {'i', 0, NULL, offsetof(LinkFacts, joint)}, {'D', 7, NULL,
  offsetof(LinkFacts, offset)}, {'D', 7, NULL, offsetof(LinkFacts, pose)}, {'D', 3, NULL, offsetof(LinkFacts,
  axis)}, {'d', 0, NULL, offsetof(LinkFacts, q)}, {'d', 0, NULL, offsetof(LinkFacts, q_lower)}, {'d', 0, NULL,
  offsetof(LinkFacts, q_upper)}, {'d', 0, NULL, offsetof(LinkFacts, dq_upper)}, {'d', 0, NULL,
  offsetof(LinkFacts, u_upper)}, {'d', 0, NULL, offsetof(LinkFacts, rotor)}, {'d', 0, NULL,
  offsetof(LinkFacts, mass)}, {'D', 3, NULL, offsetof(LinkFacts, com)}, {'D', 9, NULL, offsetof(LinkFacts,
  inertia)}};
const Layout layout_LinkFacts = {0, 19, sizeof(LinkFacts), fields_LinkFacts};

static const FieldLayout fields_BodyDeviceFacts[] = {{'s', 0, NULL, offsetof(BodyDeviceFacts, name)}, {'s', 0,
  NULL, offsetof(BodyDeviceFacts, kind)}, {'I', 0, NULL, offsetof(BodyDeviceFacts, link)}, {'i', 0, NULL,
  offsetof(BodyDeviceFacts, id)}, {'D', 7, NULL, offsetof(BodyDeviceFacts, pose)}, {'L', 8, NULL,
  offsetof(BodyDeviceFacts, numbers)}, {'L', 8, NULL, offsetof(BodyDeviceFacts, state)}, {'s', 0, NULL,
  offsetof(BodyDeviceFacts, pictures)}};
const Layout layout_BodyDeviceFacts = {0, 8, sizeof(BodyDeviceFacts), fields_BodyDeviceFacts};

static const FieldLayout fields_BodyControllerFacts[] = {{'s', 0, NULL, offsetof(BodyControllerFacts, name)},
  {'s', 0, NULL, offsetof(BodyControllerFacts, module)}, {'s', 0, NULL, offsetof(BodyControllerFacts,
  options)}, {'s', 0, NULL, offsetof(BodyControllerFacts, simulator_options)}, {'i', 0, NULL,
  offsetof(BodyControllerFacts, parent)}, {'t', 0, NULL, offsetof(BodyControllerFacts, no_delay)}, {'t', 0,
  NULL, offsetof(BodyControllerFacts, reloads)}, {'t', 0, NULL, offsetof(BodyControllerFacts, exports)}, {'t',
  0, NULL, offsetof(BodyControllerFacts, old_targets)}};
const Layout layout_BodyControllerFacts = {0, 9, sizeof(BodyControllerFacts), fields_BodyControllerFacts};

static const FieldLayout fields_RecognisedObject[] = {{'i', 0, NULL, offsetof(RecognisedObject, number)},
  {'D', 3, NULL, offsetof(RecognisedObject, position)}, {'D', 4, NULL, offsetof(RecognisedObject,
  orientation)}, {'D', 2, NULL, offsetof(RecognisedObject, size)}, {'i', 0, NULL, offsetof(RecognisedObject,
  x)}, {'i', 0, NULL, offsetof(RecognisedObject, y)}, {'i', 0, NULL, offsetof(RecognisedObject, width)}, {'i',
  0, NULL, offsetof(RecognisedObject, height)}, {'L', 8, NULL, offsetof(RecognisedObject, colors)}, {'s', 0,
  NULL, offsetof(RecognisedObject, model)}};
const Layout layout_RecognisedObject = {0, 10, sizeof(RecognisedObject), fields_RecognisedObject};

static const FieldLayout fields_ContactFacts[] = {{'d', 0, NULL, offsetof(ContactFacts, x)}, {'d', 0, NULL,
  offsetof(ContactFacts, y)}, {'d', 0, NULL, offsetof(ContactFacts, z)}, {'i', 0, NULL, offsetof(ContactFacts,
  node)}};
const Layout layout_ContactFacts = {0, 4, sizeof(ContactFacts), fields_ContactFacts};

static const FieldLayout fields_Refusal[] = {{'s', 0, NULL, offsetof(Refusal, text)}};
const Layout layout_Refusal = {2, 1, sizeof(Refusal), fields_Refusal};

static const FieldLayout fields_Welcome[] = {{'s', 0, NULL, offsetof(Welcome, name)}, {'s', 0, NULL,
  offsetof(Welcome, controller)}, {'s', 0, NULL, offsetof(Welcome, model)}, {'t', 0, NULL, offsetof(Welcome,
  supervisor)}, {'t', 0, NULL, offsetof(Welcome, synchronization)}, {'t', 0, NULL, offsetof(Welcome, is_old)},
  {'i', 0, NULL, offsetof(Welcome, mode)}, {'d', 0, NULL, offsetof(Welcome, basic_time_step)}, {'d', 0, NULL,
  offsetof(Welcome, time)}, {'d', 0, NULL, offsetof(Welcome, speed_unit)}, {'s', 0, NULL, offsetof(Welcome,
  custom_data)}, {'s', 0, NULL, offsetof(Welcome, project_path)}, {'s', 0, NULL, offsetof(Welcome,
  world_path)}, {'s', 0, NULL, offsetof(Welcome, mailbox)}, {'L', '@', NULL, offsetof(Welcome, devices)}};
const Layout layout_Welcome = {3, 15, sizeof(Welcome), fields_Welcome};

static const FieldLayout fields_Answer[] = {{'s', 0, NULL, offsetof(Answer, problem)}, {'@', 0, NULL,
  offsetof(Answer, result)}, {'L', 's', NULL, offsetof(Answer, notes)}};
const Layout layout_Answer = {5, 3, sizeof(Answer), fields_Answer};

static const FieldLayout fields_StepAnswer[] = {{'i', 0, NULL, offsetof(StepAnswer, status)}, {'d', 0, NULL,
  offsetof(StepAnswer, time)}, {'L', '@', NULL, offsetof(StepAnswer, told)}};
const Layout layout_StepAnswer = {6, 3, sizeof(StepAnswer), fields_StepAnswer};

static const FieldLayout fields_BodyWelcome[] = {{'s', 0, NULL, offsetof(BodyWelcome, name)}, {'s', 0, NULL,
  offsetof(BodyWelcome, model)}, {'d', 0, NULL, offsetof(BodyWelcome, time_step)}, {'t', 0, NULL,
  offsetof(BodyWelcome, has_joystick)}, {'s', 0, NULL, offsetof(BodyWelcome, block)}, {'I', 0, NULL,
  offsetof(BodyWelcome, block_size)}, {'L', 4, NULL, offsetof(BodyWelcome, offsets)}, {'L', '*',
  &layout_LinkFacts, offsetof(BodyWelcome, links)}, {'L', '*', &layout_BodyDeviceFacts, offsetof(BodyWelcome,
  devices)}, {'L', '*', &layout_BodyControllerFacts, offsetof(BodyWelcome, controllers)}};
const Layout layout_BodyWelcome = {7, 10, sizeof(BodyWelcome), fields_BodyWelcome};

static const FieldLayout fields_BodyOrder[] = {{'B', 0, NULL, offsetof(BodyOrder, phase)}, {'I', 0, NULL,
  offsetof(BodyOrder, controller)}, {'L', 4, NULL, offsetof(BodyOrder, modes)}};
const Layout layout_BodyOrder = {8, 3, sizeof(BodyOrder), fields_BodyOrder};

static const FieldLayout fields_AnswerBool[] = {{'t', 0, NULL, offsetof(AnswerBool, value)}};
const Layout layout_AnswerBool = {10, 1, sizeof(AnswerBool), fields_AnswerBool};

static const FieldLayout fields_AnswerInt[] = {{'i', 0, NULL, offsetof(AnswerInt, value)}};
const Layout layout_AnswerInt = {11, 1, sizeof(AnswerInt), fields_AnswerInt};

static const FieldLayout fields_AnswerText[] = {{'s', 0, NULL, offsetof(AnswerText, value)}};
const Layout layout_AnswerText = {12, 1, sizeof(AnswerText), fields_AnswerText};

static const FieldLayout fields_AnswerNumbers[] = {{'L', 8, NULL, offsetof(AnswerNumbers, value)}};
const Layout layout_AnswerNumbers = {13, 1, sizeof(AnswerNumbers), fields_AnswerNumbers};

static const FieldLayout fields_Note[] = {{'s', 0, NULL, offsetof(Note, text)}};
const Layout layout_Note = {39, 1, sizeof(Note), fields_Note};
const Layout layout_NewsReset = {40, 0, 0, NULL};

static const FieldLayout fields_NewsRobot[] = {{'s', 0, NULL, offsetof(NewsRobot, model)}, {'t', 0, NULL,
  offsetof(NewsRobot, supervisor)}};
const Layout layout_NewsRobot = {41, 2, sizeof(NewsRobot), fields_NewsRobot};

static const FieldLayout fields_NewsCustomData[] = {{'s', 0, NULL, offsetof(NewsCustomData, text)}};
const Layout layout_NewsCustomData = {42, 1, sizeof(NewsCustomData), fields_NewsCustomData};

static const FieldLayout fields_NewsDevice[] = {{'@', 0, NULL, offsetof(NewsDevice, device)}};
const Layout layout_NewsDevice = {43, 1, sizeof(NewsDevice), fields_NewsDevice};

static const FieldLayout fields_NewsWindowText[] = {{'s', 0, NULL, offsetof(NewsWindowText, text)}};
const Layout layout_NewsWindowText = {44, 1, sizeof(NewsWindowText), fields_NewsWindowText};

static const FieldLayout fields_NewsBattery[] = {{'d', 0, NULL, offsetof(NewsBattery, charge)}};
const Layout layout_NewsBattery = {45, 1, sizeof(NewsBattery), fields_NewsBattery};

static const FieldLayout fields_NewsEvents[] = {{'I', 0, NULL, offsetof(NewsEvents, events)}};
const Layout layout_NewsEvents = {46, 1, sizeof(NewsEvents), fields_NewsEvents};

static const FieldLayout fields_NewsKeyboard[] = {{'L', 4, NULL, offsetof(NewsKeyboard, keys)}};
const Layout layout_NewsKeyboard = {47, 1, sizeof(NewsKeyboard), fields_NewsKeyboard};

static const FieldLayout fields_NewsMouse[] = {{'d', 0, NULL, offsetof(NewsMouse, u)}, {'d', 0, NULL,
  offsetof(NewsMouse, v)}, {'d', 0, NULL, offsetof(NewsMouse, x)}, {'d', 0, NULL, offsetof(NewsMouse, y)},
  {'d', 0, NULL, offsetof(NewsMouse, z)}, {'t', 0, NULL, offsetof(NewsMouse, left)}, {'t', 0, NULL,
  offsetof(NewsMouse, middle)}, {'t', 0, NULL, offsetof(NewsMouse, right)}};
const Layout layout_NewsMouse = {48, 8, sizeof(NewsMouse), fields_NewsMouse};

static const FieldLayout fields_NewsJoystick[] = {{'s', 0, NULL, offsetof(NewsJoystick, model)}, {'L', 4,
  NULL, offsetof(NewsJoystick, axes)}, {'L', 4, NULL, offsetof(NewsJoystick, povs)}, {'L', 4, NULL,
  offsetof(NewsJoystick, buttons)}};
const Layout layout_NewsJoystick = {49, 4, sizeof(NewsJoystick), fields_NewsJoystick};

static const FieldLayout fields_ReportBlock[] = {{'I', 0, NULL, offsetof(ReportBlock, block)}, {'I', 0, NULL,
  offsetof(ReportBlock, width)}, {'L', 4, NULL, offsetof(ReportBlock, tags)}};
const Layout layout_ReportBlock = {60, 3, sizeof(ReportBlock), fields_ReportBlock};

static const FieldLayout fields_ReportImage[] = {{'I', 0, NULL, offsetof(ReportImage, tag)}, {'I', 0, NULL,
  offsetof(ReportImage, number)}};
const Layout layout_ReportImage = {61, 2, sizeof(ReportImage), fields_ReportImage};

static const FieldLayout fields_ReportCamera[] = {{'I', 0, NULL, offsetof(ReportCamera, tag)}, {'o', 0, NULL,
  offsetof(ReportCamera, image)}, {'o', 0, NULL, offsetof(ReportCamera, objects)}, {'o', 0, NULL,
  offsetof(ReportCamera, segments)}};
const Layout layout_ReportCamera = {62, 4, sizeof(ReportCamera), fields_ReportCamera};

static const FieldLayout fields_ReportPackets[] = {{'I', 0, NULL, offsetof(ReportPackets, tag)}, {'L', '*',
  &layout_Packet, offsetof(ReportPackets, packets)}};
const Layout layout_ReportPackets = {63, 2, sizeof(ReportPackets), fields_ReportPackets};

static const FieldLayout fields_ReportWaiting[] = {{'I', 0, NULL, offsetof(ReportWaiting, tag)}, {'I', 0,
  NULL, offsetof(ReportWaiting, count)}};
const Layout layout_ReportWaiting = {64, 2, sizeof(ReportWaiting), fields_ReportWaiting};

static const FieldLayout fields_ReportEchoes[] = {{'I', 0, NULL, offsetof(ReportEchoes, tag)}, {'L', '*',
  &layout_Echo, offsetof(ReportEchoes, echoes)}};
const Layout layout_ReportEchoes = {65, 2, sizeof(ReportEchoes), fields_ReportEchoes};

static const FieldLayout fields_ReportPresence[] = {{'I', 0, NULL, offsetof(ReportPresence, tag)}, {'i', 0,
  NULL, offsetof(ReportPresence, presence)}};
const Layout layout_ReportPresence = {66, 2, sizeof(ReportPresence), fields_ReportPresence};

static const FieldLayout fields_ReportPlaying[] = {{'I', 0, NULL, offsetof(ReportPlaying, tag)}, {'L', 's',
  NULL, offsetof(ReportPlaying, sounds)}, {'t', 0, NULL, offsetof(ReportPlaying, speaks)}};
const Layout layout_ReportPlaying = {67, 3, sizeof(ReportPlaying), fields_ReportPlaying};

static const FieldLayout fields_ReportNumbers[] = {{'I', 0, NULL, offsetof(ReportNumbers, block)}, {'L', 8,
  NULL, offsetof(ReportNumbers, values)}};
const Layout layout_ReportNumbers = {68, 2, sizeof(ReportNumbers), fields_ReportNumbers};

static const FieldLayout fields_ReportValue[] = {{'I', 0, NULL, offsetof(ReportValue, tag)}, {'L', 8, NULL,
  offsetof(ReportValue, values)}};
const Layout layout_ReportValue = {69, 2, sizeof(ReportValue), fields_ReportValue};

static const FieldLayout fields_PlainFacts[] = {{'I', 0, NULL, offsetof(PlainFacts, tag)}, {'s', 0, NULL,
  offsetof(PlainFacts, name)}, {'B', 0, NULL, offsetof(PlainFacts, type)}, {'s', 0, NULL, offsetof(PlainFacts,
  model)}};
const Layout layout_PlainFacts = {100, 4, sizeof(PlainFacts), fields_PlainFacts};

static const FieldLayout fields_MotorFacts[] = {{'I', 0, NULL, offsetof(MotorFacts, tag)}, {'s', 0, NULL,
  offsetof(MotorFacts, name)}, {'B', 0, NULL, offsetof(MotorFacts, type)}, {'s', 0, NULL, offsetof(MotorFacts,
  model)}, {'t', 0, NULL, offsetof(MotorFacts, linear)}, {'I', 0, NULL, offsetof(MotorFacts, motor)}, {'I', 0,
  NULL, offsetof(MotorFacts, position_sensor)}, {'I', 0, NULL, offsetof(MotorFacts, brake)}, {'d', 0, NULL,
  offsetof(MotorFacts, max_velocity)}, {'d', 0, NULL, offsetof(MotorFacts, max_effort)}, {'d', 0, NULL,
  offsetof(MotorFacts, min_position)}, {'d', 0, NULL, offsetof(MotorFacts, max_position)}, {'d', 0, NULL,
  offsetof(MotorFacts, acceleration)}, {'d', 0, NULL, offsetof(MotorFacts, multiplier)}, {'d', 0, NULL,
  offsetof(MotorFacts, target_position)}};
const Layout layout_MotorFacts = {101, 15, sizeof(MotorFacts), fields_MotorFacts};

static const FieldLayout fields_PositionSensorFacts[] = {{'I', 0, NULL, offsetof(PositionSensorFacts, tag)},
  {'s', 0, NULL, offsetof(PositionSensorFacts, name)}, {'B', 0, NULL, offsetof(PositionSensorFacts, type)},
  {'s', 0, NULL, offsetof(PositionSensorFacts, model)}, {'t', 0, NULL, offsetof(PositionSensorFacts, linear)},
  {'I', 0, NULL, offsetof(PositionSensorFacts, motor)}, {'I', 0, NULL, offsetof(PositionSensorFacts,
  position_sensor)}, {'I', 0, NULL, offsetof(PositionSensorFacts, brake)}, {'d', 0, NULL,
  offsetof(PositionSensorFacts, resolution)}};
const Layout layout_PositionSensorFacts = {102, 9, sizeof(PositionSensorFacts), fields_PositionSensorFacts};

static const FieldLayout fields_BrakeFacts[] = {{'I', 0, NULL, offsetof(BrakeFacts, tag)}, {'s', 0, NULL,
  offsetof(BrakeFacts, name)}, {'B', 0, NULL, offsetof(BrakeFacts, type)}, {'s', 0, NULL, offsetof(BrakeFacts,
  model)}, {'t', 0, NULL, offsetof(BrakeFacts, linear)}, {'I', 0, NULL, offsetof(BrakeFacts, motor)}, {'I', 0,
  NULL, offsetof(BrakeFacts, position_sensor)}, {'I', 0, NULL, offsetof(BrakeFacts, brake)}};
const Layout layout_BrakeFacts = {103, 8, sizeof(BrakeFacts), fields_BrakeFacts};

static const FieldLayout fields_LookupFacts[] = {{'I', 0, NULL, offsetof(LookupFacts, tag)}, {'s', 0, NULL,
  offsetof(LookupFacts, name)}, {'B', 0, NULL, offsetof(LookupFacts, type)}, {'s', 0, NULL,
  offsetof(LookupFacts, model)}, {'L', 8, NULL, offsetof(LookupFacts, table)}};
const Layout layout_LookupFacts = {104, 5, sizeof(LookupFacts), fields_LookupFacts};

static const FieldLayout fields_DistanceSensorFacts[] = {{'I', 0, NULL, offsetof(DistanceSensorFacts, tag)},
  {'s', 0, NULL, offsetof(DistanceSensorFacts, name)}, {'B', 0, NULL, offsetof(DistanceSensorFacts, type)},
  {'s', 0, NULL, offsetof(DistanceSensorFacts, model)}, {'L', 8, NULL, offsetof(DistanceSensorFacts, table)},
  {'d', 0, NULL, offsetof(DistanceSensorFacts, min_value)}, {'d', 0, NULL, offsetof(DistanceSensorFacts,
  max_value)}, {'d', 0, NULL, offsetof(DistanceSensorFacts, aperture)}, {'B', 0, NULL,
  offsetof(DistanceSensorFacts, kind)}};
const Layout layout_DistanceSensorFacts = {105, 9, sizeof(DistanceSensorFacts), fields_DistanceSensorFacts};

static const FieldLayout fields_TouchSensorFacts[] = {{'I', 0, NULL, offsetof(TouchSensorFacts, tag)}, {'s',
  0, NULL, offsetof(TouchSensorFacts, name)}, {'B', 0, NULL, offsetof(TouchSensorFacts, type)}, {'s', 0, NULL,
  offsetof(TouchSensorFacts, model)}, {'L', 8, NULL, offsetof(TouchSensorFacts, table)}, {'B', 0, NULL,
  offsetof(TouchSensorFacts, kind)}};
const Layout layout_TouchSensorFacts = {106, 6, sizeof(TouchSensorFacts), fields_TouchSensorFacts};

static const FieldLayout fields_GpsFacts[] = {{'I', 0, NULL, offsetof(GpsFacts, tag)}, {'s', 0, NULL,
  offsetof(GpsFacts, name)}, {'B', 0, NULL, offsetof(GpsFacts, type)}, {'s', 0, NULL, offsetof(GpsFacts,
  model)}, {'B', 0, NULL, offsetof(GpsFacts, system)}};
const Layout layout_GpsFacts = {107, 5, sizeof(GpsFacts), fields_GpsFacts};

static const FieldLayout fields_InertialUnitFacts[] = {{'I', 0, NULL, offsetof(InertialUnitFacts, tag)}, {'s',
  0, NULL, offsetof(InertialUnitFacts, name)}, {'B', 0, NULL, offsetof(InertialUnitFacts, type)}, {'s', 0,
  NULL, offsetof(InertialUnitFacts, model)}, {'d', 0, NULL, offsetof(InertialUnitFacts, noise)}, {'t', 0,
  NULL, offsetof(InertialUnitFacts, y_up)}};
const Layout layout_InertialUnitFacts = {108, 6, sizeof(InertialUnitFacts), fields_InertialUnitFacts};

static const FieldLayout fields_CameraFacts[] = {{'I', 0, NULL, offsetof(CameraFacts, tag)}, {'s', 0, NULL,
  offsetof(CameraFacts, name)}, {'B', 0, NULL, offsetof(CameraFacts, type)}, {'s', 0, NULL,
  offsetof(CameraFacts, model)}, {'I', 0, NULL, offsetof(CameraFacts, width)}, {'I', 0, NULL,
  offsetof(CameraFacts, height)}, {'d', 0, NULL, offsetof(CameraFacts, fov)}, {'d', 0, NULL,
  offsetof(CameraFacts, near)}, {'s', 0, NULL, offsetof(CameraFacts, memory)}, {'d', 0, NULL,
  offsetof(CameraFacts, exposure)}, {'s', 0, NULL, offsetof(CameraFacts, segments_memory)}, {'d', 0, NULL,
  offsetof(CameraFacts, min_fov)}, {'d', 0, NULL, offsetof(CameraFacts, max_fov)}, {'t', 0, NULL,
  offsetof(CameraFacts, has_zoom)}, {'t', 0, NULL, offsetof(CameraFacts, has_focus)}, {'d', 0, NULL,
  offsetof(CameraFacts, focal_length)}, {'d', 0, NULL, offsetof(CameraFacts, focal_distance)}, {'d', 0, NULL,
  offsetof(CameraFacts, min_focal_distance)}, {'d', 0, NULL, offsetof(CameraFacts, max_focal_distance)}, {'t',
  0, NULL, offsetof(CameraFacts, has_recognition)}, {'t', 0, NULL, offsetof(CameraFacts, has_segmentation)}};
const Layout layout_CameraFacts = {109, 21, sizeof(CameraFacts), fields_CameraFacts};

static const FieldLayout fields_RangeFinderFacts[] = {{'I', 0, NULL, offsetof(RangeFinderFacts, tag)}, {'s',
  0, NULL, offsetof(RangeFinderFacts, name)}, {'B', 0, NULL, offsetof(RangeFinderFacts, type)}, {'s', 0, NULL,
  offsetof(RangeFinderFacts, model)}, {'I', 0, NULL, offsetof(RangeFinderFacts, width)}, {'I', 0, NULL,
  offsetof(RangeFinderFacts, height)}, {'d', 0, NULL, offsetof(RangeFinderFacts, fov)}, {'d', 0, NULL,
  offsetof(RangeFinderFacts, near)}, {'s', 0, NULL, offsetof(RangeFinderFacts, memory)}, {'d', 0, NULL,
  offsetof(RangeFinderFacts, min_range)}, {'d', 0, NULL, offsetof(RangeFinderFacts, max_range)}};
const Layout layout_RangeFinderFacts = {110, 11, sizeof(RangeFinderFacts), fields_RangeFinderFacts};

static const FieldLayout fields_LidarFacts[] = {{'I', 0, NULL, offsetof(LidarFacts, tag)}, {'s', 0, NULL,
  offsetof(LidarFacts, name)}, {'B', 0, NULL, offsetof(LidarFacts, type)}, {'s', 0, NULL, offsetof(LidarFacts,
  model)}, {'I', 0, NULL, offsetof(LidarFacts, width)}, {'I', 0, NULL, offsetof(LidarFacts, height)}, {'d', 0,
  NULL, offsetof(LidarFacts, fov)}, {'d', 0, NULL, offsetof(LidarFacts, near)}, {'s', 0, NULL,
  offsetof(LidarFacts, memory)}, {'d', 0, NULL, offsetof(LidarFacts, vertical_fov)}, {'d', 0, NULL,
  offsetof(LidarFacts, min_range)}, {'d', 0, NULL, offsetof(LidarFacts, max_range)}, {'d', 0, NULL,
  offsetof(LidarFacts, frequency)}, {'d', 0, NULL, offsetof(LidarFacts, min_frequency)}, {'d', 0, NULL,
  offsetof(LidarFacts, max_frequency)}, {'s', 0, NULL, offsetof(LidarFacts, points_memory)}};
const Layout layout_LidarFacts = {111, 16, sizeof(LidarFacts), fields_LidarFacts};

static const FieldLayout fields_EmitterFacts[] = {{'I', 0, NULL, offsetof(EmitterFacts, tag)}, {'s', 0, NULL,
  offsetof(EmitterFacts, name)}, {'B', 0, NULL, offsetof(EmitterFacts, type)}, {'s', 0, NULL,
  offsetof(EmitterFacts, model)}, {'i', 0, NULL, offsetof(EmitterFacts, channel)}, {'d', 0, NULL,
  offsetof(EmitterFacts, range)}, {'d', 0, NULL, offsetof(EmitterFacts, max_range)}, {'q', 0, NULL,
  offsetof(EmitterFacts, buffer_size)}, {'L', 4, NULL, offsetof(EmitterFacts, allowed_channels)}};
const Layout layout_EmitterFacts = {112, 9, sizeof(EmitterFacts), fields_EmitterFacts};

static const FieldLayout fields_ReceiverFacts[] = {{'I', 0, NULL, offsetof(ReceiverFacts, tag)}, {'s', 0,
  NULL, offsetof(ReceiverFacts, name)}, {'B', 0, NULL, offsetof(ReceiverFacts, type)}, {'s', 0, NULL,
  offsetof(ReceiverFacts, model)}, {'i', 0, NULL, offsetof(ReceiverFacts, channel)}, {'L', 4, NULL,
  offsetof(ReceiverFacts, allowed_channels)}};
const Layout layout_ReceiverFacts = {113, 6, sizeof(ReceiverFacts), fields_ReceiverFacts};

static const FieldLayout fields_RadarFacts[] = {{'I', 0, NULL, offsetof(RadarFacts, tag)}, {'s', 0, NULL,
  offsetof(RadarFacts, name)}, {'B', 0, NULL, offsetof(RadarFacts, type)}, {'s', 0, NULL, offsetof(RadarFacts,
  model)}, {'d', 0, NULL, offsetof(RadarFacts, min_range)}, {'d', 0, NULL, offsetof(RadarFacts, max_range)},
  {'d', 0, NULL, offsetof(RadarFacts, horizontal_fov)}, {'d', 0, NULL, offsetof(RadarFacts, vertical_fov)}};
const Layout layout_RadarFacts = {114, 8, sizeof(RadarFacts), fields_RadarFacts};

static const FieldLayout fields_ConnectorFacts[] = {{'I', 0, NULL, offsetof(ConnectorFacts, tag)}, {'s', 0,
  NULL, offsetof(ConnectorFacts, name)}, {'B', 0, NULL, offsetof(ConnectorFacts, type)}, {'s', 0, NULL,
  offsetof(ConnectorFacts, model)}, {'B', 0, NULL, offsetof(ConnectorFacts, kind)}, {'t', 0, NULL,
  offsetof(ConnectorFacts, is_on)}};
const Layout layout_ConnectorFacts = {115, 6, sizeof(ConnectorFacts), fields_ConnectorFacts};

static const FieldLayout fields_GripperFacts[] = {{'I', 0, NULL, offsetof(GripperFacts, tag)}, {'s', 0, NULL,
  offsetof(GripperFacts, name)}, {'B', 0, NULL, offsetof(GripperFacts, type)}, {'s', 0, NULL,
  offsetof(GripperFacts, model)}, {'t', 0, NULL, offsetof(GripperFacts, is_on)}};
const Layout layout_GripperFacts = {116, 5, sizeof(GripperFacts), fields_GripperFacts};

static const FieldLayout fields_DisplayFacts[] = {{'I', 0, NULL, offsetof(DisplayFacts, tag)}, {'s', 0, NULL,
  offsetof(DisplayFacts, name)}, {'B', 0, NULL, offsetof(DisplayFacts, type)}, {'s', 0, NULL,
  offsetof(DisplayFacts, model)}, {'I', 0, NULL, offsetof(DisplayFacts, width)}, {'I', 0, NULL,
  offsetof(DisplayFacts, height)}};
const Layout layout_DisplayFacts = {117, 6, sizeof(DisplayFacts), fields_DisplayFacts};

static const FieldLayout fields_RecognisedObjects[] = {{'L', '*', &layout_RecognisedObject,
  offsetof(RecognisedObjects, value)}};
const Layout layout_RecognisedObjects = {240, 1, sizeof(RecognisedObjects), fields_RecognisedObjects};

static const FieldLayout fields_NodeFacts[] = {{'i', 0, NULL, offsetof(NodeFacts, number)}, {'B', 0, NULL,
  offsetof(NodeFacts, kind)}, {'s', 0, NULL, offsetof(NodeFacts, type_name)}, {'s', 0, NULL,
  offsetof(NodeFacts, base_type)}, {'s', 0, NULL, offsetof(NodeFacts, def_name)}, {'t', 0, NULL,
  offsetof(NodeFacts, is_proto)}};
const Layout layout_NodeFacts = {300, 6, sizeof(NodeFacts), fields_NodeFacts};

static const FieldLayout fields_FieldFacts[] = {{'i', 0, NULL, offsetof(FieldFacts, node)}, {'s', 0, NULL,
  offsetof(FieldFacts, name)}, {'B', 0, NULL, offsetof(FieldFacts, kind)}, {'s', 0, NULL, offsetof(FieldFacts,
  type_name)}, {'i', 0, NULL, offsetof(FieldFacts, level)}};
const Layout layout_FieldFacts = {301, 5, sizeof(FieldFacts), fields_FieldFacts};

static const FieldLayout fields_ProtoFacts[] = {{'i', 0, NULL, offsetof(ProtoFacts, node)}, {'i', 0, NULL,
  offsetof(ProtoFacts, level)}, {'s', 0, NULL, offsetof(ProtoFacts, name)}, {'t', 0, NULL,
  offsetof(ProtoFacts, is_derived)}};
const Layout layout_ProtoFacts = {302, 4, sizeof(ProtoFacts), fields_ProtoFacts};

static const FieldLayout fields_ContactPoints[] = {{'L', '*', &layout_ContactFacts, offsetof(ContactPoints,
  value)}};
const Layout layout_ContactPoints = {303, 1, sizeof(ContactPoints), fields_ContactPoints};

static const FieldLayout fields_FieldContent[] = {{'v', 0, NULL, offsetof(FieldContent, value)}};
const Layout layout_FieldContent = {304, 1, sizeof(FieldContent), fields_FieldContent};

const Layout *const all_layouts[] = {
  &layout_Refusal, &layout_Welcome, &layout_Answer, &layout_StepAnswer, &layout_BodyWelcome,
  &layout_BodyOrder, &layout_AnswerBool, &layout_AnswerInt, &layout_AnswerText, &layout_AnswerNumbers,
  &layout_Note, &layout_NewsReset, &layout_NewsRobot, &layout_NewsCustomData, &layout_NewsDevice,
  &layout_NewsWindowText, &layout_NewsBattery, &layout_NewsEvents, &layout_NewsKeyboard, &layout_NewsMouse,
  &layout_NewsJoystick, &layout_ReportBlock, &layout_ReportImage, &layout_ReportCamera, &layout_ReportPackets,
  &layout_ReportWaiting, &layout_ReportEchoes, &layout_ReportPresence, &layout_ReportPlaying,
  &layout_ReportNumbers, &layout_ReportValue, &layout_PlainFacts, &layout_MotorFacts,
  &layout_PositionSensorFacts, &layout_BrakeFacts, &layout_LookupFacts, &layout_DistanceSensorFacts,
  &layout_TouchSensorFacts, &layout_GpsFacts, &layout_InertialUnitFacts, &layout_CameraFacts,
  &layout_RangeFinderFacts, &layout_LidarFacts, &layout_EmitterFacts, &layout_ReceiverFacts,
  &layout_RadarFacts, &layout_ConnectorFacts, &layout_GripperFacts, &layout_DisplayFacts,
  &layout_RecognisedObjects, &layout_NodeFacts, &layout_FieldFacts, &layout_ProtoFacts, &layout_ContactPoints,
  &layout_FieldContent};
const int layout_count = sizeof all_layouts / sizeof *all_layouts;
