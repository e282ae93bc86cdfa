"""A node on the network of DDS, by the package `cyclonedds`: writers and readers of ROS' topics.

Messages are encoded and decoded by `cdr.py`; DDS is only told their types. Nothing here waits for a peer.
"""

from __future__ import annotations

import ipaddress
import threading
from collections.abc import Callable
from functools import cache, partial
from importlib import import_module
from typing import Any, Final
from xml.sax.saxutils import quoteattr

from solidbody.base.errors import SolidbodyError
from solidbody.live.ros.definitions import PRIMITIVES, MessageField, definition
from solidbody.live.ros.run_messages import Topic
from solidbody.live.ros.settings import Quality

AUTO: Final = "auto"
"""Name of the interface that DDS chooses itself, by its own configuration."""

MOST_PARTICIPANTS: Final = 100
"""Programs on one machine that find each other where there is no multicast."""

BACKLOG: Final = "256 MB"
"""Unread bytes of a topic before a writer would wait; long before, `Quality.depth` drops old messages."""

INSTALL: Final = (
    'ROS 2 needs the package "cyclonedds": pip install "solidbody[ros2]"'
    " (there is one for Python 3.11 to 3.13)"
)


LARGEST_PACKET: Final = 65500
LARGEST_PIECE: Final = 65000
"""[bytes] Of UDP, as ROS' default has them. Of pictures of 640x480 in Cyclone's own pieces of 1344 bytes
Fast DDS lost two in three, for want of buffers."""


HEARTBEAT: Final = (
    '<HeartbeatInterval min="2 ms" minsched="5 ms" max="1 s">10 ms</HeartbeatInterval>'
)
"""How soon a peer is asked for what it misses: a picture that did not fit into its buffers is there after
30 ms (200 ms by Cyclone's own 100 ms)."""


class Ros2Error(SolidbodyError):
    """The bridge cannot be started, or not go on; the text says why."""


def require_dds() -> None:
    """Raise Ros2Error if there is no DDS."""
    try:
        import_module("cyclonedds.domain")
    except ImportError as error:
        raise Ros2Error(f"{INSTALL}; {error}") from None


def configuration(interface: str) -> str | None:
    """Return what Cyclone is told of the network; None = what it finds in its own configuration."""
    if interface == AUTO:
        return None
    try:
        address = ipaddress.ip_address(interface)
        place, is_local = f"address={quoteattr(interface)}", address.is_loopback
    except ValueError:
        place, is_local = f"name={quoteattr(interface)}", interface == "lo"
    peers = (
        "<AllowMulticast>false</AllowMulticast></General><Discovery><Peers>"
        '<Peer address="127.0.0.1"/></Peers>'
        if is_local
        else "</General><Discovery>"
    )
    return (
        f"<CycloneDDS><Domain><General><MaxMessageSize>{LARGEST_PACKET}B</MaxMessageSize>"
        f"<FragmentSize>{LARGEST_PIECE}B</FragmentSize>"
        f"<Interfaces><NetworkInterface {place}/></Interfaces>{peers}"
        "<ParticipantIndex>auto</ParticipantIndex>"
        f"<MaxAutoParticipantIndex>{MOST_PARTICIPANTS}</MaxAutoParticipantIndex></Discovery>"
        f"<Internal>{HEARTBEAT}<Watermarks><WhcHigh>{BACKLOG}</WhcHigh></Watermarks></Internal>"
        "<Tracing><Verbosity>none</Verbosity></Tracing></Domain></CycloneDDS>"
    )


_domains: dict[int, tuple[str, Any, int]] = {}
_lock = threading.Lock()


def _enter_domain(number: int, interface: str) -> None:
    """Configure a domain for this process; several nodes of it share that."""
    from cyclonedds.core import DDSException
    from cyclonedds.domain import Domain

    text = configuration(interface)
    with _lock:
        known = _domains.get(number)
        if known is not None and known[0] != interface:
            raise Ros2Error(
                f'domain {number} is used by this program on the interface "{known[0]}" already'
            )
        try:
            domain = known[1] if known else text and Domain(number, text)
        except DDSException as error:
            raise Ros2Error(
                f'DDS cannot use the interface "{interface}" for domain {number}: {error.msg}'
            ) from None
        _domains[number] = (interface, domain, known[2] + 1 if known else 1)


def _leave_domain(number: int) -> None:
    with _lock:
        interface, domain, count = _domains.pop(number)
        if count > 1:
            _domains[number] = (interface, domain, count - 1)


class DdsNode:
    """A participant of a domain.

    Args:
        domain: Its number.
        interface: Name or address of a network interface, or `auto`.

    Raises:
        Ros2Error: There is no DDS, or it cannot use the interface.
    """

    def __init__(self, domain: int, interface: str) -> None:
        require_dds()
        from cyclonedds.core import DDSException
        from cyclonedds.domain import DomainParticipant
        from cyclonedds.qos import Policy, Qos

        self.domain = domain
        self.complain: Callable[[str], None] = lambda _: None
        self._watchers: list[Any] = []
        _enter_domain(domain, interface)
        try:
            self.participant: Any = DomainParticipant(domain, Qos(Policy.Userdata(b"enclave=/;")))
        except DDSException as error:
            _leave_domain(domain)
            raise Ros2Error(f"domain {domain} of DDS cannot be entered: {error.msg}") from None

    def writer(self, topic: Topic) -> DdsWriter:
        """Return a new writer of a topic."""
        return DdsWriter(self, dds_topic_name(topic.name), topic.message, topic.quality)

    def reader(self, topic: Topic, take: Callable[[bytes], None]) -> DdsReader:
        """Return a new reader of a topic; `take` gets the bytes of each message, in a thread of DDS."""
        return DdsReader(self, dds_topic_name(topic.name), topic.message, topic.quality, take)

    def watch(self, see: Callable[[str, str, bool], None]) -> None:
        """Tell of each reader and writer that there is, and of those that come, in a thread of DDS.

        Args:
            see: Is given the name of the ROS topic, the type (`std_msgs/msg/Bool`) and whether it writes.
        """
        from cyclonedds import builtin
        from cyclonedds.core import Listener

        def came(reader: Any, *, writes: bool) -> None:
            for sample in reader.take(READ_AT_ONCE) if reader is not None else ():
                name = getattr(sample, "topic_name", None) or ""  # None = it has gone
                if name.startswith("rt/"):
                    see(name[2:], ros_type_name(sample.type_name), writes)

        for topic, writes in (
            (builtin.BuiltinTopicDcpsPublication, True),
            (builtin.BuiltinTopicDcpsSubscription, False),
        ):
            take = partial(came, writes=writes)
            listener = Listener(on_data_available=take)
            kind: Any = topic
            reader = builtin.BuiltinDataReader(self.participant, kind, listener=listener)
            self._watchers.append(reader)
            take(reader)  # what came before the listener knew its reader

    def close(self) -> None:
        """Leave: peers are told."""
        if self.participant is None:
            return
        for watcher in self._watchers:
            _delete(watcher)
        self._watchers.clear()
        _delete(self.participant)
        self.participant = None
        _leave_domain(self.domain)


def dds_topic_name(name: str) -> str:
    """Return the name of a ROS topic on the wire."""
    return f"rt{name}"


def ros_type_name(name: str) -> str:
    """Return the ROS type of a type on the wire: `std_msgs/msg/Bool` for `std_msgs::msg::dds_::Bool_`."""
    parts = [part for part in name.split("::") if part != "dds_"]
    return "/".join(parts)[:MOST_LETTERS].removesuffix("_")


MOST_LETTERS: Final = 200
"""Of a type that a peer tells."""

POLICIES: Final = {2: "durability", 4: "deadline", 8: "liveliness", 11: "reliability"}
"""What peers may want of a topic, by the numbers of DDS."""


def _misfit(status: Any) -> str:
    return POLICIES.get(int(status.last_policy_id), "another quality")


class DdsWriter:
    """Sends the messages of one topic.

    Attributes:
        matched: How many readers there are.
    """

    def __init__(self, node: DdsNode, name: str, message: str, quality: Quality) -> None:
        from cyclonedds.core import Listener
        from cyclonedds.pub import DataWriter
        from cyclonedds.topic import Topic as DdsTopic

        self.matched = 0
        kind: Any = _type_of(message)
        qos = _qos(quality)
        topic = DdsTopic(node.participant, name, kind, qos=qos)
        said = f"{name[2:]}: a reader asks for more %s than is offered, and gets nothing"
        listener = Listener(
            on_publication_matched=self._matched,
            on_offered_incompatible_qos=lambda _, status: node.complain(said % _misfit(status)),
        )
        self._writer = DataWriter(node.participant, topic, qos=qos, listener=listener)
        self._sample = kind.__new__(kind)

    def _matched(self, _: Any, status: Any) -> None:
        self.matched = status.current_count

    def write(self, data: bytes) -> bool:
        """Send the bytes of a message; False = it was dropped, for all."""
        from cyclonedds.core import DDSException

        self._sample.raw = data
        try:
            self._writer.write(self._sample)
        except DDSException as error:
            if error.code == DDSException.DDS_RETCODE_TIMEOUT:
                return False
            raise
        return True

    def close(self) -> None:
        """End it."""
        _delete(self._writer)


class DdsReader:
    """Takes the messages of one topic.

    Attributes:
        matched: How many writers there are.
    """

    def __init__(
        self,
        node: DdsNode,
        name: str,
        message: str,
        quality: Quality,
        take: Callable[[bytes], None],
    ) -> None:
        from cyclonedds.core import Listener
        from cyclonedds.sub import DataReader
        from cyclonedds.topic import Topic as DdsTopic

        self._take = take
        self.matched = 0
        kind: Any = _type_of(message)
        qos = _qos(quality)
        topic = DdsTopic(node.participant, name, kind, qos=qos)
        said = f"{name[2:]}: a writer offers less %s than is asked for, and is not heard"
        listener = Listener(
            on_data_available=self._came,
            on_subscription_matched=self._matched,
            on_requested_incompatible_qos=lambda _, status: node.complain(said % _misfit(status)),
        )
        self._reader = DataReader(node.participant, topic, qos=qos, listener=listener)
        self._came(self._reader)  # what came before the listener knew its reader

    def _matched(self, _: Any, status: Any) -> None:
        self.matched = status.current_count

    def _came(self, reader: Any) -> None:
        for sample in reader.take(READ_AT_ONCE) if reader is not None else ():
            raw = getattr(sample, "raw", None)
            if raw is not None:
                self._take(raw)

    def close(self) -> None:
        """End it."""
        _delete(self._reader)


def _delete(entity: Any) -> None:
    entity.__del__()  # what the package offers for it


READ_AT_ONCE: Final = 100
"""Messages that are taken from a reader in one call."""


def _qos(quality: Quality) -> Any:
    from cyclonedds.qos import Policy, Qos

    return Qos(
        Policy.Reliability.Reliable(0) if quality.reliable else Policy.Reliability.BestEffort,
        Policy.Durability.TransientLocal if quality.keeps else Policy.Durability.Volatile,
        Policy.History.KeepLast(quality.depth),
        Policy.DataRepresentation(use_cdrv0_representation=True, use_xcdrv2_representation=False),
    )


@cache
def _type_of(name: str) -> Any:
    """Return the type of a message for DDS; its bytes are made and read by us."""
    from cyclonedds.idl import make_idl_struct

    described = definition(name)
    types = {item.name: _field_type(item) for item in described.fields}
    dds_name = described.dds_name.replace("::", ".")
    kind: Any = make_idl_struct(described.name.rpartition("/")[2], dds_name, types)

    def serialize(sample: Any, **_: Any) -> bytes:
        return sample.raw

    def deserialize(data: bytes, **_: Any) -> Any:
        sample = kind.__new__(kind)
        sample.raw = bytes(data)
        return sample

    kind.serialize = serialize
    kind.deserialize = staticmethod(deserialize)
    return kind


def _field_type(item: MessageField) -> Any:
    from cyclonedds.idl import types

    base = (
        str
        if item.kind == "string"
        else {"bool": bool}.get(item.kind) or getattr(types, item.kind)
        if item.kind in PRIMITIVES
        else _type_of(item.kind)
    )
    if item.count is None:
        return base
    return types.array[base, item.count] if item.count else types.sequence[base]
