"""The table of device kinds: complete, and everything that it names by words is there."""

from __future__ import annotations

import inspect
from typing import get_args

import pytest

from solidbody.control import protocol
from solidbody.control.adapters import ADAPTERS, Adapter
from solidbody.control.node_types import NUMBERS
from solidbody.devices.core.device_binding import AnyDevice
from solidbody.devices.core.group import Group
from solidbody.devices.core.kind import DeviceKind
from solidbody.devices.kinds import GROUPS, KIND_OF, KINDS, client_of
from solidbody.record.foxglove_messages import CONTENTS, facts_of

EACH = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.model.__name__)


def test_every_device_has_one_row() -> None:
    """A device without a row would be invisible to programs, recordings and page."""
    assert set(KIND_OF) == set(get_args(AnyDevice))
    assert len(KINDS) == len(KIND_OF)


def test_every_group_is_sampled() -> None:
    """A group that no row names would never be made; bases of several are no groups themselves."""
    found, left = set[type](), [Group]
    while left:
        left += (made := left.pop().__subclasses__())
        found |= {each for each in made if not inspect.isabstract(each)}
    ours = {
        each
        for each in found
        if each.__module__.startswith("solidbody.") and not each.__name__.startswith("_")
    }
    assert ours == set(GROUPS)


@EACH
def test_a_value_has_a_name_for_each_of_its_numbers(kind: DeviceKind) -> None:
    """Names and units on the page and in recordings are those of the columns of the group."""
    if kind.parts:
        assert kind.group is not None
        assert len(kind.parts) == kind.group.width
    assert not (kind.parts and kind.is_picture)
    if kind.channels:
        assert kind.group is not None
    assert facts_of(kind).get("names", "") == ",".join(part.name for part in kind.parts)


@EACH
def test_what_a_row_names_is_there(kind: DeviceKind) -> None:
    """Adapters, schemas and kinds that stand in for others."""
    assert issubclass(ADAPTERS[kind.model], Adapter)
    assert {channel.schema for channel in kind.channels} <= set(CONTENTS)
    if kind.seen_as is not None:
        assert kind.client is None
        assert client_of(kind) is not None


@EACH
def test_an_adapter_handles_what_its_row_takes(kind: DeviceKind) -> None:
    """What a row promises to programs would else be refused when it is sent."""
    client = client_of(kind)
    if client is not None:
        taken = {getattr(protocol, name).NUMBER for name in client.taken}
        assert taken <= set(ADAPTERS[kind.model].handlers)


def test_messages_of_devices_are_those_of_the_table() -> None:
    """Each message to, of and from devices is named by a row, and each that a row names is there."""
    clients = [kind.client for kind in KINDS if kind.client is not None]
    taken = {name for client in clients for name in client.taken}
    families = protocol.members(protocol.DeviceCommand) + protocol.members(protocol.DeviceRequest)
    assert taken == {message.__name__ for message in families}
    told = {client.told for client in clients}
    assert told == {message.__name__ for message in protocol.members(protocol.DeviceFacts)}
    reports = {name for client in clients for name in client.report.split()} | {"ReportBlock"}
    assert reports == {message.__name__ for message in protocol.members(protocol.Report)}


def test_no_two_kinds_share_a_number_or_a_name() -> None:
    """Node types of all kinds, and of nodes that are no devices."""
    clients = [kind.client for kind in KINDS if kind.client is not None]
    types = [(name, number) for each in clients for name, number in each.node_types.items()]
    assert len(types) == len(dict(types)) == len({number for _, number in types})
    assert sorted(NUMBERS.values()) == list(range(len(NUMBERS)))
    assert len({each.word for each in clients}) == len({each.name for each in clients})
    assert {each.name: each.word for each in clients}["DistanceSensor"] == "distance_sensor"
