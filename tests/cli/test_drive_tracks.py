"""`--drive` on a tracked robot: metres per second, from the file to the log."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from typer.testing import CliRunner

from solidbody.cli.app import app

WORLD = """#VRML_SIM R2025a utf8
WorldInfo { basicTimeStep 8 }
Viewpoint { }
Solid { name "floor" boundingObject Plane { } }
Robot {
  name "tank"
  translation 0 0 0.1
  children [
    Track {
      name "left belt"
      translation 0 0.2 0
      boundingObject Box { size 0.5 0.1 0.2 }
      physics Physics { density -1 mass 1 }
      device LinearMotor { name "left" }
    }
    Track {
      name "right belt"
      translation 0 -0.2 0
      boundingObject Box { size 0.5 0.1 0.2 }
      physics Physics { density -1 mass 1 }
      device LinearMotor { name "right" }
    }
  ]
  boundingObject Box { size 0.4 0.2 0.1 }
  physics Physics { density -1 mass 4 }
}
"""


def test_tracks_take_metres_per_second(tmp_path: Path) -> None:
    """0.4 m/s on both: after slipping for 40 ms the tank has the speed of its belts."""
    path, log = tmp_path / "tank.wbt", tmp_path / "log.csv"
    path.write_text(WORLD, encoding="utf-8")
    arguments = ["run", str(path), "--headless", "--duration", "2", "--log", str(log)]
    drives = ["--drive", "left=0.4", "--drive", "right=0.4:velocity"]
    done = CliRunner().invoke(app, [*arguments, *drives])
    assert done.exit_code == 0, done.stderr
    with log.open() as file:
        rows = list(csv.reader(file))
    header = rows[0]
    x = next(k for k, name in enumerate(header) if name.startswith("tank") and name.endswith("x"))
    end, before = float(rows[-1][x]), float(rows[-126][x])
    assert end - before == pytest.approx(0.4, abs=1e-3)  # the last second
    # friction brings it to speed within v/(mu g) = 41 ms: it lags by v^2/(2 mu g) = 8 mm
    assert end == pytest.approx(0.8 - 0.4**2 / (2 * 9.81), abs=5e-3)
