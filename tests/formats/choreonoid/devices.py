"""Device nodes in a few words of YAML."""

from __future__ import annotations

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.formats.choreonoid.body.devices import device_of
from solidbody.formats.choreonoid.keys.access import BodyFileReading, Keys
from solidbody.formats.choreonoid.keys.yaml_tree import YamlMap, parse_yaml
from solidbody.formats.link_trees.node_transforms import ORIGIN, NodeTransform
from solidbody.model.devices import Device

RADIAN_FILE = 1.0
FILE = "robot.body"


def read_device(
    type_name: str,
    text: str = "",
    *,
    place: NodeTransform = ORIGIN,
    angle_factor: float | None = None,
) -> tuple[Device | None, list[str]]:
    """Return the device of a node and the messages of reading it.

    Args:
        type_name: Type of the node.
        text: Its keys, one-line YAML without braces.
        place: Of the node in its link.
        angle_factor: Radians per angle unit; None = a file in degrees.
    """
    log = DiagnosticLog()
    document = parse_yaml("{" + text + "}", FILE, log)
    assert document is not None
    assert isinstance(document.root, YamlMap)
    reading = BodyFileReading(log) if angle_factor is None else BodyFileReading(log, angle_factor)
    device = device_of(type_name, Keys(document.root, reading, type_name), place)
    return device, [str(item) for item in log]


def clean_device(type_name: str, text: str = "", *, angle_factor: float | None = None) -> Device:
    """Return the device of a node that gives no message."""
    device, messages = read_device(type_name, text, angle_factor=angle_factor)
    assert messages == []
    assert device is not None
    return device
