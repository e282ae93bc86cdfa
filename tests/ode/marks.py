"""Marks of tests that need libode."""

from __future__ import annotations

import pytest

from tests.ode.library import why_unavailable

_WHY_NOT = why_unavailable()

NEEDS_ODE = [
    pytest.mark.ode,
    pytest.mark.skipif(_WHY_NOT is not None, reason=f"ODE: {_WHY_NOT}"),
]
"""For `pytestmark`, or as `marks=` of one parameter set."""
