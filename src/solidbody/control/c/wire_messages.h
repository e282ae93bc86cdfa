/* GENERATED FILE, DO NOT EDIT: written by `python -m tools.make_protocol`. */
#ifndef SB_WIRE_MESSAGES_H
#define SB_WIRE_MESSAGES_H

#include "wire.h"

#define VERSION 2u
#define MAGIC 1346585171u
#define MOST_SAID 262144u
#define FRAME_LIMIT 67108864u
#define MAILBOX 65536u
#define MAILBOX_HEAD 64u
#define MAILBOX_NAME "solidbody-mailbox"
#define HEADER_BYTES 64
#define MOST_CONTACTS 256
#define CONTACT_WIDTH 14
#define DEVICE_WIDTH 8

enum { PHASE_configure, PHASE_initialize, PHASE_start, PHASE_control, PHASE_stop, PHASE_end };

enum { HEADER_asked, HEADER_done, HEADER_host_sleeps, HEADER_simulator_sleeps };

enum { SECTION_time, SECTION_joystick, SECTION_q, SECTION_dq, SECTION_ddq, SECTION_u, SECTION_pose,
  SECTION_twist, SECTION_acceleration, SECTION_wrench, SECTION_contacts, SECTION_device_changes,
  SECTION_device_state, SECTION_q_target, SECTION_dq_target, SECTION_ddq_out, SECTION_u_out, SECTION_pose_out,
  SECTION_twist_out, SECTION_wrench_out, SECTION_device_changes_out, SECTION_device_state_out, SECTION_results
  };

enum { M_Refusal = 2, M_Welcome = 3, M_Answer = 5, M_StepAnswer = 6, M_BodyWelcome = 7, M_BodyOrder = 8,
  M_AnswerBool = 10, M_AnswerInt = 11, M_AnswerText = 12, M_AnswerNumbers = 13, M_Note = 39, M_NewsReset = 40,
  M_NewsRobot = 41, M_NewsCustomData = 42, M_NewsDevice = 43, M_NewsWindowText = 44, M_NewsBattery = 45,
  M_NewsEvents = 46, M_NewsKeyboard = 47, M_NewsMouse = 48, M_NewsJoystick = 49, M_ReportBlock = 60,
  M_ReportImage = 61, M_ReportCamera = 62, M_ReportPackets = 63, M_ReportWaiting = 64, M_ReportEchoes = 65,
  M_ReportPresence = 66, M_ReportPlaying = 67, M_ReportNumbers = 68, M_ReportValue = 69, M_PlainFacts = 100,
  M_MotorFacts = 101, M_PositionSensorFacts = 102, M_BrakeFacts = 103, M_LookupFacts = 104,
  M_DistanceSensorFacts = 105, M_TouchSensorFacts = 106, M_GpsFacts = 107, M_InertialUnitFacts = 108,
  M_CameraFacts = 109, M_RangeFinderFacts = 110, M_LidarFacts = 111, M_EmitterFacts = 112, M_ReceiverFacts =
  113, M_RadarFacts = 114, M_ConnectorFacts = 115, M_GripperFacts = 116, M_DisplayFacts = 117,
  M_RecognisedObjects = 240, M_NodeFacts = 300, M_FieldFacts = 301, M_ProtoFacts = 302, M_ContactPoints = 303,
  M_FieldContent = 304, M_Turn = 4 };

/* What programs are told. */

typedef struct { Slice data; int32_t channel; double signal; double direction[3]; } Packet;
extern const Layout layout_Packet;
typedef struct { double distance; double power; double speed; double azimuth; } Echo;
extern const Layout layout_Echo;
typedef struct { Slice name; Slice joint_name; Slice material; int32_t parent; int32_t joint_id; uint8_t joint_type; int32_t joint; double offset[7]; double pose[7]; double axis[3]; double q; double q_lower; double q_upper; double dq_upper; double u_upper; double rotor; double mass; double com[3]; double inertia[9]; } LinkFacts;
extern const Layout layout_LinkFacts;
typedef struct { Slice name; Slice kind; uint32_t link; int32_t id; double pose[7]; List numbers; List state; Slice pictures; } BodyDeviceFacts;
extern const Layout layout_BodyDeviceFacts;
typedef struct { Slice name; Slice module; Slice options; Slice simulator_options; int32_t parent; bool no_delay; bool reloads; bool exports; bool old_targets; } BodyControllerFacts;
extern const Layout layout_BodyControllerFacts;
typedef struct { int32_t number; double position[3]; double orientation[4]; double size[2]; int32_t x; int32_t y; int32_t width; int32_t height; List colors; Slice model; } RecognisedObject;
extern const Layout layout_RecognisedObject;
typedef struct { double x; double y; double z; int32_t node; } ContactFacts;
extern const Layout layout_ContactFacts;
typedef struct { Slice text; } Refusal;
extern const Layout layout_Refusal;
typedef struct { Slice name; Slice controller; Slice model; bool supervisor; bool synchronization; bool is_old; int32_t mode; double basic_time_step; double time; double speed_unit; Slice custom_data; Slice project_path; Slice world_path; Slice mailbox; List devices; } Welcome;
extern const Layout layout_Welcome;
typedef struct { Slice problem; List result; List notes; } Answer;
extern const Layout layout_Answer;
typedef struct { int32_t status; double time; List told; } StepAnswer;
extern const Layout layout_StepAnswer;
typedef struct { Slice name; Slice model; double time_step; bool has_joystick; Slice block; uint32_t block_size; List offsets; List links; List devices; List controllers; } BodyWelcome;
extern const Layout layout_BodyWelcome;
typedef struct { uint8_t phase; uint32_t controller; List modes; } BodyOrder;
extern const Layout layout_BodyOrder;
typedef struct { bool value; } AnswerBool;
extern const Layout layout_AnswerBool;
typedef struct { int32_t value; } AnswerInt;
extern const Layout layout_AnswerInt;
typedef struct { Slice value; } AnswerText;
extern const Layout layout_AnswerText;
typedef struct { List value; } AnswerNumbers;
extern const Layout layout_AnswerNumbers;
typedef struct { Slice text; } Note;
extern const Layout layout_Note;
extern const Layout layout_NewsReset;
typedef struct { Slice model; bool supervisor; } NewsRobot;
extern const Layout layout_NewsRobot;
typedef struct { Slice text; } NewsCustomData;
extern const Layout layout_NewsCustomData;
typedef struct { List device; } NewsDevice;
extern const Layout layout_NewsDevice;
typedef struct { Slice text; } NewsWindowText;
extern const Layout layout_NewsWindowText;
typedef struct { double charge; } NewsBattery;
extern const Layout layout_NewsBattery;
typedef struct { uint32_t events; } NewsEvents;
extern const Layout layout_NewsEvents;
typedef struct { List keys; } NewsKeyboard;
extern const Layout layout_NewsKeyboard;
typedef struct { double u; double v; double x; double y; double z; bool left; bool middle; bool right; } NewsMouse;
extern const Layout layout_NewsMouse;
typedef struct { Slice model; List axes; List povs; List buttons; } NewsJoystick;
extern const Layout layout_NewsJoystick;
typedef struct { uint32_t block; uint32_t width; List tags; } ReportBlock;
extern const Layout layout_ReportBlock;
typedef struct { uint32_t tag; uint32_t number; } ReportImage;
extern const Layout layout_ReportImage;
typedef struct { uint32_t tag; Maybe image; Maybe objects; Maybe segments; } ReportCamera;
extern const Layout layout_ReportCamera;
typedef struct { uint32_t tag; List packets; } ReportPackets;
extern const Layout layout_ReportPackets;
typedef struct { uint32_t tag; uint32_t count; } ReportWaiting;
extern const Layout layout_ReportWaiting;
typedef struct { uint32_t tag; List echoes; } ReportEchoes;
extern const Layout layout_ReportEchoes;
typedef struct { uint32_t tag; int32_t presence; } ReportPresence;
extern const Layout layout_ReportPresence;
typedef struct { uint32_t tag; List sounds; bool speaks; } ReportPlaying;
extern const Layout layout_ReportPlaying;
typedef struct { uint32_t block; List values; } ReportNumbers;
extern const Layout layout_ReportNumbers;
typedef struct { uint32_t tag; List values; } ReportValue;
extern const Layout layout_ReportValue;
typedef struct { uint32_t tag; Slice name; uint8_t type; Slice model; } PlainFacts;
extern const Layout layout_PlainFacts;
typedef struct { uint32_t tag; Slice name; uint8_t type; Slice model; bool linear; uint32_t motor; uint32_t position_sensor; uint32_t brake; double max_velocity; double max_effort; double min_position; double max_position; double acceleration; double multiplier; double target_position; } MotorFacts;
extern const Layout layout_MotorFacts;
typedef struct { uint32_t tag; Slice name; uint8_t type; Slice model; bool linear; uint32_t motor; uint32_t position_sensor; uint32_t brake; double resolution; } PositionSensorFacts;
extern const Layout layout_PositionSensorFacts;
typedef struct { uint32_t tag; Slice name; uint8_t type; Slice model; bool linear; uint32_t motor; uint32_t position_sensor; uint32_t brake; } BrakeFacts;
extern const Layout layout_BrakeFacts;
typedef struct { uint32_t tag; Slice name; uint8_t type; Slice model; List table; } LookupFacts;
extern const Layout layout_LookupFacts;
typedef struct { uint32_t tag; Slice name; uint8_t type; Slice model; List table; double min_value; double max_value; double aperture; uint8_t kind; } DistanceSensorFacts;
extern const Layout layout_DistanceSensorFacts;
typedef struct { uint32_t tag; Slice name; uint8_t type; Slice model; List table; uint8_t kind; } TouchSensorFacts;
extern const Layout layout_TouchSensorFacts;
typedef struct { uint32_t tag; Slice name; uint8_t type; Slice model; uint8_t system; } GpsFacts;
extern const Layout layout_GpsFacts;
typedef struct { uint32_t tag; Slice name; uint8_t type; Slice model; double noise; bool y_up; } InertialUnitFacts;
extern const Layout layout_InertialUnitFacts;
typedef struct { uint32_t tag; Slice name; uint8_t type; Slice model; uint32_t width; uint32_t height; double fov; double near; Slice memory; double exposure; Slice segments_memory; double min_fov; double max_fov; bool has_zoom; bool has_focus; double focal_length; double focal_distance; double min_focal_distance; double max_focal_distance; bool has_recognition; bool has_segmentation; } CameraFacts;
extern const Layout layout_CameraFacts;
typedef struct { uint32_t tag; Slice name; uint8_t type; Slice model; uint32_t width; uint32_t height; double fov; double near; Slice memory; double min_range; double max_range; } RangeFinderFacts;
extern const Layout layout_RangeFinderFacts;
typedef struct { uint32_t tag; Slice name; uint8_t type; Slice model; uint32_t width; uint32_t height; double fov; double near; Slice memory; double vertical_fov; double min_range; double max_range; double frequency; double min_frequency; double max_frequency; Slice points_memory; } LidarFacts;
extern const Layout layout_LidarFacts;
typedef struct { uint32_t tag; Slice name; uint8_t type; Slice model; int32_t channel; double range; double max_range; int64_t buffer_size; List allowed_channels; } EmitterFacts;
extern const Layout layout_EmitterFacts;
typedef struct { uint32_t tag; Slice name; uint8_t type; Slice model; int32_t channel; List allowed_channels; } ReceiverFacts;
extern const Layout layout_ReceiverFacts;
typedef struct { uint32_t tag; Slice name; uint8_t type; Slice model; double min_range; double max_range; double horizontal_fov; double vertical_fov; } RadarFacts;
extern const Layout layout_RadarFacts;
typedef struct { uint32_t tag; Slice name; uint8_t type; Slice model; uint8_t kind; bool is_on; } ConnectorFacts;
extern const Layout layout_ConnectorFacts;
typedef struct { uint32_t tag; Slice name; uint8_t type; Slice model; bool is_on; } GripperFacts;
extern const Layout layout_GripperFacts;
typedef struct { uint32_t tag; Slice name; uint8_t type; Slice model; uint32_t width; uint32_t height; } DisplayFacts;
extern const Layout layout_DisplayFacts;
typedef struct { List value; } RecognisedObjects;
extern const Layout layout_RecognisedObjects;
typedef struct { int32_t number; uint8_t kind; Slice type_name; Slice base_type; Slice def_name; bool is_proto; } NodeFacts;
extern const Layout layout_NodeFacts;
typedef struct { int32_t node; Slice name; uint8_t kind; Slice type_name; int32_t level; } FieldFacts;
extern const Layout layout_FieldFacts;
typedef struct { int32_t node; int32_t level; Slice name; bool is_derived; } ProtoFacts;
extern const Layout layout_ProtoFacts;
typedef struct { List value; } ContactPoints;
extern const Layout layout_ContactPoints;
typedef struct { Value value; } FieldContent;
extern const Layout layout_FieldContent;
typedef union { PlainFacts plain; MotorFacts motor; PositionSensorFacts positionSensor; BrakeFacts brake; LookupFacts lookup; DistanceSensorFacts distanceSensor; TouchSensorFacts touchSensor; GpsFacts gps; InertialUnitFacts inertialUnit; CameraFacts camera; RangeFinderFacts rangeFinder; LidarFacts lidar; EmitterFacts emitter; ReceiverFacts receiver; RadarFacts radar; ConnectorFacts connector; GripperFacts gripper; DisplayFacts display; } AnyFacts; /* all begin as PlainFacts do */

/* What programs say. */

static inline void say_Hello(Buffer *to, uint32_t magic, uint32_t version, const char *secret, const char *robot, uint32_t pid) { begin_message(to, 1); put_uint32_t(to, magic); put_uint32_t(to, version); put_text(to, secret, 65536u); put_text(to, robot, 65536u); put_uint32_t(to, pid); }
static inline void say_Step(Buffer *to, double milliseconds) { if (!is_sendable(milliseconds, 1, "Step.milliseconds")) return; begin_message(to, 20); put_double(to, milliseconds); }
static inline void say_RobotUrdf(Buffer *to, const char *prefix) { begin_message(to, 21); put_text(to, prefix, 65536u); }
static inline void say_RobotCustomData(Buffer *to, const char *text) { begin_message(to, 30); put_text(to, text, 33554432u); }
static inline void say_RobotWindowText(Buffer *to, const char *text) { begin_message(to, 31); put_text(to, text, 33554432u); }
static inline void say_RobotInput(Buffer *to, uint8_t kind, int32_t period_ms) { begin_message(to, 32); put_uint8_t(to, kind); put_int32_t(to, period_ms); }
static inline void say_RobotBattery(Buffer *to, int32_t period_ms) { begin_message(to, 33); put_int32_t(to, period_ms); }
static inline void say_RobotJoystickForce(Buffer *to, uint8_t kind, double value) { begin_message(to, 34); put_uint8_t(to, kind); put_double(to, value); }
static inline void say_SensorEnable(Buffer *to, uint32_t tag, int32_t period_ms) { begin_message(to, 150); put_uint32_t(to, tag); put_int32_t(to, period_ms); }
static inline void say_MotorPosition(Buffer *to, uint32_t tag, double value) { if (!is_sendable(value, 0, "MotorPosition.value")) return; begin_message(to, 151); put_uint32_t(to, tag); put_double(to, value); }
static inline void say_MotorVelocity(Buffer *to, uint32_t tag, double value) { if (!is_sendable(value, 0, "MotorVelocity.value")) return; begin_message(to, 152); put_uint32_t(to, tag); put_double(to, value); }
static inline void say_MotorEffort(Buffer *to, uint32_t tag, double value) { if (!is_sendable(value, 0, "MotorEffort.value")) return; begin_message(to, 153); put_uint32_t(to, tag); put_double(to, value); }
static inline void say_MotorAvailable(Buffer *to, uint32_t tag, double value) { if (!is_sendable(value, 0, "MotorAvailable.value")) return; begin_message(to, 154); put_uint32_t(to, tag); put_double(to, value); }
static inline void say_MotorAcceleration(Buffer *to, uint32_t tag, double value) { if (!is_sendable(value, 0, "MotorAcceleration.value")) return; begin_message(to, 155); put_uint32_t(to, tag); put_double(to, value); }
static inline void say_MotorPid(Buffer *to, uint32_t tag, double p, double i, double d) { if (!is_sendable(p, 1, "MotorPid.p") || !is_sendable(i, 1, "MotorPid.i") || !is_sendable(d, 1, "MotorPid.d")) return; begin_message(to, 156); put_uint32_t(to, tag); put_double(to, p); put_double(to, i); put_double(to, d); }
static inline void say_MotorFeedback(Buffer *to, uint32_t tag, int32_t period_ms) { begin_message(to, 157); put_uint32_t(to, tag); put_int32_t(to, period_ms); }
static inline void say_BrakeDamping(Buffer *to, uint32_t tag, double value) { if (!is_sendable(value, 0, "BrakeDamping.value")) return; begin_message(to, 158); put_uint32_t(to, tag); put_double(to, value); }
static inline void say_ImageWant(Buffer *to, uint32_t tag, bool wanted) { begin_message(to, 170); put_uint32_t(to, tag); put_bool(to, wanted); }
static inline void say_CameraRecognition(Buffer *to, uint32_t tag, int32_t period_ms) { begin_message(to, 171); put_uint32_t(to, tag); put_int32_t(to, period_ms); }
static inline void say_CameraSegmentation(Buffer *to, uint32_t tag, bool wanted) { begin_message(to, 172); put_uint32_t(to, tag); put_bool(to, wanted); }
static inline void say_CameraFov(Buffer *to, uint32_t tag, double angle) { if (!is_sendable(angle, 1, "CameraFov.angle")) return; begin_message(to, 173); put_uint32_t(to, tag); put_double(to, angle); }
static inline void say_CameraExposure(Buffer *to, uint32_t tag, double value) { if (!is_sendable(value, 0, "CameraExposure.value")) return; begin_message(to, 174); put_uint32_t(to, tag); put_double(to, value); }
static inline void say_CameraFocalDistance(Buffer *to, uint32_t tag, double value) { if (!is_sendable(value, 1, "CameraFocalDistance.value")) return; begin_message(to, 175); put_uint32_t(to, tag); put_double(to, value); }
static inline void say_LidarFrequency(Buffer *to, uint32_t tag, double value) { if (!is_sendable(value, 1, "LidarFrequency.value")) return; begin_message(to, 176); put_uint32_t(to, tag); put_double(to, value); }
static inline void say_EmitterSend(Buffer *to, uint32_t tag, const void *data, size_t data_size) { begin_message(to, 180); put_uint32_t(to, tag); put_bytes(to, data, data_size, 67108864u); }
static inline void say_RadioChannel(Buffer *to, uint32_t tag, int32_t channel) { begin_message(to, 181); put_uint32_t(to, tag); put_int32_t(to, channel); }
static inline void say_EmitterRange(Buffer *to, uint32_t tag, double value) { if (!is_sendable(value, 0, "EmitterRange.value")) return; begin_message(to, 182); put_uint32_t(to, tag); put_double(to, value); }
static inline void say_ReceiverNext(Buffer *to, uint32_t tag) { begin_message(to, 183); put_uint32_t(to, tag); }
static inline void say_SpeakerPlay(Buffer *to, uint32_t tag, uint32_t other, const char *sound, double volume, double pitch, double balance, bool loop) { begin_message(to, 184); put_uint32_t(to, tag); put_uint32_t(to, other); put_text(to, sound, 65536u); put_double(to, volume); put_double(to, pitch); put_double(to, balance); put_bool(to, loop); }
static inline void say_SpeakerSpeak(Buffer *to, uint32_t tag, const char *text, double volume, const char *language) { begin_message(to, 185); put_uint32_t(to, tag); put_text(to, text, 33554432u); put_double(to, volume); put_text(to, language, 65536u); }
static inline void say_SpeakerStop(Buffer *to, uint32_t tag, const char *sound) { begin_message(to, 186); put_uint32_t(to, tag); put_text(to, sound, 65536u); }
static inline void say_PresenceEnable(Buffer *to, uint32_t tag, int32_t period_ms) { begin_message(to, 190); put_uint32_t(to, tag); put_int32_t(to, period_ms); }
static inline void say_ConnectorLock(Buffer *to, uint32_t tag) { begin_message(to, 191); put_uint32_t(to, tag); }
static inline void say_ConnectorUnlock(Buffer *to, uint32_t tag) { begin_message(to, 192); put_uint32_t(to, tag); }
static inline void say_GripperOn(Buffer *to, uint32_t tag) { begin_message(to, 193); put_uint32_t(to, tag); }
static inline void say_GripperOff(Buffer *to, uint32_t tag) { begin_message(to, 194); put_uint32_t(to, tag); }
static inline void say_LedSet(Buffer *to, uint32_t tag, int32_t value) { begin_message(to, 195); put_uint32_t(to, tag); put_int32_t(to, value); }
static inline void say_PenWrite(Buffer *to, uint32_t tag, bool is_writing) { begin_message(to, 196); put_uint32_t(to, tag); put_bool(to, is_writing); }
static inline void say_PenInk(Buffer *to, uint32_t tag, int32_t color, double density) { begin_message(to, 197); put_uint32_t(to, tag); put_int32_t(to, color); put_double(to, density); }
static inline void say_DisplayShow(Buffer *to, uint32_t tag) { begin_message(to, 200); put_uint32_t(to, tag); }
static inline void say_DisplayColor(Buffer *to, uint32_t tag, int32_t color) { begin_message(to, 201); put_uint32_t(to, tag); put_int32_t(to, color); }
static inline void say_DisplayAlpha(Buffer *to, uint32_t tag, double alpha) { if (!is_sendable(alpha, 1, "DisplayAlpha.alpha")) return; begin_message(to, 202); put_uint32_t(to, tag); put_double(to, alpha); }
static inline void say_DisplayOpacity(Buffer *to, uint32_t tag, double opacity) { if (!is_sendable(opacity, 1, "DisplayOpacity.opacity")) return; begin_message(to, 203); put_uint32_t(to, tag); put_double(to, opacity); }
static inline void say_DisplayFont(Buffer *to, uint32_t tag, const char *name, int32_t size, bool is_smooth) { begin_message(to, 204); put_uint32_t(to, tag); put_text(to, name, 65536u); put_int32_t(to, size); put_bool(to, is_smooth); }
static inline void say_DisplayAttach(Buffer *to, uint32_t tag, uint32_t camera) { begin_message(to, 205); put_uint32_t(to, tag); put_uint32_t(to, camera); }
static inline void say_DisplayDetach(Buffer *to, uint32_t tag) { begin_message(to, 206); put_uint32_t(to, tag); }
static inline void say_DisplayPixel(Buffer *to, uint32_t tag, int32_t x, int32_t y) { begin_message(to, 207); put_uint32_t(to, tag); put_int32_t(to, x); put_int32_t(to, y); }
static inline void say_DisplayLine(Buffer *to, uint32_t tag, int32_t x1, int32_t y1, int32_t x2, int32_t y2) { begin_message(to, 208); put_uint32_t(to, tag); put_int32_t(to, x1); put_int32_t(to, y1); put_int32_t(to, x2); put_int32_t(to, y2); }
static inline void say_DisplayRectangle(Buffer *to, uint32_t tag, int32_t x, int32_t y, int32_t width, int32_t height, bool fill) { begin_message(to, 209); put_uint32_t(to, tag); put_int32_t(to, x); put_int32_t(to, y); put_int32_t(to, width); put_int32_t(to, height); put_bool(to, fill); }
static inline void say_DisplayOval(Buffer *to, uint32_t tag, int32_t cx, int32_t cy, int32_t a, int32_t b, bool fill) { begin_message(to, 210); put_uint32_t(to, tag); put_int32_t(to, cx); put_int32_t(to, cy); put_int32_t(to, a); put_int32_t(to, b); put_bool(to, fill); }
static inline void say_DisplayPolygon(Buffer *to, uint32_t tag, const int32_t *x, uint32_t x_count, const int32_t *y, uint32_t y_count, bool fill) { begin_message(to, 211); put_uint32_t(to, tag); put_list(to, x, x_count, sizeof(int32_t)); put_list(to, y, y_count, sizeof(int32_t)); put_bool(to, fill); }
static inline void say_DisplayText(Buffer *to, uint32_t tag, const char *text, int32_t x, int32_t y) { begin_message(to, 212); put_uint32_t(to, tag); put_text(to, text, 33554432u); put_int32_t(to, x); put_int32_t(to, y); }
static inline void say_DisplayImageNew(Buffer *to, uint32_t tag, int32_t number, const void *data, size_t data_size, int32_t order, int32_t width, int32_t height) { begin_message(to, 213); put_uint32_t(to, tag); put_int32_t(to, number); put_bytes(to, data, data_size, 67108864u); put_int32_t(to, order); put_int32_t(to, width); put_int32_t(to, height); }
static inline void say_DisplayImageCopy(Buffer *to, uint32_t tag, int32_t number, int32_t x, int32_t y, int32_t width, int32_t height) { begin_message(to, 214); put_uint32_t(to, tag); put_int32_t(to, number); put_int32_t(to, x); put_int32_t(to, y); put_int32_t(to, width); put_int32_t(to, height); }
static inline void say_DisplayImagePaste(Buffer *to, uint32_t tag, int32_t number, int32_t x, int32_t y, bool blend) { begin_message(to, 215); put_uint32_t(to, tag); put_int32_t(to, number); put_int32_t(to, x); put_int32_t(to, y); put_bool(to, blend); }
static inline void say_DisplayImageDelete(Buffer *to, uint32_t tag, int32_t number) { begin_message(to, 216); put_uint32_t(to, tag); put_int32_t(to, number); }
static inline void say_ImageFetch(Buffer *to, uint32_t tag) { begin_message(to, 250); put_uint32_t(to, tag); }
static inline void say_ImageSave(Buffer *to, uint32_t tag, const char *path, int32_t quality) { begin_message(to, 251); put_uint32_t(to, tag); put_bytes(to, path, strlen(path), 65536u); put_int32_t(to, quality); }
static inline void say_CameraObjects(Buffer *to, uint32_t tag) { begin_message(to, 252); put_uint32_t(to, tag); }
static inline void say_SegmentsFetch(Buffer *to, uint32_t tag) { begin_message(to, 253); put_uint32_t(to, tag); }
static inline void say_SegmentsSave(Buffer *to, uint32_t tag, const char *path, int32_t quality) { begin_message(to, 254); put_uint32_t(to, tag); put_bytes(to, path, strlen(path), 65536u); put_int32_t(to, quality); }
static inline void say_PointsFetch(Buffer *to, uint32_t tag) { begin_message(to, 255); put_uint32_t(to, tag); }
static inline void say_DisplayImageLoad(Buffer *to, uint32_t tag, int32_t number, const char *path) { begin_message(to, 256); put_uint32_t(to, tag); put_int32_t(to, number); put_bytes(to, path, strlen(path), 65536u); }
static inline void say_DisplayImageSave(Buffer *to, uint32_t tag, int32_t number, const char *path) { begin_message(to, 257); put_uint32_t(to, tag); put_int32_t(to, number); put_bytes(to, path, strlen(path), 65536u); }
static inline void say_FieldSet(Buffer *to, int32_t number, int32_t level, const char *name, const int32_t *index, const Value *value) { begin_message(to, 310); put_int32_t(to, number); put_int32_t(to, level); put_text(to, name, 65536u); put_maybe_int32_t(to, index); put_value(to, value); }
static inline void say_FieldInsert(Buffer *to, int32_t number, int32_t level, const char *name, int32_t index, const Value *value) { begin_message(to, 311); put_int32_t(to, number); put_int32_t(to, level); put_text(to, name, 65536u); put_int32_t(to, index); put_value(to, value); }
static inline void say_FieldRemoveItem(Buffer *to, int32_t number, int32_t level, const char *name, int32_t index) { begin_message(to, 312); put_int32_t(to, number); put_int32_t(to, level); put_text(to, name, 65536u); put_int32_t(to, index); }
static inline void say_FieldRemoveNode(Buffer *to, int32_t number, int32_t level, const char *name) { begin_message(to, 313); put_int32_t(to, number); put_int32_t(to, level); put_text(to, name, 65536u); }
static inline void say_FieldImportItem(Buffer *to, int32_t number, int32_t level, const char *name, int32_t index, const char *text) { begin_message(to, 314); put_int32_t(to, number); put_int32_t(to, level); put_text(to, name, 65536u); put_int32_t(to, index); put_text(to, text, 33554432u); }
static inline void say_FieldImportNode(Buffer *to, int32_t number, int32_t level, const char *name, const char *text) { begin_message(to, 315); put_int32_t(to, number); put_int32_t(to, level); put_text(to, name, 65536u); put_text(to, text, 33554432u); }
static inline void say_FieldImportFile(Buffer *to, int32_t number, int32_t level, const char *name, const int32_t *index, const char *file) { begin_message(to, 316); put_int32_t(to, number); put_int32_t(to, level); put_text(to, name, 65536u); put_maybe_int32_t(to, index); put_bytes(to, file, strlen(file), 65536u); }
static inline void say_NodeRemove(Buffer *to, int32_t number) { begin_message(to, 320); put_int32_t(to, number); }
static inline void say_NodeSetVelocity(Buffer *to, int32_t number, const double *values) { begin_message(to, 321); put_int32_t(to, number); put_doubles(to, values, 6); }
static inline void say_NodeAddForce(Buffer *to, int32_t number, const double *force, bool relative) { begin_message(to, 322); put_int32_t(to, number); put_doubles(to, force, 3); put_bool(to, relative); }
static inline void say_NodeAddForceAt(Buffer *to, int32_t number, const double *force, const double *offset, bool relative) { begin_message(to, 323); put_int32_t(to, number); put_doubles(to, force, 3); put_doubles(to, offset, 3); put_bool(to, relative); }
static inline void say_NodeAddTorque(Buffer *to, int32_t number, const double *torque, bool relative) { begin_message(to, 324); put_int32_t(to, number); put_doubles(to, torque, 3); put_bool(to, relative); }
static inline void say_NodeResetPhysics(Buffer *to, int32_t number) { begin_message(to, 325); put_int32_t(to, number); }
static inline void say_NodeJointPosition(Buffer *to, int32_t number, double value, int32_t index) { begin_message(to, 326); put_int32_t(to, number); put_double(to, value); put_int32_t(to, index); }
static inline void say_NodeSaveState(Buffer *to, int32_t number, const char *name) { begin_message(to, 327); put_int32_t(to, number); put_text(to, name, 65536u); }
static inline void say_NodeLoadState(Buffer *to, int32_t number, const char *name) { begin_message(to, 328); put_int32_t(to, number); put_text(to, name, 65536u); }
static inline void say_NodeRestartController(Buffer *to, int32_t number) { begin_message(to, 329); put_int32_t(to, number); }
static inline void say_NodeMoveViewpoint(Buffer *to, int32_t number) { begin_message(to, 330); put_int32_t(to, number); }
static inline void say_NodeSetVisibility(Buffer *to, int32_t number, int32_t viewer, bool visible) { begin_message(to, 331); put_int32_t(to, number); put_int32_t(to, viewer); put_bool(to, visible); }
static inline void say_SimulationQuit(Buffer *to, int32_t status) { begin_message(to, 340); put_int32_t(to, status); }
static inline void say_SimulationSetMode(Buffer *to, int32_t mode) { begin_message(to, 341); put_int32_t(to, mode); }
static inline void say_SimulationReset(Buffer *to) { begin_message(to, 342); }
static inline void say_SimulationResetPhysics(Buffer *to) { begin_message(to, 343); }
static inline void say_WorldLoad(Buffer *to, const char *file) { begin_message(to, 344); put_bytes(to, file, strlen(file), 65536u); }
static inline void say_WorldReload(Buffer *to) { begin_message(to, 345); }
static inline void say_LabelSet(Buffer *to, int32_t number, const char *text, double x, double y, double size, int32_t color, double transparency, const char *font) { begin_message(to, 346); put_int32_t(to, number); put_text(to, text, 33554432u); put_double(to, x); put_double(to, y); put_double(to, size); put_int32_t(to, color); put_double(to, transparency); put_text(to, font, 65536u); }
static inline void say_MovieStart(Buffer *to, const char *file, int32_t width, int32_t height, int32_t quality, double acceleration) { begin_message(to, 347); put_bytes(to, file, strlen(file), 65536u); put_int32_t(to, width); put_int32_t(to, height); put_int32_t(to, quality); put_double(to, acceleration); }
static inline void say_MovieStop(Buffer *to) { begin_message(to, 348); }
static inline void say_NodeRoot(Buffer *to) { begin_message(to, 360); }
static inline void say_NodeSelf(Buffer *to) { begin_message(to, 361); }
static inline void say_NodeSelected(Buffer *to) { begin_message(to, 362); }
static inline void say_NodeFromDef(Buffer *to, const char *path) { begin_message(to, 363); put_text(to, path, 65536u); }
static inline void say_NodeFromId(Buffer *to, int32_t number) { begin_message(to, 364); put_int32_t(to, number); }
static inline void say_NodeFromDevice(Buffer *to, int32_t tag) { begin_message(to, 365); put_int32_t(to, tag); }
static inline void say_NodeFromProtoDef(Buffer *to, int32_t number, const char *path) { begin_message(to, 366); put_int32_t(to, number); put_text(to, path, 65536u); }
static inline void say_NodeFind(Buffer *to, int32_t number) { begin_message(to, 367); put_int32_t(to, number); }
static inline void say_NodeParent(Buffer *to, int32_t number) { begin_message(to, 368); put_int32_t(to, number); }
static inline void say_NodePresent(Buffer *to, int32_t number) { begin_message(to, 369); put_int32_t(to, number); }
static inline void say_NodeProto(Buffer *to, int32_t number, int32_t level) { begin_message(to, 370); put_int32_t(to, number); put_int32_t(to, level); }
static inline void say_NodeExport(Buffer *to, int32_t number) { begin_message(to, 371); put_int32_t(to, number); }
static inline void say_NodePosition(Buffer *to, int32_t number) { begin_message(to, 380); put_int32_t(to, number); }
static inline void say_NodeOrientation(Buffer *to, int32_t number) { begin_message(to, 381); put_int32_t(to, number); }
static inline void say_NodePose(Buffer *to, int32_t number, const int32_t *other) { begin_message(to, 382); put_int32_t(to, number); put_maybe_int32_t(to, other); }
static inline void say_NodeVelocity(Buffer *to, int32_t number) { begin_message(to, 383); put_int32_t(to, number); }
static inline void say_NodeCenterOfMass(Buffer *to, int32_t number) { begin_message(to, 384); put_int32_t(to, number); }
static inline void say_NodeContactPoints(Buffer *to, int32_t number, bool include_descendants) { begin_message(to, 385); put_int32_t(to, number); put_bool(to, include_descendants); }
static inline void say_NodeStaticBalance(Buffer *to, int32_t number) { begin_message(to, 386); put_int32_t(to, number); }
static inline void say_FieldFind(Buffer *to, int32_t number, int32_t level, const char *name) { begin_message(to, 390); put_int32_t(to, number); put_int32_t(to, level); put_text(to, name, 65536u); }
static inline void say_FieldByIndex(Buffer *to, int32_t number, int32_t level, int32_t index) { begin_message(to, 391); put_int32_t(to, number); put_int32_t(to, level); put_int32_t(to, index); }
static inline void say_FieldActual(Buffer *to, int32_t number, int32_t level, const char *name) { begin_message(to, 392); put_int32_t(to, number); put_int32_t(to, level); put_text(to, name, 65536u); }
static inline void say_FieldNumber(Buffer *to, int32_t number, int32_t level) { begin_message(to, 393); put_int32_t(to, number); put_int32_t(to, level); }
static inline void say_FieldLength(Buffer *to, int32_t number, int32_t level, const char *name) { begin_message(to, 394); put_int32_t(to, number); put_int32_t(to, level); put_text(to, name, 65536u); }
static inline void say_FieldGet(Buffer *to, int32_t number, int32_t level, const char *name, const int32_t *index) { begin_message(to, 395); put_int32_t(to, number); put_int32_t(to, level); put_text(to, name, 65536u); put_maybe_int32_t(to, index); }
static inline void say_SimulationMode(Buffer *to) { begin_message(to, 400); }
static inline void say_WorldSettle(Buffer *to) { begin_message(to, 401); }
static inline void say_WorldSave(Buffer *to, const char *file) { begin_message(to, 402); put_maybe_path(to, file, 65536u); }
static inline void say_ImageExport(Buffer *to, const char *file, int32_t quality) { begin_message(to, 403); put_bytes(to, file, strlen(file), 65536u); put_int32_t(to, quality); }
static inline void say_MovieReady(Buffer *to) { begin_message(to, 404); }
static inline void say_MovieFailed(Buffer *to) { begin_message(to, 405); }
static inline void say_AnimationStart(Buffer *to, const char *file) { begin_message(to, 406); put_bytes(to, file, strlen(file), 65536u); }
static inline void say_AnimationStop(Buffer *to) { begin_message(to, 407); }
static inline void say_BodyReport(Buffer *to, int32_t result, const char *problem, bool no_delay, const int32_t *inputs, uint32_t inputs_count, const int32_t *outputs, uint32_t outputs_count, const int32_t *modes, uint32_t modes_count, const uint8_t *senses, uint32_t senses_count) { begin_message(to, 480); put_int32_t(to, result); put_text(to, problem, 33554432u); put_bool(to, no_delay); put_list(to, inputs, inputs_count, sizeof(int32_t)); put_list(to, outputs, outputs_count, sizeof(int32_t)); put_list(to, modes, modes_count, sizeof(int32_t)); put_list(to, senses, senses_count, sizeof(uint8_t)); }
#endif
