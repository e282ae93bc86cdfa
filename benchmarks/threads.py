"""What several threads gain on scenes of many islands, by the clock of an otherwise idle machine."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator

from benchmarks.scenes import many_robots, mixed_pile
from solidbody.model.scene import Scene
from solidbody.sim import Sim

ROUNDS = 7


def _cases() -> tuple[tuple[str, Scene, dict[str, float], int, int], ...]:
    robots, speeds = many_robots(50)
    more, their_speeds = many_robots(200)
    return (
        ("50 robots", robots, speeds, 100, 40),
        ("200 robots", more, their_speeds, 100, 10),
        ("pile of 300", mixed_pile(300), {}, 60, 4),
    )


def thread_gains() -> Iterator[str]:
    """Yield a line per scene: 1, 2 and 4 threads, interleaved, the best round of each."""
    counts = [count for count in (1, 2, 4) if count <= (os.cpu_count() or 1)]
    for name, scene, speeds, settle, steps in _cases():
        sims: list[Sim] = []
        for count in counts:
            sim = Sim(scene, engine="native", threads=count)
            for joint, speed in speeds.items():
                sim.joint(joint).target_velocity = speed
            sim.step(settle)
            sims.append(sim)
        best = dict.fromkeys(counts, float("inf"))
        for _ in range(ROUNDS):
            for count, sim in zip(counts, sims, strict=True):
                start = time.perf_counter()
                sim.step(steps)
                best[count] = min(best[count], (time.perf_counter() - start) / steps * 1e6)
        islands = sims[0].stats.islands
        yield f"{name:<14} {islands:4} islands  " + "  ".join(
            f"{count} threads {value:,.0f} ({best[counts[0]] / value:.2f}x)"
            for count, value in best.items()
        )
