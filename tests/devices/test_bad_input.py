"""What is wrong with a device is told at its place, and the simulation goes on."""

from __future__ import annotations

import pytest

import solidbody as sb
from solidbody.formats.loading import read_scene_text


@pytest.mark.parametrize(
    ("device", "said"),
    [
        (
            'Camera { projection "round" }',
            'must be one of "planar", "cylindrical", "spherical", got "round"; reset to "planar".',
        ),
        ("Camera { width 0 }", "must be > 0 and <= 16384, got 0; reset to 64."),
        ("Camera { width 100000 }", "must be > 0 and <= 16384, got 100000; reset to 64."),
        ("RangeFinder { height 100000 }", "must be > 0 and <= 16384, got 100000; reset to 64."),
        ("Display { width 0 }", "must be > 0 and <= 16384, got 0; reset to 64."),
        (
            "DistanceSensor { lookupTable [ 0 0 0, 2 1 0, 1 2 0 ] }",
            "the inputs of a lookup table must increase; the rows are sorted and repeated ones dropped.",
        ),
        ("Emitter { channel -5 }", "must be >= 0, or -1, got -5; reset to 0."),
        (
            "Receiver { channel 7 allowedChannels [ 1, 2 ] }",
            "7 is not one of allowedChannels (1, 2); reset to 1.",
        ),
        ("Camera { fieldOfView 9 }", "must be below pi for a planar projection, got 9"),
    ],
)
def test_a_bad_value_is_told_and_repaired(device: str, said: str) -> None:
    """As a warning with line and column; the device works with a good value."""
    text = f"#VRML_SIM R2025a utf8\nWorldInfo {{ }}\nRobot {{ children [\n {device} ] }}\n"
    scene, log = read_scene_text(text)
    assert scene is not None
    warnings = [item for item in log if item.severity.value == "warning"]
    assert len(warnings) == 1
    assert warnings[0].text.startswith(said)
    assert warnings[0].span.line == 4
    sim = sb.Sim(scene)
    bound = sim.devices.devices[0]
    if not device.startswith("Display"):
        sim.device(bound.name).enable()
    sim.step(2)
