"""How the time of a step grows with the number of bodies, for piles of several shapes.

`python -m benchmarks.growth` prints milliseconds of processor time per step, and x where they grow as n^x
from the fewest bodies to the most. An open pile of 100 falls apart into small groups while one of 1000 stays
a heap; between walls, piles of any number are equally deep.
"""

from __future__ import annotations

import math
import time

from benchmarks.cases import MOVING, SETTLED
from benchmarks.scenes import mixed_pile
from solidbody.sim import Sim

COUNTS = (100, 300, 1000)
LAYERS = {"open heap": 0, "2 layers": 2, "3 layers": 3, "5 layers": 5}
TIMED = 40
"""Steps."""


def times(count: int, layers: int, seed: int) -> tuple[float, float]:
    """Return the time of a step just after landing and later [ms]."""
    sim = Sim(mixed_pile(count, layers=layers, seed=seed))
    sim.step(MOVING)
    landing = _timed(sim)
    sim.step(SETTLED - MOVING - TIMED)
    return landing, _timed(sim)


def _timed(sim: Sim) -> float:
    begin = time.process_time()
    sim.step(TIMED)
    return (time.process_time() - begin) / TIMED * 1e3


def exponent(few: float, many: float) -> float:
    """Return x for which times from the fewest to the most bodies grow as n^x."""
    return math.log(many / few) / math.log(COUNTS[-1] / COUNTS[0])


def main() -> None:
    """Print the table, of three piles of each kind."""
    print(f"{'':12}" + "".join(f"{count:>16}" for count in COUNTS) + f"{'n^x':>14}")
    print(f"{'':12}" + f"{'landing settled':>16}" * len(COUNTS) + f"{'':4}(ms per step)")
    for name, layers in LAYERS.items():
        rows = [[times(count, layers, seed) for seed in range(3)] for count in COUNTS]
        means = [[sum(kind) / len(kind) for kind in zip(*row, strict=True)] for row in rows]
        cells = "".join(f"{landing:8.2f}{settled:8.2f}" for landing, settled in means)
        growth = [exponent(few, many) for few, many in zip(means[0], means[-1], strict=True)]
        print(f"{name:12}{cells}{growth[0]:7.2f}{growth[1]:7.2f}", flush=True)


if __name__ == "__main__":
    main()
