"""Meshes that lie in one plane: what a ray hits is one face of one of them, with that face's picture."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from PIL import Image

from tests.render.seeing import seen

CORNERS = ((2, 1, -1), (2, -1, -1), (2, -1, 1), (2, 1, 1))
"""A square across the view of the camera, 2 m before it."""


def _square(name: str, faces: str) -> str:
    """The square with a picture, of faces in this order."""
    points = ", ".join(" ".join(map(str, corner)) for corner in CORNERS)
    return f"""Solid {{ name "{name}" children [ Shape {{
      appearance PBRAppearance {{ emissiveColor 1 1 1 baseColor 0 0 0
        emissiveColorMap ImageTexture {{ url "map.png" filtering 0 }} }}
      geometry IndexedFaceSet {{
        coord Coordinate {{ point [ {points} ] }}
        texCoord TextureCoordinate {{ point [ 0 0, 1 0, 1 1, 0 1 ] }}
        coordIndex [ {faces} ] texCoordIndex [ {faces} ] }} }} ] }}
"""


def test_meshes_in_one_plane_show_their_own_faces(tmp_path: Path) -> None:
    """Two squares in the same place with the same picture look like one, whatever their faces are.

    The second one's triangles are others, so a face of one with the number of the other's is elsewhere.
    """
    ramp = np.arange(0, 256, 8, dtype=np.uint8)
    across = np.broadcast_to(ramp, (32, 32))
    picture = np.stack([across, across.T, np.full_like(across, 128)], axis=-1)
    Image.fromarray(np.ascontiguousarray(picture)).save(tmp_path / "map.png")
    first = _square("first", "0 1 2 -1, 0 2 3 -1")
    second = _square("second", "3 0 2 -1, 2 0 1 -1, 1 2 0 -1")
    third = _square("third", "1 2 3 -1, 3 0 1 -1")
    camera = "width 32 height 32 fieldOfView 0.6"
    alone = seen(tmp_path, first, camera)
    assert len(np.unique(alone)) > 12
    for nodes in (first + second, second + first, third + first, first + second + third):
        # corners that are added up in another order differ by a rounding
        np.testing.assert_allclose(seen(tmp_path, nodes, camera), alone, atol=1.0)
