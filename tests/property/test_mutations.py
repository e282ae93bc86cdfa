"""Damaged worlds give diagnostics or load: never another exception, never a hang.

Referee: none is needed; the property is that reading returns.
"""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from solidbody.formats.loading import read_scene_text
from tests.property.mutations import mutate

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.wbt"))

INLINE = """#VRML_SIM R2025a utf8
EXTERNPROTO "x/Ball.proto"
PROTO Small [ field SFFloat size 1 ] { Solid { boundingObject Sphere { radius IS size } } }
WorldInfo { gravity 9.81 defaultDamping Damping { } contactProperties [ ContactProperties {
  material1 "a" coulombFriction [ 1 -1 ] rollingFriction 0 0 0.1 } ] }
Viewpoint { follow "robot" } Background { skyColor [ 0 0 1 ] } Fog { visibilityRange 3 }
DEF DECOR Group { children [ DEF S Shape { appearance PBRAppearance { baseColorMap ImageTexture {
  url [ "a.png" ] } } geometry DEF B Box { size 1 1 1 } } Transform { scale 1 2 3 children [ USE S ] } ] }
DEF ROBOT Robot { rotation 0 0 1 0.5 battery [ 1 2 3 ] linearVelocity 1 0 0 children [ USE S
  Pose { translation 0 0 1 children [ DEF J HingeJoint {
    jointParameters HingeJointParameters { axis 0 1 0 anchor 0 0 1 minStop -1 maxStop 1 position 0.1 }
    device [ RotationalMotor { minPosition -0.5 maxPosition 0.5 } PositionSensor { } Brake { } ]
    endPoint Solid { name "arm" translation 1 0 0 boundingObject Group { children [ USE B Capsule { } ] }
      physics Physics { density -1 mass 2 centerOfMass [ 0 0 0 ] inertiaMatrix [ 1 1 1, 0 0 0 ] }
      children [ SliderJoint { jointParameters JointParameters { axis 1 1 0 springConstant 3 }
        device LinearMotor { } endPoint Solid { physics Physics { mass 1 } boundingObject Plane { } } }
        Solid { name "merged" physics Physics { damping Damping { } } boundingObject Cylinder { } }
        Camera { recognition Recognition { } } PointLight { } ] } } ] } ]
  boundingObject USE S physics Physics { } }
Ball { hidden translation_0 1 2 3 children [ DEF X Shape { } ] }
"""

COPIES = 500
LONGEST = 5.0
"""Seconds for one copy. Most take 5 ms; following nested USE to its limit takes about 1 s."""

SOURCES = [INLINE, *(path.read_text(encoding="utf-8") for path in EXAMPLES)]
NAMES = ["inline", *(path.stem for path in EXAMPLES)]


def test_sources_are_sound() -> None:
    """The undamaged texts load, so that the copies reach every stage of reading."""
    for text in SOURCES:
        scene, _ = read_scene_text(text)
        assert scene is not None and scene.bodies


@pytest.mark.slow
@pytest.mark.parametrize("batch", range(10))
def test_damaged_worlds_give_diagnostics_or_load(batch: int) -> None:
    for seed in range(batch * COPIES // 10, (batch + 1) * COPIES // 10):
        source = SOURCES[0 if seed % 2 else seed % len(SOURCES)]
        text = mutate(source, seed)
        start = time.process_time()
        scene, log = read_scene_text(text)
        seconds = time.process_time() - start
        assert seconds < LONGEST, f"seed {seed}"
        assert scene is not None or log.has_errors, f"seed {seed}"
        for item in log:
            assert item.code and item.text and item.span.line >= 1, f"seed {seed}"


def test_mutations_repeat_for_the_same_seed() -> None:
    assert mutate(INLINE, 7) == mutate(INLINE, 7) != mutate(INLINE, 8)
