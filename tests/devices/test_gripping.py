"""Connectors, vacuum grippers and holders: who fits, who holds, and what breaks."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import solidbody as sb
from solidbody.devices.actuators.connectors import Connectors
from solidbody.devices.actuators.grippers import Holders, VacuumGrippers
from tests.devices.worlds import sim_of

NO_GRAVITY = "gravity 0"


def _block(name: str, at: str, connector: str, *, mass: float = 1.0, physics: bool = True) -> str:
    """A block of 0.1 m with a connector 1 cm before the middle of its +x side."""
    body = f"physics Physics {{ density -1 mass {mass} }}" if physics else ""
    return (
        f'DEF {name} Robot {{ name "{name}" translation {at} children [ '
        f'Connector {{ translation 0.06 0 0 model "m" {connector} }} ] '
        f"boundingObject Box {{ size 0.1 0.1 0.1 }} {body} }}"
    )


FACING = "0 0 1 3.14159265358979"
"""Half a turn about z."""


def _pair(
    first: str = "",
    second: str = "",
    *,
    gap: float = 0.005,
    turn: str = FACING,
    world: str = NO_GRAVITY,
) -> sb.Sim:
    """Two blocks that face each other, connectors `gap` apart along x; the first one is fixed."""
    at = f"{0.12 + gap} 0 0 rotation {turn}"
    return sim_of(
        _block("A", "0 0 0", first, physics=False) + _block("B", at, second),
        world=world,
    )


def _connectors(sim: sb.Sim) -> Connectors:
    return next(g for g in sim.devices.groups if isinstance(g, Connectors))


def _presence(sim: sb.Sim, name: str = "A/connector") -> float:
    sim.device(name).enable()
    sim.step()
    return sim.device(name).value


@pytest.mark.parametrize(
    ("first", "second", "gap", "turn", "present"),
    [
        ("", "", 0.005, FACING, 1),
        ("", "", 0.011, FACING, 0),  # distanceTolerance 0.01
        ("", 'model "other"', 0.005, FACING, 0),
        ("", 'type "active"', 0.005, FACING, 0),
        ('type "active"', 'type "passive"', 0.005, FACING, 1),
        ('type "passive"', 'type "active"', 0.005, FACING, -1),
        ("", "", 0.005, "0 0 1 2.9", 0),  # 0.24 rad off; also 0.015 m
        ("axisTolerance 0.3 distanceTolerance 0.1", "", 0.005, "0 0 1 2.9", 1),
    ],
)
def test_presence_asks_for_kind_model_distance_and_axis(
    first: str, second: str, gap: float, turn: str, present: int
) -> None:
    """Same model, fitting kinds, near enough, facing."""
    sim = sim_of(
        _block("A", "0 0 0", first).replace('model "m" ', 'model "m" ', 1)
        + _block("B", f"{0.12 + gap} 0 0 rotation {turn}", second).replace(
            'model "m" model', "model"
        ),
        world=NO_GRAVITY,
    )
    assert _presence(sim) == present


@pytest.mark.parametrize(
    ("roll", "rotations", "present"),
    [(0.0, 4, 1), (math.pi / 2, 4, 1), (math.pi / 4, 4, 0), (math.pi / 4, 0, 1), (0.15, 4, 1)],
)
def test_the_turn_about_x_must_be_near_a_docking_angle(
    roll: float, rotations: int, present: int
) -> None:
    """Four docking angles are 90 degrees apart, tolerance 0.2 rad; none given: any turn."""
    # half a turn about z, then `roll` about the new x axis
    c, s = math.cos(roll / 2), math.sin(roll / 2)
    axis = np.array([0.0, s, c])
    turn = f"{axis[0]} {axis[1]} {axis[2]} 3.14159265358979"
    sim = _pair(f"numberOfRotations {rotations}", turn=turn)
    assert _presence(sim) == present


def test_a_locked_connector_pulls_its_peer_into_line() -> None:
    """Snap: the gap of 5 mm is closed; the fixed one does not move. Unlocked, the peer is free again."""
    sim = _pair()
    connectors = _connectors(sim)
    assert connectors.lock(0) == ""
    assert connectors.peer_of(0) == 1
    sim.step(300)
    # ERP removes the gap; 0.1 mm is a fiftieth of it
    assert sim["B"].position == pytest.approx([0.12, 0.0, 0.0], abs=1e-4)
    assert sim["A"].position == pytest.approx([0.0, 0.0, 0.0], abs=1e-12)
    connectors.unlock(0)
    sim["B"].linear_velocity = (1.0, 0.0, 0.0)
    sim.step(10)  # of 8 ms
    assert sim["B"].position[0] == pytest.approx(0.2, abs=1e-3)


def test_without_snap_the_peer_stays_where_it_is() -> None:
    """The gap stays 5 mm."""
    sim = _pair("snap FALSE")
    _connectors(sim).lock(0)
    sim["B"].linear_velocity = (0.3, 0.0, 0.0)
    sim.step(300)
    assert sim["B"].position[0] == pytest.approx(0.125, abs=1e-4)


def test_a_passive_connector_cannot_lock() -> None:
    """It says so."""
    sim = _pair('type "passive"', 'type "active"')
    assert _connectors(sim).lock(0) == "a passive connector cannot lock"


def test_auto_lock_goes_on_looking() -> None:
    """A peer that comes later is caught."""
    sim = _pair("isLocked TRUE autoLock TRUE", gap=0.05)
    sim["B"].linear_velocity = (-0.1, 0.0, 0.0)
    sim.run(2.0)
    assert _connectors(sim).peer_of(0) == 1
    assert sim["B"].linear_velocity[0] == pytest.approx(0.0, abs=1e-4)


def test_a_bond_that_is_locked_in_the_file_holds_from_the_start() -> None:
    """Nobody asks for the device."""
    sim = _pair("isLocked TRUE", world="")
    sim.run(0.5)
    assert sim["B"].position[2] == pytest.approx(0.0, abs=1e-3)


@pytest.mark.parametrize(("strength", "holds"), [(12.0, True), (8.0, False)])
def test_shear_breaks_a_bond_above_its_strength(strength: float, holds: bool) -> None:
    """1 kg hangs across the axis: 9.81 N. The side that is not locked adds nothing."""
    sim = _pair(f"isLocked TRUE shearStrength {strength}", world="")
    sim.run(1.0)
    assert (_connectors(sim).peer_of(0) == 1) is holds
    assert bool(sim["B"].position[2] > -0.01) is holds


@pytest.mark.parametrize(("strength", "holds"), [(12.0, True), (8.0, False)])
@pytest.mark.parametrize("engine", ["native", "reference"])
def test_tension_breaks_a_bond_above_its_strength(
    strength: float, holds: bool, engine: str
) -> None:
    """1 kg hangs along the axis (-z): 9.81 N."""
    down = "0 1 0 1.5707963267949"
    hanging = (
        f'DEF A Robot {{ name "A" rotation {down} children [ Connector {{ translation 0.05 0 0 '
        f"isLocked TRUE tensileStrength {strength} }} ] }}"
        'DEF B Robot { name "B" translation 0 0 -0.1 rotation 0 1 0 -1.5707963267949 children [ '
        "Connector { translation 0.05 0 0 rotation 1 0 0 3.14159265358979 } ] boundingObject Box { "
        "size 0.1 0.1 0.1 } physics Physics { density -1 mass 1 } }"
    )
    sim = sim_of(hanging)
    if engine == "reference":
        sim = sb.Sim(sim.scene, engine="reference")
    sim.run(0.4)
    assert (_connectors(sim).peer_of(0) == 1) is holds


def _vacuum(fields: str) -> sb.Sim:
    """A box of 1 kg on the floor, a gripper of 0.1 m upon it that a slider can lift."""
    return sim_of(
        "Solid { boundingObject Plane { } } "
        'DEF BOX Solid { name "box" translation 0 0 0.05 boundingObject Box { size 0.2 0.2 0.1 } '
        "physics Physics { density -1 mass 1 } } "
        "Robot { children [ SliderJoint { jointParameters JointParameters { axis 0 0 1 } "
        'device [ LinearMotor { name "lift" maxForce 200 } ] endPoint Solid { name "arm" '
        "translation 0 0 0.1495 children [ VacuumGripper { rotation 0 1 0 1.5707963267949 "
        f"boundingObject Box {{ size 0.1 0.1 0.1 }} {fields} }} ] "
        "boundingObject Box { size 0.02 0.02 0.02 } physics Physics { density -1 mass 1 } } } ] }"
    )


def _grippers(sim: sb.Sim) -> VacuumGrippers:
    return next(g for g in sim.devices.groups if isinstance(g, VacuumGrippers))


@pytest.mark.parametrize(("strength", "lifted"), [(-1, True), (25.0, True), (5.0, False)])
@pytest.mark.parametrize("physics", ["", "physics Physics { density -1 mass 0.1 }"])
def test_a_vacuum_gripper_lifts_what_it_touches(
    strength: float, lifted: bool, physics: str
) -> None:
    """1 kg needs 9.81 N, and 12.5 N more to reach 0.1 m/s in a step of 8 ms.

    The cup itself may have physics or not.
    """
    sim = _vacuum(f"tensileStrength {strength} {physics}")
    grippers = _grippers(sim)
    grippers.turn_on(0)
    sim.step(4)
    if lifted:  # the weak one may lose it already while the box settles
        assert sim.link_names[grippers.held(0) or 0] == "box"
    sim.joint("lift").target_position = 0.2
    sim.joint("lift").target_velocity = 0.1
    sim.run(1.0)
    assert bool(sim["box"].position[2] > 0.1) is lifted
    grippers.turn_off(0)
    assert grippers.held(0) is None
    sim.run(1.0)
    assert sim["box"].position[2] == pytest.approx(0.05, abs=0.005)


@pytest.mark.parametrize("physics", ["", "physics Physics { density -1 mass 0.1 }"])
def test_presence_is_that_of_something_held(physics: str) -> None:
    """A box that lies against a gripper that is off is not present; it is in the step that grips it."""
    sim = _vacuum(physics)
    gripper = sim.device("vacuum gripper")
    gripper.enable()
    sim.step(4)
    assert _grippers(sim).touching(0) and gripper.value == 0.0
    _grippers(sim).turn_on(0)
    sim.step()
    assert gripper.value == 1.0
    _grippers(sim).turn_off(0)
    sim.step()
    assert _grippers(sim).touching(0) and gripper.value == 0.0


def test_what_is_let_go_falls_however_long_it_was_held_still() -> None:
    """Bodies sleep after a second of rest; that of something held counts from when it is let go."""
    sim = _vacuum("")
    _grippers(sim).turn_on(0)
    sim.step()
    sim.joint("lift").target_position = 0.2
    sim.run(3.0)
    assert sim["box"].position[2] == pytest.approx(0.25, abs=0.005)
    _grippers(sim).turn_off(0)
    sim.run(1.0)
    assert sim["box"].position[2] == pytest.approx(0.05, abs=0.005)


def test_a_vacuum_gripper_needs_enough_contact_points() -> None:
    """A box on a box has four; five are never there."""
    sim = _vacuum("contactPoints 5 physics Physics { density -1 mass 0.1 }")
    grippers = _grippers(sim)
    grippers.turn_on(0)
    sim.step(4)
    assert grippers.held(0) is None
    assert max(count for count, _ in grippers.touching(0).values()) == 4


HAND = """
format: ChoreonoidBody
format_version: 2.0
name: hand
links:
  - name: H
    joint_type: fixed
    translation: [ 0, 0, 1 ]
    elements:
      - { type: Holder, name: HOLDER, category: tool, max_hold_distance: 0.1, on: true }
"""
TOOL = """
format: ChoreonoidBody
format_version: 2.0
name: tool
links:
  - name: T
    joint_type: free
    mass: 1
    inertia: [ 0.01, 0, 0, 0, 0.01, 0, 0, 0, 0.01 ]
    elements:
      - { type: Attachment, name: ATTACHMENT, category: CATEGORY }
"""


@pytest.mark.parametrize(
    ("category", "height", "held"),
    [("tool", 0.95, True), ("tool", 0.8, False), ("cup", 1.0, False)],
)
def test_a_holder_takes_attachments_of_its_category_that_are_near(
    tmp_path: Path, category: str, height: float, held: bool
) -> None:
    """Within 0.1 m; what is held does not fall, until the holder is switched off."""
    (tmp_path / "hand.body").write_text(HAND)
    (tmp_path / "tool.body").write_text(TOOL.replace("CATEGORY", category))
    scene = sb.load(tmp_path / "hand.body").add(tmp_path / "tool.body", at=(0, 0, height))
    sim = sb.Sim(scene)
    sim.run(0.3)
    holders = next(g for g in sim.devices.groups if isinstance(g, Holders))
    assert (holders.held(0) is not None) is held
    assert bool(sim["T"].position[2] > height - 0.01) is held
    holders.turn(0, is_on=False)
    sim.run(0.3)
    assert sim["T"].position[2] < height - 0.2
