"""`Proto` of Webots' controller API: the PROTOs that nodes were made of."""

from __future__ import annotations

from typing import Any

from .connection import protocol
from .field import Field


class Proto:
    """A PROTO of a node: that of the instance, or one that it is derived from."""

    def __init__(self, supervisor: Any, facts: tuple[Any, ...]) -> None:
        self._supervisor = supervisor
        self._node, self._level, self._name, self._is_derived = facts

    def getTypeName(self) -> str:
        """Return its name."""
        return self._name

    def isDerived(self) -> bool:
        """Return whether its body is an instance of another PROTO."""
        return self._is_derived

    def getParent(self) -> Proto | None:
        """Return the PROTO that it is derived from, or None."""
        found = self._supervisor._sb_ask(protocol.NodeProto, self._node, self._level + 1)
        return None if found is None else Proto(self._supervisor, found)

    def getField(self, fieldName: str) -> Field | None:
        """Return one of its parameters, which can be read; `getActualField` gives one to set."""
        found = self._supervisor._sb_ask(
            protocol.FieldFind, self._node, self._level, str(fieldName)
        )
        return None if found is None else Field(self._supervisor, found)

    def getFieldByIndex(self, index: int) -> Field | None:
        """Return one of its parameters by its place."""
        found = self._supervisor._sb_ask(protocol.FieldByIndex, self._node, self._level, int(index))
        return None if found is None else Field(self._supervisor, found)

    def getNumberOfFields(self) -> int:
        """Return the number of its parameters."""
        return self._supervisor._sb_ask(protocol.FieldNumber, self._node, self._level) or 0

    type_name = property(getTypeName)
    parent = property(getParent)
    is_derived = property(isDerived)
    number_of_fields = property(getNumberOfFields)
