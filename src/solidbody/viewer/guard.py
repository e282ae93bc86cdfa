"""Protects the page's server from other websites: host checks and a strict content policy."""

from __future__ import annotations

import secrets
from collections.abc import Mapping

from starlette.datastructures import Headers, MutableHeaders, QueryParams
from starlette.requests import cookie_parser
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from solidbody.viewer.robot_windows import WINDOWS_PATH

LOOPBACK_NAMES = frozenset({"127.0.0.1", "localhost", "::1"})

TOKEN_PARAMETER = "token"
"""Where the address of the page carries the token."""

FRAME_PATH = "/frame"
"""Below it and the token the page may be shown in frames of other sites, as notebooks do.

Such frames get no cookies, so the token is part of each address, and only who knows it can show the page.
"""

WRONG_TOKEN = "This page belongs to another run: open the address that the simulation printed."

SECURITY_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:;"
        " connect-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}

FRAME_HEADERS = SECURITY_HEADERS | {
    "Content-Security-Policy": SECURITY_HEADERS["Content-Security-Policy"].replace(
        "frame-ancestors 'none'", "frame-ancestors *"
    ),
    "Cross-Origin-Opener-Policy": "unsafe-none",
    "Cross-Origin-Resource-Policy": "cross-origin",
}
"""Of what is shown in frames of other sites."""


def frame_path(token: str) -> str:
    """Return the path of the page for frames of other sites."""
    return f"{FRAME_PATH}/{token}/"


def host_name(host: str) -> str:
    """Return the name in a Host header, without its port and brackets, in lower case."""
    if host.startswith("["):
        return host[1:].partition("]")[0].lower()
    return host.partition(":")[0].lower()


class LoopbackGuard:
    """Lets a request through only if it was meant for this server.

    A foreign name that resolves to this machine (DNS rebinding) shows in the Host header; a script
    of another site shows in the Origin header, which must be this server's own address. The port in
    Host is not compared, so that a forwarded port works. With a token, other users of this machine are
    kept out as well: it is part of the printed address, and then of a cookie. Browsers send that cookie only
    to the name that they got it from, so that a page without `names` is safe from foreign names too.
    Files of robot windows are asked for by frames without origin and cookie: their addresses carry a secret.
    So is the page within a notebook: below `FRAME_PATH` the address carries the token.
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        names: frozenset[str] | None = LOOPBACK_NAMES,
        token: str | None = None,
    ) -> None:
        if names is None and token is None:
            raise ValueError("a page that anybody can reach needs a token")
        self._app = app
        self._names = names
        self._token = token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one connection."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        is_window = scope["type"] == "http" and scope["path"].startswith(WINDOWS_PATH + "/")
        if is_window and self._is_known(headers):
            await self._app(scope, receive, send)
            return
        reason = self._refusal(headers)
        cookie: str | None = None
        inner = self._framed(scope)
        if reason is None and inner is not None:
            await self._app(inner, receive, _with_security_headers(send, headers=FRAME_HEADERS))
            return
        if reason is None and self._token is not None:
            name = _cookie_name(headers)
            if _is_equal(_query_token(scope), self._token):
                cookie = f"{name}={self._token}; Path=/; HttpOnly; SameSite=Strict"
            elif not _is_equal(cookie_parser(headers.get("cookie", "")).get(name), self._token):
                reason = WRONG_TOKEN
        if reason is None:
            await self._app(scope, receive, _with_security_headers(send, cookie))
        elif scope["type"] == "http":
            response = PlainTextResponse(reason + "\n", status_code=403)
            await response(scope, receive, _with_security_headers(send))
        else:
            await send({"type": "websocket.close", "code": 1008, "reason": reason})

    def _framed(self, scope: Scope) -> Scope | None:
        """Return what is asked for within a frame of another site; None = this is no such request."""
        prefix, _, rest = scope["path"].removeprefix(FRAME_PATH + "/").partition("/")
        if not scope["path"].startswith(FRAME_PATH + "/") or self._token is None:
            return None
        if not _is_equal(prefix, self._token):
            return None
        path = f"/{rest}"
        return {**scope, "path": path, "raw_path": path.encode()}

    def _refusal(self, headers: Headers) -> str | None:
        if not self._is_known(headers):
            return "This server answers under its own name only: open the address that it printed."
        origins = headers.getlist("origin")
        if origins and origins != [f"http://{headers['host']}"]:
            return "Requests of other sites are refused."
        return None

    def _is_known(self, headers: Headers) -> bool:
        """Return whether a request is meant for a name of this server."""
        hosts = headers.getlist("host")
        return len(hosts) == 1 and (self._names is None or host_name(hosts[0]) in self._names)


def _cookie_name(headers: Headers) -> str:
    """Return the name of the cookie: one per port, as browsers share cookies between ports."""
    return f"solidbody-{headers.get('host', '').rpartition(':')[2] or '80'}"


def _query_token(scope: Scope) -> str | None:
    return QueryParams(scope.get("query_string", b"")).get(TOKEN_PARAMETER)


def _is_equal(given: str | None, token: str) -> bool:
    return given is not None and secrets.compare_digest(given.encode(), token.encode())


def _with_security_headers(
    send: Send, cookie: str | None = None, headers: Mapping[str, str] = SECURITY_HEADERS
) -> Send:
    async def send_with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            sent = MutableHeaders(scope=message)
            for name, value in headers.items():
                sent[name] = value
            if cookie is not None:
                sent.append("Set-Cookie", cookie)
        await send(message)

    return send_with_headers
