"""Serves a running simulation to browsers."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
import webbrowser
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from types import FrameType

import uvicorn

from solidbody.base.diagnostics import Diagnostic
from solidbody.formats.options import DEFAULT_OPTIONS, LoadOptions
from solidbody.sim import Sim
from solidbody.viewer.address import (
    LOOPBACK,
    WARNING,
    allowed_names,
    is_loopback,
)
from solidbody.viewer.application import Application
from solidbody.viewer.body_editor import open_body_editor
from solidbody.viewer.connections import BoundedProtocol
from solidbody.viewer.folder_files import FileFolder, project_folder
from solidbody.viewer.page_files import load_page
from solidbody.viewer.panel_commands import PanelCommands
from solidbody.viewer.player import Player
from solidbody.viewer.protocol import CommandPlay, PlayState
from solidbody.viewer.protocol_scene import WireScene
from solidbody.viewer.protocol_work import WireOutline
from solidbody.viewer.reloading import Reread, reread_file
from solidbody.viewer.scene_encoding import encode_scene
from solidbody.viewer.session import PageSession
from solidbody.viewer.shelf import Shelf
from solidbody.viewer.simulation import Simulation
from solidbody.viewer.world_editor import open_editor
from solidbody.viewer.world_store import WorldStore

SHUTDOWN_TIMEOUT = 2
"""How long open tabs may take to say goodbye [s]."""


def serve(
    sim: Simulation,
    *,
    port: int = 8080,
    host: str = LOOPBACK,
    speed: float = 1.0,
    paused: bool = False,
    open_browser: bool = False,
    duration: float | None = None,
    announce: Callable[[str], None] | None = None,
    messages: Iterable[Diagnostic] = (),
    options: LoadOptions = DEFAULT_OPTIONS,
    reread: Reread | None = None,
    session: PageSession | None = None,
) -> int:
    """Run `sim` and show it in the browser until Ctrl-C, a termination signal or `duration`.

    Without a `duration` the simulation waits for the first tab that shows it, so that nobody misses
    the beginning.

    Args:
        sim: The simulation; it belongs to the player until this function returns.
        port: Wanted TCP port; 0, or a port that is taken, gives a free one.
        host: Address of this machine to serve at; others than the loopback let other machines in.
        speed: Factor of real time; infinite = as fast as possible.
        paused: Whether to wait for the user to press play.
        open_browser: Whether to open a browser, where there is a display.
        duration: Simulated time after which to end [s]; None = never.
        announce: Receives one line of text for the user at a time (the address, a failure);
            None writes them to the standard output.
        messages: What reading the file had to say, for the console of the page.
        options: How the file was read, for the editor of the page.
        reread: Reads what is on show again, for the page's reload; None = the scene's one file.
        session: The page's address and folder, if users may open other files: then this returns with
            `session.wanted` set, and whoever called shows that at the same address. `port` and `host` are
            those of the session; None = nothing else can be opened.

    Returns:
        The exit status: 0, or 1 if the simulation failed.

    Raises:
        PageMissingError: The page was not built.
        AddressError: The host is none of this machine.
    """
    say = _write_line if announce is None else announce
    page = load_page()
    own = session or PageSession(port=port, host=host)
    listener = own.listen()
    host, url, is_next = own.host, own.url, own.is_shown
    paused = paused or own.is_paused
    waits = duration is None and not paused
    panels = make_panels(sim, messages, options, reread, session=session, host=host)
    player = Player(sim, speed=speed, paused=paused or waits, stop_time=duration, attendant=panels)
    scene, outline = encode_all(sim, panels)

    def on_start() -> None:
        own.is_shown = True
        if is_next:
            say(f"{scene.title} is open")
            return
        if not is_loopback(host):
            say(WARNING.format(host=host))
        say(f"{scene.title}: {url} (Ctrl-C ends it)")
        if open_browser and has_display():
            threading.Thread(target=webbrowser.open, args=(url,), daemon=True).start()

    def on_ready() -> None:
        nonlocal waits
        if waits:
            waits = False
            player.send(CommandPlay())

    application = Application(
        player,
        scene,
        page,
        outline=outline,
        panels=panels,
        on_start=on_start,
        on_ready=on_ready,
        token=own.token,
        names=allowed_names(host),
    )
    server = make_server(application)

    def leave() -> None:  # in the player's thread: another file is shown next
        server.should_exit = True

    own.on_wanted = leave

    def on_frame() -> None:  # in the player's thread
        state = player.frame.state
        # without a duration a failed simulation stays on the page for the user to look at
        if state is PlayState.FINISHED or (state is PlayState.FAILED and duration is not None):
            server.should_exit = True

    player.subscribe(on_frame)
    with contextlib.closing(listener), _quiet_signals():
        player.start()
        try:
            server.run(sockets=[listener])
        finally:
            player.close()
            if session is None:
                own.close()
    if own.wanted is not None:
        return 0
    failure = player.frame.failure
    if failure:
        say(f"The simulation failed: {failure}")
    if player.quit_status is not None:
        return player.quit_status
    return 1 if failure else 0


def make_panels(
    sim: Simulation,
    messages: Iterable[Diagnostic] = (),
    options: LoadOptions = DEFAULT_OPTIONS,
    reread: Reread | None = None,
    *,
    holds_time: bool = True,
    session: PageSession | None = None,
    host: str = LOOPBACK,
) -> PanelCommands | None:
    """Return what serves the panels; None for a simulation that is not one of ours.

    Files are written and opened only where this machine alone reaches the page.
    """
    if not isinstance(sim, Sim):
        return None
    editor = open_editor(sim, options) or open_body_editor(sim, options)
    file, shelf = None, None
    if not is_loopback(host):
        file = WorldStore(sim, editor, writes=False)
    elif session is not None:
        folder = session.folder or FileFolder(project_folder(Path(sim.scene.source)))
        file = WorldStore(sim, editor, folder=folder, opens=True, is_start=session.is_start)
        shelf = Shelf(folder, lambda path, is_new: session.want(path, options, is_new=is_new))
    panels = PanelCommands(
        sim,
        editor=editor,
        file=file,
        shelf=shelf,
        reread=reread or reread_file(sim, options),
        holds_time=holds_time,
    )
    for item in messages:
        panels.report(item)
    return panels


def encode_all(
    sim: Simulation, panels: PanelCommands | None
) -> tuple[WireScene, WireOutline | None]:
    """Return what the page draws and what its panels list."""
    if panels is not None:
        return panels.encode()
    return encode_scene(sim.scene, sim.poses(), sim.moving, time_step=sim.time_step), None


def make_server(application: Application) -> uvicorn.Server:
    """Return a server for `application` that keeps silent and does not compress frames."""
    return uvicorn.Server(
        uvicorn.Config(
            application.asgi,
            http=BoundedProtocol,
            log_level="critical",
            access_log=False,
            server_header=False,
            # deflate would cost more than all the rest and gain little on this machine's own wire
            ws_per_message_deflate=False,
            ws_max_size=64 * 1024,
            timeout_graceful_shutdown=SHUTDOWN_TIMEOUT,
        )
    )


def has_display() -> bool:
    """Return whether a browser window could be seen by anyone."""
    if sys.platform in ("win32", "darwin"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


@contextlib.contextmanager
def _quiet_signals() -> Iterator[None]:
    """Let SIGINT and SIGTERM end the server and nothing else.

    uvicorn catches them, shuts down, and raises them again for whoever handled them before: here
    nobody, so the caller goes on to return an exit status.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def ignore(_: int, __: FrameType | None) -> None:
        pass

    before = {number: signal.signal(number, ignore) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _write_line(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()
