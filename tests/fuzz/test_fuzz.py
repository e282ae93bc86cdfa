"""A short run of the fuzzers: 250 inputs of each kind, without a fault.

Referee: none is needed; `kind.py` says what a fault is. The processor time that a kind allows was measured on
a quiet machine; here an input may take three times as much.
"""

from __future__ import annotations

import os
import random
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fuzz.damage import damaged_bytes, damaged_text
from tests.fuzz.kinds import KINDS
from tests.fuzz.probes import KINDS as PROBES
from tests.fuzz.running import Runner, table

COUNT = 250

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs limits of processes")


@pytest.fixture(scope="module")
def runner() -> Iterator[Runner]:
    """One process for all kinds, as starting it takes seconds."""
    before = os.environ.get("FUZZ_PATIENCE")
    os.environ["FUZZ_PATIENCE"] = "3"
    running = Runner(KINDS)
    yield running
    running.close()
    if before is None:
        del os.environ["FUZZ_PATIENCE"]
    else:
        os.environ["FUZZ_PATIENCE"] = before


@pytest.mark.slow
@pytest.mark.parametrize("name", KINDS)
def test_damaged_input_is_refused_or_read(runner: Runner, name: str) -> None:
    """If this fails: python -m tests.fuzz --kind NAME --seed SEED --count 1."""
    runner.run(name, 0, COUNT)
    tally = runner.tallies[name]
    assert tally.inputs == COUNT
    assert not tally.faults, f"{tally.faults}\n{table({name: tally})}"


# the fuzzers themselves


@pytest.mark.parametrize("name", KINDS)
def test_inputs_are_the_same_for_the_same_seed(name: str) -> None:
    """A fault can be looked at again, also by others."""
    assert KINDS[name].input(5) == KINDS[name].input(5) != KINDS[name].input(6)


def test_damage_changes_what_it_is_given() -> None:
    whole = bytes(range(200))
    text = "a 1 b 2 c [ 3 ] " * 5
    changed = sum(damaged_bytes(whole, random.Random(k)) != whole for k in range(100))
    changed += sum(damaged_text(text, random.Random(k), ["x"]) != text for k in range(100))
    assert changed > 180


EXPECTED = {
    "error": "KeyError at probes.py",
    "exit": "exit status 3",
    "crash": "SIGABRT",
    "loop": "it took far too much processor time",
    "memory": "MB; 100 are allowed",
    "nan": "FaultError at",
    "refused": "",
    "accepted": "",
}


@pytest.fixture(scope="module")
def probe_runner(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Runner, Path]]:
    """Runs readers that fail."""
    kept = tmp_path_factory.mktemp("kept")
    running = Runner(PROBES, kept, "tests.fuzz.probes")
    yield running, kept
    running.close()


@pytest.mark.slow
@pytest.mark.parametrize("name", PROBES)
def test_faults_are_seen_named_and_kept(probe_runner: tuple[Runner, Path], name: str) -> None:
    """An exception, the end of the process, a crash, a hang, memory, a number that is none."""
    running, kept = probe_runner
    running.run(name, 0, 2)
    tally = running.tallies[name]
    assert tally.inputs == 2
    if not EXPECTED[name]:
        assert not tally.faults
        assert (tally.refused, tally.accepted) == ((2, 0) if name == "refused" else (0, 2))
        return
    assert sorted(tally.faults) == [0, 1]
    assert EXPECTED[name] in tally.faults[0]
    assert (kept / f"{name}-0" / "a.txt").read_bytes() == PROBES[name].input(0)["a.txt"]
