"""Other languages by eSpeak NG, where the extra is installed."""

from __future__ import annotations

import numpy as np
import pytest

from solidbody.speech import espeak
from solidbody.speech.synthesis import RATE
from solidbody.speech.voice import language_problem, speak, speech_time

pytest.importorskip("espeakng_loader", reason="the extra solidbody[speech] is not installed")


@pytest.mark.parametrize("language", ["de-DE", "es-ES", "fr-FR", "it-IT"])
def test_webots_other_languages_are_spoken(language: str) -> None:
    """Each with a voice of its own; the length is that of the samples."""
    assert language_problem(language) is None
    samples = speak("robot simulation 12", language)
    assert 0.05 < np.abs(samples).max() <= 1.0
    assert speech_time("robot simulation 12", language) == len(samples) / RATE
    assert not np.array_equal(samples, speak("robot simulation 12"))


def test_tags_reach_it() -> None:
    """Half the volume; a lower speed lasts longer; a break is silent."""
    text = "guten tag"
    plain = speak(text, "de-DE")
    soft = speak(f'<volume level="50">{text}</volume>', "de-DE")
    # the library rounds volumes to steps of its own
    assert np.abs(soft).max() == pytest.approx(0.5 * float(np.abs(plain).max()), rel=0.2)
    assert len(speak(f'<speed level="60">{text}</speed>', "de-DE")) > 1.2 * len(plain)
    paused = speak(f'{text}<break time="500ms"/>', "de-DE")
    # what the library said last shifts its next text by some samples
    assert len(paused) == pytest.approx(len(plain) + 0.5 * RATE, abs=0.01 * RATE)


def test_a_language_that_it_does_not_know_is_told() -> None:
    """And spoken as English."""
    assert not espeak.is_installed("xx-XX")
    assert "by the rules of English" in (language_problem("xx-XX") or "")
    assert np.array_equal(speak("yes", "xx-XX"), speak("yes"))
