"""The tables of explanations, one row per code of a diagnostic."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Final

from solidbody.base.diagnostics import did_you_mean

TOPICS: Final = {
    "files": "Files of several formats",
    "webots": "Webots: worlds and PROTOs",
    "choreonoid": "Choreonoid: bodies, projects, motions",
    "robots": "URDF, SDF, MJCF and meshes",
    "running": "Building, running and writing",
}
"""File of a table -> its heading, in the order of the page."""


@dataclass(frozen=True, slots=True)
class ExampleFormat:
    """A format in which examples are written: its ending, and what stands around a part of a file."""

    suffix: str
    name: str  # of the block of code in Markdown
    whole: str  # what a whole file begins with
    around: str


LANGUAGES: Final = {
    "wbt": ExampleFormat(".wbt", "vrml", "#VRML", "#VRML_SIM R2025a utf8\n{}"),
    "body": ExampleFormat(
        ".body", "yaml", "format:", "format: ChoreonoidBody\nformat_version: 2.0\nname: model\n{}"
    ),
    "urdf": ExampleFormat(".urdf", "xml", "<robot", '<robot name="model">\n{}</robot>\n'),
    "sdf": ExampleFormat(
        ".sdf", "xml", "<sdf", '<sdf version="1.9"><world name="world">\n{}</world></sdf>\n'
    ),
    "mjcf": ExampleFormat(".xml", "xml", "<mujoco", "<mujoco>\n{}</mujoco>\n"),
}


@dataclass(frozen=True, slots=True)
class ExamplePair:
    """A part of a file that gives the diagnostic, and the same without the fault."""

    language: ExampleFormat
    before: str
    after: str

    def file_of(self, part: str) -> str:
        """Return a whole file that holds a part."""
        if part.startswith(self.language.whole):
            return part
        return self.language.around.replace("{}", part)


@dataclass(frozen=True, slots=True)
class Explanation:
    """What a code means, why that happens, what to do."""

    code: str
    topic: str
    means: str
    why: str
    do: str
    example: ExamplePair | None = None


class UnknownCodeError(ValueError):
    """No diagnostic has this code."""


@cache
def explanations() -> MappingProxyType[str, Explanation]:
    """Return all explanations by code, topic after topic."""
    found: dict[str, Explanation] = {}
    for topic in TOPICS:
        path = Path(__file__).with_name(f"{topic}.toml")
        for code, row in tomllib.loads(path.read_text(encoding="utf-8")).items():
            if code in found:
                raise ValueError(f'{path.name}: "{code}" is explained in two tables')
            found[code] = _explanation(code, topic, dict(row))
    return MappingProxyType(found)


def explain(code: str) -> Explanation:
    """Return what a code means.

    Raises:
        UnknownCodeError: There is no such code.
    """
    found = explanations().get(code)
    if found is None:
        guess = did_you_mean(code, explanations())
        raise UnknownCodeError(
            f'no diagnostic has the code "{code}".{guess} `solidbody explain` lists all.'
        )
    return found


def _explanation(code: str, topic: str, row: dict[str, str]) -> Explanation:
    example = None
    if "in" in row:
        language = LANGUAGES[row.pop("in")]
        before, after = (row.pop(key).strip("\n") + "\n" for key in ("before", "after"))
        example = ExamplePair(language, before, after)
    return Explanation(code, topic, example=example, **row)
