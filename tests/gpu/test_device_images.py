"""Images of batches on a device: the pictures and distances of an ordinary simulation, in each world."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pytest.importorskip("warp")

from solidbody.formats.loading import read_scene_text
from solidbody.sim import Sim
from tests.gpu.comparing import DEVICE

pytestmark = [pytest.mark.slow, pytest.mark.native]

COUNT = 3
MOVES = 3
"""Times that all move on and look again."""

MOST = 1
"""Steps that a byte may differ: tone mapping is a power in 64 bits here, in 32 bits of numpy there. So that
few do, no colour of this sky is halfway between two bytes."""
OFTEN = 2e-3
"""Share of the bytes that may, and of pixels in which rays pass another side of an edge: poses agree to
1e-14, but go into 32-bit numbers."""

HEAD = """#VRML_SIM R2025a utf8
WorldInfo { basicTimeStep 16 }
Background { skyColor [ 0.31 0.52 0.93 ] }
"""
SCENERY = """
Solid { children [ Shape { appearance PBRAppearance { baseColor 0.4 0.5 0.3 roughness 0.7 metalness 0 }
  geometry Plane { size 20 20 } } ] boundingObject Plane { size 20 20 } }
Solid { translation 1.5 0.4 0.3 children [ DEF RED Shape { appearance PBRAppearance { baseColor 0.9 0.2 0.1
  roughness 0.3 metalness 0.2 } geometry Box { size 0.3 0.5 0.6 } } ] boundingObject USE RED }
Solid { translation 1.3 -0.5 0.25 children [ Shape { appearance PBRAppearance { baseColor 0.1 0.3 0.9
  transparency 0.4 roughness 0.2 metalness 0 } geometry Cylinder { radius 0.2 height 0.5 } } ] }
Solid { translation 2 0 0.6 children [ Shape { appearance Appearance { material Material {
  diffuseColor 0.8 0.8 0.2 } } geometry IndexedFaceSet { coord Coordinate { point [ 0 -1 0 0 1 0 0 0 1 ] }
  coordIndex [ 0 1 2 -1 2 1 0 -1 ] } } ] }
Solid { name "ball" translation 0.9 0 1 children [ DEF BALL Shape { appearance PBRAppearance {
  baseColor 1 0.8 0.1 roughness 0.5 metalness 0 } geometry Sphere { radius 0.15 } } ]
  boundingObject USE BALL physics Physics { } }
"""
SUN = (
    "DirectionalLight { direction 0.3 0.4 -1 intensity 2 castShadows TRUE ambientIntensity 0.3 }\n"
)
LAMP = (
    "SpotLight { location 0.05 0 0 direction 1 0 -0.1 attenuation 1 0 0.2 cutOffAngle 0.7"
    " castShadows TRUE }"
)
SENSORS = {
    "camera": "width 32 height 24 fieldOfView 1.2",
    "smooth": "width 16 height 12 fieldOfView 1.4 antiAliasing TRUE",
    "fish": 'width 20 height 20 fieldOfView 2 projection "cylindrical"',
    "corners": "width 16 height 12 fieldOfView 1.2 ambientOcclusionRadius 0.5",
}


def world(light: str = SUN, carried: str = "") -> str:
    """Return a robot that falls among things, with sensors of all kinds."""
    cameras = "\n".join(f'Camera {{ name "{name}" {fields} }}' for name, fields in SENSORS.items())
    return f"""{HEAD}{light}{SCENERY}
Robot {{ translation 0 0 0.5 children [
  {cameras}
  RangeFinder {{ name "depth" width 24 height 16 fieldOfView 1.3 maxRange 3 }}
  RangeFinder {{ name "stepped" width 24 height 16 fieldOfView 1.3 maxRange 1.6 resolution 0.05 }}
  Lidar {{ name "lidar" translation 0 0 0.1 rotation 0 0 1 0.5 horizontalResolution 40 fieldOfView 3
    numberOfLayers 4 verticalFieldOfView 0.5 maxRange 4 minRange 0.2 }}
  {carried}
] boundingObject Box {{ size 0.2 0.1 0.1 }} physics Physics {{ }} }}
"""


def batches(text: str) -> tuple[Any, Any]:
    """Return the worlds of a file on the processor and on the device, each robot thrown another way."""
    scene, messages = read_scene_text(text)
    assert scene is not None, list(messages)
    pair = Sim(scene).batch(COUNT), Sim(scene).batch(COUNT, device=DEVICE)
    twist = np.random.default_rng(2).uniform(-1.0, 1.0, (COUNT, 1, 6))
    for batch in pair:
        batch.place("link.twist", twist, "robot")
    return pair


def compare(name: str, got: Any, wanted: Any) -> None:
    """Let images be equal but for what rounding may do."""
    found = got.numpy()
    assert found.dtype == wanted.dtype
    assert found.shape == wanted.shape
    if found.dtype == np.uint8:
        apart = np.abs(found.astype(int) - wanted)
        assert (apart > 0).mean() <= OFTEN, (name, (apart > 0).mean())
        assert (apart > MOST).mean() <= OFTEN / 4, (name, apart.max())
        assert wanted.std() > 5.0
    else:
        same = np.isclose(found, wanted, rtol=0.0, atol=1e-5)
        assert (~same).mean() <= OFTEN, (name, (~same).mean())
        assert np.isfinite(wanted).any()


@pytest.mark.parametrize("lit", ["sun", "carried"])
def test_images_are_those_of_an_ordinary_simulation(lit: str) -> None:
    """Of all kinds, under a sun that casts shadows and under a lamp that the robot carries."""
    one, many = batches(world() if lit == "sun" else world("", LAMP))
    names = [
        name for name in one.channels if name.split(".")[1] in ("camera", "range_finder", "lidar")
    ]
    assert len(names) == len(SENSORS) + 2
    wanted, got = ({name: batch.bind(name) for name in names} for batch in (one, many))
    before: dict[str, Any] = {}
    for _ in range(MOVES):
        one.step(8)
        many.step(8)
        for name in names:
            compare(name, got[name], wanted[name])
            if name in before:
                assert not np.array_equal(before[name], wanted[name]), "nothing has moved"
            before[name] = wanted[name].copy()
    assert (got["sensor.lidar"].numpy()[0] != got["sensor.lidar"].numpy()[1]).any()


def test_worlds_that_do_not_step_keep_their_images() -> None:
    """Those that are reset get new ones at once, as at the start."""
    _, many = batches(world())
    depth = many.bind("sensor.range_finder", "depth")
    start = depth.numpy().copy()
    many.step(20)
    after = depth.numpy().copy()
    assert (after != start).any(axis=(1, 2, 3)).all()
    many.step(5, ids=[1])
    assert (depth.numpy()[[0, 2]] == after[[0, 2]]).all()
    assert (depth.numpy()[1] != after[1]).any()
    moved = depth.numpy().copy()
    many.reset([0])
    assert (depth.numpy()[[1, 2]] == moved[[1, 2]]).all()
    still = many.snapshot([0])
    many.step(3)
    many.restore(still, [0])
    assert (depth.numpy()[0] == many.bind("sensor.range_finder", "depth").numpy()[0]).all()


@pytest.mark.parametrize(
    ("sensor", "channel", "why"),
    [
        ('Camera { name "hiss" noise 0.1 }', "sensor.camera", "noise"),
        ('Camera { name "slow" motionBlur 100 }', "sensor.camera", "motion blur"),
        ('RangeFinder { name "rough" noise 0.1 }', "sensor.range_finder", "noise"),
        ('Lidar { name "head" type "rotating" }', "sensor.lidar", "head turns"),
    ],
)
def test_images_that_cannot_be_made_are_refused_by_name(
    sensor: str, channel: str, why: str
) -> None:
    """With the reason, and the line of the file."""
    text = f"{HEAD}Robot {{ children [\n{sensor}\n] boundingObject Box {{ }} physics Physics {{ }} }}\n"
    scene, messages = read_scene_text(text)
    assert scene is not None, list(messages)
    batch = Sim(scene).batch(1, device=DEVICE)
    name = sensor.split('"')[1]
    with pytest.raises(ValueError, match=rf'"{name}" cannot be read on a device: .*{why}.*:5:'):
        batch.bind(channel, name)


def test_worlds_where_nothing_moves_are_seen() -> None:
    """A camera that stands still, among things that do."""
    fixed = "Robot { translation 0 0 0.5 children [ Camera { width 16 height 12 } ] }"
    scene, messages = read_scene_text(
        f"{HEAD}{SUN}{SCENERY}{fixed}".replace("physics Physics { }", "")
    )
    assert scene is not None, list(messages)
    one, many = Sim(scene).batch(2), Sim(scene).batch(2, device=DEVICE)
    wanted, got = one.bind("sensor.camera"), many.bind("sensor.camera")
    one.step()
    many.step()
    compare("still", got, wanted)
