"""Frames with the page, for cells of notebooks: live, with a replay of one moment, or with a recording.

A notebook outlives its kernel, is exported, and is opened on other machines: a live frame that its browser
cannot reach shows the replay that it carries along.
"""

from __future__ import annotations

import base64
import gzip
import html
import json
import secrets
from typing import TYPE_CHECKING, Final

from solidbody.viewer.flexible import belts_of
from solidbody.viewer.page_files import load_page
from solidbody.viewer.replay_file import replay_html
from solidbody.viewer.scene_encoding import encode_scene

if TYPE_CHECKING:
    from solidbody.sim import Sim

FRAME_HEIGHT: Final = 480
"""[pixels] Of a page within a notebook."""

MOST_CARRIED: Final = 4 * 2**20
"""[bytes] Of a packed replay behind a live frame; scenes with more have none."""

SANDBOX: Final = "allow-scripts allow-downloads"
"""What a page in a frame without a server may do."""

_FALL_BACK: Final = """(() => {
const packed = %(data)s, sandbox = %(sandbox)s, longest = %(long)d;
const unpack = async () => {
  const bytes = Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).text();
};
const watch = (frame) => {
  let asked = 0, patience = longest;
  frame.addEventListener("load", () => { patience = Math.min(patience, asked + %(short)d); });
  const stop = () => { clearInterval(timer); removeEventListener("message", hear); };
  const hear = (event) => {
    if (event.source === frame.contentWindow && event.data === "solidbody!") stop();
  };
  addEventListener("message", hear);
  const timer = setInterval(async () => {
    frame.contentWindow?.postMessage("solidbody?", "*");
    if (++asked < patience) return;
    stop();
    const page = await unpack();
    frame.removeAttribute("src");
    frame.setAttribute("sandbox", sandbox);
    frame.srcdoc = page;
  }, %(period)d);
};
// JupyterLab runs scripts before it puts the cell's output on the page
let looked = 0;
const begin = () => {
  const frames = document.querySelectorAll('iframe[data-solidbody="%(mark)s"]');
  frames.forEach(watch);
  if (frames.length === 0 && ++looked < longest) setTimeout(begin, %(period)d);
};
begin();
})();"""
"""Asks the page whether it is there (`web/src/embedding.ts`); shows the replay where nobody answers."""

ASKING_PERIOD: Final = 200
"""[ms] Between questions."""

ANSWERS_AFTER_LOAD: Final = 10
"""Questions that a loaded frame may leave unanswered: what is not there loads a page of the browser's."""

ANSWERS_AT_ALL: Final = 100
"""Questions in all: 20 seconds for a page that comes slowly."""


def page_frame(page: str, height: int = FRAME_HEIGHT) -> str:
    """Return a frame that holds a whole page, for a notebook that no server is behind."""
    return (
        f'<iframe srcdoc="{html.escape(page)}" width="100%" height="{height}" style="border:0"'
        f' sandbox="{SANDBOX}" title="solidbody"></iframe>'
    )


def live_frame(url: str, sim: Sim) -> str:
    """Return a frame with the live page of a simulation, and what it shows where that is not reached."""
    mark = secrets.token_hex(8)
    frame = (
        f'<iframe src="{url}" width="100%" height="{FRAME_HEIGHT}" style="border:0"'
        f' allow="fullscreen" title="solidbody" data-solidbody="{mark}"></iframe>'
    )
    packed = gzip.compress(replay_of_now(sim).encode(), compresslevel=6, mtime=0)
    if len(packed) > MOST_CARRIED:
        return frame
    script = _FALL_BACK % {
        "data": json.dumps(base64.b64encode(packed).decode()),
        "sandbox": json.dumps(SANDBOX),
        "mark": mark,
        "long": ANSWERS_AT_ALL,
        "short": ANSWERS_AFTER_LOAD,
        "period": ASKING_PERIOD,
    }
    return f"{frame}<script>{script}</script>"


def replay_of_now(sim: Sim) -> str:
    """Return a page that shows the present moment."""
    scene = encode_scene(sim.scene, sim.poses(), sim.moving, time_step=sim.time_step)
    belts = [sim.axis_row(belt.link, 0) for belt in belts_of(list(sim.scene.links()))]
    frame = (sim.poses()[sim.moving].ravel(), sim.joint_states()[belts, 0])
    data = b"".join(numbers.astype("<f4").tobytes() for numbers in frame)
    return replay_html(load_page(), scene, [round(sim.time, 6)], gzip.compress(data, mtime=0))
