"""Keeps other websites out of the loopback server, and the page inside a strict content policy."""

from __future__ import annotations

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

LOOPBACK_NAMES = frozenset({"127.0.0.1", "localhost", "::1"})

SECURITY_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:;"
        " connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


def host_name(host: str) -> str:
    """Return the name in a Host header, without its port and brackets, in lower case."""
    if host.startswith("["):
        return host[1:].partition("]")[0].lower()
    return host.partition(":")[0].lower()


class LoopbackGuard:
    """Lets a request through only if it was meant for this server.

    A foreign name that resolves to this machine (DNS rebinding) shows in the Host header; a script
    of another site shows in the Origin header, which must be this server's own address. The port in
    Host is not compared, so that a forwarded port works.
    """

    def __init__(self, app: ASGIApp, *, names: frozenset[str] = LOOPBACK_NAMES) -> None:
        self._app = app
        self._names = names

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one connection."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        reason = self._refusal(Headers(scope=scope))
        if reason is None:
            await self._app(scope, receive, _with_security_headers(send))
        elif scope["type"] == "http":
            response = PlainTextResponse(reason + "\n", status_code=403)
            await response(scope, receive, _with_security_headers(send))
        else:
            await send({"type": "websocket.close", "code": 1008, "reason": reason})

    def _refusal(self, headers: Headers) -> str | None:
        hosts = headers.getlist("host")
        if len(hosts) != 1 or host_name(hosts[0]) not in self._names:
            return "This server answers on this machine only: open the address that it printed."
        origins = headers.getlist("origin")
        if origins and origins != [f"http://{hosts[0]}"]:
            return "Requests of other sites are refused."
        return None


def _with_security_headers(send: Send) -> Send:
    async def send_with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in SECURITY_HEADERS.items():
                headers[name] = value
        await send(message)

    return send_with_headers
