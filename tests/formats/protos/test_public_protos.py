"""PROTOs of public projects, where they are at hand."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.formats.options import DEFAULT_OPTIONS
from solidbody.formats.vrml.parser import parse_text
from solidbody.formats.vrml.proto import read_proto
from solidbody.formats.webots.protos.library import expand_world
from solidbody.formats.webots.releases.release import NEWEST, parse_release

CORPUS = Path(__file__).parents[4] / "shared" / "corpus" / "webots"
pytestmark = pytest.mark.skipif(not CORPUS.is_dir(), reason="no corpus beside the repository")

MISSING_OR_BROKEN = {
    "missing-proto",
    "own-proto",
    "hidden-of-original",
    "template-message",
    "undeclared-proto",
    "bad-link",
    "bad-parameter",
    "bad-proto",
    "bad-value",
    "missing-bracket",
    "proto-name",
    "recursive-proto",
    "unconnected-field",
    "unexpected-token",
    "unknown-field",
    "hidden-mismatch",
    "repeated-proto",
    "wrong-node",
}
"""What expansion may say about these worlds; most of the broken ones are Webots' own parser tests."""


@pytest.mark.slow
def test_instances_expand_wherever_their_protos_are() -> None:
    instances = worlds = 0
    # every third one: SOLIDBODY_EVERY_WORLD=1 asks for all of them
    every = 1 if os.environ.get("SOLIDBODY_EVERY_WORLD") else 3
    for path in sorted(CORPUS.rglob("*.wbt"))[::every]:
        log = DiagnosticLog()
        tree = parse_text(path.read_text("utf-8"), str(path), log)
        assert tree is not None, path
        before = len(log)
        release = parse_release(tree.header) or NEWEST
        expanded = expand_world(tree, str(path), release, DEFAULT_OPTIONS, log)
        instances += expanded.instances
        worlds += expanded.instances > 0
        strange = [str(item) for item in log.items[before:] if item.code not in MISSING_OR_BROKEN]
        assert strange == []
    assert (instances, worlds) >= (99 // every, 57 // every)


def test_every_proto_file_gives_a_definition_or_says_why_not() -> None:
    found = 0
    for path in sorted(CORPUS.rglob("*.proto")):
        log = DiagnosticLog()
        definition = read_proto(path.read_text("utf-8"), str(path), path.stem, log)
        assert definition is not None or log.has_errors, path
        found += definition is not None
    assert found >= 170
