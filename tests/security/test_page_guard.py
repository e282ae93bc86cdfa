"""Who may ask the server of the page for what: names, origins, tokens, paths, messages."""

from __future__ import annotations

import json
import socket

import httpx
import pytest
from starlette.responses import PlainTextResponse
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

from solidbody.viewer.guard import LoopbackGuard
from tests.viewer.motion import RisingBoxes
from tests.viewer.serving import View, running_view
from tests.viewer.test_server import get, next_event, raw_get, view

__all__ = ["view"]


def test_answers_forbid_what_the_page_does_not_need(view: View) -> None:
    """No inline scripts, no other sites, no frames, no guessed types."""
    headers = get(view, "/").headers
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy and "script-src 'self'" in policy
    assert "unsafe" not in policy and "frame-ancestors 'none'" in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert "server" not in headers


@pytest.mark.parametrize(
    "target",
    [
        "/../../etc/passwd", "/assets/../../server.py", "/..%2f..%2fetc%2fpasswd", "//etc/passwd",
        "/assets/%2e%2e/%2e%2e/server.py", "/assets\\..\\..\\server.py", "/assets/page.js%00.html",
        "/server.py", "/page/index.html", "/assets/", "/api/", "/api/scene/../../x", "/.sources",
    ],
)  # fmt: skip
def test_nothing_but_page_files_is_served(view: View, target: str) -> None:
    """However a path is written, what is not in the table does not exist."""
    assert raw_get(view, target).split(b" ")[1] in (b"404", b"400")


def test_only_reading_is_allowed(view: View) -> None:
    """There is nothing to post to."""
    assert httpx.post(view.url + "/api/scene").status_code == 405


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "localhost", "localhost:9000", "LOCALHOST", "[::1]:8080"]
)
def test_this_machine_is_let_in(view: View, host: str) -> None:
    """By all its names, and through forwarded ports."""
    assert get(view, "/api/scene", Host=host).status_code == 200


@pytest.mark.parametrize(
    "host",
    ["evil.example", "evil.example:8080", "127.0.0.1.evil.example", "localhost.evil", "", "[evil]"],
)
def test_foreign_names_are_refused(view: View, host: str) -> None:
    """A site whose name points to this machine (DNS rebinding) gets nothing."""
    assert get(view, "/api/scene", Host=host).status_code == 403
    with pytest.raises(InvalidStatus) as refused:
        connect(view.stream_url, additional_headers={"Host": host}).close()
    assert refused.value.response.status_code in (400, 403)


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "http://127.0.0.1:1", "https://localhost"]
)
def test_scripts_of_other_sites_are_refused(view: View, origin: str) -> None:
    """Neither the scene nor the stream can be read from another origin, not even a local one."""
    assert get(view, "/api/scene", Origin=origin).status_code == 403
    with pytest.raises(InvalidStatus) as refused:
        connect(view.stream_url, additional_headers={"Origin": origin}).close()
    assert refused.value.response.status_code == 403


def test_without_the_token_nobody_is_let_in() -> None:
    """The address with the token gives a cookie; with neither, or a wrong one, everything is refused."""
    with running_view(RisingBoxes(3), token="s3cret") as view:
        for query, cookie in (("", ""), ("?token=wrong", ""), ("", "wrong"), ("?token=", "")):
            headers = {"cookie": f"solidbody-{view.port}={cookie}"} if cookie else {}
            for path in ("/", "/api/scene", "/api/outline"):
                answer = httpx.get(view.url + path + query, headers=headers)
                assert answer.status_code == 403
                assert "open the address that the simulation printed" in answer.text
            with pytest.raises(InvalidStatus) as refused:
                connect(view.stream_url + query, additional_headers=headers).close()
            assert refused.value.response.status_code == 403
        answer = httpx.get(view.url + "/?token=s3cret")
        given = answer.headers["set-cookie"]
        assert "HttpOnly" in given and "SameSite=Strict" in given
        headers = {"cookie": given.partition(";")[0]}
        assert httpx.get(view.url + "/api/scene", headers=headers).status_code == 200
        with connect(view.stream_url, additional_headers=headers) as client:
            assert next_event(client)["event"] == "hello"


def test_other_machines_are_let_in_only_with_host_and_token() -> None:
    """With a host for all, any name will do, but only with the token; other origins stay out."""
    with running_view(RisingBoxes(3), host="0.0.0.0", token="s3cret") as view:
        for host in ("robot-lab.example:8080", "192.0.2.7"):
            assert get(view, "/api/scene", Host=host).status_code == 403
            assert get(view, "/?token=wrong", Host=host).status_code == 403
            assert get(view, "/?token=s3cret", Host=host).status_code == 200
            answer = get(view, "/?token=s3cret", Host=host, Origin="http://evil.example")
            assert answer.status_code == 403
    with pytest.raises(ValueError, match="needs a token"):
        LoopbackGuard(PlainTextResponse(""), names=None)


JUNK = [
    *("", "{", "[]", "null", "1", '"play"', "{}", '{"command": null}', '{"command": "quit"}'),
    *('{"command": "step", "count": 1e999}', '{"command": "step", "count": true}', "NaN"),
    *(
        '{"command": "speed", "factor": NaN}',
        '{"command": "speed", "factor": -1}',
        "\x00\U0001f600",
    ),
    *("[" * 30_000, "9" * 5000, '{"command": "step", "count": ' + "9" * 5000 + "}"),
    json.dumps({"command": "play" * 9000}),
]


@pytest.mark.parametrize("text", JUNK, ids=range(len(JUNK)))
def test_what_is_no_command_is_refused_with_a_reason(view: View, text: str) -> None:
    """It changes nothing, and the connection stays."""
    with connect(view.stream_url) as client:
        assert next_event(client)["event"] == "hello"
        client.send(text)
        while (event := next_event(client))["event"] != "refused":
            pass
        assert event["text"]
        client.send('{"command": "pause"}')
    assert view.player.frame.failure == ""


def test_bytes_and_long_messages_end_nothing_but_their_connection(view: View) -> None:
    """A message has at most 64 kB; one of bytes is no command."""
    with connect(view.stream_url) as client:
        client.send(bytes(range(256)))
        while next_event(client)["event"] != "refused":
            pass
        client.send("x" * 70_000)
        with pytest.raises(ConnectionClosed):
            _ = [client.recv(timeout=5) for _ in range(100_000)]
    with connect(view.stream_url) as client:
        assert next_event(client)["event"] == "hello"


@pytest.mark.parametrize(
    "request_",
    [
        b"\x16\x03\x01\x02\x00\x01\x00\x01",
        b"GET / HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nHost: evil.example\r\n\r\n",
        b"GET http://evil.example/ HTTP/1.1\r\nHost: evil.example\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 99999999999\r\n\r\nx",
        b"GET /api/stream HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n",
        b"GET /" + b"a" * 100_000 + b" HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
    ],
    ids=["tls", "no host", "two hosts", "foreign target", "long body", "half upgrade", "long line"],
)
def test_odd_requests_get_no_page_and_hurt_nobody(view: View, request_: bytes) -> None:
    """Sent as they are; the next visitor is served."""
    with socket.create_connection(("127.0.0.1", view.port), timeout=5) as connection:
        connection.sendall(request_)
        connection.settimeout(2)
        try:
            answer = connection.recv(65536)
        except (TimeoutError, ConnectionError):
            answer = b""
    assert b" 200 " not in answer.split(b"\r\n")[0]
    assert get(view, "/").status_code == 200
