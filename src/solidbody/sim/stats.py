"""How well the steps of a simulation went."""

from __future__ import annotations

from dataclasses import dataclass

from solidbody.contact.tables import Record


@dataclass(frozen=True, slots=True)
class SimStats:
    """Counters since the start, and numbers of the last step.

    Attributes:
        steps: Steps done.
        not_converged: Steps whose residual stayed above 1e-9 m/s.
        contacts_dropped: Contacts left out because a pair of shapes had more than allowed.
        memory_full: Steps that lost contacts for lack of room.
        too_fast: Steps in which a body moved by more than half its thickness: it may have passed
            through something thin.
        residual: Worst violation of the contact law's equations in the last step [m/s].
        worst_residual: The same, worst of all steps.
        rows: Constraint rows of the last step.
        contacts: Contacts of the last step.
        islands: Independent groups of bodies in the last step.
    """

    steps: int
    not_converged: int
    contacts_dropped: int
    memory_full: int
    too_fast: int
    residual: float
    worst_residual: float
    rows: int
    contacts: int
    islands: int

    @classmethod
    def from_row(cls, row: Record) -> SimStats:
        """Build from one row of the STATS table."""
        return cls(
            steps=int(row["steps"]),
            not_converged=int(row["not_converged"]),
            contacts_dropped=int(row["contacts_dropped"]),
            memory_full=int(row["memory_full"]),
            too_fast=int(row["too_fast"]),
            residual=float(row["residual"]),
            worst_residual=float(row["worst_residual"]),
            rows=int(row["rows"]),
            contacts=int(row["contacts"]),
            islands=int(row["islands"]),
        )
