"""The node table: no row is silent, every target exists, every default is legal."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from itertools import chain

import pytest

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.formats.vrml.parser import parse_text
from solidbody.formats.webots.nodes import NODES
from solidbody.formats.webots.nodes.table import Field, Node
from solidbody.formats.webots.nodes.values import read_value, shown_default
from solidbody.model import (
    appearance,
    contacts,
    devices,
    environment,
    fluids,
    geometry,
    joints,
    links,
    mass,
    motors,
    scene,
    shapes,
)

MODEL_MODULES = (
    appearance,
    contacts,
    devices,
    environment,
    fluids,
    geometry,
    joints,
    links,
    mass,
    motors,
    scene,
    shapes,
)
MODEL = {
    name: item
    for module in MODEL_MODULES
    for name, item in vars(module).items()
    if isinstance(item, type) and is_dataclass(item)
}
ROWS = [(node, item) for node in NODES for item in node.fields]
IDS = [f"{node.name}.{item.name}" for node, item in ROWS]


@pytest.mark.parametrize(("node", "item"), ROWS, ids=IDS)
def test_every_field_has_exactly_one_fate(node: Node, item: Field) -> None:
    assert [bool(item.to), bool(item.ignored), bool(item.unsupported)].count(True) == 1


@pytest.mark.parametrize(("node", "item"), ROWS, ids=IDS)
def test_every_target_is_a_field_of_the_model(node: Node, item: Field) -> None:
    for target in filter(None, (part.strip() for part in item.to.split(","))):
        class_name, field_name = target.split(".")
        assert field_name in {entry.name for entry in fields(MODEL[class_name])}, target


@pytest.mark.parametrize(("node", "item"), ROWS, ids=IDS)
def test_every_default_can_be_written_and_read_back(node: Node, item: Field) -> None:
    """A default that its own check refuses would be reset for ever."""
    if item.type.item == "node":
        assert item.default is None
        return
    written = f"#VRML_SIM R2025a utf8\nA {{ f {shown_default(item)} }}"
    log = DiagnosticLog()
    tree = parse_text(written, "x.wbt", log)
    assert tree is not None
    problems: list[str] = []
    value = read_value(
        item, tree.nodes[0].fields[0].value, lambda *message: problems.append(message[2])
    )
    assert problems == []
    assert value == item.default


def test_every_field_of_today_says_what_it_is_for() -> None:
    """One sentence, which fits beside it in the page; a derived node has that of its base."""
    for row in NODES:
        for name, item in NODES.fields(row.name).items():
            is_line = item.doc.endswith(".") and len(item.doc) <= 110
            assert is_line or item.until, f"{row.name}.{name}: {item.doc!r}"
    assert NODES.fields("Camera")["translation"].doc == NODES.fields("Pose")["translation"].doc


@pytest.mark.parametrize(("node", "item"), ROWS, ids=IDS)
def test_allowed_node_types_exist(node: Node, item: Field) -> None:
    for name in item.nodes:
        assert NODES[name].name == name


def test_every_node_type_of_r2025a_and_the_deprecated_ones_are_known() -> None:
    listed = [
        "Accelerometer",
        "Altimeter",
        "Appearance",
        "Background",
        "BallJoint",
        "BallJointParameters",
        "Billboard",
        "Box",
        "Brake",
        "CadShape",
        "Camera",
        "Capsule",
        "Charger",
        "Color",
        "Compass",
        "Cone",
        "Connector",
        "ContactProperties",
        "Coordinate",
        "Cylinder",
        "Damping",
        "DirectionalLight",
        "Display",
        "DistanceSensor",
        "ElevationGrid",
        "Emitter",
        "Fluid",
        "Focus",
        "Fog",
        "GPS",
        "Group",
        "Gyro",
        "HingeJoint",
        "HingeJointParameters",
        "Hinge2Joint",
        "ImageTexture",
        "ImmersionProperties",
        "IndexedFaceSet",
        "IndexedLineSet",
        "InertialUnit",
        "JointParameters",
        "LED",
        "Lens",
        "LensFlare",
        "Lidar",
        "LightSensor",
        "LinearMotor",
        "Material",
        "Mesh",
        "Microphone",
        "Muscle",
        "Normal",
        "PBRAppearance",
        "Pen",
        "Physics",
        "Plane",
        "PointLight",
        "PointSet",
        "Pose",
        "PositionSensor",
        "Propeller",
        "Radar",
        "Radio",
        "RangeFinder",
        "Receiver",
        "Recognition",
        "Robot",
        "RotationalMotor",
        "Shape",
        "Skin",
        "SliderJoint",
        "Slot",
        "Solid",
        "SolidReference",
        "Speaker",
        "Sphere",
        "SpotLight",
        "TextureCoordinate",
        "TextureTransform",
        "TouchSensor",
        "Track",
        "TrackWheel",
        "Transform",
        "VacuumGripper",
        "Viewpoint",
        "WorldInfo",
        "Zoom",
    ]
    gone = ["ColladaShape", "Cubemap", "CustomRobot", "DifferentialWheels", "Hinge2JointParameters"]
    assert set(NODES.names()) == {*listed, *gone, "Servo", "Supervisor"}


def test_solids_and_joints_can_not_be_used_twice() -> None:
    for row in NODES:
        if any(NODES.derives(row.name, base) for base in ("Solid", "Joint", "JointParameters")):
            assert not row.can_be_used, row.name


def test_node_names_stand_once() -> None:
    names = list(chain(row.name for row in NODES))
    assert len(names) == len(set(names))
