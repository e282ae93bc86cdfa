"""Robots that come and go leave nothing behind."""

from __future__ import annotations

import gc
import os
import threading
import weakref
from collections import Counter
from pathlib import Path

import pytest
from PIL import Image

import solidbody as sb
from solidbody.control import run_controller

WORLD = """#VRML_SIM R2025a utf8
WorldInfo { basicTimeStep 8 }
Viewpoint { }
Solid { name "floor" boundingObject Plane { } }
Robot { name "sup" supervisor TRUE controller "<none>" translation -2 0 0.5 children [
  DistanceSensor { name "look" type "infra-red" lookupTable [ 0 0 0, 5 5 0 ] } ] }
"""
GUEST = """Robot { name "guest" translation 0 0 0.5 controller "<none>" children [
  DistanceSensor { name "eye" }
  Shape { appearance PBRAppearance { baseColorMap ImageTexture { url "bricks.png" } }
    geometry IndexedFaceSet { coord Coordinate { point [ 0 -1 -1, 0 1 -1, 0 0 1 ] }
      coordIndex [ 0 2 1 -1 ] } }
  HingeJoint { device RotationalMotor { name "motor" }
    endPoint Solid { name "arm" boundingObject Box { size 0.1 0.1 0.1 } physics Physics { } } } ]
  boundingObject Box { size 0.2 0.2 0.2 } physics Physics { } }"""
FIRST, LAST = 5, 30


def counted() -> Counter[str]:
    """Return how many objects of each type there are, and threads and open files."""
    gc.collect()
    found = Counter(type(item).__name__ for item in gc.get_objects())
    found["threads"] = threading.active_count()
    files = Path("/proc/self/fd")
    found["files"] = len(os.listdir(files)) if files.is_dir() else 0
    return found


@pytest.mark.slow
def test_robots_that_go_leave_nothing(tmp_path: Path) -> None:
    path = tmp_path / "world.wbt"
    path.write_text(WORLD)
    Image.new("RGB", (32, 32), (200, 60, 40)).save(tmp_path / "bricks.png")
    sim = sb.Sim(sb.load(path))
    counts: list[Counter[str]] = []
    passed: list[weakref.ref[object]] = []
    """What each guest was simulated with: numpy's arrays and MuJoCo's are not counted, so are watched."""
    room: list[tuple[int, int]] = []
    """Corners of meshes and texels that the ray engine has room for."""

    def program() -> None:
        from controller import Supervisor

        robot = Supervisor()
        root = robot.getRoot()
        children = None if root is None else root.getField("children")
        assert children is not None
        robot.getDevice("look").enable(8)
        for k in range(LAST):
            children.importMFNodeFromString(-1, GUEST)
            robot.step(8)
            assert len(list(sim.scene.links())) == 5
            rays = sim.devices.world.rays
            room.append((len(rays.shapes.corner_uv), len(rays.materials.texels)))
            passed.append(weakref.ref(rays))
            del rays
            held = sim.core, sim.devices, sim.state.rows, sim.compiled.tables.geoms, sim.data.qpos
            passed.extend(map(weakref.ref, held))
            del held
            guest = children.getMFNode(-1)
            assert guest is not None
            guest.remove()
            del guest
            robot.step(8)
            assert len(list(sim.scene.links())) == 3
            if k in (FIRST - 1, LAST - 1):
                counts.append(counted())

    run_controller(sim, program, robot="sup")
    before, after = counts
    grown = {name: after[name] - before[name] for name in after if name != "ReferenceType"}
    assert not {name: n for name, n in grown.items() if n >= LAST - FIRST}
    assert len(passed) == 6 * LAST
    assert not [ref() for ref in passed if ref() is not None]
    assert min(room)[1] > 32 * 32
    assert max(room[FIRST:]) <= max(room[:FIRST])
    # what earlier tests have left may end meanwhile: a process of templates that has no work
    assert after["files"] <= before["files"]
    assert after["threads"] <= before["threads"]
