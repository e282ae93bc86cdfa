"""Damaged VRML97 texts: messages, never exceptions."""

from __future__ import annotations

import time

import pytest

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.formats.geometry.placing import placed
from solidbody.formats.geometry.trees import TreeError
from solidbody.formats.vrml97.scene import read_vrml97_text
from tests.formats.vrml97.files import HEADER, TextFiles, parts_of, read_clean
from tests.property.mutations import mutate

EVERYTHING = """
PROTO Joint [ exposedField SFVec3f center 0 0 0 exposedField MFNode children [ ]
  eventIn SFFloat turn ] { Transform { center IS center children IS children } }
DEF J Joint { center 1 2 3 children [
  DEF B Shape { appearance Appearance { material DEF M Material { diffuseColor 1 0 0 }
      texture ImageTexture { url "a.png" } textureTransform TextureTransform { scale 2 2 } }
    geometry Extrusion { spine [0 0 0 0 1 0 1 1 1] crossSection [1 1 1 -1 -1 -1 1 1]
      scale [1 1] orientation [0 1 0 1] creaseAngle 1 } }
  USE B ] }
Shape { geometry IndexedFaceSet { coord Coordinate { point [0 0 0 1 0 0 1 1 0 0 1 0] }
  coordIndex [0 1 2 3 -1 0 1 2] color Color { color [1 0 0 0 1 0] } colorPerVertex FALSE
  normal Normal { vector [0 0 1] } normalIndex [0 0] normalPerVertex FALSE
  texCoord TextureCoordinate { point [0 0 1 1] } texCoordIndex [0 1 0 1 -1 0 1 0] } }
Shape { geometry ElevationGrid { xDimension 2 zDimension 2 height [0 1 2 3] } }
Shape { geometry IndexedLineSet { coord Coordinate { point [0 0 0 1 0 0] } coordIndex [0 1 -1] } }
Shape { geometry PointSet { coord Coordinate { point [0 0 0 1 0 0] } } }
Transform { scale 1 2 3 center 1 0 0 scaleOrientation 0 0 1 1 rotation 1 0 0 1 children [
  Shape { geometry Sphere { radius 2 } } Shape { geometry Cone { } }
  Switch { whichChoice 0 choice [ USE J ] } LOD { level [ Shape { geometry Cylinder { } } ] } ] }
ROUTE A.x TO B.y
"""
LONGEST = 10.0
"""Seconds for one text; the slowest takes 0.2."""


def test_the_text_is_whole() -> None:
    """Otherwise damage to it would prove little."""
    assert len(parts_of(read_clean(EVERYTHING))) == 12


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 90, 30))
def test_damaged_texts_give_messages_in_time(first: int) -> None:
    """Whatever is left can be placed."""
    for seed in range(first, first + 30):
        log = DiagnosticLog()
        start = time.process_time()
        text = mutate(HEADER + EVERYTHING, seed)
        tree = read_vrml97_text(text, "a.wrl", TextFiles({}, log), log)
        if tree is None:
            assert log.has_errors, seed
            continue
        try:
            for part, place, _ in tree.placed_parts():
                placed(part.geometry, place)
        except TreeError:
            pass
        assert time.process_time() - start < LONGEST, seed
