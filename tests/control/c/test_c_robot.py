"""The robot itself in C: facts, users, windows, motions, threads, messages, and how programs end."""

# ruff: noqa: E501 - rows of two programs

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

import solidbody as sb
from solidbody.contact.build import controller_path
from solidbody.control.hub import ControllerHub
from solidbody.control.user_input import JoystickInput, MouseInput
from tests.control.c.programs import environment, need_c, write_c
from tests.control.c.twins import compare
from tests.control.projects import Project, robot

MOTION = "#WEBOTS_MOTION,V1.0,motor,nobody\n00:00:000,one,0.1,*\n00:00:016,two,0.5,1\n00:00:040,three,-0.2,1\n"


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """An empty project."""
    return Project(tmp_path)


def test_facts_and_devices(project: Project) -> None:
    """What the robot is, and what it has."""
    rows = """
    - WbDeviceTag m = wb_robot_get_device("motor") | m = robot.getDevice("motor")
    t wb_robot_get_name() | robot.getName()
    t wb_robot_get_model() | robot.getModel()
    t wb_robot_get_custom_data() | robot.getCustomData()
    t wb_robot_get_data() | robot.getData()
    - wb_robot_set_custom_data("more") | robot.setCustomData("more")
    t wb_robot_get_custom_data() | robot.getCustomData()
    - wb_robot_set_data("most") | robot.setData("most")
    t wb_robot_get_custom_data() | robot.getCustomData()
    n wb_robot_get_time() | robot.getTime()
    n wb_robot_get_basic_time_step() | robot.getBasicTimeStep()
    t wb_robot_get_project_path() | robot.getProjectPath()
    t wb_robot_get_world_path() | robot.getWorldPath()
    b wb_robot_get_supervisor() | robot.getSupervisor()
    b wb_robot_get_synchronization() | robot.getSynchronization()
    i wb_robot_get_mode() | robot.getMode()
    i wb_robot_get_type() | Node.ROBOT
    i wb_robot_get_number_of_devices() | robot.getNumberOfDevices()
    i wb_robot_get_device_by_index(1) | robot.getDeviceByIndex(1).tag
    i wb_robot_get_device("none") | 0
    t wb_device_get_name(m) | m.getName()
    t wb_device_get_model(m) | m.getModel()
    i wb_device_get_node_type(m) | m.getNodeType()
    i wb_device_get_type(m) | m.getNodeType()
    t wb_robot_get_urdf("x_") | robot.getUrdf("x_")
    t wb_robot_get_controller_arguments() | robot.getControllerArguments()
    - wb_robot_battery_sensor_enable(8) | robot.batterySensorEnable(8)
    i wb_robot_battery_sensor_get_sampling_period() | robot.batterySensorGetSamplingPeriod()
    step 2
    n wb_robot_battery_sensor_get_value() | robot.batterySensorGetValue()
    - wb_robot_battery_sensor_disable() | robot.batterySensorDisable()
    n wb_robot_battery_sensor_get_value() | robot.batterySensorGetValue()
    n wb_robot_step_begin(8) | robot.stepBegin(8)
    n wb_robot_step_end() | robot.stepEnd()
    n wb_robot_get_time() | robot.getTime()
    """
    fields = 'model "test" customData "data" battery [ 100, 100, 10 ] controllerArgs [ "a b" "c" ]'
    compare(project, rows, fields=fields)


def test_users_and_windows(project: Project) -> None:
    """Keys, mouse, joystick, and what a window sends."""
    rows = """
    - wb_keyboard_enable(8) | keyboard = robot.getKeyboard(); keyboard.enable(8)
    - wb_mouse_enable(8) | mouse = robot.getMouse(); mouse.enable(8)
    - wb_mouse_enable_3d_position() | mouse.enable3dPosition()
    - wb_joystick_enable(8) | joystick = robot.getJoystick(); joystick.enable(8)
    i wb_keyboard_get_sampling_period() | keyboard.getSamplingPeriod()
    i wb_mouse_get_sampling_period() | mouse.getSamplingPeriod()
    i wb_joystick_get_sampling_period() | joystick.getSamplingPeriod()
    i wb_keyboard_get_key() | keyboard.getKey()
    n wb_mouse_get_state().u | mouse.getState().u
    b wb_joystick_is_connected() | joystick.isConnected()
    step 3
    i wb_keyboard_get_key() | keyboard.getKey()
    i wb_robot_keyboard_get_key() | keyboard.getKey()
    i wb_keyboard_get_key() | keyboard.getKey()
    i wb_robot_keyboard_get_key() | keyboard.getKey() + 1
    - wb_robot_keyboard_disable() | keyboard.disable()
    i wb_keyboard_get_sampling_period() | keyboard.getSamplingPeriod()
    - wb_robot_keyboard_enable(16) | keyboard.enable(16)
    i wb_keyboard_get_sampling_period() | keyboard.getSamplingPeriod()
    n wb_mouse_get_state().u | mouse.getState().u
    n wb_mouse_get_state_pointer()->z | mouse.getState().z
    b wb_mouse_get_state().left | mouse.getState().left
    b wb_mouse_is_3d_position_enabled() | mouse.is3dPositionEnabled()
    - wb_mouse_disable_3d_position() | mouse.disable3dPosition()
    b wb_joystick_is_connected() | joystick.isConnected()
    t wb_joystick_get_model() | joystick.getModel()
    i wb_joystick_get_number_of_axes() | joystick.getNumberOfAxes()
    i wb_joystick_get_axis_value(1) | joystick.getAxisValue(1)
    i wb_joystick_get_axis_value(9) | joystick.getAxisValue(9)
    i wb_joystick_get_number_of_povs() | joystick.getNumberOfPovs()
    i wb_joystick_get_pov_value(0) | joystick.getPovValue(0)
    i wb_joystick_get_pressed_button() | joystick.getPressedButton()
    i wb_joystick_get_pressed_button() | joystick.getPressedButton()
    i wb_joystick_get_pressed_button() | joystick.getPressedButton()
    - wb_joystick_set_constant_force(5) | joystick.setConstantForce(5)
    - wb_joystick_set_constant_force_duration(0.5) | joystick.setConstantForceDuration(0.5)
    - wb_joystick_set_auto_centering_gain(1.0) | joystick.setAutoCenteringGain(1.0)
    - wb_joystick_set_resistance_gain(2.0) | joystick.setResistanceGain(2.0)
    - wb_joystick_set_force_axis(1) | joystick.setForceAxis(1)
    t wb_robot_wwi_receive_text() | robot.wwiReceiveText()
    t wb_robot_wwi_receive(NULL) | robot.wwiReceiveText()
    b wb_robot_wwi_receive_text() == NULL | robot.wwiReceiveText() is None
    - wb_robot_wwi_send_text("to the window") | robot.wwiSendText("to the window")
    - wb_robot_wwi_send("more", 4) | robot.wwiSendText("more")
    i wb_robot_wait_for_user_input_event(WB_EVENT_KEYBOARD, 1) | robot.waitForUserInputEvent(Robot.EVENT_KEYBOARD, 1)
    - wb_keyboard_disable() | keyboard.disable()
    - wb_mouse_disable() | mouse.disable()
    - wb_joystick_disable() | joystick.disable()
    i wb_keyboard_get_sampling_period() | keyboard.getSamplingPeriod()
    """
    heard: list[tuple[str, str]] = []

    def user(sim: sb.Sim, hub: ControllerHub) -> None:
        if sim.step_count != 1:
            return
        hub.listen_to_windows(lambda name, text: heard.append((name, text)))
        hub.press_keys("robot", [ord("A"), 314 | 0x10000])
        hub.move_mouse("robot", MouseInput(0.25, 0.75, (1.0, 2.0, 3.0), left=True))
        hub.move_joystick("robot", JoystickInput("stick", (100, -100), (8,), (2, 5)))
        hub.send_window_text("robot", "one")
        hub.send_window_text("robot", "zw\u00f6lf")

    compare(project, rows, beside=user)
    assert {text for _, text in heard} == {"to the window", "more"}


def test_motions(project: Project) -> None:
    """Motors follow a file forwards, backwards, in a loop."""
    get = "t wbu_motion_get_time({0}) | {0}.getTime()\nb wbu_motion_is_over({0}) | {0}.isOver()\n".replace(
        "t wbu", "i wbu"
    )
    rows = """
    - WbDeviceTag s = wb_robot_get_device("position"), d = wb_robot_get_device("motor") | s, d = robot.getDevice("position"), robot.getDevice("motor")
    - wb_position_sensor_enable(s, 8) | s.enable(8)
    - WbMotionRef m = wbu_motion_new("walk.motion") | m = Motion("walk.motion")
    b wbu_motion_new("none.motion") == NULL | not Motion("none.motion").isValid()
    i wbu_motion_get_duration(m) | m.getDuration()
    - wbu_motion_play(m) | m.play()
    """
    turn = "step 1\nn wb_motor_get_target_position(d) | d.getTargetPosition()\n" + get.format("m")
    rows += (
        8 * turn
        + "- wbu_motion_set_reverse(m, 1) | m.setReverse(True)\n- wbu_motion_play(m) | m.play()\n"
        + 4 * turn
    )
    rows += (
        "- wbu_motion_set_loop(m, 1) | m.setLoop(True)\n- wbu_motion_set_time(m, 8) | m.setTime(8)\n"
        + 4 * turn
    )
    rows += (
        "- wbu_motion_stop(m) | m.stop()\n"
        + turn
        + "n wb_position_sensor_get_value(s) | s.getValue()\n"
    )
    rows += "- wbu_motion_delete(m) | del m\n"
    compare(project, rows, walk__motion=MOTION)


def test_messages_are_those_of_webots(project: Project) -> None:
    """Wrong tags, NULL, negative periods, devices that are off, calls in the middle of a step."""
    write_c(
        project,
        """
        int main(void) {
          wb_robot_step(8);
          wb_robot_init();
          WbDeviceTag m = wb_robot_get_device("motor"), s = wb_robot_get_device("position");
          wb_robot_get_device(NULL);
          wb_robot_get_device("nobody");
          wb_robot_get_device_by_index(99);
          wb_gyro_enable(m, 8);
          wb_position_sensor_enable(s, -1);
          wb_position_sensor_get_value(s);
          wb_motor_set_position(m, NAN);
          wb_motor_set_available_torque(m, -1.0);
          wb_motor_set_control_pid(m, 0.0, 0.0, 0.0);
          wb_supervisor_node_get_root();
          wbu_motion_play(NULL);
          wb_keyboard_get_key();
          wb_microphone_enable(3, 8);
          wb_radio_get_channel(3);
          wb_skin_get_bone_count(m);
          wb_differential_wheels_set_speed(1.0, 1.0);
          wb_robot_step_begin(8);
          wb_robot_get_urdf("");
          wb_robot_step_begin(8);
          wb_robot_step_end();
          wb_robot_step_end();
          wb_robot_cleanup();
          return 0;
        }
        """,
    )
    project.run(robot("exercise"), 0.1)
    assert project.errors() == [
        "Error: wb_robot_step() called before wb_robot_init().",
        "Error: wb_robot_get_device() called with NULL or empty argument.",
        'Warning: "nobody" device not found on robot "robot".',
        "Error: The index of wb_robot_get_device_by_index() is out of the bounds.",
        "Error: wb_gyro_enable(): invalid device tag.",
        "Error: wb_position_sensor_enable() called with negative sampling period.",
        "Error: wb_position_sensor_get_value() called for a disabled device! Please use: wb_position_sensor_enable().",
        "Error: wb_motor_set_position() called with an invalid 'position' argument (NaN).",
        "Error: wb_motor_set_available_torque() called with negative 'torque' argument.",
        "Error: wb_motor_set_control_pid() called with negative or zero 'p' argument.",
        "Error: ignoring illegal call to wb_supervisor_node_get_root() in a 'Robot' controller.",
        "Error: this function can only be used in a 'Supervisor' controller.",
        "Error: wbu_motion_play() called with NULL argument.",
        "Error: wb_keyboard_get_key() called for a disabled device! Please use: wb_keyboard_enable().",
        "Error: wb_microphone_enable(): invalid device tag.",
        "Error: wb_radio_get_channel(): invalid device tag.",
        "Error: wb_skin_get_bone_count(): invalid device tag.",
        "Error: ignoring illegal call to wb_differential_wheels_set_speed() in a 'Robot' controller.",
        "Error: this function can only be used in a 'DifferentialWheels' controller.",
        "Warning: wb_robot_get_urdf(): functions with immediate requests to Webots cannot be implemented "
        "in-between wb_robot_step_begin() and wb_robot_step_end()!",
        "Warning: wb_robot_step_begin() called multiple times before calling wb_robot_step_end().",
        "Warning: wb_robot_step_end() called multiple times before calling wb_robot_step_begin().",
    ]


WRONG = """
wb_camera_set_fov(camera, 7.0) -> out of zoom range [0.500000, 1.500000].
wb_camera_set_fov(plain, 1.0) -> called on a Camera without Zoom node.
wb_camera_set_focal_distance(camera, 9.0) -> out of focus range [0.100000, 3.000000].
wb_camera_recognition_get_objects(camera) -> called for a disabled device! Please use: wb_camera_recognition_enable().
wb_camera_get_image(plain) -> called for a disabled device! Please use: wb_camera_enable().
wb_camera_save_image(camera, NULL, 50) -> called with NULL or empty 'filename' argument.
wb_display_set_font(display, "Arial", 0, 1) -> : 'size' argument is negative or null.
wb_display_set_alpha(display, 2.0) -> : 'alpha' argument out of bounds.
wb_display_draw_text(display, "", 1, 1) -> : 'text' argument is NULL or empty.
wb_display_image_new(display, 2, 2, NULL, WB_IMAGE_RGB) -> : 'data' argument is NULL.
wb_display_image_new(display, 2, 2, "aaaaaaaaaaaa", 99) -> : 'format' argument is invalid.
wb_emitter_send(emitter, NULL, 3) -> : invalid argument: data = NULL.
wb_emitter_send(emitter, "a", 0) -> : invalid size=0 argument.
wb_receiver_set_channel(receiver, -5) -> called with an invalid channel=-5. Please use a channel inside the range [-1,inf).
wb_receiver_get_data(receiver) -> called for a disabled device! Please use: wb_receiver_enable().
wb_lidar_get_range_image(lidar) -> called for a disabled device! Please use: wb_lidar_enable().
wb_motor_set_velocity(motor, NAN) -> called with an invalid 'velocity' argument (NaN).
wb_touch_sensor_get_value(touch) -> called for a disabled device! Please use: wb_touch_sensor_enable().
wb_distance_sensor_enable(distance, -8) -> called with negative sampling period.
wb_robot_battery_sensor_enable(-1) -> called with negative sampling period.
wb_speaker_play_sound(99, speaker, "a.wav", 1.0, 1.0, 0.0, 0) -> : invalid 'left' device tag.
wb_speaker_play_sound(speaker, motor, "a.wav", 1.0, 1.0, 0.0, 0) -> : invalid 'right' device tag.
wb_speaker_play_sound(speaker, 0, "a.wav", -2.0, 1.0, 0.0, 0) -> called with a negative volume value: -2. Setting volume to 0.
wb_speaker_play_sound(0, 0, "a.wav", 1.0, 1.0, -5.0, 0) -> called with a balance value less than -1: -5. Setting balance to -1.
wb_speaker_speak(speaker, "a", 2.0) -> called with volume value greater than 1: 2. Setting volume to 1.
wb_joystick_get_pressed_button() -> called for a disabled device! Please use: wb_joystick_enable().
wb_joystick_set_constant_force(3) -> called for a disabled device! Please use: wb_joystick_enable().
wb_joystick_enable(8) ->
wb_joystick_get_axis_value(3) -> called with an 'axis' argument bigger than or equal to the number of axes.
wb_joystick_set_force_axis(3) -> called with an 'axis' argument bigger than or equal to the number of axes.
wb_joystick_set_constant_force_duration(-1.0) -> called with a negative 'duration' argument.
wb_mouse_enable_3d_position() -> called for a disabled device! Please use: wb_mouse_enable().
wb_robot_task_new(NULL, NULL) -> called with NULL 'task' argument.
"""
"""Calls, and what is said after the name of the function."""


def test_devices_are_told_of_wrong_arguments(project: Project) -> None:
    """Each call says what Webots says; the program goes on."""
    rows = [row.split(" ->") for row in WRONG.strip().splitlines()]
    names = [
        "camera",
        "plain",
        "display",
        "emitter",
        "receiver",
        "lidar",
        "motor",
        "touch",
        "distance",
        "speaker",
    ]
    tags = "".join(f'WbDeviceTag {name} = wb_robot_get_device("{name}");\n' for name in names)
    calls = "".join(f"{call};\n" for call, _ in rows)
    write_c(
        project, f'int main(void) {{ wb_robot_init();\n{tags}{calls} puts("alive"); return 0; }}'
    )
    devices = """Camera { name "camera" zoom Zoom { minFieldOfView 0.5 maxFieldOfView 1.5 }
      focus Focus { minFocalDistance 0.1 maxFocalDistance 3 } recognition Recognition { } }
    Camera { name "plain" } Display { name "display" } Emitter { name "emitter" } Receiver { name "receiver" }
    Lidar { name "lidar" } TouchSensor { name "touch" boundingObject Box { } }
    DistanceSensor { name "distance" } Speaker { name "speaker" }"""
    project.run(robot("exercise", devices=devices), 0.1)
    assert project.output() == ["alive"]
    said = [
        f"{call.partition('(')[0]}(){text.replace(' :', ':', 1)}" for call, text in rows if text
    ]
    assert [line.partition(": ")[2] for line in project.errors()] == said


def test_supervisors_are_told_of_wrong_arguments(project: Project) -> None:
    """NULL nodes and fields, wrong types, values that are none, places that lists do not have."""
    write_c(
        project,
        """
        int main(void) {
          wb_robot_init();
          const double red[3] = {2.0, 0.0, 0.0}, still[4] = {0.0, 0.0, 0.0, 1.0};
          WbNodeRef self = wb_supervisor_node_get_self();
          WbFieldRef name = wb_supervisor_node_get_field(self, "name"), turn = wb_supervisor_node_get_field(self, "rotation");
          WbFieldRef sky = wb_supervisor_node_get_field(wb_supervisor_node_get_from_def("SKY"), "skyColor");
          wb_supervisor_node_get_position((WbNodeRef)0x1234);
          wb_supervisor_node_get_from_def("");
          wb_supervisor_field_get_sf_float(NULL);
          wb_supervisor_field_get_sf_float(name);
          wb_supervisor_field_set_sf_rotation(turn, still);
          wb_supervisor_field_set_mf_color(sky, 0, red);
          wb_supervisor_field_get_mf_color(sky, 5);
          wb_supervisor_field_get_count(name);
          wb_supervisor_node_set_velocity(self, NULL);
          wb_supervisor_node_enable_pose_tracking(self, -1, NULL);
          wb_supervisor_set_label(0, NULL, 0, 0, 0, 0, 0, "");
          wb_supervisor_export_image("x.png", 0);
          wb_robot_cleanup();
          return 0;
        }
        """,
    )
    sky = "DEF SKY Background { skyColor [ 0 0 0 ] }"
    project.run(robot("exercise", fields="supervisor TRUE") + sky, 0.1)
    assert project.errors() == [
        "Error: wb_supervisor_node_get_position() called with NULL or invalid 'node' argument.",
        "Error: wb_supervisor_node_get_from_def() called with NULL or empty 'def' argument.",
        "Error: wb_supervisor_field_get_sf_float() called with NULL 'field' argument.",
        "Error: wb_supervisor_field_get_sf_float() called with wrong field type: SFString.",
        "Error: wb_supervisor_field_set_sf_rotation() called with invalid values for the [x y z] axis.",
        "Error: wb_supervisor_field_set_mf_color() called with invalid RGB values (outside [0,1] range).",
        "Error: wb_supervisor_field_get_mf_color() called with an out-of-bound index: 5 (should be between -1 and 0).",
        "Error: wb_supervisor_field_get_count() can only be used with multiple fields (MF).",
        "Error: wb_supervisor_node_set_velocity() called with NULL argument.",
        "Error: wb_supervisor_node_enable_pose_tracking() called with negative sampling period.",
        "Error: wb_supervisor_set_label() called with NULL 'text' argument.",
        "Error: wb_supervisor_export_image(): 'quality' argument must be between 1 and 100.",
    ]


def test_threads_share_the_robot(project: Project) -> None:
    """Tasks read sensors while the main thread steps."""
    write_c(
        project,
        """
        static WbMutexRef mutex;
        static volatile int reads, is_over;
        static WbDeviceTag s;
        static void task(void *name) {
          while (!is_over) {
            double value = wb_position_sensor_get_value(s);
            wb_robot_mutex_lock(mutex);
            reads += value == value && wb_robot_get_time() > 0.0;
            wb_robot_mutex_unlock(mutex);
          }
        }
        int main(void) {
          wb_robot_init();
          mutex = wb_robot_mutex_new();
          s = wb_robot_get_device("position");
          wb_position_sensor_enable(s, 8);
          wb_robot_step(8);
          wb_robot_task_new(task, "one");
          wb_robot_task_new(task, "two");
          for (int k = 0; k < 200 && (k < 10 || reads < 2); k++) {
            /* a busy machine starts threads late */
            for (volatile long wait = 0; wait < 5000000 && reads < 2; wait++) ;
            wb_robot_step(8);
          }
          is_over = 1;
          printf("%d\\n", reads >= 2);
          fflush(stdout);
          return 0;
        }
        """,
    )
    project.run(robot("exercise"), 2.0)
    assert project.output() == ["1"]


def test_a_program_that_goes_on_is_ended_after_the_run(project: Project) -> None:
    """The step after the end returns -1, the next one ends the program as if it had wanted that; exit handlers run."""
    write_c(
        project,
        """
        static void bye(void) { puts("bye"); }
        int main(void) {
          wb_robot_init();
          atexit(bye);
          for (;;)
            if (wb_robot_step(8) == -1) puts("over");
        }
        """,
    )
    project.run(robot("exercise"), 0.1)
    assert project.output() == ["over", "bye"]


def test_a_program_that_goes_on_after_cleaning_up_is_ended(project: Project) -> None:
    """Without a word; before it was introduced, it is told what is missing."""
    write_c(
        project,
        """
        int main(void) {
          wb_robot_step(8);
          wb_robot_init();
          for (;;)
            if (wb_robot_step(8) == -1) {
              puts("over");
              wb_robot_cleanup();
            }
        }
        """,
    )
    project.run(robot("exercise"), 0.1)
    assert project.output()[-1] == "over" and "over" not in project.output()[:-1]
    assert project.errors() == ["Error: wb_robot_step() called before wb_robot_init()."]


def test_exit_status_and_last_orders(project: Project) -> None:
    """What is ordered before the end counts; another status than 0 is a failure."""
    write_c(
        project,
        """
        int main(void) {
          wb_robot_init();
          wb_motor_set_position(wb_robot_get_device("motor"), 0.5);
          return 3;
        }
        """,
    )
    sim = project.run(robot("exercise"), 0.3)
    assert any("exited with 3" in text for _, text in project.said)
    assert sim.joint(sim.joint_names[0]).position > 0.3


def test_extern_programs_find_the_simulator_by_their_url(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`WEBOTS_CONTROLLER_URL` names port and robot; without a simulator there is a sentence."""
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    made = write_c(
        project,
        "int main(void) { wb_robot_init(); puts(wb_robot_get_name()); wb_robot_step(8); return 0; }",
    )
    variables = {**environment(controller_path()), "WEBOTS_CONTROLLER_URL": "ipc://2345/robot"}
    alone = subprocess.run([made], env=variables, capture_output=True, text=True, check=False)
    assert alone.returncode == 1
    assert "no simulator is running on port 2345" in alone.stderr
    far = {**variables, "WEBOTS_CONTROLLER_URL": "tcp://192.0.2.1:1234/robot"}
    refused = subprocess.run([made], env=far, capture_output=True, text=True, check=False)
    assert refused.returncode == 1
    assert "this is another one: 192.0.2.1" in refused.stderr
    sim, hub = project.start(robot("<extern>"), port=2345)
    try:
        with subprocess.Popen([made], env=variables, stdout=subprocess.PIPE, text=True) as program:
            sim.step(2)
            assert program.stdout is not None
            assert program.stdout.read() == "robot\n"
    finally:
        hub.close()


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_killed_programs_are_told_and_leave_nothing(project: Project) -> None:
    """A program that is killed in the middle of a run is named; the run goes on."""
    need_c()
    write_c(project, "int main(void) { wb_robot_init(); wb_robot_step(8); abort(); }")
    sim = project.run(robot("exercise"), 0.2)
    assert sim.time == pytest.approx(0.2)
    assert any("was killed by signal 6" in text for _, text in project.said)


def test_what_is_told_lives_as_long_as_in_webots(project: Project) -> None:
    """Arrays of a device, a node or a field stay where they are; pictures are those that the simulator wrote."""
    write_c(
        project,
        r"""
        static int is_shared(const void *address) { /* whether it lies in a file that processes share */
          char line[600], flags[8], path[500];
          unsigned long first, last;
          int found = 0;
          FILE *maps = fopen("/proc/self/maps", "r");
          while (fgets(line, sizeof line, maps))
            if (sscanf(line, "%lx-%lx %7s %*s %*s %*s %499s", &first, &last, flags, path) >= 3)
              found |= first <= (unsigned long)address && (unsigned long)address < last && flags[3] == 's';
          fclose(maps);
          return found;
        }
        int main(void) {
          wb_robot_init();
          WbDeviceTag c = wb_robot_get_device("camera"), r = wb_robot_get_device("range"), l = wb_robot_get_device("lidar");
          WbDeviceTag g = wb_robot_get_device("gps");
          wb_camera_enable(c, 8);
          wb_range_finder_enable(r, 8);
          wb_lidar_enable(l, 8);
          wb_gps_enable(g, 8);
          wb_robot_step(8);
          WbNodeRef self = wb_supervisor_node_get_self(), ball = wb_supervisor_node_get_from_def("BALL");
          WbFieldRef field = wb_supervisor_node_get_field(ball, "translation"), name = wb_supervisor_node_get_field(ball, "name");
          WbFieldRef own = wb_supervisor_node_get_field(self, "name");
          const unsigned char *image = wb_camera_get_image(c);
          const double *values = wb_gps_get_values(g), *place = wb_supervisor_node_get_position(ball);
          const double *here = wb_supervisor_node_get_position(self), *told = wb_supervisor_field_get_sf_vec3f(field);
          const char *text = wb_supervisor_field_get_sf_string(name), *other = wb_supervisor_field_get_sf_string(own);
          printf("%d%d%d", is_shared(image), is_shared(wb_range_finder_get_range_image(r)), is_shared(wb_lidar_get_range_image(l)));
          printf("%d %s %s %s\n", image == wb_camera_get_image(c), text, other, wb_robot_get_name());
          const double before = place[2];
          for (int k = 0; k < 5; k++) wb_robot_step(8);
          wb_supervisor_node_get_position(ball);
          wb_supervisor_field_get_sf_vec3f(field);
          printf("%d%d%d", values == wb_gps_get_values(g), place[2] < before, told[2] == place[2]);
          printf("%d%d\n", here[0] == 3.0, image == wb_camera_get_image(c));
          wb_robot_cleanup();
          return 0;
        }
        """,
    )
    devices = 'Camera { name "camera" } RangeFinder { name "range" } Lidar { name "lidar" } GPS { name "gps" }'
    ball = 'DEF BALL Solid { name "ball" translation 0 0 9 boundingObject Sphere { } physics Physics { } }'
    world = robot("exercise", x=3.0, fields="supervisor TRUE", devices=devices) + ball
    project.run(world, 0.2)
    assert project.output() == ["1111 ball robot robot", "11111"], project.errors()


def test_a_program_that_loses_the_simulator_ends(project: Project) -> None:
    """Its next step is the last one, as at the end of a run, or the one after: one may be under way."""
    write_c(
        project,
        """
        #include <unistd.h>
        int main(void) {
          wb_robot_init();
          wb_robot_step(8);
          for (int file = 3; file < 64; file++) close(file);
          int last = 0;
          for (int k = 0; k < 5 && last != -1; k++) last = wb_robot_step(8);
          printf("%d", last);
          printf(" %d\\n", wb_robot_get_device("motor") > 0);
          wb_robot_cleanup();
          return 0;
        }
        """,
    )
    sim = project.run(robot("exercise"), 0.1)
    assert project.output() == ["-1 1"]
    assert sim.time >= 0.1
