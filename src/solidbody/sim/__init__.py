"""The simulation, which owns time: step, run, reset, snapshot."""

from solidbody.sim.handles import JointHandle, LinkHandle
from solidbody.sim.simulation import Sim
from solidbody.sim.snapshot import Snapshot, load_snapshots, save_snapshots

__all__ = ["JointHandle", "LinkHandle", "Sim", "Snapshot", "load_snapshots", "save_snapshots"]
