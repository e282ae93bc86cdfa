"""Public projects: each gives a scene, and what is missing is named with the way to provide it."""

from __future__ import annotations

from pathlib import Path

import pytest

from solidbody.base.diagnostics import Severity
from solidbody.formats.loading import read_scene
from solidbody.formats.options import LoadOptions

CORPUS = Path(__file__).parents[4] / "shared" / "corpus" / "choreonoid"
SHARE = CORPUS / "choreonoid+choreonoid" / "share"
PROJECTS = sorted(CORPUS.glob("**/*.cnoid"))

SHARE_OF_ALL = 6
"""Every sixth is enough for each run: all 134 take 20 s."""

ABSENT = {"missing-file", "missing-mesh", "no-links", "no-body"}
"""Errors that only say that a file was left out of the corpus, or that nothing was left without it."""

OF_BODIES = {"wrong-value", "unknown-extension"}
"""Errors of body files of other people, and bodies of other formats."""

pytestmark = pytest.mark.skipif(not PROJECTS, reason="the corpus is not here")


@pytest.mark.slow
def test_public_projects_become_scenes() -> None:
    """No project is refused; its errors are all about files that are not here, or slips in bodies."""
    with_bodies = 0
    codes: set[str] = set()
    for path in PROJECTS[::SHARE_OF_ALL]:
        scene, log = read_scene(path, options=LoadOptions(share=SHARE))
        assert scene is not None, path
        with_bodies += bool(scene.bodies)
        names = [link.name for link in scene.links()]
        assert len(set(names)) == len(names), path
        codes |= {item.code for item in log if item.severity is Severity.ERROR}
    assert codes <= ABSENT | OF_BODIES
    assert with_bodies > len(PROJECTS) // SHARE_OF_ALL // 2


@pytest.mark.parametrize(
    ("name", "bodies"),
    [("SampleCrawler", 2), ("SampleCrawlerSlope", 2), ("SR1LiftupOneModel", 1)],
)
def test_complete_projects_load_without_error(name: str, bodies: int) -> None:
    """Those whose files are all here."""
    path = next(path for path in PROJECTS if path.stem == name)
    scene, log = read_scene(path, options=LoadOptions(share=SHARE))
    assert scene is not None
    assert not log.has_errors, [str(item) for item in log]
    assert len(scene.bodies) == bodies
