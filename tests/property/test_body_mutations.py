"""Damaged body files give diagnostics or load: never another exception, never a hang.

Referee: none is needed; the property is that reading returns.
"""

from __future__ import annotations

import random
import time
from pathlib import Path

import pytest

from solidbody.formats.loading import read_scene_text
from tests.property.yaml_mutations import mutate_yaml

CORPUS = Path(__file__).parents[3] / "shared" / "corpus" / "choreonoid"

INLINE = """format: ChoreonoidBody
format_version: 1.0
angle_unit: degree
name: Everything
root_link: WAIST
common: &A { mass: 2, inertia: [ 1, 0, 0, 1, 0, 1 ], material: Sole }
shape: &S { type: Shape, geometry: { type: Cylinder, radius: 0.1, height: 0.2 },
  appearance: { material: { diffuse: [ 1, 0, 0 ], transparency: 0.5 }, texture: { uri: "a.png" } } }
links:
  - name: WAIST
    <<: *A
    joint_type: free
    translation: [ 0, 0, 1 ]
    rotation: [ [ 0, 0, 1, 90 ], [ 1, 0, 0, 45 ] ]
    elements:
      - *S
      - { type: Transform, scale: [ 1, 2, 1 ], elements: [ *S, { type: RigidBody, mass: 1 } ] }
      - type: Visual
        shape: { geometry: { type: Box, size: [ 1, 2, 3 ] } }
      - type: Collision
        elements: { Shape: { geometry: { type: Extrusion, cross_section: [ 0, 0, 1, 0, 0, 1 ],
          spine: [ 0, 0, 0, 0, 1, 0 ] } } }
      - { type: Camera, name: eye, format: COLOR_DEPTH, width: 320, field_of_view: 60 }
      - { type: RangeSensor, name: laser, yaw_range: 90, yaw_step: 1 }
      - { type: Strange, is_optional: true }
      - { type: AGXWireDevice, state: 1 }
  - name: KNEE
    joint_name: J
    parent: WAIST
    joint_type: revolute
    joint_axis: -Y
    joint_id: 0
    joint_angle: 10
    joint_range: [ -30, unlimited ]
    max_joint_velocity: 90
    max_joint_effort: 50
    rotor_inertia: 0.01
    gear_ratio: 30
    elements: { ForceSensor: { id: 0, elements: [ *S ] }, IMU: { id: 0 } }
    import: { color: red }
  - { name: SLIDE, parent: KNEE, joint_type: prismatic, joint_displacement: 0.1, joint_id: 1 }
  - { name: TRACK, parent: WAIST, joint_type: pseudo_continuous_track, joint_id: 2 }
  - { type: ContinuousTrack, name: T, parent: WAIST, numJoints: 3, joint_offset: [ 0.1, 0, 0 ] }
  - { type: SubBody, uri: other.body, parent: KNEE, prefix: L_ }
  - { type: Skip, name: nothing }
extra_joints:
  - { link1_name: KNEE, link2_name: SLIDE, joint_type: hinge, axis: [ 0, 1, 0 ],
      translation_in_link1: [ 0, 0, 1 ], rotation_in_link2: [ 0, 0, 1, 30 ] }
collision_detection_rules:
  - disabled_link_chain_level: 2
  - enabled_links: [ KNEE ]
  - disabled_link_group: [ WAIST, SLIDE ]
standard_pose: [ 0, 10 ]
body_handlers: Handler
"""

COPIES = 500
LONGEST = 5.0
"""Seconds of computing for one copy. Most take 3 ms."""


def sources() -> list[tuple[str, str]]:
    """Return (text, file): our own and, where they are at hand, some public ones without meshes."""
    found = [(INLINE, "x.body")]
    for path in sorted(CORPUS.rglob("*.body")):
        text = path.read_text(encoding="utf-8", errors="replace")
        if len(text) < 20_000 and "uri:" not in text:
            found.append((text, str(path)))
    return found


SOURCES = sources()


def test_the_source_is_sound() -> None:
    """The undamaged text loads, so that the copies reach every stage of reading."""
    scene, log = read_scene_text(INLINE, "x.body")
    assert scene is not None
    (body,) = scene.bodies
    assert len(body.links) == 7 and len(body.loops) == 1
    assert {item.code for item in log if item.severity.value == "error"} == {"missing-file"}


@pytest.mark.slow
@pytest.mark.parametrize("batch", range(10))
def test_damaged_bodies_give_diagnostics_or_load(batch: int) -> None:
    for seed in range(batch * COPIES // 10, (batch + 1) * COPIES // 10):
        check_one(seed)


def check_one(seed: int) -> None:
    """Damage a source and read it; half of the copies are of our own text."""
    text, file = SOURCES[0 if seed % 2 else random.Random(seed).randrange(len(SOURCES))]
    damaged = mutate_yaml(text, seed)
    start = time.process_time()
    scene, log = read_scene_text(damaged, file)
    seconds = time.process_time() - start
    assert seconds < LONGEST, f"seed {seed}"
    assert scene is not None or log.has_errors, f"seed {seed}"
    for item in log:
        assert item.code and item.text and item.span.line >= 1, f"seed {seed}"


def test_mutations_repeat_for_the_same_seed() -> None:
    assert mutate_yaml(INLINE, 7) == mutate_yaml(INLINE, 7) != mutate_yaml(INLINE, 8)
