"""Damaged input for every reader and every wire: `python -m tests.fuzz --minutes 10`.

`kinds.py` lists the kinds; each makes an input from a seed and reads it. `child.py` does that in a
process with limits, so that a
crash or a hang is one line of the table, and `running.py` starts such processes and counts.
"""
