"""A sensor that solidbody does not have, added to a copy of it: five files, as docs/architecture.md says."""

from __future__ import annotations

import filecmp
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.architecture.sources import PACKAGE, ROOT

MODEL = "model/devices/motion.py"
NODES = "formats/webots/nodes/nodes.txt"
GROUP = "devices/scalar/motion.py"
KINDS = "devices/kinds.py"
CLIENT = "control/client/controller/kinds.py"

ADDED: dict[str, list[tuple[str, str]]] = {
    MODEL: [
        (
            "MotionDevice = (\n",
            "@dataclass(frozen=True, slots=True, kw_only=True)\nclass DeviceBarometer(DeviceBase):\n"
            '    """Pressure of the air [Pa].\n\n    Attributes:\n'
            '        sea_level: Pressure at height zero [Pa].\n    """\n\n'
            "    sea_level: float = 101325.0\n\n\n",
        ),
        ("    DeviceAccelerometer\n", "    DeviceBarometer |\n"),
        ('    "DeviceAccelerometer",\n', '    "DeviceBarometer",\n'),
    ],
    NODES: [
        (
            "GPS : Device ",
            "Barometer : Device -> DeviceBarometer | no USE\n"
            '  name     | SFString "barometer" |    |     | name      | Name for programs.\n'
            "  seaLevel | SFFloat 101325       | Pa | > 0 | sea_level | Pressure at height zero.\n\n",
        )
    ],
    GROUP: [
        ("    DeviceAltimeter,\n", "    DeviceBarometer,\n"),
        (
            "class Altimeters(",
            'class Barometers(Group[DeviceBarometer]):\n    """p0 (1 - 2.25577e-5 h)^5.25588."""\n\n'
            "    def sample(self, rows: Rows, elapsed: Floats) -> None:\n"
            "        height = self.places.positions(self.world, rows)[:, 2]\n"
            "        ground = np.array([self.devices[row].sea_level for row in rows])\n"
            "        self.values[rows, 0] = ground * (1.0 - 2.25577e-5 * height) ** 5.25588\n\n\n",
        ),
    ],
    KINDS: [
        (
            "    DeviceKind(\n        model=d.DeviceAltimeter,\n",
            "    DeviceKind(\n        model=d.DeviceBarometer,\n        group=motion.Barometers,\n"
            '        client=Client("Barometer", 88, ValueForm.NUMBER, "Pressure [Pa]."),\n'
            '        parts=number("Pa"),\n        channels=READING,\n    ),\n',
        )
    ],
}
"""What is written by hand: (line, what is put before it) by file."""

PROGRAM = """
import json
from controller import Node, Robot, Barometer
from controller.barometer import Barometer as Same
robot = Robot()
sensor = robot.getBarometer("air")
sensor.enable(8)
robot.step(8)
print(json.dumps({
    "value": sensor.getValue(), "property": sensor.value, "number": sensor.getNodeType(),
    "constant": Node.BAROMETER, "class": type(sensor) is Barometer is Same}), flush=True)
while robot.step(8) != -1:
    pass
"""

WORLD = """#VRML_SIM R2025a utf8
WorldInfo { basicTimeStep 8 }
Robot { name "robot" controller "reader" translation 0 0 100
  children [ Barometer { name "air" seaLevel 100000 } ] }
"""

SCRIPT = """
import json, sys
from pathlib import Path
import make_client
make_client.main()
import solidbody as sb
from solidbody.base.diagnostics import DiagnosticLog
from solidbody.control.hub import ControllerHub
from solidbody.formats.saving import scene_text
from solidbody.model.summary import summarize_scene
from solidbody.record import recorder_for
from solidbody.viewer.outline import encode_outline
folder = Path(sys.argv[1])
scene = sb.load(folder / "worlds" / "world.wbt")
sim = sb.Sim(scene)
lines = []
hub = ControllerHub(sim, output=lambda name, line, is_error: lines.append(line))
hub.start()
recorder = recorder_for(sim, folder / "run.csv")
sim.run(0.04)
recorder.close()
hub.close()
print(json.dumps({
    "lines": lines,
    "info": summarize_scene(scene)["devices"],
    "page": [[d.name, d.kind, d.parts] for d in encode_outline(sim, revision="").devices],
    "node": scene_text(scene, "copy.wbt", DiagnosticLog()),
}))
"""


@pytest.fixture(scope="module")
def grown(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, object]]:
    """A copy of the package with the sensor, and what a world with one says there."""
    home = tmp_path_factory.mktemp("grown")
    copy = home / "src" / "solidbody"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("standins", "page", "__pycache__"))
    for name, places in ADDED.items():
        text = (copy / name).read_text(encoding="utf-8")
        for anchor, added in places:
            assert text.count(anchor) == 1, f"{name}: {anchor!r}"
            text = text.replace(anchor, added + anchor)
        (copy / name).write_text(text, encoding="utf-8")
    (home / "tools").mkdir()
    shutil.copy(ROOT / "tools" / "make_client.py", home / "tools")
    for name, content in {
        "controllers/reader/reader.py": PROGRAM,
        "worlds/world.wbt": WORLD,
        "script.py": SCRIPT,
    }.items():
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text(content, encoding="utf-8")
    path = os.pathsep.join((str(home / "src"), str(home / "tools")))
    run = subprocess.run(
        [sys.executable, str(home / "script.py"), str(home)],
        env={**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    return home, json.loads(run.stdout.splitlines()[-1])


def test_a_program_reads_a_new_sensor(grown: tuple[Path, dict[str, object]]) -> None:
    """By its class, its old getter and its module, with the number of its node type."""
    home, told = grown
    pressure = 100000.0 * (1.0 - 2.25577e-5 * 100.0) ** 5.25588
    lines = told["lines"]
    assert isinstance(lines, list)
    read = json.loads(next(line for line in lines if line.startswith("{")))
    assert read == {
        "value": pytest.approx(pressure),
        "property": pytest.approx(pressure),
        "number": 88,
        "constant": 88,
        "class": True,
    }
    head, *_, last = (home / "run.csv").read_text(encoding="utf-8").splitlines()
    assert head == "time,/robot/air"
    assert float(last.split(",")[1]) == pytest.approx(pressure)


def test_info_page_and_export_know_it(grown: tuple[Path, dict[str, object]]) -> None:
    """They go by the description and the row."""
    _, told = grown
    info, node = told["info"], told["node"]
    assert isinstance(info, list) and isinstance(node, str)
    assert [(d["name"], d["kind"], d["fields"]["sea_level"]) for d in info] == [
        ("air", "barometer", 1e5)
    ]
    assert told["page"] == [["air", "Barometer", ["value"]]]
    assert re.search(r"Barometer \{[^}]*seaLevel 100000", node)


def test_five_files_have_changed(grown: tuple[Path, dict[str, object]]) -> None:
    """One of them is generated; the architecture page lists them all."""
    home, _ = grown
    copy = home / "src" / "solidbody"
    names = [path.relative_to(copy) for path in copy.rglob("*") if path.is_file()]
    same, changed, failed = filecmp.cmpfiles(copy, PACKAGE, names, shallow=False)
    assert {Path(name).as_posix() for name in changed} == {*ADDED, CLIENT}
    assert not failed and len(same) > 500
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    entry = page.split("- **a device**")[1].split("\n- **")[0]
    listed = re.findall(r"^  \d\. .*`([\w/]+\.(?:py|txt))`", entry, flags=re.MULTILINE)
    assert set(listed) == {*ADDED, CLIENT}
