"""The native step under AddressSanitizer and UBSan: no bad access, no undefined operation."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from solidbody.contact.build import NATIVE, find_compiler, find_mujoco, write_layout

MANY = """
from solidbody.model.geometry import (
    GeometryBox, GeometryCapsule, GeometryCone, GeometryCylinder, GeometrySphere)
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
from tests.physics.test_loop_axes import TO_X, ball as ball_axes, looped
from tests.physics.test_loops import four_bar
from tests.physics.test_sleeping import sleepy
from tests.physics.test_suspensions_and_balls import ball_joint, hung
from tests.physics.test_tracks import GRIP, tank
from tests.physics.test_thrust_and_gyro import drone
from solidbody.model.fluids import DragArea, Immersion
from tests.physics.test_runge_kutta import BALL, PENDULUM, by_runge, scene_of
drag = Immersion("water", DragArea.PROJECTED, (0.5, 0.2, 0.3), (0.1, 0.1, 0.1), 3.0, 2.0)
moving = [
    (b.scene(b.floor(), tank(around=True), surface=GRIP), 60),
    (drone(constants=(0.02, 0.1), torque=(0.001, 0.1)), 30),
    (four_bar(0.008).scene, 60),
    (by_runge(scene_of(PENDULUM), 0.01), 60),
    (by_runge(scene_of(BALL).add(b.scene(b.floor())), 0.001), 500),
    (hung(ball_joint(spring=1.0, damping=0.1), "native").scene, 60),
    (looped(ball_axes(spring=1.0, damping=0.1), TO_X, "native", spin=(1, 2, 0)).scene, 60),
    *((pool(form, density=400.0, rotation=b.turned((1, 2, 3), 0.5), immersion=drag), 60)
      for form in (GeometryBox((0.2, 0.3, 0.4)), GeometrySphere(0.2), GeometryCylinder(0.2, 0.3))),
    (sleepy(stack(4)), 400),
    (humanoid()[0], 20),
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
from tests.contact import test_many_rows, test_wide_rows as wide
Sim(test_many_rows.SCENE, engine="native").step(90)
wide.run(native.NativeStep, wide.coupled_model(), 100)
"""

THREADED = """
for scene in (many_robots(50)[0], mixed_pile(90)):
    sim = Sim(scene, engine="native", threads=3)
    sim.step(40)
    sim.core.step.use_threads(2)
    sim.step(3)
    del sim
print("clean")
"""

START = """
import sys
from pathlib import Path
import solidbody.contact.native as native
native.library_path = lambda: Path(sys.argv[1])
from benchmarks.scenes import (
    humanoid, many_robots, mixed_pile, pile, six_joint_arm, stack, two_wheeled_robot)
from solidbody.sim import Sim
"""


def runtime(compiler: list[str], name: str) -> str:
    """Return the path of a sanitizer's library, or skip."""
    found = subprocess.run(
        [*compiler, f"-print-file-name={name}"], capture_output=True, text=True, check=False
    ).stdout.strip()
    if not Path(found).is_absolute():
        pytest.skip(f"the compiler has no {name}")
    return found


def run_sanitized(folder: Path, kind: str, runtimes: tuple[str, ...], script: str) -> None:
    """Compile the library with a sanitizer and run a script with it, which must end with "clean"."""
    compiler = find_compiler()
    if compiler is None:
        pytest.skip("no C compiler")
    preload = " ".join(runtime(compiler, name) for name in runtimes)
    library = folder / "libsanitized.so"
    flags = ["-O1", "-g1", "-std=c11", "-fPIC", "-shared", "-ffp-contract=off"]
    sanitize = [f"-fsanitize={kind}", "-fno-sanitize-recover=all"]
    sources = sorted(map(str, NATIVE.glob("*/*.c")))
    write_layout()
    include = [f"-I{find_mujoco()[0]}", f"-I{NATIVE}"]
    subprocess.run(
        [*compiler, *flags, *sanitize, *include, *sources, "-o", str(library)], check=True
    )
    root = Path(__file__).parents[2]
    env = os.environ | {
        "LD_PRELOAD": preload,
        "ASAN_OPTIONS": "detect_leaks=0",
        "PYTHONPATH": os.pathsep.join([str(root / "src"), str(root)]),
    }
    done = subprocess.run(
        [sys.executable, "-c", script, str(library)],
        capture_output=True,
        text=True,
        env=env,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    assert done.stdout.strip() == "clean"


on_linux = pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="preloads a Linux library"
)


@pytest.mark.slow
@on_linux
def test_steps_are_clean_under_sanitizers(tmp_path: Path) -> None:
    """Piles, robots, terrain, islands of many rows and on threads, wide rows; snapshots and resets."""
    run_sanitized(
        tmp_path, "address,undefined", ("libasan.so", "libubsan.so"), START + MANY + THREADED
    )


@pytest.mark.slow
@on_linux
def test_threads_do_not_race(tmp_path: Path) -> None:
    """Islands of robots and of a pile on three threads, then two, under ThreadSanitizer."""
    run_sanitized(tmp_path, "thread", ("libtsan.so",), START + THREADED)
