"""Sensors of batches on a device: the readings of the native step's, through look-up tables and steps."""

from __future__ import annotations

import numpy as np
import pytest

from solidbody.formats.loading import read_scene_text
from solidbody.sim import Sim
from tests.gpu.comparing import DEVICE

pytestmark = [pytest.mark.slow, pytest.mark.native]

TABLE = "lookupTable [ 0 1000 0, 0.5 400 0, 2 20 0 ]"
ROBOT = f"""#VRML_SIM R2025a utf8
WorldInfo {{ basicTimeStep 16 }}
Solid {{ boundingObject Plane {{ size 20 20 }} }}
Solid {{ translation 0.9 0 0.2 rotation 0 0 1 0.3 boundingObject Box {{ size 0.2 2 1 }} }}
Solid {{ translation 0 0.8 0.2 boundingObject Cylinder {{ radius 0.2 height 1 }} }}
Solid {{ name "ball" translation 0 -0.6 0.5 boundingObject Sphere {{ radius 0.2 }} physics Physics {{ }} }}
Solid {{ translation -0.9 0 0.2 boundingObject Transform {{ scale 1 2 0.5 children [
  Capsule {{ radius 0.1 height 0.5 }} ] }} }}
Robot {{ translation 0 0 0.3 rotation 1 1 0 0.2 children [
  DistanceSensor {{ name "single" {TABLE} }}
  DistanceSensor {{ name "cone" rotation 0 0 1 1.5 {TABLE} numberOfRays 9 aperture 0.6 }}
  DistanceSensor {{ name "hissing" rotation 0 0 1 1.2 lookupTable [ 0 1000 0.1, 0.5 400 0.2, 2 20 0 ] }}
  DistanceSensor {{ name "sonar" type "sonar" rotation 0 0 1 -1.5 {TABLE} numberOfRays 7 aperture 0.5 }}
  DistanceSensor {{ name "laser" type "laser" rotation 0 0 1 3 {TABLE} aperture 0 resolution 7 }}
  Gyro {{ lookupTable [ -3 -1 0.1, 0 0 0, 5 2 0.2 ] resolution 0.01 }}
  Altimeter {{ accuracy 0.1 }}
  Accelerometer {{ yAxis FALSE resolution 0.5 }}
  GPS {{ resolution 0.01 speedResolution 0.1 }}
  InertialUnit {{ zAxis FALSE resolution 0.001 }}
  GPS {{ name "hasty" speedNoise 0.2 }}
  InertialUnit {{ name "shaky" noise 0.05 yAxis FALSE }}
  Compass {{ resolution 0.1 xAxis FALSE }}
] boundingObject Box {{ size 0.1 0.1 0.1 }} physics Physics {{ }} }}
"""
CHANNELS = (
    *("sensor.distance", "sensor.gyro", "sensor.accelerometer", "sensor.gps", "sensor.gps_speed"),
    *("sensor.inertial_unit", "sensor.compass", "sensor.altimeter"),
)
COUNT = 3


def test_readings_equal_those_of_the_native_step() -> None:
    """A robot that falls and tumbles among forms of all kinds, another way in each world."""
    scene, messages = read_scene_text(ROBOT)
    assert scene is not None, list(messages)
    one, many = Sim(scene).batch(COUNT, seed=7), Sim(scene).batch(COUNT, device=DEVICE, seed=7)
    wanted = {name: one.bind(name, period=0.016) for name in CHANNELS}
    got = {name: many.bind(name) for name in CHANNELS}
    twist = np.random.default_rng(4).uniform(-3.0, 3.0, (COUNT, 1, 6))
    for batch in (one, many):
        batch.place("link.twist", twist, "robot")
    seen: set[float] = set()
    for step in range(40):
        one.step()
        many.step()
        for name in CHANNELS:
            if name == "sensor.accelerometer" and step == 0:
                continue  # nothing is known before the first step
            found, expected = got[name].numpy(), wanted[name]
            assert (np.isnan(found) == np.isnan(expected)).all(), name
            assert np.nanmax(np.abs(found - expected)) <= 1e-6, (name, step)
        seen |= set(np.unique(wanted["sensor.distance"]).tolist())
    assert len(seen) > 100
    assert np.isnan(wanted["sensor.compass"]).any()


@pytest.mark.parametrize(
    ("sensor", "channel", "why"),
    [
        (
            'TouchSensor { name "push" type "force" boundingObject Box { } }',
            "sensor.touch",
            "forces between links",
        ),
        ('GPS { name "rough" accuracy 0.1 }', "sensor.gps", "noise"),
    ],
)
def test_what_cannot_be_measured_is_refused_by_name(sensor: str, channel: str, why: str) -> None:
    """With the reason, and the line of the file."""
    text = ROBOT.replace("Compass {", f"{sensor}\n  Compass {{")
    scene, messages = read_scene_text(text)
    assert scene is not None, list(messages)
    batch = Sim(scene).batch(1, device=DEVICE)
    name = sensor.split('"')[1]
    with pytest.raises(ValueError, match=rf'"{name}" cannot be read on a device: .*{why}.*:\d+:'):
        batch.bind(channel, name)


SEEING = f"""#VRML_SIM R2025a utf8
WorldInfo {{ basicTimeStep 16 }}
DirectionalLight {{ direction 0.3 0.2 -1 intensity 1.5 ambientIntensity 0.1 }}
PointLight {{ location 0.5 0.3 1 attenuation 1 0.1 0.3 color 1 0.6 0.2 castShadows TRUE }}
Solid {{ children [ Shape {{ appearance PBRAppearance {{ baseColor 0.2 0.5 0.3 roughness 0.7 metalness 0 }}
  geometry Plane {{ size 20 20 }} }} ] boundingObject Plane {{ size 20 20 }} }}
Solid {{ translation 0.6 0 0.3 rotation 0 0 1 0.3 children [ DEF RED Shape {{ appearance PBRAppearance {{
  baseColor 0.9 0.2 0.1 roughness 0.3 metalness 0 }} geometry Box {{ size 0.1 2 1.5 }} }} ]
  boundingObject USE RED }}
Robot {{ translation 0 0 0.5 rotation 1 1 0 0.2 children [
  DistanceSensor {{ name "red" type "infra-red" {TABLE} }}
  DistanceSensor {{ name "wide" type "infra-red" rotation 0 1 0 0.5 {TABLE} numberOfRays 5 aperture 0.5 }}
  DistanceSensor {{ name "hiss" type "infra-red" lookupTable [ 0 1000 0.1, 2 20 0.2 ] resolution 0.5 }}
  DistanceSensor {{ name "plain" {TABLE} }}
  LightSensor {{ rotation 0 1 0 -1.5 }}
  LightSensor {{ name "shadowed" rotation 0 1 0 -0.7 occlusion TRUE colorFilter 1 0.5 0.2 }}
] boundingObject Box {{ size 0.1 0.1 0.1 }} physics Physics {{ }} }}
"""


def test_sensors_that_see_equal_those_of_the_processor() -> None:
    """Infra-red distance sensors and light sensors; what they see goes into 32-bit numbers."""
    scene, messages = read_scene_text(SEEING)
    assert scene is not None, list(messages)
    one, many = Sim(scene).batch(COUNT, seed=3), Sim(scene).batch(COUNT, device=DEVICE, seed=3)
    names = ("sensor.distance", "sensor.light")
    wanted, got = ({name: batch.bind(name) for name in names} for batch in (one, many))
    twist = np.random.default_rng(4).uniform(-2.0, 2.0, (COUNT, 1, 6))
    for batch in (one, many):
        batch.place("link.twist", twist, "robot")
    seen: set[float] = set()
    for _ in range(20):
        one.step()
        many.step()
        for name in names:
            found, expected = got[name].numpy(), wanted[name]
            apart = np.abs(found - expected)
            if name == "sensor.distance":
                apart[..., 2] = 0.0  # it has steps
            assert apart.max() <= 1e-3, (name, apart)  # of 1000
            assert (np.abs(found - expected) <= 0.5).all()
            seen |= set(expected.ravel().tolist())
    assert len(seen) > 100


def test_noise_begins_anew_with_every_reset() -> None:
    """That of seeds comes again, as it does on the processor; others get noise that they have not had."""
    scene, messages = read_scene_text(ROBOT)
    assert scene is not None, list(messages)
    one, many = Sim(scene).batch(COUNT), Sim(scene).batch(COUNT, device=DEVICE)
    wanted, got = one.bind("sensor.altimeter", period=0.016), many.bind("sensor.altimeter")
    seen: list[np.ndarray] = []
    for seeds in (None, None, [5, 6, 7], [5, 6, 7]):
        one.reset(seeds=seeds)
        many.reset(seeds=seeds)
        one.step()
        many.step()
        assert np.abs(got.numpy() - wanted).max() <= 1e-9
        seen.append(wanted.copy())
    assert (seen[2] == seen[3]).all()
    assert (seen[0] != seen[1]).all()
    assert len(np.unique(seen[2])) == COUNT
    middle = many.snapshot()
    many.step(2)
    after = got.numpy().copy()
    many.restore(middle)
    many.step(2)
    assert (got.numpy() == after).all()


def test_bumpers_feel_every_step() -> None:
    """Touches between readings are not lost; worlds that stand still keep what they have read."""
    floor = 'Solid { boundingObject Plane { size 20 20 } contactMaterial "ice" }'
    foot = (
        'TouchSensor { name "foot %d" translation %s 0 -0.1 boundingObject Sphere { radius 0.05 } '
        "physics Physics { } }"
    )
    text = (
        "#VRML_SIM R2025a utf8\nWorldInfo { basicTimeStep 16 }\n"
        + floor
        + " Robot { translation 0 0 0.3 rotation 0 1 0 0.4 children [ "
        + " ".join(foot % (k, x) for k, x in enumerate((-0.2, 0.2)))
        + " ] boundingObject Box { size 0.5 0.1 0.05 } physics Physics { } }"
    )
    scene, messages = read_scene_text(text)
    assert scene is not None, list(messages)
    one, many = Sim(scene).batch(2), Sim(scene).batch(2, device=DEVICE)
    wanted, got = one.bind("sensor.touch", period=0.048), many.bind("sensor.touch")
    felt = 0.0
    for _ in range(40):
        one.step(3)
        many.step(3)
        assert (got.numpy() == wanted).all()
        felt += wanted[..., 0].sum()
    assert 5 < felt < 2 * 2 * 40
    many.reset([0])
    assert got.numpy()[0].max() == 0.0
    many.step(1, ids=[0])
    assert (got.numpy()[1] == wanted[1]).all()
