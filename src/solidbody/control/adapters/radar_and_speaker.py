"""Radars and speakers as controllers see them."""

from __future__ import annotations

import wave
from pathlib import Path
from typing import Any

from solidbody.control import protocol as p
from solidbody.control.adapters.base import Adapter, SensorAdapter, handles
from solidbody.devices.actuators.speakers import Playing, Speakers
from solidbody.devices.radio.radar import Radars
from solidbody.model import devices as d
from solidbody.speech.voice import speech_time


class RadarAdapter(SensorAdapter[Radars, d.DeviceRadar]):
    """A radar."""

    facts = p.RadarFacts

    def properties(self) -> dict[str, Any]:
        """Range and fields of view."""
        device = self.device
        return {
            "min_range": device.min_range,
            "max_range": device.max_range,
            "horizontal_fov": device.horizontal_field_of_view,
            "vertical_fov": device.vertical_field_of_view,
        }

    def value(self) -> Any:
        """The echoes: distance, power [dBm], speed, azimuth."""
        echoes = [
            p.Echo(echo.distance, echo.power_dbm, echo.speed, echo.azimuth)
            for echo in self.group.targets(self.row)
        ]
        return p.ReportEchoes(self.tag, echoes)


UNKNOWN_DURATION = 1.0
"""[s] Of a sound whose file cannot be read here (only WAV files are)."""


def wave_duration(path: Path) -> float | None:
    """Return how long a WAV file plays [s]; None if it is none."""
    try:
        with wave.open(str(path), "rb") as file:
            return file.getnframes() / max(file.getframerate(), 1)
    except Exception:  # a broken file may make the module raise more than its own errors
        return None


class SpeakerAdapter(Adapter[Speakers, d.DeviceSpeaker]):
    """A speaker; it reports what is played whenever that has changed."""

    _told: tuple[list[str], bool] = ([], False)

    def _duration(self, one: Playing) -> float:
        """Return how long a sound or text lasts, so that it ends at the same step in every run [s]."""
        if one.is_speech:
            return speech_time(one.sound, one.language)
        world = Path(self.sim.scene.source).resolve()
        own = world.parent.parent / "controllers" / self.session.place.robot.controller
        for folder in (own, world.parent):
            found = wave_duration(folder / one.sound)
            if found is not None:
                return found / max(one.pitch, 1e-3)
        return UNKNOWN_DURATION

    @handles(p.SpeakerPlay)
    def play(
        self, other: int, sound: str, volume: float, pitch: float, balance: float, loop: bool
    ) -> None:
        """Play a sound on this speaker and, if it is another, the one with the tag `other`.

        The balance of two speakers takes volume away from one of them: this is the left one.
        """
        plays = [(self.group, self.row, volume)]
        bound = dict(self.session.tagged).get(other)
        if bound is not None and isinstance(bound.device, d.DeviceSpeaker) and other != self.tag:
            group, row = self.sim.devices.group_of(bound)
            assert isinstance(group, Speakers)
            plays = [
                (self.group, self.row, volume * min(1.0, 1.0 - balance)),
                (group, row, volume * min(1.0, 1.0 + balance)),
            ]
            balance = 0.0
        for group, row, loudness in plays:
            if loudness > 0.0:
                group.play(row, sound, volume=loudness, pitch=pitch, balance=balance, loops=loop)
        self.reports = True

    @handles(p.SpeakerSpeak)
    def speak(self, text: str, volume: float, language: str) -> None:
        """Speak a text."""
        self.group.speak(self.row, text, volume, language=language)
        self.reports = True

    @handles(p.SpeakerStop)
    def stop(self, sound: str) -> None:
        """Stop a sound, or all."""
        self.group.stop(self.row, sound)
        self.reports = True

    def report(self) -> Any:
        """The names of what is played, and whether it speaks, if that has changed."""
        group, row = self.group, self.row
        for one in group.playing(row):
            if not one.loops and self.sim.time - one.since >= self._duration(one):
                group.ended(row, one.sound)
        playing = group.playing(row)
        now = (
            [one.sound for one in playing if not one.is_speech],
            any(one.is_speech for one in playing),
        )
        self.reports = bool(playing)
        if now == self._told:
            return None
        self._told = now
        return p.ReportPlaying(self.tag, *now)
