"""`python -m benchmarks.standins --webots HOME`: our stand-ins against the real PROTOs of Webots R2019a.

Every name that both have is put into a small world with default fields, once as ours and once as the one
of HOME; names, axes, limits, masses, boxes and fields of devices are compared, and both are driven with the
same commands. The figures of the real ones are kept in `standins.json` (figures only), so that the table in
docs/standins.md can be made, and checked, without the tree.

  python -m benchmarks.standins --webots HOME            compare all, write the figures and the table
  python -m benchmarks.standins --webots HOME Nao E-puck   compare these, and print every difference
  python -m benchmarks.standins --table                  write the table from the figures that are kept
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np

from benchmarks.standin_figures import Figures, commands, drive, figures_of, load
from solidbody.base.errors import SolidbodyError
from solidbody.formats.webots.protos.standin_protos import find_own, own_names

KEPT: Final = Path(__file__).with_suffix(".json")
"""The figures of the real PROTOs, and where both were after the drive."""

DOC: Final = Path(__file__).parents[1] / "docs" / "standins.md"

BEGIN: Final = "<!-- made by python -m benchmarks.standins -->"
END: Final = "<!-- end of what is made -->"

SKIPPED: Final = frozenset({"appearances", "backgrounds", "lights", "paintings"})
"""Folders of stand-ins that are only looked at."""

_EXACT: Final = 0.01
"""Numbers agree within this part of theirs."""


class Difference(NamedTuple):
    """One figure that is not theirs: of what part, which figure, and both values."""

    part: str
    figure: str
    ours: Any
    theirs: Any


def group_of(name: str) -> str:
    """Return the folder that our stand-in is in."""
    own = find_own(name)
    return "" if own is None else Path(own.file).parent.name


def shared_names(home: str) -> list[str]:
    """Return the names that we and the Webots at `home` have a PROTO of, less those that are only seen."""
    theirs = {path.stem for path in Path(home, "projects").rglob("*.proto")}
    return [name for name in own_names() if name in theirs and group_of(name) not in SKIPPED]


def our_figures(name: str, folder: Path) -> Figures:
    """Return the figures of our stand-in as it is now."""
    scene = load(name, group_of(name), folder)
    return {} if scene is None else figures_of(scene)


# -------------------------------------------------------------------------------------- comparing


def differences(ours: Figures, theirs: Figures) -> list[Difference]:
    """Return all figures of ours that are not theirs."""
    found: list[Difference] = []
    if not ours or not theirs:
        return [Difference("", "loads", bool(ours), bool(theirs))]
    size = _size(theirs)
    if not _close(ours["mass"], theirs["mass"]):
        found.append(Difference("", "mass", ours["mass"], theirs["mass"]))
    found += [
        Difference("", figure, ours[figure], theirs[figure])
        for figure, room in (("place", 0.002), ("com", 0.02 * size), ("box", 0.04 * size))
        if not _near(ours[figure], theirs[figure], max(room, 0.002))
    ]
    room = max(0.003, 0.01 * size)
    for kind in ("axes", "devices"):
        mine, real = ours[kind], theirs[kind]
        found += [Difference(name, kind, "-", "there") for name in real if name not in mine]
        found += [Difference(name, kind, "there", "-") for name in mine if name not in real]
        for name in real:
            if name in mine:
                found += _part_differences(name, mine[name], real[name], room)
    if ours["free"] != theirs["free"]:
        found.append(Difference("", "axes without motor", ours["free"], theirs["free"]))
    return found


def _part_differences(
    name: str, ours: Figures, theirs: Figures, room: float
) -> Iterable[Difference]:
    """Yield what differs in an axis or a device of the same name."""
    if ours["kind"] != theirs["kind"]:
        yield Difference(name, "kind", ours["kind"], theirs["kind"])
        return
    flat_ours = {**ours, **ours.get("fields", {})}
    flat_theirs = {**theirs, **theirs.get("fields", {})}
    for figure, real in flat_theirs.items():
        mine = flat_ours.get(figure)
        if figure in ("kind", "fields"):
            continue
        if figure in ("at", "anchor"):
            same = _near(mine, real, room)
            if figure == "anchor" and not same and mine:  # it may lie anywhere on the axis
                same = _off_axis(mine, real, theirs["axis"]) <= room
        elif figure in ("axis", "along"):
            same = _near(mine, real, 0.02)
        elif figure == "carries":
            same = _close(mine, real, part=0.05)
        else:
            same = _close(mine, real)
        if not same:
            yield Difference(name, figure, mine, real)


def _off_axis(ours: Sequence[float], theirs: Sequence[float], axis: Sequence[float]) -> float:
    """Return how far a point is from a line [m]."""
    return float(np.linalg.norm(np.cross(np.subtract(ours, theirs), axis)))


def _size(figures: Figures) -> float:
    """Return the length of the diagonal of what collides, or is seen [m]."""
    box = figures["box"] or figures["look"]
    return 0.1 if box is None else float(np.linalg.norm(np.subtract(box[1], box[0])))


def _near(ours: Any, theirs: Any, room: float) -> bool:
    """Whether two places, or boxes, are the same within `room` [m]."""
    if ours is None or theirs is None:
        return ours is theirs
    return float(np.max(np.abs(np.subtract(ours, theirs)))) <= room


def _close(ours: Any, theirs: Any, part: float = _EXACT) -> bool:
    """Whether two values of a field are the same; numbers within a part of theirs."""
    if isinstance(ours, (list, tuple)) and isinstance(theirs, (list, tuple)):
        return len(ours) == len(theirs) and all(
            _close(a, b, part) for a, b in zip(ours, theirs, strict=True)
        )
    if isinstance(ours, dict) and isinstance(theirs, dict):
        return ours.keys() == theirs.keys() and all(_close(ours[k], theirs[k], part) for k in ours)
    plain = (float, int)
    if isinstance(ours, bool) or not isinstance(ours, plain) or not isinstance(theirs, plain):
        return ours == theirs
    return abs(ours - theirs) <= part * abs(theirs) + 1e-6


# ---------------------------------------------------------------------------------------- table


def table(rows: dict[str, tuple[Figures, dict[str, Any]]]) -> str:
    """Return the generated section: `rows` has ours of now and what is kept, by name."""
    lines = [
        BEGIN,
        "",
        "| PROTO | mass [kg] | devices | axes | differs (ours / theirs) | after 2 s |",
        "|---|---|---|---|---|---|",
    ]
    same: list[str] = []
    for name, (ours, kept) in rows.items():
        line = row(name, ours, kept)
        if line is None:
            same.append(f"`{name}`")
        else:
            lines.append(line)
    lines += [
        "",
        f"Nothing differs, and there is nothing to drive: {', '.join(same)}.",
        "",
        END,
    ]
    return "\n".join(lines)


def row(name: str, ours: Figures, kept: dict[str, Any]) -> str | None:
    """Return the line of one PROTO; None where nothing differs and nothing can be driven."""
    theirs = kept["theirs"]
    found = differences(ours, theirs)
    if not found and not theirs["axes"] and not theirs["devices"]:
        return None
    if not ours or not theirs:
        return f"| `{name}` | | | | does not load | |"
    return (
        f"| `{name}` | {_pair(ours['mass'], theirs['mass'])} | {_count('devices', ours, theirs)} | "
        f"{_count('axes', ours, theirs)} | {_words(found)} | {_driven(kept)} |"
    )


def _count(kind: str, ours: Figures, theirs: Figures) -> str:
    """Return how many parts of theirs ours has without a difference."""
    if not theirs[kind] and not ours[kind]:
        return ""
    bad = {item.part for item in differences(ours, theirs)}
    return f"{sum(name in ours[kind] and name not in bad for name in theirs[kind])} of {len(theirs[kind])}"


def _pair(ours: Any, theirs: Any) -> str:
    return f"{_short(ours)}" if _close(ours, theirs) else f"**{_short(ours)}** / {_short(theirs)}"


def _short(value: Any) -> str:
    """Return a value in few characters."""
    match value:
        case bool() | None:
            return {True: "yes", False: "no", None: "-"}[value]
        case float() | int():
            return f"{value:.4g}"
        case list() if len(value) > 4 or any(isinstance(x, list) for x in value):
            return f"{len(value)} rows"
        case list():
            return f"({' '.join(_short(x) for x in value)})"
        case dict():
            return "set"
        case _:
            return str(value).replace("|", "/")


def _words(found: Sequence[Difference]) -> str:
    """Return the differences by figure: how many parts, and the one that is farthest off."""
    said: list[str] = []
    by_figure: dict[tuple[str, str], list[Difference]] = {}
    for item in found:
        figure = item.figure
        if figure in ("axes", "devices"):
            figure = f"{'missing' if item.ours == '-' else 'extra'} {figure}"
        by_figure.setdefault((figure, "" if not item.part else "parts"), []).append(item)
    for (figure, _), items in by_figure.items():
        if figure == "mass":
            continue
        if figure.startswith(("missing", "extra")):
            names = [item.part for item in items]
            more = f" and {len(names) - 4} more" if len(names) > 4 else ""
            said.append(f"{figure}: {', '.join(_short(x) for x in names[:4])}{more}")
        elif items[0].part:
            worst = max(items, key=_distance)
            said.append(f"{figure} {len(items)}x ({worst.part} {_both(worst)})")
        else:
            said.append(f"{figure} {_both(items[0])}")
    return "; ".join(said)


def _both(item: Difference) -> str:
    """Return both values; of places how far they are from each other."""
    if item.figure in ("at", "anchor", "com", "box", "place", "look"):
        return "one of them none" if item.ours is None or item.theirs is None else (
            f"{1000 * _distance(item):.0f} mm"
        )  # fmt: skip
    if item.figure in ("axis", "along"):
        return f"{np.degrees(2 * np.arcsin(min(1.0, _distance(item) / 2))):.0f} deg"
    return f"{_short(item.ours)} / {_short(item.theirs)}"


def _distance(item: Difference) -> float:
    """Return how far two values are from each other, for the choice of the worst."""
    try:
        delta = np.abs(np.subtract(item.ours, item.theirs).astype(float))
    except (TypeError, ValueError):
        return 0.0
    return float(np.max(delta) if item.figure == "box" else np.linalg.norm(delta))


def _driven(kept: dict[str, Any]) -> str:
    """Return how far apart both were after the drive, beside how far theirs had gone."""
    pair = kept.get("drive")
    if not pair or not pair["theirs"] or not pair["ours"]:
        return ""
    ours, theirs = pair["ours"], pair["theirs"]
    apart = 1000 * float(np.linalg.norm(np.subtract(ours["moved"], theirs["moved"])))
    gone = 1000 * float(np.linalg.norm(theirs["moved"]))
    product = min(1.0, abs(float(np.dot(ours["turned"], theirs["turned"]))))
    angle = float(np.degrees(2 * np.arccos(product)))
    return f"{apart:.0f} of {gone:.0f} mm, {angle:.0f} deg"


def write_table(text: str, doc: Path = DOC) -> None:
    """Put the generated section where the document has it."""
    old = doc.read_text("utf-8")
    before, _, rest = old.partition(BEGIN)
    _, _, after = rest.partition(END)
    doc.write_text(f"{before}{text}{after}", "utf-8")


# ------------------------------------------------------------------------------------------- main


def kept_figures() -> dict[str, dict[str, Any]]:
    """Return what is kept of the real PROTOs, by name."""
    return json.loads(KEPT.read_text("utf-8")) if KEPT.is_file() else {}


def compare(name: str, home: str, folder: Path) -> tuple[Figures, dict[str, Any]]:
    """Return the figures of ours, and of theirs with the ends of both drives."""
    group = group_of(name)
    mine, real = load(name, group, folder / "ours"), load(name, group, folder / "theirs", home)
    ours = {} if mine is None else figures_of(mine)
    theirs = {} if real is None else figures_of(real)
    kept: dict[str, Any] = {"theirs": theirs}
    if mine and real and ours and theirs:
        told = commands(theirs)
        if told:
            kept["drive"] = {"ours": _try_drive(mine, told), "theirs": _try_drive(real, told)}
    return ours, kept


def _try_drive(scene: Any, told: dict[str, tuple[str, float]]) -> Figures | None:
    try:
        return drive(scene, told)
    except SolidbodyError as error:
        sys.stderr.write(f"{error}\n")
        return None


def main() -> None:
    """Compare, and write or print."""
    parser = argparse.ArgumentParser(description="our stand-ins against the real PROTOs")
    parser.add_argument("names", nargs="*", help="only these, every difference printed")
    parser.add_argument("--webots", help="the Webots whose PROTOs are compared with")
    parser.add_argument("--table", action="store_true", help="write the table from what is kept")
    parser.add_argument("--keep", action="store_true", help="with names: keep what was found")
    options = parser.parse_args()
    kept = kept_figures()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        if options.webots:
            names = options.names or shared_names(options.webots)
            for name in names:
                ours, kept[name] = compare(name, options.webots, folder)
                found = differences(ours, kept[name]["theirs"])
                sys.stderr.write(f"{name}: {len(found)} differ {_driven(kept[name])}\n")
                for item in found if options.names else ():
                    sys.stdout.write(f"  {item.part} {item.figure}: {item.ours} / {item.theirs}\n")
            if options.names and not options.keep:
                return
            kept = {name: kept[name] for name in sorted(kept, key=str.lower)}
            lines = [f"{json.dumps(k)}: {json.dumps(v)}" for k, v in kept.items()]
            KEPT.write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf-8")
        if options.names and _rewrite({name: kept[name] for name in options.names}, folder):
            return
        rows = {name: (our_figures(name, folder), item) for name, item in kept.items()}
        write_table(table(rows))


def _rewrite(changed: dict[str, dict[str, Any]], folder: Path) -> bool:
    """Put the lines of some PROTOs in place of those in the document; False where it needs all anew."""
    lines = DOC.read_text("utf-8").split("\n")
    places = {line.split("`")[1]: k for k, line in enumerate(lines) if line.startswith("| `")}
    for name, item in changed.items():
        line = row(name, our_figures(name, folder), item)
        if line is None or name not in places:
            return False
        lines[places[name]] = line
    DOC.write_text("\n".join(lines), "utf-8")
    return True


if __name__ == "__main__":
    main()
