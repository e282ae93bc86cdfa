"""Recording a run: MCAP for Foxglove and other tools, CSV for spreadsheets, pictures that move."""

from solidbody.record.choose import RecordError, recorder_for

__all__ = ["RecordError", "recorder_for"]
