"""What a notebook shows of a simulation: the page in a frame, live while the kernel steps the simulation.

A browser reaches the server of the page where the kernel runs on its own machine. Where it does not (a kernel
elsewhere, a notebook that was exported), the frame shows a replay of one moment instead, which needs no
server. In Colab, where it never does, it is shown at once.
"""

from __future__ import annotations

import os
import sys
from collections import OrderedDict
from typing import TYPE_CHECKING, Final

from solidbody.viewer.notebook_frames import page_frame, replay_of_now
from solidbody.viewer.page_files import PageMissingError
from solidbody.viewer.passive_view import PassiveView, view

if TYPE_CHECKING:
    from solidbody.sim import Sim

CHOICE: Final = "SOLIDBODY_NOTEBOOK"
"""Environment variable: live, or replay; without it Colab gets replays."""

MOST_VIEWS: Final = 8
"""Views that stay open; those shown longest ago are closed."""

_shown: OrderedDict[int, ShownSim] = OrderedDict()


class ShownSim:
    """A step hook that keeps a view of a notebook up to date, so that nobody has to call `sync`."""

    def __init__(self, sim: Sim) -> None:
        self.sim = sim
        self.view: PassiveView = view(sim, open_browser=False)
        sim.attach(self)

    def before_steps(self) -> None:
        """Nothing to do before the steps."""

    def steps_until_due(self) -> int:
        """As often as a frame is shown."""
        return max(1, round(1.0 / 60.0 / self.sim.time_step))

    def after_steps(self) -> None:
        """Show where everything is, and do what users of the page want."""
        self.view.sync()

    def reset(self) -> None:
        """Show the start."""
        self.view.sync(wait=False)

    def close(self) -> None:
        """Show it no more."""
        self.sim.detach(self)
        self.view.close()


def sim_html(sim: Sim) -> str:
    """Return a frame with the live page; with a replay of now where no browser reaches this machine."""
    try:
        if _wants_replay():
            return page_frame(replay_of_now(sim))
        return _live(sim).view.frame_html()
    except PageMissingError as error:
        return f"<code>{sim!r}</code>: {error}"


def _wants_replay() -> bool:
    choice = os.environ.get(CHOICE, "")
    if choice not in ("", "live", "replay"):
        raise ValueError(f'{CHOICE} must be "live" or "replay", got "{choice}"')
    return choice == "replay" if choice else "google.colab" in sys.modules


def _live(sim: Sim) -> ShownSim:
    found = _shown.get(id(sim))
    if found is None or found.sim is not sim or not found.view.is_running():
        found = ShownSim(sim)
        _shown[id(sim)] = found
        while len(_shown) > MOST_VIEWS:
            _shown.popitem(last=False)[1].close()
    _shown.move_to_end(id(sim))
    found.view.sync(wait=False)
    return found
