"""A server that Foxglove connects to: sends what a simulation does, takes what its viewers ask for."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import foxglove as fg
import foxglove.messages as fm

from solidbody.base.errors import SolidbodyError
from solidbody.live.viewer_commands import TARGETS, CommandError, ViewerCommands, request_of
from solidbody.record.base import Recorder, nanoseconds, turn_on_sensors
from solidbody.record.foxglove_messages import (
    LOG,
    READING,
    READING_SCHEMA,
    SCENE,
    RunMessage,
    RunMessages,
    facts_of,
    log_message,
)

if TYPE_CHECKING:
    from solidbody.sim import Sim

COMMAND_TOPIC: Final = "/joint_commands"
"""Viewers publish targets of motors here, as JSON."""

BACKLOG: Final = 256
"""Messages that a slow viewer may lag behind; older ones are dropped for it."""


class BridgeError(SolidbodyError):
    """The server cannot be started."""


class FoxgloveBridge(Recorder):
    """Goes along with a simulation and serves Foxglove's protocol; topics are those of `.mcap` recordings.

    Attributes:
        url: Address for Foxglove's "Open connection".
        commands: What viewers have asked for.
    """

    def __init__(
        self,
        sim: Sim,
        *,
        port: int,
        host: str,
        period: float,
        all_sensors: bool,
        takes_commands: bool,
        holds_time: bool,
    ) -> None:
        super().__init__(sim, Path("foxglove"), period)
        if all_sensors:
            turn_on_sensors(sim)
        self.commands = ViewerCommands(sim, self._is_watched)
        self._messages = RunMessages(sim)
        self._context = fg.Context()
        self._channels: dict[str, fg.Channel] = {}
        self._lock = threading.Lock()
        self._log = self._new_channel(LOG, fm.Log.get_schema(), "protobuf", {})
        can = fg.Capability
        capabilities = [can.Time]
        if takes_commands:
            capabilities += [can.ClientPublish, can.Parameters, can.Services]
        try:
            self._server = fg.start_server(
                name=f"solidbody: {sim.scene.title or sim.scene.name}",
                host=host,
                port=port,
                capabilities=capabilities,
                server_listener=_Listener(self, takes_commands=takes_commands),
                supported_encodings=["json"] if takes_commands else [],
                services=self._services() if takes_commands and holds_time else [],
                context=self._context,
                message_backlog_size=BACKLOG,
            )
        except Exception as error:  # the SDK's own kinds of errors
            raise BridgeError(f"Foxglove cannot be served at {host}:{port}: {error}") from error
        name = f"[{host}]" if ":" in host else host
        self.url = f"ws://{name}:{self._server.port}"
        self._listen()
        self._send_all()
        sim.attach(self)

    # ------------------------------------------------------------------ out

    def _listen(self) -> None:
        """Pass on what programs print."""
        for hook in self.sim.step_hooks:
            listen = getattr(hook, "listen_to_output", None)
            if listen is not None:
                listen(self._log_output, self.say)

    def _log_output(self, robot: str, line: str, is_error: bool) -> None:
        self.say("error" if is_error else "output", line, source=robot)

    def say(self, level: str, text: str, *, source: str = "solidbody") -> None:
        """Write a line to the viewers' log."""
        message = log_message(self.sim, level, source, text)
        self._log.log(message.encode(), log_time=nanoseconds(self.sim))

    def scene_changed(self) -> None:
        """Send other shapes, and the frames of other links."""
        self._messages.scene_changed()

    def show_scene_again(self) -> None:
        """Somebody new looks."""
        self._messages.is_scene_due = True

    def _is_watched(self) -> bool:
        with self._lock:
            return any(channel.has_sinks() for channel in self._channels.values())

    def _wants(self, topic: str) -> bool:
        channel = self._channels.get(topic)
        return channel is None or channel.has_sinks()

    def write(self) -> None:
        """Send what is new to those who want it."""
        self._server.broadcast_time(nanoseconds(self.sim))
        self._send_all()

    def _send_all(self) -> None:
        now = nanoseconds(self.sim)
        for message in self._messages.now(self.fresh_readings(), self._wants):
            content = message.content
            data = content if isinstance(content, bytes) else content.encode()
            self._channel(message).log(data, log_time=now)

    def _channel(self, message: RunMessage) -> fg.Channel:
        found = self._channels.get(message.topic)
        if found is not None:
            return found
        facts = {} if message.kind is None else facts_of(message.kind)
        if isinstance(message.content, bytes):
            text = json.dumps(READING_SCHEMA).encode()
            schema = fg.Schema(name=READING, encoding="jsonschema", data=text)
            return self._new_channel(message.topic, schema, "json", facts)
        return self._new_channel(message.topic, message.content.get_schema(), "protobuf", facts)

    def _new_channel(
        self, topic: str, schema: fg.Schema, encoding: str, facts: dict[str, str]
    ) -> fg.Channel:
        channel = fg.Channel(
            topic, schema=schema, message_encoding=encoding, context=self._context, metadata=facts
        )
        with self._lock:
            self._channels[topic] = channel
        return channel

    # ------------------------------------------------------------------ between steps

    def before_steps(self) -> None:
        """Do what viewers have asked for; a pause of theirs holds the caller here."""
        for problem in self.commands.obey():
            self.say("error", problem)
        super().before_steps()

    def steps_until_due(self) -> int | None:
        """One by one while viewers count them."""
        return 1 if self.commands.is_counting else super().steps_until_due()

    def after_steps(self) -> None:
        """Send, when it is time; in a pause after each step."""
        if self.commands.is_counting:
            self.commands.note_step()
            self._follow()
            self.write()
        else:
            super().after_steps()

    def reset(self) -> None:
        """Times begin again: viewers forget what they have."""
        super().reset()
        self._server.clear_session()
        self._messages.is_scene_due = True

    def finish(self) -> None:
        """End the server."""
        self.commands.close()
        self._server.stop()
        for channel in self._channels.values():
            channel.close()

    def abandon(self) -> None:
        """End the server."""
        self.finish()

    # ------------------------------------------------------------------ in

    def _services(self) -> list[fg.Service]:
        calls = (self.commands.play, self.commands.pause, self.commands.step, self.commands.reset)
        return [_service(f"/{call.__name__}", call) for call in calls]

    def parameters(self, names: list[str] | None = None) -> Iterator[fg.Parameter]:
        """Yield targets of motors, `JOINT.velocity` and the like, as far as they are set."""
        for joint in self.sim.joint_names:
            handle = self.sim.joint(joint)
            if not handle.has_motor:
                continue
            for key, attribute in TARGETS.items():
                name = f"{joint}.{key}"
                value = getattr(handle, attribute)
                if value is not None and (not names or name in names):
                    yield fg.Parameter(name, value=float(value))


def _service(name: str, call: Callable[[Mapping[str, Any]], None]) -> fg.Service:
    text = json.dumps({"type": "object"}).encode()
    schema = fg.Schema(name=f"solidbody.{name[1:]}", encoding="jsonschema", data=text)
    message = fg.MessageSchema(encoding="json", schema=schema)

    def handle(request: fg.ServiceRequest) -> bytes:
        call(request_of(request.payload))  # an error's text is what the viewer is told
        return b'{"ok": true}'

    return fg.Service(
        name,
        schema=fg.ServiceSchema(name=name[1:], request=message, response=message),
        handler=handle,
    )


class _Listener:
    """Takes what viewers send, in threads of the server."""

    def __init__(self, bridge: FoxgloveBridge, *, takes_commands: bool) -> None:
        self._bridge = bridge
        self._takes_commands = takes_commands
        self._topics: dict[tuple[int, int], str] = {}

    def on_subscribe(self, client: Any, channel: Any) -> None:
        if channel.topic == SCENE:
            self._bridge.show_scene_again()

    def on_unsubscribe(self, client: Any, channel: Any) -> None: ...

    def on_client_advertise(self, client: Any, channel: Any) -> None:
        self._topics[client.id, channel.id] = channel.topic
        if channel.topic != COMMAND_TOPIC or channel.encoding != "json":
            self._bridge.say(
                "warning",
                f'nobody listens to "{channel.topic}" as {channel.encoding};'
                f" commands are JSON on {COMMAND_TOPIC}",
            )

    def on_client_unadvertise(self, client: Any, client_channel_id: int) -> None:
        self._topics.pop((client.id, client_channel_id), None)

    def on_message_data(self, client: Any, client_channel_id: int, data: bytes) -> None:
        if self._topics.get((client.id, client_channel_id)) != COMMAND_TOPIC:
            return
        if self._takes_commands:
            self._try(lambda: self._bridge.commands.command_joints(request_of(data)))

    def on_get_parameters(
        self, client: Any, param_names: list[str], request_id: str | None = None
    ) -> list[Any]:
        return list(self._bridge.parameters(param_names))

    def on_set_parameters(
        self, client: Any, parameters: list[Any], request_id: str | None = None
    ) -> list[Any]:
        for parameter in parameters if self._takes_commands else []:
            self._try(lambda parameter=parameter: self._set(parameter))
        return parameters

    def on_parameters_subscribe(self, param_names: list[str]) -> None: ...

    def on_parameters_unsubscribe(self, param_names: list[str]) -> None: ...

    def on_connection_graph_subscribe(self) -> None: ...

    def on_connection_graph_unsubscribe(self) -> None: ...

    def on_playback_control_request(self, playback_control_request: Any) -> None: ...

    def _set(self, parameter: Any) -> None:
        joint, _, key = parameter.name.rpartition(".")
        if key not in TARGETS:
            raise CommandError(
                f'there is no parameter "{parameter.name}"; JOINT.{", JOINT.".join(TARGETS)} are'
            )
        self._bridge.commands.set_target(joint, key, parameter.get_value())

    def _try(self, act: Callable[[], None]) -> None:
        """Tell all viewers what could not be done."""
        try:
            act()
        except SolidbodyError as error:
            self._bridge.say("error", str(error))
