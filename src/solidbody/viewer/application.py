"""The web application of the page: its files, the scene, and the stream of frames."""

from __future__ import annotations

import asyncio
import gzip
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from typing import Final
from urllib.parse import quote

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from solidbody.viewer.folder_files import FolderError
from solidbody.viewer.guard import LOOPBACK_NAMES, LoopbackGuard
from solidbody.viewer.importing import IMPORT_BYTES_LIMIT
from solidbody.viewer.page_files import PageFile
from solidbody.viewer.panel_commands import PanelCommands
from solidbody.viewer.player import Player
from solidbody.viewer.protocol import (
    OUTLINE_PATH,
    PROTOCOL_VERSION,
    SCENE_PATH,
    STREAM_PATH,
    CommandReady,
    Event,
    EventFailure,
    EventHello,
    EventRefused,
    parse_command,
)
from solidbody.viewer.protocol_files import DROP_PATH, TEXT_PATH, THING_PATH, VERSION_HEADER
from solidbody.viewer.protocol_live import SOUNDS_PATH, CommandShow
from solidbody.viewer.protocol_photo import PHOTO_PATH
from solidbody.viewer.protocol_scene import WireScene
from solidbody.viewer.protocol_work import CommandWatch, WireOutline
from solidbody.viewer.robot_windows import WINDOWS_PATH, RobotWindows, policy
from solidbody.viewer.scene_delta import keys_of, without
from solidbody.viewer.scene_encoding import to_json
from solidbody.viewer.source_texts import TEXT_BYTES_LIMIT, TextChangedError

SIZE_HEADER: Final = "Solidbody-Size"
"""Tells the size of a file before compression, for whoever shows progress."""

REVISIONS_KEPT: Final = 8
"""Scenes that a page may have been shown last, to be told only what has changed since."""


class Application:
    """Shows one player to any number of browser tabs.

    Args:
        player: Where frames come from and commands go to.
        scene: What the page draws.
        page: Page files by URL path.
        outline: What the panels list; None = nothing.
        panels: Serves the panels; None = there is nothing to do.
        on_start: Called once the application can answer.
        on_ready: Called whenever a tab shows the scene.
        token: What the address must carry; None = whoever is on this machine may look.
        names: Names under which browsers may ask for the page; None = any.
    """

    def __init__(
        self,
        player: Player,
        scene: WireScene,
        page: Mapping[str, PageFile],
        *,
        outline: WireOutline | None = None,
        panels: PanelCommands | None = None,
        on_start: Callable[[], None] | None = None,
        on_ready: Callable[[], None] | None = None,
        token: str | None = None,
        names: frozenset[str] | None = LOOPBACK_NAMES,
    ) -> None:
        self._player = player
        self._page = page
        self._panels = panels
        self._known: dict[str, frozenset[str]] = {}
        self._files: dict[str, PageFile] = {}
        self._windows = RobotWindows(page)
        self.show(scene, outline)
        if panels is not None:
            panels.on_scene(self.show)
            player.subscribe_scene(panels.show_scene)
        self._on_start = on_start
        self._on_ready = on_ready
        self._tabs: set[asyncio.Event] = set()
        self._tab_count = 0
        self._things = asyncio.Lock()
        self.asgi = Starlette(
            routes=[
                Route(SCENE_PATH, self._send_scene, methods=["GET"]),
                Route(OUTLINE_PATH, self._send_outline, methods=["GET"]),
                Route(SOUNDS_PATH + "/{number:int}", self._send_sound, methods=["GET"]),
                Route(TEXT_PATH, self._send_text, methods=["GET"]),
                Route(TEXT_PATH, self._take_text, methods=["PUT"]),
                Route(THING_PATH, self._send_thing, methods=["GET"]),
                Route(PHOTO_PATH, self._send_photo, methods=["GET"]),
                Route(DROP_PATH, self._take_dropped, methods=["PUT"]),
                Route(WINDOWS_PATH + "/{secret}/{path:path}", self._send_window, methods=["GET"]),
                WebSocketRoute(STREAM_PATH, self._stream),
                Route("/{path:path}", self._send_page, methods=["GET"]),
            ],
            middleware=[Middleware(LoopbackGuard, names=names, token=token)],
            lifespan=self._lifespan,
        )

    @property
    def has_tabs(self) -> bool:
        """Whether anybody looks."""
        return bool(self._tabs)

    def show(self, scene: WireScene, outline: WireOutline | None) -> None:
        """Take another scene; tabs load it when they hear of its revision. Callable from any thread."""
        if outline is None:
            outline = WireOutline(scene.revision, False, [], [], [], [], [], [])
        if self._panels is not None:
            outline = replace(outline, windows=self._windows.list(self._panels.sim.scene))
        self._known[scene.revision] = keys_of(scene)
        while len(self._known) > REVISIONS_KEPT:
            del self._known[next(iter(self._known))]
        self._scene = scene
        self._files = {}
        self._outline = _json_file(outline)
        self._revision = scene.revision

    @asynccontextmanager
    async def _lifespan(self, _: Starlette) -> AsyncIterator[None]:
        loop = asyncio.get_running_loop()

        def wake_tabs() -> None:
            for tab in self._tabs:
                tab.set()

        def on_frame() -> None:  # in the player's thread
            with suppress(RuntimeError):  # the loop has just closed
                loop.call_soon_threadsafe(wake_tabs)

        unsubscribes = [self._player.subscribe(on_frame)]
        if self._panels is not None:
            unsubscribes.append(self._panels.subscribe(on_frame))
        if self._on_start is not None:
            self._on_start()
        yield
        for unsubscribe in unsubscribes:
            unsubscribe()

    async def _send_scene(self, request: Request) -> Response:
        """Send the scene, without what the page has from the scene that it names, if any."""
        before = request.query_params.get("known", "")
        file = await asyncio.to_thread(self._scene_file, self._scene, before, self._files)
        return _file_response(file, request)

    def _scene_file(self, scene: WireScene, before: str, files: dict[str, PageFile]) -> PageFile:
        known = self._known.get(before)
        name = "" if known is None else before
        if name not in files:
            files[name] = _json_file(scene if known is None else without(scene, known))
        return files[name]

    async def _send_outline(self, request: Request) -> Response:
        return _file_response(self._outline, request)

    async def _send_sound(self, request: Request) -> Response:
        bench = self._panels
        clip = None if bench is None else bench.live.clip(request.path_params["number"])
        if clip is None:
            return PlainTextResponse("not found\n", status_code=404)
        return Response(clip, media_type="audio/wav", headers={"Cache-Control": "no-store"})

    async def _send_text(self, request: Request) -> Response:
        """Send a text to be edited."""
        if self._panels is None:
            return PlainTextResponse("not found\n", status_code=404)
        name = request.query_params.get("name", "")
        try:
            found = await asyncio.to_thread(self._panels.texts.read, name)
        except FolderError as error:
            return PlainTextResponse(f"{error}\n", status_code=404)
        headers = {VERSION_HEADER: found.version, "Cache-Control": "no-store"}
        return PlainTextResponse(found.text, headers=headers)

    async def _take_text(self, request: Request) -> Response:
        """Write a text that was edited, if it is still the one that was sent."""
        if self._panels is None:
            return PlainTextResponse("not found\n", status_code=404)
        data = await _body(request, TEXT_BYTES_LIMIT)
        if data is None:
            return PlainTextResponse("the text is too large\n", status_code=413)
        name = request.query_params.get("name", "")
        version = request.headers.get(VERSION_HEADER, "")
        try:
            text = data.decode("utf-8")
            new = await asyncio.to_thread(self._panels.texts.write, name, text, version)
        except TextChangedError as error:
            return PlainTextResponse(f"{error}\n", status_code=409)
        except (FolderError, UnicodeDecodeError) as error:
            return PlainTextResponse(f"{error}\n", status_code=400)
        return Response(status_code=204, headers={VERSION_HEADER: new})

    async def _send_thing(self, request: Request) -> Response:
        """Send how something looks that can be added."""
        what = request.query_params.get("what", "")
        async with self._things:  # one at a time: they are many, and the simulation runs
            panels = self._panels
            found = None if panels is None else await asyncio.to_thread(panels.thing, what[:200])
        if found is None:  # nothing of it is seen, which is no error
            return Response(status_code=204)
        return _file_response(await asyncio.to_thread(_json_file, found), request)

    async def _send_photo(self, request: Request) -> Response:
        """Send the photo that is being taken, as it is; nothing before its first light."""
        panels = self._panels
        found = None if panels is None else await asyncio.to_thread(panels.photos.png)
        if found is None:
            return Response(status_code=204)
        return Response(found, media_type="image/png", headers={"Cache-Control": "no-store"})

    async def _take_dropped(self, request: Request) -> Response:
        """Keep a file that was dropped on the page."""
        if self._panels is None:
            return PlainTextResponse("not found\n", status_code=404)
        data = await _body(request, IMPORT_BYTES_LIMIT)
        if data is None:
            return PlainTextResponse("the file is too large\n", status_code=413)
        name = request.query_params.get("name", "")
        try:
            kept = await asyncio.to_thread(self._panels.keep_dropped, name, data)
        except FolderError as error:
            return PlainTextResponse(f"{error}\n", status_code=400)
        return PlainTextResponse(kept)

    async def _send_window(self, request: Request) -> Response:
        """Send a file of a robot window, with a policy that keeps it in its frame and off the network."""
        secret = request.path_params["secret"]
        found = await asyncio.to_thread(self._windows.read, secret, request.path_params["path"])
        host = request.headers["host"]
        headers = {
            "Content-Security-Policy": policy(host, f"{WINDOWS_PATH}/{quote(secret, safe='')}/"),
            "X-Content-Type-Options": "nosniff",
            "Referrer-Policy": "no-referrer",
            "X-DNS-Prefetch-Control": "off",
            # a sandboxed frame has no origin of its own that could be named here
            "Access-Control-Allow-Origin": "*",
            "Cross-Origin-Resource-Policy": "cross-origin",
            "Cache-Control": "no-store",
        }
        if found is None:
            return PlainTextResponse("not found\n", status_code=404, headers=headers)
        content, media_type = found
        return Response(content, media_type=media_type, headers=headers)

    async def _send_page(self, request: Request) -> Response:
        file = self._page.get(request.url.path)
        if file is None:
            return PlainTextResponse("not found\n", status_code=404)
        return _file_response(file, request)

    async def _stream(self, socket: WebSocket) -> None:
        """Serve one tab until it goes away: frames out, commands in."""
        await socket.accept()
        self._tab_count += 1
        number = self._tab_count
        wanted: set[int] = set()
        sender = asyncio.create_task(self._send_frames(socket, number, wanted))
        try:
            await self._receive_commands(socket, number, wanted)
        except WebSocketDisconnect:
            pass
        finally:
            if self._panels is not None:
                self._panels.watch(number, None)
                self._panels.live.want(number, None)
            sender.cancel()
            with suppress(asyncio.CancelledError, WebSocketDisconnect):
                await sender

    async def _receive_commands(self, socket: WebSocket, tab: int, wanted: set[int]) -> None:
        while True:
            message = await socket.receive()
            if message["type"] == "websocket.disconnect":
                return
            try:
                command = parse_command(message.get("text") or "")
            except ValueError as error:
                await _send_event(socket, EventRefused(str(error)))
                continue
            if isinstance(command, CommandWatch) and self._panels is not None:
                self._panels.watch(tab, command)
                wanted.clear()
                wanted.update(command.pictures)
            match command:
                case CommandShow():
                    if self._panels is not None:
                        self._panels.live.want(tab, command)
                case CommandReady():
                    if self._on_ready is not None:
                        self._on_ready()
                case _:
                    self._player.send(command)

    async def _send_frames(self, socket: WebSocket, number: int, wanted: set[int]) -> None:
        """Send the latest frame whenever there is a new one; what a slow tab misses is skipped."""
        news = _News(self._panels, number, wanted)
        tab = asyncio.Event()
        self._tabs.add(tab)
        try:
            await _send_event(socket, EventHello(PROTOCOL_VERSION, self._revision))
            sent, failure = 0, ""
            while True:
                frame = self._player.frame
                if frame.failure != failure:
                    failure = frame.failure
                    await _send_event(socket, EventFailure(failure))
                if frame.sequence != sent:
                    sent = frame.sequence
                    await socket.send_bytes(frame.message)
                await news.send(socket)
                if self._player.frame.sequence == sent:
                    await tab.wait()
                tab.clear()
        finally:
            self._tabs.discard(tab)


class _News:
    """What the panels of one tab have not been told yet: messages all, the rest only the latest."""

    def __init__(self, panels: PanelCommands | None, tab: int, wanted: set[int]) -> None:
        self._panels = panels
        self._tab = tab
        self._wishes: CommandShow | None = None
        self._live: dict[str, int] = {}
        self._painted: dict[tuple[int, int], int] = {}
        self._wanted = wanted
        self._message = 0
        self._answer = 0 if panels is None else panels.newest
        self._state = 0
        self._reading = 0
        self._pictures: dict[int, int] = {}

    async def send(self, socket: WebSocket) -> None:
        bench = self._panels
        if bench is None:
            return
        for message in bench.messages_after(self._message):
            self._message = message.number
            await socket.send_text(message.data.decode())
        for answer in bench.answers_after(self._answer):
            self._answer = answer.number
            await socket.send_text(answer.data.decode())
        for state in bench.states_after(self._state):
            self._state = state.number
            await socket.send_text(state.data.decode())
        reading = bench.readings
        if reading is not None and reading.number != self._reading:
            self._reading = reading.number
            await socket.send_text(reading.data.decode())
        wishes = bench.live.wishes(self._tab)
        if (
            wishes is not self._wishes
        ):  # the tab has said it again: another scene, another connection
            self._wishes = wishes
            self._live.clear()
            self._painted.clear()
        for kind, item in tuple(bench.live.news.items()):
            if self._live.get(kind) != item.number and getattr(wishes, kind, True):
                self._live[kind] = item.number
                await socket.send_text(item.data.decode())
        for key, painting in tuple(bench.live.paintings.items()):
            if painting.number > self._painted.get(key, 0):
                self._painted[key] = painting.number
                await socket.send_bytes(painting.data)
        for key in tuple(self._wanted):
            picture = bench.pictures.get(key)
            if picture is not None and self._pictures.get(key) != picture.number:
                self._pictures[key] = picture.number
                await socket.send_bytes(picture.data)


async def _body(request: Request, limit: int) -> bytes | None:
    """Return what a request carries; None if that is more than may be."""
    data = bytearray()
    async for chunk in request.stream():
        data += chunk
        if len(data) > limit:
            return None
    return bytes(data)


async def _send_event(socket: WebSocket, event: Event) -> None:
    await socket.send_text(to_json(event).decode())


def _json_file(value: WireScene | WireOutline) -> PageFile:
    text = to_json(value)
    return PageFile(text, gzip.compress(text, 6), "application/json", is_hashed=False)


def _file_response(file: PageFile, request: Request) -> Response:
    headers = {
        "Cache-Control": "public, max-age=31536000, immutable" if file.is_hashed else "no-store",
        "Vary": "Accept-Encoding",
        SIZE_HEADER: str(len(file.content)),
    }
    if "gzip" in request.headers.get("accept-encoding", ""):
        headers["Content-Encoding"] = "gzip"
        return Response(file.compressed, media_type=file.media_type, headers=headers)
    return Response(file.content, media_type=file.media_type, headers=headers)
