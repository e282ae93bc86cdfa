"""Every declared function is in the library, and numbers in headers are those of the simulator."""

from __future__ import annotations

import subprocess
from pathlib import Path

from solidbody.control.node_types import NUMBERS
from tests.control.c.programs import INCLUDE, compiled, environment, headers, need_c
from tools.c_api import called, declared


def _program(folder: Path, body: str, *, before: str = "") -> str:
    """Compile and run a program without a simulator; return what it prints."""
    source = folder / "program.c"
    included = "".join(f"#include <{header}>\n" for header in headers())
    source.write_text(
        f"#include <stdio.h>\n{before}{included}int main(void) {{\n{body}\n  return 0;\n}}\n"
    )
    made = compiled(source)
    run = subprocess.run(
        [made], capture_output=True, text=True, check=True, env=environment(_library())
    )
    return run.stdout


def _library() -> Path:
    from solidbody.contact.build import controller_path

    return controller_path()


def test_every_declared_function_is_linked(tmp_path: Path) -> None:
    """The address of each one is there."""
    names = [name for group in declared().values() for name in group]
    assert len(names) > 500
    assert len(names) == len(set(names))
    rows = "".join(f'    {{(void *){name}, "{name}"}},\n' for name in names)
    out = _program(
        tmp_path,
        f"  struct {{ void *at; const char *name; }} all[] = {{\n{rows}  }};\n"
        "  int missing = 0;\n"
        "  for (unsigned k = 0; k < sizeof all / sizeof *all; k++) missing += !all[k].at;\n"
        '  printf("%d of %d\\n", missing, (int)(sizeof all / sizeof *all));',
    )
    assert out == f"0 of {len(names)}\n"


def test_every_declared_function_is_called_by_a_test() -> None:
    """So what a new one answers is looked at, too."""
    names = {name for group in declared().values() for name in group}
    assert names - called() == set()


def test_constants_are_those_of_r2025a(tmp_path: Path) -> None:
    """Numbers that executables of Webots' own headers contain."""
    known = {
        "WB_STDOUT": 1, "WB_STDERR": 2, "UNDEFINED_CONTROL_MODE": -1, "WB_MF_NODE": 25,
        "WB_SUPERVISOR_SIMULATION_MODE_FAST": 2, "WB_IMAGE_ABGR": 7, "WB_EVENT_JOYSTICK_POV": 32,
        "WB_TOUCH_SENSOR_FORCE3D": 2, "WB_CHANNEL_BROADCAST": -1, "WB_MODE_REMOTE_CONTROL": 2,
        "WB_KEYBOARD_ALT": 0x40000, "WBU_CAR_WHEEL_NB": 4,
    }  # fmt: skip
    out = _program(tmp_path, "".join(f'  printf("%d\\n", (int){name});\n' for name in known))
    assert [int(line) for line in out.split()] == list(known.values())


def test_node_types_have_the_simulator_s_numbers(tmp_path: Path) -> None:
    """`wb_device_get_node_type` gives what the header calls so, with the name that Webots writes."""
    names = sorted(NUMBERS, key=NUMBERS.__getitem__)
    lines = "".join(
        f'  printf("%d %s\\n", WB_NODE_{name}, wb_node_get_name(WB_NODE_{name}));\n'
        for name in names
    )
    out = _program(tmp_path, lines).splitlines()
    assert [int(line.split()[0]) for line in out] == [NUMBERS[name] for name in names]
    said = [line.partition(" ")[2].upper() for line in out[1:]]
    assert said == [name.replace("_", "") for name in names[1:]]


def test_headers_are_good_c_and_cpp(tmp_path: Path) -> None:
    """Each header stands alone, in strict C and in C++."""
    compiler = need_c()
    flags = ["-pedantic", "-Wall", "-Wextra", "-Werror", f"-I{INCLUDE}", "-fsyntax-only"]
    for header in headers():
        source = tmp_path / "one.c"
        source.write_text(f"#include <{header}>\n")
        subprocess.run([*compiler, "-std=c99", *flags, str(source)], check=True)
    together = tmp_path / "all.cpp"
    together.write_text("".join(f"#include <{header}>\n" for header in headers()))
    known = subprocess.run(
        [*compiler, "-x", "c++", "-fsyntax-only", "-"], input=b"", capture_output=True
    )
    if known.returncode == 0:  # a compiler of C alone is all that the library needs
        subprocess.run([*compiler, "-x", "c++", *flags, str(together)], check=True)
