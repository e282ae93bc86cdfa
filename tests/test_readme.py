"""The README's Python snippets run as they stand, from the repository root."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
TEXT = (ROOT / "README.md").read_text(encoding="utf-8")
SNIPPETS = re.findall(r"```python\n(.*?)```", TEXT, flags=re.DOTALL)


def test_readme_has_snippets() -> None:
    """Otherwise the next test would check nothing."""
    assert SNIPPETS


@pytest.mark.slow
@pytest.mark.parametrize("snippet", SNIPPETS, ids=range(len(SNIPPETS)))
def test_readme_snippet_runs(snippet: str) -> None:
    """In a fresh interpreter; a snippet that defines tests has them called."""
    calls = "\n".join(
        f"{name}()" for name in re.findall(r"^def (test_\w+)\(\)", snippet, flags=re.M)
    )
    run = subprocess.run(
        [sys.executable, "-c", f"{snippet}\n{calls}\n"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert run.returncode == 0, run.stderr


def test_readme_links_lead_somewhere() -> None:
    """Files that the README points to exist."""
    targets = re.findall(r"\]\((?!http)([^)#]+)", TEXT)
    assert targets
    missing = [target for target in targets if not (ROOT / target).exists()]
    assert not missing
