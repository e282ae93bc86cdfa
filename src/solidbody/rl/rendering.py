"""What `render_mode` means: pictures for programs, a page for people."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from solidbody.rl.pictures import Photographer

RENDER_MODES: Final = ("human", "rgb_array")

MOST_PIXELS: Final = 4096 * 4096


def check_render_mode(mode: str | None) -> None:
    """Raise ValueError for modes that there are not."""
    if mode is None or mode in RENDER_MODES:
        return
    close = difflib.get_close_matches(str(mode), RENDER_MODES, 1)
    hint = f'; did you mean "{close[0]}"?' if close else ""
    raise ValueError(f'render_mode "{mode}" is none of {", ".join(RENDER_MODES)}{hint}')


class Rendering:
    """Pictures and the page of an environment, made when they are first asked for.

    Args:
        hire: Makes what takes the pictures.
        period: Simulated time between actions [s].
        mode: The render mode.
        size: Width and height of pictures [pixels].
    """

    def __init__(
        self,
        hire: Callable[[], Photographer],
        period: float,
        mode: str | None,
        size: tuple[int, int],
    ) -> None:
        if min(size) < 2 or size[0] * size[1] > MOST_PIXELS:
            raise ValueError(f"pictures of {size[0]}x{size[1]} pixels cannot be made")
        self._hire, self._period, self._mode = hire, period, mode
        self._photographer: Photographer | None = None
        self._window: Any = None

    def follow(self) -> None:
        """An episode has moved on: the page shows it."""
        if self._mode != "human":
            return
        if self._window is None:
            from solidbody.rl.window import Window

            self._window = Window(self._taker().double, self._period)
        self._taker().pose(0)
        self._window.show()

    def picture(self, copy: int) -> NDArray[np.uint8] | None:
        """Return a picture of a copy, None if nobody asked for pictures."""
        if self._mode is None:
            raise ValueError(
                'nothing is rendered: make the environment with render_mode="rgb_array" or "human"'
            )
        return self._taker().picture(copy) if self._mode == "rgb_array" else None

    def _taker(self) -> Photographer:
        if self._photographer is None:
            self._photographer = self._hire()
        return self._photographer

    def close(self) -> None:
        """Close the page."""
        if self._window is not None:
            self._window.close()
            self._window = None
