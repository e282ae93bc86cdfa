"""What the page is told beside poses: sounds, looks, rays, points."""

from __future__ import annotations

import base64
import io
import json
import wave
from itertools import count
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from PIL import Image

import solidbody as sb
from solidbody.base.diagnostics import Diagnostic
from solidbody.devices.actuators.displays import Displays
from solidbody.devices.actuators.lamps import Leds
from solidbody.devices.actuators.pens import Pens
from solidbody.devices.actuators.speakers import Speakers
from solidbody.sound.clips import RATE
from solidbody.viewer import sounds
from solidbody.viewer.live_updates import LiveUpdates
from solidbody.viewer.probe import Probe
from solidbody.viewer.protocol import parse_command
from solidbody.viewer.protocol_live import INK_MAGIC, PAINT_HEADER, PAINT_MAGIC, CommandShow
from solidbody.viewer.scene_encoding import encode_scene
from solidbody.viewer.sounds import LEAP, SoundStage
from tests.devices.worlds import sim_of

ALL = CommandShow(sounds=True, listens=True, rays=True, points=True)

FLOOR = 'Solid { name "floor" boundingObject Plane { } } '


class Watcher:
    """A tab that wants to be told everything, with a clock of its own."""

    def __init__(self, sim: sb.Sim, wanted: CommandShow = ALL) -> None:
        self.sim = sim
        self.complaints: list[Diagnostic] = []
        self.live = LiveUpdates(sim, Probe(sim), self.complaints.append)
        self.live.want(1, wanted)
        self.now = 0.0

    def look(self) -> None:
        """Let time pass for everything to be due, and look."""
        self.now += 1.0
        self.live.observe(self.now)

    def told(self, kind: str) -> dict[str, Any]:
        """Return the latest event of a kind."""
        return json.loads(self.live.news[kind].data)

    def numbers(self, kind: str, width: int) -> np.ndarray:
        """Return the numbers of an event, in rows."""
        return np.frombuffer(base64.b64decode(self.told(kind)[kind]), "<f4").reshape(-1, width)


# --- sounds ---------------------------------------------------------------------------------------


def test_a_falling_box_is_heard_where_it_lands() -> None:
    """One knock at the place of the contact, from a clip that can be fetched by its number."""
    watcher = Watcher(
        sim_of(
            FLOOR
            + 'Solid { translation 2 0 0.3 name "box" boundingObject Box { size 0.2 0.2 0.2 } '
            "physics Physics { density -1 mass 1 } }"
        )
    )
    watcher.look()
    assert watcher.told("sounds")["voices"] == []
    watcher.sim.step(27)  # 0.2 m take 0.202 s
    watcher.look()
    (voice,) = watcher.told("sounds")["voices"]
    assert not voice["loops"]
    assert voice["gain"] == 1.0  # E = mgh = 2 J, and sqrt(100 E) is above 1
    x, y, z = voice["at"]
    assert (abs(x - 2.0) <= 0.11, abs(y) <= 0.11, abs(z) < 0.02) == (True, True, True)
    clip = watcher.live.clip(voice["clip"])
    assert clip is not None
    with wave.open(io.BytesIO(clip)) as file:
        assert (file.getframerate(), file.getnchannels()) == (RATE, 1)
    assert watcher.live.clip(99) is None


def test_sounds_that_only_a_replay_keeps_take_a_small_share_of_the_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Nobody listens: steps in fast motion are heard now and then only; a knock is kept all the same."""
    sim = sim_of(
        FLOOR + "Solid { translation 0 0 1 boundingObject Sphere { radius 0.1 } "
        "physics Physics { density -1 mass 1 } }"
    )
    kept = CommandShow(sounds=True, listens=False, rays=False, points=False)
    stage = SoundStage(sim)
    stage.switch(is_on=True, is_heard=False)
    assert stage.steps_until_due() == 1
    sim.step(20)
    # a step takes far less than 10 times of what it takes to hear it
    assert stage.steps_until_due() == LEAP
    stage.switch(is_on=True, is_heard=True)
    assert stage.steps_until_due() == 1
    stage.switch(is_on=False, is_heard=False)
    watcher = Watcher(sim, kept)
    watcher.look()
    # where a second goes by at each look there is time to hear every step
    clock = SimpleNamespace(perf_counter=count(10**9).__next__, thread_time=lambda: 0.0)
    monkeypatch.setattr(sounds, "time", clock)
    sim.step(80)
    watcher.look()
    assert len(watcher.told("sounds")["voices"]) == 1


def test_a_short_sound_is_told_of_long_enough() -> None:
    """A knock of 0.2 s stays in the list for 0.3 s, and then goes."""
    watcher = Watcher(
        sim_of(
            FLOOR + "Solid { translation 0 0 0.2 boundingObject Sphere { radius 0.1 } "
            "physics Physics { density -1 mass 1 } }",
            world="contactProperties ContactProperties { bounce 0 }",
        )
    )
    watcher.look()
    watcher.sim.step(22)
    watcher.look()
    numbers = {voice["number"] for voice in watcher.told("sounds")["voices"]}
    assert len(numbers) == 1
    watcher.sim.step(int(0.25 / 0.008))
    watcher.look()
    assert {voice["number"] for voice in watcher.told("sounds")["voices"]} == numbers
    watcher.sim.step(int(0.1 / 0.008))
    watcher.look()
    assert watcher.told("sounds")["voices"] == []


def test_a_motor_hums_while_it_turns() -> None:
    """At half of its speed: gain 0.05, pitch 1; listed until it stops."""
    watcher = Watcher(
        sim_of(
            "Robot { children [ HingeJoint { jointParameters HingeJointParameters { axis 0 0 1 } "
            'device RotationalMotor { name "m" maxVelocity 10 } endPoint Solid { translation 0.5 0 0 '
            "boundingObject Sphere { radius 0.1 } physics Physics { density -1 mass 1 } } } ] }",
            world="gravity 0",
        )
    )
    motor = watcher.sim.joint("m")
    motor.target_velocity = 5.0
    watcher.sim.step(100)
    watcher.look()
    watcher.sim.step(1)
    watcher.look()
    (voice,) = watcher.told("sounds")["voices"]
    assert voice["loops"]
    assert voice["gain"] == pytest.approx(0.05, abs=1e-3)  # rounded to three places
    assert voice["pitch"] == pytest.approx(1.0, abs=2e-3)
    # the arm of 0.5 m goes round the axis
    assert np.hypot(*voice["at"][:2]) == pytest.approx(0.5, abs=1e-3)
    motor.target_velocity = 0.0
    watcher.sim.step(100)
    watcher.look()
    assert watcher.told("sounds")["voices"] == []


def test_a_speaker_is_heard_from_its_place_as_loud_and_high_as_it_is_told() -> None:
    """0.3 m above a robot at (1 2 0) that is turned by 90 degrees, 0.2 m ahead: at (1 2.2 0.3)."""
    watcher = Watcher(
        sim_of(
            "Robot { translation 1 2 0 rotation 0 0 1 1.5707963267949 "
            "children [ Speaker { translation 0.2 0 0.3 } ] }"
        )
    )
    watcher.look()
    speakers = next(g for g in watcher.sim.devices.groups if isinstance(g, Speakers))
    motor = "webots://projects/default/worlds/sounds/rotational_motor.wav"
    speakers.play(0, motor, volume=0.4, pitch=1.5, balance=-0.5, loops=True)
    speakers.speak(0, "hello", 0.7)
    watcher.sim.step()
    watcher.look()
    hum, word = sorted(watcher.told("sounds")["voices"], key=lambda voice: voice["gain"])
    assert (hum["gain"], hum["pitch"], hum["balance"], hum["loops"]) == (0.4, 1.5, -0.5, True)
    assert (word["gain"], word["pitch"], word["balance"], word["loops"]) == (0.7, 1.0, 0.0, False)
    for voice in (hum, word):
        assert voice["at"] == pytest.approx([1.0, 2.2, 0.3], abs=1e-3)
    speakers.stop(0, motor)
    watcher.sim.step(2)
    watcher.look()
    assert [voice["number"] for voice in watcher.told("sounds")["voices"]] == [word["number"]]


def test_a_sound_that_cannot_be_played_is_reported_once() -> None:
    """A speaker with a file that is not there."""
    watcher = Watcher(sim_of('Robot { children [ Speaker { name "s" } ] }'))
    watcher.look()
    speakers = next(g for g in watcher.sim.devices.groups if isinstance(g, Speakers))
    speakers.play(0, "none.wav")
    for _ in range(3):
        watcher.sim.step(1)
        watcher.look()
    assert [item.text for item in watcher.complaints] == [
        'cannot play "none.wav": there is no such file. It is silent.'
    ]


def test_nobody_listens_unless_somebody_wants_to() -> None:
    """Then the simulation is not asked for contacts in every step either."""
    sim = sim_of(FLOOR)
    watcher = Watcher(sim, CommandShow(sounds=False, listens=False, rays=False, points=False))
    watcher.look()
    assert "sounds" not in watcher.live.news
    assert sim.step_hooks == ()
    watcher.live.want(1, ALL)
    watcher.look()
    assert len(sim.step_hooks) == 1
    watcher.live.want(1, None)
    watcher.look()
    assert sim.step_hooks == ()


# --- looks ----------------------------------------------------------------------------------------

LED = """
Robot { children [
  Shape { geometry Sphere { radius 0.1 } }
  LED { name "led" color [ 1 0 0, 0 0 1 ] children [ Group { children [
    Shape { appearance PBRAppearance { } geometry Box { size 0.1 0.1 0.1 } }
    PointLight { on FALSE }
  ] } ] }
] }
"""


def test_an_led_lights_its_shape_and_its_lamp() -> None:
    """By the numbers that shapes and lights have in the scene on the wire."""
    sim = sim_of(LED)
    scene = encode_scene(sim.scene, sim.poses(), sim.moving, time_step=sim.time_step)
    (glowing,) = [k for k, shape in enumerate(scene.shapes) if shape.live]
    watcher = Watcher(sim)
    watcher.look()
    looks = watcher.told("looks")
    assert looks["glows"] == [{"shape": glowing, "color": [0, 0, 0]}]
    assert [lamp["is_on"] for lamp in looks["lamps"]] == [False]
    leds = next(g for g in sim.devices.groups if isinstance(g, Leds))
    leds.set(0, 2)
    watcher.look()
    looks = watcher.told("looks")
    assert looks["glows"] == [{"shape": glowing, "color": [0, 0, 1]}]
    (lamp,) = looks["lamps"]
    assert (lamp["is_on"], lamp["color"]) == (True, [0, 0, 1])
    assert scene.lights[lamp["light"]].kind == "point"


def test_a_display_is_painted_onto_its_shape() -> None:
    """The picture travels with the number of the shape; again only when it changes."""
    sim = sim_of(
        "Robot { children [ Display { width 8 height 4 children [ Shape { "
        "appearance PBRAppearance { baseColorMap ImageTexture { } } geometry Plane { size 1 1 } } ] } ] }"
    )
    watcher = Watcher(sim)
    watcher.look()
    displays = next(g for g in sim.devices.groups if isinstance(g, Displays))
    canvas = displays.canvas(0)
    canvas.pixels[:] = (255, 0, 0, 255)
    displays.refresh(0)
    watcher.look()
    painting = watcher.live.paintings[PAINT_MAGIC, 0]
    assert PAINT_HEADER.unpack_from(painting.data) == (PAINT_MAGIC, 0)
    image = Image.open(io.BytesIO(painting.data[PAINT_HEADER.size :]))
    assert image.size == (8, 4)
    red, green, blue = np.asarray(image.convert("RGB"))[2, 4]
    assert red > 240 and green < 15 and blue < 15  # a JPEG is a few steps off
    watcher.look()
    assert watcher.live.paintings[PAINT_MAGIC, 0].number == painting.number
    assert Probe(sim).picture(0) is not None  # and as a card


def test_paint_is_sent_once_there_is_some(tmp_path: Any) -> None:
    """As a layer of its own, black and dense in the middle, clear elsewhere."""
    Image.new("RGB", (32, 32), (255, 255, 255)).save(tmp_path / "paper.png")
    world = tmp_path / "paper.wbt"
    world.write_text(
        "#VRML_SIM R2025a utf8\nWorldInfo { basicTimeStep 8 }\n"
        "Solid { children [ Shape { appearance PBRAppearance { "
        'baseColorMap ImageTexture { url "paper.png" } }'
        " geometry Plane { size 1 1 } } ] }\n"
        "Robot { translation 0 0 0.1 children [ Pen { leadSize 0.2 write FALSE } ] }",
        encoding="utf-8",
    )
    sim = sb.Sim(sb.load(str(world)))
    watcher = Watcher(sim)
    watcher.look()
    assert watcher.live.paintings == {}
    pens = next(g for g in sim.devices.groups if isinstance(g, Pens))
    pens.write(0, True)
    sim.step(2)
    watcher.look()
    data = watcher.live.paintings[INK_MAGIC, 0].data
    assert PAINT_HEADER.unpack_from(data) == (INK_MAGIC, 0)
    pixels = np.asarray(Image.open(io.BytesIO(data[PAINT_HEADER.size :])))
    # two steps of density 0.5 cover all
    assert pixels[16, 16].tolist() == [0, 0, 0, 255] and pixels[2, 2, 3] == 0


def test_a_charger_glows_as_it_is_full() -> None:
    """A quarter of its charge: a quarter of its colour."""
    sim = sim_of(
        "Charger { battery [ 25 100 0 ] emissiveColor 0 1 0 children [ Shape { geometry Sphere { } } ] }"
    )
    watcher = Watcher(sim)
    watcher.look()
    assert watcher.told("looks")["glows"] == [{"shape": 0, "color": [0, 0.25, 0]}]


def test_a_scene_without_lamps_and_screens_is_not_watched() -> None:
    """Nothing can change but poses."""
    watcher = Watcher(sim_of(FLOOR))
    watcher.look()
    assert set(watcher.live.news) == {"sounds", "rays", "points"}


# --- rays and points ------------------------------------------------------------------------------

WALL = """
Solid {
  translation 1.05 0 0
  name "wall"
  children [ DEF W Shape { geometry Box { size 0.1 4 4 } } ]
  boundingObject USE W
}
"""


def test_rays_end_at_what_they_hit() -> None:
    """One sensor at the wall 1 m ahead, one that looks away from it to the end of its reach."""
    sim = sim_of(
        WALL + "Robot { children [ "
        'DistanceSensor { name "a" lookupTable [ 0 0 0, 2 2 0 ] } '
        'DistanceSensor { name "b" rotation 0 0 1 3.14159265 lookupTable [ 0 0 0, 2 2 0 ] } ] }'
    )
    watcher = Watcher(sim)
    watcher.look()
    rays = watcher.numbers("rays", 7)
    assert rays == pytest.approx(
        np.array([[0, 0, 0, 1, 0, 0, 1], [0, 0, 0, -2, 0, 0, 0]]), abs=1e-5
    )  # float32


@pytest.mark.parametrize("device", ["Lidar", "RangeFinder"])
def test_points_lie_on_what_is_seen(device: str) -> None:
    """All of them on the wall, from a sensor that is turned and shifted on its robot."""
    size = "horizontalResolution 16 numberOfLayers 2" if device == "Lidar" else "width 8 height 6"
    sim = sim_of(
        WALL + f"Robot {{ rotation 0 0 1 1 children [ {device} {{ translation 0.1 0.05 0.2 "
        f"rotation 0 0 1 -1 {size} maxRange 5 }} ] }}"
    )
    watcher = Watcher(sim)
    watcher.look()
    points = watcher.numbers("points", 3)
    assert len(points) == (32 if device == "Lidar" else 48)
    assert points[:, 0] == pytest.approx(1.0, abs=1e-4)  # float32 over a metre, twice
    assert np.ptp(points[:, 1]) > 0.3


def test_a_wish_that_is_none_is_refused() -> None:
    """All three must be said."""
    assert parse_command(
        '{"command":"show","sounds":true,"listens":true,"rays":false,"points":false}'
    ) == CommandShow(sounds=True, listens=True, rays=False, points=False)
    with pytest.raises(ValueError, match=r"show \(sounds, listens, rays, points\)"):
        parse_command('{"command":"show","sounds":1}')
