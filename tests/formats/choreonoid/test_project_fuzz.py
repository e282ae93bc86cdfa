"""Projects, bodies and tables with random damage: messages, never an exception."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

from solidbody.formats.loading import read_scene
from tests.formats.choreonoid.projects import ARM, FLOOR, body, item, project, world
from tests.formats.choreonoid.test_devices import CASES

ROUNDS = 40
"""Damaged files per seed; 3,000 were tried by hand without a find."""

VALUES = (
    *("", "3", "-1", "1e308", "nan", "[]", "{}", "[1, 2]", "[1, 2, 3]", "[0, 0, 0, 0]", "~"),
    *("[[1, 2, 3], [4]]", "maybe", "true", "{a: 1}", "[a, b]", "1e-320", '"../../../x"', "[[[]]]"),
)

DEVICES = "\n".join(f"      - {{ type: {kind}, {keys} }}" for kind, keys, _ in CASES)
ROBOT = ARM.replace("      - { type: Camera, name: Eye, format: COLOR }", DEVICES)
VISION = item("GLVisionSimulatorItem", "G", "target_sensors: [ a ], max_frame_rate: 3")
PROJECT = project(
    world(
        body(
            "R",
            "arm.body",
            "root_translation: [ 1, 2, 3 ], initial_root_translation: [ 1, 2, 3 ], "
            "initial_root_rotation: [ 0, 0, 1, 5 ], joint_displacements: [ 1, 2, 3 ], fix_root: false",
            item("SimpleControllerItem", "C", "controller: X"),
        ),
        body("F", "floor.body"),
        item("MaterialTableItem", "M", "file: table.yaml"),
        item("AISTSimulatorItem", "A", "time_step: 0.002, gravity: [ 0, 0, -9 ]", VISION),
        item("LightingItem", "L", 'light_type: "Spot light", direction: [ 0, 0, 1 ]'),
    ),
    more="views: [ { class: SceneView, state: { cameras: [ { eye: [ 1, 2, 3 ], "
    "direction: [ 1, 0, 0 ], up: [ 0, 0, 1 ] } ] } } ]",
)
TABLE = """
materials: [ { name: A, roughness: 1, viscosity: 0.2 } ]
contact_materials: [ { materials: [ A, B ], friction: 1, restitution: 0.1, cullingDepth: 0.1 } ]
"""


def damaged(text: str, chance: random.Random) -> str:
    """Return the text with values exchanged, parts cut out or put in twice."""
    for _ in range(chance.randint(1, 4)):
        values = list(re.finditer(r": ([^,{}\[\]\n]+|\[[^\[\]]*\])", text))
        kind = chance.random()
        start = chance.randrange(len(text))
        if kind < 0.7 and values:
            spot = chance.choice(values)
            text = f"{text[: spot.start()]}: {chance.choice(VALUES)}{text[spot.end() :]}"
        elif kind < 0.85:
            text = text[:start] + text[start + chance.randint(1, 20) :]
        else:
            other = chance.randrange(len(text))
            text = text[:start] + text[other : other + 15] + text[start:]
    return text


@pytest.mark.parametrize("seed", range(3))
def test_damaged_files_give_messages(tmp_path: Path, seed: int) -> None:
    """Whatever is wrong, reading ends with a scene or with an error."""
    chance = random.Random(seed)
    whole = {
        "arm.body": ROBOT,
        "floor.body": FLOOR,
        "table.yaml": TABLE,
        "test.cnoid": PROJECT,
    }
    for _ in range(ROUNDS):
        victim = chance.choice(list(whole))
        for name, text in whole.items():
            (tmp_path / name).write_text(damaged(text, chance) if name == victim else text)
        scene, log = read_scene(tmp_path / "test.cnoid")
        assert scene is not None or log.has_errors


def test_the_undamaged_project_is_fine(tmp_path: Path) -> None:
    """Otherwise the test above would damage what nobody reads."""
    for name, text in (("arm.body", ROBOT), ("floor.body", FLOOR), ("table.yaml", TABLE)):
        (tmp_path / name).write_text(text)
    (tmp_path / "test.cnoid").write_text(PROJECT)
    scene, log = read_scene(tmp_path / "test.cnoid")
    assert scene is not None
    assert not log.has_errors
    assert sum(len(link.devices) for link in scene.links()) == len(CASES)
