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
from solidbody.base.file_access import EVERY_FILE, FileAccess, FileError
from solidbody.base.local_files import find_file
from solidbody.base.span import NOWHERE, SourceSpan

Samples = NDArray[np.float32]

RATE: Final = 44_100
"""[1/s] Samples per second of everything that is mixed."""

MAX_BYTES: Final = 64_000_000
"""Larger files are not read: ten minutes of CD quality are 53 MB in mono."""

MAX_SECONDS: Final = 600.0
"""[s] Longer sounds are not played: they would need more than 106 MB, however small their file is."""

MAX_SAMPLES: Final = 32_000_000
"""Samples of all channels that are decoded: as many as fit into MAX_BYTES with 16 bits each."""

_BLOCK: Final = 1 << 20
"""Samples that are turned into numbers at a time; numbers need eight times the room."""


def read_wav(path: Path) -> Samples:
    """Return the samples of a WAV file, mono, -1..1, at RATE; OSError or ValueError tell why not."""
    if path.stat().st_size > MAX_BYTES:
        raise ValueError(f"the file is larger than {MAX_BYTES // 1_000_000} MB")
    try:
        with wave.open(str(path), "rb") as file:
            width, channels, rate = file.getsampwidth(), file.getnchannels(), file.getframerate()
            data = file.readframes(file.getnframes())
    except OSError:
        raise
    except Exception as problem:  # a broken file may make the module raise more than its own errors
        reason = str(problem) or "the file ends too early"
        raise ValueError(f"it is not a WAV file of plain samples: {reason}") from problem
    if rate <= 0 or channels <= 0 or width not in (1, 2, 3, 4):
        raise ValueError(f"{8 * width} bits, {channels} channels at {rate} Hz cannot be played")
    frames = len(data) // (width * channels)
    if frames > MAX_SECONDS * rate:
        raise ValueError(
            f"it lasts {frames / rate:.0f} s ({frames} samples at {rate} Hz); "
            f"at most {MAX_SECONDS:g} s are played"
        )
    if frames * channels > MAX_SAMPLES:
        raise ValueError(f"it has {frames * channels} samples; at most {MAX_SAMPLES} are read")
    return resampled(_mono(data, width, channels), rate)


def _mono(data: bytes, width: int, channels: int) -> Samples:
    """Return the mean of the channels of whole frames."""
    frame = width * channels
    values = np.empty(len(data) // frame, dtype=np.float32)
    block = max(_BLOCK // channels, 1)
    for first in range(0, len(values), block):
        piece = values[first : first + block]
        raw = data[first * frame : (first + len(piece)) * frame]
        piece[:] = _numbers(raw, width).reshape(-1, channels).mean(axis=1)
    return values


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
        access: Which files a scene may name.
    """

    folders: tuple[str, ...]
    log: DiagnosticLog
    access: FileAccess
    _found: dict[tuple[str, bool], Samples | None] = field(
        default_factory=dict[tuple[str, bool], Samples | None]
    )

    def get(
        self, address: str, span: SourceSpan = NOWHERE, *, is_of_program: bool = False
    ) -> Samples | None:
        """Return a clip; None = silence.

        Args:
            address: Where it is.
            span: What asks for it.
            is_of_program: Whether a program of the user names it, which may read any file anyway.
        """
        if not address:
            return None
        key = (address, is_of_program)
        if key not in self._found:
            self._found[key] = self._load(
                address, span, EVERY_FILE if is_of_program else self.access
            )
        return self._found[key]

    def _load(self, address: str, span: SourceSpan, access: FileAccess) -> Samples | None:
        name = address.rpartition("/")[2]
        try:
            path = find_file(address, self.folders, access)
        except FileError as error:
            if name in DEFAULTS and "://" in address:
                return DEFAULTS[name]()
            reason = str(error)
            if "://" in address and not error.is_refused:
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
