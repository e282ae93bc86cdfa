"""Times ODE: builds the world with the test harness, compiles `ode_loop.c`, runs it."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import tempfile
from ctypes import POINTER, c_double, c_int, c_void_p
from functools import cache
from pathlib import Path

from benchmarks.accuracy import State
from benchmarks.cases import BenchScene
from solidbody.base.transforms import Quat, quat_rotate
from solidbody.model.joints import LoopHinge
from solidbody.model.links import Body
from solidbody.model.scene import RollingRule, world_poses
from tests.ode import library as ode
from tests.ode.harness import OdeWorld
from tests.ode.surface import Side, surface_parameters

SOURCE = Path(__file__).with_name("ode_loop.c")


class Geom(ctypes.Structure):
    """Geom of `ode_loop.c`."""

    _fields_ = [("material", c_int), ("tree", c_int), ("anchored", c_int)]


class Loop(ctypes.Structure):
    """Loop of `ode_loop.c`."""

    _fields_ = [
        ("world", c_void_p),
        ("space", c_void_p),
        ("contacts", c_void_p),
        ("geoms", POINTER(Geom)),
        ("surfaces", POINTER(ode.SurfaceParameters)),
        ("materials", c_int),
        ("depth", c_double),
    ]


@cache
def load_loop() -> ctypes.CDLL:
    """Return the compiled loop, or raise OdeUnavailableError that says what is missing."""
    ode.load()
    compiler = shutil.which("cc")
    if compiler is None:
        raise ode.OdeUnavailableError("no C compiler (cc)")
    folder = tempfile.TemporaryDirectory(prefix="solidbody-bench-", ignore_cleanup_errors=True)
    target = Path(folder.name) / "ode_loop.so"
    command = [compiler, "-O2", "-shared", "-fPIC", "-o", str(target), str(SOURCE), "-lode", "-lm"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        lines = done.stderr.strip().splitlines()
        first = next((line for line in lines if "error" in line), lines[0] if lines else "")
        raise ode.OdeUnavailableError(f"ode_loop.c does not compile (libode-dev?): {first}")
    library = ctypes.CDLL(str(target))
    folder.cleanup()  # the loaded library stays mapped
    library.ode_loop_run.argtypes = [POINTER(Loop), c_int, c_double, c_int]
    library.ode_loop_run.restype = None
    library.ode_loop_complaints.restype = ctypes.c_long
    return library


def complaints() -> int:
    """Return how often ODE's solver has complained so far."""
    return int(load_loop().ode_loop_complaints())


class OdeRunner:
    """ODE on one benchmark scene."""

    def __init__(self, bench: BenchScene, *, quick: bool = False) -> None:
        self._quick = quick
        self._library = load_loop()
        self._bench = bench
        self._world = OdeWorld(bench.scene)
        self._h = bench.scene.physics.time_step
        self._use_hash_space()
        for body in bench.scene.bodies:
            self._close_loops(body)
        for name, speed in bench.speeds.items():
            self._world.joint(name).target_velocity = speed
        for joint in self._world.joints.values():
            joint.command(self._h)
        self._fill_tables()

    def _use_hash_space(self) -> None:
        """Let it find pairs faster than by trying all, as Webots does."""
        lib = ode.load()
        self._space = lib.dHashSpaceCreate(None)
        for name in ("dSpaceAdd", "dSpaceRemove"):
            getattr(lib, name).argtypes = [c_void_p, c_void_p]
            getattr(lib, name).restype = None
        for record in self._world.geom_records():
            lib.dSpaceRemove(self._world.space, record.handle)
            lib.dSpaceAdd(self._space, record.handle)

    def _close_loops(self, body: Body) -> None:
        lib, poses = ode.load(), world_poses(body)
        nodes = {node.link.path: node for node in self._world.links}
        paths = [link.path for link in body.links]
        for loop in body.loops:
            one, two = loop.ends
            if not isinstance(loop, LoopHinge) or one.link is None or two.link is None:
                raise RuntimeError(f"ODE gets no {type(loop).__name__} here")
            frame = poses[paths.index(one.link)] * one.pose
            handle = lib.dJointCreateHinge(self._world.world, None)
            lib.dJointAttach(handle, nodes[one.link].body, nodes[two.link].body)
            lib.dJointSetHingeAnchor(handle, *frame.position)
            lib.dJointSetHingeAxis(handle, *quat_rotate(frame.rotation, (0.0, 0.0, 1.0)))

    def start_from(self, state: State) -> None:
        """Put bodies where another engine has them."""
        lib = ode.load()
        for node, pose, speed in zip(
            self._world.links, state.poses.tolist(), state.velocities.tolist(), strict=True
        ):
            if node.body is None:
                continue
            rotation: Quat = (pose[3], pose[4], pose[5], pose[6])
            arm = quat_rotate(rotation, node.center)
            if any(node.center):
                raise RuntimeError("takes over bodies whose centre is their origin only")
            lib.dBodySetPosition(node.body, *(p + a for p, a in zip(pose[:3], arm, strict=True)))
            lib.dBodySetQuaternion(node.body, ode.Quaternion(*rotation))
            lib.dBodySetLinearVel(node.body, *speed[:3])
            lib.dBodySetAngularVel(node.body, *speed[3:])

    def state(self) -> State:
        """Return where all links are."""
        return State(self._world.poses(), self._world.velocities(), float(self._loop.depth))

    def _fill_tables(self) -> None:
        world, contacts = self._world, self._bench.scene.contacts
        records = world.geom_records()
        materials = sorted({record.material for record in records})
        self._geoms = (Geom * len(records))()
        lib = ode.load()
        for index, record in enumerate(records):
            self._geoms[index] = Geom(
                materials.index(record.material), record.tree, int(record.jointed_to_world)
            )
            lib.dGeomSetData(record.handle, index + 1)
        count = len(materials)
        self._surfaces = (ode.SurfaceParameters * (count * count))()
        for i, one in enumerate(materials):
            for j, two in enumerate(materials):
                self._surfaces[i * count + j], direction = surface_parameters(
                    contacts.find(one, two),
                    Side(one, (1.0, 0.0, 0.0, 0.0), None),
                    Side(two, (1.0, 0.0, 0.0, 0.0), None),
                    (0.0, 0.0, 1.0),
                    RollingRule.SECOND_SAME,
                )
                assert direction is None
        self._loop = Loop(
            world.world,
            self._space,
            world.contacts,
            ctypes.cast(self._geoms, POINTER(Geom)),
            ctypes.cast(self._surfaces, POINTER(ode.SurfaceParameters)),
            count,
        )

    def settle(self, steps: int) -> None:
        """Advance untimed; piles with the iterative solver, which takes minutes less."""
        many = len(self._world.links) > 50
        self._library.ode_loop_run(ctypes.byref(self._loop), steps, self._h, int(many))

    def step(self, steps: int) -> None:
        """Advance by dWorldStep, or by dWorldQuickStep."""
        self._library.ode_loop_run(ctypes.byref(self._loop), steps, self._h, int(self._quick))

    def remark(self) -> str:
        """Nothing to say."""
        return ""

    def close(self) -> None:
        """Free the world."""
        self._world.close()
        ode.load().dSpaceDestroy(self._space)
