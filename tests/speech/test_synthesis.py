"""The sounds themselves, measured: resonances, pitch, hisses, stops, lengths."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from solidbody.speech.phonemes import PHONEMES, PhonemeKind
from solidbody.speech.synthesis import RATE, synthesise
from solidbody.speech.tracks import Spoken, make_tracks
from solidbody.speech.voice import LOUDNESS, language_problem, speak, speech_time

Floats = NDArray[np.float64]

PITCH = 100.0

TEXTBOOK = {
    "IY": (270, 2290, 3010),
    "IH": (390, 1990, 2550),
    "EH": (530, 1840, 2480),
    "AE": (660, 1720, 2410),
    "AA": (730, 1090, 2440),
    "AO": (570, 840, 2410),
    "UH": (440, 1020, 2240),
    "UW": (300, 870, 2240),
    "AH": (640, 1190, 2390),
    "ER": (490, 1350, 1690),
}
"""[1/s] Mean resonances of men's vowels: Peterson and Barney, J. Acoust. Soc. Am. 24 (1952) 175, table II."""


def _sound(*names: str, times: float = 1.0) -> Floats:
    return synthesise(
        make_tracks([Spoken(name, stress=1, stretch=times, tone=PITCH) for name in names])
    )


def _spectrum(samples: Floats) -> tuple[Floats, Floats]:
    """Frequencies [1/s] and power."""
    power = np.abs(np.fft.rfft(samples * np.hanning(len(samples)))) ** 2
    return np.linspace(0.0, RATE / 2, len(power)), power.astype(np.float64)


def _formants(samples: Floats) -> list[float]:
    """Return the resonances that linear prediction finds, at 8,000 samples per second [1/s]."""
    count = round(len(samples) * 8000 / RATE)
    spectrum = np.fft.rfft(samples)[: count // 2 + 1]
    low = np.fft.irfft(spectrum, count)
    low = np.append(low[0], low[1:] - 0.95 * low[:-1]) * np.hamming(count)
    order = 10
    lags = np.array([low[: count - k] @ low[k:] for k in range(order + 1)])
    matrix = lags[np.abs(np.subtract.outer(np.arange(order), np.arange(order)))]
    roots = np.roots(np.append(1.0, -np.linalg.solve(matrix, lags[1:])))
    roots = roots[(roots.imag > 0.0) & (np.abs(roots) > 0.8)]
    return sorted((np.angle(roots) * 8000 / (2 * np.pi)).tolist())


@pytest.mark.parametrize("name", TEXTBOOK)
def test_vowels_have_the_resonances_of_textbooks(name: str) -> None:
    """Found by linear prediction in the sound, not in the table.

    Men differ from their mean by about 10 % (the spread within the measurement); resonances are found
    no finer than half the distance of the overtones, 50 Hz.
    """
    samples = _sound(name, times=3.0)
    middle = samples[len(samples) // 3 : 2 * len(samples) // 3]
    found = _formants(middle)
    for expected in TEXTBOOK[name]:
        nearest = min(found, key=lambda f: abs(f - expected))
        assert nearest == pytest.approx(expected, abs=0.1 * expected + 50.0), (name, found)


def test_the_voice_has_its_pitch() -> None:
    """The strongest lag of an open vowel is one period, to a sample."""
    samples = _sound("AA", times=2.0)[2000:6000]
    lags = np.correlate(samples, samples, "full")[len(samples) - 1 :]
    period = 100 + int(np.argmax(lags[100:400]))
    assert period == pytest.approx(RATE / PITCH, abs=1.0)


def _centre(name: str) -> float:
    """Return the middle of the power of a sound [1/s]."""
    samples = _sound("AA", name, "AA", times=1.5)
    middle = len(samples) // 2
    frequency, power = _spectrum(samples[middle - 500 : middle + 500])
    power = power * (frequency > 300.0)
    return float((frequency * power).sum() / power.sum())


def test_hisses_are_told_apart_by_their_height() -> None:
    """Textbooks: s mostly above 4 kHz, sh around 2.5 to 4.5 kHz, f and th flat."""
    assert _centre("S") > 4500.0
    assert 2500.0 < _centre("SH") < 4500.0
    assert _centre("S") > _centre("TH") > 2000.0


def _power(samples: Floats, low: float, high: float) -> float:
    frequency, power = _spectrum(samples)
    return float(power[(frequency >= low) & (frequency < high)].sum())


@pytest.mark.parametrize(
    ("voiced", "voiceless"), [("Z", "S"), ("V", "F"), ("ZH", "SH"), ("DH", "TH")]
)
def test_voiced_hisses_hum(voiced: str, voiceless: str) -> None:
    """Power at the pitch and its first overtones, against the hiss without voice."""
    hums = []
    for name in (voiced, voiceless):
        samples = _sound("AA", name, "AA", times=2.0)
        middle = len(samples) // 2
        hums.append(_power(samples[middle - 600 : middle + 600], 60.0, 350.0))
    assert hums[0] > 10.0 * hums[1]


@pytest.mark.parametrize("name", ["P", "T", "K"])
def test_voiceless_stops_are_silent_and_burst_open(name: str) -> None:
    """In the middle of the closure there is nothing; the burst after it is far louder."""
    samples = _sound("AA", name, "AA")
    vowel = PHONEMES["AA"].duration
    closed = PHONEMES[name].duration
    middle = round((vowel + 0.6 * closed) * RATE)
    opening = round((vowel + closed) * RATE)
    quiet = float(np.abs(samples[middle - 150 : middle + 150]).max())
    burst = float(np.abs(samples[opening : opening + 300]).max())
    assert quiet < 0.02 < burst
    assert burst > 4.0 * quiet


@pytest.mark.parametrize("name", ["B", "D", "G"])
def test_voiced_stops_hum_while_they_are_closed(name: str) -> None:
    """Against the voiceless twin."""
    twin = {"B": "P", "D": "T", "G": "K"}[name]
    hums = []
    for stop in (name, twin):
        samples = _sound("AA", stop, "AA", times=2.0)
        middle = round((2 * PHONEMES["AA"].duration + PHONEMES[stop].duration) * RATE)
        hums.append(_power(samples[middle - 400 : middle + 400], 60.0, 350.0))
    assert hums[0] > 30.0 * hums[1]


def test_lips_gums_and_palate_burst_at_their_own_heights() -> None:
    """Textbooks: p low and spread, k compact near the second resonance, t highest."""
    centres = {}
    for name in ("P", "T", "K"):
        samples = _sound("AA", name, "AA")
        opening = round((PHONEMES["AA"].duration + PHONEMES[name].duration) * RATE)
        frequency, power = _spectrum(samples[opening : opening + 250])
        centres[name] = float((frequency * power).sum() / power.sum())
    assert centres["P"] < centres["K"] < centres["T"]


@pytest.mark.parametrize("name", ["M", "N", "NG"])
def test_nasals_are_low_and_weaker_than_vowels(name: str) -> None:
    """Most power lies below 500 Hz."""
    samples = _sound("AA", name, "AA", times=2.0)
    middle = len(samples) // 2
    nasal = samples[middle - 500 : middle + 500]
    assert _power(nasal, 0.0, 500.0) > 4.0 * _power(nasal, 500.0, 4000.0)
    assert np.abs(nasal).max() < 0.7 * np.abs(samples[1000:3000]).max()


def test_diphthongs_move() -> None:
    """The second resonance of "eye" rises by more than 500 Hz."""
    samples = _sound("AY", times=3.0)
    third = len(samples) // 4
    start, end = samples[:third], samples[-third:]
    assert _formants(end)[1] > _formants(start)[1] + 500.0


def test_every_sound_can_be_heard_and_stays_within_bounds() -> None:
    """Between two vowels and alone; nothing is silent or breaks out."""
    for name, phoneme in PHONEMES.items():
        samples = _sound(name) if phoneme.kind is PhonemeKind.VOWEL else _sound("AH", name, "AH")
        assert np.isfinite(samples).all()
        assert 0.3 < np.abs(samples).max() < 5.0, name


def test_a_text_lasts_as_long_as_it_is_said_to() -> None:
    """To the sample, with tags and pauses; nothing to say is no time."""
    for text in ("hello", '<speed level="70">Wait, please.</speed>', "", "..."):
        assert speech_time(text) == pytest.approx(len(speak(text)) / RATE, abs=1e-9)
    assert speech_time("") == 0.0


def test_tags_change_speed_pitch_and_volume() -> None:
    """Half the speed lasts twice as long but for bursts; double the pitch; half the volume."""
    text = "we are all on"
    plain = speech_time(text)
    assert speech_time(f'<speed level="50">{text}</speed>') == pytest.approx(2 * plain, rel=0.02)
    loud, soft = speak(text), speak(f'<volume level="50">{text}</volume>')
    assert np.abs(soft).max() == pytest.approx(0.5 * float(np.abs(loud).max()), rel=1e-3)

    def period(samples: NDArray[np.float32]) -> int:
        part = samples[6000:9000].astype(np.float64)
        lags = np.correlate(part, part, "full")[len(part) - 1 :]
        return 60 + int(np.argmax(lags[60:320]))

    high = speak(f'<pitch level="150">{text}</pitch>')
    assert period(loud) / period(high) == pytest.approx(1.5, rel=0.05)


def test_speech_is_the_same_in_every_run_and_not_too_loud() -> None:
    """Its noise has a seed of its own."""
    first = speak("six sharp fish")
    speak.cache_clear()
    again = speak("six sharp fish")
    assert np.array_equal(first, again)
    assert 0.3 * LOUDNESS < np.abs(first).max() <= 1.0


def test_a_language_without_its_rules_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """English is not; German is if eSpeak NG is not there."""
    monkeypatch.setattr("solidbody.speech.espeak.is_installed", lambda language: False)
    assert language_problem("en-UK") is None
    assert language_problem("de-DE") == (
        'a text in the language "de-DE" is spoken by the rules of English. '
        "Other languages need the extra solidbody[speech] (eSpeak NG)."
    )
    assert len(speak("guten tag", "de-DE"))
