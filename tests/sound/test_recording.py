"""Sound files: clips, mixing, and recordings in step with the simulation."""

from __future__ import annotations

import math
import subprocess
import sys
import wave
from pathlib import Path

import numpy as np
import pytest

import solidbody as sb
from solidbody.base.diagnostics import DiagnosticLog
from solidbody.base.file_access import EVERY_FILE
from solidbody.devices.actuators.speakers import Speakers
from solidbody.sound.clips import DEFAULTS, RATE, ClipLibrary, read_wav
from solidbody.sound.mixer import Mixer, Voice
from solidbody.sound.recorder import SoundRecorder
from tests.devices.worlds import sim_of


def _write(path: Path, samples: np.ndarray, *, rate: int = RATE, width: int = 2) -> None:
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(width)
        file.setframerate(rate)
        if width == 1:
            file.writeframes(np.round(samples * 127 + 128).astype(np.uint8).tobytes())
        elif width == 2:
            file.writeframes(np.round(samples * 32767).astype("<i2").tobytes())
        else:
            whole = np.round(samples * (2**31 - 1)).astype("<i4")
            raw = whole.view(np.uint8).reshape(-1, 4)[:, 4 - width :]
            file.writeframes(raw.tobytes())


def _heard(sim: sb.Sim, path: Path, steps: int) -> np.ndarray:
    recorder = SoundRecorder(sim, path)
    sim.attach(recorder)
    sim.step(steps)
    recorder.close()
    with wave.open(str(path), "rb") as file:
        assert (file.getnchannels(), file.getframerate()) == (2, RATE)
        data = np.frombuffer(file.readframes(file.getnframes()), dtype="<i2")
    return data.reshape(-1, 2).astype(np.float64) / 32767.0


@pytest.mark.parametrize("width", [1, 2, 3, 4])
def test_wav_files_of_every_width_are_read(tmp_path: Path, width: int) -> None:
    """A sine of 441 Hz; half a step of 8 bits is the coarsest."""
    wave_form = 0.5 * np.sin(2 * np.pi * 441.0 * np.arange(1000) / RATE)
    _write(tmp_path / "a.wav", wave_form, width=width)
    assert read_wav(tmp_path / "a.wav") == pytest.approx(
        wave_form, abs=1.01 / 2 ** (8 * width - 1) + 1e-6
    )


def test_other_rates_are_resampled(tmp_path: Path) -> None:
    """22,050 Hz: twice as many samples, the same tone."""
    _write(tmp_path / "a.wav", np.sin(2 * np.pi * 100.0 * np.arange(2205) / 22050), rate=22050)
    clip = read_wav(tmp_path / "a.wav")
    assert len(clip) == 4410
    expected = np.sin(2 * np.pi * 100.0 * np.arange(4000) / RATE)
    # straight lines between samples miss a sine by (pi f/rate)^2/2 = 1e-4
    assert clip[:4000] == pytest.approx(expected, abs=3e-4)


def test_what_is_no_wav_is_told_and_silent(tmp_path: Path) -> None:
    """Once each: no WAV, no file, not on this machine."""
    (tmp_path / "bad.wav").write_bytes(b"this is no sound")
    log = DiagnosticLog()
    clips = ClipLibrary((str(tmp_path),), log, EVERY_FILE)
    for name in ("bad.wav", "bad.wav", "none.wav", "https://example.org/some.wav", ""):
        assert clips.get(name) is None
    texts = [item.text for item in log]
    assert len(texts) == 3
    assert texts[0].startswith('cannot play "bad.wav": it is not a WAV file of plain samples')
    assert texts[1] == 'cannot play "none.wav": there is no such file. It is silent.'
    assert "it is in no Webots installation (WEBOTS_HOME) and not in the download cache" in texts[2]


def test_default_sounds_are_made_here() -> None:
    """Whatever the address before the name; within full scale, and never silent."""
    clips = ClipLibrary((), DiagnosticLog(), EVERY_FILE)
    for name in DEFAULTS:
        clip = clips.get(f"webots://projects/default/worlds/sounds/{name}")
        assert clip is not None
        assert 0.1 < np.abs(clip).max() <= 1.0


def test_a_voice_plays_faster_by_its_pitch_and_again_if_it_loops() -> None:
    """A ramp of 8 samples at pitch 2: every second one, then from the start."""
    mixer = Mixer(RATE)
    ramp = (np.arange(8) / 8).astype(np.float32)
    voice = Voice(ramp, 1.0, pitch=2.0, heard=(1.0, 1.0))
    mixer.voices["a"] = voice
    out = mixer.render(6)
    assert out[:, 0] == pytest.approx([0.0, 0.25, 0.5, 0.75, 0.0, 0.25])
    mixer.start("a", Voice(ramp, 0.5, loops=False))
    out = mixer.render(10)
    assert out[:, 1] == pytest.approx([*(0.5 * ramp), 0.0, 0.0])
    assert not mixer.voices


def test_balance_goes_to_one_side() -> None:
    """1 = right only."""
    mixer = Mixer(RATE)
    mixer.start("a", Voice(np.ones(100, dtype=np.float32), 0.5, balance=1.0, loops=False))
    out = mixer.render(50)
    assert out[-1].tolist() == [0.0, 0.5]


FALL = (
    "Solid { boundingObject Plane { } } Solid { translation 0 0 1.1 boundingObject Sphere { radius 0.1 } "
    "physics Physics { density -1 mass 1 } }"
)


def test_a_falling_ball_is_heard_when_it_lands(tmp_path: Path) -> None:
    """1 m: sqrt(2/9.81) = 0.4515 s; silence before, and as many samples as time."""
    sim = sim_of(FALL, step_ms=4)
    heard = _heard(sim, tmp_path / "a.wav", 150)
    assert len(heard) == round(0.6 * RATE)
    loud = np.flatnonzero(np.abs(heard[:, 0]) > 1e-3)
    # the contact is found one step after the surfaces meet, and heard in that step
    assert loud[0] / RATE == pytest.approx(math.sqrt(2 / 9.81), abs=0.01)
    assert np.abs(heard).max() > 0.3


def test_a_silent_material_is_silent(tmp_path: Path) -> None:
    """An empty address."""
    silent = 'contactProperties [ ContactProperties { bumpSound "" rollSound "" slideSound "" } ]'
    sim = sim_of(FALL, step_ms=4, world=silent)
    assert not _heard(sim, tmp_path / "a.wav", 150).any()


def test_a_motor_is_heard_while_it_turns(tmp_path: Path) -> None:
    """Half speed: gain 0.05; at rest nothing."""
    robot = (
        "Robot { children [ HingeJoint { jointParameters HingeJointParameters { axis 0 0 1 } device "
        '[ RotationalMotor { name "m" maxVelocity 10 } ] endPoint Solid { boundingObject Sphere { '
        "radius 0.1 } physics Physics { density -1 mass 1 } } } ] }"
    )
    sim = sim_of(robot, world="gravity 0")
    assert not _heard(sim, tmp_path / "a.wav", 10).any()
    sim = sim_of(robot, world="gravity 0")
    sim.joint("m").target_velocity = 5.0
    heard = _heard(sim, tmp_path / "b.wav", 100)
    top = float(np.abs(DEFAULTS["rotational_motor.wav"]()).max())
    assert np.abs(heard[RATE // 4 :]).max() == pytest.approx(0.05 * top, rel=0.02)


def test_a_speaker_plays_a_file_of_the_user(tmp_path: Path) -> None:
    """A tenth of a second of full scale at volume 0.5; then it is over, and the speaker knows."""
    _write(tmp_path / "tone.wav", np.ones(RATE // 10))
    (tmp_path / "w.wbt").write_text(
        "#VRML_SIM R2025a utf8\nWorldInfo { basicTimeStep 10 }\nRobot { children [ Speaker { } ] }\n"
    )
    sim = sb.Sim(sb.load(tmp_path / "w.wbt"))
    speakers = next(g for g in sim.devices.groups if isinstance(g, Speakers))
    speakers.play(0, "tone.wav", volume=0.5)
    heard = _heard(sim, tmp_path / "a.wav", 30)
    assert heard[RATE // 20] == pytest.approx([0.5, 0.5], abs=1e-3)
    assert not heard[round(0.12 * RATE) :].any()
    assert not speakers.is_playing(0, "tone.wav")


@pytest.mark.slow
def test_the_command_line_writes_sound_and_names_what_it_cannot_play(
    tmp_path: Path,
) -> None:
    """A material with a file that is no WAV: half a second of silence, and a warning with the place."""
    (tmp_path / "bad.wav").write_bytes(b"no sound")
    world = tmp_path / "w.wbt"
    contact = 'contactProperties [ ContactProperties { bumpSound "bad.wav" } ]'
    world.write_text(
        f"#VRML_SIM R2025a utf8\nWorldInfo {{ basicTimeStep 4 {contact} }}\nViewpoint {{ }}\n"
        + FALL.replace("Solid { translation", 'Solid { name "ball" translation').replace(
            "1.1", "0.2"
        )
    )
    out = tmp_path / "out.wav"
    command = ["run", str(world), "--headless", "--duration", "0.5", "--sound", str(out)]
    done = subprocess.run(
        [sys.executable, "-m", "solidbody.cli", *command],
        capture_output=True,
        text=True,
        check=True,
    )
    said = " ".join(done.stderr.split())
    assert 'cannot play "bad.wav": it is not a WAV file of plain samples' in said
    with wave.open(str(out), "rb") as file:
        assert file.getnframes() == round(0.5 * RATE)
