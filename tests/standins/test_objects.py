"""Our objects: interfaces as documented, clean to read, at rest on a floor, of the right size."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

import solidbody as sb
from solidbody.base.diagnostics import DiagnosticLog, Severity
from solidbody.formats.loading import read_scene_text
from solidbody.formats.vrml.proto import ProtoDefinition, read_proto
from solidbody.formats.vrml.syntax import (
    BoolSyntax,
    ListSyntax,
    NodeSyntax,
    NullSyntax,
    NumbersSyntax,
    StringSyntax,
    ValueSyntax,
)
from solidbody.formats.webots.protos.standin_protos import LOOKS, find_own, own_names
from solidbody.model.geometry import GeometryBox, GeometrySphere
from solidbody.model.shapes import ShapeRole
from tests.standins.interfaces import COMMON, INTERFACES

URL = "https://example.org"
OTHER_FOLDERS = {"robots", "devices", "joints", "tinkerbots"}  # tested on their own
PARTS = {"DoorKnob", "DoorLever", "CabinetHandle"}  # stand in slots of others
BOUNDS = {"PipeBoundingObject", "TorusBoundingObject"}
GEOMETRIES = {
    *("Extrusion", "OwnTiles", "Rectangle", "TeapotMesh", "TexturedBox"),
    *("TrafficLightArrowLampGeometry", "TrafficLightStandardLampGeometry"),
}
STEP = 0.032


def definition(name: str) -> ProtoDefinition:
    own = find_own(name)
    assert own is not None
    log = DiagnosticLog()
    found = read_proto(own.text, own.file, name, log)
    assert found is not None and log.items == []
    return found


def objects() -> list[str]:
    """Return the names of our PROTOs that can stand in a world."""
    return [
        name
        for name in own_names()
        if name not in LOOKS
        and Path(definition(name).file).parent.name not in OTHER_FOLDERS
        and name not in PARTS | GEOMETRIES | BOUNDS
        and not name.endswith("Appearance")
    ]


def words(value: ValueSyntax | None) -> str:
    """Return a default as one writes it; of nodes their type only."""
    match value:
        case NumbersSyntax():
            return " ".join(f"{number:g}" for number in value.values)
        case StringSyntax():
            return f'"{value.value}"'
        case BoolSyntax():
            return "TRUE" if value.value else "FALSE"
        case NodeSyntax():
            return value.type_name
        case NullSyntax():
            return "NULL"
        case ListSyntax():
            return " ".join(words(item) for item in value.items)
        case _:
            raise AssertionError(value)


@pytest.mark.parametrize("name", sorted(INTERFACES))
def test_interface_is_the_documented_one(name: str) -> None:
    parameters = definition(name).parameters
    if "translation" in parameters:
        assert {key: parameters[key].type_name for key in COMMON} == COMMON
    for row in INTERFACES[name].split(";"):
        kind, field, *default = row.split()
        assert field in parameters, f"{name}.{field}"
        assert parameters[field].type_name == kind, f"{name}.{field}"
        found = words(parameters[field].default)
        if default:
            assert found == " ".join(default), f"{name}.{field}"


@pytest.mark.parametrize("name", sorted(LOOKS))
def test_appearance_has_colours_and_the_common_fields(name: str) -> None:
    look = LOOKS[name]
    for color in (look.color, look.tint_default, *look.kinds.values()):
        assert all(0.0 <= part <= 1.0 for part in color)
    parameters = definition(name).parameters
    assert parameters["textureTransform"].type_name == "SFNode"
    assert words(parameters["IBLStrength"].default) == "1"


def read(nodes: str, names: list[str], *, release: str = "R2025a") -> sb.Scene:
    """Return a scene about whose PROTOs there is nothing to say."""
    externs = "".join(f'EXTERNPROTO "{URL}/{name}.proto"\n' for name in sorted(set(names)))
    world = f"WorldInfo {{ basicTimeStep {1000 * STEP:g} }}\nViewpoint {{ }}\n"
    scene, log = read_scene_text(f"#VRML_SIM {release} utf8\n{externs}{world}{nodes}\n")
    assert scene is not None
    # one world holds a ping-pong ball and a fork-lift truck
    said = [str(item) for item in log if item.severity is not Severity.INFO]
    assert [text for text in said if "times as heavy as" not in text] == []
    return scene


def test_every_appearance_gives_a_material() -> None:
    shapes = "".join(
        f'Solid {{ name "{name}" children [ Shape {{ appearance {name} {{ }} geometry Box {{ }} }} ] }}\n'
        for name in (*LOOKS, "GenericDoorAppearance")
    )
    scene = read(shapes, [*LOOKS, "GenericDoorAppearance"])
    for link in scene.links():
        appearance = link.shapes[0].appearance
        assert appearance is not None
        name = link.name
        if name in LOOKS:
            look = LOOKS[name]
            wanted = np.multiply(look.color, look.tint_default)
            assert np.allclose(appearance.base_color, wanted), name


def test_geometries_give_shapes() -> None:
    for name in sorted(GEOMETRIES):
        scene = read(f"Solid {{ children [ Shape {{ geometry {name} {{ }} }} ] }}", [name])
        assert len(scene.bodies[0].links[0].shapes) == 1


@dataclass(frozen=True)
class Standing:
    """All objects in one world, and how they lie after some seconds."""

    scene: sb.Scene
    moving: dict[str, tuple[np.ndarray, np.ndarray, np.ndarray]]
    """Link -> its pose at the start, after 5 s and after 10 s."""


def placed(index: int, name: str) -> str:
    """Return an instance at a place of its own, with physics if it can have some."""
    text = find_own(name).text  # type: ignore[union-attr]
    parameters = definition(name).parameters
    fields = ""
    if "translation" in parameters:
        height = words(parameters["translation"].default).split()[2]
        fields += f"translation {100 * (index % 16)} {100 * (index // 16)} {height} "
    if "name" in parameters:
        fields += f'name "{name}" '
    if "physics" in parameters and words(parameters["physics"].default) == "NULL":
        fields += "physics Physics { density -1 mass 5 } "
    elif "mass" in parameters and words(parameters["mass"].default) == "0":
        fields += "mass 2 "
    elif re.search(r"SFBool +enablePhysics", text):
        fields += "enablePhysics TRUE "
    return f"{name} {{ {fields}}}"


@pytest.fixture(scope="module")
def standing() -> Standing:
    floors = {"Floor", "RectangleArena", "CircleArena", "UnevenTerrain", "Ceiling"}
    # these are centred in their origin, which is in the floor by default, or would roll
    sunk = {"SolidPipe", "SolidTorus", "SolidRoundedBox", *(n for n in objects() if "Ball" in n)}
    sunk |= {"ElectricalPlug", "HospitalBed", "KukaBox", "Mirror", "Rock10cm", "Rock17cm"}
    sunk |= {"FourWheelsRobot", "Key", "LollipopCandy", "RoCKInAX01", "RoCKInAX06", "RubberDuck"}
    names = [name for name in objects() if name not in floors | sunk]
    nodes = ["Floor { size 5000 5000 }", *(placed(k, name) for k, name in enumerate(names))]
    scene = read("\n".join(nodes), [*names, "Floor"])
    sim = sb.Sim(scene)
    start = sim.poses().copy()
    sim.run(5.0)
    middle = sim.poses().copy()
    sim.run(5.0)
    end = sim.poses()
    links = sim.link_names
    return Standing(scene, {links[k]: (start[k], middle[k], end[k]) for k in sim.moving})


@pytest.mark.slow
def test_many_objects_have_physics(standing: Standing) -> None:
    assert len(standing.moving) > 60


@pytest.mark.slow
def test_all_objects_stay_at_rest(standing: Standing) -> None:
    """Ten seconds on a floor: nothing drifts or turns in the second half."""
    drift = 1e-3  # [m] the heaviest (1.5 t) still settles in the soft floor by less than this
    for name, (_, middle, end) in standing.moving.items():
        assert np.all(np.isfinite(end)), name
        assert np.linalg.norm(end[:3] - middle[:3]) < drift, name
        assert abs(np.dot(middle[3:7], end[3:7])) > 1.0 - 1e-6, name


def test_all_objects_stand_where_they_are_put(standing: Standing) -> None:
    """None topples, slides or jumps: the origin and the bottom of each are where its default says."""
    # 0.75 t and more sink into default contacts, as in Webots; a lid is put where its pot ends
    sinks = {"Cow", "Forklift", "Horse", "Lid"}
    settles = {"Bolt", "CapScrew", "EyeScrew", "Screwdriver"}  # lie on the rim of a thicker end
    wrong: list[str] = []
    for name, (start, _, end) in standing.moving.items():
        turn = 2.0 * np.arccos(min(1.0, abs(float(np.dot(start[3:7], end[3:7])))))
        is_level = turn < (0.3 if name in settles else 0.05)
        if not (is_level and np.linalg.norm(end[:3] - start[:3]) < 0.02) and name not in sinks:
            wrong.append(f"{name}: moved {end[:3] - start[:3]}, turned {turn:.3f}")
    assert wrong == []


# what is centred in its origin, and how high that is when it lies on a floor [m]; rocks settle on a side
RAISED = {
    "Ball": 0.0325,
    "BallCandy": 0.0325,
    "ElectricalPlug": 0.01,
    "FifaSoccerBall": 0.11,
    "HospitalBed": 0.285,
    "KukaBox": 0.015,
    "PingPongBall": 0.02,
    "PingPongBallScaled": 0.08,
    "RoCKInAX01": 0.025,
    "RoCKInAX06": 0.005,
    "RubberDuck": 0.03,
    "RobocupSoccerBall": 0.08,
    "Rock10cm": 0.05,
    "Rock17cm": 0.0,
    "SoccerBall": 0.113,
    "SolidPipe": 1.0,
    "SolidRoundedBox": 1.0,
    "SolidTorus": 0.5,
}


def test_raised_objects_come_to_rest() -> None:
    """Put on a floor, all of them lie still between the fifth and the tenth second."""
    nodes = ["Floor { size 5000 5000 }"]
    for index, (name, height) in enumerate(RAISED.items()):
        instance = placed(index, name)
        low = words(definition(name).parameters["translation"].default).split()[2]
        place = f"translation {100 * (index % 16)} {100 * (index // 16)}"
        assert f"{place} {low} " in instance
        nodes.append(instance.replace(f"{place} {low} ", f"{place} {height} "))
    sim = sb.Sim(read("\n".join(nodes), [*RAISED, "Floor"]))
    assert len(sim.moving) == len(RAISED)
    sim.run(5.0)
    middle = sim.poses().copy()
    sim.run(5.0)
    moved = np.abs(sim.poses() - middle).max(axis=1)
    names = sim.link_names
    assert {names[k]: moved[k] for k in sim.moving if not moved[k] < 1e-3} == {}


def height_of_box(nodes: str, names: list[str], at: str, *, release: str = "R2025a") -> np.ndarray:
    """Return where a small box ends that is dropped at a place."""
    probe = (
        f'Solid {{ translation {at} name "probe" boundingObject Box {{ size 0.02 0.02 0.02 }} '
        "physics Physics { density -1 mass 0.01 } }"
    )
    sim = sb.Sim(read(f"{nodes}\n{probe}", names, release=release))
    sim.run(2.0)
    return sim.poses()[sim.link_names.index("probe"), :3]


SINK = 1e-3
"""[m] a box of 10 g sinks by less into a default contact."""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("node", "at", "height"),
    [
        ("Wall { size 0.2 3 1.5 }", "0 1.4", 1.5),
        ("Table { size 1 1.8 0.74 }", "0.45 0.85", 0.74),
        ("SolidBox { translation 0 0 0.5 size 1 2 1 }", "0.4 0.9", 1.0),
        ("WoodenBox { translation 0 0 0.3 }", "0.25 0.25", 0.6),
        ("CardboardBox { translation 0 0 0.3 }", "0.25 0.25", 0.6),
        ("CardboardBox { translation 0 0 0.3 lidAngle 1 }", "0 0", 0.003),
        ("PlasticCrate { }", "0 0", 0.02),
        ("WoodenPallet { }", "0.5 0.3", 0.14),
        ("OilBarrel { }", "0.15 0.15", 0.88),
        ("Can { }", "0.01 0.01", 0.1211),
        ("RectangleArena { floorSize 2 2 }", "1.005 0.5", 0.1),
        ("CircleArena { }", "1.005 0", 0.1),
        ("Desk { }", "0.3 0.5", 0.72),
        ("StraightRoadSegment { roadBoundingObject TRUE rightBorder FALSE }", "5 2", 0.0),
        # on blades of 1 cm, on the firm ground, and on the nets of goals whose bars are 5 cm in radius
        ('RobocupSoccerField { size "kid" }', "4 2", 0.01),
        ("RobocupSoccerField { turfPhysics FALSE }", "7.9 5.4", 0.0),
        ('RobocupSoccerField { size "kid" }', "4.8 0.5", 1.2 + 0.05 + 0.02),
        ("RobocupSoccerField { }", "-7.3 -1", 1.8 + 0.05 + 0.02),
    ],
)  # fmt: skip
def test_things_land_on_top_of_it(node: str, at: str, height: float) -> None:
    name = node.split()[0]
    # from so near that no step passes through a thin board
    place = f"{at} {height + 0.012}"
    end = height_of_box(f"Floor {{ }}\n{node}", [name, "Floor"], place)
    assert end[2] == pytest.approx(height + 0.01, abs=SINK)


@pytest.mark.parametrize(
    ("node", "at", "height"),
    [
        ("Floor { size 20 20 }", "3 0.2 4", 0.0),
        ("Floor { } Wall { size 5 2.4 0.2 }", "2.4 2.5 0", 2.4),
        ("Floor { } Table { size 1.8 0.74 1 }", "0.85 0.8 0.45", 0.74),
        ("Floor { } SolidBox { translation 0 0.5 0 size 3 1 0.4 }", "1.4 1.1 0.15", 1.0),
        ("RectangleArena { floorSize 4 2 }", "2.005 0.2 0.5", 0.1),
    ],
)
def test_old_worlds_are_as_they_were(node: str, at: str, height: float) -> None:
    """Up to R2020a y was up, and sizes were given along those axes."""
    end = height_of_box(node, [], at, release="R2020a")
    assert end[1] == pytest.approx(height + 0.01, abs=SINK)


def test_door_opens_away_from_its_wall_when_pushed() -> None:
    """The leaf lies before the wall, at +x; its hinge is at -y, and a push at the other end turns it."""
    sim = sb.Sim(read("Floor { }\nDoor { }", ["Floor", "Door"]))
    leaf = sim.link("door leaf")
    for _ in range(round(1.0 / STEP)):
        leaf.add_force((20.0, 0.0, 0.0), at=(0.0, 0.35, 1.0))
        sim.step()
    angle = 2.0 * math.atan2(float(leaf.orientation[3]), float(leaf.orientation[0]))
    # torque 16.5 Nm, damping 10 Nms, inertia m l^2/3 = 5.7 kg m^2: 0.87 rad in 1 s, less as the arm shortens
    assert angle == pytest.approx(-0.8, abs=0.1)
    assert float(leaf.position[2]) == pytest.approx(0.0, abs=0.005)


def test_cabinet_has_the_doors_and_drawers_of_its_layout() -> None:
    scene = read("Cabinet { }", ["Cabinet"])
    names = [link.name for link in scene.links()]
    assert sum(name.startswith("door ") for name in names) == 2
    assert sum(name.startswith("drawer ") for name in names) == 4


def test_bad_layout_is_reported_and_the_rest_is_made() -> None:
    text = f"""#VRML_SIM R2025a utf8
EXTERNPROTO "{URL}/Cabinet.proto"
WorldInfo {{ }}
Viewpoint {{ }}
Cabinet {{ layout [ "Drawer (1, 1, 1, 1, 1)" "Spoon (1, 1, 1, 1)" "nothing" ] }}
"""
    scene, log = read_scene_text(text)
    assert scene is not None
    said = [item.text for item in log if item.code == "template-message"]
    assert len(said) == 2
    assert '"Spoon" is none of Shelf, Drawer, RightSidedDoor, LeftSidedDoor' in said[0]
    assert [link.name for link in scene.links()] == ["cabinet", "drawer 1"]


@pytest.mark.parametrize(("name", "height"), [("Monitor", 0.475), ("FloorLight", 1.6)])
def test_scale_of_an_object_is_one_number(name: str, height: float) -> None:
    """Its highest bounding part ends at `scale` times the height of the plain one."""
    scene = read(f"{name} {{ scale 3 }}", [name])
    (link,) = scene.links()
    tops: list[float] = []
    for shape in link.shapes:
        if shape.role is ShapeRole.VISUAL:
            continue
        geometry = shape.geometry
        half = geometry.size[2] / 2 if isinstance(geometry, GeometryBox) else 0.0
        half = geometry.radius if isinstance(geometry, GeometrySphere) else half
        tops.append(shape.pose.position[2] + half)
    assert max(tops) == pytest.approx(3 * height, abs=1e-6)
