"""Bodies of our own for those of Choreonoid's share folder without which projects fall for ever."""

from __future__ import annotations

from typing import Final

FLOOR: Final = """format: ChoreonoidBody
format_version: 2.0
name: Floor
links:
  - name: MAIN
    joint_type: fixed
    material: Ground
    elements:
      - type: Shape
        geometry: { type: Box, size: [ 20, 20, 0.2 ] }
        appearance: { material: { diffuse: [ 0.55, 0.58, 0.55 ] } }
"""
"""Projects put it at -0.1 m: its top is at zero then."""

OWN_BODIES: Final = {
    "${SHARE}/model/misc/floor.body": FLOOR,
    "${SHARE}/model/misc/floor.wrl": FLOOR,
}
"""By the address that projects have; the second one is that of old releases."""
