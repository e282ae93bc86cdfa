"""Sensors that look at what is drawn, in batches whose copies go on in native code."""

from __future__ import annotations

import numpy as np
import pytest

import solidbody as sb
from solidbody.sim.batch.batch import Batch
from tests.sim.test_batch_native import Counter, scene_of
from tests.sim.test_batch_sensors import CART, FLOOR

EYES = """
 Camera { translation 0.1 0 0.1 width 16 height 12 fieldOfView 1.2 noise 0.02 }
 RangeFinder { name "depth" translation 0.1 0 0.1 width 8 height 6 maxRange 4 noise 0.01 resolution 0.001 }
 Lidar { translation 0 0 0.1 horizontalResolution 24 numberOfLayers 2 maxRange 4 noise 0.01 }
 DistanceSensor { name "infrared" type "infra-red" translation 0.1 0 0 lookupTable [ 0 1000 0.1, 3 0 0.1 ] }
 DistanceSensor { name "generic" translation 0.1 0 0 lookupTable [ 0 1000 0, 3 0 0 ] }
 GPS { accuracy 0.02 }
"""

WORLD = FLOOR + CART % (EYES, "", "bumper", 0.0)
SPOT = WORLD.replace(
    "GPS {", 'DistanceSensor { name "spot" type "laser" aperture 0.1 numberOfRays 2 } GPS {'
)
COUNT = 3


def bound_of(batch: Batch, period: float | None = None) -> dict[str, np.ndarray]:
    """Return the arrays of all sensors."""
    names = [name for name in batch.channels if name.startswith("sensor.")]
    return {name: batch.bind(name, period=period) for name in names}


def drive(batch: Batch) -> None:
    """Let each copy turn in its own way."""
    wheels = np.linspace(-6.0, 9.0, 2 * COUNT).reshape(COUNT, 2)
    batch.bind("joint.target_velocity")[:] = wheels


@pytest.mark.parametrize("period", [None, 0.024])
def test_copies_go_on_in_native_code_and_see_what_single_ones_see(period: float | None) -> None:
    """Pictures and depths to the byte, after steps of any number, resets of some and moves by hand."""
    fast, slow = (sb.Sim(scene_of(WORLD)).batch(COUNT, threads=2, seed=3) for _ in range(2))
    slow._leave_native()
    found, wanted = bound_of(fast, period), bound_of(slow, period)
    assert not fast._in_python
    for batch in (fast, slow):
        drive(batch)

    def agree() -> None:
        for name in ("sensor.camera", "sensor.range_finder", "sensor.lidar", "sensor.light"):
            assert found[name].tobytes() == wanted[name].tobytes(), name
        for name in ("sensor.distance", "sensor.gps"):
            assert found[name] == pytest.approx(wanted[name], rel=2e-5), name

    agree()
    for n in (1, 5, 3):
        for batch in (fast, slow):
            batch.step(n)
        agree()
    for batch in (fast, slow):
        batch.reset([1], seeds=[9])
        drive(batch)
        batch.step(4, [1, 2])
    agree()
    pictures = found["sensor.camera"].reshape(COUNT, -1)
    assert len(np.unique(pictures, axis=0)) == COUNT
    assert found["sensor.range_finder"].min() > 0.0
    assert np.isfinite(found["sensor.lidar"]).any()


def test_threads_order_and_subsets_change_no_byte() -> None:
    """Of anything that is seen."""
    one, other = (sb.Sim(scene_of(WORLD)).batch(COUNT, threads=n, seed=5) for n in (1, 4))
    first, second = bound_of(one), bound_of(other)
    for batch in (one, other):
        drive(batch)
    one.step(6)
    for ids in ([2], [0, 1]):
        other.step(2, ids)
        other.step(4, ids)
    for name, values in first.items():
        assert values.tobytes() == second[name].tobytes(), name


def test_what_was_placed_and_restored_is_seen_at_once() -> None:
    """And a copy that somebody attends to is seen as the others are."""
    batch = sb.Sim(scene_of(WORLD)).batch(COUNT)
    depth = batch.bind("sensor.range_finder")
    pose = batch.bind("link.pose", "cart")
    kept, before = batch.snapshot(), depth.copy()
    moved = pose.copy()
    moved[:, 0, :3] += (0.0, 0.0, 0.4)
    batch.place("link.pose", moved, "cart")
    assert (depth != before).any(axis=(1, 2, 3)).all()
    batch.restore(kept)
    assert np.isclose(depth, before, atol=0.2).mean() > 0.9  # but for the noise of another step
    batch[1].attach(Counter())
    batch.step(5)
    again = sb.Sim(scene_of(WORLD)).batch(COUNT)
    wanted = again.bind("sensor.range_finder")
    again.step(5)
    assert depth.tobytes() == wanted.tobytes()


def test_what_remembers_or_leaves_spots_is_stepped_one_by_one() -> None:
    """With all that was bound before, to the same values."""
    batch, plain = sb.Sim(scene_of(SPOT)).batch(2), sb.Sim(scene_of(SPOT)).batch(2)
    light, other = batch.bind("sensor.light"), plain.bind("sensor.light")
    batch.step(2)
    plain.step(2)
    batch.bind("sensor.distance", "spot")
    assert batch._in_python
    assert not plain._in_python
    batch.step(3)
    plain.step(3)
    assert light.tobytes() == other.tobytes()


def test_other_sizes_are_seen() -> None:
    """Copies of which shapes differ are looked at one by one."""
    batch = sb.Sim(scene_of(WORLD)).batch(2)
    depth = batch.bind("sensor.range_finder")
    batch.vary("box.size", [[[0.4, 0.4, 0.4]], [[1.2, 0.4, 0.4]]], "crate")
    batch.reset()
    batch.step(1)
    single = sb.Sim(batch._varying.scene_of(1)).batch(2)
    wanted = single.bind("sensor.range_finder")
    single.reset()
    single.step(1)
    assert depth[1].tobytes() == wanted[1].tobytes()
    assert (depth[0] != depth[1]).any()
