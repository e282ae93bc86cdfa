"""What makes sounds in a simulation, step by step: contacts, motors, speakers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from solidbody.base.span import SourceSpan
from solidbody.base.transforms import Vec3
from solidbody.devices.places import matrix, rotate
from solidbody.devices.speakers import Playing, Speakers
from solidbody.model.contacts import ContactProperties
from solidbody.model.links import Motion
from solidbody.model.motors import Motor
from solidbody.sound.clips import ClipLibrary, Samples, resampled
from solidbody.sound.contact_law import (
    FORGET_TIME,
    ContactSound,
    Floats,
    PairState,
    Sound,
    Touch,
    bump_of,
    lasting_sound_of,
)
from solidbody.sound.mixer import Mixer, Voice
from solidbody.speech.synthesis import RATE as SPEECH_RATE
from solidbody.speech.voice import language_problem, speak

if TYPE_CHECKING:
    from solidbody.sim import Sim

Pair = tuple[int, int, int, int]
"""Link and shape, twice."""

MOTOR_GAIN = 0.1
"""Gain of a motor at its greatest speed."""
LEAST_SPEED = 0.1
"""Share of its greatest speed below which a motor is not heard."""


class ContactSource:
    """Sounds of contacts: one voice per pair of shapes."""

    def __init__(self, sim: Sim, clips: ClipLibrary, mixer: Mixer) -> None:
        self._sim, self._clips, self._mixer = sim, clips, mixer
        self._links = tuple(sim.scene.links())
        # what physics does not move stands still and has no mass here
        moved = [link.motion is Motion.DYNAMIC and link.mass is not None for link in self._links]
        self._is_moved = np.array(moved, dtype=np.float64)
        masses = [link.mass for link in self._links]
        self._masses = self._is_moved * np.array([m.mass if m is not None else 0.0 for m in masses])
        centres = [m.center if m is not None else (0.0, 0.0, 0.0) for m in masses]
        self._centres = np.array(centres).reshape(-1, 3)
        self._pairs: dict[Pair, PairState] = {}
        self._kinds: dict[Pair, ContactSound] = {}

    def reset(self) -> None:
        """Nothing touches."""
        self._pairs.clear()
        self._kinds.clear()

    def advance(self, elapsed: float) -> None:
        """Hear what touched in the last step."""
        touches = self._touches()
        for pair, touch in touches.items():
            state = self._pairs.setdefault(pair, PairState())
            state.touch(touch, elapsed)
            self._choose(pair, state, touch)
        for pair in [pair for pair in self._pairs if pair not in touches]:
            state = self._pairs[pair]
            state.part(elapsed)
            if self._kinds.get(pair) is not ContactSound.BUMP:
                self._stop(pair)
            if state.apart > FORGET_TIME:
                del self._pairs[pair]
                self._kinds.pop(pair, None)

    def _touches(self) -> dict[Pair, Touch]:
        """Return the first contact point of each pair of shapes."""
        contacts = self._sim.contacts()
        if not len(contacts.link):
            return {}
        first: dict[Pair, int] = {}
        links, shapes = contacts.link.tolist(), contacts.shape.tolist()
        for k, ((one, two), (a, b)) in enumerate(zip(links, shapes, strict=True)):
            first.setdefault((one, a, two, b), k)
        chosen = list(first.values())
        rows, points = contacts.link[chosen], contacts.position[chosen]
        poses, velocities = self._sim.poses(), self._sim.velocities()
        mass, is_moved = self._masses[rows], self._is_moved[rows][..., None]
        linear, spin = velocities[rows, :3] * is_moved, velocities[rows, 3:] * is_moved
        arms = rotate(poses[rows, 3:].reshape(-1, 4), self._centres[rows].reshape(-1, 3))
        at_points = linear + np.cross(spin, points[:, None] - poses[rows, :3])
        at_centres = linear + np.cross(spin, arms.reshape(linear.shape))
        spins, total = spin.sum(axis=1), mass.sum(axis=1).tolist()
        return {
            pair: Touch(
                position=points[k],
                point_velocities=(at_points[k, 0], at_points[k, 1]),
                velocities=(at_centres[k, 0], at_centres[k, 1]),
                spin=spins[k],
                mass=total[k],
            )
            for k, pair in enumerate(first)
        }

    def _choose(self, pair: Pair, state: PairState, touch: Touch) -> None:
        if pair not in self._mixer.voices:
            self._kinds.pop(pair, None)  # what was played is over
        bump = bump_of(state)
        if bump is not None and self._play(pair, bump, touch.position):
            return
        if self._kinds.get(pair) is ContactSound.BUMP:
            return
        sound = lasting_sound_of(state, touch)
        if sound is None or not self._play(pair, sound, touch.position):
            self._stop(pair)

    def _play(self, pair: Pair, sound: Sound, position: Floats) -> bool:
        """Play a sound, or change the one that is played; False if it has no clip."""
        at = _place(position)
        sounds = self._properties(pair).sounds
        clip = self._clips.get(getattr(sounds, sound.kind.value), self._properties(pair).span)
        if clip is None:
            return False
        voice = self._mixer.voices.get(pair)
        if voice is not None and self._kinds.get(pair) is sound.kind:
            voice.gain, voice.pitch, voice.at = sound.gain, sound.pitch, at
            if sound.kind is not ContactSound.BUMP:
                voice.is_leaving = False
            return True
        loops = sound.kind is not ContactSound.BUMP
        self._mixer.start(pair, Voice(clip, sound.gain, sound.pitch, loops=loops, at=at))
        self._kinds[pair] = sound.kind
        return True

    def _stop(self, pair: Pair) -> None:
        self._mixer.stop(pair)

    def _properties(self, pair: Pair) -> ContactProperties:
        first = self._links[pair[0]].shapes[pair[1]].contact_material
        second = self._links[pair[2]].shapes[pair[3]].contact_material
        return self._sim.scene.contacts.find(first, second)


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
        binding = sim.compiled.binding
        self._link_of = {first: link for link, first in binding.axis_of_link.items()}
        self._first_row = [row - axis.axis for row, axis in enumerate(binding.axes)]

    def reset(self) -> None:
        """Nothing to forget."""

    def advance(self, elapsed: float) -> None:
        """Hear how fast each motor turns."""
        if not self._motors:
            return
        speeds, poses = self._sim.joint_states()[:, 1], None
        for row, motor in self._motors:
            top = motor.max_velocity
            share = min(abs(float(speeds[row])) / top, 1.0) if top > 0.0 else 0.0
            key = ("motor", row)
            clip = self._clips.get(motor.sound, motor.span) if share > LEAST_SPEED else None
            if clip is None:
                self._mixer.stop(key)
                continue
            gain, pitch = motor_sound(share)
            if key not in self._mixer.voices:
                self._mixer.start(key, Voice(clip, gain))
            voice = self._mixer.voices[key]
            voice.gain, voice.pitch, voice.is_leaving = gain, pitch, False
            link = self._link_of.get(self._first_row[row])
            if link is not None:
                poses = self._sim.poses() if poses is None else poses
                voice.at = _place(poses[link, :3])


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
        pose = self._sim.poses()[places.link[row]]
        return _place(pose[:3] + matrix(pose[3:]) @ places.position[row])

    def _clip(self, playing: Playing, span: SourceSpan) -> Samples | None:
        if playing.is_speech:
            self._tell_of(playing.language, span)
            return resampled(speak(playing.sound, playing.language), SPEECH_RATE)
        return self._clips.get(playing.sound, span)

    def _tell_of(self, language: str, span: SourceSpan) -> None:
        """Say once for each language that it is not spoken as it should."""
        problem = language_problem(language)
        if problem is not None and language not in self._languages:
            self._clips.log.warning("speech", span, problem)
        self._languages.add(language)
