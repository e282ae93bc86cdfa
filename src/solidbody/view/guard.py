"""Protects the page's server from other websites: host checks and a strict content policy."""

from __future__ import annotations

import secrets

from starlette.datastructures import Headers, MutableHeaders, QueryParams
from starlette.requests import cookie_parser
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from solidbody.view.robot_windows import WINDOWS_PATH

LOOPBACK_NAMES = frozenset({"127.0.0.1", "localhost", "::1"})

TOKEN_PARAMETER = "token"
"""Where the address of the page carries the token."""

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


def _with_security_headers(send: Send, cookie: str | None = None) -> Send:
    async def send_with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in SECURITY_HEADERS.items():
                headers[name] = value
            if cookie is not None:
                headers.append("Set-Cookie", cookie)
        await send(message)

    return send_with_headers
