"""Simulator items: their numbers, and what contacts become under them."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.formats.choreonoid.keys.access import BodyFileReading, Keys
from solidbody.formats.choreonoid.keys.yaml_tree import YamlMap, parse_yaml
from solidbody.formats.choreonoid.project.simulator import (
    AIST_DEFAULTS,
    DynamicsMode,
    SimulatorSettings,
    contact_of,
    physics_of,
    read_settings,
    typical_mass,
)
from solidbody.model.joints import JointHinge
from tests.formats.choreonoid import projects


def read(
    text: str, class_name: str = "AISTSimulatorItem", *, bar_rate: float | None = None
) -> tuple[SimulatorSettings, list[str]]:
    """Return the settings of an item's data and the messages of reading them."""
    log = DiagnosticLog()
    document = parse_yaml("{" + text + "}", "p.cnoid", log)
    assert document is not None
    assert isinstance(document.root, YamlMap)
    keys = Keys(document.root, BodyFileReading(log), class_name)
    return read_settings(keys, class_name, bar_rate=bar_rate), [str(item) for item in log]


def test_defaults_are_the_aist_simulators() -> None:
    """An item without data."""
    settings, messages = read("")
    assert messages == []
    assert settings == AIST_DEFAULTS
    assert settings.gravity == (0.0, 0.0, -9.80665)
    assert (settings.time_step, settings.correction_depth, settings.correction_ratio) == (
        0.001,
        0.00025,
        5.0,
    )


@pytest.mark.parametrize(
    "text",
    [
        "time_step: 0.002, contact_culling_depth: 0.1, contact_correction_depth: 0.0001, "
        "contact_correction_velocity_ratio: 30",
        "timestep: 0.002, contactCullingDepth: 0.1, contactCorrectionDepth: 0.0001, "
        "contactCorrectionVelocityRatio: 30",
        "timeStep: 0.002, contactCullingDepth: 0.1, contactCorrectionDepth: 0.0001, "
        "contactCorrectionVelocityRatio: 30",
    ],
)
def test_old_and_new_names_of_keys(text: str) -> None:
    """Files of ten years spell them differently."""
    settings, messages = read(text)
    assert messages == []
    assert settings.time_step == 0.002
    assert settings.culling_depth == 0.1
    assert (settings.correction_depth, settings.correction_ratio) == (0.0001, 30.0)


def test_all_keys_of_a_stored_item_are_known() -> None:
    """What steers the program around the simulation says nothing."""
    _, messages = read(
        "time_step: 0.005, realtime_sync_mode: compensatory, recording: tail, "
        "time_range_mode: unlimited, time_length: 180, is_active_control_time_range_mode: true, "
        "output_all_link_positions: false, output_device_states: true, "
        "use_controller_threads: true, record_collision_data: false, controller_options: '', "
        "block_scene_view_edit_mode: false, dynamicsMode: Forward dynamics, "
        "integrationMode: semi-implicit_euler, gravity: [0, 0, -9.80665], "
        "min_friction_coefficient: 0, max_friction_coefficient: 100, cullingThresh: 0.005, "
        "contactCullingDepth: 0.05, errorCriterion: 0.001, maxNumIterations: 25, "
        "contactCorrectionDepth: 0.00025, contactCorrectionVelocityRatio: 5, "
        "kinematicWalking: false, 2Dmode: false, oldAccelSensorMode: false"
    )
    assert messages == []


def test_time_step_comes_from_item_then_frame_rate_then_time_bar() -> None:
    """And is 1 ms where none of them says anything."""
    assert read("time_step: 0.004, frame_rate: 200", bar_rate=100.0)[0].time_step == 0.004
    assert read("framerate: 200", bar_rate=100.0)[0].time_step == 0.005
    assert read("", bar_rate=100.0)[0].time_step == 0.01
    assert read("")[0].time_step == 0.001


def test_other_engines_give_time_step_and_gravity() -> None:
    """The rest of their numbers means other things."""
    settings, messages = read(
        "time_step: 0.002, Gravity: [0, 0, -1], contact_culling_depth: 9", "AGXSimulatorItem"
    )
    assert (settings.time_step, settings.gravity) == (0.002, (0.0, 0.0, -1.0))
    assert settings.culling_depth == AIST_DEFAULTS.culling_depth
    assert messages == [
        "p.cnoid:1:1: info: AGXSimulatorItem: the simulator is AGX Dynamics: its time step and "
        "gravity are used, contacts follow the AIST simulator's defaults."
    ]


def test_the_ode_simulator_has_its_own_law() -> None:
    """Its defaults: friction 1, ERP 0.4, a push-out of 1 mm/s beyond 0.1 mm."""
    settings, messages = read("time_step: 0.002", "ODESimulatorItem")
    assert messages == [
        "p.cnoid:1:1: info: ODESimulatorItem: the simulator is ODE: contacts follow its law, with a "
        "friction of 1 whatever the materials are."
    ]
    contact = contact_of(settings, ("Ground", "Ball"), friction=0.2, restitution=0.8)
    assert (contact.friction, contact.bounce, contact.soft_erp) == ((1.0,), 0.0, 0.4)
    assert (contact.follows_sliding, contact.remembers_loads) == (False, False)
    push_out = contact.soft_erp / settings.time_step * contact.depth_scale
    assert (push_out, contact.rest_depth) == (pytest.approx(0.001), 1e-4)
    assert physics_of(settings).erp == 0.4


def test_numbers_of_the_ode_simulator() -> None:
    settings, _ = read(
        "friction: 0.3, globalERP: 0.2, globalCFM: 1.0e-5, limitCorrectingVel: false",
        "ODESimulatorItem",
    )
    contact = contact_of(settings, ("a", "b"), friction=0.9)
    assert (contact.friction, contact.soft_erp, contact.soft_cfm) == ((0.3,), 0.2, 1e-5)
    assert (contact.depth_scale, physics_of(settings).cfm) == (math.inf, 1e-5)


@pytest.mark.parametrize("stops", ["true", "false"])
def test_joints_of_the_ode_simulator_may_stop_at_their_ranges(tmp_path: Path, stops: str) -> None:
    text = projects.ARM.replace("joint_axis: Z", "joint_axis: Z\n    joint_range: [ -90, 180 ]")
    (tmp_path / "limited.body").write_text(text)
    ode = projects.item("ODESimulatorItem", "ODE", f"jointLimitMode: {stops}")
    robot = projects.body("Robot", "limited.body")
    scene, _ = projects.read(tmp_path, projects.project(projects.world(robot, ode)))
    joint = scene.bodies[0].links[1].joint
    assert isinstance(joint, JointHinge)
    limits = None if joint.axis.stops is None else (joint.axis.stops.low, joint.axis.stops.high)
    assert limits == ((-math.pi / 2, math.pi) if stops == "true" else None)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "dynamics_mode: kinematic",
            'takes "kinematic" for "Forward dynamics"; the other mode is written "Kinematics".',
        ),
        (
            "integrationMode: Runge Kutta",
            'takes "Runge Kutta" for "semi-implicit_euler"; the other mode is written "runge-kutta".',
        ),
        ("enable_kinematic_walking: true", "kinematic walking is not available."),
        ("oldAccelSensorMode: true", "the old mode of acceleration sensors is not available."),
        ("selfCollision: true", "no longer reads this key; each body item says whether its links"),
        ("staticFriction: 0.5", "no longer reads this key; friction and restitution come from"),
        ("time_step: 0", "expected a time step from 1e-6 to 1 s, got 0; 0.001 is used."),
        ("contact_culling_depth: 0", "expected a number above 0, got 0."),
        ("contact_correction_depth: -1", "expected a number not below 0, got -1."),
    ],
)
def test_what_is_not_there_is_said(text: str, message: str) -> None:
    """One message each."""
    _, messages = read(text)
    assert len(messages) == 1
    assert message in messages[0]


@pytest.mark.parametrize(
    ("text", "class_name", "mode"),
    [
        ("", "AISTSimulatorItem", DynamicsMode.SPACE),
        ("use_2d_mode: true", "AISTSimulatorItem", DynamicsMode.PLANE),
        ("2Dmode: true", "ODESimulatorItem", DynamicsMode.PLANE),
        (
            "dynamics_mode: Kinematics, use_2d_mode: true",
            "AISTSimulatorItem",
            DynamicsMode.COMMANDS,
        ),
        ("", "KinematicSimulatorItem", DynamicsMode.COMMANDS),
    ],
)
def test_modes_say_what_moves_bodies(text: str, class_name: str, mode: DynamicsMode) -> None:
    """And a project in which nothing falls says so."""
    settings, messages = read(text, class_name)
    assert settings.mode is mode
    said = "bodies are moved by commands alone: nothing falls, and nothing is pushed away."
    assert (said in "".join(messages)) is (mode is DynamicsMode.COMMANDS)


def test_contacts_under_the_defaults() -> None:
    """The mapping of `simulator.py`, number by number."""
    row = contact_of(AIST_DEFAULTS, ("A", "B"), friction=0.5, restitution=0.8)
    assert row.soft_erp == pytest.approx(5.0 * 0.001)
    assert (row.rest_depth, row.depth_scale) == (0.00025, 0.001)
    assert row.bounce_velocity == pytest.approx(2 * 9.80665 * 0.001)
    assert (row.max_depth, row.max_contacts, row.keeps_spread) == (0.05, 4, True)
    assert (row.friction, row.static_friction, row.follows_sliding) == ((0.5,), None, True)
    assert row.bounce == 0.8


def test_no_limit_of_points_keeps_all() -> None:
    """Zero was the old behaviour."""
    settings = SimulatorSettings(max_points=0)
    assert contact_of(settings, ("A", "B"), friction=0.5).max_contacts == 64


def test_bounce_threshold_does_not_vanish_without_gravity() -> None:
    """It stays at 0.1 mm/s."""
    settings = SimulatorSettings(gravity=(0.0, 0.0, 0.0))
    assert contact_of(settings, ("A", "B"), friction=0.5).bounce_velocity == 1e-4


def test_static_friction_is_kept_where_it_differs() -> None:
    """And clamped like the other."""
    settings = SimulatorSettings(friction_range=(0.0, 0.6))
    row = contact_of(settings, ("A", "B"), friction=0.4, static_friction=0.9)
    assert (row.friction, row.static_friction) == ((0.4,), 0.6)


def test_physics_has_the_items_step_and_gravity() -> None:
    """Loops are closed at 1/s, as the original does."""
    physics = physics_of(SimulatorSettings(time_step=0.002, gravity=(1.0, 0.0, 0.0)))
    assert (physics.time_step, physics.gravity) == (0.002, (1.0, 0.0, 0.0))
    assert physics.erp == 0.002
    assert math.isclose(physics.damping.linear, 0.0)


def test_contacts_of_heavy_bodies_are_harder(tmp_path: Path) -> None:
    """The same share of their weight makes them creep at the same speed; what stands does not count."""
    light = contact_of(SimulatorSettings(typical_mass=1.0), ("A", "B"), friction=0.5)
    heavy = contact_of(SimulatorSettings(typical_mass=50.0), ("A", "B"), friction=0.5)
    assert light.soft_cfm == pytest.approx(50.0 * heavy.soft_cfm)
    assert light.slip[0] == pytest.approx(50.0 * heavy.slip[0])
    items = (projects.body("R", "arm.body"), projects.body("F", "floor.body"))
    scene, _ = projects.read(tmp_path, projects.project(projects.world(*items)))
    assert typical_mass(scene.bodies) == 5.0  # the arm's links: 2 + 1 + 1 + 1
    assert typical_mass(scene.bodies[1:]) == 1.0
    assert scene.contacts.default.soft_cfm == pytest.approx(light.soft_cfm / 5.0)
