"""`python -m benchmarks.logs OUT.json [FILE or FOLDER ...]`: a digest of the log of every world's run.

Every world runs two simulated seconds through `solidbody run --headless --log`, first without the programs of
its robots, then with those that are found (Webots' worlds without extern ones). OUT.json gets for each run
how it ended, the digest of its log, of the log's first rows (for runs that a budget cuts off) and of what was
said. Without places: the examples, then the worlds of the corpus beside the repository. PYTHONPATH picks the
tree that runs, so two trees can be compared:

    PYTHONPATH=OLD/src python -m benchmarks.logs old.json
    PYTHONPATH=NEW/src python -m benchmarks.logs new.json
    python -m benchmarks.logs --compare old.json new.json
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import importlib
import json
import os
import resource
import signal
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmarks.running import PLACES, worlds

KINDS = (".wbt", ".cnoid")
HEAD = 20
"""Rows of a log that are compared when the budget has cut off its end."""
LOST = 8.0
"""Factor by which the clock may be behind the processor's time before a run is ended."""
TIMING = "simulated "
"""How the line begins that differs from run to run: it tells the time that the run has taken."""


@dataclass(frozen=True, slots=True)
class Digest:
    """How one run ended, and digests of what it has written."""

    outcome: str
    log: str = ""
    head: str = ""
    said: str = ""
    rows: int = 0


def _sha(text: bytes) -> str:
    return hashlib.sha256(text).hexdigest()


def _command(world: Path, log: Path, seconds: float, *, controllers: bool) -> list[str]:
    words = ["run", str(world), "--headless", "--duration", f"{seconds:g}", "--log", str(log)]
    return [*words, "--no-cut-meshes", "--controllers" if controllers else "--no-controllers"]


def _run_child(words: list[str], said: Path, budget: float) -> None:
    """Be the command line in a forked process; never returns."""
    os.setsid()
    resource.setrlimit(resource.RLIMIT_CPU, (int(budget), int(budget) + 1))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    file = os.open(said, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(file, 1)
    os.dup2(file, 2)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    code = 1
    try:
        sys.argv = ["solidbody", *words]
        from solidbody.cli.app import main

        main()
        code = 0
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException as error:  # the outcome of this run, not ours
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def _wait(child: int, limit: float) -> str:
    """Return how a child ended, at most `limit` seconds from now; its processes end with it."""
    end, nap = time.monotonic() + limit, 0.02
    status = None
    while status is None and time.monotonic() < end:
        done, found = os.waitpid(child, os.WNOHANG)
        status = found if done else None
        if status is None:
            time.sleep(nap)
            nap = min(2.0 * nap, 0.5)
    with contextlib.suppress(ProcessLookupError, PermissionError):  # where nobody is left
        os.killpg(child, signal.SIGKILL)
    if status is None:
        os.waitpid(child, 0)
        return "lost"
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        return "slow" if number in (signal.SIGXCPU, signal.SIGKILL) else f"signal {number}"
    return f"exit {os.WEXITSTATUS(status)}"


def run_world(world: Path, *, seconds: float, budget: float, controllers: bool) -> Digest:
    """Run a world in a process of its own, with `budget` seconds of processor time."""
    with tempfile.TemporaryDirectory() as folder:
        log, said = Path(folder) / "log.csv", Path(folder) / "said.txt"
        words = _command(world, log, seconds, controllers=controllers)
        sys.stdout.flush()
        child = os.fork()
        if child == 0:
            _run_child(words, said, budget)
        outcome = _wait(child, LOST * budget)
        text = log.read_bytes() if log.exists() else b""
        talk = said.read_bytes() if said.exists() else b""
    for place in (folder, _tree()):
        talk = talk.replace(str(place).encode(), b"")
    # several programs talk at once: the order of their lines is not part of the result
    lines = sorted(line for line in talk.splitlines() if not line.startswith(TIMING.encode()))
    rows = text.splitlines(keepends=True)
    return Digest(
        outcome, _sha(text), _sha(b"".join(rows[: HEAD + 1])), _sha(b"\n".join(lines)), len(rows)
    )


def _tree() -> Path:
    """Return the folder of the package that runs."""
    import solidbody

    return Path(solidbody.__file__).parent


def starts_programs(world: Path) -> bool:
    """Whether robots of a world may have programs that we start: those of others would be waited for."""
    return world.suffix == ".wbt" and "<extern>" not in world.read_text("utf-8", "replace")


def _name(world: Path) -> str:
    for place in PLACES:
        if world.resolve().is_relative_to(place):
            return f"{place.name}/{world.resolve().relative_to(place)}"
    return str(world)


def _runs(places: list[Path]) -> Iterator[tuple[str, Path, bool]]:
    for world in worlds(places):
        if world.suffix not in KINDS:
            continue
        yield _name(world), world, False
        if starts_programs(world):
            yield f"{_name(world)} +controllers", world, True


def write_digests(out: Path, places: list[Path], *, seconds: float, budget: float) -> None:
    """Run all worlds, one after the other; the file grows run by run."""
    for part in ("cli.app", "control", "sim"):  # once, not in each process
        importlib.import_module(f"solidbody.{part}")
    print(f"running {_tree()}")
    found: dict[str, dict[str, object]] = {}
    for name, world, controllers in _runs(places):
        digest = run_world(world, seconds=seconds, budget=budget, controllers=controllers)
        found[name] = asdict(digest)
        print(f"{digest.outcome:8} {digest.rows:6d} {digest.log[:12]} {name}", flush=True)
        out.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


def difference(old: Digest, new: Digest) -> str:
    """Return in what two runs differ; nothing if they are the same as far as both have come."""
    if "slow" in (old.outcome, new.outcome) or "lost" in (old.outcome, new.outcome):
        short = min(old.rows, new.rows) <= HEAD
        return "" if short or old.head == new.head else "the first rows differ"
    if old.outcome != new.outcome:
        return f"{old.outcome} has become {new.outcome}"
    if old.log != new.log:
        return f"the log differs ({old.rows} and {new.rows} rows)"
    return "" if old.said == new.said else "what is said differs"


def compare(old: Path, new: Path) -> int:
    """Print what differs between two files of digests; 1 if anything does."""
    before, after = (
        {name: Digest(**row) for name, row in json.loads(file.read_text("utf-8")).items()}
        for file in (old, new)
    )
    both = [name for name in before if name in after]
    found = {name: difference(before[name], after[name]) for name in both}
    for name, text in found.items():
        if text:
            print(f"{text}: {name}")
    for name in sorted(before.keys() ^ after.keys()):
        print(f"only in {(old if name in before else new).name}: {name}")
    differ = sum(bool(text) for text in found.values())
    cut = sum("slow" in (before[n].outcome, after[n].outcome) for n in both)
    print(f"{len(both)} runs in both, {differ} differ, {cut} cut off by the budget")
    return int(differ > 0 or before.keys() != after.keys())


def main() -> int:
    """Write digests, or compare two files of them."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.logs",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("out", type=Path)
    parser.add_argument("places", nargs="*", type=Path)
    parser.add_argument("--seconds", type=float, default=2.0, help="simulated")
    parser.add_argument("--budget", type=float, default=20.0, help="processor time for each run")
    parser.add_argument(
        "--compare", action="store_true", help="OUT.json and one more, written before"
    )
    options = parser.parse_args()
    if options.compare:
        if len(options.places) != 1:
            parser.error("--compare takes two files")
        return compare(options.out, options.places[0])
    places = options.places or list(PLACES)
    write_digests(options.out, places, seconds=options.seconds, budget=options.budget)
    return 0


if __name__ == "__main__":
    sys.exit(main())
