"""Models compared value by value: where they stand in files does not count."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any, cast

from solidbody.base.span import SourceSpan
from solidbody.base.transforms import Pose, Quat

TOLERANCE = 1e-12
"""Relative: a rotation written as axis and angle, or an angle in degrees, is good to a few last places."""


def differences(
    a: object, b: object, *, path: str = "", without: Sequence[str] = ()
) -> Iterator[str]:
    """Yield what differs, as `path: a != b`.

    Args:
        a: Any value of the model.
        b: Another.
        path: Where they stand.
        without: Fields that do not count.
    """
    if isinstance(a, Pose) and isinstance(b, Pose):
        yield from differences(a.position, b.position, path=f"{path}.position")
        yield from differences(a.rotation, _near(b.rotation, a.rotation), path=f"{path}.rotation")
    elif is_dataclass(a) and type(a) is type(b):
        for item in fields(a):
            one, other = getattr(a, item.name), getattr(b, item.name)
            if item.name not in without and not isinstance(one, SourceSpan):
                yield from differences(one, other, path=f"{path}.{item.name}", without=without)
    elif isinstance(a, tuple) and isinstance(b, tuple):
        ones, others = cast("tuple[Any, ...]", a), cast("tuple[Any, ...]", b)
        if len(ones) != len(others):
            yield f"{path}: {len(ones)} items != {len(others)}"
        for index, (one, other) in enumerate(zip(ones, others, strict=False)):
            yield from differences(one, other, path=f"{path}[{index}]", without=without)
    elif isinstance(a, float) and isinstance(b, float | int):
        if not (a == b or math.isclose(a, b, rel_tol=TOLERANCE, abs_tol=TOLERANCE)):
            yield f"{path}: {a!r} != {b!r}"
    elif isinstance(a, Enum) or isinstance(b, Enum):
        if a is not b:
            yield f"{path}: {a} != {b}"
    elif a != b:
        yield f"{path}: {a!r} != {b!r}"


def _near(q: Quat, wanted: Quat) -> Quat:
    """Return the one of q and -q, which are the same rotation, that is nearer to `wanted`."""
    same = sum(x * y for x, y in zip(q, wanted, strict=True)) >= 0.0
    return q if same else (-q[0], -q[1], -q[2], -q[3])
