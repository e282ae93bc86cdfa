"""What goes wrong when a supervisor asks for something."""

from __future__ import annotations

from solidbody.base.errors import SolidbodyError


class SupervisorError(SolidbodyError):
    """A request that cannot be met; the text goes to the controller's console, nothing has changed."""
