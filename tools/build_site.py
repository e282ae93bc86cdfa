"""Builds the documentation site into build/site, with strict links.

    python -m pip install -r packaging/docs-requirements.txt
    python tools/build_site.py

Pages of docs/ are copied; links that lead out of docs/ become links into the repository, and the page of the
Python API is made from the public names.
"""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).resolve().parents[1]
DOCS: Final = ROOT / "docs"
BUILD: Final = ROOT / "build"
CONFIG: Final = ROOT / "packaging" / "mkdocs.yml"

SEARCH: Final = ROOT / "packaging" / "search-from-folders.js"
"""Takes the place of a script that the plugin `offline` would fetch from elsewhere."""

FOREIGN: Final = re.compile(r'<script src="https://[^"]*"></script>')

BUNDLE: Final = re.compile(r'<script src="[^"]*/bundle[^"]*"></script>')

LINK: Final = re.compile(r"(\]\()(?!https?:|#|mailto:)([^)#\s]+)(#[^)\s]*)?(\))")
FENCE: Final = re.compile(r'^(```[a-z]+)(?: no-run="[^"]*"| continued)$', re.MULTILINE)
"""Remarks for the tests (tools/page_blocks.py)."""

CHANGES: Final = "changelog"
API: Final = "python-api"
"""Pages that only the site has."""

UNIT: Final = re.compile(r"(\]) \[([A-Za-z·/²³]+)\](?![(\[:])")
"""A unit after brackets: Markdown would take the two for a link."""

SHOWN: Final = frozenset({".md", ".png", ".gif", ".jpg", ".svg"})
"""Endings of what the site takes from docs/."""


def repository() -> str:
    """Return the address of the repository."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return project["urls"]["Homepage"]


def page_of(text: str, page: Path, home: str) -> str:
    """Return a page as the site has it.

    Args:
        text: As it stands in docs/.
        page: Its file.
        home: Address of the repository.
    """

    def link(found: re.Match[str]) -> str:
        opening, path, section, closing = found.groups()
        target = (page.parent / path).resolve()
        if target == ROOT / "CHANGELOG.md":
            path = "../" * (len(page.relative_to(DOCS).parts) - 1) + f"{CHANGES}.md"
        elif (
            not target.is_relative_to(DOCS)
            or target.suffix not in SHOWN
            or target.name == "README.md"
        ):
            kind = "tree" if target.is_dir() else "blob"
            path = f"{home}/{kind}/main/{target.relative_to(ROOT).as_posix()}"
        return f"{opening}{path}{section or ''}{closing}"

    return FENCE.sub(r"\1", UNIT.sub(r"\1 \\[\2\\]", LINK.sub(link, text)))


def public_names() -> dict[str, str]:
    """Return the names of `solidbody` with the modules that they come from."""
    tree = ast.parse((ROOT / "src/solidbody/__init__.py").read_text(encoding="utf-8"))
    for node in tree.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "_HOMES":
            found: Any = ast.literal_eval(node.value)
            return found
    raise ValueError("solidbody/__init__.py has no table _HOMES")


def api_page() -> str:
    """Return the page of the Python API: every public name."""
    parts = ["# Python API\n\n`import solidbody as sb` brings these names.\n"]
    modules = {"Sim": "solidbody.sim.simulation", "compile_scene": "solidbody.compiler.compile"}
    for name, module in public_names().items():
        parts.append(f"\n::: {modules.get(name, module)}.{name}\n")
    parts.append("\n## What `sim.link`, `sim.joint` and `sim.device` return\n")
    for path in ("LinkHandle", "JointHandle", "DeviceHandle"):
        parts.append(f"\n::: {_home_of(path)}.{path}\n    options:\n      heading_level: 3\n")
    return "".join(parts)


def _home_of(name: str) -> str:
    """Return the module below sim/ or devices/ that defines a class."""
    for path in sorted((ROOT / "src/solidbody").rglob("*.py")):
        if re.search(rf"^class {name}\b", path.read_text(encoding="utf-8"), re.MULTILINE):
            return ".".join(path.relative_to(ROOT / "src").with_suffix("").parts)
    raise ValueError(f"no class is named {name}")


def stage(source: Path) -> None:
    """Put all pages of the site into a folder."""
    shutil.rmtree(source, ignore_errors=True)
    home = repository()
    for path in sorted(DOCS.rglob("*")):
        if path.suffix not in SHOWN or path.name == "README.md":
            continue
        out = source / path.relative_to(DOCS)
        out.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix == ".md":
            out.write_text(page_of(path.read_text("utf-8"), path, home), encoding="utf-8")
        else:
            shutil.copyfile(path, out)
    changes = page_of((ROOT / "CHANGELOG.md").read_text("utf-8"), ROOT / "CHANGELOG.md", home)
    (source / f"{CHANGES}.md").write_text(changes, encoding="utf-8")
    (source / f"{API}.md").write_text(api_page(), encoding="utf-8")


def with_own_search(page: str, path: Path) -> str:
    """Return a page that fetches nothing from elsewhere; our script comes before that of the theme."""
    up = "../" * (len(path.relative_to(BUILD / "site").parts) - 1)
    tag = f'<script src="{up}{SEARCH.name}"></script>'
    return BUNDLE.sub(lambda found: tag + found[0], FOREIGN.sub("", page), count=1)


def main() -> int:
    """Build; return the exit status."""
    stage(BUILD / "source")
    shutil.copyfile(CONFIG, BUILD / "mkdocs.yml")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--clean"]
    shutil.copyfile(SEARCH, BUILD / "source" / SEARCH.name)
    done = subprocess.run([*command, "--config-file", str(BUILD / "mkdocs.yml")], check=False)
    if done.returncode == 0:
        for path in (BUILD / "site").rglob("*.html"):
            path.write_text(with_own_search(path.read_text("utf-8"), path), encoding="utf-8")
        print(f"built {BUILD / 'site' / 'index.html'}")
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
