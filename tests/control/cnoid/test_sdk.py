"""What the headers of Choreonoid's controllers compute, value by value, and how they are built."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from solidbody.control.io_body import rotFromRpy
from solidbody.control.simple_controllers.joystick import JoystickEvent, JoystickScript
from tests.control.cnoid.projects import CartRun, item, needs_cpp, project, running, workspace

pytestmark = [needs_cpp, pytest.mark.slow]

VALUES = """
#include <cnoid/SimpleController>
#include <cnoid/BodyMotion>
#include <cnoid/Camera>
#include <cnoid/EigenUtil>
#include <cnoid/ExecutablePath>
#include <cnoid/FileUtil>
#include <cnoid/Format>
#include <cnoid/JointPath>
#include <cnoid/SharedJoystick>
#include <cnoid/SpotLight>
#include <cnoid/BasicSensors>
#include <fmt/format.h>
using namespace cnoid;

class Values : public SimpleController {
  SimpleControllerIO* io;
  SharedJoystickPtr stick;
  CameraPtr eye;
  int pictures = 0;
  int k = 0;

  template <class... Args>
  void say(const char* name, const char* text, const Args&... args) {
    io->os() << name << " " << fmt::format(text, args...) << std::endl;
  }

 public:
  bool initialize(SimpleControllerIO* io_) override {
    io = io_;
    Body* body = io->body();
    const Matrix3 R = rotFromRpy(0.1, -0.2, 0.3);
    const Vector3 rpy = rpyFromRot(R);
    say("rotation", "{:.9f} {:.9f} {:.9f}", R(0, 1), R(1, 2), R(2, 0));
    say("rpy", "{:.9f} {:.9f} {:.9f}", rpy[0], rpy[1], rpy[2]);
    say("format", "{0}|{1:>6}|{1:<4}|{2:.2f}|{3:05d}|{{}}|{4}|{5:x}", "a", 12, 3.14159, 42, true, 255);
    say("degrees", "{:.4f} {:.6f}", degree(PI / 3), radian(90.0));

    Link* slide = body->link("SLIDE");
    Link* arm = body->link("ARM");
    say("links", "{} {} {} {}", body->numLinks(), body->numJoints(), arm->parent()->name(),
        slide->jointTypeSymbol());
    say("mass", "{:.6f} {:.3f} {:.3f}", body->mass(), slide->q_lower(), slide->q_upper());
    say("devices", "{} {} {}", body->numDevices(), body->findDevice<SpotLight>("Lamp")->on(),
        body->devices<ForceSensor>().size());

    slide->q() = 0.5;
    body->joint(1)->q() = 0.25;
    body->calcForwardKinematics();
    say("kinematics", "{:.6f} {:.6f} {:.6f}", arm->p().x(), arm->p().z(), rpyFromRot(arm->R())[2]);
    auto path = JointPath::getCustomPath(body->rootLink(), arm);
    Isometry3 T = arm->T();
    T.translation().x() = 0.75;
    T.linear() = rotFromRpy(0, 0, -0.5);
    const bool is_found = path->calcInverseKinematics(T);
    say("inverse", "{} {:.7f} {:.7f}", is_found, slide->q(), body->joint(1)->q());
    T.translation().y() = 1.0;
    say("impossible", "{} {:.7f}", path->calcInverseKinematics(T), slide->q());

    BodyMotion motion;
    const bool is_read = motion.load((shareDirPath() / "walk.seq").string());
    motion.updateJointPosSeqWithBodyStateSeq();
    auto seq = motion.jointPosSeq();
    say("motion", "{} {} {} {} {}", is_read, seq->numFrames(), seq->numParts(), seq->timeStep(),
        seq->frame(1)[1]);
    say("missing", "{} {}", motion.load("nowhere.seq"), motion.seqMessage());

    auto options = io->structuredOptions();
    say("options", "{} {}", options->get("gain", 0.0), options->get("name", ""));
    stick = io->getOrCreateSharedObject<SharedJoystick>("joystick");
    say("stick", "{} {}", stick->addMode(), stick->addMode());

    eye = body->findDevice<Camera>("Eye");
    io->enableInput(eye);
    eye->sigStateChanged().connect([this] { ++pictures; });
    auto lamp = body->findDevice<SpotLight>("Lamp");
    lamp->on(true);
    lamp->notifyStateChange();
    return true;
  }

  bool control() override {
    say("picture", "{} {} {} {}", eye->constImage().empty(), eye->constImage().width(),
        eye->constImage().height(), pictures);
    stick->updateState(0);
    say("joystick", "{} {} {} {}", stick->getPosition(1), stick->getPosition(1, 1), stick->getButtonState(0),
        stick->mode());
    return true;
  }
};
CNOID_IMPLEMENT_SIMPLE_CONTROLLER_FACTORY(Values)
"""

WALK = """
type: CompositeSeq
content: BodyMotion
frameRate: 500
components:
  -
    type: MultiValueSeq
    content: JointDisplacement
    numParts: 2
    frames:
      - [ 0, 0.5 ]
      - [ 1e-1, -2.5 ]   # the second
"""


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> CartRun:
    """A run of the controller that prints values."""
    folder = workspace(tmp_path_factory.mktemp("values"), {"Values.cpp": VALUES})
    (folder / "walk.seq").write_text(WALK, "utf-8")
    script = JoystickScript(
        [JoystickEvent(0.002, 0.004, 1, -0.5), JoystickEvent(0.003, 9.0, 18, 1.0)]
    )
    text = project(item("V", "Values", 'controller_options: "gain: 2.5\\nname: fast"'))
    with running(folder, text, joystick=script) as started:
        started.sim.step(6)
        assert started.controllers.failures == []
        lamp_is_on = started.sim.device("Lamp").is_on
    started.printed.append(f"lamp {lamp_is_on}")
    return started


def said(run: CartRun, name: str) -> list[str]:
    """Return what the controller has printed under a name, line by line."""
    return [line[len(name) + 1 :] for line in run.printed if line.startswith(name + " ")]


def numbers(run: CartRun, name: str) -> list[float]:
    """Return the numbers of the only line."""
    (line,) = said(run, name)
    return [float(word) for word in line.split()]


def test_rotations_are_those_of_the_python_twin(run: CartRun) -> None:
    R = np.asarray(rotFromRpy(0.1, -0.2, 0.3))
    assert numbers(run, "rotation") == pytest.approx([R[0, 1], R[1, 2], R[2, 0]], abs=1e-9)
    assert numbers(run, "rpy") == pytest.approx([0.1, -0.2, 0.3], abs=1e-9)
    assert numbers(run, "degrees") == pytest.approx([60.0, np.pi / 2], abs=1e-6)


def test_texts_are_formatted_as_fmt_does(run: CartRun) -> None:
    assert said(run, "format") == ["a|    12|12  |3.14|00042|{}|true|ff"]


def test_the_body_is_that_of_the_file(run: CartRun) -> None:
    assert said(run, "links") == ["3 2 SLIDE prismatic"]
    assert numbers(run, "mass") == pytest.approx([3.000001, -2.0, 3.0])
    assert said(run, "devices") == ["5 false 1"]
    assert numbers(run, "kinematics") == pytest.approx([0.5, 0.75, 0.25])


def test_inverse_kinematics_reach_a_pose_or_leave_all_as_it_was(run: CartRun) -> None:
    (found,), (impossible,) = said(run, "inverse"), said(run, "impossible")
    assert found.startswith("true ")
    assert [float(word) for word in found.split()[1:]] == pytest.approx([0.75, -0.5], abs=2e-7)
    assert impossible == f"false {found.split()[1]}"


def test_motions_are_read_and_what_is_missing_is_said(run: CartRun) -> None:
    assert said(run, "motion") == ["true 2 2 0.002 -2.5"]
    (missing,) = said(run, "missing")
    assert missing.startswith("false ")
    assert "nowhere.seq" in missing


def test_options_may_be_a_mapping(run: CartRun) -> None:
    assert said(run, "options") == ["2.5 fast"]


def test_a_shared_joystick_follows_the_script_and_changes_its_mode(run: CartRun) -> None:
    """Time by time: axis 1 from 2 to 4 ms, LOGO from 3 ms on."""
    lines = [line.split() for line in said(run, "joystick")]
    assert [float(line[0]) for line in lines] == [0.0, 0.0, -0.5, -0.5, 0.0, 0.0]
    assert [line[3] for line in lines] == ["0", "0", "0", "1", "1", "1"]


def test_a_camera_tells_each_new_picture_once(run: CartRun) -> None:
    """One in two steps, one cycle late; before the first there is none."""
    lines = [line.split() for line in said(run, "picture")]
    assert lines[0] == ["true", "0", "0", "0"]
    assert lines[-1][:3] == ["false", "8", "6"]
    counts = [int(line[3]) for line in lines]
    assert counts == sorted(counts)
    assert 2 <= counts[-1] <= 3


def test_devices_are_switched_from_initialize_on(run: CartRun) -> None:
    assert said(run, "lamp") == ["True"]


@pytest.mark.skipif(shutil.which("cmake") is None, reason="there is no CMake")
def test_a_project_of_cmake_is_built_and_leaves_nothing_beside_its_sources(tmp_path: Path) -> None:
    lists = """
cmake_minimum_required(VERSION 3.10)
project(carts CXX)
find_package(choreonoid REQUIRED)
set(CMAKE_CXX_STANDARD ${CHOREONOID_CXX_STANDARD})
include_directories(${CHOREONOID_INCLUDE_DIRS})
link_directories(${CHOREONOID_LIBRARY_DIRS})
add_cnoid_simple_controller(Cart main.cpp other.cpp)
"""
    main = """
#include <cnoid/SimpleController>
const char* word();
struct Cart : cnoid::SimpleController {
  bool initialize(cnoid::SimpleControllerIO* io) override { io->os() << word() << std::endl; return true; }
};
CNOID_IMPLEMENT_SIMPLE_CONTROLLER_FACTORY(Cart)
"""
    sources = {
        "CMakeLists.txt": lists,
        "main.cpp": main,
        "other.cpp": 'const char* word() { return "built"; }',
    }
    with running(workspace(tmp_path, sources), project(item("C", "Cart"))) as run:
        run.sim.step(2)
        assert run.controllers.failures == []
    assert run.printed == ["built"]
    names = {path.name for path in tmp_path.iterdir()}
    assert names == {*sources, "cart.body", "cart.cnoid"}


TREE = {
    "CMakeLists.txt": """
if(NOT STANDS_ALONE)
  install(DIRECTORY model DESTINATION ${CNOID_SHARE_SUBDIR})
else()
  project(carts)
endif()
add_subdirectory(words)
add_subdirectory(controllers/first)
""",
    "words/CMakeLists.txt": """
choreonoid_add_library(words STATIC words.cpp)
choreonoid_add_plugin(CnoidWordPlugin WordPlugin.cpp)
target_link_libraries(CnoidWordPlugin PUBLIC CnoidBodyPlugin)
""",
    "words/words.cpp": """
#include <cnoid/EigenUtil>
const char* word() { return cnoid::degree(cnoid::PI) > 179.0 ? "from a library" : ""; }
""",
    "words/WordPlugin.cpp": "#include <cnoid/Plugin>\n",
    "controllers/first/CMakeLists.txt": """
add_cnoid_simple_controller(First main.cpp)
target_link_libraries(First words)
""",
    "controllers/first/main.cpp": """
#include <cnoid/SimpleController>
const char* word();
struct First : cnoid::SimpleController {
  bool initialize(cnoid::SimpleControllerIO* io) override { io->os() << word() << std::endl; return true; }
};
CNOID_IMPLEMENT_SIMPLE_CONTROLLER_FACTORY(First)
""",
}
"""A workspace as it stands in Choreonoid's folder `ext`: no project, a library, a plugin, a controller."""


@pytest.mark.skipif(shutil.which("cmake") is None, reason="there is no CMake")
def test_a_controller_of_a_workspace_is_built_from_its_top(tmp_path: Path) -> None:
    """The project lies in a folder of its own; its controller needs a library of another."""
    for name, content in TREE.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(content, "utf-8")
    folder = tmp_path / "projects" / "walks"
    folder.mkdir(parents=True)
    with running(workspace(folder, {}), project(item("C", "First"))) as run:
        run.sim.step(1)
        assert run.controllers.failures == []
    assert run.printed == ["from a library"]


def test_what_the_sdk_leaves_out_fails_when_it_is_compiled_with_a_note(tmp_path: Path) -> None:
    text = "#include <cnoid/SimpleController>\n#include <cnoid/ItemManager>\n"
    with running(workspace(tmp_path, {"Item.cpp": text}), project(item("C", "Item"))) as run:
        run.sim.step(1)
    (error,) = run.errors
    assert "solidbody's SDK is for controllers" in error
