"""Who may import whom. The arrows of docs/architecture.md, checked."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from tests.architecture.sources import (
    PACKAGE,
    imported_names,
    is_of,
    module_level_nodes,
    modules,
    tree,
)

EVERYTHING = frozenset(
    {
        "base",
        "model",
        "formats",
        "compiler",
        "contact",
        "control",
        "devices",
        "exports",
        "gpu",
        "record",
        "render",
        "rl",
        "series",
        "sim",
        "sound",
        "speech",
        "sweeps",
        "viewer",
        "live",
        "projects",
        "explanations",
        "cli",
        "_version",
    }
)

MAY_IMPORT = {
    "base": frozenset[str](),
    "model": frozenset({"base"}),
    "formats": frozenset({"base", "model"}),
    # the layout of the tables that the compiler fills is defined once, beside the law that reads them
    "compiler": frozenset({"base", "model", "contact.layout", "contact.tables", "contact.state"}),
    "contact": frozenset({"base"}),
    "exports": frozenset({"base", "model", "formats", "compiler"}),
    # without Warp the native library follows the rays
    "render": frozenset({"base", "model", "contact.ray_casting"}),
    "devices": frozenset({"base", "model", "render"}),
    "gpu": frozenset({"base", "compiler", "contact"}),
    "sim": frozenset({"base", "model", "compiler", "contact", "devices", "gpu"}),
    "control": frozenset(
        {"base", "model", "formats", "compiler", "contact", "devices", "record", "sim", "speech"}
        | {"_version"}
    ),
    "sound": frozenset({"base", "model", "devices", "sim", "speech"}),
    "speech": frozenset({"base"}),
    "record": frozenset({"base", "model", "formats", "devices", "render", "sim", "_version"}),
    "live": frozenset({"base", "model", "control", "devices", "record", "sim", "_version"}),
    "series": frozenset({"base", "model", "devices", "live", "record", "sim"}),
    "rl": frozenset({"base", "model", "formats", "control", "record", "sim", "viewer"}),
    "viewer": frozenset(
        {
            "base",
            "model",
            "formats",
            "devices",
            "record",
            "render",
            "sim",
            "sound",
            "projects",
            "_version",
        }
    ),
    "projects": frozenset[str](),
    "explanations": frozenset({"base"}),
    "sweeps": frozenset(
        {"base", "model", "formats", "compiler", "contact", "control", "record", "sim", "viewer"}
        | {"_version"}
    ),
    "cli": EVERYTHING,
}
"""Package -> packages or modules of ours that it may import, besides itself."""

SLOW_TO_IMPORT = frozenset(
    {"mujoco", "numpy", "rich", "starlette", "uvicorn", "websockets", "trimesh", "warp"}
)

OURS_SLOW_TO_IMPORT = frozenset(
    {
        f"solidbody.{name}"
        for name in (
            "formats",
            "compiler",
            "contact",
            "control",
            "devices",
            "exports",
            "gpu",
            "live",
            "record",
            "render",
            "rl",
            "series",
            "sim",
            "sound",
            "speech",
            "sweeps",
            "viewer",
        )
    }
)

SIMULATORS = frozenset({"mujoco", "warp", "mujoco_warp"})

NO_NUMPY_IN_THESE = frozenset({"base", "model"})
"""The model is plain data: a program that only reads scenes does not wait for numpy."""


def package_of(path: Path) -> str | None:
    """Return the subpackage that a module belongs to; None for the top level."""
    parts = path.relative_to(PACKAGE).parts
    return parts[0] if len(parts) > 1 else None


def test_every_package_has_a_row_in_the_table() -> None:
    """A new package must say whom it may import."""
    found = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    assert found == set(MAY_IMPORT)


@pytest.mark.parametrize("package", sorted(MAY_IMPORT))
def test_package_imports_only_what_the_table_allows(package: str) -> None:
    """Imports inside functions and for type checking count too: an arrow is an arrow."""
    allowed = frozenset(f"solidbody.{name}" for name in MAY_IMPORT[package] | {package})
    wrong = [
        f"{path.relative_to(PACKAGE)}:{line} imports {name}"
        for path in modules()
        if package_of(path) == package
        for name, line in imported_names(ast.walk(tree(path)))
        if name.startswith("solidbody.") and not is_of(name, allowed)
    ]
    assert not wrong


def test_the_table_has_no_circles() -> None:
    """Packages can be put in an order in which each imports only earlier ones."""
    left = dict(MAY_IMPORT)
    done: set[str] = {"_version", "cli"}
    while left:
        ready = [
            name
            for name, needs in left.items()
            if {n.split(".")[0] for n in needs} - {name} <= done
        ]
        assert ready, f"circle among {sorted(left)}"
        done.update(ready)
        for name in ready:
            del left[name]


def test_only_the_choice_of_engine_imports_the_oracle() -> None:
    """`contact/reference/` is what tests compare with: what the product needs lives in modules of its own."""
    oracle = [path for path in modules() if path.parent == PACKAGE / "contact" / "reference"]
    assert len(oracle) > 10
    names = frozenset({"solidbody.contact.reference"})
    engine = PACKAGE / "contact" / "engine.py"
    wrong = [
        f"{path.relative_to(PACKAGE)}:{line} imports {name}"
        for path in modules()
        if path not in (*oracle, engine)
        for name, line in imported_names(ast.walk(tree(path)))
        if is_of(name, names)
    ]
    assert not wrong
    at_import = imported_names(module_level_nodes(tree(engine)))
    assert not [name for name, _ in at_import if is_of(name, names)]


def test_formats_know_no_simulator() -> None:
    """Parsing works on a machine without MuJoCo; only MuJoCo's own language is read by MuJoCo itself."""
    readers = PACKAGE / "formats" / "mjcf"
    wrong = [
        f"{path.relative_to(PACKAGE)}:{line} imports {name}"
        for path in modules()
        if package_of(path) in ("base", "model", "formats") and path.parent != readers
        for name, line in imported_names(ast.walk(tree(path)))
        if is_of(name, SIMULATORS)
    ]
    assert not wrong
    at_import = [
        f"{path.relative_to(PACKAGE)}:{line} imports {name}"
        for path in modules()
        if path.parent == readers
        for name, line in imported_names(module_level_nodes(tree(path)))
        if is_of(name, SIMULATORS)
    ]
    assert not at_import


def test_model_needs_no_numpy() -> None:
    """Base and model are plain Python, but for the arrays of vectors that sim, devices and render share."""
    wrong = [
        f"{path.relative_to(PACKAGE)}:{line} imports {name}"
        for path in modules()
        if package_of(path) in NO_NUMPY_IN_THESE and path != PACKAGE / "base" / "vectors.py"
        for name, line in imported_names(ast.walk(tree(path)))
        if is_of(name, frozenset({"numpy"}))
    ]
    assert not wrong


def test_command_line_imports_nothing_slow_at_module_level() -> None:
    """Help and mistakes of usage wait for nothing."""
    wrong = [
        f"{path.relative_to(PACKAGE)}:{line} imports {name}"
        for path in modules()
        if package_of(path) == "cli"
        for name, line in imported_names(module_level_nodes(tree(path)))
        if is_of(name, SLOW_TO_IMPORT | OURS_SLOW_TO_IMPORT)
    ]
    assert not wrong


@pytest.mark.parametrize("module", ["solidbody", "solidbody.cli.app"])
def test_importing_the_front_door_loads_nothing_slow(module: str) -> None:
    """`import solidbody` and `solidbody --help` wait neither for MuJoCo nor for numpy."""
    code = f"import sys, {module}; print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = {name.split(".")[0] for name in run.stdout.split()}
    assert not loaded & (SLOW_TO_IMPORT - {"rich"})


def test_only_the_command_line_prints() -> None:
    """Anything else returns, raises or logs; programs of robots tell their users what to do."""
    wrong = [
        f"{path.relative_to(PACKAGE)}:{node.lineno}"
        for path in modules()
        if package_of(path) not in ("cli", "standins")
        and not path.is_relative_to(PACKAGE / "rl/controllers")
        for node in ast.walk(tree(path))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in ("print", "pprint")
    ]
    assert not wrong


def test_a_world_of_webots_waits_for_no_other_reader(tmp_path: Path) -> None:
    """The readers of other formats take as long to import as a small world takes to be checked."""
    file = tmp_path / "world.wbt"
    file.write_text("#VRML_SIM R2025a utf8\nWorldInfo { }\nSolid { }\n", encoding="utf-8")
    source = (
        f"import sys; import solidbody as sb; sb.compile_scene(sb.load({str(file)!r}))\n"
        "print(*[name for name in sys.modules if name.startswith('solidbody.formats.')])"
    )
    done = subprocess.run(
        [sys.executable, "-c", source], capture_output=True, text=True, check=True, timeout=120
    )
    loaded = {name.split(".")[2] for name in done.stdout.split()}
    assert "webots" in loaded
    assert not loaded & {"choreonoid", "openhrp", "sdf", "mjcf", "urdf", "usd"}
