"""Public worlds, where they are at hand: each is read and compiled once, and all that is asked of it follows.

Converting and saving read a second time what they have written.
"""

from __future__ import annotations

import functools
import os
import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

import solidbody.compiler
import solidbody.formats.loading
from solidbody import Sim
from solidbody.base.diagnostics import DiagnosticLog
from solidbody.cli.check_folder import FileReport, Outcome, check_world, worlds_in
from solidbody.compiler import Compiled
from solidbody.formats.loading import read_scene_text
from solidbody.formats.options import DEFAULT_OPTIONS
from solidbody.formats.webots.edit.document import load_world
from solidbody.formats.webots.protos.standin_protos import find_own, own_names
from solidbody.formats.webots.releases.release import FIRST_POSE, NEWEST, parse_release
from solidbody.model.scene import Scene
from solidbody.model.summary import summarize_scene
from solidbody.sim import simulation
from tests.formats.old_releases.test_convert import poses
from tests.formats.writing.test_worlds import comparable

CORPUS = Path(__file__).parents[3] / "shared" / "corpus" / "webots"
WORLDS = worlds_in([str(CORPUS)]) if CORPUS.is_dir() else []

LONGEST = 60.0
"""[s] For one world, on a busy machine; the slowest takes 1 on an idle one."""

STEPS = 3

FILES = [path for path in WORLDS if path.endswith(".wbt")]

SAVED = set(FILES if os.environ.get("SOLIDBODY_EVERY_WORLD") else FILES[::3])
"""Worlds that are saved and read again: every third one; all of them would take minutes."""

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not CORPUS.is_dir(), reason="no corpus beside the repository"),
]


@dataclass(frozen=True)
class Public:
    """A world, what `check` says of it, and what it has made on the way."""

    path: str
    report: FileReport
    scene: Scene
    compiled: Compiled | None


@pytest.fixture(scope="module", params=WORLDS, ids=lambda path: Path(path).name)
def public(request: pytest.FixtureRequest) -> Public:
    """Check a world; pytest asks all there is to ask of it before the next one."""
    made: dict[str, Any] = {}

    def keep(module: Any, name: str) -> None:
        make = getattr(module, name)

        def made_by(*words: Any, **named: Any) -> Any:
            made[name] = make(*words, **named)
            return made[name]

        patch.setattr(module, name, made_by)

    with pytest.MonkeyPatch.context() as patch:
        keep(solidbody.formats.loading, "read_scene")
        keep(solidbody.compiler, "compile_scene")
        report = check_world(request.param, DEFAULT_OPTIONS)
    return Public(request.param, report, made["read_scene"][0], made.get("compile_scene"))


def test_it_does_not_make_us_fail(public: Public) -> None:
    report = public.report
    assert report.outcome is not Outcome.FAILED, report
    assert report.seconds < LONGEST
    for item in report.diagnostics:
        assert item.text and item.code, item
        assert item.span.file == report.path or item.span.file.endswith(".proto"), item
        # nothing is called unsupported without a reason
        assert not item.code.startswith("unsupported-") or ":" in item.text, item


def test_it_runs_three_steps_or_the_compiler_says_why_not(
    public: Public, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert public.scene is not None
    summarize_scene(public.scene)
    if public.compiled is None:
        assert any(item.code == "not-simulable" for item in public.report.diagnostics)
        return
    monkeypatch.setattr(simulation, "compile_scene", lambda *_, **__: public.compiled)
    sim = Sim(public.scene)
    for _ in range(STEPS):
        sim.step()
    assert sim.step_count == STEPS


@functools.cache
def changing_protos() -> re.Pattern[str]:
    """Return what finds instances of stand-ins that follow the release."""
    owns = (find_own(name) for name in own_names())
    names = [own.name for own in owns if own is not None and "world_release" in own.text]
    return re.compile(rf"(?<![\w-])({'|'.join(map(re.escape, names))})\s*\{{")


def test_an_old_one_is_the_same_after_conversion(public: Public) -> None:
    """Nothing may change but the directions of friction on boxes, and stand-ins that follow the release."""
    if public.path not in FILES or (world := load_world(public.path)).release >= FIRST_POSE:
        return
    text = world.modern_text(DiagnosticLog())
    new, _ = read_scene_text(text, public.path)
    assert new is not None
    old = public.scene
    assert replace(new.physics, random_seed=0) == replace(old.physics, random_seed=0)
    assert len(new.bodies) == len(old.bodies)
    if not changing_protos().search(text):
        assert poses(new) == poses(old)


def test_most_old_ones_have_no_changing_standins() -> None:
    """Otherwise the last test would compare little."""
    texts = [Path(path).read_text("utf-8") for path in FILES]
    old = [text for text in texts if (parse_release(text.split()[1]) or NEWEST) < FIRST_POSE]
    assert sum(not changing_protos().search(text) for text in old) > 100


def test_it_is_the_same_after_saving(public: Public) -> None:
    if public.path not in SAVED:
        return
    text = load_world(public.path).text()
    again, _ = read_scene_text(text, public.path)
    assert again is not None
    assert comparable(again) == comparable(public.scene)
