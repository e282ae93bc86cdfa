"""Programs in C and Python made of the same rows, whose outputs must be the same.

A row is `KIND C | Python`: the two expressions are printed with all their digits. Kinds: `n` number, `i`
whole number, `b` yes or no, `t` text, `v3` three numbers, `f4` four floats, `c4` four bytes; `-` rows are
only done.
`C` and `Python` may be left out if they are the same. `step 3` stands for three steps.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import zip_longest

import solidbody as sb
from solidbody.control.hub import ControllerHub
from tests.control.c.programs import OPTIONS, write_c
from tests.control.projects import Project, robot

C_HEAD = r"""
static void number(const char *name, double value) {
  if (isnan(value)) printf("%s = nan\n", name);
  else printf("%s = %.17g\n", name, value);
}
static void text(const char *name, const char *value) { printf("%s = %s\n", name, value ? value : ""); }
#define LIST(kind, type)                                                                  \
  static void kind(const char *name, const type *values, int count) {                     \
    if (!values) printf("%s = none\n", name);                                             \
    for (int k = 0; values && k < count; k++) number(name, (double)values[k]);            \
  }
LIST(doubles, double)
LIST(floats, float)
LIST(bytes, unsigned char)
"""
PYTHON_HEAD = """
from controller import *
from vehicle import *
import math

def number(name, value):
    print(f"{name} = nan" if value != value else f"{name} = %.17g" % value)

def text(name, value):
    print(f"{name} = {value or ''}")

def values(name, found, count):
    if found is None:
        print(f"{name} = none")
    else:
        for k in range(count):
            number(name, float(found[k]))

"""


@dataclass(frozen=True)
class Start:
    """How both programs begin, step and end.

    Attributes:
        c: What comes before the rows, in C.
        c_step: One step.
        c_end: What comes after the rows.
        python: What comes before the rows, in Python.
        python_step: One step.
    """

    c: str = "wb_robot_init();"
    c_step: str = "wb_robot_step(8)"
    c_end: str = "wb_robot_cleanup();"
    python: str = "robot = Supervisor()"
    python_step: str = "robot.step(8)"


ROBOT = Start()
PRINTS = {
    "n": ("number({0}, {1});", "number({0}, {1})"),
    "i": ("number({0}, (double)({1}));", "number({0}, float({1}))"),
    "b": ("number({0}, ({1}) != 0);", "number({0}, float(bool({1})))"),
    "t": ("text({0}, {1});", "text({0}, {1})"),
    "v": ("doubles({0}, {1}, {2});", "values({0}, {1}, {2})"),
    "f": ("floats({0}, {1}, {2});", "values({0}, {1}, {2})"),
    "c": ("bytes({0}, {1}, {2});", "values({0}, {1}, {2})"),
}


def twins(rows: str, start: Start = ROBOT) -> tuple[str, str]:
    """Return the two programs."""
    in_c, in_python = [C_HEAD, f"int main(void) {{\n  {start.c}"], [PYTHON_HEAD, start.python]
    for number, row in enumerate(filter(None, map(str.strip, rows.splitlines()))):
        kind, _, rest = row.partition(" ")
        c, _, python = (part.strip() for part in rest.partition(" | "))
        python = python or c
        if kind == "step":
            in_c.append(f"  for (int k_ = 0; k_ < {c}; k_++) {start.c_step};")
            in_python.append(f"for _ in range({c}): {start.python_step}")
        elif kind == "-":
            in_c.append(f"  {c};")
            in_python.append(python)
        else:
            said = re.sub(r'["\\]', "'", python)
            name = f'"{number} {said}"'
            count = kind[1:]
            form, python_form = PRINTS[kind[0]]
            in_c.append("  " + form.format(name, c, count))
            in_python.append(python_form.format(name, python, count))
    in_c.append(f'  puts("end");\n  {start.c_end}\n  return 0;\n}}')
    in_python.append('print("end")')
    return "\n".join(in_c) + "\n", "\n".join(in_python) + "\n"


def compare(
    project: Project,
    rows: str,
    *,
    devices: str = "",
    nodes: str = "",
    fields: str = "",
    seconds: float = 0.4,
    start: Start = ROBOT,
    world: str = "",
    beside: Callable[[sb.Sim, ControllerHub], None] | None = None,
    **files: str,
) -> list[str]:
    """Run both programs, each as the supervisor of the same world; return what both print.

    `world` replaces the robot and what is beside it; its controller is called "exercise".
    """
    in_c, in_python = twins(rows, start)
    project.controller("python_twin", in_python, **files)
    write_c(project, in_c, name="c_twin")
    for name, content in files.items():
        (project.folder / "controllers" / "c_twin" / name.replace("__", ".")).write_text(content)
    outputs: list[list[str]] = []
    for name in ("python_twin", "c_twin")[OPTIONS.library is not None :]:
        project.lines.clear()
        alone = robot("exercise", fields="supervisor TRUE " + fields, devices=devices) + nodes
        sim, hub = project.start((world or alone).replace('"exercise"', f'"{name}"'))
        try:
            for _ in range(round(seconds / sim.time_step)):
                sim.step(1)
                if beside is not None:
                    beside(sim, hub)
                if hub.slots[0].process is None:
                    break
        finally:
            hub.close()
        outputs.append(project.output())
        assert outputs[-1][-1:] == ["end"], (outputs[-1][-3:], project.errors(), project.said)
        assert not [text for level, text in project.said if level == "error"]
    other = [pair for pair in zip_longest(outputs[0], outputs[-1]) if pair[0] != pair[1]]
    assert not other, f"Python and C: {other[:5]}"
    return outputs[-1]


def are_same_files(project: Project, name: str) -> bool:
    """Whether both programs have written the same."""
    places = [project.folder / "controllers" / twin / name for twin in ("python_twin", "c_twin")]
    written = [path.read_bytes() for path in places[OPTIONS.library is not None :]]
    return written[0] == written[-1]
