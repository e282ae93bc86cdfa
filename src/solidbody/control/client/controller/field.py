"""`Field` of Webots' controller API: fields of nodes, for supervisors."""

from __future__ import annotations

from typing import Any

from .connection import protocol
from .device import complain

LIST = 0x10


def _is_number(value: Any) -> bool:
    """Whether it is a number, be it one of numpy's."""
    return hasattr(value, "__float__") and not isinstance(value, bool)


def _are_numbers(value: Any, *counts: int) -> bool:
    return hasattr(value, "__len__") and len(value) in counts and all(map(_is_number, value))


def _is_int(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _floats(value: Any, width: int) -> tuple[float, ...]:
    """Return Python's own numbers, which messages consist of: the first ones; those left out are 0."""
    return (*map(float, value[:width]), *(0.0,) * (width - len(value)))


_WIDTHS = {"Vec2f": 2, "Vec3f": 3, "Rotation": 4, "Color": 3}

_KINDS: dict[str, tuple[Any, Any, Any, str]] = {
    "Bool": (lambda v: isinstance(v, bool), lambda v: isinstance(v, int), bool, "a bool"),
    "Int32": (_is_int, _is_int, int, "an int"),
    "Float": (lambda v: isinstance(v, float), _is_number, float, "a float"),
    "String": (_is_text, _is_text, str, "a str"),
    **{
        kind: (
            lambda v, n=width: isinstance(v, list) and _are_numbers(v, n),
            lambda v, n=width: _are_numbers(v, *range(n + 1)),
            lambda v, n=width: _floats(v, n),
            f"a list of {width} numbers",
        )
        for kind, width in _WIDTHS.items()
    },
}
"""Of each type: which values a field of one value takes, which ones an item of a list takes (there Webots'
library only converts them, and fills up those that are too short with zeros), how a message holds them, and
how complaints call them."""


class Field:
    """A field of a node."""

    NO_FIELD = 0
    SF_BOOL, SF_INT32, SF_FLOAT, SF_VEC2F, SF_VEC3F = 1, 2, 3, 4, 5
    SF_ROTATION, SF_COLOR, SF_STRING, SF_NODE = 6, 7, 8, 9
    MF = LIST
    MF_BOOL, MF_INT32, MF_FLOAT, MF_VEC2F, MF_VEC3F = 17, 18, 19, 20, 21
    MF_ROTATION, MF_COLOR, MF_STRING, MF_NODE = 22, 23, 24, 25

    def __init__(self, supervisor: Any, facts: tuple[Any, ...]) -> None:
        self._supervisor = supervisor
        self._node, self._name, self._type, self._type_name, self._level = facts
        self._tracking = 0

    @property
    def _place(self) -> tuple[int, int, str]:
        return self._node, self._level, self._name

    def _ask(self, kind: protocol.Message, *arguments: Any) -> Any:
        return self._supervisor._sb_ask(kind, *self._place, *arguments)

    def _order(self, kind: protocol.Message, *arguments: Any) -> None:
        self._supervisor._sb_order(kind, *self._place, *arguments)

    # what it is

    def getName(self) -> str:
        """Return its name."""
        return self._name

    def getType(self) -> int:
        """Return the number of its type."""
        return self._type

    def getTypeName(self) -> str:
        """Return its type, such as "SFVec3f"."""
        return self._type_name

    def getCount(self) -> int:
        """Return the number of items of a list; -1 for a field that holds one value."""
        found = self._ask(protocol.FieldLength)
        return -1 if found is None else found

    def getActualField(self) -> Field | None:
        """Return the field of the node itself that a field of its PROTO stands for."""
        found = self._ask(protocol.FieldActual)
        return None if found is None else Field(self._supervisor, found)

    def enableSFTracking(self, samplingPeriod: int) -> None:
        """Ask for the value every `samplingPeriod` milliseconds; here it is always the present one."""
        if self._type & LIST:
            complain("Error: Field.enableSFTracking() can only be used with fields of one value")
        elif int(samplingPeriod) <= 0:
            complain("Error: Field.enableSFTracking(): the sampling period must be above 0")
        else:
            self._tracking = int(samplingPeriod)

    def disableSFTracking(self) -> None:
        """Ask for the value no more; it can still be read."""
        self._tracking = 0

    # reading

    def _get(self, function: str, kind: str, index: int | None = None) -> Any:
        """Return the value; functions for one value return it whatever its type, as in Webots' library."""
        if not self._is_for(function, kind):
            return None
        return self._value(self._ask(protocol.FieldGet, index))

    def _is_for(self, function: str, kind: str) -> bool:
        """Whether a function can be used with this field; those for one value serve all such fields."""
        is_right = self._type_name == kind or (
            kind[:2] == "SF" and kind != "SFNode" and not self._type & LIST
        )
        if not is_right:
            complain(
                f'Error: Field.{function}() called for the field "{self._name}", which is {self._type_name}'
            )
        return is_right

    def _value(self, value: Any) -> Any:
        if value is not None and self._type_name.endswith("Node"):
            return self._supervisor._sb_node(value)
        return list(value) if isinstance(value, tuple) else value

    def getSFBool(self) -> bool:
        """Return its value."""
        return self._get("getSFBool", "SFBool")

    def getSFInt32(self) -> int:
        """Return its value."""
        return self._get("getSFInt32", "SFInt32")

    def getSFFloat(self) -> float:
        """Return its value."""
        return self._get("getSFFloat", "SFFloat")

    def getSFVec2f(self) -> list[float]:
        """Return its value."""
        return self._get("getSFVec2f", "SFVec2f")

    def getSFVec3f(self) -> list[float]:
        """Return its value."""
        return self._get("getSFVec3f", "SFVec3f")

    def getSFRotation(self) -> list[float]:
        """Return axis x, y, z and angle [rad]."""
        return self._get("getSFRotation", "SFRotation")

    def getSFColor(self) -> list[float]:
        """Return red, green and blue, 0 to 1."""
        return self._get("getSFColor", "SFColor")

    def getSFString(self) -> str:
        """Return its value."""
        return self._get("getSFString", "SFString")

    def getSFNode(self) -> Any:
        """Return the node, or None."""
        return self._get("getSFNode", "SFNode")

    def getMFBool(self, index: int) -> bool:
        """Return an item; negative indices count from the end."""
        return self._get("getMFBool", "MFBool", index)

    def getMFInt32(self, index: int) -> int:
        """Return an item."""
        return self._get("getMFInt32", "MFInt32", index)

    def getMFFloat(self, index: int) -> float:
        """Return an item."""
        return self._get("getMFFloat", "MFFloat", index)

    def getMFVec2f(self, index: int) -> list[float]:
        """Return an item."""
        return self._get("getMFVec2f", "MFVec2f", index)

    def getMFVec3f(self, index: int) -> list[float]:
        """Return an item."""
        return self._get("getMFVec3f", "MFVec3f", index)

    def getMFRotation(self, index: int) -> list[float]:
        """Return an item."""
        return self._get("getMFRotation", "MFRotation", index)

    def getMFColor(self, index: int) -> list[float]:
        """Return an item."""
        return self._get("getMFColor", "MFColor", index)

    def getMFString(self, index: int) -> str:
        """Return an item."""
        return self._get("getMFString", "MFString", index)

    def getMFNode(self, index: int) -> Any:
        """Return a node of the list."""
        return self._get("getMFNode", "MFNode", index)

    # setting

    def _put(self, function: str, kind: str, value: Any, index: int | None = None) -> None:
        if self._is_right(function, kind, value):
            self._supervisor._sb_set(*self._place, index, self._plain(value))

    def _add(self, function: str, kind: str, index: int, value: Any) -> None:
        if self._is_right(function, kind, value):
            self._order(protocol.FieldInsert, index, self._plain(value))

    def _plain(self, value: Any) -> Any:
        return _KINDS[self._type_name[2:]][2](value)

    def _is_right(self, function: str, kind: str, value: Any) -> bool:
        if not self._is_for(function, kind):
            return False
        if self._type == self.SF_NODE:
            complain(f'Error: the field "{self._name}" holds a node: use importSFNodeFromString()')
            return False
        name = self._type_name[2:]
        single, item, _, words = _KINDS[name]
        takes = item if self._type & LIST else single
        if takes(value):
            return True
        is_old = self._supervisor._sb_facts["is_old"]
        if self._type == self.SF_FLOAT and _is_number(value) and is_old:
            return True
        width = _WIDTHS.get(name, 0)
        if width and hasattr(value, "__len__") and len(value) > width and takes(value[:width]):
            if not is_old:  # until R2022a its library took them in silence
                complain(
                    f'Error: Field.{function}(): the field "{self._name}" takes {words}, '
                    f"got {len(value)}; the first ones are set"
                )
            return True
        complain(
            f'Error: Field.{function}(): the field "{self._name}" takes {words}, '
            f"got {type(value).__name__} {value!r}; nothing is set"
        )
        return False

    def setSFBool(self, value: bool) -> None:
        """Set it."""
        self._put("setSFBool", "SFBool", value)

    def setSFInt32(self, value: int) -> None:
        """Set it."""
        self._put("setSFInt32", "SFInt32", value)

    def setSFFloat(self, value: float) -> None:
        """Set it; an int is no float, except in worlds of the time when it was (until R2022a)."""
        self._put("setSFFloat", "SFFloat", value)

    def setSFVec2f(self, values: list[float]) -> None:
        """Set it, from a list."""
        self._put("setSFVec2f", "SFVec2f", values)

    def setSFVec3f(self, values: list[float]) -> None:
        """Set it, from a list."""
        self._put("setSFVec3f", "SFVec3f", values)

    def setSFRotation(self, values: list[float]) -> None:
        """Set it: axis x, y, z and angle [rad]."""
        self._put("setSFRotation", "SFRotation", values)

    def setSFColor(self, values: list[float]) -> None:
        """Set it: red, green and blue, 0 to 1."""
        self._put("setSFColor", "SFColor", values)

    def setSFString(self, value: str) -> None:
        """Set it."""
        self._put("setSFString", "SFString", value)

    def setMFBool(self, index: int, value: bool) -> None:
        """Set an item; negative indices count from the end."""
        self._put("setMFBool", "MFBool", value, index)

    def setMFInt32(self, index: int, value: int) -> None:
        """Set an item."""
        self._put("setMFInt32", "MFInt32", value, index)

    def setMFFloat(self, index: int, value: float) -> None:
        """Set an item."""
        self._put("setMFFloat", "MFFloat", value, index)

    def setMFVec2f(self, index: int, values: list[float]) -> None:
        """Set an item."""
        self._put("setMFVec2f", "MFVec2f", values, index)

    def setMFVec3f(self, index: int, values: list[float]) -> None:
        """Set an item."""
        self._put("setMFVec3f", "MFVec3f", values, index)

    def setMFRotation(self, index: int, values: list[float]) -> None:
        """Set an item."""
        self._put("setMFRotation", "MFRotation", values, index)

    def setMFColor(self, index: int, values: list[float]) -> None:
        """Set an item."""
        self._put("setMFColor", "MFColor", values, index)

    def setMFString(self, index: int, value: str) -> None:
        """Set an item."""
        self._put("setMFString", "MFString", value, index)

    # lists

    def insertMFBool(self, index: int, value: bool) -> None:
        """Insert an item before another; -1 = at the end."""
        self._add("insertMFBool", "MFBool", index, value)

    def insertMFInt32(self, index: int, value: int) -> None:
        """Insert an item."""
        self._add("insertMFInt32", "MFInt32", index, value)

    def insertMFFloat(self, index: int, value: float) -> None:
        """Insert an item."""
        self._add("insertMFFloat", "MFFloat", index, value)

    def insertMFVec2f(self, index: int, values: list[float]) -> None:
        """Insert an item."""
        self._add("insertMFVec2f", "MFVec2f", index, values)

    def insertMFVec3f(self, index: int, values: list[float]) -> None:
        """Insert an item."""
        self._add("insertMFVec3f", "MFVec3f", index, values)

    def insertMFRotation(self, index: int, values: list[float]) -> None:
        """Insert an item."""
        self._add("insertMFRotation", "MFRotation", index, values)

    def insertMFColor(self, index: int, values: list[float]) -> None:
        """Insert an item."""
        self._add("insertMFColor", "MFColor", index, values)

    def insertMFString(self, index: int, value: str) -> None:
        """Insert an item."""
        self._add("insertMFString", "MFString", index, value)

    def removeMF(self, index: int) -> None:
        """Take an item out of the list; a node leaves the world."""
        if not self._type & LIST:
            complain(
                f'Error: Field.removeMF() called for the field "{self._name}", which is no list'
            )
            return
        self._order(protocol.FieldRemoveItem, index)

    def removeSF(self) -> None:
        """Take the node out of the field."""
        if self._type != self.SF_NODE:
            complain(
                f'Error: Field.removeSF() called for the field "{self._name}", which is {self._type_name}'
            )
            return
        self._order(protocol.FieldRemoveNode)

    def importMFNodeFromString(self, position: int, nodeString: str) -> None:
        """Insert a node, given as text, in the list; -1 = at the end."""
        self._order(protocol.FieldImportItem, int(position), str(nodeString))

    def importSFNodeFromString(self, nodeString: str) -> None:
        """Put a node, given as text, into the field, which must be empty."""
        self._order(protocol.FieldImportNode, str(nodeString))

    def importMFNode(self, position: int, filename: str) -> None:
        """Insert what an object file (.wbo) or a VRML97 file (.wrl) holds; deprecated."""
        self._order(protocol.FieldImportFile, int(position), str(filename))

    def importSFNode(self, filename: str) -> None:
        """Put the node of an object file (.wbo) or a VRML97 file (.wrl) into the field; deprecated."""
        self._order(protocol.FieldImportFile, None, str(filename))

    # the value as a property

    @property
    def value(self) -> Any:
        """The value, or the list of all items."""
        if not self._type & LIST:
            return self._value(self._ask(protocol.FieldGet, None))
        return [
            self._value(self._ask(protocol.FieldGet, index))
            for index in range(max(self.getCount(), 0))
        ]

    @value.setter
    def value(self, value: Any) -> None:
        if self._type & LIST:
            complain(f'Error: the field "{self._name}" is a list: set its items')
            return
        self._put("value", self._type_name, value)

    name = property(getName)
    type = property(getType)
    type_name = property(getTypeName)
    count = property(getCount)
