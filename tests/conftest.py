"""Settings that hold for all tests."""

from __future__ import annotations

import os

from hypothesis import settings

# No deadline: machines that run tests are shared, and a slow moment is not a bug. In CI the examples
# are the same each time, so that a red run can be repeated; at home they are new each time.
settings.register_profile("home", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "home")
