"""Hides shapes from single cameras."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from solidbody.render.ray_engine import RayEngine


@contextmanager
def hidden(rays: RayEngine, shapes: Collection[tuple[int, int]]) -> Iterator[None]:
    """Let all rays pass through some shapes while the block runs; they throw no shadows either.

    Args:
        rays: What follows the rays.
        shapes: (row of the link, number of the shape in it) of each.
    """
    if not shapes:
        yield
        return
    overlay = rays.overlay
    rays.overlay = tuple(item for item in overlay if item.key not in shapes)
    flags = rays.shapes.flags
    before = flags.numpy().copy()
    now = before.copy()
    now[[k for k, row in enumerate(rays.rows) if (row.link, row.shape) in shapes]] = 0
    flags.assign(now)
    try:
        yield
    finally:
        flags.assign(before)
        rays.overlay = overlay
