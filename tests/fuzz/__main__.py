"""`python -m tests.fuzz --minutes N [--kind K] [--seed S]`: feeds damaged input to all readers and wires."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from tests.fuzz.kinds import KINDS
from tests.fuzz.running import Runner, run_for, table


def main() -> int:
    """Run, print the table, return 1 if there were faults."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--minutes", type=float, default=1.0, help="how long by the clock")
    parser.add_argument("--kind", action="append", choices=sorted(KINDS), help="only these")
    parser.add_argument("--seed", type=int, default=0, help="first seed of each kind")
    parser.add_argument("--count", type=int, help="so many of each kind, however long it takes")
    parser.add_argument("--batch", type=int, default=200, help="inputs of a kind in a row")
    parser.add_argument("--jobs", type=int, default=1, help="processes side by side")
    parser.add_argument("--keep", type=Path, default=Path("build/fuzz"), help="failing inputs")
    given = parser.parse_args()
    kinds = {name: kind for name, kind in KINDS.items() if not given.kind or name in given.kind}
    start = time.monotonic()
    if given.count is not None:
        runner = Runner(kinds, given.keep)
        for name in kinds:
            runner.run(name, given.seed, given.count)
            for seed, fault in runner.tallies[name].faults.items():
                print(f"{name} {seed}: {fault}", flush=True)
        runner.close()
        tallies = runner.tallies
    else:
        tallies = run_for(
            kinds,
            seconds=60.0 * given.minutes,
            seed=given.seed,
            batch=given.batch,
            jobs=given.jobs,
            kept=given.keep,
            say=lambda text: print(text, flush=True),
        )
    print(table(tallies))
    faults = sum(len(item.faults) for item in tallies.values())
    print(f"{faults} faults in {time.monotonic() - start:.0f} s")
    if faults:
        print(f"failing inputs are in {given.keep}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
