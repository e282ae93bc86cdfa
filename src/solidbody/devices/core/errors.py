"""Error for requests that a device cannot fulfil."""

from __future__ import annotations

from solidbody.base.errors import SolidbodyError


class DeviceError(SolidbodyError):
    """A device was asked for something that it does not do, or does not do yet."""
