"""The optional parts of solidbody: what each brings, and the one command that installs it."""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass
from typing import Final

from solidbody.base.errors import SolidbodyError


@dataclass(frozen=True, slots=True)
class Extra:
    """An optional part.

    Attributes:
        brings: What can be done with it.
        modules: What has to be importable for that.
    """

    brings: str
    modules: tuple[str, ...]


EXTRAS: Final = {
    "cameras": Extra("pictures with light, shadows and textures; graphics cards", ("warp",)),
    "protos": Extra("PROTO templates in Lua (JavaScript is always there)", ("lupa",)),
    "meshes": Extra("COLLADA files; hollow meshes cut into convex parts", ("coacd", "collada")),
    "foxglove": Extra("recordings as MCAP; runs live in Foxglove", ("foxglove", "mcap")),
    "rl": Extra("worlds as environments of Gymnasium", ("gymnasium",)),
    "ray": Extra("studies on clusters of Ray", ("ray", "pyarrow")),
    "ros2": Extra("topics, services and bags of ROS 2", ("cyclonedds", "mcap")),
    "usd": Extra("scenes as binary USD (.usda needs nothing)", ("pxr",)),
    "video": Extra("films as MP4", ("imageio_ffmpeg",)),
    "speech": Extra("speakers in other languages than English", ("espeakng_loader",)),
}
"""Name -> what it is; pyproject.toml has the packages, `solidbody doctor` shows what is there."""


class MissingExtraError(SolidbodyError, ImportError):
    """Something needs an optional part that is not installed; the text has the command that brings it."""

    def __init__(self, extra: str, what: str) -> None:
        self.extra = extra
        super().__init__(f"{what} {needs(extra)}")


def need(extra: str, what: str) -> None:
    """Raise MissingExtraError if an optional part is not installed that something needs."""
    if missing_modules(extra):
        raise MissingExtraError(extra, what)


def command(extra: str) -> str:
    """Return the command that installs an optional part."""
    return f'pip install "solidbody[{extra}]"'


def needs(extra: str) -> str:
    """Return the end of a sentence that says what something needs."""
    return f"needs {missing_text(extra)}"


def missing_text(extra: str) -> str:
    """Return the packages of an optional part that are missing (all, if none is), and its command."""
    absent = missing_modules(extra) or EXTRAS[extra].modules
    return f"{' and '.join(absent)}: {command(extra)}"


def missing_modules(extra: str) -> tuple[str, ...]:
    """Return the modules of an optional part that are not installed."""
    return tuple(name for name in EXTRAS[extra].modules if not is_installed(name))


def is_installed(module: str) -> bool:
    """Whether a module could be imported; it is not imported."""
    try:
        return importlib.util.find_spec(module) is not None
    except (ImportError, ValueError):  # something half-installed
        return False
