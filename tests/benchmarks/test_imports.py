"""What `make bench` and `make run` need is what a fresh clone has: no tools for development."""

from __future__ import annotations

import ast
import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]


def dev_packages() -> set[str]:
    """Return the modules of the extra `dev`, which only `make test`, `lint` and `images` install."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    return modules(settings["project"]["optional-dependencies"]["dev"])


def modules(requirements: list[str]) -> set[str]:
    """Return the modules that requirements bring."""
    names = {re.split(r"[\[<>=;]", item)[0].strip().lower() for item in requirements}
    return {{"usd-core": "pxr"}.get(name, name).replace("-", "_") for name in names}


def user_packages() -> set[str]:
    """Return the modules of all other extras, which users install for what they do."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    extras = settings["project"]["optional-dependencies"]
    return set[str]().union(*(modules(extras[name]) for name in extras if name != "dev"))


def module_file(name: str) -> Path | None:
    """Return the file of a module of ours outside the package."""
    place = ROOT.joinpath(*name.split("."))
    found = (place.with_suffix(".py"), place / "__main__.py", place / "__init__.py")
    return next((path for path in found if path.is_file()), None)


def imports(path: Path) -> set[str]:
    """Return what a file imports anywhere in it, but for what it can do without."""
    wanted: set[str] = set()
    stack: list[ast.AST] = [ast.parse(path.read_text("utf-8"))]
    while stack:
        node = stack.pop()
        if isinstance(node, ast.Try) and "ImportError" in ast.dump(ast.Module(node.handlers, [])):
            stack.extend([*node.handlers, *node.orelse, *node.finalbody])
            continue
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            stack.extend(node.orelse)
            continue
        if isinstance(node, ast.Import):
            wanted |= {item.name for item in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            wanted |= {node.module, *(f"{node.module}.{item.name}" for item in node.names)}
        stack.extend(ast.iter_child_nodes(node))
    return wanted


def dev_imports(files: list[Path], tools: set[str]) -> list[str]:
    """Return `file: module` for tools of development that files, or those they import, need."""
    known, found = set(files), list[str]()
    while files:
        path = files.pop()
        for name in sorted(imports(path)):
            if name.split(".")[0] in tools:
                found.append(f"{path.relative_to(ROOT).as_posix()}: {name}")
            inner = module_file(name) if name.startswith(("benchmarks", "tests")) else None
            if inner is not None and inner not in known:
                known.add(inner)
                files.append(inner)
    return found


def test_benchmarks_need_no_tools_of_development() -> None:
    makefile = (ROOT / "Makefile").read_text("utf-8")
    recipe = makefile.split("\nbench:", 1)[1].split("\n\n", 1)[0]
    assert "installed-dev" not in recipe
    names = re.findall(r"-m (benchmarks\S*)", recipe)
    files = [path for name in names if (path := module_file(name)) is not None]
    assert len(files) == len(names) >= 3
    assert dev_imports(files, dev_packages()) == []


def test_package_needs_no_tools_of_development() -> None:
    tools = dev_packages() - user_packages()
    assert "pytest" in tools
    pattern = re.compile("|".join(tools))
    files = sorted((ROOT / "src" / "solidbody").rglob("*.py"))
    files = [path for path in files if pattern.search(path.read_text("utf-8"))]
    assert dev_imports(files, tools) == []


def test_images_have_the_tools_that_they_need() -> None:
    makefile = (ROOT / "Makefile").read_text("utf-8")
    assert "$(VENV)/installed-dev" in makefile.split("\nimages:", 1)[1].split("\n", 1)[0]
