"""`Speaker` of Webots' controller API."""

from __future__ import annotations

from typing import Any

from .connection import protocol
from .device import Device

ENGINES = ("pico", "microsoft")
LANGUAGES = ("en-US", "en-UK", "de-DE", "es-ES", "fr-FR", "it-IT")


class Speaker(Device):
    """Plays sound files and speaks."""

    def __init__(self, robot: Any, facts: dict[str, Any]) -> None:
        super().__init__(robot, facts)
        self._engine, self._language = ENGINES[0], LANGUAGES[0]
        self._sounds: list[str] = []
        self._speaks = False

    def _report(self, message: Any) -> None:
        self._sounds, self._speaks = message[2:]

    def _reset(self) -> None:
        super()._reset()
        self._sounds, self._speaks = [], False

    @staticmethod
    def playSound(
        left: Speaker,
        right: Speaker,
        sound: str,
        volume: float,
        pitch: float,
        balance: float,
        loop: bool,
    ) -> None:
        """Play a sound file on two speakers (or twice the same one)."""
        for speaker in {left._tag: left, right._tag: right}.values():
            if sound not in speaker._sounds:
                speaker._sounds.append(sound)
        left._command(
            protocol.SpeakerPlay,
            right._tag,
            sound,
            float(volume),
            float(pitch),
            float(balance),
            bool(loop),
        )

    def stop(self, sound: str | None = None) -> None:
        """Stop a sound; without a name all sounds."""
        self._sounds = [other for other in self._sounds if sound and other != sound]
        if not sound:
            self._speaks = False
        self._command(protocol.SpeakerStop, sound or "")

    def isSoundPlaying(self, sound: str | None = None) -> bool:
        """Return whether a sound is being played; without a name any sound or words."""
        return sound in self._sounds if sound else bool(self._sounds) or self._speaks

    def setEngine(self, engine: str) -> bool:
        """Choose how text is spoken; return whether that is possible."""
        if engine not in ENGINES:
            self._error("setEngine", f'"{engine}" is none of {", ".join(ENGINES)}')
            return False
        self._engine = engine
        return True

    def getEngine(self) -> str:
        """Return how text is spoken."""
        return self._engine

    def setLanguage(self, language: str) -> bool:
        """Choose the language of spoken text; return whether that is possible."""
        if language not in LANGUAGES:
            self._error("setLanguage", f'"{language}" is none of {", ".join(LANGUAGES)}')
            return False
        self._language = language
        return True

    def getLanguage(self) -> str:
        """Return the language of spoken text."""
        return self._language

    def speak(self, text: str, volume: float) -> None:
        """Speak a text."""
        self._speaks = True
        self._command(protocol.SpeakerSpeak, str(text), float(volume), self._language)

    def isSpeaking(self) -> bool:
        """Return whether a text is being spoken."""
        return self._speaks

    engine = property(getEngine, lambda self, value: self._chosen(self.setEngine, value))
    language = property(getLanguage, lambda self, value: self._chosen(self.setLanguage, value))

    @staticmethod
    def _chosen(setter: Any, value: str) -> None:
        setter(value)
