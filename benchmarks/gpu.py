"""`python -m benchmarks.gpu`: steps per second of many worlds on one graphics card, beside mujoco_warp's own.

All in one run; times are those of the device between two events. With `--device cpu` and few worlds it only
shows that everything runs. mujoco_warp (its humanoid, its step) and torch (the policy) may be missing.

    python -m benchmarks.gpu --worlds 1024 8192 32768 --out gpu.json
"""

from __future__ import annotations

import argparse
import hashlib
import importlib
import importlib.util
import json
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

import numpy as np
import warp as wp

from benchmarks.gpu_pictures import TheirPictures, seeing_robot
from benchmarks.gpu_scenes import humanoid_file, humanoid_of_mujoco_warp, quadruped
from benchmarks.scenes import humanoid, two_wheeled_robot
from solidbody.base.transforms import Pose
from solidbody.gpu.device import find_device
from solidbody.model.devices import DeviceDistanceSensor, LookupRow, LookupTable
from solidbody.model.geometry import GeometryBox
from solidbody.model.scene import Scene
from solidbody.sim import Sim
from solidbody.sim.batch.device_batch import DeviceBatch
from tests.physics import building as b

WARM_UP: Final = 100
"""Steps before anything is timed: robots have fallen, graphs are made."""
POOL: Final = 8
"""Arrays of random actions that are used in turn."""
LONG: Final = 10**8
"""World-steps of the case that counts what does not converge."""
LIMP: Final = 0.05
"""Share of the efforts of a figure that cannot hold itself."""
CONTACTS: Final = 20
"""Room for contact points of the humanoid; what finds none is counted."""

GOALS: Final = {
    "humanoid, limp": 12e6,
    "humanoid, random actions": 6e6,
    "quadruped, policy": 4e6,
    "two-wheeled robot, 8": 15e6,
    "cameras 64x64 with shadows": 0.2e6,
}
"""World-steps, or pictures, per second of 32,768 worlds on one H200."""


@dataclass
class Row:
    """What one case has given."""

    case: str
    worlds: int
    rate: float
    notes: dict[str, Any] = field(default_factory=dict[str, Any])

    def __str__(self) -> str:
        notes = ", ".join(f"{name} {value}" for name, value in self.notes.items())
        return f"{self.case:32} {self.worlds:7} worlds {self.rate / 1e6:8.3f} M/s  {notes}"


class Clock:
    """Times work on a device."""

    def __init__(self, device: Any) -> None:
        self._device = device

    def seconds(self, work: Callable[[], object], rounds: int) -> float:
        """Return the time of one round."""
        wp.synchronize_device(self._device)
        if not self._device.is_cuda:
            began = time.perf_counter()
            for _ in range(rounds):
                work()
            return (time.perf_counter() - began) / rounds
        first = wp.Event(self._device, enable_timing=True)
        last = wp.Event(self._device, enable_timing=True)
        wp.record_event(first)
        for _ in range(rounds):
            work()
        wp.record_event(last)
        wp.synchronize_event(last)
        return wp.get_event_elapsed_time(first, last) * 1e-3 / rounds


def used_memory(device: Any) -> int:
    """Return the memory that arrays take on a device [bytes]."""
    return int(wp.get_mempool_used_mem_current(device)) if device.is_cuda else 0


def drop(batch: DeviceBatch, root: str, joints: list[str], seed: int) -> None:
    """Put robots into the air, most of them turned, with any joint angles and targets."""
    count, random = len(batch), np.random.default_rng(seed)
    pose = np.zeros((count, 1, 7))
    pose[:, 0, 2] = random.uniform(0.9, 1.4, count)
    turn = random.normal(size=(count, 4))
    turn[random.uniform(size=count) > 0.7] = (1.0, 0.0, 0.0, 0.0)
    pose[:, 0, 3:] = turn / np.linalg.norm(turn, axis=1, keepdims=True)
    batch.place("link.pose", pose, root)
    batch.place("joint.position", random.uniform(-0.3, 0.3, (count, len(joints))), joints)


def kernel_times(batch: DeviceBatch) -> str:
    """Return the time of each kernel of a step, one after the other [ms]; nothing on the processor."""
    if not batch.device.is_cuda:
        return ""
    wp.timing_begin(cuda_filter=wp.TIMING_KERNEL)
    batch.worlds.step()
    found = wp.timing_end()
    return " ".join(f"{one.name.split()[-1]} {one.elapsed:.3f}" for one in found)


def result(name: str, batch: DeviceBatch, seconds: float, steps: int, **notes: Any) -> Row:
    """Return a row with what the worlds say of themselves."""
    stats = batch.stats
    done = max(1, int(stats["steps"].sum()))
    return Row(
        name,
        len(batch),
        len(batch) * steps / seconds,
        {
            "contacts": round(float(stats["contacts"].mean()), 2),
            "most": int(stats["contacts"].max()),
            "solutions": round(float(stats["pivots"].mean()), 2),
            "unsolved": f"{int(stats['unsolved'].sum())}/{done}",
            "lost": int(stats["lost"].sum()),
            "failed": int(batch.failed.sum()),
            "kernels": kernel_times(batch),
            **notes,
        },
    )


class Figures:
    """The humanoid in all its cases.

    Args:
        device: Of Warp.
        path: Of mujoco_warp's model; None = our own figure of 31 boxes.
    """

    def __init__(self, device: Any, path: Path | None) -> None:
        self.device, self.path, self.clock = device, path, Clock(device)

    def scene(self, strength: float) -> Scene:
        """Return the figure with a share of its strength."""
        return (
            humanoid()[0]
            if self.path is None
            else humanoid_of_mujoco_warp(self.path, strength=strength)
        )

    def batch(self, count: int, strength: float, seed: int = 3) -> tuple[DeviceBatch, int]:
        """Return worlds whose figures fall, and the memory of one [bytes]."""
        sim, before = Sim(self.scene(strength)), used_memory(self.device)
        batch = sim.batch(count, device=str(self.device), contacts=CONTACTS)
        root = next(link.name for link in sim.scene.links() if "Free" in type(link.joint).__name__)
        drop(batch, root, list(batch.channels["joint.position"].items), seed)
        return batch, (used_memory(self.device) - before) // count

    def limp(self, count: int, rounds: int) -> Row:
        """Figures that fall and lie."""
        batch, memory = self.batch(count, LIMP)
        batch.step(WARM_UP, on_error="mask")
        seconds = self.clock.seconds(lambda: batch.step(20, on_error="mask"), rounds)
        return result("humanoid, limp", batch, seconds, 20, bytes=memory)

    def acting(self, count: int, steps: int, name: str = "humanoid, random actions") -> Row:
        """Figures that get other targets in every step."""
        batch, _ = self.batch(count, 1.0)
        target = batch.bind("joint.target_position")
        random = np.random.default_rng(1)
        pool = [
            wp.array(random.uniform(-0.6, 0.6, target.shape), dtype=wp.float64, device=self.device)
            for _ in range(POOL)
        ]
        taken = 0

        def act() -> None:
            nonlocal taken
            wp.copy(target, pool[taken % POOL])
            taken += 1
            batch.step(1, on_error="mask")

        for _ in range(WARM_UP):
            act()
        seconds = self.clock.seconds(act, steps)
        return result(name, batch, seconds, 1)

    def hash_of(self, count: int) -> str:
        """Return a hash of the first worlds after some steps."""
        batch, _ = self.batch(2048 if self.device.is_cuda else 4, LIMP)
        state = batch.snapshot()
        del batch
        many = Sim(self.scene(LIMP)).batch(count, device=str(self.device), contacts=CONTACTS)
        some = len(state)
        many.restore(state, np.arange(some))
        many.step(100, on_error="mask")
        return hashlib.sha256(many.qpos()[:some].tobytes()).hexdigest()[:16]


def legs(device: Any, count: int, rounds: int) -> Iterator[Row]:
    """A policy of 3 x 256 on torch drives robots on four legs."""
    if importlib.util.find_spec("torch") is None:
        return
    torch: Any = importlib.import_module("torch")

    scene, _ = quadruped()
    place = "cuda" if device.is_cuda else "cpu"
    for each in (1, 4):
        batch = Sim(scene).batch(count, device=str(device), contacts=20)
        names = ("link.pose", "link.twist")
        seen = [torch.from_dlpack(batch.bind(name, "trunk")) for name in names]
        seen += [torch.from_dlpack(batch.bind(n)) for n in ("joint.position", "joint.velocity")]
        told = torch.from_dlpack(batch.bind("joint.target_velocity"))
        width = sum(int(np.prod(part.shape[1:])) for part in seen)
        torch.manual_seed(0)
        sizes = (width, 256, 256, 256, told.shape[1])
        layers: list[Any] = []
        for k in range(4):
            layers += [torch.nn.Linear(sizes[k], sizes[k + 1]), torch.nn.Tanh()]
        policy = torch.nn.Sequential(*layers).to(place)

        @torch.no_grad()
        def act(
            batch: DeviceBatch = batch,
            seen: Any = seen,
            told: Any = told,
            policy: Any = policy,
            each: int = each,
        ) -> None:
            rows = torch.cat([part.flatten(1) for part in seen], dim=1).float()
            told.copy_(6.0 * policy(rows))
            batch.step(each, on_error="mask")

        for _ in range(WARM_UP // each):
            act()
        seconds = Clock(device).seconds(act, 10 * rounds)
        yield result(f"quadruped, policy, {each} a step", batch, seconds, 1, steps_each=each)


def among_boxes() -> Scene:
    """Return the robot on two wheels with eight distance sensors around it, among four boxes."""
    scene = two_wheeled_robot(step=0.008)
    robot = next(body for body in scene.bodies if len(body.links) > 1)
    eyes = tuple(
        DeviceDistanceSensor(
            name=f"ds{k}",
            pose=Pose((0.0, 0.0, 0.05), b.turned((0.0, 0.0, 1.0), 0.25 * k * np.pi)),
            lookup=LookupTable((LookupRow(0.0, 0.0, 0.0), LookupRow(2.0, 2.0, 0.0))),
        )
        for k in range(8)
    )
    first = replace(robot.links[0], devices=eyes)
    seeing = replace(robot, links=(first, *robot.links[1:]))
    boxes = (
        b.static_body(f"box{k}", GeometryBox((0.4, 0.4, 0.4)), at=(2.0 * x, 2.0 * y, 0.2))
        for k, (x, y) in enumerate(((1, 0), (0, 1), (-1, 0), (0, -1)))
    )
    bodies = [seeing if body is robot else body for body in scene.bodies]
    return replace(scene, bodies=(*bodies, *boxes))


def wheels(device: Any, count: int, rounds: int) -> Iterator[Row]:
    """Robots on two wheels: blind, and with eight distances read after every step."""
    speeds = np.random.default_rng(0).uniform(-8.0, 8.0, (count, 2))
    for name, scene, steps in (
        ("two-wheeled robot, no sensors", two_wheeled_robot(step=0.008), 20),
        ("two-wheeled robot, 8 distances", among_boxes(), 1),
    ):
        batch = Sim(scene).batch(count, device=str(device), contacts=12)
        batch.bind("joint.target_velocity").assign(speeds)
        found = batch.bind("sensor.distance") if steps == 1 else None
        batch.step(WARM_UP, on_error="mask")

        def work(batch: DeviceBatch = batch, steps: int = steps) -> None:
            batch.step(steps, on_error="mask")

        seconds = Clock(device).seconds(work, rounds * (20 // steps))
        notes = {} if found is None else {"distance": round(float(found.numpy().mean()), 3)}
        yield result(name, batch, seconds, steps, **notes)


def cameras(device: Any, count: int, rounds: int) -> Iterator[Row]:
    """A camera on each robot: what a step costs more with its picture than without."""
    clock, found = Clock(device), dict[bool, float]()
    picture: Any = None
    for sees in (False, True):
        batch = Sim(seeing_robot()).batch(count, device=str(device), contacts=12)
        speeds = np.random.default_rng(0).uniform(-8.0, 8.0, (count, 2))
        batch.bind("joint.target_velocity").assign(speeds)
        picture = batch.bind("sensor.camera") if sees else None
        batch.step(WARM_UP if device.is_cuda else 1, on_error="mask")

        def work(batch: DeviceBatch = batch) -> None:
            batch.step(1, on_error="mask")

        found[sees] = clock.seconds(work, 4 * rounds)
    notes = {
        "with_step": round(count / found[True]),
        "spread": round(float(picture.numpy().std()), 1),
    }
    yield Row("cameras 64x64 with shadows", count, count / (found[True] - found[False]), notes)
    if device.is_cuda and importlib.util.find_spec("mujoco_warp") is not None:
        seconds = clock.seconds(TheirPictures(device, count).look, 4 * rounds)
        yield Row("mujoco_warp, pictures", count, count / seconds)


def theirs(device: Any, path: Path, count: int, rounds: int) -> Row:
    """mujoco_warp's own softer step, limp."""
    import mujoco

    mjw: Any = importlib.import_module("mujoco_warp")

    with wp.ScopedDevice(device):
        model = mujoco.MjModel.from_xml_path(str(path))
        m = mjw.put_model(model)
        m.opt.warn_overflow = 0
        d = mjw.make_data(model, nworld=count, nconmax=24, njmax=128)
        random = np.random.default_rng(3)
        qpos = d.qpos.numpy()
        turn = random.normal(size=(count, 4))
        qpos[:, 2] = random.uniform(0.9, 1.4, count)
        qpos[:, 3:7] = turn / np.linalg.norm(turn, axis=1, keepdims=True)
        qpos[:, 7:] = random.uniform(-0.3, 0.3, (count, qpos.shape[1] - 7))
        d.qpos.assign(qpos)
        mjw.step(m, d)
        with wp.ScopedCapture() as capture:
            mjw.step(m, d)
        graph: Any = capture.graph

        def work() -> None:
            wp.capture_launch(graph)

        for _ in range(WARM_UP):
            work()
        seconds = Clock(device).seconds(work, 20 * rounds)
        finite = bool(np.isfinite(d.qpos.numpy()).all())
        contacts = round(float(d.nacon.numpy()[0]) / count, 2)
    return Row(
        "mujoco_warp, limp", count, count / seconds, {"contacts": contacts, "finite": finite}
    )


def main() -> None:
    """Time everything, print and write it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--worlds", type=int, nargs="+", default=[1024, 8192, 32768])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--out", type=Path, help="where rows are written to, as JSON")
    parser.add_argument(
        "--only",
        nargs="+",
        help="limp acting legs wheels cameras theirs same long; all but long if left out",
    )
    options = parser.parse_args()
    device = find_device(options.device)
    figures = Figures(device, humanoid_file())
    rows: list[Row] = []
    wanted = options.only or ["limp", "acting", "legs", "wheels", "cameras", "theirs", "same"]

    def note(row: Row) -> None:
        rows.append(row)
        print(row, flush=True)
        if options.out:
            options.out.write_text(json.dumps([vars(one) for one in rows], indent=1))

    print(f"{device.name}, figure of {'mujoco_warp' if figures.path else 'boxes'}", flush=True)
    for name in wanted:
        began = time.monotonic()
        try:
            for count in options.worlds:
                if name == "limp":
                    note(figures.limp(count, options.rounds))
                elif name == "acting":
                    note(figures.acting(count, 20 * options.rounds))
                elif name == "legs":
                    for row in legs(device, count, options.rounds):
                        note(row)
                elif name == "wheels":
                    for row in wheels(device, count, options.rounds):
                        note(row)
                elif name == "cameras":
                    for row in cameras(device, count, options.rounds):
                        note(row)
                elif name == "theirs" and figures.path is not None:
                    note(theirs(device, figures.path, count, options.rounds))
            if name == "long":
                count = max(options.worlds)
                steps = -(-LONG // count) if device.is_cuda else 10
                note(figures.acting(count, steps, "humanoid, random actions, long"))
            if name == "same":
                small, large = (2048, 4096) if device.is_cuda else (4, 6)
                found = [figures.hash_of(count) for count in (small, large, large)]
                print(f"same bytes in {small}, {large}, {large} worlds: {found}", flush=True)
        except Exception as error:  # the other cases go on
            print(f"{name}: {type(error).__name__}: {error}", file=sys.stderr, flush=True)
        print(f"  [{name}: {time.monotonic() - began:.0f} s]", flush=True)
    for row in rows:
        goal = next((goal for case, goal in GOALS.items() if row.case.startswith(case)), None)
        if goal and row.worlds == max(options.worlds):
            print(f"{row.case}: {row.rate / 1e6:.2f} M/s of {goal / 1e6:g}")


if __name__ == "__main__":
    main()
