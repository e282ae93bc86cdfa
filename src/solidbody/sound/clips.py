"""Sound clips: read from WAV files, or made here for the sounds that every world has by default."""

from __future__ import annotations

import wave
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.base.local_files import local_file
from solidbody.base.span import NOWHERE, SourceSpan

Samples = NDArray[np.float32]

RATE: Final = 44_100
"""[1/s] Samples per second of everything that is mixed."""

MAX_BYTES: Final = 64_000_000
"""Larger files are not read: ten minutes of CD quality are 53 MB in mono."""


def read_wav(path: Path) -> Samples:
    """Return the samples of a WAV file, mono, -1..1, at RATE; OSError or ValueError tell why not."""
    if path.stat().st_size > MAX_BYTES:
        raise ValueError(f"the file is larger than {MAX_BYTES // 1_000_000} MB")
    try:
        with wave.open(str(path), "rb") as file:
            width, channels, rate = file.getsampwidth(), file.getnchannels(), file.getframerate()
            data = file.readframes(file.getnframes())
    except (wave.Error, EOFError) as problem:
        reason = str(problem) or "the file ends too early"
        raise ValueError(f"it is not a WAV file of plain samples: {reason}") from problem
    if rate <= 0 or channels <= 0 or width not in (1, 2, 3, 4):
        raise ValueError(f"{8 * width} bits, {channels} channels at {rate} Hz cannot be played")
    whole = len(data) // (width * channels) * width * channels
    values = _numbers(data[:whole], width).reshape(-1, channels).mean(axis=1)
    return resampled(values, rate)


def _numbers(data: bytes, width: int) -> NDArray[np.float64]:
    raw = np.frombuffer(data, dtype=np.uint8)
    if width == 1:  # bytes have no sign, wider samples have
        return (raw.astype(np.float64) - 128.0) / 128.0
    padded = np.zeros((len(raw) // width, 4), dtype=np.uint8)
    padded[:, 4 - width :] = raw.reshape(-1, width)
    return padded.view("<i4")[:, 0].astype(np.float64) / 2.0**31


def resampled(values: NDArray[np.floating], rate: int) -> Samples:
    """Return samples at RATE, by straight lines between those given."""
    if not len(values):
        return np.zeros(0, dtype=np.float32)
    count = max(round(len(values) * RATE / rate), 1)
    places = np.arange(count) * (rate / RATE)
    return np.interp(places, np.arange(len(values)), values).astype(np.float32)


# ---------------------------------------------------------------------- made here


def _noise(seconds: float, low: float, high: float, seed: int) -> NDArray[np.float64]:
    """Noise between two frequencies [Hz] that loops without a seam."""
    count = round(seconds * RATE)
    spectrum = np.fft.rfft(np.random.Generator(np.random.PCG64(seed)).standard_normal(count))
    frequency = np.fft.rfftfreq(count, 1.0 / RATE)
    spectrum[(frequency < low) | (frequency > high)] = 0.0
    out = np.fft.irfft(spectrum, count)
    return out / np.abs(out).max()


def _times(seconds: float) -> NDArray[np.float64]:
    return np.arange(round(seconds * RATE)) / RATE


def make_bump() -> Samples:
    """A knock: a low tone and a click that die away within a fifth of a second."""
    t = _times(0.2)
    tone = np.sin(2.0 * np.pi * 140.0 * t) * np.exp(-30.0 * t)
    click = _noise(0.2, 300.0, 4000.0, 1) * np.exp(-120.0 * t)
    return (0.7 * tone + 0.3 * click).astype(np.float32)


def make_roll() -> Samples:
    """A rumble."""
    return (0.6 * _noise(1.0, 40.0, 400.0, 2)).astype(np.float32)


def make_slide() -> Samples:
    """A hiss."""
    return (0.4 * _noise(1.0, 1500.0, 6000.0, 3)).astype(np.float32)


def make_motor() -> Samples:
    """A hum of 110 Hz with some overtones; a whole number of periods, so that it loops."""
    t = _times(1.0)
    parts = [(1, 0.5), (2, 0.25), (3, 0.12), (6, 0.06)]
    waves = [share * np.sin(2.0 * np.pi * 110.0 * n * t) for n, share in parts]
    return np.sum(waves, axis=0).astype(np.float32)


DEFAULTS: Final[dict[str, Callable[[], Samples]]] = {
    "bump.wav": make_bump,
    "roll.wav": make_roll,
    "slide.wav": make_slide,
    "rotational_motor.wav": make_motor,
    "linear_motor.wav": make_motor,
}
"""Sounds that worlds have by default, by the name of the file that they stand for."""


@dataclass(slots=True)
class ClipLibrary:
    """Clips by address; each is read or made once. What cannot be read is reported once and silent.

    Attributes:
        folders: Where local addresses are looked up.
        log: Told what cannot be played.
    """

    folders: tuple[str, ...]
    log: DiagnosticLog
    _found: dict[str, Samples | None] = field(default_factory=dict[str, Samples | None])

    def get(self, address: str, span: SourceSpan = NOWHERE) -> Samples | None:
        """Return a clip; None = silence."""
        if not address:
            return None
        if address not in self._found:
            self._found[address] = self._load(address, span)
        return self._found[address]

    def _load(self, address: str, span: SourceSpan) -> Samples | None:
        path = local_file(address, self.folders)
        name = address.rpartition("/")[2]
        if path is None and name in DEFAULTS and "://" in address:
            return DEFAULTS[name]()
        if path is None:
            reason = "there is no such file"
            if "://" in address:
                reason = (
                    "it is in no Webots installation (WEBOTS_HOME) and not in the download cache "
                    "(--allow-download fetches it)"
                )
            return self._silent(address, reason, span)
        try:
            clip = read_wav(path)
        except (OSError, ValueError) as problem:
            return self._silent(address, str(problem), span)
        return clip if len(clip) else self._silent(address, "it has no samples", span)

    def _silent(self, address: str, reason: str, span: SourceSpan) -> None:
        self.log.warning("sound", span, f'cannot play "{address}": {reason}. It is silent.')
