"""A first program for a robot that has none in the project: its motors stand ready, and the loop runs."""

from __future__ import annotations

import keyword
import re
from collections.abc import Sequence
from typing import Final, Literal

from solidbody.base.output_files import reason_of, write_whole
from solidbody.viewer.folder_files import FileFolder, FolderError

Language = Literal["python", "c", "cpp"]

ENDINGS: Final[dict[str, str]] = {"python": ".py", "c": ".c", "cpp": ".cpp"}

MOST_MOTORS: Final = 24
"""Motors that a program begins with."""

_WORD: Final = re.compile(r"[^A-Za-z0-9_]+")

_PYTHON: Final = """from controller import Robot

robot = Robot()
time_step = int(robot.getBasicTimeStep())
{motors}
while robot.step(time_step) != -1:
    pass  # what the robot does in each step
"""
_PYTHON_MOTOR: Final = """
{variable} = robot.getDevice("{name}")
{variable}.setPosition(float("inf"))  # turns at a speed
{variable}.setVelocity(0.0)"""

_C: Final = """#include <math.h>
#include <webots/motor.h>
#include <webots/robot.h>

int main() {{
  wb_robot_init();
  const int time_step = (int)wb_robot_get_basic_time_step();
{motors}
  while (wb_robot_step(time_step) != -1) {{
    // what the robot does in each step
  }}
  wb_robot_cleanup();
  return 0;
}}
"""
_C_MOTOR: Final = """
  const WbDeviceTag {variable} = wb_robot_get_device("{name}");
  wb_motor_set_position({variable}, INFINITY);  // turns at a speed
  wb_motor_set_velocity({variable}, 0.0);"""

_CPP: Final = """#include <cmath>
#include <webots/Motor.hpp>
#include <webots/Robot.hpp>

int main() {{
  webots::Robot robot;
  const int time_step = static_cast<int>(robot.getBasicTimeStep());
{motors}
  while (robot.step(time_step) != -1) {{
    // what the robot does in each step
  }}
  return 0;
}}
"""
_CPP_MOTOR: Final = """
  webots::Motor *{variable} = robot.getMotor("{name}");
  {variable}->setPosition(INFINITY);  // turns at a speed
  {variable}->setVelocity(0.0);"""

_WORDS: Final = """
robot time_step main webots math cmath infinity float int alignas alignof asm auto bool case
catch char compl concept const consteval constexpr constinit decltype default delete do double
dynamic_cast enum explicit export extern false friend goto inline long mutable namespace new
noexcept nullptr operator private protected public register reinterpret_cast requires restrict
short signed sizeof static static_assert static_cast struct switch template this thread_local
throw true typedef typeid typename union unsigned using virtual void volatile wchar_t xor none
"""

_TAKEN: Final = frozenset([*_WORDS.split(), *keyword.kwlist])
"""Words of the three languages and of the programs: no names of variables."""

_TEXTS: Final = {"python": (_PYTHON, _PYTHON_MOTOR), "c": (_C, _C_MOTOR), "cpp": (_CPP, _CPP_MOTOR)}


def program_text(language: Language, motors: Sequence[str]) -> str:
    """Return a program that finds motors without limits, lets them stand, and waits for steps."""
    frame, part = _TEXTS[language]
    taken: set[str] = set()
    lines: list[str] = []
    for name in motors[:MOST_MOTORS]:
        if '"' in name or "\\" in name or not name.isprintable():
            continue
        variable = _free(_identifier(name), taken)
        taken.add(variable)
        lines.append(part.format(variable=variable, name=name))
    return frame.format(motors="\n".join(lines) + ("\n" if lines else ""))


def create_program(
    folder: FileFolder, project: str, robot: str, text: str, language: Language
) -> str:
    """Write a program into a folder of its own; return the name of the controller.

    Args:
        folder: Beyond which nothing is written.
        project: Name of the project's folder below it; empty = the same.
        robot: Whose program it is.
        text: The program.
        language: Its language.

    Raises:
        FolderError: It cannot be written.
    """
    stem = _identifier(robot) or "robot"
    top = f"{project}/controllers" if project else "controllers"
    number, name = 1, stem
    while folder.place(f"{top}/{name}").exists():
        number += 1
        name = f"{stem}_{number}"
    path = folder.place(f"{top}/{name}/{name}{ENDINGS[language]}")
    try:
        path.parent.mkdir(parents=True)
        write_whole(path, text.encode("utf-8"))
    except OSError as error:
        raise FolderError(
            f'the program of "{robot}" was not written: {reason_of(error)}'
        ) from error
    return name


def _identifier(name: str) -> str:
    word = _WORD.sub("_", name).strip("_").lower()
    return f"m_{word}" if word[:1].isdigit() else word or "motor"


def _free(name: str, taken: set[str]) -> str:
    number, free = 1, name
    while free in taken or free in _TAKEN:
        number += 1
        free = f"{name}_{number}"
    return free
