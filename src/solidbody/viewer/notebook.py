"""What a notebook shows of a simulation: the page in a frame, live while the kernel steps the simulation.

A browser reaches the server of the page where the kernel runs on its own machine. Where it does not (Colab, a
notebook that was exported), the frame holds a replay of one moment instead, which needs no server.
"""

from __future__ import annotations

import os
import sys
import zlib
from collections import OrderedDict
from typing import TYPE_CHECKING, Final

from solidbody.viewer.page_files import PageMissingError, load_page
from solidbody.viewer.passive_view import PassiveView, view
from solidbody.viewer.recordings import page_frame
from solidbody.viewer.replay_file import replay_html
from solidbody.viewer.scene_encoding import encode_scene

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
            return page_frame(_replay_of_now(sim))
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


def _replay_of_now(sim: Sim) -> str:
    scene = encode_scene(sim.scene, sim.poses(), sim.moving, time_step=sim.time_step)
    packer = zlib.compressobj(wbits=16 + zlib.MAX_WBITS)
    poses = packer.compress(sim.poses()[sim.moving].astype("<f4").tobytes()) + packer.flush()
    return replay_html(load_page(), scene, [round(sim.time, 6)], poses)
