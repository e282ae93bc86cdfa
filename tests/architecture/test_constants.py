"""What a scene was compiled to is constant; what changes is one state."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any

import mujoco
import numpy as np
import pytest

from benchmarks.scenes import two_wheeled_robot
from solidbody.compiler import Compiled
from solidbody.contact.c_header import render
from solidbody.contact.state import PARTS
from solidbody.sim import Sim
from tests.architecture.sources import PACKAGE

NATIVE = PACKAGE / "contact" / "native"


def arrays(item: Any, name: str) -> Iterator[tuple[str, np.ndarray]]:
    """Yield the numpy arrays that an object holds, however deep, by name."""
    if isinstance(item, np.ndarray):
        yield name, item
    elif isinstance(item, tuple | list):
        for k, part in enumerate(item):
            yield from arrays(part, f"{name}[{k}]")
    elif is_dataclass(item) and not isinstance(item, type):
        for part in fields(item):
            yield from arrays(getattr(item, part.name), f"{name}.{part.name}")


def test_arrays_of_the_tables_cannot_be_written() -> None:
    """Simulations, copies and batches share them."""
    compiled = Sim(two_wheeled_robot()).compiled
    found = dict(arrays(compiled, "compiled"))
    assert len(found) > 20
    assert [name for name, array in found.items() if array.flags.writeable] == []


def test_constants_of_a_scene_are_frozen() -> None:
    """Nor can one table be exchanged for another."""
    compiled = Sim(two_wheeled_robot()).compiled
    for item, name in ((compiled, "tables"), (compiled.tables, "axes"), (compiled.binding, "body")):
        with pytest.raises(AttributeError):
            setattr(item, name, None)


@pytest.mark.parametrize("struct", ["SbTables", "SbCollision"])
def test_tables_are_constant_in_c(struct: str) -> None:
    """Every pointer of the structs that a step is given points to what it may not write."""
    text = render()
    found = re.search(rf"typedef struct {struct} \{{(.*?)\}} {struct};", text, re.DOTALL)
    assert found is not None
    members = [line.strip() for line in found[1].splitlines() if "*" in line.split("//")[0]]
    assert len(members) > 10
    assert [line for line in members if not line.startswith("const ")] == []


def test_no_c_code_casts_const_away() -> None:
    """A cast would write into tables all the same."""
    cast = re.compile(r"\((Sb(?:World|Surface|Pair|Geom|Axis|Damper|Ball|Loop|Track|Tree)) ?\*\)")
    wrong = [
        f"{path.name}: {found[0]}"
        for path in sorted(NATIVE.glob("*/*.c"))
        for found in cast.finditer(path.read_text(encoding="utf-8"))
    ]
    assert wrong == []


def contents(compiled: Compiled) -> dict[str, bytes]:
    """Return all that is in a compiled scene, by name: MuJoCo's model too."""
    model = np.empty(mujoco.mj_sizeModel(compiled.model), dtype=np.uint8)
    mujoco.mj_saveModel(compiled.model, None, model)
    found = {name: array.tobytes() for name, array in arrays(compiled, "compiled")}
    return {**found, "model": model.tobytes()}


def test_a_run_with_all_that_changes_leaves_the_constants_as_they_were() -> None:
    """Motors, brakes, poses, velocities, forces, resets and copies; bit for bit."""
    sim = Sim(two_wheeled_robot())
    compiled, before = sim.compiled, contents(sim.compiled)
    joint, link = sim.joint("left motor"), sim[sim.link_names[-1]]
    joint.target_velocity, joint.brake, joint.available_effort = 3.0, 0.5, 1.0
    link.add_force((0.0, 0.0, 1.0))
    sim.step(3)
    link.set_pose((0.0, 0.0, 1.0), (1.0, 0.0, 0.0, 0.0))
    link.set_velocity((1.0, 0.0, 0.0), (0.0, 0.0, 1.0))
    saved = sim.snapshot()
    sim.copy().step(5)
    sim.reset()
    sim.restore(saved)
    sim.step(3)
    assert sim.compiled is compiled
    assert contents(compiled) == before


def test_the_native_step_writes_to_no_model() -> None:
    """The arrays of an mjModel are not const in C: poses are written through SbState alone."""
    for path in NATIVE.glob("*/*.c"):
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"m->(body|jnt)_\w+(\[[^]]*\])? *[-+*]?= ", text), path
        assert "= s->m->body_pos" not in text, path


def test_the_state_at_the_start_cannot_be_written() -> None:
    """Simulations go back to it."""
    start = Sim(two_wheeled_robot()).compiled.start
    for name in ("rows", *PARTS):
        assert not getattr(start, name).flags.writeable, name
