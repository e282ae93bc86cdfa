"""Public worlds, where they are at hand: each scene can be simulated, or the compiler says why not."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from solidbody import Sim
from solidbody.base.errors import CompileError
from solidbody.formats.loading import read_scene
from solidbody.model.summary import summarize_scene

CORPUS = Path(__file__).parents[4] / "shared" / "corpus"
STEPS = 3


@pytest.mark.slow
@pytest.mark.skipif(not CORPUS.is_dir(), reason="no corpus beside the repository")
def test_every_public_world_runs_three_steps_or_says_why_not() -> None:
    # every second one: all of them take minutes, and SOLIDBODY_EVERY_WORLD=1 asks for them
    every = 1 if os.environ.get("SOLIDBODY_EVERY_WORLD") else 2
    for path in sorted(CORPUS.rglob("*.wbt"))[::every]:
        scene, _ = read_scene(path)
        assert scene is not None, path
        summarize_scene(scene)
        try:
            # cutting hollow meshes takes minutes the first time and has tests of its own
            sim = Sim(scene, cut_meshes=False)
        except CompileError:
            continue
        for _ in range(STEPS):
            sim.step()
