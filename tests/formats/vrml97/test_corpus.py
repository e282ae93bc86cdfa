"""Public VRML97 files, where they are at hand."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.formats.choreonoid.body.resources import Resources
from solidbody.formats.link_trees.uris import BodyFiles
from solidbody.formats.options import DEFAULT_OPTIONS

CORPUS = Path(__file__).parents[4] / "shared" / "corpus" / "choreonoid"
LONGEST = 10.0
"""Seconds for one file; the slowest takes 0.3."""


@pytest.mark.skipif(not CORPUS.is_dir(), reason="no corpus beside the repository")
def test_every_public_file_is_read_without_a_word() -> None:
    """All have parts, and their numbers can be used."""
    files = sorted(CORPUS.rglob("*.wrl"))
    assert len(files) >= 25
    for path in files:
        log = DiagnosticLog()
        start = time.process_time()
        tree = Resources(BodyFiles(str(path), DEFAULT_OPTIONS), log).tree(path)
        assert tree is not None, path
        parts = list(tree.placed_parts())
        assert parts and all(place.is_finite for _, place, _ in parts), path
        assert [str(item) for item in log] == []
        assert time.process_time() - start < LONGEST, path
