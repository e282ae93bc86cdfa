"""The device part of the common model: every kind keeps the same habits, defaults as specified."""

from __future__ import annotations

import dataclasses
import inspect
import math
import pkgutil
from importlib import import_module
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from solidbody.base.span import NOWHERE
from solidbody.base.transforms import WORLD
from solidbody.model import devices
from solidbody.model.environment import LightPoint

KINDS: tuple[type[Any], ...] = get_args(devices.Device)

MANDATORY: dict[str, dict[str, Any]] = {
    "DeviceLight": {"light": LightPoint((0.0, 0.0, 0.0))},
    "DeviceEffect": {"kind": devices.EffectKind.SMOKE},
    "DeviceUnknown": {"kind": "Gadget"},
}
"""Fields without a default, by kind."""


def build(kind: type[Any]) -> Any:
    """Return a device of `kind` with nothing but what must be given."""
    return kind(name="thing", **MANDATORY.get(kind.__name__, {}))


def classes_of_package() -> set[type[Any]]:
    """Return every class that the package's modules define."""
    found: set[type[Any]] = set()
    for info in pkgutil.iter_modules(devices.__path__):
        module = import_module(f"solidbody.model.devices.{info.name}")
        found |= {
            item
            for _, item in inspect.getmembers(module, inspect.isclass)
            if item.__module__ == module.__name__
        }
    return found


def test_union_holds_every_device_class_exactly_once() -> None:
    """A device that is not in the union would be invisible to `match`."""
    defined = {c for c in classes_of_package() if c.__name__.startswith("Device")}
    assert len(KINDS) == len(set(KINDS))
    assert set(KINDS) == defined - {devices.DeviceBase}


def test_package_exports_every_class() -> None:
    """One import path serves all kinds and their parts."""
    unions = {name for name in devices.__all__ if name.endswith("Device")}
    assert set(devices.__all__) - unions == {c.__name__ for c in classes_of_package()}
    assert {name for name in unions if isinstance(getattr(devices, name), type)} == set()
    assert len(devices.__all__) == len(set(devices.__all__))


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_every_device_is_frozen_slotted_documented_and_placed(kind: type[Any]) -> None:
    """All kinds share name, pose and span, cannot change, and say what they are."""
    device = build(kind)
    assert (device.name, device.pose, device.span, device.number) == ("thing", WORLD, NOWHERE, None)
    assert not hasattr(device, "__dict__")
    with pytest.raises(dataclasses.FrozenInstanceError):
        device.name = "other"
    assert kind.__doc__ and not kind.__doc__.startswith(f"{kind.__name__}(")
    assert hash(device) == hash(build(kind))


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_every_field_of_a_device_is_documented(kind: type[Any]) -> None:
    """A field without a line in `Attributes` has no stated unit."""
    shared = {field.name for field in dataclasses.fields(devices.DeviceBase)}
    own = [field.name for field in dataclasses.fields(kind) if field.name not in shared]
    text = inspect.getdoc(kind) or ""  # without the indentation, which Python keeps before 3.13
    missing = [name for name in own if f"\n    {name}: " not in text]
    assert not missing


DEFAULTS = [
    (devices.DeviceAccelerometer, {"resolution": None, "axes": devices.AxisMask(True, True, True)}),
    (devices.DeviceInertialUnit, {"noise": 0.0, "resolution": None}),
    (devices.DeviceGps, {"accuracy": 0.0, "noise_correlation": 0.0, "speed_resolution": None}),
    (devices.DeviceAltimeter, {"accuracy": 0.0, "resolution": None}),
    (
        devices.DeviceDistanceSensor,
        {"ray_count": 1, "aperture": 1.5708, "gaussian_width": 1.0, "red_sensitivity": 1.0},
    ),
    (devices.DeviceTouchSensor, {"kind": devices.TouchKind.BUMPER}),
    (devices.DeviceLightSensor, {"color_filter": (1.0, 1.0, 1.0), "sees_occlusion": False}),
    (
        devices.DeviceRadar,
        {"min_range": 1.0, "max_range": 50.0, "horizontal_field_of_view": 0.78, "frequency": 24e9},
    ),
    (
        devices.DeviceCamera,
        {"field_of_view": 0.785398, "width": 64, "height": 64, "near": 0.01, "far": math.inf},
    ),
    (devices.DeviceRangeFinder, {"min_range": 0.01, "max_range": 1.0, "lens": None}),
    (devices.DeviceLidar, {"samples": 512, "layers": 4, "max_range": 1.0, "head": None}),
    (devices.DeviceEmitter, {"range": math.inf, "aperture": None, "channel": 0, "byte_size": 8}),
    (devices.DeviceReceiver, {"buffer_size": None, "allowed_channels": ()}),
    (
        devices.DeviceConnector,
        {"distance_tolerance": 0.01, "axis_tolerance": 0.2, "docking_angles": 4, "snap": True},
    ),
    (devices.DeviceVacuumGripper, {"is_on": False, "contact_points": 3}),
    (devices.DeviceLed, {"colors": ((1.0, 0.0, 0.0),), "gradual": False}),
    (devices.DevicePen, {"ink_density": 0.5, "lead_size": 0.002, "max_distance": None}),
    (devices.DeviceCharger, {"radius": 0.04, "emissive": (0.0, 1.0, 0.0), "gradual": True}),
    (devices.DevicePropeller, {"thrust_constants": (1.0, 0.0), "fast_threshold": 75.4}),
    (devices.DeviceTrackBelt, {"element_count": 10, "texture_velocity": (0.0, 0.0)}),
    (devices.DeviceMuscle, {"volume": 0.01, "is_visible": True}),
    (devices.DeviceMarker, {"size": 0.01, "emission": 0.5, "transparency": 0.7}),
    (devices.DeviceHolder, {"max_distance": 0.1, "is_on": False}),
    (devices.DeviceConveyor, {"axis": (1.0, 0.0, 0.0), "speed": 0.0}),
]


@pytest.mark.parametrize(
    ("kind", "expected"), DEFAULTS, ids=lambda item: getattr(item, "__name__", "")
)
def test_defaults_are_those_of_the_formats(kind: type[Any], expected: dict[str, Any]) -> None:
    """The numbers of the reference manuals, with sentinels turned into None or inf."""
    device = build(kind)
    assert {name: getattr(device, name) for name in expected} == expected


def test_radar_powers_are_the_manual_decibels_in_watt() -> None:
    """20 dBm, -100 dBm and 20 dBi in SI."""
    radar = build(devices.DeviceRadar)
    assert radar.transmitted_power == pytest.approx(10 ** (20 / 10) * 1e-3)
    assert radar.min_detectable_power == pytest.approx(10 ** (-100 / 10) * 1e-3)
    assert radar.antenna_gain == pytest.approx(10 ** (20 / 10))


def test_empty_lookup_table_is_the_identity() -> None:
    """No rows: the sensor reports what it measures."""
    assert devices.LookupTable().at(3.5) == (3.5, 0.0)
    assert devices.LookupTable().max_input is None


def test_lookup_table_interpolates_output_and_noise_and_clamps() -> None:
    """Linear between rows, never extrapolated."""
    row = devices.LookupRow
    table = devices.LookupTable((row(0.0, 10.0, 0.1), row(1.0, 20.0, 0.3), row(3.0, 0.0, 0.0)))
    assert table.at(-5.0) == (10.0, 0.1)
    assert table.at(0.5) == pytest.approx((15.0, 0.2))
    assert table.at(1.0) == (20.0, 0.3)
    assert table.at(2.0) == pytest.approx((10.0, 0.15))
    assert table.at(99.0) == (0.0, 0.0)
    assert table.max_input == 3.0


def test_lookup_table_refuses_inputs_that_do_not_increase() -> None:
    """Two rows at one input have no meaning."""
    with pytest.raises(ValueError, match="must increase"):
        devices.LookupTable((devices.LookupRow(1.0, 0.0), devices.LookupRow(1.0, 1.0)))


@given(
    st.lists(
        st.tuples(st.floats(-100, 100), st.floats(-100, 100)),
        min_size=1,
        max_size=6,
        unique_by=lambda row: row[0],
    ),
    st.floats(-200, 200),
)
def test_lookup_stays_within_the_rows(rows: list[tuple[float, float]], x: float) -> None:
    """Interpolation never leaves the range of the outputs."""
    table = devices.LookupTable(tuple(devices.LookupRow(a, b) for a, b in sorted(rows)))
    outputs = [b for _, b in rows]
    slack = 1e-12 * (1 + max(map(abs, outputs)))
    assert min(outputs) - slack <= table.at(x)[0] <= max(outputs) + slack
