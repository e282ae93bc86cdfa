"""Small worlds and studies that tests of sweeps share."""

from __future__ import annotations

from pathlib import Path
from typing import Any

BOX = """#VRML_SIM R2025a utf8
WorldInfo {
  basicTimeStep 8
  contactProperties [ ContactProperties { material1 "ice" coulombFriction [ 0.1 ] bounce 0 } ]
}
DEF FLOOR Solid { name "floor" boundingObject Plane { size 50 50 } locked TRUE }
DEF BOX Solid {
  translation 0 0 0.1
  name "box"
  contactMaterial "ice"
  boundingObject DEF FORM Box { size 0.2 0.2 0.2 }
  physics DEF MASS Physics { density -1 mass 1 }
  linearVelocity 2 0 0
}
"""
"""A box that slides on a plane: it comes to rest after v^2 / (2 mu g)."""

ROBOT = """#VRML_SIM R2025a utf8
WorldInfo { basicTimeStep 8 }
DEF FLOOR Solid { name "floor" boundingObject Plane { size 50 50 } locked TRUE }
DEF ROBOT Robot {
  translation 0 0 0.5
  name "robot"
  controller "%s"
  controllerArgs [ "1" ]
  supervisor %s
  children [
    DEF NOISY GPS { name "gps" accuracy 0.1 }
    HingeJoint {
      jointParameters HingeJointParameters { axis 0 0 1 }
      device RotationalMotor { name "motor" }
      endPoint DEF ARM Solid {
        name "arm"
        boundingObject Box { size 0.1 0.02 0.02 }
        physics Physics { density -1 mass 0.1 }
      }
    }
  ]
}
"""


def write(folder: Path, **files: str) -> None:
    """Write files; names have `__` for slashes and end with the extension after the last `_`."""
    for name, text in files.items():
        stem, _, extension = name.rpartition("_")
        path = folder / f"{stem.replace('__', '/')}.{extension}"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def sliding(folder: Path, **more: Any) -> dict[str, Any]:
    """Return a study of the sliding box over two frictions."""
    write(folder, box_wbt=BOX)
    return {
        "scene": folder / "box.wbt",
        "duration": 2.5,
        "parameters": {
            "friction": {
                "path": "WorldInfo.contactProperties[0].coulombFriction",
                "values": [0.2, 0.4],
            }
        },
        "measure": {"way": "box.x"},
        **more,
    }
