"""The native step under AddressSanitizer and UBSan: no bad access, no undefined operation."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from solidbody.contact.build import NATIVE, find_compiler, find_mujoco

SCRIPT = """
import sys
from pathlib import Path
import solidbody.contact.native as native
native.library_path = lambda: Path(sys.argv[1])
from benchmarks.scenes import pile, six_joint_arm, stack, two_wheeled_robot
from solidbody.model.geometry import (
    GeometryBox, GeometryCapsule, GeometryCone, GeometryCylinder, GeometrySphere)
from solidbody.sim import Sim
from tests.physics import building as b
from tests.physics import terrain

post, plate = GeometryCylinder(0.1, 0.3), GeometryCylinder(0.3, 0.05)
slab = b.static_body("slab", GeometryBox((1, 1, 0.1)), at=(0, 0, 0.3))
cylinders = [
    b.free_body(f"c{k}", plate if k % 3 else post, at=(0.3 * (k % 5), 0.1 * k, 0.4 + 0.1 * k),
                rotation=b.turned((1, 0.2 * k, 0), 0.4 * k))
    for k in range(10)
]
fallen = b.scene(b.floor(), slab, *cylinders, b.free_body("up", post, at=(-1, 0, 0.15)))
forms = [GeometrySphere(0.1), GeometryCapsule(0.1, 0.3), GeometryBox((0.4, 0.3, 0.2)),
         GeometryCylinder(0.2, 0.2), GeometryCone(0.2, 0.3), terrain.blocks(3)]
rain = [
    terrain.free_form(f"f{k}", forms[k % 6], (0.4 * (k % 4) - 0.8, 0.4 * (k // 4) - 0.8, 0.4),
                      b.turned((1, 0.2 * k, 0), 0.4 * k))
    for k in range(18)
]
ground = b.scene(terrain.placed(terrain.bumps()), *rain)
skin = b.scene(terrain.placed(terrain.as_mesh(terrain.bumps())), b.floor(), *rain)
from tests.physics.test_fluids import TETRAHEDRON, pool
from tests.physics.test_loops import four_bar
from tests.physics.test_sleeping import sleepy
from tests.physics.test_suspensions_and_balls import ball_joint, hung
from tests.physics.test_tracks import GRIP, tank
from tests.physics.test_thrust_and_gyro import drone
from solidbody.model.fluids import DragArea, Immersion
drag = Immersion("water", DragArea.PROJECTED, (0.5, 0.2, 0.3), (0.1, 0.1, 0.1), 3.0, 2.0)
moving = [
    (b.scene(b.floor(), tank(around=True), surface=GRIP), 60),
    (drone(constants=(0.02, 0.1), torque=(0.001, 0.1)), 30),
    (four_bar(0.008).scene, 60),
    (hung(ball_joint(spring=1.0, damping=0.1), "native").scene, 60),
    *((pool(form, density=400.0, rotation=b.turned((1, 2, 3), 0.5), immersion=drag), 60)
      for form in (GeometryBox((0.2, 0.3, 0.4)), GeometrySphere(0.2), GeometryCylinder(0.2, 0.3))),
    (sleepy(stack(4)), 400),
]
for scene, steps in (*moving, (pile(12), 150), (stack(4), 50), (six_joint_arm(), 50),
                     (two_wheeled_robot(), 100), (fallen, 250), (ground, 150), (skin, 150)):
    sim = Sim(scene, engine="native")
    sim.step(steps)
    state = sim.snapshot()
    sim.step(5)
    sim.restore(state)
    sim.step(5)
    sim.reset()
    sim.step(5)
    assert sim.stats.not_converged == 0
print("clean")
"""


def runtime(compiler: list[str], name: str) -> str:
    """Return the path of a sanitizer's library, or skip."""
    found = subprocess.run(
        [*compiler, f"-print-file-name={name}"], capture_output=True, text=True, check=False
    ).stdout.strip()
    if not Path(found).is_absolute():
        pytest.skip(f"the compiler has no {name}")
    return found


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="preloads a Linux library")
def test_steps_are_clean_under_sanitizers(tmp_path: Path) -> None:
    """A pile, a stack, an arm, a robot, cylinders and bodies on terrain, with snapshots and resets."""
    compiler = find_compiler()
    if compiler is None:
        pytest.skip("no C compiler")
    preload = " ".join(runtime(compiler, name) for name in ("libasan.so", "libubsan.so"))
    library = tmp_path / "libsanitized.so"
    flags = ["-O1", "-g", "-std=c11", "-fPIC", "-shared", "-ffp-contract=off"]
    sanitize = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
    sources = sorted(map(str, NATIVE.glob("*.c")))
    include = f"-I{find_mujoco()[0]}"
    subprocess.run(
        [*compiler, *flags, *sanitize, include, *sources, "-o", str(library)], check=True
    )
    root = Path(__file__).parents[2]
    env = os.environ | {
        "LD_PRELOAD": preload,
        "ASAN_OPTIONS": "detect_leaks=0",
        "PYTHONPATH": os.pathsep.join([str(root / "src"), str(root)]),
    }
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(library)],
        capture_output=True,
        text=True,
        env=env,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    assert done.stdout.strip() == "clean"
