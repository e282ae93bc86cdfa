"""`ContactPoint` of Webots' controller API: where a solid touches something."""

from __future__ import annotations


class ContactPoint:
    """A contact point of a solid, and the number of the solid that it belongs to."""

    def __init__(self, point: list[float], node_id: int) -> None:
        self.point = point
        self.node_id = node_id

    def getPoint(self) -> list[float]:
        """Return where it is in the world [m]."""
        return self.point

    def getNodeId(self) -> int:
        """Return the number of the solid."""
        return self.node_id

    def __repr__(self) -> str:
        return f"ContactPoint(point={self.point}, node_id={self.node_id})"
