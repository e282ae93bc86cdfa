"""Formant synthesiser: voice and noise filtered by moving resonances (after Klatt 1980).

The sources are made for the whole text; then each frame of them is filtered by the resonances of that moment,
and the frames are added up where they overlap. So everything is arithmetic on whole arrays.

A resonance at F with bandwidth B is H(z) = A/(1 - b/z - c/z²) with c = -exp(-2πB/R),
b = 2·exp(-πB/R)·cos(2πF/R) and A = 1 - b - c at a rate of R samples per second.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from solidbody.speech.phonemes import Band
from solidbody.speech.tracks import FRAME, Tracks

Floats = NDArray[np.float64]
Complexes = NDArray[np.complex128]

RATE: Final = 22_050
"""[1/s] Samples per second: hisses reach up to 10 kHz."""
HOP: Final = round(FRAME * RATE)
"""Samples from one frame to the next."""
SIZE: Final = 1024
"""Samples of a frame with its echo: 46 ms, in which a resonance of 50 Hz width falls by 60 dB."""
FINER: Final = 4
"""Factor by which the voice is made finer at first: its sharp edges have overtones above half the rate."""

OPEN: Final = 0.6
"""Share of a period in which the vocal folds are open."""
UPPER: Final = ((3400.0, 250.0), (4300.0, 350.0), (5200.0, 600.0), (6300.0, 900.0))
"""Resonances that hardly move [1/s], with their bandwidths."""
NOSE_POLE: Final = 270.0
NOSE_ZERO: Final = 270.0, 480.0
"""[1/s] Without and with the nose: a zero on the pole is not heard."""
BREATH_LEVEL: Final = 0.06
NOISE_LEVEL: Final = 0.12
"""Of noises against the voice, for amplitudes of 1."""


def synthesise(tracks: Tracks) -> Floats:
    """Return the samples of tracks, at RATE, about -1..1."""
    count = len(tracks.voice)
    if not count:
        return np.zeros(0)
    random = np.random.Generator(np.random.PCG64(7))
    where = np.arange(count * HOP) / HOP - 0.5
    pitch = np.interp(where, np.arange(count), tracks.pitch)
    voice = _glottis(pitch)
    hiss = random.standard_normal(len(voice))
    line = np.exp(-2j * np.pi * np.arange(SIZE // 2 + 1) / SIZE)
    tract = _tract(tracks, line)
    sources = [
        (voice, tract * tracks.voice[:, None]),
        (hiss, _tract(tracks, line, wider=150.0) * (BREATH_LEVEL * tracks.breath)[:, None]),
        (hiss, _mouth(tracks, line) * NOISE_LEVEL),
    ]
    out = sum(_filtered(source, response * tracks.volume[:, None]) for source, response in sources)
    return np.asarray(out)


def _glottis(pitch: Floats) -> Floats:
    """Return the change of the air flow through the vocal folds: rising slowly, ending suddenly."""
    fine = np.repeat(pitch, FINER) / (RATE * FINER)
    phase = np.cumsum(fine) % 1.0 / OPEN
    flow = np.where(phase < 1.0, 2.0 * phase - 3.0 * phase**2, 0.0)
    spectrum = np.fft.rfft(flow)[: len(pitch) // 2 + 1]
    return np.fft.irfft(spectrum, len(pitch)) / FINER


def _resonance(line: Complexes, centre: Floats, width: Floats) -> Complexes:
    """Return the response (frames, frequencies) of one resonance; `line` holds 1/z."""
    c = -np.exp(-2.0 * np.pi * width / RATE)
    b = 2.0 * np.exp(-np.pi * width / RATE) * np.cos(2.0 * np.pi * centre / RATE)
    return (1.0 - b - c)[:, None] / (1.0 - b[:, None] * line - c[:, None] * line**2)


def _tract(tracks: Tracks, line: Complexes, *, wider: float = 0.0) -> Complexes:
    """Resonances one after the other: what the voice and the breath pass through."""
    out = np.ones((len(tracks.voice), len(line)), dtype=np.complex128)
    for k in range(3):
        width = tracks.widths[:, k] + (wider if k == 0 else 0.0)
        out *= _resonance(line, tracks.formants[:, k], width)
    for centre, width in UPPER:
        out *= _resonance(line, np.array([centre]), np.array([width]))
    pole = _resonance(line, np.array([NOSE_POLE]), np.array([100.0]))
    zero = NOSE_ZERO[0] + (NOSE_ZERO[1] - NOSE_ZERO[0]) * tracks.nasal
    return out * pole / _resonance(line, zero, np.full_like(zero, 100.0))


def _mouth(tracks: Tracks, line: Complexes) -> Complexes:
    """Noise at the lips or the tongue passes only what lies before it: bands of its own."""
    spectra = np.array([_bands(bands, line) for bands in tracks.sets])
    loud = spectra[tracks.which] * tracks.noise[:, None]
    before = np.concatenate([loud[:1], loud[:-1]])
    after = np.concatenate([loud[1:], loud[-1:]])
    return (before + loud + after) / 3.0


def _bands(bands: tuple[Band, ...], line: Complexes) -> Complexes:
    frequency = np.abs(np.angle(line)) * RATE / (2.0 * np.pi)
    out = np.zeros(len(line))
    for centre, width, level in bands:
        out += 10.0 ** (level / 20.0) / (1.0 + ((frequency - centre) / (width / 2.0)) ** 2)
    return out.astype(np.complex128)


def _filtered(source: Floats, responses: Complexes) -> Floats:
    """Return a source that is filtered frame by frame."""
    count = len(responses)
    window = np.hanning(2 * HOP + 1)[:-1]  # two neighbours add up to 1
    padded = np.pad(source, (HOP // 2, 2 * HOP))
    frames = np.lib.stride_tricks.sliding_window_view(padded, 2 * HOP)[::HOP][:count] * window
    pieces = np.fft.irfft(np.fft.rfft(frames, SIZE) * responses, SIZE)
    out = np.zeros(count * HOP + SIZE + HOP)
    for k in range(-(-SIZE // HOP)):  # echoes of a frame reach over several hops
        piece = pieces[:, k * HOP : (k + 1) * HOP]
        target = out[k * HOP : k * HOP + count * HOP].reshape(count, HOP)
        target[:, : piece.shape[1]] += piece
    return out[HOP // 2 : HOP // 2 + count * HOP]
