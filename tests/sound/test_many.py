"""Many contacts at once: who is heard, and what it costs."""

from __future__ import annotations

import numpy as np
import pytest

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.base.file_access import EVERY_FILE
from solidbody.sound.clips import RATE, ClipLibrary
from solidbody.sound.mixer import Mixer
from solidbody.sound.sources import VOICE_LIMIT, ContactSource
from tests.devices.worlds import sim_of


def _balls(count: int, drop: float) -> str:
    """Balls above a floor, each `drop` higher than the one before."""
    floor = "Solid { boundingObject Plane { size 100 100 } }"
    solids = "".join(
        f'Solid {{ name "b{k}" translation {0.5 * (k % 10)} {0.5 * (k // 10)} {0.1 + drop * (k + 1)} '
        "boundingObject Sphere { radius 0.1 } physics Physics { density -1 mass 1 } }"
        for k in range(count)
    )
    return floor + solids


def test_the_loudest_contacts_are_heard_each_from_its_place() -> None:
    """80 balls land one after the other in groups; voices are at most as many as are allowed."""
    sim = sim_of(_balls(80, 0.0005), step_ms=4)
    mixer = Mixer(RATE)
    source = ContactSource(sim, ClipLibrary((), DiagnosticLog(), EVERY_FILE), mixer)
    places: set[tuple[float, float]] = set()
    most = 0
    for _ in range(40):
        before = set(mixer.voices)
        sim.step()
        source.advance(sim.time_step)
        most = max(most, len(set(mixer.voices) - before))
        places |= {(round(v.at[0], 1), round(v.at[1], 1)) for v in mixer.voices.values() if v.at}
        mixer.skip(sim.time_step)
    assert 0 < most <= VOICE_LIMIT
    # the balls at 0.0405 m fall for 0.09 s and are heard; those that begin at 0.5 mm barely touch
    assert len(places) > 40
    assert places <= {(round(0.5 * x, 1), round(0.5 * y, 1)) for x in range(10) for y in range(8)}


def test_one_pair_does_not_hear_another() -> None:
    """Two balls fall 0.2 m and 0.05 m: each knocks with its own energy m·g·h.

    The gain sqrt(100 E) is cut at 1, so that balls of 1 g are dropped: E = 1.96 mJ and 0.49 mJ give 0.44 and
    0.22. A step of 1 ms more or less of falling changes the speed by 0.01 m/s in 2 m/s and 1 m/s.
    """
    ball = (
        'Solid {{ name "{0}" translation {1} 0 {2} boundingObject Sphere {{ radius 0.1 }} '
        "physics Physics {{ density -1 mass 0.001 }} }}"
    )
    floor = "Solid { boundingObject Plane { size 100 100 } }"
    sim = sim_of(floor + ball.format("a", 0, 0.3) + ball.format("b", 1, 0.15), step_ms=1)
    mixer = Mixer(RATE)
    source = ContactSource(sim, ClipLibrary((), DiagnosticLog(), EVERY_FILE), mixer)
    first: dict[int, float] = {}
    for _ in range(230):
        sim.step()
        source.advance(sim.time_step)
        for voice in mixer.voices.values():
            assert voice.at is not None
            first.setdefault(round(voice.at[0]), voice.gain)
        mixer.skip(sim.time_step)
    heights = {0: 0.2, 1: 0.05}
    for place, height in heights.items():
        expected = np.sqrt(100.0 * 0.001 * 9.81 * height)
        assert first[place] == pytest.approx(expected, rel=0.03)
