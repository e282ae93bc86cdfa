"""Reads MCAP files with decoders that nobody here wrote."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

from google.protobuf.json_format import MessageToDict
from mcap.reader import make_reader
from mcap.records import Schema
from mcap_protobuf.decoder import DecoderFactory


def decoded(encoding: str, name: str, schema: str | bytes, data: bytes) -> dict[str, Any]:
    """Return the fields of a message (bytes as base64)."""
    if encoding == "json":
        return json.loads(data)
    binary = base64.b64decode(schema) if isinstance(schema, str) else schema
    decode = DecoderFactory().decoder_for(encoding, Schema(1, binary, "protobuf", name))
    assert decode is not None
    return MessageToDict(
        decode(data), preserving_proto_field_name=True, always_print_fields_with_no_presence=True
    )


def messages_of(path: Path) -> dict[str, list[tuple[str, int, dict[str, Any]]]]:
    """Return schema, time and fields of all messages by topic."""
    found: dict[str, list[tuple[str, int, dict[str, Any]]]] = {}
    with path.open("rb") as stream:
        for schema, channel, message in make_reader(stream).iter_messages():
            assert schema is not None
            fields = decoded(channel.message_encoding, schema.name, schema.data, message.data)
            found.setdefault(channel.topic, []).append((schema.name, message.log_time, fields))
    return found
