"""Devices tell programs in C what they tell programs in Python, value by value."""

# ruff: noqa: E501 - rows of two programs

from __future__ import annotations

from pathlib import Path

import pytest

from tests.control.c.twins import are_same_files, compare
from tests.control.projects import Project, robot


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """An empty project."""
    return Project(tmp_path)


def device(kind: str, name: str, word: str = "robot.getDevice") -> str:
    """Return the row that finds a device under its name in both programs."""
    return f'- WbDeviceTag {kind} = wb_robot_get_device("{name}") | {kind} = {word}("{name}")\n'


def plain(word: str, name: str, *getters: str) -> str:
    """Return rows for enable, disable and getters, which have the same words in both languages."""
    rows = f"- wb_{word}_enable({name}, 16) | {name}.enable(16)\n"
    rows += f"i wb_{word}_get_sampling_period({name}) | {name}.getSamplingPeriod()\n"
    for getter in getters:
        kind, _, call = getter.partition(" ")
        method = call[0] + "".join(part.capitalize() for part in call.split("_"))[1:]
        rows += f"{kind} wb_{word}_{call}({name}) | {name}.{method}()\n"
    return rows


def test_motors_brakes_and_position_sensors(project: Project) -> None:
    """Commands act the same, getters tell the same."""
    rows = (
        device("m", "motor")
        + device("s", "position")
        + device("b", "brake")
        + device("l", "slider")
    )
    rows += """
    - wb_position_sensor_enable(s, 8) | s.enable(8)
    - wb_motor_enable_torque_feedback(m, 8) | m.enableTorqueFeedback(8)
    - wb_motor_enable_force_feedback(l, 16) | l.enableForceFeedback(16)
    i wb_motor_get_torque_feedback_sampling_period(m) | m.getTorqueFeedbackSamplingPeriod()
    i wb_motor_get_force_feedback_sampling_period(l) | l.getForceFeedbackSamplingPeriod()
    - wb_motor_set_position(m, 1.0) | m.setPosition(1.0)
    - wb_motor_set_velocity(m, 3.0) | m.setVelocity(3.0)
    - wb_motor_set_acceleration(m, 20.0) | m.setAcceleration(20.0)
    - wb_motor_set_available_torque(m, 500.0) | m.setAvailableTorque(500.0)
    - wb_motor_set_available_force(l, 50.0) | l.setAvailableForce(50.0)
    - wb_motor_set_control_pid(m, 8.0, 0.1, 0.2) | m.setControlPID(8.0, 0.1, 0.2)
    - wb_brake_set_damping_constant(b, 0.5) | b.setDampingConstant(0.5)
    - wb_motor_set_force(l, 2.0) | l.setForce(2.0)
    step 6
    n wb_position_sensor_get_value(s) | s.getValue()
    n wb_motor_get_torque_feedback(m) | m.getTorqueFeedback()
    n wb_motor_get_force_feedback(l) | l.getForceFeedback()
    n wb_motor_get_target_position(m) | m.getTargetPosition()
    n wb_motor_get_min_position(m) | m.getMinPosition()
    n wb_motor_get_max_position(m) | m.getMaxPosition()
    n wb_motor_get_velocity(m) | m.getVelocity()
    n wb_motor_get_max_velocity(m) | m.getMaxVelocity()
    n wb_motor_get_acceleration(m) | m.getAcceleration()
    n wb_motor_get_available_torque(m) | m.getAvailableTorque()
    n wb_motor_get_available_force(l) | l.getAvailableForce()
    n wb_motor_get_max_torque(m) | m.getMaxTorque()
    n wb_motor_get_max_force(l) | l.getMaxForce()
    n wb_motor_get_multiplier(m) | m.getMultiplier()
    i wb_motor_get_type(m) | m.getType()
    i wb_motor_get_type(l) | l.getType()
    i wb_motor_get_position_sensor(m) | m.getPositionSensor().tag
    i wb_motor_get_brake(l) == b | l.getBrake() is b
    i wb_motor_get_brake(m) == 0 | m.getBrake() is None
    i wb_brake_get_motor(b) == l | b.getMotor() is l
    i wb_brake_get_position_sensor(b) == 0 | b.getPositionSensor() is None
    i wb_brake_get_type(b) | b.getType()
    i wb_position_sensor_get_motor(s) == m | s.getMotor() is m
    i wb_position_sensor_get_brake(s) == 0 | s.getBrake() is None
    i wb_position_sensor_get_type(s) | s.getType()
    i wb_position_sensor_get_sampling_period(s) | s.getSamplingPeriod()
    - wb_motor_set_torque(m, -3.0) | m.setTorque(-3.0)
    - wb_motor_disable_torque_feedback(m) | m.disableTorqueFeedback()
    - wb_motor_disable_force_feedback(l) | l.disableForceFeedback()
    step 3
    n wb_position_sensor_get_value(s) | s.getValue()
    - wb_position_sensor_disable(s) | s.disable()
    i wb_position_sensor_get_sampling_period(s) | s.getSamplingPeriod()
    """
    slider = """SliderJoint { jointParameters JointParameters { axis 1 0 0 }
      device [ LinearMotor { name "slider" maxPosition 2 multiplier 2 } Brake { name "brake" } ]
      endPoint Solid { name "sled" translation 0 0 1 boundingObject Box { size 0.1 0.1 0.1 }
        physics Physics { density -1 mass 1 } } }"""
    compare(project, rows, devices=slider)


def test_old_servos_and_wheels(project: Project) -> None:
    """What programs of before R2018 call."""
    rows = device("m", "motor", "robot.getServo")
    rows += """
    - wb_servo_enable_position(m, 8) | m.enablePosition(8)
    - wb_servo_enable_motor_force_feedback(m, 8) | m.enableMotorForceFeedback(8)
    - wb_servo_set_motor_force(m, 100.0) | m.setMotorForce(100.0)
    - wb_servo_set_velocity(m, 2.0) | m.setVelocity(2.0)
    - wb_servo_set_acceleration(m, 30.0) | m.setAcceleration(30.0)
    - wb_servo_set_position(m, 0.5) | m.setPosition(0.5)
    - wb_servo_set_control_p(m, 9.0) | m.setControlPID(9.0, 0.0, 0.0)
    step 5
    n wb_servo_get_position(m) | m.getPosition()
    n wb_servo_get_motor_force_feedback(m) | m.getMotorForceFeedback()
    i wb_servo_get_position_sampling_period(m) | m.getPositionSamplingPeriod()
    i wb_servo_get_motor_force_feedback_sampling_period(m) | m.getMotorForceFeedbackSamplingPeriod()
    n wb_servo_get_target_position(m) | m.getTargetPosition()
    n wb_servo_get_min_position(m) | m.getMinPosition()
    n wb_servo_get_max_position(m) | m.getMaxPosition()
    i wb_servo_get_type(m) | m.getType()
    - wb_servo_set_force(m, 1.0) | m.setForce(1.0)
    - wb_servo_disable_motor_force_feedback(m) | m.disableMotorForceFeedback()
    step 2
    n wb_servo_get_position(m) | m.getPosition()
    - wb_servo_disable_position(m) | m.disablePosition()
    i wb_servo_get_position_sampling_period(m) | m.getPositionSamplingPeriod()
    - wb_motor_enable_position(m, 16) | m.enablePosition(16)
    - wb_motor_enable_motor_force_feedback(m, 16) | m.enableMotorForceFeedback(16)
    - wb_motor_set_motor_force(m, 50.0) | m.setMotorForce(50.0)
    - wb_motor_set_control_p(m, 7.0) | m.setControlPID(7.0, 0.0, 0.0)
    - wb_motor_set_position(m, -0.5) | m.setPosition(-0.5)
    step 4
    n wb_motor_get_position(m) | m.getPosition()
    n wb_motor_get_motor_force_feedback(m) | m.getMotorForceFeedback()
    i wb_motor_get_position_sampling_period(m) | m.getPositionSamplingPeriod()
    i wb_motor_get_motor_force_feedback_sampling_period(m) | m.getMotorForceFeedbackSamplingPeriod()
    - wb_motor_disable_motor_force_feedback(m) | m.disableMotorForceFeedback()
    - wb_motor_disable_position(m) | m.disablePosition()
    i wb_motor_get_position_sampling_period(m) | m.getPositionSamplingPeriod()
    """
    compare(project, rows)


def test_sensors_of_numbers(project: Project) -> None:
    """Vectors, tables and facts of all plain sensors."""
    names = {
        "accelerometer": "a", "gyro": "g", "compass": "c", "gps": "p", "inertial_unit": "u", "altimeter": "h",
        "light_sensor": "l", "distance_sensor": "d", "touch_sensor": "t",
    }  # fmt: skip
    rows = "".join(device(short, name) for name, short in names.items()) + device("t3", "force")
    values = {
        "accelerometer": "v3 get_values", "gyro": "v3 get_values", "compass": "v3 get_values",
        "gps": "v3 get_values", "inertial_unit": "v4 get_quaternion", "altimeter": "n get_value",
        "light_sensor": "n get_value", "distance_sensor": "n get_value", "touch_sensor": "n get_value",
    }  # fmt: skip
    for name, short in names.items():
        rows += plain(name, short, values[name])
    rows += "- wb_touch_sensor_enable(t3, 8) | t3.enable(8)\nstep 3\n"
    for name, short in names.items():
        rows += plain(name, short, values[name])
    for name in (
        "accelerometer",
        "gyro",
        "compass",
        "light_sensor",
        "distance_sensor",
        "touch_sensor",
    ):
        short = names[name]
        rows += f"i wb_{name}_get_lookup_table_size({short}) | len({short}.getLookupTable()) // 3\n"
        rows += f"v6 wb_{name}_get_lookup_table({short}) | {short}.getLookupTable()\n"
    rows += """
    v3 wb_inertial_unit_get_roll_pitch_yaw(u) | u.getRollPitchYaw()
    n wb_inertial_unit_get_noise(u) | u.getNoise()
    n wb_gps_get_speed(p) | p.getSpeed()
    v3 wb_gps_get_speed_vector(p) | p.getSpeedVector()
    i wb_gps_get_coordinate_system(p) | p.getCoordinateSystem()
    - char *dms = (char *)wb_gps_convert_to_degrees_minutes_seconds(-46.5123) | dms = p.convertToDegreesMinutesSeconds(-46.5123)
    t dms
    - free(dms) | pass
    n wb_distance_sensor_get_min_value(d) | d.getMinValue()
    n wb_distance_sensor_get_max_value(d) | d.getMaxValue()
    n wb_distance_sensor_get_aperture(d) | d.getAperture()
    i wb_distance_sensor_get_type(d) | d.getType()
    i wb_touch_sensor_get_type(t) | t.getType()
    i wb_touch_sensor_get_type(t3) | t3.getType()
    v3 wb_touch_sensor_get_values(t3) | t3.getValues()
    """
    for name, short in names.items():
        rows += f"- wb_{name}_disable({short}) | {short}.disable()\n"
        rows += f"i wb_{name}_get_sampling_period({short}) | {short}.getSamplingPeriod()\n"
    table = "lookupTable [ -20 -20 0, 20 20 0 ]"
    devices = f"""
    Accelerometer {{ name "accelerometer" {table} }} Gyro {{ name "gyro" {table} }}
    Compass {{ name "compass" lookupTable [ -1 -2 0, 1 2 0 ] }} GPS {{ name "gps" }} Altimeter {{ name "altimeter" }}
    InertialUnit {{ name "inertial_unit" }} LightSensor {{ name "light_sensor" }}
    DistanceSensor {{ name "distance_sensor" type "laser" aperture 0.1 }}
    TouchSensor {{ name "touch_sensor" type "force" lookupTable [ 0 0 0, 10 10 0 ] boundingObject Box {{ }} }}
    TouchSensor {{ name "force" type "force-3d" boundingObject Box {{ }} }}"""
    wall = 'Solid { name "wall" translation 0.5 0 0 boundingObject Box { size 0.1 2 2 } } DirectionalLight { }'
    compare(project, rows, devices=devices, nodes=wall)


CAMERA = """Camera { name "camera" translation 0 0 2 width 6 height 4 fieldOfView 1
  zoom Zoom { maxFieldOfView 1.5 minFieldOfView 0.5 } focus Focus { minFocalDistance 0.1 maxFocalDistance 3 }
  recognition Recognition { segmentation TRUE } }"""
RANGES = """RangeFinder { name "range" translation 0 0 2 width 4 height 3 maxRange 5 }
  Lidar { name "lidar" type "rotating" translation 0 0 2 horizontalResolution 4 numberOfLayers 2
    verticalFieldOfView 0.2 maxRange 5 }"""
PLATE = """Solid { name "plate" translation 2 0 2 recognitionColors [ 0 1 0 ] model "plate"
  children [ Shape { appearance PBRAppearance { baseColor 0 1 0 metalness 0 roughness 1 }
    geometry DEF BOX Box { size 0.1 1 1 } } ] boundingObject USE BOX } DirectionalLight { direction 1 0 0 }"""


def test_cameras(project: Project) -> None:
    """Pictures pixel by pixel, lens, recognition and segmentation."""
    objects = "wb_camera_recognition_get_objects(c)"
    rows = device("c", "camera")
    rows += f"""
    - wb_camera_enable(c, 16) | c.enable(16)
    - wb_camera_recognition_enable(c, 16) | c.recognitionEnable(16)
    - wb_camera_recognition_enable_segmentation(c) | c.enableRecognitionSegmentation()
    c96 wb_camera_get_image(c) | c.getImage()
    step 1
    c96 wb_camera_get_image(c) | c.getImage()
    step 1
    c96 wb_camera_get_image(c) | c.getImage()
    i wb_camera_image_get_green(wb_camera_get_image(c), 6, 3, 2) | c.imageGetGreen(c.getImage(), 6, 3, 2)
    i wb_camera_image_get_gray(wb_camera_get_image(c), 6, 3, 2) | c.imageGetGray(c.getImage(), 6, 3, 2)
    c96 wb_camera_recognition_get_segmentation_image(c) | c.getRecognitionSegmentationImage()
    i wb_camera_recognition_get_number_of_objects(c) | c.getRecognitionNumberOfObjects()
    i {objects}[0].id | c.getRecognitionObjects()[0].getId()
    v3 {objects}[0].position | c.getRecognitionObjects()[0].getPosition()
    v4 {objects}[0].orientation | c.getRecognitionObjects()[0].getOrientation()
    v2 {objects}[0].size | c.getRecognitionObjects()[0].getSize()
    i {objects}[0].position_on_image[1] | c.getRecognitionObjects()[0].getPositionOnImage()[1]
    i {objects}[0].size_on_image[0] | c.getRecognitionObjects()[0].getSizeOnImage()[0]
    i {objects}[0].number_of_colors | c.getRecognitionObjects()[0].getNumberOfColors()
    v3 {objects}[0].colors | c.getRecognitionObjects()[0].getColors()
    t wb_camera_recognition_get_object(c, 0)->model | c.getRecognitionObjects()[0].getModel()
    b wb_camera_has_recognition(c) | c.hasRecognition()
    b wb_camera_recognition_has_segmentation(c) | c.hasRecognitionSegmentation()
    b wb_camera_recognition_is_segmentation_enabled(c) | c.isRecognitionSegmentationEnabled()
    i wb_camera_recognition_get_sampling_period(c) | c.getRecognitionSamplingPeriod()
    i wb_camera_get_width(c) | c.getWidth()
    i wb_camera_get_height(c) | c.getHeight()
    n wb_camera_get_fov(c) | c.getFov()
    n wb_camera_get_min_fov(c) | c.getMinFov()
    n wb_camera_get_max_fov(c) | c.getMaxFov()
    n wb_camera_get_exposure(c) | c.getExposure()
    n wb_camera_get_focal_length(c) | c.getFocalLength()
    n wb_camera_get_focal_distance(c) | c.getFocalDistance()
    n wb_camera_get_min_focal_distance(c) | c.getMinFocalDistance()
    n wb_camera_get_max_focal_distance(c) | c.getMaxFocalDistance()
    n wb_camera_get_near(c) | c.getNear()
    - wb_camera_set_fov(c, 0.7) | c.setFov(0.7)
    - wb_camera_set_exposure(c, 0.5) | c.setExposure(0.5)
    - wb_camera_set_focal_distance(c, 1.5) | c.setFocalDistance(1.5)
    step 2
    c96 wb_camera_get_image(c) | c.getImage()
    step 2
    c96 wb_camera_get_image(c) | c.getImage()
    step 2
    c96 wb_camera_get_image(c) | c.getImage()
    n wb_camera_get_fov(c) | c.getFov()
    n wb_camera_get_exposure(c) | c.getExposure()
    n wb_camera_get_focal_distance(c) | c.getFocalDistance()
    i wb_camera_save_image(c, "picture.png", 0) | c.saveImage("picture.png", 0)
    i wb_camera_recognition_save_segmentation_image(c, "s.png", 0) | c.saveRecognitionSegmentationImage("s.png", 0)
    - wb_camera_recognition_disable_segmentation(c) | c.disableRecognitionSegmentation()
    - wb_camera_recognition_disable(c) | c.recognitionDisable()
    - wb_camera_disable(c) | c.disable()
    i wb_camera_get_sampling_period(c) | c.getSamplingPeriod()
    """
    compare(project, rows, devices=CAMERA, nodes=PLATE)
    assert are_same_files(project, "picture.png")


def test_range_finders_and_lidars(project: Project) -> None:
    """Depths and points."""
    rows = device("r", "range") + device("l", "lidar")
    rows += """
    - wb_range_finder_enable(r, 8) | r.enable(8)
    - wb_lidar_enable(l, 8) | l.enable(8)
    - wb_lidar_enable_point_cloud(l) | l.enablePointCloud()
    b wb_lidar_is_point_cloud_enabled(l) | l.isPointCloudEnabled()
    step 1
    f12 wb_range_finder_get_range_image(r) | r.getRangeImage()
    f8 wb_lidar_get_range_image(l) | l.getRangeImage()
    f4 wb_lidar_get_layer_range_image(l, 1) | l.getLayerRangeImage(1)
    n wb_lidar_get_point_cloud(l)[5].x | l.getPointCloud()[5].x
    n wb_lidar_get_layer_point_cloud(l, 1)[2].z | l.getLayerPointCloud(1)[2].z
    i wb_lidar_get_point(l, 6)->layer_id | l.getPointCloud()[6].layer_id
    n wb_lidar_get_point_cloud(l)[3].time | l.getPointCloud()[3].time
    n wb_range_finder_image_get_depth(wb_range_finder_get_range_image(r), 4, 1, 2) | r.getRangeImage()[9]
    - extern float (wb_range_finder_image_get_depth)(const float *, int, int, int) | pass
    n (wb_range_finder_image_get_depth)(wb_range_finder_get_range_image(r), 4, 1, 2) | r.getRangeImage()[9]
    i wb_range_finder_get_width(r) | r.getWidth()
    i wb_range_finder_get_height(r) | r.getHeight()
    n wb_range_finder_get_fov(r) | r.getFov()
    n wb_range_finder_get_min_range(r) | r.getMinRange()
    n wb_range_finder_get_max_range(r) | r.getMaxRange()
    i wb_range_finder_save_image(r, "depth.png", 100) | r.saveImage("depth.png", 100)
    i wb_range_finder_get_sampling_period(r) | r.getSamplingPeriod()
    i wb_lidar_get_sampling_period(l) | l.getSamplingPeriod()
    i wb_lidar_get_number_of_points(l) | l.getNumberOfPoints()
    i wb_lidar_get_horizontal_resolution(l) | l.getHorizontalResolution()
    i wb_lidar_get_number_of_layers(l) | l.getNumberOfLayers()
    n wb_lidar_get_fov(l) | l.getFov()
    n wb_lidar_get_vertical_fov(l) | l.getVerticalFov()
    n wb_lidar_get_min_range(l) | l.getMinRange()
    n wb_lidar_get_max_range(l) | l.getMaxRange()
    n wb_lidar_get_min_frequency(l) | l.getMinFrequency()
    n wb_lidar_get_max_frequency(l) | l.getMaxFrequency()
    - wb_lidar_set_frequency(l, 12.0) | l.setFrequency(12.0)
    n wb_lidar_get_frequency(l) | l.getFrequency()
    - wb_lidar_disable_point_cloud(l) | l.disablePointCloud()
    b wb_lidar_is_point_cloud_enabled(l) | l.isPointCloudEnabled()
    - wb_range_finder_disable(r) | r.disable()
    - wb_lidar_disable(l) | l.disable()
    i wb_lidar_get_sampling_period(l) | l.getSamplingPeriod()
    """
    compare(project, rows, devices=RANGES, nodes=PLATE)


def test_range_finders_that_were_cameras(project: Project) -> None:
    """What programs of before release 8.4 call for range finders and lidars."""
    rows = device("r", "range") + device("l", "lidar")
    rows += """
    - wb_camera_enable(r, 16) | r.enable(16)
    - wb_camera_enable(l, 8) | l.enable(8)
    step 2
    f12 wb_camera_get_range_image(r) | r.getRangeImage()
    f8 wb_camera_get_range_image(l) | l.getRangeImage()
    n wb_camera_range_image_get_depth(wb_camera_get_range_image(r), 4, 1, 2) | r.getRangeImage()[9]
    i wb_camera_get_width(r) | r.getWidth()
    i wb_camera_get_height(r) | r.getHeight()
    n wb_camera_get_fov(r) | r.getFov()
    n wb_camera_get_max_range(r) | r.getMaxRange()
    i wb_camera_get_sampling_period(r) | r.getSamplingPeriod()
    i wb_camera_get_width(l) | l.getHorizontalResolution()
    n wb_camera_get_fov(l) | l.getFov()
    n wb_camera_get_max_range(l) | l.getMaxRange()
    - wb_camera_disable(l) | l.disable()
    i wb_camera_get_sampling_period(l) | l.getSamplingPeriod()
    """
    compare(project, rows, devices=RANGES, nodes=PLATE)


def test_emitters_and_receivers(project: Project) -> None:
    """Packets arrive with the same bytes, strength and direction."""
    rows = device("e", "emitter") + device("r", "receiver")
    rows += """
    - wb_receiver_enable(r, 8) | r.enable(8)
    i wb_receiver_get_sampling_period(r) | r.getSamplingPeriod()
    i wb_emitter_send(e, "hello", 5) | e.send(b"hello")
    i wb_emitter_send(e, "far too long for it", 19) | e.send(b"far too long for it")
    step 3
    i wb_receiver_get_queue_length(r) | r.getQueueLength()
    t wb_receiver_get_data(r) | r.getString()
    i wb_receiver_get_data_size(r) | r.getDataSize()
    n wb_receiver_get_signal_strength(r) | r.getSignalStrength()
    v3 wb_receiver_get_emitter_direction(r) | r.getEmitterDirection()
    - wb_receiver_next_packet(r) | r.nextPacket()
    i wb_receiver_get_queue_length(r) | r.getQueueLength()
    t wb_receiver_get_data(r) | r.getString()
    - wb_receiver_next_packet(r) | r.nextPacket()
    - wb_receiver_next_packet(r) | r.nextPacket()
    - wb_receiver_next_packet(r) | r.nextPacket()
    - wb_receiver_next_packet(r) | r.nextPacket()
    - wb_receiver_next_packet(r) | r.nextPacket()
    i wb_receiver_get_data_size(r) | r.getDataSize()
    n wb_receiver_get_signal_strength(r) | r.getSignalStrength()
    i wb_emitter_get_buffer_size(e) | e.getBufferSize()
    i wb_emitter_get_channel(e) | e.getChannel()
    n wb_emitter_get_range(e) | e.getRange()
    - wb_emitter_set_channel(e, 3) | e.setChannel(3)
    i wb_emitter_get_channel(e) | e.getChannel()
    - wb_emitter_set_range(e, 99.0) | e.setRange(99.0)
    n wb_emitter_get_range(e) | e.getRange()
    step 2
    i wb_receiver_get_queue_length(r) | r.getQueueLength()
    - wb_receiver_set_channel(r, 3) | r.setChannel(3)
    i wb_receiver_get_channel(r) | r.getChannel()
    step 2
    i wb_receiver_get_queue_length(r) | r.getQueueLength()
    - wb_receiver_disable(r) | r.disable()
    i wb_receiver_get_sampling_period(r) | r.getSamplingPeriod()
    """
    devices = """Emitter { name "emitter" bufferSize 16 range 5 maxRange 8 channel 1 }
    Receiver { name "receiver" translation 0 0 1 channel 1 }"""
    project.controller(
        "echo",
        """
        from controller import Robot
        robot = Robot()
        emitter, receiver = robot.getDevice("e"), robot.getDevice("r")
        receiver.enable(8)
        while robot.step(8) != -1:
            emitter.send("tick")
            while receiver.getQueueLength():
                emitter.send(b"got " + receiver.getBytes())
                receiver.nextPacket()
        """,
    )
    peer = 'Emitter { name "e" channel 1 } Receiver { name "r" channel 1 }'
    compare(project, rows, devices=devices, nodes=robot("echo", name="peer", x=1.0, devices=peer))


def test_what_holds_shows_and_sounds(project: Project) -> None:
    """Connectors, grippers, lamps, pens, radars, speakers."""
    rows = "".join(
        device(short, name)
        for short, name in {
            "p": "plug",
            "v": "gripper",
            "l": "led",
            "w": "pen",
            "r": "radar",
            "s": "speaker",
        }.items()
    )
    rows += """
    - wb_connector_enable_presence(p, 8) | p.enablePresence(8)
    - wb_vacuum_gripper_enable_presence(v, 8) | v.enablePresence(8)
    - wb_radar_enable(r, 8) | r.enable(8)
    - wb_led_set(l, 2) | l.set(2)
    - wb_pen_write(w, 1) | w.write(True)
    - wb_pen_set_ink_color(w, 0x00ff00, 0.5) | w.setInkColor(0x00ff00, 0.5)
    - wb_connector_lock(p) | p.lock()
    - wb_vacuum_gripper_turn_on(v) | v.turnOn()
    step 2
    i wb_connector_get_presence(p) | p.getPresence()
    i wb_connector_get_presence_sampling_period(p) | p.getPresenceSamplingPeriod()
    b wb_connector_is_locked(p) | p.isLocked()
    - wb_connector_unlock(p) | p.unlock()
    b wb_connector_is_locked(p) | p.isLocked()
    b wb_vacuum_gripper_get_presence(v) | v.getPresence()
    i wb_vacuum_gripper_get_presence_sampling_period(v) | v.getPresenceSamplingPeriod()
    b wb_vacuum_gripper_is_on(v) | v.isOn()
    - wb_vacuum_gripper_turn_off(v) | v.turnOff()
    b wb_vacuum_gripper_is_on(v) | v.isOn()
    - wb_connector_disable_presence(p) | p.disablePresence()
    - wb_vacuum_gripper_disable_presence(v) | v.disablePresence()
    i wb_led_get(l) | l.get()
    i wb_radar_get_number_of_targets(r) | r.getNumberOfTargets()
    n wb_radar_get_targets(r)[0].distance | r.getTargets()[0].distance
    n wb_radar_get_target(r, 0)->received_power | r.getTargets()[0].received_power
    n wb_radar_get_targets(r)[0].speed | r.getTargets()[0].speed
    n wb_radar_get_targets(r)[0].azimuth | r.getTargets()[0].azimuth
    n wb_radar_get_min_range(r) | r.getMinRange()
    n wb_radar_get_max_range(r) | r.getMaxRange()
    n wb_radar_get_horizontal_fov(r) | r.getHorizontalFov()
    n wb_radar_get_vertical_fov(r) | r.getVerticalFov()
    i wb_radar_get_sampling_period(r) | r.getSamplingPeriod()
    - wb_radar_disable(r) | r.disable()
    t wb_speaker_get_engine(s) | s.getEngine()
    b wb_speaker_set_engine(s, "microsoft") | s.setEngine("microsoft")
    b wb_speaker_set_engine(s, "nothing") | s.setEngine("nothing")
    t wb_speaker_get_language(s) | s.getLanguage()
    b wb_speaker_set_language(s, "de-DE") | s.setLanguage("de-DE")
    t wb_speaker_get_language(s) | s.getLanguage()
    - wb_speaker_play_sound(s, s, "beep.wav", 0.5, 1.0, 0.0, 1) | s.playSound(s, s, "beep.wav", 0.5, 1.0, 0.0, True)
    b wb_speaker_is_sound_playing(s, "beep.wav") | s.isSoundPlaying("beep.wav")
    b wb_speaker_is_sound_playing(s, "other.wav") | s.isSoundPlaying("other.wav")
    - wb_speaker_stop(s, "beep.wav") | s.stop("beep.wav")
    b wb_speaker_is_sound_playing(s, NULL) | s.isSoundPlaying()
    b wb_speaker_is_speaking(s) | s.isSpeaking()
    - wb_speaker_speak(s, "hello", 0.5) | s.speak("hello", 0.5)
    b wb_speaker_is_speaking(s) | s.isSpeaking()
    - wb_speaker_stop(s, NULL) | s.stop()
    b wb_speaker_is_speaking(s) | s.isSpeaking()
    """
    devices = """Connector { name "plug" translation 0.1 0 3 model "plug" }
    VacuumGripper { name "gripper" translation 0 0 4 boundingObject Box { size 0.1 0.1 0.1 } }
    LED { name "led" color [ 1 0 0, 0 1 0 ] } Pen { name "pen" } Speaker { name "speaker" }
    Radar { name "radar" translation 0 0 5 minRange 0.5 maxRange 20 horizontalFieldOfView 1 }"""
    target = """Solid { name "target" translation 5 0 5 radarCrossSection 100
      boundingObject Box { size 0.5 0.5 0.5 } }"""
    compare(project, rows, devices=devices, nodes=target)


def test_displays(project: Project) -> None:
    """The same drawing gives the same picture, byte by byte."""
    rows = device("d", "display") + device("c", "camera")
    rows += """
    - int xs[] = {2, 10, 6}, ys[] = {20, 20, 28} | xs, ys = [2, 10, 6], [20, 20, 28]
    - unsigned char dots[] = {255, 0, 0, 0, 255, 0, 0, 0, 255, 9, 9, 9} | dots = bytes([255, 0, 0, 0, 255, 0, 0, 0, 255, 9, 9, 9])
    - wb_display_set_color(d, 0xff8800) | d.setColor(0xff8800)
    - wb_display_fill_rectangle(d, 0, 0, 32, 32) | d.fillRectangle(0, 0, 32, 32)
    - wb_display_set_color(d, 0x0000ff) | d.setColor(0x0000ff)
    - wb_display_set_alpha(d, 0.5) | d.setAlpha(0.5)
    - wb_display_set_opacity(d, 0.75) | d.setOpacity(0.75)
    - wb_display_draw_line(d, 0, 0, 31, 10) | d.drawLine(0, 0, 31, 10)
    - wb_display_draw_pixel(d, 5, 6) | d.drawPixel(5, 6)
    - wb_display_draw_rectangle(d, 3, 3, 9, 5) | d.drawRectangle(3, 3, 9, 5)
    - wb_display_draw_oval(d, 20, 20, 5, 8) | d.drawOval(20, 20, 5, 8)
    - wb_display_fill_oval(d, 25, 8, 4, 3) | d.fillOval(25, 8, 4, 3)
    - wb_display_draw_polygon(d, xs, ys, 3) | d.drawPolygon(xs, ys)
    - wb_display_fill_polygon(d, ys, xs, 3) | d.fillPolygon(ys, xs)
    - wb_display_set_font(d, "Arial", 8, 1) | d.setFont("Arial", 8, True)
    - wb_display_draw_text(d, "Hi", 2, 12) | d.drawText("Hi", 2, 12)
    - WbImageRef i = wb_display_image_new(d, 2, 2, dots, WB_IMAGE_RGB) | i = d.imageNew(dots, Display.RGB, 2, 2)
    - wb_display_image_paste(d, i, 28, 28, 0) | d.imagePaste(i, 28, 28, False)
    - WbImageRef j = wb_display_image_copy(d, 0, 0, 8, 8) | j = d.imageCopy(0, 0, 8, 8)
    - wb_display_image_paste(d, j, 16, 0, 1) | d.imagePaste(j, 16, 0, True)
    - wb_display_image_save(d, j, "part.png") | d.imageSave(j, "part.png")
    - WbImageRef k = wb_display_image_load(d, "part.png") | k = d.imageLoad("part.png")
    - wb_display_image_paste(d, k, 0, 16, 0) | d.imagePaste(k, 0, 16, False)
    - wb_display_image_delete(d, i) | d.imageDelete(i)
    - wb_display_image_save(d, NULL, "all.png") | d.imageSave(None, "all.png")
    i wb_display_get_width(d) | d.getWidth()
    i wb_display_get_height(d) | d.getHeight()
    b wb_display_image_load(d, "none.png") == NULL | d.imageLoad("none.png") is None
    - wb_display_attach_camera(d, c) | d.attachCamera(c)
    step 1
    - wb_display_detach_camera(d) | d.detachCamera()
    step 1
    """
    devices = (
        'Display { name "display" width 32 height 32 } Camera { name "camera" width 8 height 8 }'
    )
    compare(project, rows, devices=devices)
    assert are_same_files(project, "all.png")
    assert are_same_files(project, "part.png")
