"""The web application: page files, the scene, and the stream of frames. Knows no sockets."""

from __future__ import annotations

import asyncio
import gzip
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from solidbody.view.guard import LoopbackGuard
from solidbody.view.page_files import PageFile
from solidbody.view.player import Player
from solidbody.view.protocol import (
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
from solidbody.view.protocol_scene import WireScene
from solidbody.view.scene_encoding import to_json


class Application:
    """Shows one player to any number of browser tabs.

    Args:
        player: Where frames come from and commands go to.
        scene: What the page draws.
        page: Page files by URL path.
        on_start: Called once the application can answer.
        on_ready: Called whenever a tab shows the scene.
    """

    def __init__(
        self,
        player: Player,
        scene: WireScene,
        page: Mapping[str, PageFile],
        *,
        on_start: Callable[[], None] | None = None,
        on_ready: Callable[[], None] | None = None,
    ) -> None:
        self._player = player
        self._revision = scene.revision
        self._page = page
        scene_json = to_json(scene)
        self._scene = PageFile(
            scene_json, gzip.compress(scene_json, 6), "application/json", is_hashed=False
        )
        self._on_start = on_start
        self._on_ready = on_ready
        self._tabs: set[asyncio.Event] = set()
        self.asgi = Starlette(
            routes=[
                Route(SCENE_PATH, self._send_scene, methods=["GET"]),
                WebSocketRoute(STREAM_PATH, self._stream),
                Route("/{path:path}", self._send_page, methods=["GET"]),
            ],
            middleware=[Middleware(LoopbackGuard)],
            lifespan=self._lifespan,
        )

    @asynccontextmanager
    async def _lifespan(self, _: Starlette) -> AsyncIterator[None]:
        loop = asyncio.get_running_loop()

        def wake_tabs() -> None:
            for tab in self._tabs:
                tab.set()

        def on_frame() -> None:  # in the player's thread
            with suppress(RuntimeError):  # the loop has just closed
                loop.call_soon_threadsafe(wake_tabs)

        unsubscribe = self._player.subscribe(on_frame)
        if self._on_start is not None:
            self._on_start()
        yield
        unsubscribe()

    async def _send_scene(self, request: Request) -> Response:
        return _file_response(self._scene, request)

    async def _send_page(self, request: Request) -> Response:
        file = self._page.get(request.url.path)
        if file is None:
            return PlainTextResponse("not found\n", status_code=404)
        return _file_response(file, request)

    async def _stream(self, socket: WebSocket) -> None:
        """Serve one tab until it goes away: frames out, commands in."""
        await socket.accept()
        sender = asyncio.create_task(self._send_frames(socket))
        try:
            await self._receive_commands(socket)
        except WebSocketDisconnect:
            pass
        finally:
            sender.cancel()
            with suppress(asyncio.CancelledError, WebSocketDisconnect):
                await sender

    async def _receive_commands(self, socket: WebSocket) -> None:
        while True:
            message = await socket.receive()
            if message["type"] == "websocket.disconnect":
                return
            try:
                command = parse_command(message.get("text") or "")
            except ValueError as error:
                await _send_event(socket, EventRefused(str(error)))
                continue
            if not isinstance(command, CommandReady):
                self._player.send(command)
            elif self._on_ready is not None:
                self._on_ready()

    async def _send_frames(self, socket: WebSocket) -> None:
        """Send the latest frame whenever there is a new one; what a slow tab misses is skipped."""
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
                if self._player.frame.sequence == sent:
                    await tab.wait()
                tab.clear()
        finally:
            self._tabs.discard(tab)


async def _send_event(socket: WebSocket, event: Event) -> None:
    await socket.send_text(to_json(event).decode())


def _file_response(file: PageFile, request: Request) -> Response:
    headers = {
        "Cache-Control": "public, max-age=31536000, immutable" if file.is_hashed else "no-store",
        "Vary": "Accept-Encoding",
    }
    if "gzip" in request.headers.get("accept-encoding", ""):
        headers["Content-Encoding"] = "gzip"
        return Response(file.compressed, media_type=file.media_type, headers=headers)
    return Response(file.content, media_type=file.media_type, headers=headers)
