"""Statistics of steps: contacts, solver iterations, crowded pairs."""

from __future__ import annotations

from dataclasses import dataclass

from solidbody.base.diagnostics import Diagnostic, DiagnosticLog
from solidbody.base.span import NOWHERE, SourceSpan
from solidbody.compiler import Compiled
from solidbody.contact.tables import Record
from solidbody.model.scene import Scene


@dataclass(frozen=True, slots=True)
class CrowdedPair:
    """Two links with more contact points in one step than were kept.

    Attributes:
        links: Rows of the two links in `Sim.poses()`; -1 for what belongs to none.
        names: Their names.
        found: Points that one pair of their shapes had in that step.
        kept: How many its contact properties allow.
    """

    links: tuple[int, int]
    names: tuple[str, str]
    found: int
    kept: int


@dataclass(frozen=True, slots=True)
class SimStats:
    """Counters since the start, and numbers of the last step.

    Attributes:
        steps: Steps done.
        not_converged: Steps whose residual stayed above 1e-9 m/s.
        contacts_dropped: Contacts left out because a pair of shapes had more than its contact
            properties allow (Webots: `maxContactJoints`).
        contacts_lost: Contacts for which there was no room in memory.
        memory_full: Steps that lost contacts for lack of room.
        too_fast: Steps in which a body moved by more than half its thickness: it may have passed
            through something thin.
        residual: Worst violation of the contact law's equations in the last step [m/s].
        worst_residual: The same, worst of all steps.
        rows: Constraint rows of the last step.
        contacts: Contacts of the last step.
        islands: Independent groups of bodies in the last step.
        dropped_pair: The pair that lost most contacts at once to its limit; None = none did.
        lost_pair: The pair with the most contacts in a step without room; None = there was none.
    """

    steps: int
    not_converged: int
    contacts_dropped: int
    contacts_lost: int
    memory_full: int
    too_fast: int
    residual: float
    worst_residual: float
    rows: int
    contacts: int
    islands: int
    dropped_pair: CrowdedPair | None
    lost_pair: CrowdedPair | None


def stats_of(row: Record, compiled: Compiled) -> SimStats:
    """Return one row of the STATS table by names."""
    dropped, found = int(row["most_dropped"]), int(row["most_found"])
    dropped_pair = _pair(compiled, row["dropped_geom"].tolist(), dropped, is_over=True)
    lost_pair = _pair(compiled, row["lost_geom"].tolist(), found, is_over=False)
    return SimStats(
        steps=int(row["steps"]),
        not_converged=int(row["not_converged"]),
        contacts_dropped=int(row["contacts_dropped"]),
        contacts_lost=int(row["contacts_lost"]),
        memory_full=int(row["memory_full"]),
        too_fast=int(row["too_fast"]),
        residual=float(row["residual"]),
        worst_residual=float(row["worst_residual"]),
        rows=int(row["rows"]),
        contacts=int(row["contacts"]),
        islands=int(row["islands"]),
        dropped_pair=dropped_pair,
        lost_pair=lost_pair,
    )


def _pair(compiled: Compiled, geoms: list[int], count: int, *, is_over: bool) -> CrowdedPair | None:
    """Return a pair with that many contacts (`is_over`: beyond what is kept); None for no contacts."""
    if not count:
        return None
    tables, binding = compiled.tables, compiled.binding
    one, two = (int(binding.geom_owner[geom, 0]) for geom in geoms)
    names = [binding.link_names[link] if link >= 0 else "a sensor" for link in (one, two)]
    first, second = tables.geoms["material"][geoms].tolist()
    pair = tables.pairs[first * int(tables.world["materials"][0]) + second]
    kept = int(tables.surfaces["max_contacts"][int(pair["surface"])])
    return CrowdedPair((one, two), (names[0], names[1]), count + (kept if is_over else 0), kept)


def contact_messages(stats: SimStats, scene: Scene) -> tuple[Diagnostic, ...]:
    """Return what to say about contacts that were left out: each kind once, with the pair that needs most."""
    log = DiagnosticLog()
    if stats.dropped_pair is not None:
        pair = stats.dropped_pair
        log.info(
            "contacts-dropped",
            _span(scene, pair),
            f"{_named(pair)} touch at up to {pair.found} points, and their contact properties keep "
            f"{pair.kept} (maxContactJoints); {stats.contacts_dropped} contacts were left out in all.",
        )
    if stats.lost_pair is not None:
        pair = stats.lost_pair
        log.warning(
            "contacts-lost",
            _span(scene, pair),
            f"{stats.contacts_lost} contacts found no room in {stats.memory_full} steps, and nothing "
            f"held their bodies there; most are between {_named(pair)}, at {pair.found} points.",
        )
    return tuple(log)


def _named(pair: CrowdedPair) -> str:
    return " and ".join(f'"{name}"' for name in pair.names)


def _span(scene: Scene, pair: CrowdedPair) -> SourceSpan:
    spans = [link.span for link in scene.links()]
    return next((spans[link] for link in pair.links if link >= 0), NOWHERE)
