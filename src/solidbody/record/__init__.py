"""Recorders of a run: MCAP for Foxglove and other tools, CSV for spreadsheets, video."""

from solidbody.record.base import RecordError
from solidbody.record.choose import recorder_for

__all__ = ["RecordError", "recorder_for"]
