"""Services for callers whose ROS speaks Cyclone (`RMW_IMPLEMENTATION=rmw_cyclonedds_cpp`).

There, requests and responses carry who has asked, and which of his requests it is, before their own fields.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from solidbody.base.errors import SolidbodyError
from solidbody.live.ros.cdr import decode, encode
from solidbody.live.ros.dds_node import DdsNode, DdsReader, DdsWriter
from solidbody.live.ros.definitions import with_caller
from solidbody.live.ros.services import Service
from solidbody.live.ros.settings import Quality

CALLS: Final = Quality(depth=100)


class DdsServices:
    """Answers calls of services, by the same node that publishes."""

    def __init__(
        self, node: DdsNode, services: Sequence[Service], say: Callable[[str, str], None]
    ) -> None:
        self._say = say
        self._open: list[DdsReader | DdsWriter] = []
        for service in services:
            self._serve(node, service)

    def _serve(self, node: DdsNode, service: Service) -> None:
        asked, told = (with_caller(f"{service.kind}_{end}") for end in ("Request", "Response"))
        writer = DdsWriter(node, f"rr{service.name}Reply", told, CALLS)

        def take(data: bytes) -> None:
            try:
                request = decode(asked, data)
                caller = {"guid": request.pop("guid"), "seq": request.pop("seq")}
                service.call(request, lambda out: send(caller, out))
            except SolidbodyError as error:
                self._say("error", f"{service.name}: {error}")

        def send(caller: dict[str, int], response: dict[str, Any]) -> None:
            writer.write(encode(told, caller | response))

        self._open += [writer, DdsReader(node, f"rq{service.name}Request", asked, CALLS, take)]

    def close(self) -> None:
        """The node ends them."""
        for one in self._open:
            one.close()
