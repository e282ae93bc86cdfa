"""Pages that teach: their files, programs and commands run as they stand, in the order of the page."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
PAGES = sorted(
    [DOCS / "index.md", DOCS / "get-started.md", *(DOCS / "tutorials").glob("*.md")],
)
BLOCK = re.compile(r"^```(\w+)([^\n]*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
TITLE = re.compile(r'title="([^"]+)"')


def blocks(page: Path) -> list[tuple[str, str, str]]:
    """Return language, remarks and text of each block of code."""
    return BLOCK.findall(page.read_text(encoding="utf-8"))


def run(command: list[str], folder: Path) -> None:
    """Run a command, which must end well."""
    scripts = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    done = subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, "PATH": scripts},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, f"{shlex.join(command)}\n{done.stdout}\n{done.stderr}"


def test_there_are_pages_that_teach() -> None:
    """Otherwise the next test would check little."""
    assert len(PAGES) >= 5
    assert sum(len(blocks(page)) for page in PAGES) > 15


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_what_a_page_shows_works(page: Path, tmp_path: Path) -> None:
    """Blocks with a title are files, the others are run, but those of the shell that open windows."""
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    for language, remarks, text in blocks(page):
        title = TITLE.search(remarks)
        if title:
            file = tmp_path / title[1]
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        elif language == "python":
            run([sys.executable, "-c", text], tmp_path)
        elif language == "sh" and "no-run" not in remarks:
            for line in text.strip().splitlines():
                words = shlex.split(line, comments=True)
                if words[0] == "solidbody":
                    words[:1] = [sys.executable, "-m", "solidbody"]
                elif words[0] == "python":
                    words[0] = sys.executable
                run(words, tmp_path)
        else:
            assert language == "sh", f"nobody tries this block of {language}"


@pytest.mark.parametrize(
    "page", [*PAGES, *DOCS.glob("coming-from-*.md"), DOCS / "faq.md"], ids=lambda page: page.stem
)
def test_links_lead_to_pages_and_sections(page: Path) -> None:
    """Files that are there, and headings that they have."""
    for target in re.findall(r"\]\((?!https?:)([^)]+)\)", page.read_text(encoding="utf-8")):
        path, _, section = target.partition("#")
        file = (page.parent / path).resolve() if path else page
        assert file.exists(), target
        if section:
            heads = re.findall(r"^#+ (.+)$", file.read_text(encoding="utf-8"), re.MULTILINE)
            assert section in {re.sub(r"[^\w-]", "", h.lower().replace(" ", "-")) for h in heads}
