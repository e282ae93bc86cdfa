"""Text to speech by eSpeak NG (package espeakng-loader), for other languages, if the user has it.

eSpeak NG is free software under the GPL; it is no part of this package and never needed.
"""

from __future__ import annotations

import ctypes
import importlib.util
import threading
from collections.abc import Callable
from functools import cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from solidbody.speech.synthesis import RATE
from solidbody.speech.text import SpeechSegment, pieces_of

PACKAGE: Final = "espeakng_loader"

# figures of speak_lib.h, the library's interface
_SYNCHRONOUS: Final = 2
_NO_EXIT: Final = 0x8000
_CHARACTERS: Final = 1
_UTF8: Final = 1
_RATE, _VOLUME, _PITCH = 1, 2, 3
WORDS_PER_MINUTE: Final = 175
"""The library's own speed."""

_VOICES: Final = {"pt-br": "pt-br", "zh-cn": "cmn"}
"""Names of voices that are not the language without its country."""

_LOCK = threading.Lock()
"""The library holds one voice at a time."""


def is_installed(language: str) -> bool:
    """Whether a language can be spoken here."""
    return _library() is not None and _choose(language)


def speak(text: str, language: str) -> NDArray[np.float32]:
    """Return a text as it is spoken, at 22,050 samples per second, -1..1."""
    library = _library()
    assert library is not None  # the caller has asked `is_installed`
    parts: list[NDArray[np.float32]] = []
    with _LOCK:
        _set_voice(library, language)
        for piece in pieces_of(text):
            parts.append(_piece(library, piece))
    return np.concatenate(parts) if parts else np.zeros(0, dtype=np.float32)


def _piece(library: _Library, piece: SpeechSegment) -> NDArray[np.float32]:
    if not piece.text:
        return np.zeros(round(piece.pause * RATE), dtype=np.float32)
    manner = piece.manner
    library.call("espeak_SetParameter", _RATE, round(WORDS_PER_MINUTE * manner.speed), 0)
    library.call("espeak_SetParameter", _PITCH, min(round(50 * manner.pitch), 99), 0)
    library.call("espeak_SetParameter", _VOLUME, min(round(100 * manner.volume), 200), 0)
    library.heard.clear()
    data = piece.text.encode() + b"\0"
    library.call("espeak_Synth", data, len(data), 0, _CHARACTERS, 0, _UTF8, None, None)
    library.call("espeak_Synchronize")
    heard = [*library.heard, np.zeros(0, dtype=np.int16)]
    return (np.concatenate(heard) / 32768.0).astype(np.float32)


class _Library:
    """The loaded library, and what it has just said."""

    def __init__(self, path: str, data: str) -> None:
        self.heard: list[NDArray[np.int16]] = []
        self._native = ctypes.CDLL(path)
        self.rate = int(self.call("espeak_Initialize", _SYNCHRONOUS, 0, data.encode(), _NO_EXIT))
        kind = ctypes.CFUNCTYPE(
            ctypes.c_int, ctypes.POINTER(ctypes.c_short), ctypes.c_int, ctypes.c_void_p
        )
        self._hear: Any = kind(self._take)  # kept: the library calls it later
        self.call("espeak_SetSynthCallback", self._hear)

    def call(self, name: str, *arguments: Any) -> int:
        """Call a function of the library."""
        function: Callable[..., int] = getattr(self._native, name)
        return function(*arguments)

    def _take(self, samples: Any, count: int, _events: Any) -> int:
        if samples and count > 0:
            self.heard.append(np.ctypeslib.as_array(samples, (count,)).astype(np.int16))
        return 0


@cache
def _library() -> _Library | None:
    if importlib.util.find_spec(PACKAGE) is None:
        return None
    loader: Any = importlib.import_module(PACKAGE)
    try:
        library = _Library(str(loader.get_library_path()), str(loader.get_data_path()))
    except OSError:
        return None  # it was built for another machine
    return library if library.rate == RATE else None


@cache
def _choose(language: str) -> bool:
    library = _library()
    with _LOCK:
        return library is not None and _set_voice(library, language)


def _set_voice(library: _Library, language: str) -> bool:
    """Choose the voice of a language such as "de-DE"; return whether there is one."""
    name = language.lower()
    return (
        library.call("espeak_SetVoiceByName", _VOICES.get(name, name.partition("-")[0]).encode())
        == 0
    )
