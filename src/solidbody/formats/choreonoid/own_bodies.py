"""Bodies of our own for those of Choreonoid's share folder without which projects fall for ever."""

from __future__ import annotations

import json
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

OWN_BODIES: Final = {"${SHARE}/model/misc/floor.body": FLOOR}
"""By the address that projects have."""


def body_of_meshes(file: str) -> str:
    """Return the body that a file of meshes is by itself: a link that stands, with Choreonoid's mass for it.

    Args:
        file: Its name, in the same folder.
    """
    link = {
        "name": "Root",
        "jointType": "fixed",
        "mass": 1.0,
        "inertia": [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0],
        "elements": [{"type": "Resource", "uri": file}],
    }
    body = {"format": "ChoreonoidBody", "formatVersion": 1.0, "links": [link]}
    return json.dumps(body)  # JSON is YAML
