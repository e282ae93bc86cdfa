"""The type of callbacks by which long work reports its progress."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[str, int, int], None]
"""Called with (what is done, pieces finished, pieces in all), before each piece and at the end."""
