"""`python -m benchmarks.menagerie FOLDER`: the models of MuJoCo Menagerie, read by us and by MuJoCo.

Every scene of FOLDER (a clone of it) is read; places and masses of all bodies are compared with those of
MuJoCo, and where they are after a second of free motion with those of mj_step. The figures are kept in
`menagerie.json` as they are found, so that a run may go on later; docs/menagerie.md is made of them, and
checked, without the models.

  python -m benchmarks.menagerie FOLDER              compare all that is not kept yet, write the page
  python -m benchmarks.menagerie FOLDER NAME...      compare these folders anew
  python -m benchmarks.menagerie --table             write the page from the figures that are kept
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import mujoco
import numpy as np

from solidbody.base.diagnostics import Severity
from solidbody.compiler.bodies import principal_moments
from solidbody.formats.loading import read_scene
from solidbody.model.joints import joint_axes
from tests.formats.mjcf.models import body_name, drift, links_by_name, start

KEPT: Final = Path(__file__).with_suffix(".json")

DOC: Final = Path(__file__).parents[1] / "docs" / "menagerie.md"

HEAD: Final = "<!-- GENERATED FILE, DO NOT EDIT: python -m benchmarks.menagerie --table -->\n"

EXACT: Final = 1e-9
"""Kinematics [m] and masses (relative) that are only rounded."""

FREE: Final = 1e-6
"""[m] After a second of free motion."""

SECONDS: Final = 1.0


def scenes_of(folder: Path, names: Sequence[str]) -> list[Path]:
    """Return the scenes of a clone, or those of some of its folders."""
    found = sorted(folder.glob("*/scene*.xml"))
    return [path for path in found if not names or path.parent.name in names]


def figures_of(path: Path) -> dict[str, Any]:
    """Return what is found about one scene."""
    scene, log = read_scene(path)
    said = Counter(item.code for item in log if item.severity is not Severity.INFO)
    row: dict[str, Any] = {"said": dict(sorted(said.items()))}
    try:
        model = mujoco.MjModel.from_xml_path(str(path))
    except ValueError as error:
        return row | {"mujoco": str(error).splitlines()[0][:120]}
    if scene is None:
        return row | {"refused": next(str(i.text) for i in log if i.severity is Severity.ERROR)}
    data, links = start(model), links_by_name(scene)
    place = mass = 0.0
    missing = 0
    for k in range(1, model.nbody):
        if body_name(model, k) not in links:
            missing += 1
            continue
        link, pose = links[body_name(model, k)]
        place = max(place, float(np.abs(np.array(pose.position) - data.xpos[k]).max()))
        turn = np.array(pose.rotation)
        place = max(place, min(float(np.abs(turn + s * data.xquat[k]).max()) for s in (1.0, -1.0)))
        if link.mass is not None and link.mass.mass > 0.0:
            mass = max(mass, abs(link.mass.mass / float(model.body_mass[k]) - 1.0))
            moments, wanted = principal_moments(link.mass)[0], np.sort(model.body_inertia[k])
            mass = max(mass, float(np.abs(np.sort(moments) - wanted).max() / wanted.max()))
    axes = [axis for link in scene.links() for axis in joint_axes(link.joint)]
    return row | {
        "bodies": model.nbody - 1,
        "missing": missing,
        "joints": model.njnt,
        "actuators": model.nu,
        "motors": sum(axis.motor is not None for axis in axes),
        "place": place,
        "mass": mass,
        "drift": drift(path, SECONDS),
    }


def figures_kept() -> dict[str, Any]:
    """Return what was found in earlier runs."""
    if not KEPT.exists():
        return {"notes": [], "scenes": {}}
    return json.loads(KEPT.read_text("utf-8"))


def page(kept: dict[str, Any]) -> str:
    """Return the text of docs/menagerie.md."""
    rows: dict[str, Any] = dict(sorted(kept["scenes"].items()))
    read = {name: row for name, row in rows.items() if "place" in row}
    exact = [n for n, r in read.items() if r["place"] < EXACT and r["mass"] < EXACT]
    free = [n for n, r in read.items() if r["drift"] < FREE]
    whole = [n for n, r in read.items() if r["motors"] == r["actuators"] and not r["missing"]]
    lines = [
        HEAD,
        "# MuJoCo Menagerie\n",
        f"What `solidbody` makes of the {len(rows)} scenes (`*/scene*.xml`) of "
        f"[MuJoCo Menagerie](https://github.com/google-deepmind/mujoco_menagerie) at commit "
        f"`{kept['commit'][:10]}`, beside MuJoCo {kept['mujoco']} itself. Free motion: no contacts, "
        "limits, friction, actuators and tendons, all joints at random speeds, for a second; compared with "
        "`mj_step`.\n",
        "| | |",
        "|---|---|",
        f"| read | {len(read)} of {len(rows)} |",
        f"| kinematics and masses those of MuJoCo (1e-9) | {len(exact)} of {len(read)} |",
        f"| free motion that of `mj_step` after a second (1e-6 m) | {len(free)} of {len(read)} |",
        f"| every actuator has become a motor | {len(whole)} of {len(read)} |",
        "",
        *kept["notes"],
        "",
        "| scene | bodies, joints | motors of actuators | place [m] | mass | free motion [m] | said |",
        "|---|---|---|---|---|---|---|",
    ]
    for name, row in rows.items():
        said = ", ".join(f"`{code}` {count}" for code, count in row["said"].items())
        if "place" not in row:
            why = row.get("refused") or f"MuJoCo: {row['mujoco']}"
            lines.append(f"| {name} | not read: {why} | | | | | {said} |")
            continue
        lines.append(
            f"| {name} | {row['bodies']}, {row['joints']} | {row['motors']} of {row['actuators']} | "
            f"{_size(row['place'])} | {_size(row['mass'])} | {_size(row['drift'])} | {said} |"
        )
    lines.append("\nWhat each code means: [diagnostics.md](diagnostics.md).")
    return "\n".join(lines) + "\n"


def _size(value: float) -> str:
    return "0" if value == 0.0 else f"{value:.0e}"


def main() -> None:
    """Compare, keep, write."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.menagerie")
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--table", action="store_true")
    parser.add_argument("--seconds", type=float, default=1e9, help="begin no scene after these")
    parser.add_argument("--commit", default="")
    asked = parser.parse_args()
    kept = figures_kept()
    if not asked.table:
        kept |= {"mujoco": mujoco.__version__} | ({"commit": asked.commit} if asked.commit else {})
        begun = time.monotonic()
        for path in scenes_of(asked.folder, asked.names):
            name = path.relative_to(asked.folder).as_posix()
            if (name in kept["scenes"] and not asked.names) or (
                time.monotonic() - begun > asked.seconds
            ):
                continue
            kept["scenes"][name] = row = figures_of(path)
            print(name, row, flush=True)
            KEPT.write_text(json.dumps(kept, indent=1, sort_keys=True) + "\n", "utf-8")
    DOC.write_text(page(kept), "utf-8")


if __name__ == "__main__":
    main()
