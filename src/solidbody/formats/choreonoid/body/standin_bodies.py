"""Our own stand-ins for bodies of Choreonoid's share folder that projects use: floors, boxes, robots."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Final

from solidbody.formats.link_trees.uris import SHARED

_ADDRESS: Final = re.compile(r"\$\{SHARE\}/(model/[\w-]+/[\w-]+\.body)")


def own_body(url: str) -> Path | None:
    """Return our file for an address in the share folder, if there is one."""
    found = _ADDRESS.fullmatch(url)
    path = None if found is None else SHARED / found[1]
    return path if path is not None and path.is_file() else None


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
