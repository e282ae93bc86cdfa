"""Public body files, where they are at hand: what Choreonoid's own loader counts, and no exceptions."""

from __future__ import annotations

from pathlib import Path

import mujoco
import pytest

from solidbody.base.diagnostics import Severity
from solidbody.compiler import compile_scene
from solidbody.compiler.mjcf import mjcf_text
from solidbody.formats.loading import read_scene

CORPUS = Path(__file__).parents[4] / "shared" / "corpus" / "choreonoid"
MODELS = CORPUS / "choreonoid+choreonoid" / "share" / "model"

pytestmark = pytest.mark.skipif(not CORPUS.is_dir(), reason="no corpus beside the repository")

COUNTS = {
    "SR1/SR1.body": (30, 29, 7, 0, 130.8),
    "SR1/SR1-floor-box.body": (32, 29, 7, 0, 132.0),
    "misc/ClosedLinkSample.body": (4, 3, 0, 1, 27.3),
    "misc/crawler.body": (3, 2, 0, 0, 12.0),
    "misc/conveyor.body": (2, 1, 0, 0, 30.0),
    "JACO2/JACO2.body": (13, 9, 1, 0, 4.0),
    "misc/ragdoll.body": (23, 0, 0, 0, 69.9),
}
"""Links, joints with a number, devices, extra joints, mass [kg, one decimal], as Choreonoid loads them."""

MISSING = frozenset({"missing-file", "missing-mesh"})
"""What the copy of the corpus lacks, not the files."""

HARMLESS = frozenset({"wrong-value", "wrong-size", "unknown-link", "no-links", "broken-mesh"})
"""Errors in details, after which the body is still there; without its files one has no links at all."""


@pytest.mark.slow
@pytest.mark.parametrize("name", COUNTS)
def test_counts_are_those_of_the_original(name: str) -> None:
    scene, log = read_scene(MODELS / name)
    assert scene is not None and not log.has_errors
    (body,) = scene.bodies
    links, joints, devices, loops, mass = COUNTS[name]
    assert len(body.links) == links
    assert sum(link.joint_number is not None for link in body.links) == joints
    assert sum(len(link.devices) for link in body.links) == devices
    assert len(body.loops) == loops
    assert sum(link.mass.mass for link in body.links if link.mass) == pytest.approx(mass, abs=0.05)


@pytest.mark.slow
def test_every_public_body_is_read() -> None:
    """Each gives a scene, but for those whose only parts are files that are not there."""
    paths = sorted(CORPUS.rglob("*.body"))
    assert paths
    without: list[Path] = []
    for path in paths:
        scene, log = read_scene(path)
        codes = {item.code for item in log if item.severity is Severity.ERROR}
        assert codes <= MISSING | HARMLESS, (path, codes)
        if scene is None:
            assert "missing-file" in codes, path
            without.append(path)
    assert len(without) <= 0.02 * len(paths), without


def test_the_crawler_keeps_its_impossible_inertia_and_its_mjcf_loads() -> None:
    """It breaks the triangle inequality, which MuJoCo refuses."""
    scene, _ = read_scene(MODELS / "misc/crawler.body")
    assert scene is not None
    moments = [sorted(link.mass.inertia[:3]) for link in scene.links() if link.mass]
    assert any(a + b < c for a, b, c in moments)
    text = mjcf_text(compile_scene(scene, for_export=True))
    assert mujoco.MjModel.from_xml_string(text).nbody == 4  # with the world
