"""Choreonoid's controllers: shared objects that drive bodies, as the original lets them."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

import numpy as np
import pytest

import solidbody as sb
from solidbody.control.simple_controllers import SimpleControllers
from solidbody.sim import Sim
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
from tests.physics.choreonoid_runs import REFERENCE

pytestmark = [needs_cpp, pytest.mark.slow]

STEP = 0.001

PUSH = source(
    DRIVER
    + """
  bool prepare() {
    slide->setActuationMode(Link::JointTorque);
    io->enableIO(slide);
    io->enableInput(slide, JointDisplacement | JointVelocity);
    return true;
  }
  bool control() override {
    slide->u() = k++ == 0 ? 6.0 : 0.0;
    io->os() << io->currentTime() << " " << slide->q() << " " << slide->dq() << std::endl;
    return true;
  }
""",
    name="Push",
)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with the controllers of this file."""
    sources = {"Push.cpp": PUSH, "Modes.cpp": MODES, "Wrong.cpp": WRONG}
    return workspace(tmp_path_factory.mktemp("cart"), sources)


@pytest.mark.parametrize(("no_delay", "first"), [("false", 2), ("true", 1)])
def test_a_force_acts_one_step_after_it_was_set_or_at_once(
    place: Path, no_delay: str, first: int
) -> None:
    """F h = m v, seen by the next `control` after the step in which the force acts."""
    text = project(item("C", "Push", f"no_delay_mode: {no_delay}"))
    with running(place, text) as run:
        run.sim.step(5)
        end = run.sim.joint("SLIDE").velocity
    velocities = [float(line.split()[2]) for line in run.printed]
    speed = 6.0 * STEP / MASS
    assert velocities == pytest.approx([0.0] * first + [speed] * (5 - first), rel=1e-5)
    assert end == pytest.approx(speed, rel=1e-5)
    assert run.controllers.failures == []


MODES = source(
    DRIVER
    + """
  bool prepare() {
    auto arm = body->joint("ARM");
    slide->setActuationMode(Link::JointVelocity);
    arm->setActuationMode(Link::JointDisplacement);
    io->enableIO(slide);
    io->enableIO(arm);
    return body->numJoints() == 2 && body->joint(1) == arm;
  }
  bool control() override {
    slide->dq_target() = 0.5;
    body->joint(1)->q_target() += 0.01;
    return true;
  }
""",
    name="Modes",
)


def test_positions_and_velocities_are_met(place: Path) -> None:
    """One step later than they were set, whatever it takes."""
    with running(place, project(item("C", "Modes"))) as run:
        run.sim.step(11)
        states = run.sim.joint_states()
    # the first step has the targets of the start
    assert states[0] == pytest.approx([10 * 0.5 * STEP, 0.5], rel=1e-6)
    assert states[1] == pytest.approx([0.1, 0.01 / STEP], rel=1e-6)


def lines_of(text: str) -> list[str]:
    """Return the lines of a log of the life-cycle probe, by controller and in order."""
    lines = text.replace("[failinit]?", "[failinit]\n?").splitlines()
    return sorted(lines, key=lambda line: line.split(" ")[0])


@pytest.mark.skipif(not REFERENCE.is_dir(), reason="the reference runs are not here")
@pytest.mark.parametrize("name", ["delay", "nodelay", "end", "fail"])
def test_the_life_cycle_is_that_of_the_original(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The probe that was compiled for the original prints the same lines, numbers to 9 digits."""
    programs = REFERENCE / "programs"
    for file in (f"lifecycle_{name}.cnoid", "LifecycleProbe.cpp"):
        shutil.copy(programs / file, tmp_path / file)
    log = tmp_path / "probe.log"
    monkeypatch.setenv("PROBE_LOG", str(log))
    sim = Sim(sb.load(tmp_path / f"lifecycle_{name}.cnoid"))
    controllers = SimpleControllers(sim)
    controllers.start()
    sim.step(54 if name == "fail" else 51)
    controllers.close()
    ours, theirs = (
        lines_of(path.read_text("utf-8")) for path in (log, programs / f"lifecycle_{name}.txt")
    )
    assert len(ours) == len(theirs)
    number = re.compile(r"-?\d+\.?\d*(?:e[-+]\d+)?")
    for mine, other in zip(ours, theirs, strict=True):
        assert number.sub("#", mine) == number.sub("#", other)
        values = [np.array([float(v) for v in number.findall(line)]) for line in (mine, other)]
        # rounding: forces of 1e2 N and velocities of 1e-2 are differences of larger numbers
        assert values[0] == pytest.approx(values[1], rel=1e-8, abs=2e-14)


@pytest.mark.skipif(not REFERENCE.is_dir(), reason="the reference runs are not here")
def test_the_probe_that_throws_gets_as_far_as_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same calls up to the exception; there the program ends, here the other controller goes on."""
    programs = REFERENCE / "programs"
    for file in ("lifecycle_throw.cnoid", "LifecycleProbe.cpp"):
        shutil.copy(programs / file, tmp_path / file)
    log = tmp_path / "probe.log"
    monkeypatch.setenv("PROBE_LOG", str(log))
    sim = Sim(sb.load(tmp_path / "lifecycle_throw.cnoid"))
    said: list[tuple[str, str]] = []
    controllers = SimpleControllers(sim, say=lambda level, text: said.append((level, text)))
    controllers.start()
    sim.step(20)
    controllers.close()
    calls = re.compile(r"^F (?!  )\S.*$", re.MULTILINE)
    ours, theirs = (
        calls.findall(path.read_text("utf-8")) for path in (log, programs / "lifecycle_throw.txt")
    )
    assert ours == theirs
    (error,) = [text for level, text in said if level == "error"]
    assert '"F" of "SR1"' in error
    assert "in control()" in error


WRONG = source(
    DRIVER
    + """
  volatile double zero = 0.0;
  bool is(const char* what) { return io->optionString() == what; }
  bool prepare() {
    slide->setActuationMode(Link::JointTorque);
    io->enableOutput(slide);
    if (is("throw first")) throw std::runtime_error("at once");
    while (is("hang first")) zero = zero + 0.0;
    return !is("initialize");
  }
  bool configure(SimpleControllerConfig* config) override {
    if (config->optionString() == "throw early") throw std::logic_error("too early");
    return config->optionString() != "configure";
  }
  bool start() override {
    if (is("throw late")) throw std::runtime_error("too late");
    return !is("start");
  }
  void stop() override {
    if (is("throw last")) throw std::runtime_error("at the end");
    while (is("hang last")) zero = zero + 0.0;
  }
  bool control() override {
    if (is("throw")) throw std::runtime_error("no way");
    if (is("throw 3")) throw 3;
    if (is("abort")) std::abort();
    if (is("exit")) std::exit(3);
    if (is("nan")) slide->u() = 0.0 / zero;
    while (is("hang")) zero = zero + 0.0;
    return true;
  }
""",
    name="Wrong",
    more="#include <cstdlib>",
)


@pytest.mark.parametrize(
    ("option", "end"),
    [
        ("throw", "in control(): no way"),
        ("throw 3", "what is no std::exception"),
        ("throw late", "in start(): too late"),
        ("throw early", "in configure(): too early"),
        ("throw first", "in initialize(): at once"),
        ("throw last", "in stop(): at the end"),
        ("hang first", "computed for 1 s"),
        ("hang last", "computed for 1 s"),
        ("abort", "was killed by signal 6"),
        ("exit", "exited with 3"),
        ("initialize", "initialize() has returned false"),
        ("start", "start() has returned false"),
        ("configure", "configure() has returned false"),
        ("nan", '"SLIDE" to'),
        ("hang", "computed for 1 s"),
    ],
)
def test_a_controller_that_goes_wrong_is_named_and_the_rest_goes_on(
    place: Path, option: str, end: str
) -> None:
    text = project(item("C", "Wrong", f"controller_options: {option}"))
    with running(place, text, hang=1.0) as run:
        run.sim.step(3)
    (error,) = run.errors
    assert end in error
    assert '"C" of "Cart"' in error
    assert run.sim.step_count == 3


def test_a_missing_shared_object_is_said_with_the_places_where_it_was_looked_for(
    tmp_path: Path,
) -> None:
    with running(workspace(tmp_path, {}), project(item("C", "Nowhere"))) as run:
        run.sim.step(2)
    (error,) = run.errors
    assert (
        'the controller "C" of "Cart" is not run: there is no shared object "Nowhere.so"' in error
    )
    assert str(tmp_path) in error


def test_a_shared_object_of_the_real_choreonoid_is_refused(tmp_path: Path) -> None:
    (tmp_path / "Old.so").write_bytes(b"\x7fELF createSimpleController libCnoidBody.so.2.3")
    with running(workspace(tmp_path, {}), project(item("C", "Old"))) as run:
        run.sim.step(1)
    (error,) = run.errors
    assert "compiled for Choreonoid's own libraries; compile it again" in error


@pytest.mark.parametrize(
    ("factory", "end"),
    [
        ("return nullptr;", "its factory has returned no controller"),
        ('throw std::runtime_error("none today");', "none today"),
    ],
)
def test_a_factory_that_makes_nothing_is_said(tmp_path: Path, factory: str, end: str) -> None:
    text = (
        "#include <cnoid/SimpleController>\n#include <stdexcept>\n"
        'extern "C" int solidbodyCnoidAbi() { return SOLIDBODY_CNOID_ABI; }\n'
        f'extern "C" cnoid::SimpleController* createSimpleController() {{ {factory} }}\n'
    )
    folder = workspace(tmp_path, {"Empty.cpp": text})
    with running(folder, project(item("C", "Empty")), hang=2.0) as run:
        run.sim.step(2)
    (error,) = run.errors
    assert end in error
    assert '"C" of "Cart"' in error
    assert run.sim.step_count == 2


def test_what_does_not_compile_is_said_in_the_compilers_words(tmp_path: Path) -> None:
    wrong = PUSH.replace("slide->u()", "slide->torque()")
    with running(workspace(tmp_path, {"Bad.cpp": wrong}), project(item("C", "Bad"))) as run:
        run.sim.step(1)
    (error,) = run.errors
    assert "does not compile" in error
    assert "torque" in error


def test_nothing_is_left_of_a_run(place: Path) -> None:
    with running(place, project(item("C", "Push"))) as run:
        run.sim.step(2)
        folder = run.controllers.folder
        assert os.path.isdir(folder)
    assert not os.path.exists(folder)
    assert run.sim.step_hooks == ()


def test_a_reset_begins_anew(place: Path) -> None:
    """The same bytes, by a new object if the item reloads."""
    with running(place, project(item("C", "Push"))) as run:
        run.sim.step(5)
        first = run.sim.joint_states().tobytes()
        run.sim.reset()
        run.sim.step(5)
        assert run.sim.joint_states().tobytes() == first
    assert run.printed[:5] == run.printed[5:]
