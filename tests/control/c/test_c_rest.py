"""What few programs call: all types of fields, wheels of before R2018, plugins, strings, and what there is none of."""

# ruff: noqa: E501 - rows of two programs

from __future__ import annotations

import json
from pathlib import Path

import pytest

from solidbody.base.errors import SimulationEnd
from solidbody.control.hub import ControllerHub
from tests.control.c.programs import write_c
from tests.control.c.twins import compare
from tests.control.projects import Project, robot

TYPES = {
    "bool": ("i", "Bool", "1", "True", "TRUE"),
    "int32": ("i", "Int32", "7", "7", "5"),
    "float": ("n", "Float", "0.5", "0.5", "1.5"),
    "vec2f": ("v2", "Vec2f", "pair", "pair", "1 2"),
    "vec3f": ("v3", "Vec3f", "three", "three", "1 2 3"),
    "rotation": ("v4", "Rotation", "turn", "turn", "0 1 0 0.5"),
    "color": ("v3", "Color", "three", "three", "0 1 0"),
    "string": ("t", "String", '"new"', '"new"', '"old"'),
}
"""Of each type of fields: how it is printed, its name, a value in C and Python, one in a file."""


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """An empty project."""
    return Project(tmp_path)


def test_fields_of_all_types(project: Project) -> None:
    """One value and lists: read, set, inserted."""
    interface = "".join(
        f"field SF{name} one{name} {value} field MF{name} many{name} [ {value}, {value} ] "
        for _, name, _, _, value in TYPES.values()
    )
    protos = project.folder / "protos"
    protos.mkdir(exist_ok=True)
    (protos / "All.proto").write_text(
        f"#VRML_SIM R2025a utf8\nPROTO All [ {interface} ] {{ Group {{ }} }}\n"
    )
    rows = """
    - double pair[2] = {3, 4}, three[3] = {0.25, 0.5, 1}, turn[4] = {0, 0, 1, 0.25} | pair, three, turn = [3.0, 4.0], [0.25, 0.5, 1.0], [0.0, 0.0, 1.0, 0.25]
    - WbNodeRef all = wb_supervisor_node_get_from_def("ALL") | all = robot.getFromDef("ALL")
    """
    for word, (kind, name, c, python, _) in TYPES.items():
        one, many = f"s{word}", f"m{word}"
        rows += f'- WbFieldRef {one} = wb_supervisor_node_get_field(all, "one{name}") | {one} = all.getField("one{name}")\n'
        rows += f'- WbFieldRef {many} = wb_supervisor_node_get_field(all, "many{name}") | {many} = all.getField("many{name}")\n'
        for _ in range(2):
            rows += f"{kind} wb_supervisor_field_get_sf_{word}({one}) | {one}.getSF{name}()\n"
            rows += f"{kind} wb_supervisor_field_get_mf_{word}({many}, 0) | {many}.getMF{name}(0)\n"
            rows += (
                f"{kind} wb_supervisor_field_get_mf_{word}({many}, -1) | {many}.getMF{name}(-1)\n"
            )
            rows += f"i wb_supervisor_field_get_count({many}) | {many}.getCount()\n"
            rows += (
                f"- wb_supervisor_field_set_sf_{word}({one}, {c}) | {one}.setSF{name}({python})\n"
            )
            rows += f"- wb_supervisor_field_set_mf_{word}({many}, 0, {c}) | {many}.setMF{name}(0, {python})\n"
            rows += f"- wb_supervisor_field_insert_mf_{word}({many}, -1, {c}) | {many}.insertMF{name}(-1, {python})\n"
    compare(project, rows, nodes="DEF ALL All { }")


def test_old_robots_with_two_wheels(project: Project) -> None:
    """Speeds in their unit, encoders in steps."""
    write_c(
        project,
        """
        int main(void) {
          wb_robot_init();
          wb_differential_wheels_enable_encoders(8);
          wb_differential_wheels_set_speed(2.0, -1.0);
          for (int k = 0; k < 20; k++) wb_robot_step(8);
          printf("%g %g ", wb_differential_wheels_get_left_speed(), wb_differential_wheels_get_right_speed());
          printf("%g %g ", wb_differential_wheels_get_max_speed(), wb_differential_wheels_get_speed_unit());
          printf("%d ", wb_differential_wheels_get_encoders_sampling_period());
          double left = wb_differential_wheels_get_left_encoder(), right = wb_differential_wheels_get_right_encoder();
          printf("%d ", left > 0.0 && right < 0.0);
          wb_differential_wheels_set_encoders(0.0, 5.0);
          printf("%g %g ", wb_differential_wheels_get_left_encoder(), wb_differential_wheels_get_right_encoder());
          wb_differential_wheels_disable_encoders();
          printf("%d\\n", wb_differential_wheels_get_encoders_sampling_period());
          wb_robot_cleanup();
          return 0;
        }
        """,
    )
    wheel = """HingeJoint {{ jointParameters HingeJointParameters {{ axis 0 1 0 }}
      device [ RotationalMotor {{ name "{0} wheel motor" maxVelocity 30 }} PositionSensor {{ name "{0} wheel sensor" }} ]
      endPoint Solid {{ name "{0}" translation {1} 0 3 boundingObject Box {{ size 0.1 0.1 0.1 }} physics Physics {{ }} }} }}"""
    project.run(robot("exercise", devices=wheel.format("left", 1) + wheel.format("right", -1)), 0.3)
    assert project.output() == ["2 -1 30 1 8 1 0 5 0"], project.errors()


def test_windows_of_robots_that_have_none(project: Project) -> None:
    """They ask for a description and get values; they turn sensors on and move motors."""
    write_c(
        project,
        """
        int main(void) {
          wb_robot_init();
          wbu_generic_robot_window_init();
          wbu_default_robot_window_set_images_max_size(64, 64);
          printf("%d%d", wbu_generic_robot_window_is_hidden(), wbu_generic_robot_window_needs_update());
          for (int k = 0; k < 20; k++) {
            wb_robot_step(8);
            const char *text;
            while ((text = wb_robot_wwi_receive_text())) printf("%d", wbu_generic_robot_window_handle_messages(text));
            wbu_generic_robot_window_update();
          }
          char command[] = "motor:position=0.5", other[] = "nothing";
          printf("%d", wbu_generic_robot_window_parse_device_control_command(command, NULL));
          printf("%d", wbu_generic_robot_window_parse_device_control_command(other, NULL));
          char third[] = "position:disable";
          wbu_generic_robot_window_parse_device_command(third, NULL);
          printf("%d%d", wbu_generic_robot_window_is_hidden(), wbu_generic_robot_window_refresh_rate() > 0.0);
          printf(" %g\\n", wb_motor_get_target_position(wb_robot_get_device("motor")));
          wbu_default_robot_window_configure();
          wbu_default_robot_window_update();
          wb_robot_cleanup();
          return 0;
        }
        """,
    )
    heard: list[str] = []
    sim, hub = project.start(robot("exercise"))
    _speak(hub, heard)
    try:
        sim.run(0.4)
    finally:
        hub.close()
    assert project.output() == ["101111001 0.5"], project.errors()
    configured = json.loads(heard[0].removeprefix("configure "))
    assert [device["name"] for device in configured["devices"]] == ["motor", "position"]
    values = json.loads(
        heard[-2 if heard[-1].startswith("configure") else -1].removeprefix("update ")
    )
    assert "motor" in values["devices"]


def _speak(hub: ControllerHub, heard: list[str]) -> None:
    """Be the window of the robot."""
    hub.listen_to_windows(lambda _, text: heard.append(text))
    for text in ("configure", "position:enable", "shown"):
        hub.send_window_text("robot", text)


def test_strings_system_and_what_there_is_none_of(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Helpers, messages of radios, plugins of robots of metal."""
    monkeypatch.setenv("SOME", "thing")
    write_c(
        project,
        r"""
        int main(void) {
          wb_robot_init_msvc();
          char list[] = "a,b,,c", *rest = list, *part;
          while ((part = wbu_string_strsep(&rest, ","))) printf("<%s>", part);
          char *replaced = wbu_string_replace("one two one", "one", "three");
          printf("\n%s %s %s %d %d\n", replaced, wbu_system_getenv("SOME"), wbu_system_short_path("/a/b"),
                 wbu_system_tmpdir() != NULL, strlen(wbu_system_webots_instance_path(1)) > 0);
          free(replaced);
          WbRadioMessage message = wb_radio_message_new(3, "abc", "there");
          printf("%d %.3s %s\n", wb_radio_message_get_length(message), wb_radio_message_get_body(message),
                 wb_radio_message_get_destination(message));
          wb_radio_send(1, message, 0.0);
          wb_radio_message_delete(message);
          WbDeviceTag s = wb_robot_get_device("position"), m = wb_robot_get_device("motor");
          wb_position_sensor_enable(s, 8);
          wb_motor_enable_torque_feedback(m, 8);
          wbr_position_sensor_set_value(s, 1.25);
          wbr_motor_set_torque_feedback(m, 2.5);
          wb_robot_battery_sensor_enable(8);
          wbr_robot_battery_sensor_set_value(7.0);
          wbr_robot_battery_sensor_set_value(-7.0);
          printf("%g %g %g\n", wb_position_sensor_get_value(s), wb_motor_get_torque_feedback(m),
                 wb_robot_battery_sensor_get_value());
          wb_console_print("printed\n", WB_STDOUT);
          puts(wb_robot_get_controller_name());
          wb_robot_set_mode(WB_MODE_REMOTE_CONTROL, NULL);
          wb_robot_pin_to_static_environment(1);
          wb_robot_mutex_delete(wb_robot_mutex_new());
          printf("%d ", wb_robot_window_custom_function(NULL) == NULL);
          printf("%d\n", wb_remote_control_custom_function(NULL) == NULL);
          wb_robot_cleanup();
          return 0;
        }
        """,
    )
    project.run(robot("exercise"), 0.1)
    assert project.output() == [
        "<a><b><><c>",
        "three two three thing /a/b 1 1",
        "3 abc there",
        "1.25 2.5 7",
        "printed",
        "exercise",
        "1 1",
    ]
    assert project.errors() == [
        "Error: wb_radio_send(): invalid device tag.",
        "Error: wbr_robot_battery_sensor_set_value() received negative value, new value ignored.",
        "Error: Cannot set mode to 2.",
        "Error: wb_robot_pin_to_static_environment(): motions are not edited here.",
        "Error: wbw_robot_window_custom_function is not defined",
        "Error: wbr_custom_function is not defined",
    ]


def test_a_supervisor_ends_the_run(project: Project) -> None:
    """With its status, after it has saved the world under the old name of that function."""
    write_c(
        project,
        """
        int main(void) {
          wb_robot_init();
          printf("%d", wb_supervisor_save_world("../../worlds/other.wbt"));
          printf("%d", wb_supervisor_movie_get_status() == WB_SUPERVISOR_MOVIE_READY);
          printf("%d", wb_supervisor_get_movie_status());
          printf("%d\\n", wb_supervisor_virtual_reality_headset_get_position() == NULL);
          wb_supervisor_simulation_quit(4);
          wb_robot_step(8);
          return 0;
        }
        """,
    )
    sim, hub = project.start(robot("exercise", fields="supervisor TRUE"))
    try:
        with pytest.raises(SimulationEnd) as end:
            sim.run(1.0)
    finally:
        hub.close()
    assert end.value.status == 4
    assert project.output() == ["1101"]


SHOW = """
static void show_number(double value) { if (isnan(value)) puts("nan"); else printf("%g\\n", value); }
static void show_pointer(const void *value) { puts(value ? "some" : "none"); }
#define SHOW(x) _Generic((x), int: show_number, WbDeviceTag: show_number, double: show_number, default: show_pointer)(x)
"""
NONE = {
    "Microphone": """
      wb_microphone_enable(tag, 8)
      wb_microphone_disable(tag)
      0 = wb_microphone_get_sampling_period(tag)
      none = wb_microphone_get_sample_data(tag)
      0 = wb_microphone_get_sample_size(tag)
    """,
    "Radio": """
      wb_radio_enable(tag, 8)
      wb_radio_disable(tag)
      wb_radio_set_address(tag, "a")
      none = wb_radio_get_address(tag)
      wb_radio_set_frequency(tag, 1.0)
      nan = wb_radio_get_frequency(tag)
      wb_radio_set_channel(tag, 1)
      -1 = wb_radio_get_channel(tag)
      wb_radio_set_bitrate(tag, 1)
      -1 = wb_radio_get_bitrate(tag)
      wb_radio_set_rx_sensitivity(tag, 1.0)
      nan = wb_radio_get_rx_sensitivity(tag)
      wb_radio_set_tx_power(tag, 1.0)
      nan = wb_radio_get_tx_power(tag)
      wb_radio_set_callback(tag, NULL)
      0 = wb_radio_event_get_radio(NULL)
      none = wb_radio_event_get_data(NULL)
      0 = wb_radio_event_get_data_size(NULL)
      none = wb_radio_event_get_emitter(NULL)
      nan = wb_radio_event_get_rssi(NULL)
    """,
    "Skin": """
      0 = wb_skin_get_bone_count(tag)
      some = wb_skin_get_bone_name(tag, 0)
      nan = wb_skin_get_bone_orientation(tag, 0, 1)[0]
      nan = wb_skin_get_bone_position(tag, 0, 1)[0]
      wb_skin_set_bone_orientation(tag, 0, v, 1)
      wb_skin_set_bone_position(tag, 0, v, 1)
    """,
}


def run_rows(project: Project, before: str, rows: str, devices: str) -> tuple[list[str], list[str]]:
    """Run the calls of rows such as `0 = f(x)` or `f(x)`, check the answers; return calls and complaints."""
    calls = [row.strip() for row in rows.strip().splitlines()]
    body = "".join(
        f"SHOW({call.split(' = ')[1]});\n" if " = " in call else f"{call};\n" for call in calls
    )
    main = f"int main(void) {{ wb_robot_init();\n{before}\n{body} wb_robot_cleanup(); return 0; }}"
    write_c(project, SHOW + main)
    project.run(robot("exercise", devices=devices), 0.1)
    assert project.output() == [call.split(" = ")[0] for call in calls if " = " in call]
    return [call.split(" = ")[-1].split("(")[0] for call in calls], project.errors()


@pytest.mark.parametrize("kind", NONE)
def test_devices_that_are_not_simulated_say_so(project: Project, kind: str) -> None:
    """Every function answers nothing and says it; events of radios, which never come, are silent."""
    before = 'const double v[4] = {0}; (void)v; WbDeviceTag tag = wb_robot_get_device("device");'
    calls, errors = run_rows(project, before, NONE[kind], f'{kind} {{ name "device" }}')
    why = "does not animate skins" if kind == "Skin" else f"simulates no {kind.lower()}s"
    assert errors == [f"Error: {call}(): solidbody {why}." for call in calls if "event" not in call]


def test_plugins_of_robots_of_metal(project: Project) -> None:
    """What they tell is the value of the device; pictures come from the simulator alone."""
    names = "accelerometer compass gyro gps unit force touch distance light camera display lidar radar range motor"
    before = "const double v[4] = {0.25, 1.25, 2.25, 3.25};" + "".join(
        f'WbDeviceTag {name} = wb_robot_get_device("{name}");\n' for name in names.split()
    )
    rows = ""
    for sensor, name in (("accelerometer", "accelerometer"), ("compass", "compass"), ("gyro", "gyro"), ("gps", "gps"), ("touch_sensor", "force")):  # fmt: skip
        rows += f"wb_{sensor}_enable({name}, 8)\n"
        rows += f"wbr_{sensor}_set_values({name}, v)\n"
        rows += f"2.25 = wb_{sensor}_get_values({name})[2]\n"
    for sensor, name in (
        ("touch_sensor", "touch"),
        ("distance_sensor", "distance"),
        ("light_sensor", "light"),
    ):
        rows += f"wb_{sensor}_enable({name}, 8)\n"
        rows += f"wbr_{sensor}_set_value({name}, 4.5)\n"
        rows += f"4.5 = wb_{sensor}_get_value({name})\n"
    rows += """
      wb_inertial_unit_enable(unit, 8)
      wbr_inertial_unit_set_values(unit, v)
      3.25 = wb_inertial_unit_get_quaternion(unit)[3]
      wbr_inertial_unit_set_value(unit, 9.0)
      9 = wb_inertial_unit_get_quaternion(unit)[0]
      wbr_gps_set_speed(gps, 7.5)
      7.5 = wb_gps_get_speed(gps)
      wbr_gps_set_velocity_vector(gps, v)
      2.25 = wb_gps_get_speed_vector(gps)[2]
      wb_motor_enable_torque_feedback(motor, 8)
      wbr_motor_set_position_feedback(motor, 0.75)
      0.75 = wb_motor_get_target_position(motor)
      wbr_motor_set_force_feedback(motor, 1.75)
      1.75 = wb_motor_get_torque_feedback(motor)
      some = wbu_system_webots_tmp_path(1)
    """.lstrip("\n")
    ignored = """
      wbr_camera_recognition_set_object(camera, NULL, 0)
      wbr_camera_set_image(camera, NULL)
      none = wbr_camera_get_image_buffer(camera)
      wbr_display_save_image(display, 0, 1, 1, NULL)
      wbr_lidar_set_image(lidar, NULL)
      wbr_radar_set_targets(radar, NULL, 0)
      wbr_range_finder_set_image(range, NULL)
      wbr_microphone_set_buffer(camera, NULL, 0)
      wbr_differential_wheels_set_encoders(1.0, 2.0)
    """
    devices = """Accelerometer { name "accelerometer" } Compass { name "compass" } Gyro { name "gyro" } GPS { name "gps" }
    InertialUnit { name "unit" } TouchSensor { name "force" type "force-3d" boundingObject Box { } }
    TouchSensor { name "touch" boundingObject Box { } } DistanceSensor { name "distance" }
    LightSensor { name "light" } Camera { name "camera" } Display { name "display" } Lidar { name "lidar" }
    Radar { name "radar" } RangeFinder { name "range" }"""
    calls, errors = run_rows(project, before, rows.strip() + ignored.rstrip(), devices)
    assert errors == [
        *(f"Error: {call}(): only the simulation is supported." for call in calls[-9:-2]),
        "Error: wbr_microphone_set_buffer(): invalid device tag.",
        "Error: ignoring illegal call to wb_differential_wheels_set_encoders() in a 'Robot' controller.",
        "Error: this function can only be used in a 'DifferentialWheels' controller.",
    ]
