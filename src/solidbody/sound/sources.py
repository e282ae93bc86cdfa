"""Sound sources of a simulation: contacts, motors, speakers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from solidbody.base.span import SourceSpan
from solidbody.base.transforms import Vec3
from solidbody.base.vectors import cross, matrix, rotate
from solidbody.devices.actuators.speakers import Playing, Speakers
from solidbody.model.contacts import ContactProperties
from solidbody.model.links import Motion
from solidbody.model.motors import Motor
from solidbody.sound.clips import ClipLibrary, Samples, resampled
from solidbody.sound.contact_law import (
    ContactSound,
    Floats,
    PairStates,
    Sounds,
    Touches,
    sounds_of,
)
from solidbody.sound.mixer import Mixer, Voice
from solidbody.speech.synthesis import RATE as SPEECH_RATE
from solidbody.speech.voice import language_problem, speak

if TYPE_CHECKING:
    from solidbody.sim import Sim

VOICE_LIMIT = 64
"""Most contacts that begin or go on to be heard in a step, the loudest ones."""

MOTOR_GAIN = 0.1
"""Gain of a motor at its greatest speed."""
LEAST_SPEED = 0.1
"""Share of its greatest speed below which a motor is not heard."""


class ContactSource:
    """Sounds of contacts: one voice per pair of shapes, for the loudest ones."""

    def __init__(self, sim: Sim, clips: ClipLibrary, mixer: Mixer) -> None:
        self._sim, self._clips, self._mixer = sim, clips, mixer
        links = tuple(sim.scene.links())
        # what physics does not move stands still and has no mass here
        moved = [link.motion is Motion.DYNAMIC and link.mass is not None for link in links]
        self._is_moved = np.array(moved, dtype=np.float64)
        masses = [link.mass for link in links]
        self._masses = self._is_moved * np.array([m.mass if m is not None else 0.0 for m in masses])
        centres = [m.center if m is not None else (0.0, 0.0, 0.0) for m in masses]
        self._centres = np.array(centres).reshape(-1, 3)
        # shapes are counted through all links: a pair of them is one number
        self._materials = [shape.contact_material for link in links for shape in link.shapes]
        counts = np.array([len(link.shapes) for link in links], dtype=np.int64)
        self._first_shape = np.cumsum(counts) - counts
        self._states = PairStates()
        self._kinds: dict[int, ContactSound] = {}
        self._poses, self._velocities = sim.poses(), sim.velocities()

    def reset(self) -> None:
        """Nothing touches."""
        self._states = PairStates()
        self._kinds.clear()
        self._poses, self._velocities = self._sim.poses(), self._sim.velocities()

    def advance(self, elapsed: float) -> None:
        """Hear what touched in the last step."""
        touches = self._touches()
        found = self._states.advance(touches, elapsed)
        sounds = sounds_of(self._states, found, touches)
        self._states.forget()
        for key in [key for key in self._kinds if _voice_of(key) not in self._mixer.voices]:
            del self._kinds[key]  # what was played is over
        gain = np.maximum(sounds.bump, sounds.lasting)
        loud = np.flatnonzero(gain)
        if len(loud) > VOICE_LIMIT:
            loud = loud[np.argpartition(gain[loud], -VOICE_LIMIT)[-VOICE_LIMIT:]]
        heard = {int(touches.key[k]) for k in loud if self._choose(touches, sounds, int(k))}
        for key, kind in self._kinds.items():
            if key not in heard and kind is not ContactSound.BUMP:
                self._mixer.stop(_voice_of(key))

    def _touches(self) -> Touches:
        """Return the first contact point of each pair of shapes.

        With the velocities at the start of the step, where the contacts were found: as fast as bodies hit
        each other, not as they have left.
        """
        contacts = self._sim.contacts()
        poses, velocities = self._poses, self._velocities
        self._poses, self._velocities = self._sim.poses(), self._sim.velocities()
        if not len(contacts.link):
            return Touches.none()
        shapes = self._first_shape[contacts.link] + contacts.shape
        keys = shapes[:, 0] * len(self._materials) + shapes[:, 1]
        key, chosen = np.unique(keys, return_index=True)
        rows, points = contacts.link[chosen], contacts.position[chosen]
        is_moved = self._is_moved[rows][..., None]
        linear, spin = velocities[rows, :3] * is_moved, velocities[rows, 3:] * is_moved
        turns, spins = poses[rows, 3:].reshape(-1, 4), spin.reshape(-1, 3)
        arms = rotate(turns, self._centres[rows].reshape(-1, 3))
        reach = (points[:, None] - poses[rows, :3]).reshape(-1, 3)
        return Touches(
            key=key,
            position=points,
            point_velocities=linear + cross(spins, reach).reshape(linear.shape),
            velocities=linear + cross(spins, arms).reshape(linear.shape),
            spin=spin.sum(axis=1),
            mass=self._masses[rows].sum(axis=1),
        )

    def _choose(self, touches: Touches, sounds: Sounds, k: int) -> bool:
        """Play a pair's sound; return whether it has one."""
        key, at = int(touches.key[k]), _place(touches.position[k])
        if sounds.bump[k] and self._play(key, ContactSound.BUMP, float(sounds.bump[k]), 1.0, at):
            return True
        if not sounds.lasting[k] or self._kinds.get(key) is ContactSound.BUMP:
            return False
        kind = ContactSound.SLIDE if sounds.slides[k] else ContactSound.ROLL
        return self._play(key, kind, float(sounds.lasting[k]), float(sounds.pitch[k]), at)

    def _play(self, key: int, kind: ContactSound, gain: float, pitch: float, at: Vec3) -> bool:
        """Play a sound, or change the one that is played; False if it has no clip."""
        properties = self._properties(key)
        clip = self._clips.get(getattr(properties.sounds, kind.value), properties.span)
        if clip is None:
            return False
        loops = kind is not ContactSound.BUMP
        voice = self._mixer.voices.get(_voice_of(key))
        if voice is not None and self._kinds.get(key) is kind:
            voice.gain, voice.pitch, voice.at = gain, pitch, at
            voice.is_leaving = voice.is_leaving and not loops
            return True
        self._mixer.start(_voice_of(key), Voice(clip, gain, pitch, loops=loops, at=at))
        self._kinds[key] = kind
        return True

    def _properties(self, key: int) -> ContactProperties:
        first, second = divmod(key, len(self._materials))
        return self._sim.scene.contacts.find(self._materials[first], self._materials[second])


def _voice_of(pair: int) -> tuple[str, int]:
    """Return the mixer's name for the voice of a pair."""
    return "contact", pair


def _place(position: Floats) -> Vec3:
    x, y, z = position.tolist()
    return x, y, z


def motor_sound(share: float) -> tuple[float, float]:
    """Return gain and pitch of a motor at a share of its greatest speed; both grow with it."""
    return MOTOR_GAIN * share, 0.8 + 0.4 * share


class MotorSource:
    """Sounds of motors that turn."""

    def __init__(self, sim: Sim, clips: ClipLibrary, mixer: Mixer) -> None:
        self._sim, self._clips, self._mixer = sim, clips, mixer
        self._motors: list[tuple[int, Motor]] = [
            (row, motor)
            for row in range(len(sim.joint_names))
            if (motor := sim.axis_model(row).motor) is not None and motor.sound
        ]
        self._rows = np.array([row for row, _ in self._motors], dtype=np.intp)
        self._top = np.array([motor.max_velocity for _, motor in self._motors])
        binding = sim.compiled.binding
        link_of = {first: link for link, first in binding.axis_of_link.items()}
        firsts = [row - axis.axis for row, axis in enumerate(binding.axes)]
        self._links = [link_of.get(firsts[row]) for row, _ in self._motors]
        self._heard: set[int] = set()

    def reset(self) -> None:
        """No motor turns."""
        self._heard.clear()

    def advance(self, elapsed: float) -> None:
        """Hear how fast each motor turns."""
        if not self._motors:
            return
        speeds = np.abs(self._sim.joint_states()[self._rows, 1])
        # a motor that may not move has no share of its greatest speed
        shares = np.minimum(speeds / np.where(self._top > 0.0, self._top, np.inf), 1.0)
        turning = np.flatnonzero(shares > LEAST_SPEED)
        poses = self._sim.poses() if len(turning) else None
        heard: set[int] = set()
        for k in turning.tolist():
            motor, link = self._motors[k][1], self._links[k]
            clip = self._clips.get(motor.sound, motor.span)
            if clip is None:
                continue
            heard.add(k)
            gain, pitch = motor_sound(float(shares[k]))
            if ("motor", k) not in self._mixer.voices:
                self._mixer.start(("motor", k), Voice(clip, gain))
            voice = self._mixer.voices["motor", k]
            voice.gain, voice.pitch, voice.is_leaving = gain, pitch, False
            if link is not None and poses is not None:
                voice.at = _place(poses[link, :3])
        for k in self._heard - heard:
            self._mixer.stop(("motor", k))
        self._heard = heard


class SpeakerSource:
    """Sounds that programs play on speakers, and texts that they speak."""

    def __init__(self, sim: Sim, clips: ClipLibrary, mixer: Mixer) -> None:
        self._clips, self._mixer, self._sim = clips, mixer, sim
        self._speakers = next((g for g in sim.devices.groups if isinstance(g, Speakers)), None)
        self._known: set[tuple[str, int, str]] = set()
        self._languages: set[str] = set()

    def reset(self) -> None:
        """Silence."""
        self._known.clear()

    def advance(self, elapsed: float) -> None:
        """Start and stop what the speakers play."""
        if self._speakers is None:
            return
        wanted: set[tuple[str, int, str]] = set()
        for row in range(len(self._speakers.devices)):
            for playing in self._speakers.playing(row):
                key = ("speaker", row, playing.sound)
                voice = self._mixer.voices.get(key)
                if voice is None and key not in self._known:
                    clip = self._clip(playing, self._speakers.devices[row].span)
                    if clip is not None and len(clip):
                        voice = Voice(clip, playing.volume, loops=playing.loops)
                        self._mixer.start(key, voice)
                if voice is None:
                    self._speakers.ended(row, playing.sound)
                    continue
                wanted.add(key)
                voice.gain, voice.pitch = playing.volume, playing.pitch
                voice.balance, voice.is_leaving = playing.balance, False
                voice.at = self._place(row)
        for key in self._known - wanted:
            self._mixer.stop(key)
        self._known = wanted

    def _place(self, row: int) -> Vec3:
        assert self._speakers is not None
        places = self._speakers.places
        pose = self._sim.pose(places.link[row])
        return _place(pose[:3] + matrix(pose[3:]) @ places.position[row])

    def _clip(self, playing: Playing, span: SourceSpan) -> Samples | None:
        if playing.is_speech:
            self._tell_of(playing.language, span)
            return resampled(speak(playing.sound, playing.language), SPEECH_RATE)
        return self._clips.get(playing.sound, span, is_of_program=True)

    def _tell_of(self, language: str, span: SourceSpan) -> None:
        """Say once for each language that it is not spoken as it should."""
        problem = language_problem(language)
        if problem is not None and language not in self._languages:
            self._clips.log.warning("speech", span, problem)
        self._languages.add(language)
