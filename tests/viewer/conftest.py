"""An editor on a world with an arm, for tests of editing."""

from __future__ import annotations

from pathlib import Path

import pytest

import solidbody as sb
from solidbody.viewer.world_editor import WorldEditor, open_editor
from tests.browser.robots import arm_world


@pytest.fixture
def editor(tmp_path: Path) -> WorldEditor:
    world = tmp_path / "arm.wbt"
    world.write_text(arm_world(), encoding="utf-8")
    found = open_editor(sb.Sim(sb.load(str(world))))
    assert found is not None
    return found
