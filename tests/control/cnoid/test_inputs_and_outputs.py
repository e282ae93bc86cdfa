"""What controllers in C++ see and command: inputs and outputs, shared bodies, reloading, steps."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.control.cnoid.projects import (
    DRIVER,
    MASS,
    item,
    needs_cpp,
    project,
    running,
    source,
    workspace,
)

pytestmark = [needs_cpp, pytest.mark.slow]

STEP = 0.001
FORCE = 6.0
ARM_MASS = 1e-6
SPEED_UP = FORCE / (MASS + ARM_MASS)
"""[m/s^2] Of the carriage under the force."""

WATCH = source(
    """
  Link* arm;
  bool is(const char* what) { return io->optionString() == what; }
  bool initialize(SimpleControllerIO* io_) override {
    io = io_;
    slide = io->body()->link("SLIDE");
    arm = io->body()->link("ARM");
    slide->setActuationMode(JointTorque);
    if (is("both")) io->enableIO(slide);
    else io->enableOutput(slide);
    if (is("default")) io->enableInput(slide);
    if (is("velocity")) io->enableInput(slide, JointVelocity);
    if (is("acceleration")) io->enableInput(slide, JointAcceleration);
    if (is("effort")) io->enableInput(slide, JointEffort);
    if (is("two")) io->enableInput(slide, JointDisplacement), io->enableInput(slide, JointVelocity);
    if (is("old names")) io->setLinkInput(slide, JOINT_ANGLE | JOINT_VELOCITY);
    if (is("all joints")) io->setJointInput(JointDisplacement);
    if (is("pose")) io->enableInput(arm, LinkPosition);
    if (is("twist")) io->enableInput(arm, LinkTwist);
    if (is("link acceleration")) io->enableInput(arm, LinkAcceleration);
    slide->u() = 6.0;
    return true;
  }
  bool start() override {
    if (is("late")) io->enableInput(slide, JointDisplacement | JointVelocity);
    return true;
  }
  bool control() override {
    if (k++ == 10)
      io->os() << slide->q() << " " << slide->dq() << " " << slide->ddq() << " " << arm->p().x() << " "
               << arm->v().x() << " " << arm->dv().x() << std::endl;
    if (is("effort")) slide->u() = 6.0;  // what was read has taken the place of what was written
    return true;
  }
""",
    name="Watch",
)

PLACE = SPEED_UP * STEP**2 * 55
SPEED = SPEED_UP * STEP * 10
"""After ten steps of semi-implicit Euler: the sum of 1 to 10 is 55."""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with the controllers of this file."""
    sources = {"Watch.cpp": WATCH, "Push.cpp": PUSH, "Again.cpp": AGAIN}
    return workspace(tmp_path_factory.mktemp("io"), sources)


@pytest.mark.parametrize(
    ("option", "seen"),
    [
        ("nothing", (0, 0, 0, 0, 0, 0)),
        ("late", (0, 0, 0, 0, 0, 0)),
        ("both", (PLACE, 0, 0, 0, 0, 0)),
        ("default", (PLACE, 0, 0, 0, 0, 0)),
        ("velocity", (0, SPEED, 0, 0, 0, 0)),
        ("acceleration", (0, 0, SPEED_UP, 0, 0, 0)),
        ("effort", (0, 0, 0, 0, 0, 0)),
        ("two", (PLACE, SPEED, 0, 0, 0, 0)),
        ("old names", (PLACE, SPEED, 0, 0, 0, 0)),
        ("all joints", (PLACE, 0, 0, 0, 0, 0)),
        ("pose", (0, 0, 0, PLACE, 0, 0)),
        ("twist", (0, 0, 0, 0, SPEED, 0)),
        ("link acceleration", (0, 0, 0, 0, 0, SPEED_UP)),
    ],
)
def test_a_controller_sees_what_it_has_enabled_and_no_more(
    place: Path, option: str, seen: tuple[float, ...]
) -> None:
    """The carriage is pushed from the first step on; all else keeps the value of the start."""
    text = project(item("C", "Watch", f'controller_options: "{option}"'))
    with running(place, text) as run:
        run.sim.step(11)
        assert run.controllers.failures == []
        assert run.sim.joint("SLIDE").velocity == pytest.approx(SPEED_UP * STEP * 11, rel=1e-6)
    (line,) = run.printed
    # six digits are printed
    assert [float(word) for word in line.split()] == pytest.approx(seen, rel=1e-5, abs=1e-12)


PUSH = source(
    DRIVER
    + """
  struct Count : Referenced { int users = 0; };
  double force;
  bool prepare() {
    auto count = io->getOrCreateSharedObject<Count>("count");
    slide->setActuationMode(Link::JointTorque);
    io->enableOutput(slide);
    force = std::stod(io->options().at(0));
    io->os() << io->controllerName() << " " << ++count->users << std::endl;
    return true;
  }
  bool control() override {
    if (io->options().size() > 1) slide->u() += force;  // on top of what the one above has written
    else slide->u() = force;
    return true;
  }
""",
    name="Push",
)


def pusher(name: str, options: str, children: str = "") -> str:
    return item(name, "Push", f'controller_options: "{options}"', children)


@pytest.mark.parametrize(
    ("controllers", "total", "users"),
    [
        (pusher("A", "6"), 6.0, ["A 1"]),
        # the later of two wins, and each has a body and objects of its own
        (pusher("A", "6") + ", " + pusher("B", "-4"), -4.0, ["A 1", "B 1"]),
        # those below share both
        (pusher("A", "6", pusher("B", "2 more")), 8.0, ["A 1", "B 2"]),
        (
            pusher("A", "6", pusher("B", "2 more") + ", " + pusher("C", "1 more")),
            9.0,
            ["A 1", "B 2", "C 3"],
        ),
    ],
)
def test_several_controllers_drive_one_body(
    place: Path, controllers: str, total: float, users: list[str]
) -> None:
    with running(place, project(controllers)) as run:
        run.sim.step(11)
        assert run.controllers.failures == []
        speed = run.sim.joint("SLIDE").velocity
    # what `control` writes acts one step later
    assert speed == pytest.approx(total / (MASS + ARM_MASS) * STEP * 10, rel=1e-6)
    assert sorted(run.printed) == users


AGAIN = source(
    """
  int starts = 0;
  Again() { std::printf("made\\n"); }
  ~Again() override { std::printf("gone\\n"); }
  bool configure(SimpleControllerConfig*) override {
    std::printf("configure\\n");
    return true;
  }
  void unconfigure() override { std::printf("unconfigure\\n"); }
  bool initialize(SimpleControllerIO*) override {
    std::printf("initialize %d\\n", ++starts);
    return true;
  }
  void stop() override { std::printf("stop\\n"); }
""",
    name="Again",
    more="#include <cstdio>",
)

RELOADED = 2 * "made configure initialize.1 stop unconfigure gone "
KEPT = "made configure initialize.1 stop initialize.2 stop "


@pytest.mark.parametrize(("reloading", "calls"), [("true", RELOADED), ("false", KEPT)])
def test_a_controller_is_loaded_anew_if_its_item_says_so(
    place: Path, reloading: str, calls: str
) -> None:
    """Two runs of the simulation, with a reset between them."""
    with running(place, project(item("C", "Again", f"reloading: {reloading}"))) as run:
        run.sim.step(2)
        run.sim.reset()
        run.sim.step(2)
    assert "".join(line.replace(" ", ".") + " " for line in run.printed) == calls


@pytest.mark.parametrize("step", [0.0005, 0.001, 0.004])
def test_controllers_run_at_the_step_of_the_project(tmp_path: Path, step: float) -> None:
    members = """
  bool initialize(SimpleControllerIO* io_) override { io = io_; return true; }
  bool control() override {
    io->os() << io->timeStep() << " " << io->currentTime() << std::endl;
    return true;
  }
"""
    folder = workspace(tmp_path, {"Clock.cpp": source(members, name="Clock")})
    text = project(item("C", "Clock")).replace("time_step: 0.001", f"time_step: {step}")
    with running(folder, text) as run:
        run.sim.step(3)
    found = [[float(word) for word in line.split()] for line in run.printed]
    assert found == [pytest.approx([step, k * step]) for k in range(3)]
