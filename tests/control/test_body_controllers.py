"""Body controllers: Python in the manner of Choreonoid's SimpleController."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import solidbody as sb
from solidbody.base.errors import SimulationEnd
from solidbody.control.body_controller import (
    BodyController,
    BodyControllerError,
    BodyControllers,
    attach_controllers,
    load_controller,
    parse_choice,
    read_mapping,
)
from solidbody.control.io_body.simple_controller_io import SimpleControllerIO
from solidbody.control.simple_controllers import SimpleControllers
from tests.formats.choreonoid.projects import body, item, project, read, world

ARM = """
format: ChoreonoidBody
format_version: 2.0
name: Arm
links:
  - { name: BASE, joint_type: fixed, mass: 1 }
  - { name: ONE, parent: BASE, joint_id: 1, joint_type: revolute, joint_axis: Y, mass: 1 }
  - { name: ZERO, parent: ONE, joint_id: 0, joint_type: revolute, joint_axis: Z, mass: 1 }
"""


@pytest.fixture
def sim(tmp_path: Path) -> sb.Sim:
    path = tmp_path / "arm.body"
    path.write_text(ARM)
    return sb.Sim(sb.load(path))


class Push(BodyController):
    """One newton metre on the joint with id 0, for ever."""

    def initialize(self) -> None:
        self.started = 0

    def start(self) -> None:
        self.started += 1

    def control(self) -> bool:
        self.io.joints[0].u = 1.0
        return True


def test_joints_come_by_their_ids(sim: sb.Sim) -> None:
    """Not in the order of the links."""
    runner = BodyControllers(sim)
    controller = Push()
    runner.add(controller)
    assert [joint.name for joint in controller.io.joints] == ["ZERO", "ONE"]


@pytest.mark.parametrize(("no_delay", "steps"), [(False, 9), (True, 10)])
def test_orders_act_one_step_later_unless_there_is_no_delay(
    sim: sb.Sim, no_delay: bool, steps: int
) -> None:
    """1 N*m on 1 kg*m^2: the speed after ten steps is that of nine, or of ten."""
    runner = BodyControllers(sim)
    controller = Push()
    controller.no_delay = no_delay
    runner.add(controller)
    sim.attach(runner)
    sim.step(10)
    # the body's own inertia of 1 kg*m^2 about z; the links above do not turn about z
    assert controller.io.joint("ZERO").dq == pytest.approx(steps * sim.time_step, rel=1e-6)
    sim.reset()
    assert controller.started == 2


def test_a_controller_that_returns_false_is_not_called_again(sim: sb.Sim) -> None:
    """The simulation goes on without it."""
    calls: list[float] = []

    class Once(BodyController):
        def control(self) -> bool:
            calls.append(self.io.time)
            return False

    runner = BodyControllers(sim)
    runner.add(Once(), "Arm")
    sim.attach(runner)
    sim.step(5)
    assert calls == [0.0]


FILE = """
import solidbody

class Hold(solidbody.BodyController):
    def control(self):
        for joint in self.io.joints:
            joint.u = -joint.dq
        return True
"""


def test_a_file_and_a_mapping_choose_controllers(tmp_path: Path, sim: sb.Sim) -> None:
    """`Arm: hold.py:Hold` in a mapping file."""
    (tmp_path / "hold.py").write_text(FILE)
    mapping = tmp_path / "controllers.yaml"
    mapping.write_text("Arm: hold.py:Hold\n")
    (choice,) = read_mapping(mapping)
    assert (choice.body, choice.class_name, choice.file) == ("Arm", "Hold", tmp_path / "hold.py")
    assert type(load_controller(choice)).__name__ == "Hold"
    assert attach_controllers(sim, [choice]) is not None
    sim.step(3)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("hold.txt", r"expected \[BODY=\]FILE.py\[:Class\] \[options\], got \"hold.txt\""),
        ("nowhere.py", "nowhere.py: no such file"),
        ("Leg=hold.py", 'no body is named "Leg"'),
        ("hold.py:Held", 'no BodyController is named "Held"'),
        ("broken.py", "broken.py: ZeroDivisionError: division by zero"),
    ],
)
def test_what_cannot_be_used_is_named(tmp_path: Path, sim: sb.Sim, text: str, message: str) -> None:
    """File, class and body."""
    (tmp_path / "hold.py").write_text(FILE)
    (tmp_path / "broken.py").write_text("1 / 0")
    with pytest.raises((BodyControllerError, sb.NameLookupError), match=message):
        attach_controllers(sim, [parse_choice(text, tmp_path)])


class Shadowing(BodyController):
    def initialize(self, io):
        self.start = [joint.q for joint in io.body().joints()]
        return True

    def control(self):
        return True


def test_an_attribute_that_hides_a_method_is_named(sim: sb.Sim) -> None:
    """`self.start` is what `start()` was: told by name, not by "'list' object is not callable"."""
    message = "Shadowing for .* sets self.start, which is a method of BodyController"
    with pytest.raises(BodyControllerError, match=message):
        BodyControllers(sim).add(Shadowing())


def test_controllers_go_on_when_the_scene_changes(sim: sb.Sim, tmp_path: Path) -> None:
    """Joints have other rows then; they are found by name, and `io.joints` stays the same list."""
    runner = BodyControllers(sim)
    controller = Push()
    controller.no_delay = True
    runner.add(controller)
    sim.attach(runner)
    joints = list(controller.io.joints)
    other = tmp_path / "other.body"
    other.write_text(
        ARM.replace("Arm", "First").replace("BASE", "B").replace("ONE", "I").replace("ZERO", "O")
    )
    both = sb.load(other)
    sim.replace_scene(replace(both, bodies=both.bodies + sim.scene.bodies))
    sim.step(10)
    assert controller.io.joints == joints
    # one newton metre for ten steps; all other joints stand still but for gravity about y
    assert sim.joint("ZERO").velocity > 0.0
    assert controller.io.joint("ZERO").dq == sim.joint("ZERO").velocity
    assert sim.joint("O").velocity == 0.0


def test_the_controller_of_a_body_that_is_gone_is_not_called(sim: sb.Sim, tmp_path: Path) -> None:
    """Nor started again by a reset."""
    runner = BodyControllers(sim)
    controller = Push()
    runner.add(controller)
    sim.attach(runner)
    other = tmp_path / "other.body"
    other.write_text(
        ARM.replace("Arm", "First").replace("BASE", "B").replace("ONE", "I").replace("ZERO", "O")
    )
    sim.replace_scene(sb.load(other))
    sim.step(2)
    sim.reset()
    assert controller.started == 1
    assert sim.joint("O").velocity == 0.0


def test_a_simulation_lasts_as_long_as_a_controller_in_python_has_work(tmp_path: Path) -> None:
    """Where the project says so; its own controller for that body is not run."""

    class FiveSteps(BodyController):
        def initialize(self, io: SimpleControllerIO) -> bool:
            self.left = 5
            return True

        def control(self) -> bool:
            self.left -= 1
            return self.left > 0

    own = item("SimpleControllerItem", "C", "controller: Walk")
    aist = item("AISTSimulatorItem", "AIST", "is_active_control_time_range_mode: true")
    text = project(world(body("Robot", "arm.body", children=own), aist))
    scene, _ = read(tmp_path, text)
    sim = sb.Sim(scene)
    runner = BodyControllers(sim)
    runner.add(FiveSteps(), "Robot")
    sim.attach(runner)
    programs = SimpleControllers(sim, without=frozenset(runner.bodies))
    try:
        programs.start()
        assert programs.failures == []
        with pytest.raises(SimulationEnd):
            sim.step(100)
    finally:
        programs.close()
    assert sim.step_count == 5
