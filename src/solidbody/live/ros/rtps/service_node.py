"""Services for callers whose ROS speaks Fast DDS, which is ROS 2's default."""

from __future__ import annotations

import ipaddress
import socket
import struct
from collections.abc import Callable, Sequence
from typing import Any, Final

from solidbody.base.errors import SolidbodyError
from solidbody.live.ros.cdr import decode, encode
from solidbody.live.ros.dds_node import AUTO, Ros2Error
from solidbody.live.ros.definitions import DEFINITIONS
from solidbody.live.ros.rtps import wire
from solidbody.live.ros.rtps.participant import NetworkError, Participant, Writer
from solidbody.live.ros.services import Service

UNKNOWN: Final = bytes(16)


class RtpsServices:
    """Answers calls of services, as a participant of its own beside the one that publishes."""

    def __init__(
        self,
        domain: int,
        interface: str,
        services: Sequence[Service],
        say: Callable[[str, str], None],
    ) -> None:
        self._say = say
        try:
            self._participant = Participant(domain, _address(interface))
        except NetworkError as error:
            raise Ros2Error(f"services cannot be offered on {error}") from None
        for service in services:
            self._serve(service)
        self._participant.start()

    def _serve(self, service: Service) -> None:
        asked, told = (f"{service.kind}_{end}" for end in ("Request", "Response"))
        writer = self._participant.writer(f"rr{service.name}Reply", DEFINITIONS[told].dds_name)

        def take(data: bytes, caller: bytes, number: int, beside: dict[int, bytes]) -> None:
            related = next((beside[pid] for pid in wire.PID_RELATED if pid in beside), b"")
            if len(related) >= 16 and related[:16] != UNKNOWN:
                caller = related[:16]  # the reader of the caller that waits for the answer
            identity = caller + wire.number_bytes(number)
            try:
                service.call(decode(asked, data), lambda out: _send(writer, told, identity, out))
            except SolidbodyError as error:
                self._say("error", f"{service.name}: {error}")

        self._participant.reader(f"rq{service.name}Request", DEFINITIONS[asked].dds_name, take)

    def close(self) -> None:
        """Leave."""
        self._participant.close()


def _send(writer: Writer, kind: str, identity: bytes, response: dict[str, Any]) -> None:
    beside = wire.parameter_list([(pid, identity) for pid in wire.PID_RELATED])
    writer.write(encode(kind, response), beside)


def _address(interface: str) -> str:
    """Return the address of an interface; empty = any."""
    if interface == AUTO:
        return ""
    try:
        return str(ipaddress.IPv4Address(interface))
    except ValueError:
        pass
    try:
        import fcntl

        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            asked = struct.pack("256s", interface.encode()[:15])
            return socket.inet_ntoa(fcntl.ioctl(probe.fileno(), 0x8915, asked)[20:24])
    except (ImportError, OSError) as error:
        raise Ros2Error(
            f'services need an address of the fourth version; "{interface}" has none: {error}'
        ) from None
