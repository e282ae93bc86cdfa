"""Who may write what changes: motor commands have one writer."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import pytest

from benchmarks.scenes import two_wheeled_robot
from solidbody.contact.layout import COMMAND
from solidbody.sim import Sim
from tests.architecture.sources import PACKAGE, modules, tree

COMMANDS = frozenset(COMMAND.names or ())

WRITERS = {
    "sim/motors.py": "the one writer",
    "compiler/axes.py": "what motors are told at the start",
    "sim/core.py": "keeps commands for the next start",
    "sim/batch/variations.py": "what motors of copies are told at the start",
}
"""Module -> why it writes columns of motor commands."""

PLAIN = frozenset({"p", "i", "d", "mode", "acceleration", "brake"})
"""Columns whose names are words of their own: those are looked for in rows of axes only."""


def columns(node: ast.expr) -> Iterator[str]:
    """Yield the columns that an assignment to `node` writes: `row["mode"]`, `axes["mode"][3]`."""
    match node:
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            for part in parts:
                yield from columns(part)
        case ast.Starred(value=inner):
            yield from columns(inner)
        case ast.Subscript(value=inner, slice=ast.Constant(value=str(name))):
            if name in COMMANDS and (name not in PLAIN or is_axis(inner)):
                yield name
        case ast.Subscript(value=ast.Attribute(attr="commands")):
            yield "commands"
        case ast.Subscript(value=inner):
            yield from columns(inner)
        case _:
            return


def is_axis(node: ast.expr) -> bool:
    """Whether an expression is called a row or table of axes, motors or commands."""
    text = ast.unparse(node)
    return any(word in text for word in ("axis", "axes", "command", "motor", "row"))


def writes(module: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield line and name where a module assigns to columns of motor commands."""
    for node in ast.walk(module):
        targets = node.targets if isinstance(node, ast.Assign) else []
        if isinstance(node, ast.AugAssign | ast.AnnAssign):
            targets = [node.target]
        for target in targets:
            for name in columns(target):
                yield target.lineno, name


def test_only_the_writer_writes_motor_commands() -> None:
    """Multiplier, limits, coupling and waking would be forgotten elsewhere."""
    wrong = [
        f"{name}:{line} writes {column}"
        for path in modules()
        if (name := path.relative_to(PACKAGE).as_posix()) not in WRITERS
        for line, column in writes(tree(path))
    ]
    assert not wrong
    assert all(any(writes(tree(PACKAGE / name))) for name in WRITERS if name != "sim/motors.py")


def test_the_search_finds_writers() -> None:
    """It sees the forms in which columns are written."""
    code = """
axis["target_velocity"] = 1.0
self.sim.state.commands[row]["mode"] = 2
axes["available_effort"][axis] += 0.5
a, (row["p"], other["x"]) = 1, (2, 3)
settings["mode"] = "fast"
sim.state.commands[row] = other
"""
    found = dict(writes(ast.parse(code)))
    wanted = {2: "target_velocity", 3: "mode", 4: "available_effort", 5: "p", 7: "commands"}
    assert found == wanted


def test_who_reads_commands_cannot_write_them() -> None:
    """What a simulation shows of them is constant."""
    sim = Sim(two_wheeled_robot())
    with pytest.raises(ValueError, match="read-only"):
        sim.motor_axes["target_velocity"][0] = 1.0
    sim.joint("left motor").target_velocity = 1.0
    assert sim.motor_axes["target_velocity"][0] == 1.0
