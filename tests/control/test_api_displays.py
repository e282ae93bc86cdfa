"""Displays, lamps, pens, speakers and skins, from controllers in processes of their own."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from solidbody.devices.actuators.displays import Displays
from solidbody.devices.actuators.lamps import Leds
from solidbody.devices.actuators.pens import Pens
from solidbody.devices.actuators.speakers import Speakers
from tests.control.projects import Project

DISPLAY = 'Display { name "display" width 20 height 10 }'


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


def saved(project: Project, name: str) -> np.ndarray:
    """Return a picture that a controller has saved beside it."""
    with Image.open(project.folder / "controllers" / "exercise" / name) as image:
        return np.asarray(image.convert("RGBA"))


def test_figures_are_where_they_were_drawn(project: Project) -> None:
    """Points, lines, rectangles, ellipses and polygons in the colours that were set."""
    out = project.exercise(
        """
        display = robot.getDevice("display")
        out["size"] = [display.getWidth(), display.getHeight(), display.width, display.height]
        display.setColor(0xFF0000)
        display.drawPixel(0, 0)
        display.drawLine(2, 0, 6, 0)
        display.setColor(0x00FF00)
        display.drawRectangle(0, 2, 4, 4)
        display.fillRectangle(6, 2, 3, 3)
        display.color = 0x0000FF
        display.drawOval(13, 4, 3, 3)
        display.fillOval(18, 4, 1, 1)
        display.drawPolygon([0, 4, 4], [7, 7, 9])
        display.fillPolygon([6, 9, 9, 6], [7, 7, 9, 9])
        display.drawText("I", 12, 0)
        robot.step(8)
        out["saved"] = display.imageSave(None, "all.png")
        """,
        devices=DISPLAY,
    )
    assert out == {"size": [20, 10, 20, 10], "saved": 0}
    picture = saved(project, "all.png")
    red, green, blue, black = (255, 0, 0), (0, 255, 0), (0, 0, 255), (0, 0, 0)
    for (x, y), color in {
        (0, 0): red,
        (1, 0): black,
        (2, 0): red,
        (6, 0): red,
        (0, 2): green,
        (1, 3): black,
        (7, 3): green,
        (16, 4): blue,
        (18, 4): blue,
        (4, 8): blue,
        (8, 8): blue,
    }.items():
        assert tuple(picture[y, x, :3]) == color, (x, y)


def test_images_are_kept_pasted_and_saved(project: Project) -> None:
    """From bytes, lists, files and copies; what does not fit is refused with a message."""
    out = project.exercise(
        """
        display = robot.getDevice("display")
        out["missing"] = display.imageLoad("nothing.png")
        out["short"] = [display.imageNew(b"123", Display.RGB, 2, 2),
            display.imageNew(b"123", 99, 1, 1)]
        image = display.imageNew(bytes([0, 0, 255, 255]) * 4, Display.BGRA, 2, 2)
        import numpy
        array = numpy.arange(24, dtype=numpy.uint8).reshape(2, 4, 3)
        out["array"] = [display.imageNew(array, Display.RGB, 4, 2) is not None,
            display.imageNew(array[:, ::2], Display.RGB, 2, 2) is not None,
            display.imageNew(array, Display.RGB, 5, 2)]
        display.drawText(5, 0, 0)
        nested = display.imageNew([[[1, 2, 3], [4, 5, 6]]], Display.RGB, 2, 1)
        display.imagePaste(image, 0, 0)
        display.imagePaste(nested, 4, 0, True)
        copy = display.imageCopy(0, 0, 2, 2)
        display.imagePaste(copy, 8, 8, False)
        out["saved"] = [display.imageSave(copy, "copy.png"), display.imageSave(None, "all.png")]
        loaded = display.imageLoad("copy.png")
        display.imagePaste(loaded, 18, 8, False)
        out["again"] = display.imageSave(None, "again.png")
        display.imageDelete(image)
        display.imagePaste(image, 0, 0, False)
        display.imagePaste(None, 0, 0, False)
        display.setAlpha(0.5)
        display.setOpacity(2.0)
        display.setFont("Arial", 12, True)
        display.setFont("Arial", 0, True)
        display.setColor(-1)
        display.fillOval(3, 3, 0, 1)
        display.drawPolygon([1, 2], [1, 2])
        display.attachCamera(robot.getDevice("camera"))
        display.detachCamera()
        robot.step(8)
        """,
        devices=DISPLAY + 'Camera { name "camera" width 20 height 10 }',
    )
    assert out.pop("array") == [True, True, None], "of bytes in any order; too few"
    assert out == {"missing": None, "short": [None, None], "saved": [0, 0], "again": 0}
    assert saved(project, "copy.png")[0, 0].tolist() == [255, 0, 0, 255]
    picture = saved(project, "all.png")
    assert picture[9, 9, :3].tolist() == [255, 0, 0]
    assert picture[0, 4:6, :3].tolist() == [[1, 2, 3], [4, 5, 6]]
    assert saved(project, "again.png")[9, 19, :3].tolist() == [255, 0, 0]
    errors = "\n".join(project.errors())
    for text in (
        "cannot read",
        "2 x 2 needs 12 bytes, not 3",
        "99 is not a format",
        "there is no image 2",
        'imagePaste() of "display": there is no image',
        "2 is outside of 0 to 1",
        "the size 0 is not positive",
        "-1 is not a colour 0xRRGGBB",
        "the size 0 x 1 is not positive",
        "a polygon needs three points, not 2",
    ):
        assert text in errors, text


def test_lamps_and_pens_obey(project: Project) -> None:
    """The engine has what was commanded."""
    seen: dict[str, object] = {}

    def look(sim: object, hub: object) -> None:
        for group in sim.devices.groups:  # type: ignore[attr-defined]
            if isinstance(group, Leds):
                seen["color"] = group.color(0)
            if isinstance(group, Pens):
                state = group.states[0]
                seen["pen"] = (state.is_writing, state.color, state.density)

    out = project.exercise(
        """
        led, pen = robot.getDevice("led"), robot.getDevice("pen")
        out["off"] = led.get()
        led.set(2)
        out["on"] = [led.get(), led.value]
        pen.write(False)
        pen.setInkColor(0x0000FF, 0.25)
        pen.setInkColor(-1, 0.5)
        pen.setInkColor(0, 1.5)
        robot.step(8)
        led.set(7)
        robot.step(8)
        robot.step(8)
        """,
        devices='LED { name "led" color [ 1 0 0, 0 1 0 ] } Pen { name "pen" }',
        beside=look,
    )
    assert out == {"off": 0, "on": [2, 2]}
    assert seen["color"] == (0.0, 1.0, 0.0)
    assert seen["pen"] == (False, (0.0, 0.0, 1.0), 0.25)
    errors = "\n".join(project.errors())
    assert '"led" has 2 colours; 7 is none of them' in errors
    assert "-1 is not a colour" in errors and "the density 1.5 is outside of 0 to 1" in errors


def test_two_speakers_share_a_sound_by_its_balance(project: Project) -> None:
    """The balance takes volume from the left or the right one; without volume nothing is played."""
    loud: tuple[dict[str, float], ...] = ({}, {})

    def listen(sim: object, hub: object) -> None:
        for group in sim.devices.groups:  # type: ignore[attr-defined]
            if isinstance(group, Speakers):
                for row in range(2):
                    loud[row].update({one.sound: one.volume for one in group.playing(row)})

    project.exercise(
        """
        left, right = robot.getDevice("left"), robot.getDevice("right")
        Speaker.playSound(left, right, "both", 0.5, 1.0, 0.0, True)
        Speaker.playSound(left, right, "more right", 1.0, 1.0, 0.75, True)
        Speaker.playSound(left, right, "left alone", 1.0, 1.0, -1.0, True)
        robot.step(8)
        robot.step(8)
        out["done"] = True
        """,
        devices='Speaker { name "left" } Speaker { name "right" }',
        beside=listen,
    )
    assert loud[0] == {"both": 0.5, "more right": 0.25, "left alone": 1.0}
    assert loud[1] == {"both": 0.5, "more right": 1.0}


def test_speakers_know_what_they_play(project: Project) -> None:
    """And refuse engines and languages that there are not."""
    out = project.exercise(
        """
        speaker = robot.getDevice("speaker")
        out["idle"] = [speaker.isSoundPlaying("a.wav"), speaker.isSpeaking()]
        Speaker.playSound(speaker, speaker, "a.wav", 1.0, 1.0, 0.0, True)
        speaker.speak("hello", 1.0)
        out["busy"] = [speaker.isSoundPlaying("a.wav"), speaker.isSpeaking()]
        out["any"] = [speaker.isSoundPlaying(""), speaker.isSoundPlaying(None)]
        speaker.stop("a.wav")
        out["stopped"] = [speaker.isSoundPlaying("a.wav"), speaker.isSpeaking()]
        speaker.stop()
        out["quiet"] = speaker.isSpeaking()
        speaker.speak("hi", 1.0)
        Speaker.playSound(speaker, speaker, "nowhere.wav", 1.0, 1.0, 0.0, False)
        seen = []
        for _ in range(3):
            robot.step(8)
            seen.append(speaker.isSpeaking())
        robot.step(600)
        out["spoken"] = [seen, speaker.isSpeaking(), speaker.isSoundPlaying("nowhere.wav")]
        robot.step(1000)
        out["played"] = speaker.isSoundPlaying("nowhere.wav")
        out["engine"] = [speaker.setEngine("pico"), speaker.getEngine(), speaker.setEngine("robot"),
            speaker.engine]
        out["language"] = [speaker.setLanguage("de-DE"), speaker.getLanguage(),
            speaker.setLanguage("xx"), speaker.language]
        robot.step(8)
        """,
        devices='Speaker { name "speaker" }',
        seconds=2.0,
    )
    assert out["idle"] == [False, False] and out["busy"] == [True, True]
    assert out["any"] == [True, True], "without a name any sound counts, and words"
    assert out["stopped"] == [False, True] and out["quiet"] is False
    # "hi" is said within half a second; a file that is not there counts as one second
    assert out["spoken"] == [[True] * 3, False, True] and out["played"] is False
    assert out["engine"] == [True, "pico", False, "pico"]
    assert out["language"] == [True, "de-DE", False, "de-DE"]
    assert '"robot" is none of pico, microsoft' in "\n".join(project.errors())


def test_skins_say_that_they_are_not_animated(project: Project) -> None:
    """Every call."""
    out = project.exercise(
        """
        skin = robot.getDevice("skin")
        out["bones"] = [skin.getBoneCount(), skin.getBoneName(0), len(skin.getBonePosition(0, True)),
            len(skin.getBoneOrientation(0, True)), skin.bone_count]
        skin.setBonePosition(0, [0, 0, 0], True)
        skin.setBoneOrientation(0, [0, 0, 1, 0], True)
        """,
        devices='Skin { name "skin" }',
    )
    assert out["bones"] == [0, "", 3, 4, 0]
    errors = [line for line in project.errors() if "solidbody does not animate skins" in line]
    assert len(errors) == 7


def test_what_is_drawn_is_on_the_display(project: Project) -> None:
    """After the step, not before it."""
    pictures: list[np.ndarray] = []

    def look(sim: object, hub: object) -> None:
        for group in sim.devices.groups:  # type: ignore[attr-defined]
            if isinstance(group, Displays):
                pictures.append(group.picture(0).copy())

    project.exercise(
        """
        robot.step(8)
        display = robot.getDevice("display")
        display.setColor(0x123456)
        display.fillRectangle(0, 0, 20, 10)
        robot.step(8)
        robot.step(8)
        """,
        devices=DISPLAY,
        beside=look,
    )
    assert pictures[0][5, 5, :3].tolist() == [0, 0, 0]
    assert pictures[1][5, 5, :3].tolist() == [0x12, 0x34, 0x56]
