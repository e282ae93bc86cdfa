"""Pictures are developed when they are read: the same to the last bit, and none that nobody reads."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import solidbody as sb
from solidbody.devices.actuators.displays import Displays
from solidbody.devices.actuators.lamps import Leds
from solidbody.devices.imaging.cameras import Cameras
from solidbody.devices.imaging.range_images import Lidars
from solidbody.render.ray_engine import RayEngine
from tests.devices.worlds import sim_of

SWINGING = """
Background { skyColor [ 0.2 0.3 0.5 ] }
DirectionalLight { direction 0.3 0.2 -1 castShadows TRUE }
Solid { name "floor" translation 0 0 -1 children [ Shape { appearance PBRAppearance { }
  geometry Plane { size 20 20 } } ] }
DEF A Solid { name "red" translation 2 0.3 0.5 recognitionColors [ 1 0 0 ] children [ Shape {
  appearance PBRAppearance { baseColor 1 0 0 } geometry Box { size 0.5 0.5 0.5 } } ]
  boundingObject Box { size 0.5 0.5 0.5 } physics Physics { } angularVelocity 1 2 3 }
DEF B Solid { name "blue" translation 3 -0.3 0.2 recognitionColors [ 0 0 1 ] children [ Shape {
  appearance PBRAppearance { baseColor 0 0 1 } geometry Sphere { radius 0.4 } } ]
  boundingObject Sphere { radius 0.4 } physics Physics { } linearVelocity 0 1 2 }
Robot { name "robot" children [
  Camera { name "camera" width 40 height 30 noise 0.1 antiAliasing TRUE far 50
    recognition Recognition { } }
  Camera { name "blurred" width 20 height 15 motionBlur 30 noise 0.05 }
  Camera { name "masked" width 20 height 15 noiseMaskUrl "mask.png" translation 0 0 0.1 }
  RangeFinder { name "depth" width 20 height 15 maxRange 8 noise 0.02 }
  Lidar { name "lidar" horizontalResolution 50 numberOfLayers 3 fieldOfView 1 noise 0.01 maxRange 9
    tiltAngle 0.01 }
  Lidar { name "turning" type "rotating" horizontalResolution 60 numberOfLayers 1 maxRange 9
    defaultFrequency 7 }
  LED { name "led" translation 1 0 0.2 color [ 1 1 0 ] children [ Shape {
    appearance PBRAppearance { } geometry Sphere { radius 0.05 } } ] }
  Display { name "screen" width 8 height 8 translation 1.5 0.4 0 children [ Shape {
    appearance Appearance { texture ImageTexture { } } geometry Box { size 0.02 0.4 0.4 } } ] }
] }
"""
EYES = ("camera", "blurred", "masked", "depth", "lidar", "turning")
STEPS = 60


def _world(folder: Path) -> sb.Scene:
    noise = np.random.default_rng(3).integers(0, 255, (16, 16, 3), dtype=np.uint8)
    Image.fromarray(noise).save(folder / "mask.png")
    path = folder / "world.wbt"
    path.write_text(f"#VRML_SIM R2025a utf8\nWorldInfo {{ basicTimeStep 8 }}\n{SWINGING}")
    return sb.load(path)


def _group(sim: sb.Sim, name: str) -> tuple[Any, int]:
    return sim.devices.group_of(sim.devices.names[name])


def _read(sim: sb.Sim) -> dict[str, bytes]:
    """Everything that optical devices tell, as bytes."""
    out = {name: b"" if (v := sim.device(name).value) is None else v.tobytes() for name in EYES}
    cameras, row = _group(sim, "camera")
    lidars, number = _group(sim, "lidar")
    assert isinstance(cameras, Cameras) and isinstance(lidars, Lidars)
    out["objects"] = repr(cameras.objects(row)).encode()
    segments = cameras.segmentation(row)
    out["segments"] = b"" if segments is None else segments.tobytes()
    out["points"] = lidars.points(number).tobytes()
    return out


def _log(scene: sb.Scene, reads: Callable[[int], bool]) -> dict[int, dict[str, bytes]]:
    """Run with sensors of several periods, a lamp, a screen and a zoom that change; read at some steps."""
    sim = sb.Sim(scene)
    for name, steps in zip(EYES, (3, 4, 2, 5, 7, 3), strict=True):
        sim.device(name).enable(steps * 0.008)
    cameras, camera = _group(sim, "camera")
    leds, led = _group(sim, "led")
    screens, screen = _group(sim, "screen")
    assert isinstance(leds, Leds) and isinstance(screens, Displays)
    cameras.states[camera].recognises = True
    out: dict[int, dict[str, bytes]] = {}
    for step in range(STEPS):
        sim.step()
        if reads(step):
            out[step] = _read(sim)
        # what changes after a picture was taken is not on it, though nobody has looked at it yet
        leds.set(led, step % 2)
        screens.canvas(screen).pixels[:] = 4 * step
        screens.refresh(screen)
        cameras.set_field_of_view(camera, 0.7 + 0.01 * (step % 9))
        cameras.states[camera].exposure = 1.0 + 0.1 * (step % 5)
    return out


def test_what_is_read_late_or_rarely_is_the_same_to_the_last_bit(tmp_path: Path) -> None:
    """Noise, masks, blur, lamps, screens, zoom and recognition included."""
    scene = _world(tmp_path)
    always = _log(scene, lambda step: True)
    rarely = _log(scene, lambda step: step % 10 == 8)
    assert set(rarely) == {8, 18, 28, 38, 48, 58}
    for step, found in rarely.items():
        for name, value in found.items():
            assert value == always[step][name], (step, name)
    # the run shows something: nothing stands still
    first, last = rarely[8], rarely[58]
    assert all(first[name] != last[name] for name in first)


def _counted(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Count the pictures that are made from now on."""
    made: list[int] = []
    real = RayEngine.picture

    def picture(self: RayEngine, *arguments: Any, **named: Any) -> Any:
        made.append(1)
        return real(self, *arguments, **named)

    monkeypatch.setattr(RayEngine, "picture", picture)
    return made


CAMERA = 'Robot { children [ Camera { name "eye" width 4 height 3 %s } ] }'


def test_pictures_that_nobody_reads_are_not_made(monkeypatch: pytest.MonkeyPatch) -> None:
    """100 steps, read at every tenth: ten pictures; reading one twice makes it once."""
    made = _counted(monkeypatch)
    sim = sim_of(CAMERA % "")
    eye = sim.device("eye")
    eye.enable()
    for step in range(100):
        sim.step()
        if step % 10 == 9:
            assert eye.value.tolist() == eye.value.tolist()
    assert len(made) == 10


def test_blur_needs_every_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    """It depends on all that were before."""
    made = _counted(monkeypatch)
    sim = sim_of(CAMERA % "motionBlur 100")
    sim.device("eye").enable()
    sim.step(20)
    assert len(made) == 20


def test_noise_of_a_picture_is_new_in_each_step_and_the_same_after_a_reset() -> None:
    """A dark world: all that is seen is noise."""
    sim = sim_of(CAMERA % "noise 0.2")
    eye = sim.device("eye")
    eye.enable()
    sim.step()
    first = eye.value
    sim.step()
    assert (eye.value != first).any()
    sim.reset()
    sim.step()
    assert (eye.value == first).all()
