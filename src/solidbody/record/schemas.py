"""JSON schemas of the messages in recordings.

Those whose names begin with `foxglove.` carry the fields that Foxglove's own schemas of that name have,
so that its panels understand them.
"""

from __future__ import annotations

from typing import Any, Final

_NUMBER: Final = {"type": "number"}
_TEXT: Final = {"type": "string"}
_BYTES: Final = {"type": "string", "contentEncoding": "base64"}


def _object(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


def _list(items: Any) -> dict[str, Any]:
    return {"type": "array", "items": items}


_TIME: Final = {
    **_object(sec={"type": "integer", "minimum": 0}, nsec={"type": "integer", "minimum": 0}),
    "title": "time",
}
_VECTOR: Final = _object(x=_NUMBER, y=_NUMBER, z=_NUMBER)
_TURN: Final = _object(x=_NUMBER, y=_NUMBER, z=_NUMBER, w=_NUMBER)
_POSE: Final = _object(position=_VECTOR, orientation=_TURN)
_COLOR: Final = _object(r=_NUMBER, g=_NUMBER, b=_NUMBER, a=_NUMBER)

_TRANSFORM: Final = _object(
    timestamp=_TIME,
    parent_frame_id=_TEXT,
    child_frame_id=_TEXT,
    translation=_VECTOR,
    rotation=_TURN,
)

_CUBE: Final = _object(pose=_POSE, size=_VECTOR, color=_COLOR)
_ROUND: Final = _object(
    pose=_POSE, size=_VECTOR, bottom_scale=_NUMBER, top_scale=_NUMBER, color=_COLOR
)
_TRIANGLES: Final = _object(
    pose=_POSE,
    points=_list(_VECTOR),
    color=_COLOR,
    colors=_list(_COLOR),
    indices=_list({"type": "integer"}),
)

SCHEMAS: Final[dict[str, dict[str, Any]]] = {
    "foxglove.FrameTransforms": _object(transforms=_list(_TRANSFORM)),
    "foxglove.CompressedImage": _object(timestamp=_TIME, frame_id=_TEXT, data=_BYTES, format=_TEXT),
    "foxglove.RawImage": _object(
        timestamp=_TIME,
        frame_id=_TEXT,
        width={"type": "integer"},
        height={"type": "integer"},
        encoding=_TEXT,
        step={"type": "integer"},
        data=_BYTES,
    ),
    "foxglove.PointCloud": _object(
        timestamp=_TIME,
        frame_id=_TEXT,
        pose=_POSE,
        point_stride={"type": "integer"},
        fields=_list(_object(name=_TEXT, offset={"type": "integer"}, type={"type": "integer"})),
        data=_BYTES,
    ),
    "foxglove.SceneUpdate": _object(
        deletions=_list(_object(timestamp=_TIME, type={"type": "integer"}, id=_TEXT)),
        entities=_list(
            _object(
                timestamp=_TIME,
                frame_id=_TEXT,
                id=_TEXT,
                lifetime=_object(sec={"type": "integer"}, nsec={"type": "integer"}),
                frame_locked={"type": "boolean"},
                metadata=_list(_object(key=_TEXT, value=_TEXT)),
                arrows=_list({"type": "object"}),
                cubes=_list(_CUBE),
                spheres=_list(_CUBE),
                cylinders=_list(_ROUND),
                lines=_list({"type": "object"}),
                triangles=_list(_TRIANGLES),
                texts=_list({"type": "object"}),
                models=_list({"type": "object"}),
            )
        ),
    ),
    "solidbody.JointStates": _object(
        timestamp=_TIME, name=_list(_TEXT), position=_list(_NUMBER), velocity=_list(_NUMBER)
    ),
    "solidbody.Reading": _object(timestamp=_TIME, frame_id=_TEXT, values=_list(_NUMBER)),
}
"""Schemas by name."""
