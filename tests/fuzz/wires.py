"""What arrives on the wires: frames of controllers, commands of the page, requests to its server."""

from __future__ import annotations

import asyncio
import json
import os
import random
import re
import socket
import struct
from pathlib import Path
from typing import Any

import solidbody as sb
from solidbody.base.errors import SimulationEnd, SimulationWaits
from solidbody.control import protocol as p
from solidbody.control.client import solidbody_protocol as codec
from solidbody.control.hub import ControllerHub
from solidbody.viewer.guard import LOOPBACK_NAMES, LoopbackGuard
from solidbody.viewer.player import Player
from solidbody.viewer.protocol import CommandReady, CommandStep, parse_command
from solidbody.viewer.protocol_live import CommandShow
from solidbody.viewer.protocol_work import WORK_COMMANDS, CommandReload, CommandWatch
from solidbody.viewer.server import encode_all, make_panels
from tests.control.messages import made, packed
from tests.fuzz.damage import ODD_TEXT, damaged_bytes, damaged_text
from tests.fuzz.kind import ACCEPTED, REFUSED, FaultError, Files, Kind, no_nan

# --------------------------------------------------------------------------------- controllers

ROBOT = """#VRML_SIM R2025a utf8
WorldInfo { basicTimeStep 8 }
DEF R Robot { name "r" controller "void" supervisor TRUE translation 0 0 1 children [
  DEF S Shape { geometry Sphere { radius 0.1 } } Camera { width 2 height 2 } Emitter { } Receiver { } LED { }
  DistanceSensor { } Display { width 4 height 4 } Speaker { } GPS { } TouchSensor { } Connector { }
  HingeJoint { jointParameters HingeJointParameters { axis 0 1 0 } device [ RotationalMotor { } Brake { } ]
    endPoint Solid { name "arm" boundingObject Box { size 0.1 0.1 0.1 } physics Physics { } } } ] }
DEF BALL Solid { name "ball" translation 0 0 3 boundingObject Sphere { radius 0.1 } physics Physics { } }
"""
WRITES_FILES = (
    *(p.WorldSave, p.WorldLoad, p.WorldReload, p.ImageExport, p.ImageSave, p.SegmentsSave),
    *(p.MovieStart, p.MovieStop, p.AnimationStart, p.FieldImportFile, p.DisplayImageSave),
)
"""Left out: what a supervisor may do with the files of its user, who started it."""

COMMANDS = [kind for kind in p.members(p.Command) if kind not in WRITES_FILES]
REQUESTS = [kind for kind in p.members(p.Request) if kind not in WRITES_FILES]
TEXTS_OF_WORLDS = (
    "",
    "r",
    "BALL",
    "translation",
    "children",
    "Solid { }",
    "a" * 2000,
    "../x",
    "<b>",
)


def _likely(value: Any, chance: random.Random) -> Any:
    """Return a value of the same type, mostly one that means something."""
    if isinstance(value, str):
        return value if chance.random() < 0.2 else chance.choice(TEXTS_OF_WORLDS)
    if isinstance(value, int) and not isinstance(value, bool):
        return value if chance.random() < 0.2 else chance.choice((-1, 0, 1, 2, 3, 5, 8, 15))
    return value


def _said(kind: type[p.Message], chance: random.Random) -> bytes:
    """Return a message that a controller might send, with values of all kinds."""
    number, *values = made(kind, chance)
    message = (number, *(_likely(value, chance) for value in values))
    try:
        return packed(message)
    except struct.error:  # a word that is none of those it may be
        return packed((number, *values))


def _frames(chance: random.Random) -> Files:
    """A greeting is put before them when they are sent, as its secret is that of the run."""
    parts: list[bytes] = []
    for _ in range(chance.randint(1, 6)):
        said = [_said(chance.choice(COMMANDS), chance) for _ in range(chance.randrange(4))]
        if chance.random() < 0.7:
            said.append(_said(chance.choice((p.Step, *REQUESTS)), chance))
        body = codec.Turn.pack(said)
        if chance.random() < 0.3:
            body = damaged_bytes(body, chance, parts)
        size = len(body)
        if chance.random() < 0.05:
            size = chance.choice((0, 1, size + 1, size * 2, 64 << 20, 2**31, 2**32 - 1))
        parts.append(struct.pack("<I", size) + body)
    data = b"".join(parts)
    if chance.random() < 0.1:
        data = damaged_bytes(data, chance)
    head = chance.choice((b"good",) * 8 + (b"bad", b"none"))
    return {"frames.bin": data, "greeting": head, "worlds/a.wbt": ROBOT.encode()}


def _read_frames(folder: Path) -> str:
    """Send frames and go away: the simulation takes its steps, and its state is finite."""
    sim = sb.Sim(sb.load(folder / "worlds/a.wbt"))
    said: list[str] = []
    hub = ControllerHub(sim, say=lambda level, text: said.append(level))
    hub.patience = 5.0
    hub.start()
    kind = (folder / "greeting").read_text()
    client = socket.socket(socket.AF_UNIX)
    try:
        client.connect(hub.address.partition(":")[2])
        client.settimeout(2.0)
        if kind != "none":
            secret = hub.secret if kind == "good" else "wrong"
            hello = codec.Hello.pack(codec.MAGIC, codec.VERSION, secret, "r", os.getpid())
            client.sendall(struct.pack("<I", len(hello)) + hello)
        client.sendall((folder / "frames.bin").read_bytes())
        client.shutdown(socket.SHUT_WR)
        for _ in range(4):
            hub._last_poll = 0.0
            sim.step(1)
        no_nan(sim.poses(), "poses", no_infinity=True)
    except SimulationEnd:
        return ACCEPTED
    except SimulationWaits as error:
        raise FaultError("the simulation waits for a controller that has gone") from error
    finally:
        client.close()
        hub.close()
    return REFUSED if "error" in said or kind != "good" else ACCEPTED


# --------------------------------------------------------------------------------- the page

PATHS = (
    "",
    "0",
    "1",
    "2",
    "3",
    "2.children.0",
    "3.translation",
    "2.name",
    "2.children",
    "x",
    "2.0",
    "-1",
)
TEXTS = (
    "1 0 0",
    '"a"',
    "TRUE",
    "[ 1 2 ]",
    "nan",
    "Solid { }",
    "Ball",
    'DEF X Solid { name "n" }',
    "1e300",
    "USE S",
)


def _command(chance: random.Random) -> str:
    """Return a command of the page as JSON, with values of the right kinds or of others."""
    number = lambda: chance.choice((0, 1, -1, 0.5, 1e29, 1e300, float("nan"), 10**40, -0.0, "1"))  # noqa: E731
    vector = lambda n: [number() for _ in range(n if chance.random() < 0.9 else n + 1)]  # noqa: E731
    known: dict[str, Any] = {
        "joint": chance.choice((0, 1, 9, -1, 2**31)),
        "link": chance.choice((0, 1, 2, 99)),
        "mode": chance.choice(("position", "velocity", "x")),
        "value": chance.choice((number(), chance.choice(TEXTS))),
        "joints": True,
        "contacts": chance.choice((True, 1)),
        "scalars": [chance.choice(("0", "x", "1/2"))] * chance.choice((0, 1, 65)),
        "pictures": [chance.choice((0, 1, -1))] * chance.randrange(3),
        "keys": [chance.randrange(2**17)] * chance.randrange(4),
        **{name: number() for name in ("u", "v", "x", "y")},
        **{
            name: chance.choice((True, False, 0))
            for name in ("hits", "left", "middle", "right", "turns")
        },
        **{
            name: chance.random() < 0.5
            for name in ("is_last", "sounds", "listens", "rays", "points")
        },
        **{name: vector(3) for name in ("point", "position", "at", "by")},
        "rotation": vector(4),
        "model": chance.choice(("m", *ODD_TEXT)),
        "axes": vector(2),
        "povs": [0],
        "buttons": [chance.randrange(3)],
        "robot": chance.choice(("r", "x", "")),
        "text": chance.choice(ODD_TEXT),
        "path": chance.choice(PATHS),
        "target": chance.choice(PATHS),
        "where": chance.choice(("before", "after", "into", "x")),
        "what": chance.choice((*TEXTS, "Robot", "Sphere", "PointLight")),
        "ticket": "t",
        "count": chance.choice((1, 2, 0, -1, 10**6, 1.5)),
        "factor": number(),
    }
    names = (
        *WORK_COMMANDS,
        *WORK_COMMANDS,
        "play",
        "pause",
        "step",
        "reset",
        "speed",
        "ready",
        "show",
    )
    text = json.dumps({"command": chance.choice(names), **known})
    if chance.random() < 0.2:
        text = damaged_text(text, chance, ["null", "[]", "{}", "true", '"path"', '"command"'])
    return text


def _page(chance: random.Random) -> Files:
    lines = "\n".join(_command(chance).replace("\n", " ") for _ in range(chance.randint(1, 12)))
    return {"commands.txt": lines.encode("utf-8", "replace"), "worlds/a.wbt": ROBOT.encode()}


def _read_page(folder: Path) -> str:
    """Obey as the server does: what cannot be done is a message, and the simulation goes on."""
    path = folder / "worlds/a.wbt"
    sim = sb.Sim(sb.load(path))
    bench = make_panels(sim)
    assert bench is not None
    player = Player(sim, paused=True, attendant=bench)
    encode_all(sim, bench)
    refused = 0
    for line in (folder / "commands.txt").read_bytes().decode("utf-8", "replace").split("\n"):
        try:
            command = parse_command(line)
        except ValueError:
            refused += 1
            continue
        match command:
            case CommandWatch():
                bench.watch(1, command)
                player.send(command)
            case CommandShow():
                bench.live.want(1, command)
            case CommandReady():
                pass
            case CommandStep(count) if count > 10:
                player.send(CommandStep(10))
            case CommandReload():
                path.write_bytes(ROBOT.encode())
                player.send(command)
            case _:
                player.send(command)
        player._obey()
        player._show_now()
        player._observe()
    sim.step(1)
    no_nan(sim.poses(), "poses", no_infinity=True)
    for item in (*bench.messages_after(0), *bench.answers_after(0), *bench.states_after(0)):
        json.loads(item.data, parse_constant=_no_constant)
    return REFUSED if refused else ACCEPTED


def _no_constant(name: str) -> Any:
    raise FaultError(f"{name} is sent to the page, which is no JSON")


# --------------------------------------------------------------------------------- requests

TOKEN = "correct-token_123"
HOSTS = (
    "127.0.0.1:8000",
    "localhost",
    "[::1]:80",
    "evil.example",
    "127.0.0.1.evil.example",
    "LOCALHOST:1",
    "",
)
ORIGINS = (
    "http://127.0.0.1:8000",
    "http://localhost",
    "null",
    "https://127.0.0.1:8000",
    "http://evil.example",
    "",
)


def _request(chance: random.Random) -> Files:
    headers: list[tuple[str, str]] = []
    words = [
        *HOSTS,
        *ORIGINS,
        TOKEN,
        "solidbody-8000",
        "solidbody-80",
        "token=",
        "%00",
        "@",
        "#",
        ";",
    ]
    for _ in range(chance.choice((0, 1, 1, 1, 1, 2))):
        headers.append(("host", chance.choice(HOSTS)))
    for _ in range(chance.choice((0, 0, 1, 1, 2))):
        headers.append(("origin", chance.choice(ORIGINS)))
    for _ in range(chance.choice((0, 1, 1, 2))):
        token = chance.choice((TOKEN, TOKEN[:-1], "", TOKEN.upper()))
        headers.append(
            ("cookie", f"{chance.choice(('solidbody-8000', 'solidbody-80', 'x'))}={token}")
        )
    query = chance.choice(
        ("", f"token={TOKEN}", f"token={TOKEN[:-1]}", f"token=x&token={TOKEN}", "token")
    )
    if chance.random() < 0.5:
        headers = [(key, damaged_text(value, chance, words)) for key, value in headers]
        query = damaged_text(query, chance, words)
    kind = chance.choice(("http", "websocket"))
    return {"request.json": json.dumps([kind, headers, query]).encode()}


def _read_request(folder: Path) -> str:
    """Nobody gets through without the token, under another name or from another site."""
    kind, headers, query = json.loads((folder / "request.json").read_bytes())
    passed: list[bool] = []
    sent: list[dict[str, Any]] = []

    async def application(_scope: Any, _receive: Any, _send: Any) -> None:
        passed.append(True)

    async def receive() -> dict[str, Any]:
        return {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        sent.append(dict(message))

    pairs = [(key.encode(), value.encode("latin-1", "replace")) for key, value in headers]
    scope = {
        "type": kind,
        "headers": pairs,
        "query_string": query.encode("utf-8", "replace"),
        "path": "/",
    }
    guard = LoopbackGuard(application, names=LOOPBACK_NAMES, token=TOKEN)
    asyncio.run(guard(scope, receive, send))
    given = [value.decode("latin-1") for key, value in pairs if key == b"host"]
    origins = [value.decode("latin-1") for key, value in pairs if key == b"origin"]
    cookies = [value.decode("latin-1") for key, value in pairs if key == b"cookie"]
    if not passed:
        if not sent or sent[0].get("status") == 200:
            raise FaultError("a refused request was not answered")
        return REFUSED
    name = re.sub(r":.*", "", given[0]).lower() if given and not given[0].startswith("[") else "::1"
    if len(given) != 1 or name not in LOOPBACK_NAMES:
        raise FaultError(f"a request for {given} gets through")
    if origins and origins != [f"http://{given[0]}"]:
        raise FaultError(f"a request of {origins} gets through")
    if TOKEN not in query.replace("%", "") and not any(TOKEN in item for item in cookies):
        raise FaultError("a request without the token gets through")
    return ACCEPTED


KINDS = (
    Kind("frames", _frames, _read_frames, seconds=5.0),
    Kind("page", _page, _read_page, seconds=5.0),
    Kind("request", _request, _read_request),
)
