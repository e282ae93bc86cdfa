"""A client of Foxglove's WebSocket protocol, written from its specification."""

from __future__ import annotations

import json
import socket
import struct
from contextlib import ExitStack
from typing import Any

from websockets.sync.client import connect
from websockets.typing import Subprotocol

from tests.waiting import PATIENCE

PROTOCOL = Subprotocol("foxglove.sdk.v1")


class FoxgloveClient:
    """Speaks JSON, and frames of bytes for messages and services."""

    def __init__(self, url: str) -> None:
        self._connection = ExitStack()
        self._socket = self._connection.enter_context(
            connect(
                url,
                subprotocols=[PROTOCOL],
                max_size=None,
                open_timeout=PATIENCE,
                close_timeout=1.0,  # who has not read what came does not see the answer
            )
        )
        self.channels: dict[str, dict[str, Any]] = {}
        self.services: dict[str, int] = {}
        self.info: dict[str, Any] = {}
        self.parameters: dict[str, Any] = {}
        self._topics: dict[int, str] = {}
        self._calls = 0
        self._answers: dict[int, bytes | str] = {}
        self.got: list[tuple[str, int, bytes]] = []

    def __enter__(self) -> FoxgloveClient:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def vanish(self) -> None:
        """Go without saying so, as a program that is killed."""
        self._socket.socket.shutdown(socket.SHUT_RDWR)

    def take(self) -> None:
        """Wait for one message of the server and note it."""
        message = self._socket.recv(timeout=PATIENCE)
        if isinstance(message, str):
            self._note(json.loads(message))
        elif message[0] == 1:
            subscription, time = struct.unpack_from("<IQ", message, 1)
            self.got.append((self._topics[subscription], time, message[13:]))
        elif message[0] == 3:
            _, call, length = struct.unpack_from("<III", message, 1)
            self._answers[call] = message[13 + length :]

    def _note(self, message: dict[str, Any]) -> None:
        match message["op"]:
            case "serverInfo":
                self.info = message
            case "advertise":
                self.channels |= {item["topic"]: item for item in message["channels"]}
            case "advertiseServices":
                self.services |= {item["name"]: item["id"] for item in message["services"]}
            case "serviceCallFailure":
                self._answers[message["callId"]] = message["message"]
            case "parameterValues":
                self.parameters |= {item["name"]: item["value"] for item in message["parameters"]}

    def subscribe(self, *topics: str) -> None:
        """Ask for topics, as soon as there are such."""
        while not set(topics) <= set(self.channels):
            self.take()
        first = len(self._topics) + 1
        numbers = dict(enumerate(topics, first))
        self._topics |= numbers
        asked = [{"id": n, "channelId": self.channels[topic]["id"]} for n, topic in numbers.items()]
        self.say({"op": "subscribe", "subscriptions": asked})

    def say(self, message: dict[str, Any]) -> None:
        self._socket.send(json.dumps(message))

    def next(self, topic: str) -> tuple[int, bytes]:
        """Return time and bytes of the next message on a topic."""
        while True:
            for k, (found, time, data) in enumerate(self.got):
                if found == topic:
                    del self.got[: k + 1]
                    return time, data
            self.take()

    def call(self, service: str, payload: bytes = b"{}") -> bytes | str:
        """Return the answer of a service; text says why it was refused."""
        while service not in self.services:
            self.take()
        self._calls += 1
        head = struct.pack("<BIII", 2, self.services[service], self._calls, 4)
        self._socket.send(head + b"json" + payload)
        while self._calls not in self._answers:
            self.take()
        return self._answers.pop(self._calls)

    def advertise(self, number: int, topic: str, encoding: str = "json") -> None:
        channel = {"id": number, "topic": topic, "encoding": encoding, "schemaName": ""}
        self.say({"op": "advertise", "channels": [channel]})

    def publish(self, number: int, payload: bytes) -> None:
        """Send a message on a channel of the client."""
        self._socket.send(struct.pack("<BI", 1, number) + payload)
