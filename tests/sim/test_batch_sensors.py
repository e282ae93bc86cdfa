"""Sensors of a batch, sampled by native code, against the groups of `devices/`, value by value."""

from __future__ import annotations

import numpy as np
import pytest

import solidbody as sb
from solidbody.devices.core.noise_streams import mixed, mixed_rows, normal
from solidbody.formats.loading import read_scene_text
from solidbody.sim.batch.batch import Batch

COUNT = 3

EXACT = 1e-9
"""Of values that both work out in 64 bits, in another order; differences of velocities lose digits."""

RAYS = 2e-5
"""Of distances, which Warp's kernels work out in 32 bits: a millionth of metres, and slopes of tables."""

FLOOR = """#VRML_SIM R2025a utf8
WorldInfo { basicTimeStep 8 gpsReference 10 20 30 }
Background { skyColor [ 0.4 0.7 1 ] } DirectionalLight { direction 0.2 0.3 -1 }
Solid { translation 0 0 -0.5 name "floor" children [ DEF F Shape { geometry Box { size 10 10 1 } } ]
  boundingObject USE F }
Solid { translation 1 0.1 0.2 name "crate" children [ DEF B Shape { geometry Box { size 0.4 0.4 0.4 } } ]
  boundingObject USE B physics Physics { } }
Solid { translation -1 0.2 0.3 rotation 1 0 0 1.5708 name "drum"
  boundingObject DEF D Shape { geometry Cylinder { radius 0.3 height 0.8 } } }
Solid { translation 0.2 1.2 0.3 rotation 1 0 0 0.4 name "pill"
  boundingObject Shape { geometry Capsule { radius 0.2 height 0.5 } } }
Solid { translation 0.1 -1.1 0.25 name "ball" boundingObject Shape { geometry Sphere { radius 0.4 } } }
Solid { translation 2 2 0 name "ramp" boundingObject Shape { geometry IndexedFaceSet {
   coord Coordinate { point [ -1 -1 0, 1 -1 0, 1 1 1, -1 1 1 ] } coordIndex [ 0 1 2 3 -1 ] } } }
"""

CART = """
Robot { name "cart" translation 0 0 0.1 rotation 0 0 1 0.3 children [
 LightSensor { name "light" }
 %s
 DEF S Shape { geometry Box { size 0.2 0.2 0.1 } }
 HingeJoint { jointParameters HingeJointParameters { axis 0 1 0 anchor 0 0.12 -0.03 }
   device [ RotationalMotor { name "left motor" maxVelocity 20 } %s ]
   endPoint Solid { name "left wheel" translation 0 0.12 -0.03 rotation 1 0 0 1.5708
     children [ DEF W Shape { geometry Cylinder { radius 0.06 height 0.02 } } ]
     boundingObject USE W physics Physics { } } }
 HingeJoint { jointParameters HingeJointParameters { axis 0 1 0 anchor 0 -0.12 -0.03 }
   device [ RotationalMotor { name "right motor" maxVelocity 20 } PositionSensor { name "right turn" } ]
   endPoint Solid { name "right wheel" translation 0 -0.12 -0.03 rotation 1 0 0 1.5708
     children [ USE W ] boundingObject USE W physics Physics { } } }
 TouchSensor { name "feel" translation 0.12 0 0 type "%s" lookupTable [ 0 0 0, 10 30 %g ]
   boundingObject Box { size 0.04 0.2 0.05 } physics Physics { mass 0.05 } }
 ] boundingObject USE S physics Physics { density -1 mass 1 } }
"""

PLAIN = """GPS { translation 0.1 0 0.1 } Gyro { rotation 0 0 1 1 }
 Accelerometer { translation 0.02 0.03 0.04 }
 Compass { } InertialUnit { rotation 1 0 0 0.3 } Altimeter { }"""

NOISY = """GPS { translation 0.1 0 0.1 accuracy 0.02 noiseCorrelation 0.8 resolution 0.001 speedNoise 0.1
   speedResolution 0.01 }
 Gyro { lookupTable [ -10 -100 0.1, 0 0 0.2, 10 100 0.1 ] resolution 0.05 }
 Accelerometer { lookupTable [ -100 -10 0.02, 100 10 0.02 ] zAxis FALSE }
 Compass { lookupTable [ -1 -1 0.05, 1 1 0.05 ] yAxis FALSE }
 InertialUnit { noise 0.01 resolution 0.001 yAxis FALSE } Altimeter { accuracy 0.1 resolution 0.01 }"""

EYE = """DistanceSensor { name "%s%d%d" type "%s" rotation 0 0 1 %g numberOfRays %d aperture %g
  gaussianWidth 0.5 lookupTable [ 0 1000 0, 1 200 0, 3 0 0 ] }
"""

EYES = "".join(
    EYE % (kind, rays, k, kind, angle, rays, aperture)
    for kind, rays, aperture in (
        ("generic", 1, 0.0),
        ("generic", 5, 0.4),
        ("sonar", 3, 0.3),
        ("laser", 1, 0.0),
    )
    for k, angle in enumerate((0.0, 0.9, 1.6, 2.6, 3.3, 4.5, 5.4))
)

KINDS = {
    "plain": (PLAIN, 'PositionSensor { name "left turn" }', "force-3d", 0.0),
    "noisy": (
        NOISY,
        'PositionSensor { name "left turn" noise 0.01 resolution 0.001 }',
        "force",
        0.2,
    ),
    "bumper": ("", 'PositionSensor { name "left turn" }', "bumper", 0.0),
}


def scene_of(text: str) -> sb.Scene:
    """Return the scene of a world."""
    found, messages = read_scene_text(text)
    assert found is not None, [str(m) for m in messages]
    return found


def sensors_of(batch: Batch) -> list[str]:
    """Return the channels of sensors, but for light."""
    names = [name for name in batch.channels if name.startswith("sensor.")]
    return [name for name in names if name != "sensor.light"]


def pair_of(
    scene: sb.Scene, period: float | None
) -> tuple[Batch, Batch, list[dict[str, np.ndarray]]]:
    """Return a batch of native sensors, one whose sensors are sampled by their groups, and what is bound."""
    fast, slow = (sb.Sim(scene).batch(COUNT, threads=2, seed=7) for _ in range(2))
    slow._leave_native()
    bound = [
        {name: batch.bind(name, period=period) for name in sensors_of(batch)}
        for batch in (fast, slow)
    ]
    for batch in (fast, slow):
        speeds = np.linspace(-6.0, 9.0, 2 * COUNT).reshape(COUNT, 2)
        batch.bind("joint.target_velocity")[:] = speeds
    return fast, slow, bound


def agree(bound: list[dict[str, np.ndarray]], when: str) -> None:
    """Compare all channels."""
    fast, slow = bound
    for name, values in fast.items():
        wanted = slow[name]
        limit = RAYS if name == "sensor.distance" else EXACT
        scale = max(1.0, float(np.nanmax(np.abs(wanted), initial=0.0)))
        assert values == pytest.approx(wanted, rel=limit, abs=limit * scale, nan_ok=True), (
            name,
            when,
        )


@pytest.mark.slow
@pytest.mark.parametrize("kind", sorted(KINDS))
@pytest.mark.parametrize("period", [None, 0.024])
def test_sensors_are_what_their_groups_sample(kind: str, period: float | None) -> None:
    """From the first look on, in steps of any number, after resets of some, with all noise."""
    scene = scene_of(FLOOR + CART % KINDS[kind])
    fast, slow, bound = pair_of(scene, period)
    agree(bound, "at first")
    for n in (1, 4, 3, 7, 2):
        fast.step(n)
        slow.step(n)
        agree(bound, f"after {n} steps")
    for batch in (fast, slow):
        batch.reset([1, 2], seeds=[5, 6])
    agree(bound, "after a reset")
    for n in (4, 30):
        fast.step(n)
        slow.step(n)
        agree(bound, f"{n} steps after a reset")
    touch = bound[0]["sensor.touch"]
    assert np.isfinite(touch).all()


@pytest.mark.slow
def test_distance_sensors_see_what_rays_of_the_engine_see() -> None:
    """All kinds but infrared, on boxes, cylinders, capsules, balls and meshes, moving."""
    scene = scene_of(FLOOR + CART % (EYES, "", "bumper", 0.0))
    fast, slow, bound = pair_of(scene, None)
    agree(bound, "at first")
    seen = np.zeros(bound[0]["sensor.distance"].shape[1], dtype=bool)
    for _ in range(12):
        fast.step(10)
        slow.step(10)
        agree(bound, "on the way")
        seen |= (bound[0]["sensor.distance"] > 0.0).any(axis=0)
    assert seen.mean() > 0.7, "most of them have seen something"


def test_a_collision_is_felt_by_a_bumper() -> None:
    """Until then 0, in the step of the touch 1."""
    scene = scene_of(FLOOR + CART % ("", "", "bumper", 0.0))
    batch = sb.Sim(scene).batch(2)
    touch = batch.bind("sensor.touch")
    speed = batch.bind("joint.target_velocity")
    speed[:] = [[12.0, 12.0], [0.0, 0.0]]
    batch.place("link.pose", [0.55, 0.1, 0.095, 1.0, 0.0, 0.0, 0.0], "cart")
    felt = np.zeros(2)
    for _ in range(120):
        batch.step(1)
        felt = np.maximum(felt, touch[:, 0, 0])
    assert felt.tolist() == [1.0, 0.0]


def noisy_batch(threads: int, count: int = 4) -> tuple[Batch, list[np.ndarray]]:
    """Return a batch of seed 3 with all noisy sensors bound."""
    batch = sb.Sim(scene_of(FLOOR + CART % KINDS["noisy"])).batch(count, threads=threads, seed=3)
    return batch, [batch.bind(name) for name in sensors_of(batch)]


def test_noise_depends_on_seed_copy_sensor_and_sample_alone() -> None:
    """Not on threads, on the order of copies, or on how many steps are made in one call."""
    one, first = noisy_batch(1)
    other, second = noisy_batch(5)
    one.step(6)
    for ids in ([3], [0, 2], [1]):
        other.step(2, ids)
        other.step(4, ids)
    for a, b in zip(first, second, strict=True):
        assert a.tobytes() == b.tobytes()
    values = np.concatenate([array.reshape(4, -1) for array in first], axis=1)
    assert len(np.unique(values, axis=0)) == 4, "each copy has noise of its own"
    before = values.copy()
    one.reset([2])
    one.step(6, [2])
    values = np.concatenate([array.reshape(4, -1) for array in first], axis=1)
    assert (values[2] != before[2]).any(), "and other noise after a reset"
    assert np.array_equal(values[[0, 1, 3]], before[[0, 1, 3]], equal_nan=True)


def test_a_seed_gives_the_same_episode_in_any_copy() -> None:
    """That of copy 0 of a batch of that seed."""
    batch, bound = noisy_batch(2)
    batch.reset([1, 3], seeds=[11, 11])
    batch.step(5)
    for array in bound:
        assert array[1].tobytes() == array[3].tobytes()
    scene = scene_of(FLOOR + CART % KINDS["noisy"])
    fresh = sb.Sim(scene).batch(1, seed=11)
    again = [fresh.bind(name) for name in sensors_of(fresh)]
    fresh.step(5)
    for array, wanted in zip(bound, again, strict=True):
        assert array[3].tobytes() == wanted[0].tobytes()


def test_snapshots_keep_sensors_and_noise() -> None:
    """What follows is the same bytes again, between samples too."""
    batch, bound = noisy_batch(2)
    batch.step(7)
    kept = batch.snapshot()
    batch.step(9)
    later = [array.copy() for array in bound]
    batch.restore(kept)
    batch.step(9)
    for array, wanted in zip(bound, later, strict=True):
        assert array.tobytes() == wanted.tobytes()


def test_noise_is_normal() -> None:
    """Mean, spread and independence of 40,000 numbers; five standard errors."""
    found = np.array(
        [
            normal(99, device, step, k)
            for device in range(4)
            for step in range(2500)
            for k in range(4)
        ]
    )
    error = 5.0 / np.sqrt(found.size)
    assert abs(found.mean()) < error
    assert abs(found.std() - 1.0) < error
    assert abs((found[::2] * found[1::2]).mean()) < 2.0 * error
    assert abs((found**4).mean() - 3.0) < 5.0 * np.sqrt(96.0 / found.size)


def test_keys_of_many_are_keys_of_each() -> None:
    """Made row by row, or all at once."""
    seeds, copies = np.array([0, 5, 2**62]), np.array([0, 1, 2])
    rows = mixed_rows(seeds, copies, copies + 1)
    assert rows.tolist() == [
        mixed(int(s), int(c), int(c) + 1) for s, c in zip(seeds, copies, strict=True)
    ]
