from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from tests.rl.pushing import WORLD, Pushed


@pytest.fixture
def pushed(tmp_path: Path) -> Callable[[], Pushed]:
    """What makes a task: a ball that is pushed along x."""
    world = tmp_path / "pushed.wbt"
    world.write_text(WORLD, encoding="utf-8")
    return partial(Pushed, world)
