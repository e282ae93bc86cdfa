"""Recordings go on when a program changes the scene."""

from __future__ import annotations

import wave
from pathlib import Path

import solidbody as sb
from solidbody.formats.loading import read_scene_text
from solidbody.record.choose import recorder_for
from solidbody.record.viewing import ViewpointCamera
from solidbody.sound.recorder import SoundRecorder
from tests.record.mcap_contents import messages_of

HEADER = "#VRML_SIM R2025a utf8\nWorldInfo { basicTimeStep 10 }\n"
ARM = """
Robot { name "arm" controller "" children [ GPS { name "gps" }
  HingeJoint { jointParameters HingeJointParameters { axis 0 0 1 }
    device [ RotationalMotor { name "motor" } PositionSensor { name "angle" } ]
    endPoint Solid { name "hand" boundingObject Box { } physics Physics { } } } ] }
"""
BALL = 'Solid { name "ball" translation 3 0 1 boundingObject Sphere { } physics Physics { } }\n'


def scene(text: str) -> sb.Scene:
    found, _ = read_scene_text(HEADER + text)
    assert found is not None
    return found


def test_tables_keep_their_columns(tmp_path: Path) -> None:
    """What has gone leaves empty cells, what comes back fills them again."""
    sim = sb.Sim(scene(ARM))
    recorder = recorder_for(sim, tmp_path / "run.csv", all_sensors=True)
    sim.step(2)
    sim.replace_scene(scene(BALL))
    sim.step(2)
    sim.replace_scene(scene(BALL + ARM))
    sim.step(2)
    recorder.close()
    head, *rows = [line.split(",") for line in (tmp_path / "run.csv").read_text().splitlines()]
    at = head.index("motor.position")
    assert [bool(row[at]) for row in rows] == [True] * 3 + [False] * 2 + [True] * 2
    assert all(len(row) == len(head) for row in rows)


def test_films_go_on_when_the_last_body_goes() -> None:
    """A world without bodies shows its sky."""
    sky = "Background { skyColor [ 0 0 1 ] }"
    sim = sb.Sim(scene(sky + BALL))
    camera = ViewpointCamera(sim, (8, 6))
    camera.picture()
    sim.replace_scene(scene(sky))
    sim.step(1)
    picture = camera.picture()
    assert picture.shape == (6, 8, 3)
    assert (picture[..., 2] > picture[..., 0]).all()


def test_mcap_files_get_the_new_shapes_and_frames(tmp_path: Path) -> None:
    """Everything drawn before is deleted, then drawn anew."""
    sim = sb.Sim(scene(ARM))
    recorder = recorder_for(sim, tmp_path / "run.mcap")
    sim.step(1)
    sim.replace_scene(scene(BALL))
    sim.step(1)
    recorder.close()
    found = messages_of(tmp_path / "run.mcap")
    updates = [message for _, _, message in found["/scene"]]
    assert [len(update["deletions"]) for update in updates] == [0, 1]
    frames = [
        {item["child_frame_id"] for item in message["transforms"]} for _, _, message in found["/tf"]
    ]
    assert frames == [{"arm", "gps", "hand"}] * 2 + [{"ball"}]


def test_sounds_are_those_of_the_new_scene(tmp_path: Path) -> None:
    """Contacts of links that were not there before are heard without an error, in full length."""
    floor = 'Solid { name "floor" boundingObject Plane { } }\n'
    sim = sb.Sim(scene(floor))
    recorder = SoundRecorder(sim, tmp_path / "run.wav")
    sim.attach(recorder)
    sim.step(10)
    sim.replace_scene(scene(floor + BALL + ARM))
    sim.step(90)
    sim.replace_scene(scene(floor))
    sim.step(10)
    recorder.close()
    with wave.open(str(tmp_path / "run.wav")) as file:
        assert file.getnframes() == round(1.1 * file.getframerate())
