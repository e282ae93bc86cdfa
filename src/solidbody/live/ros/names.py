"""Names as ROS allows them."""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import cache


def token(text: str) -> str:
    """Return a text as a part of the name of a topic: letters, digits, single underscores."""
    plain = re.sub(r"_+", "_", re.sub(r"[^A-Za-z0-9]", "_", text)).strip("_")
    return f"n{plain}" if not plain or plain[0].isdigit() else plain


@cache
def joined(*parts: str) -> str:
    """Return the full name of a topic in namespaces; what begins with a slash is one by itself."""
    found = ""
    for part in parts:
        tokens = "/".join(token(item) for item in part.split("/") if item)
        found = f"/{tokens}" if part.startswith("/") else f"{found}/{tokens}" if tokens else found
    return found


def unique(wanted: str, taken: Collection[str]) -> str:
    """Return a name that is not taken: itself, or with a number behind it."""
    number, name = 1, wanted
    while name in taken:
        number += 1
        name = f"{wanted}_{number}"
    return name
