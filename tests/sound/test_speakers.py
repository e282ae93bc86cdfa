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
from solidbody.devices.actuators.speakers import Speakers
from solidbody.sound.clips import RATE
from solidbody.sound.recorder import SoundRecorder
from solidbody.speech.voice import speak, speech_time

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
    """At half the volume; then the speaker is done."""
    sim = sb.Sim(sb.load(_world(tmp_path, "Robot { children [ Speaker { } ] }")))
    text = "move out of my way, you robot!"
    time = speech_time(text)
    _speakers(sim).speak(0, text, 0.5)
    heard, said = _heard(sim, tmp_path, round(time * 100) + 20)
    assert not said
    # blending between samples at twice the rate may miss a peak, but never exceeds it
    assert np.abs(heard).max() == pytest.approx(0.5 * float(np.abs(speak(text)).max()), rel=0.02)
    spoken = np.flatnonzero(np.abs(heard[:, 0]) > 1e-3)
    assert spoken[0] < 0.05 * RATE
    # the pause after "!" is silent, and 0.35 s long
    assert spoken[-1] / RATE == pytest.approx(time - 0.35, abs=0.05)
    assert not _speakers(sim).playing(0)


def test_other_languages_are_told_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And spoken all the same."""
    monkeypatch.setattr("solidbody.speech.espeak.is_installed", lambda language: False)
    sim = sb.Sim(sb.load(_world(tmp_path, "Robot { children [ Speaker { } ] }")))
    for text in ("ja", "nein"):
        _speakers(sim).speak(0, text, 1.0, language="de-DE")
    heard, said = _heard(sim, tmp_path, 50)
    assert heard.any()
    assert said == [
        'a text in the language "de-DE" is spoken by the rules of English. '
        "Other languages need the extra solidbody[speech] (eSpeak NG)."
    ]


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
