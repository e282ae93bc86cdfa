"""The protocol between simulator and controllers: what is described is what is sent."""

from __future__ import annotations

import inspect
import random
import struct

import pytest

from solidbody.control import protocol
from solidbody.control.adapters import ADAPTERS, Adapter
from solidbody.control.adapters.base import handles
from solidbody.control.client import solidbody_protocol as codec
from solidbody.control.client import solidbody_turns as turns
from solidbody.control.requests import ROBOT_HANDLERS
from tests.control.messages import made, packed
from tools import make_protocol

MESSAGES = [protocol.MESSAGES[number] for number in sorted(protocol.MESSAGES)]


def test_what_is_generated_is_up_to_date_and_always_the_same() -> None:
    """`python -m tools.make_protocol` was run after the last change of the protocol."""
    files = make_protocol.generate()
    assert files == make_protocol.generate()
    for path, text in files.items():
        assert path.read_text("utf-8") == text, f"{path.name}: run python -m tools.make_protocol"


@pytest.mark.parametrize("cls", MESSAGES, ids=lambda cls: cls.__name__)
def test_every_message_arrives_as_it_was_sent(cls: type[protocol.Message]) -> None:
    """Bit for bit, with values of all kinds; nothing is left over."""
    chance = random.Random(cls.NUMBER)
    reader = getattr(codec, cls.__name__)
    assert (reader.number, list(reader.names)) == (
        cls.NUMBER,
        [name for name, _ in make_protocol.layout(cls)],
    )
    for _ in range(20):
        message = made(cls, chance)
        data = packed(message)
        found, end = reader.read(data, 2)
        assert repr(found) == repr(message)
        assert end == len(data)


def test_numbers_are_laid_out_as_c_would_have_them() -> None:
    """Little-endian, without padding; this is what the page tells others to write."""
    assert codec.MotorVelocity.pack(3, 1.0) == bytes.fromhex("9800 03000000 000000000000f03f")
    assert codec.Turn.pack([codec.Step.pack(8.0)]) == bytes.fromhex(
        "0400 01000000 1400 0000000000002040"
    )
    assert codec.RobotCustomData.pack("ü") == bytes.fromhex("1e00 02000000 c3bc")
    assert codec.FieldSet.pack(1, -1, "a", None, True) == bytes.fromhex(
        "3601 01000000 ffffffff 01000000 61 00 01 01"
    )


@pytest.mark.parametrize(
    ("name", "values", "problem"),
    [
        ("MotorVelocity", (1, float("nan")), "MotorVelocity.value: nan does not fit"),
        ("MotorPid", (1, 1.0, float("inf"), 0.0), "MotorPid.i: inf does not fit: it is not finite"),
        ("LedSet", (1, 2**31), "LedSet.value: 2147483648 does not fit"),
        ("LedSet", (1, "red"), "LedSet.value: 'red' does not fit"),
        ("LedSet", (1,), "LedSet has 2 fields, not 1"),
        ("RobotCustomData", (7,), "RobotCustomData.text: 7 does not fit"),
        ("SpeakerStop", (1, "x" * 70_000), "70000 bytes are more than the 65536 allowed"),
        (
            "RobotInput",
            ("pedal", 8),
            "RobotInput.kind: 'pedal' does not fit: it is none of keyboard",
        ),
        ("FieldSet", (1, -1, "a", None, b"x"), "a bytes is no value of a field"),
        ("FieldSet", (1, -1, "a", None, 2**63), "FieldSet.value: 9223372036854775808 does not fit"),
        ("DisplayPolygon", (1, [1.5], [2], True), "DisplayPolygon.x"),
    ],
)
def test_what_does_not_fit_is_told_with_its_field(name: str, values: tuple, problem: str) -> None:
    """Before it is sent."""
    kind = getattr(codec, name)
    with pytest.raises((struct.error, TypeError)):
        kind.pack(*values)
    assert problem in kind.explain(values)


def test_every_message_to_a_device_or_robot_has_a_handler() -> None:
    """And every handler a message, whose fields it takes: `handles` checks that at import."""
    numbers = {number for adapter in ADAPTERS.values() for number in adapter.handlers}
    kinds = (*protocol.members(protocol.DeviceCommand), *protocol.members(protocol.DeviceRequest))
    assert numbers == {kind.NUMBER for kind in kinds}
    robot = {
        kind for kind in protocol.members(protocol.Request) if kind.__name__.startswith("Robot")
    }
    assert set(ROBOT_HANDLERS) == {*protocol.members(protocol.RobotCommand), *robot}
    for kind, handler in ROBOT_HANDLERS.items():
        taken = list(inspect.signature(handler).parameters)[1:]
        assert taken == [name for name, _ in make_protocol.layout(kind)]


def test_a_handler_that_takes_other_fields_than_its_message_is_a_mistake() -> None:
    """Found when the module is imported."""

    def brake(self: Adapter, speed: float) -> None:
        """Take another field than the one that is sent."""

    with pytest.raises(TypeError, match=r"BrakeDamping has \('value',\)"):
        handles(protocol.BrakeDamping)(brake)


def test_the_client_hears_all_that_it_is_told() -> None:
    """Beside reports of one device, which begin with its tag."""
    from solidbody.control.client.controller.robot import HEARD, NUMBERS

    for kind in protocol.members(protocol.Told):
        names = [name for name, _ in make_protocol.layout(kind)]
        is_of_device = issubclass(kind, protocol.Report) and names[0] == "tag"
        assert is_of_device != (kind.NUMBER in HEARD or kind.NUMBER == NUMBERS), kind.__name__


def test_every_request_but_the_step_says_how_it_is_answered() -> None:
    """With a message of the family of answers."""
    without = {kind for kind in protocol.members(protocol.Request) if kind.ANSWER is None}
    assert without == {protocol.Step, protocol.WorldSettle}
    for kind in set(protocol.members(protocol.Request)) - without:
        assert kind.ANSWER is not None
        assert issubclass(kind.ANSWER, protocol.Result)


def test_answers_that_tell_numbers_only_are_read_in_one_go() -> None:
    """With the same result as by the readers of their messages; others are left to those."""
    numbers = codec.ReportNumbers.pack(3, [1.0, float("inf"), -0.5])
    frame = codec.StepAnswer.pack(0, 0.25, [numbers])
    _, status, time, ((_, block, values),) = codec.parse(frame, codec.FROM_SIMULATOR)
    assert turns.only_numbers(frame) == (status, time, block, values)
    others = [
        [],
        [numbers, numbers],
        [codec.Note.pack("x" * 40)],
        [codec.ReportValue.pack(1, [0.5] * 4)],
    ]
    for said in (*others, [numbers[:-1]], [numbers + b"x"]):
        assert turns.only_numbers(codec.StepAnswer.pack(0, 0.25, said)) is None
    assert turns.only_numbers(b"") is None
    assert turns.only_numbers(codec.Answer.pack("x" * 90, None, [])) is None


def test_turns_that_come_again_are_read_as_the_first_one_was() -> None:
    """With other numbers; other messages in a frame of the same length are not mistaken for them."""
    reader, chance = turns.TurnReader(), random.Random(1)
    names = (
        "MotorVelocity",
        "MotorPosition",
        "Step",
        "MotorPid",
        "LedSet",
        "PenWrite",
        "SpeakerStop",
    )
    kinds = [getattr(protocol, name) for name in names]
    frames = []
    for _ in range(100):
        said = chance.choices(kinds, k=chance.randrange(4))
        frame = codec.Turn.pack([packed(made(kind, chance)) for kind in said])
        frames += [frame, frame[:-1] + b"\xff", frame[:-2], frame + b"x"]
    for frame in chance.choices(frames, k=1000):
        results = []
        for read in (lambda data: codec.parse(data, codec.FROM_CLIENT)[1], reader.read):
            try:
                results.append(repr(read(frame)))
            except codec.ProtocolError as error:
                results.append(str(error))
        assert results[0] == results[1]


@pytest.mark.parametrize(
    ("kind", "value"), [("MotorVelocity", float("nan")), ("CameraFov", float("inf"))]
)
def test_a_turn_that_comes_again_is_checked_again(kind: str, value: float) -> None:
    """The field is named."""
    reader = turns.TurnReader()
    good = codec.Turn.pack([getattr(codec, kind).pack(1, 2.0), codec.Step.pack(8.0)])
    bad = good.replace(struct.pack("<d", 2.0), struct.pack("<d", value))
    for _ in range(3):
        assert reader.read(good)[0][2] == 2.0
        with pytest.raises(codec.ProtocolError, match=f"{kind}\\."):
            reader.read(bad)


def test_a_second_greeting_is_no_turn() -> None:
    """It is refused."""
    hello = codec.Hello.pack(codec.MAGIC, codec.VERSION, "", "", 1)
    with pytest.raises(codec.ProtocolError, match="a greeting is not expected"):
        turns.TurnReader().read(hello)
