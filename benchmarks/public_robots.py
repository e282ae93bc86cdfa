"""`python -m benchmarks.public_robots FOLDER`: robots and worlds that others wrote, read and run by us.

FOLDER holds what `SOURCES` names: wheels of PyPI that were unpacked, and clones. Each file is read, compiled
and run for a second; places of links of a URDF are compared with those of yourdfpy, places and masses of MJCF
with those of MuJoCo. The figures are kept in `public_robots.json` as they are found, so that a run may go on
later; docs/public-robots.md is made of them, and checked, without the files.

  python -m benchmarks.public_robots FOLDER [SOURCE...]  try all that is not kept yet, write the page
  python -m benchmarks.public_robots FOLDER --anew       try all again
  python -m benchmarks.public_robots --table             write the page from the figures that are kept
"""

from __future__ import annotations

import argparse
import fnmatch
import json
import multiprocessing
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

import solidbody as sb
from solidbody.base.diagnostics import Diagnostic, Severity
from solidbody.base.errors import SolidbodyError
from solidbody.formats.loading import read_scene
from solidbody.formats.options import LoadOptions
from solidbody.model.joints import joint_axes
from solidbody.model.scene import Scene, world_poses

KEPT: Final = Path(__file__).with_suffix(".json")

DOC: Final = Path(__file__).parents[1] / "docs" / "public-robots.md"

HEAD: Final = "<!-- GENERATED FILE, DO NOT EDIT: python -m benchmarks.public_robots --table -->\n"

EXACT: Final = 1e-6
"""[m] Places of links, and shares of masses."""

SECONDS: Final = 1.0

PATIENCE: Final = 600.0
"""[s] After which a file is given up, by the clock, on a machine that does much else."""


@dataclass(frozen=True, slots=True)
class Source:
    """Files of one origin.

    Attributes:
        name: What the table calls them.
        origin: Package and version, or repository and commit.
        folder: Where they are, below the folder that is asked for.
        patterns: Of paths below it.
        variants: Arguments of xacro; each makes a robot of each file.
        packages: Folders of packages by name, below the folder that is asked for.
        but: Patterns of what is no robot by itself.
    """

    name: str
    origin: str
    folder: str
    patterns: tuple[str, ...]
    variants: tuple[tuple[tuple[str, str], ...], ...] = ((),)
    packages: tuple[tuple[str, str], ...] = ()
    but: tuple[str, ...] = ()


def _types(*names: str) -> tuple[tuple[tuple[str, str], ...], ...]:
    return tuple((("ur_type", name), ("name", name)) for name in names)


_RTB: Final = "lib/rtb_data/rtbdata/xacro"

SOURCES: Final = (
    Source(
        "Gymnasium",
        "PyPI gymnasium 1.4.0",
        "lib/gymnasium",
        ("gymnasium/envs/mujoco/assets/*.xml",),
    ),
    Source("dm_control", "PyPI dm_control 1.0.50", "lib/dm_control", ("*.xml",)),
    Source("MuJoCo Warp", "PyPI mujoco-warp 4.0.0", "lib/mujoco_warp", ("*.xml",)),
    Source("PyBullet, MJCF", "PyPI pybullet 3.2.7", "lib/pybullet", ("*.xml",)),
    Source(
        "Universal Robots",
        "UniversalRobots/Universal_Robots_ROS2_Description@2221ec0",
        "repos/UniversalRobots+Universal_Robots_ROS2_Description",
        ("urdf/ur.urdf.xacro",),
        variants=_types("ur3", "ur3e", "ur5", "ur5e", "ur10", "ur10e", "ur16e", "ur20", "ur30"),
        packages=(("ur_description", "repos/UniversalRobots+Universal_Robots_ROS2_Description"),),
    ),
    Source(
        "Franka (ROS 2)",
        "frankarobotics/franka_description@566ba44",
        "repos/frankarobotics+franka_description",
        ("robots/*/*.urdf.xacro",),
        packages=(("franka_description", "repos/frankarobotics+franka_description"),),
        but=("*/fr3_duo_*.xacro",),
    ),
    Source(
        "Franka (ROS 1)",
        "frankaemika/franka_ros@c11f000",
        "repos/frankaemika+franka_ros",
        ("franka_description/robots/*/*.urdf.xacro", "franka_gazebo/test/launch/*.urdf"),
        variants=((), (("gazebo", "true"),)),
    ),
    Source(
        "PR2",
        "PR2/pr2_common@c36a5c9",
        "repos/PR2+pr2_common",
        ("pr2_description/robots/*.urdf.xacro",),
    ),
    Source(
        "Fetch",
        "ZebraDevs/fetch_ros@9c38de6",
        "repos/ZebraDevs+fetch_ros",
        ("fetch_description/robots/*.urdf",),
    ),
    Source(
        "TurtleBot3",
        "ROBOTIS-GIT/turtlebot3@da785b7",
        "repos/ROBOTIS-GIT+turtlebot3",
        ("turtlebot3_description/urdf/turtlebot3_*.urdf",),
        variants=((("namespace", ""),),),
    ),
    Source(
        "Spot",
        "clearpathrobotics/spot_ros@004d379",
        "repos/clearpathrobotics+spot_ros",
        ("spot_description/urdf/spot.urdf.xacro",),
    ),
    Source(
        "Husky",
        "husky/husky@dff7c81",
        "repos/husky+husky",
        ("husky_description/urdf/husky.urdf.xacro",),
    ),
    Source(
        "example-robot-data",
        "PyPI example-robot-data 6.0.0",
        "lib/example_robot_data",
        ("*.urdf",),
    ),
    Source(
        "rtb-data",
        "PyPI rtb-data 2.0.0",
        "lib/rtb_data",
        ("*.urdf", "*.xacro"),
        packages=(
            ("abb_irb140", f"{_RTB}/abb_irb140_description"),
            ("kuka_resources", f"{_RTB}/kuka_description/kuka_resources"),
            *(
                (f"kuka_{name}_support", f"{_RTB}/kuka_description/kuka_{name}")
                for name in (
                    *("kr3", "kr5", "kr6", "kr10", "kr16", "kr120", "kr150", "kr210", "lbr_iiwa"),
                )
            ),
        ),
        but=(
            *("*_macro.xacro", "*/common_*.xacro", "*/accessories/*", "*/hand.xacro"),
            *("*/frankie*_arm.xacro", "*/panda_arm.xacro", "*/data/test.urdf"),
        ),
    ),
    Source(
        "PyBullet",
        "PyPI pybullet 3.2.7",
        "lib/pybullet",
        ("*.urdf",),
        but=("*/random_urdfs/*",),
    ),
    Source("PyBullet, SDF", "PyPI pybullet 3.2.7", "lib/pybullet", ("*.sdf",)),
    Source(
        "Gazebo, examples",
        "gazebosim/gz-sim@93bbf3ed1",
        "repos/gazebosim+gz-sim",
        ("examples/*.sdf",),
    ),
    Source(
        "SDFormat, files of its tests",
        "gazebosim/sdformat@2ace5362",
        "repos/gazebosim+sdformat",
        ("test/*.sdf", "test/*.world"),
    ),
)

KINDS: Final = (
    ("MJCF", (".xml",)),
    ("URDF", (".urdf", ".xacro")),
    ("SDF", (".sdf", ".world")),
)


def files_of(source: Source, root: Path) -> Iterator[tuple[str, Path, tuple[tuple[str, str], ...]]]:
    """Return name, path and arguments of all robots of a source."""
    folder = root / source.folder
    names = sorted(p.relative_to(folder).as_posix() for p in folder.rglob("*.*") if p.is_file())
    for name in names:
        if not any(fnmatch.fnmatch(name, pattern) for pattern in source.patterns):
            continue
        if any(fnmatch.fnmatch(f"/{name}", pattern) for pattern in source.but):
            continue
        if name.endswith(".xml") and not _is_mjcf(folder / name):
            continue
        for variant in source.variants:
            if variant and name.endswith(".urdf") and source.name == "Franka (ROS 1)":
                continue
            values = [f"{key}={value}" for key, value in variant if key in ("ur_type", "gazebo")]
            yield " ".join((name, *values)), folder / name, variant


def _is_mjcf(path: Path) -> bool:
    text = path.read_text("utf-8", errors="replace")
    return re.search(r"<mujoco[\s>]", re.sub(r"<!--.*?-->", "", text, flags=re.S)) is not None


def figures_of(path: Path, options: LoadOptions) -> dict[str, Any]:
    """Return what is found about one file."""
    scene, log = read_scene(path, options=options)
    said = Counter(f"{i.severity.value}:{i.code}" for i in log if i.severity is not Severity.INFO)
    row: dict[str, Any] = {"said": dict(sorted(said.items()))}
    errors = [item for item in log if item.severity is Severity.ERROR]
    if errors:
        row["first"] = _short(errors[0])
    if scene is None:
        return row
    axes = [axis for link in scene.links() for axis in joint_axes(link.joint)]
    row |= {
        "links": sum(1 for _ in scene.links()),
        "axes": len(axes),
        "motors": sum(axis.motor is not None for axis in axes),
    }
    row |= _compared(path, scene)
    try:
        sim = sb.Sim(scene)
        sim.run(SECONDS)
    except SolidbodyError as error:
        return row | {"stopped": str(error).splitlines()[0][:160]}
    return row | {"ran": bool(np.isfinite(sim.poses()).all())}


def _short(item: Diagnostic) -> str:
    return f"{item.code}: {item.text}"[:200]


def _compared(path: Path, scene: Scene) -> dict[str, Any]:
    """Return how far links are from where an independent reader has them, at the start."""
    match path.suffix:
        case ".xml":
            return _beside_mujoco(path, scene)
        case ".urdf":
            return _beside_yourdfpy(path, scene)
        case _:
            return {}


def _beside_mujoco(path: Path, scene: Scene) -> dict[str, Any]:
    from tests.formats.mjcf.models import body_name, links_by_name, mujoco_model, start

    model = mujoco_model(path)
    if model is None:
        return {}
    data, links = start(model), links_by_name(scene)
    place = mass = 0.0
    for k in range(1, model.nbody):
        if body_name(model, k) not in links:
            continue
        link, pose = links[body_name(model, k)]
        place = max(place, float(np.abs(np.array(pose.position) - data.xpos[k]).max()))
        if link.mass is not None and model.body_mass[k] > 0.0:
            mass = max(mass, abs(link.mass.mass / float(model.body_mass[k]) - 1.0))
    return {"place": place, "mass": mass}


def _beside_yourdfpy(path: Path, scene: Scene) -> dict[str, Any]:
    import yourdfpy

    if "xacro" in path.read_text("utf-8", errors="replace") or len(scene.bodies) != 1:
        return {}
    try:
        robot = yourdfpy.URDF.load(
            str(path), load_meshes=False, build_scene_graph=True, load_collision_meshes=False
        )
        robot.update_cfg(np.zeros(len(robot.actuated_joint_names)))
        theirs = {name: robot.get_transform(name) for name in robot.link_map}
    except Exception as error:  # of another's program
        return {"other reader": f"{type(error).__name__}: {error}"[:120]}
    (body,) = scene.bodies
    poses = {link.name: pose for link, pose in zip(body.links, world_poses(body), strict=True)}
    root = theirs.get(body.links[0].name)
    if root is None:
        return {}
    into = np.linalg.inv(root)
    base = poses[body.links[0].name]
    place, count = 0.0, 0
    for name, matrix in theirs.items():
        if name not in poses:
            continue
        at = base.inverse().point(poses[name].position)
        place = max(place, float(np.abs((into @ matrix)[:3, 3] - np.array(at)).max()))
        count += 1
    return {"place": place, "compared": count}


def _try(path: Path, options: LoadOptions, answer: Any) -> None:
    try:
        answer.send(figures_of(path, options))
    except Exception as error:  # a fault of ours is a line of the report
        answer.send({"said": {}, "fault": f"{type(error).__name__}: {error}"[:200]})


def tried(path: Path, options: LoadOptions) -> dict[str, Any]:
    """Return the figures of a file, from a process of its own that may take no longer than is fair."""
    here, there = multiprocessing.Pipe()
    worker = multiprocessing.get_context("fork").Process(target=_try, args=(path, options, there))
    worker.start()
    there.close()
    try:
        if here.poll(PATIENCE):
            return here.recv()
        return {"said": {}, "fault": f"took longer than {PATIENCE:.0f} s"}
    except EOFError:
        return {"said": {}, "fault": "the process has died"}
    finally:
        worker.kill()
        worker.join()


def figures_kept() -> dict[str, Any]:
    """Return what was found in earlier runs: by source, then by file."""
    return json.loads(KEPT.read_text("utf-8")) if KEPT.exists() else {}


def page(kept: dict[str, Any]) -> str:
    """Return the text of docs/public-robots.md."""
    lines = [
        HEAD,
        "# Robots and worlds of others\n",
        "What `solidbody` makes of files that nobody here wrote: models that packages of PyPI bring, public "
        "repositories of robots, and the worlds and tests of Gazebo. Each is read, compiled and run for a "
        "second. `whole` is without any error; `but for other files` lacks meshes that our copies lack, or "
        "models of the web; what is left out of those that are read in part is named with its place. Places "
        "of links and masses of MJCF are compared with MuJoCo's, those of URDF (at zero) with yourdfpy's. "
        "[MuJoCo Menagerie](menagerie.md) has a page of its own.\n",
    ]
    for kind, endings in KINDS:
        sources = [
            (source, rows)
            for source in SOURCES
            if (rows := _of_kind(kept.get(source.name, {}), endings))
        ]
        all_rows = [row for _, rows in sources for row in rows.values()]
        lines += [f"## {kind}\n", _HEADS[kind], "|---|---|---|---|---|---|---|---|"]
        lines += [_row(f"{source.name} ({source.origin})", rows) for source, rows in sources]
        lines += [_row("**all**", dict(enumerate(all_rows))), ""]
        lines += _reasons(kind, sources)
    lines.append("What each code means: [diagnostics.md](diagnostics.md).")
    return "\n".join(lines) + "\n"


_COLUMNS: Final = "whole | but for other files | in part | not read | ran a second"

_HEADS: Final = {
    "MJCF": f"| origin | files | {_COLUMNS} | places and masses of MuJoCo |",
    "URDF": f"| origin | robots | {_COLUMNS} | places of yourdfpy |",
    "SDF": f"| origin | files | {_COLUMNS} | |",
}


def _of_kind(rows: dict[str, Any], endings: tuple[str, ...]) -> dict[str, Any]:
    return {name: row for name, row in rows.items() if name.split(" ")[0].endswith(endings)}


ABSENT: Final = ("missing-mesh", "missing-file", "missing-asset", "refused-file")
"""Errors about other files: our copies lack some of the larger ones, and those of the web."""


def _outcome(row: dict[str, Any]) -> str:
    if "links" not in row:
        return "not read"
    wrong = {key.split(":", 1)[1] for key in row["said"] if key.startswith("error:")}
    if not wrong:
        return "whole"
    return "without" if wrong <= {*ABSENT} else "in part"


def _row(name: str, rows: Mapping[Any, dict[str, Any]]) -> str:
    counts = Counter(_outcome(row) for row in rows.values())
    read = counts["whole"] + counts["without"] + counts["in part"]
    ran = sum(row.get("ran", False) for row in rows.values())
    compared = [row for row in rows.values() if "place" in row]
    same = sum(row["place"] < EXACT and row.get("mass", 0.0) < EXACT for row in compared)
    beside = f"{same} of {len(compared)}" if compared else ""
    return (
        f"| {name} | {len(rows)} | {counts['whole']} | {counts['without']} | {counts['in part']} |"
        f" {counts['not read']} | {ran} of {read} | {beside} |"
    )


def _reasons(kind: str, sources: list[tuple[Source, dict[str, Any]]]) -> list[str]:
    """Return a table of what is wrong or left out, by code."""
    errors: Counter[str] = Counter()
    warnings: Counter[str] = Counter()
    example: dict[str, str] = {}
    for _, rows in sources:
        for name, row in rows.items():
            for key in row["said"]:
                severity, code = key.split(":", 1)
                (errors if severity == "error" else warnings)[code] += 1
            if "first" in row:
                code, text = row["first"].split(": ", 1)
                example.setdefault(code, f"{Path(name.split(' ')[0]).name}: {text}")
    out = [
        f"Errors in {kind}, by the number of files:\n",
        "| code | files | for example |",
        "|---|---|---|",
    ]
    for code, count in errors.most_common():
        out.append(f"| `{code}` | {count} | {_cell(example.get(code, ''))} |")
    told = ", ".join(f"`{code}` {count}" for code, count in warnings.most_common())
    return [*out, "", f"Warnings, likewise: {told}.\n"]


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;")[:160]


def main() -> None:
    """Try, keep, write."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.public_robots")
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("sources", nargs="*")
    parser.add_argument("--table", action="store_true")
    parser.add_argument("--anew", action="store_true", help="also what is kept")
    asked = parser.parse_args()
    kept = figures_kept()
    for source in () if asked.table else SOURCES:
        if asked.sources and source.name not in asked.sources:
            continue
        rows = {} if asked.anew else kept.get(source.name, {})
        options = LoadOptions(
            packages=tuple((name, asked.folder / at) for name, at in source.packages)
        )
        for name, path, variant in files_of(source, asked.folder):
            if name in rows:
                continue
            row = tried(path, LoadOptions(packages=options.packages, xacro_args=variant))
            rows[name] = row = json.loads(json.dumps(row).replace(f"{asked.folder}/", ""))
            print(source.name, name, row, flush=True)
            kept = figures_kept() | {source.name: rows}
            KEPT.write_text(json.dumps(kept, indent=1, sort_keys=True) + "\n", "utf-8")
    DOC.write_text(page(kept), "utf-8")


if __name__ == "__main__":
    main()
