"""Writes a replay: a single HTML file with the page and a recorded run, which needs no server.

The page's own export (`web/src/recorder.ts`) makes the same of what a tab has seen.
"""

from __future__ import annotations

import base64
import json
import re
import time
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from solidbody.base.output_files import DraftedFile
from solidbody.record.base import Recorder
from solidbody.viewer.flexible import belts_of
from solidbody.viewer.page_files import PageFile, load_page
from solidbody.viewer.protocol_scene import WireScene
from solidbody.viewer.scene_encoding import encode_scene, to_json

if TYPE_CHECKING:
    from solidbody.sim import Sim

PERIOD: Final = 1.0 / 30.0
"""[s] Simulated time between frames, if not asked for otherwise: replays interpolate between them."""

POLICY: Final = (
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:"
)
"""The page runs its own script, and reaches nothing outside."""

_GZIP: Final = 16 + zlib.MAX_WBITS
_STYLE = re.compile(r'<link rel="stylesheet"[^>]*href="([^"]+)"[^>]*>')
_SCRIPT = re.compile(r'<script[^>]*src="([^"]+)"[^>]*></script>')
_OUTSIDE = re.compile(r"<(?:link|img)\b[^>]*>")
_END = re.compile(r"</body>\s*</html>\s*$")


class ReplayRecorder(Recorder):
    """Keeps the motion of a run and writes the page: when it is closed, and drafts of it on the way.

    Args:
        sim: The simulation.
        path: The page.
        period: Time between frames [s]; None = 1/30.

    Raises:
        PageMissingError: Our own page was not built.
        OSError: The file cannot be written.
    """

    def __init__(self, sim: Sim, path: Path, period: float | None = None) -> None:
        super().__init__(sim, path, PERIOD if period is None else period)
        self._files = load_page()
        self._file = DraftedFile(path)
        self._start()

    def _start(self) -> None:
        sim = self.sim
        self._wire = encode_scene(sim.scene, sim.poses(), sim.moving, time_step=sim.time_step)
        self._layout = self._find()
        self._times: list[float] = []
        self._packer = zlib.compressobj(wbits=_GZIP)
        self._packed: list[bytes] = []

    def _find(self) -> list[object]:
        """Find the rows of what moves; return what must stay the same for frames to go on."""
        sim, links = self.sim, list(self.sim.scene.links())
        belts = [belt.link for belt in belts_of(links)]
        self._belts = [sim.axis_row(link, 0) for link in belts]
        self._moving = sim.moving
        return [[link.path for link in links], sim.moving.tolist(), belts]

    def scene_changed(self) -> None:
        """Begin anew if other things move: a replay shows one scene, with the looks of its start."""
        if self._find() != self._layout:
            self._start()

    def reset(self) -> None:
        """Begin anew."""
        super().reset()
        self._start()

    def write(self) -> None:
        """Keep where everything is now."""
        self._times.append(round(self.sim.time, 6))
        poses = self.sim.poses()[self._moving].astype("<f4").tobytes()
        travels = self.sim.joint_states()[self._belts, 0].astype("<f4").tobytes()
        self._packed.append(self._packer.compress(poses + travels))
        if self._file.is_due:
            started = time.monotonic()
            self._file.draft(self._page(), started)

    def _page(self) -> bytes:
        """Return the page of the run so far, which can go on."""
        poses = b"".join((*self._packed, self._packer.copy().flush()))
        return replay_html(self._files, self._wire, self._times, poses).encode("utf-8")

    def finish(self) -> None:
        """Write the page."""
        self._file.finish(self._page())

    def abandon(self) -> None:
        """Keep the last draft."""


def replay_html(
    files: dict[str, PageFile], scene: WireScene, times: list[float], poses: bytes
) -> str:
    """Return a page that replays a run.

    Args:
        files: Our own page.
        scene: What is shown.
        times: Of the frames [s].
        poses: Poses and travels of all frames as float32, compressed with gzip.
    """

    def content(url: str) -> str:
        return files[url.removeprefix(".")].content.decode()

    page = content("/")
    css = "".join(content(url) for url in _STYLE.findall(page))
    code = "\n".join(content(url) for url in _SCRIPT.findall(page))
    shell = _END.sub("", _OUTSIDE.sub("", _SCRIPT.sub("", page)))
    head = (
        f'<head><meta http-equiv="Content-Security-Policy" content="{POLICY}"><style>{css}</style>'
    )
    data: dict[str, Any] = {
        "scene": json.loads(to_json(scene)),
        "times": times,
        "poses": base64.b64encode(poses).decode(),
        "sounds": base64.b64encode(zlib.compress(b"[]", wbits=_GZIP)).decode(),
        "clips": {},
    }
    # nothing in the data or the code may end its element
    text = json.dumps(data, separators=(",", ":")).replace("<", "\\u003c")
    script = re.sub("</(script)", r"<\\/\1", code, flags=re.IGNORECASE).replace("<!--", "<\\!--")
    return (
        f"{shell.replace('<head>', head, 1)}\n"
        f'<script type="application/json" id="replay">{text}</script>\n'
        f'<script type="module">{script}</script>\n</body></html>\n'
    )
