"""Speakers: where their sounds are found, and texts that are spoken."""

from __future__ import annotations

import functools
import threading
import wave
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pytest

import solidbody as sb
from solidbody.devices.speakers import LETTERS_PER_SECOND, Speakers, speech_time
from solidbody.sound.clips import RATE
from solidbody.sound.recorder import SoundRecorder
from solidbody.sound.voice import LOUDNESS, make_speech

HEADER = "#VRML_SIM R2025a utf8\nWorldInfo { basicTimeStep 10 }\n"


def _tone(path: Path) -> None:
    """A tenth of a second of full scale."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE)
        file.writeframes(np.full(RATE // 10, 32767, dtype="<i2").tobytes())


def _heard(sim: sb.Sim, folder: Path, steps: int) -> tuple[np.ndarray, list[str]]:
    recorder = SoundRecorder(sim, folder / "heard.wav")
    sim.attach(recorder)
    sim.step(steps)
    recorder.close()
    with wave.open(str(folder / "heard.wav"), "rb") as file:
        data = np.frombuffer(file.readframes(file.getnframes()), dtype="<i2")
    return data.reshape(-1, 2) / 32767.0, [item.text for item in recorder.log]


def _speakers(sim: sb.Sim) -> Speakers:
    return next(group for group in sim.devices.groups if isinstance(group, Speakers))


def _world(folder: Path, nodes: str) -> Path:
    path = folder / "worlds" / "w.wbt"
    path.parent.mkdir(exist_ok=True)
    path.write_text(HEADER + nodes)
    return path


def test_a_text_is_heard_as_long_as_it_is_said_to_last(tmp_path: Path) -> None:
    """30 letters at 15 per second: two seconds at half the volume; then the speaker is done."""
    sim = sb.Sim(sb.load(_world(tmp_path, "Robot { children [ Speaker { } ] }")))
    text = "move out of my way, you robot!"
    assert speech_time(text) == pytest.approx(2.0)
    _speakers(sim).speak(0, text, 0.5)
    heard, said = _heard(sim, tmp_path, 230)
    assert not said
    assert np.abs(heard).max() == pytest.approx(0.5 * LOUDNESS, rel=1e-3)
    spoken = np.flatnonzero(np.abs(heard[:, 0]) > 1e-3)
    assert spoken[0] < 0.02 * RATE
    # "!" at the end is silent
    assert spoken[-1] / RATE == pytest.approx(2.0 - 1.0 / LETTERS_PER_SECOND, abs=0.02)
    assert not _speakers(sim).playing(0)


def test_words_are_told_apart_by_pauses_and_hisses_from_vowels() -> None:
    """A space is silent; an "s" crosses zero far more often than an "a"; tags are not spoken."""
    letter = round(RATE / LETTERS_PER_SECOND)
    clip = make_speech("a s")
    assert len(clip) == 3 * letter
    assert not clip[letter : 2 * letter].any()
    crossings = [
        int((np.diff(np.sign(part)) != 0).sum()) for part in (clip[:letter], clip[2 * letter :])
    ]
    assert crossings[1] > 5 * crossings[0]
    assert np.array_equal(make_speech('<pitch level="3">a s</pitch>'), clip)
    assert not len(make_speech(""))


def test_sounds_of_a_controller_are_found_beside_it(tmp_path: Path) -> None:
    """As programs name them."""
    _tone(tmp_path / "controllers" / "beeper" / "beep.wav")
    robot = 'Robot { controller "beeper" children [ Speaker { } ] }'
    sim = sb.Sim(sb.load(_world(tmp_path, robot)))
    _speakers(sim).play(0, "beep.wav")
    heard, said = _heard(sim, tmp_path, 20)
    assert not said
    assert heard[RATE // 20] == pytest.approx([1.0, 1.0], abs=1e-3)


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


def test_sounds_on_the_web_are_fetched_only_if_that_is_allowed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not allowed: silent, and told; allowed: fetched while the world is read, and kept."""
    monkeypatch.setenv("SOLIDBODY_CACHE", str(tmp_path / "cache"))
    _tone(tmp_path / "site" / "beep.wav")
    handler = functools.partial(_Quiet, directory=str(tmp_path / "site"))
    site = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=site.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{site.server_port}/beep.wav"
    motor = (
        f'HingeJoint {{ device [ RotationalMotor {{ sound "{url}" }} ] endPoint Solid {{ '
        "boundingObject Sphere { radius 0.1 } physics Physics { } } }"
    )
    world = _world(tmp_path, f"Robot {{ children [ Speaker {{ }} {motor} ] }}")
    try:
        for allowed in (False, True):
            scene = sb.load(world, options=sb.LoadOptions(allow_download=allowed))
            sim = sb.Sim(scene)
            _speakers(sim).play(0, url)
            heard, said = _heard(sim, tmp_path, 5)
            assert bool(heard.any()) is allowed
            assert [
                text.startswith(f'cannot play "{url}": it is in no Webots') for text in said
            ] == ([] if allowed else [True])
    finally:
        site.shutdown()
        site.server_close()
    again = sb.Sim(sb.load(world))
    _speakers(again).play(0, url)
    assert _heard(again, tmp_path, 5)[0].any()
