"""Projects with controllers in C++, in a folder of their own, and runs of them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

import solidbody as sb
from solidbody.control.building import ControllerBuildError, cpp_compiler
from solidbody.control.simple_controllers import SimpleControllers
from solidbody.control.simple_controllers.host import HANG
from solidbody.control.simple_controllers.host_program import eigen_folder
from solidbody.control.simple_controllers.joystick import JoystickScript
from solidbody.sim import Sim


def why_not() -> str:
    """Return what is missing for controllers in C++; empty = nothing."""
    if cpp_compiler() is None:
        return "there is no C++ compiler"
    try:
        eigen_folder()
    except ControllerBuildError:
        return "there is no Eigen"
    return ""


needs_cpp = pytest.mark.skipif(bool(why_not()), reason=why_not() or "all is there")

MASS = 2.0
"""[kg] Of the carriage."""

CART = """
format: ChoreonoidBody
format_version: 2.0
name: Cart
root_link: BASE
links:
  - name: BASE
    joint_type: fixed
    elements:
      - { type: ForceSensor, name: Push, id: 0 }
      - { type: AccelerationSensor, name: Still, id: 0 }
      - { type: SpotLight, name: Lamp, on: false, translation: [ 0, 0, 1 ] }
      - { type: Camera, name: Eye, format: COLOR, width: 8, height: 6, frame_rate: 500 }
  - name: SLIDE
    parent: BASE
    joint_type: prismatic
    joint_id: 0
    joint_axis: X
    joint_range: [ -2, 3 ]
    translation: [ 0, 0, 0.5 ]
    mass: 2.0
    inertia: [ 1, 0, 0, 0, 1, 0, 0, 0, 1 ]
    elements:
      - { type: RateGyroSensor, name: Gyro, id: 0 }
  - name: ARM
    parent: SLIDE
    joint_type: revolute
    joint_id: 1
    joint_axis: Z
    translation: [ 0, 0, 0.25 ]
    mass: 0.000001
    inertia: [ 1e-3, 0, 0, 0, 1e-3, 0, 0, 0, 1e-3 ]
"""
"""A carriage on a rail, with an arm that turns about the vertical and weighs nothing."""


def item(name: str, module: str, data: str = "", children: str = "") -> str:
    """Return a controller item in one line of YAML."""
    below = f", children: [ {children} ]" if children else ""
    return (
        f"{{ name: {name}, plugin: Body, class: SimpleControllerItem, "
        f"data: {{ controller: {module}, {data} }}{below} }}"
    )


def project(controllers: str, simulator: str = "") -> str:
    """Return a project with the cart and its controllers."""
    return f"""
items:
  name: Root
  class: RootItem
  children:
    - name: World
      plugin: Body
      class: WorldItem
      children:
        - name: Cart
          plugin: Body
          class: BodyItem
          data: {{ file: cart.body }}
          children: [ {controllers} ]
        - name: AIST
          plugin: Body
          class: AISTSimulatorItem
          data: {{ time_step: 0.001, {simulator} }}
          children:
            - name: Vision
              plugin: Body
              class: GLVisionSimulatorItem
              data: {{ max_frame_rate: 500 }}
"""


def source(members: str, *, name: str = "Probe", more: str = "") -> str:
    """Return the source of a controller whose class has these members."""
    return f"""
#include <cnoid/SimpleController>
#include <cnoid/BasicSensors>
#include <cnoid/SpotLight>
#include <stdexcept>
using namespace cnoid;
{more}
class {name} : public SimpleController {{
  SimpleControllerIO* io;
  Body* body;
  Link* slide;
  int k = 0;
 public:
{members}
}};
CNOID_IMPLEMENT_SIMPLE_CONTROLLER_FACTORY({name})
"""


DRIVER = """
  bool initialize(SimpleControllerIO* io_) override {
    io = io_;
    body = io->body();
    slide = body->link("SLIDE");
    k = 0;
    return prepare();
  }
"""
"""What most of them begin with; they add `prepare`."""


@dataclass
class CartRun:
    """A running project: what its controllers have printed, and what was said of them."""

    sim: Sim
    controllers: SimpleControllers
    printed: list[str] = field(default_factory=list[str])
    said: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])

    @property
    def errors(self) -> list[str]:
        """Errors that were said."""
        return [text for level, text in self.said if level == "error"]


def workspace(folder: Path, sources: dict[str, str]) -> Path:
    """Write a folder with the body and sources; each is compiled when it is first used."""
    (folder / "cart.body").write_text(CART, "utf-8")
    for name, content in sources.items():
        (folder / name).write_text(content, "utf-8")
    return folder


@contextmanager
def running(
    folder: Path, text: str, *, hang: float = HANG, joystick: JoystickScript | None = None
) -> Iterator[CartRun]:
    """Write a project into a workspace, and run its controllers while the block runs the simulation."""
    path = folder / "cart.cnoid"
    path.write_text(text, "utf-8")
    sim = Sim(sb.load(path))
    printed: list[str] = []
    said: list[tuple[str, str]] = []
    controllers = SimpleControllers(
        sim,
        output=lambda robot, line, is_error: printed.append(line),
        say=lambda level, line: said.append((level, line)),
        hang=hang,
        joystick=joystick,
    )
    try:
        controllers.start()
        yield CartRun(sim, controllers, printed, said)
    finally:
        controllers.close()
