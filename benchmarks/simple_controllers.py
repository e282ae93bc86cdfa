"""What a controller of Choreonoid's in C++ adds to a step: SR1 standing at 1 ms, 29 joints held by torques.

    python -m benchmarks.simple_controllers

Turns with and without the controller start from the same state, one after the other; without it the last
torques stay. `clock` is the least time of a turn, `ours` what our process has worked. The controller's own
process is woken where it sleeps, and looks for the next step where steps follow each other closely.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

import numpy as np

import solidbody as sb
from solidbody.control.simple_controllers import SimpleControllers
from solidbody.sim.snapshot import Snapshot

TURNS = 60
STEPS = 50
SETTLE = 500

PROJECT = """
items: { name: Root, class: RootItem, children: [ { name: World, class: WorldItem, children: [
  { name: SR1, class: BodyItem, data: { file: "${SHARE}/model/SR1/SR1.body",
      initial_root_translation: [ 0, 0, 0.7135 ],
      initial_joint_displacements: [ LEG, ARM, LEG, ARM, 0, 0, 0 ] },
    children: [ { name: Hold, class: SimpleControllerItem, data: { controller: Hold } } ] },
  { name: Floor, class: BodyItem, data: { file: "${SHARE}/model/misc/floor.body",
      initial_root_translation: [ 0, 0, -0.1 ] } },
  { name: AIST, class: AISTSimulatorItem, data: { time_step: 0.001 } } ] } ] }
"""
LEG, ARM = "0, -2.1, 0, 4.50001, -2.40001, 0", "10, -0.20002, 0, -90, 0, 0, 0"

HOLD = """
#include <cnoid/SimpleController>
#include <vector>
using namespace cnoid;

class Hold : public SimpleController {
  std::vector<double> goal, last;
  Body* body;
  double dt;

 public:
  bool initialize(SimpleControllerIO* io) override {
    body = io->body();
    dt = io->timeStep();
    for (Link* joint : body->joints()) {
      joint->setActuationMode(JointTorque);
      io->enableIO(joint);
      goal.push_back(joint->q());
    }
    last = goal;
    return true;
  }
  bool control() override {
    for (int k = 0; k < body->numJoints(); ++k) {
      Link* joint = body->joint(k);
      joint->u() = 8000.0 * (goal[k] - joint->q()) - 100.0 * (joint->q() - last[k]) / dt;
      last[k] = joint->q();
    }
    return true;
  }
};
CNOID_IMPLEMENT_SIMPLE_CONTROLLER_FACTORY(Hold)
"""


def turn(sim: sb.Sim, state: Snapshot) -> tuple[float, float]:
    """Return clock and processor time of a step [us], after going back to a state."""
    sim.restore(state)
    begun, worked = time.perf_counter(), time.process_time()
    for _ in range(STEPS):
        sim.step()
    scale = 1e6 / STEPS
    return (time.perf_counter() - begun) * scale, (time.process_time() - worked) * scale


def measure(turns: int) -> tuple[np.ndarray, np.ndarray]:
    """Return clock and processor time of a step [us], with and without the controller: the least of all."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "Hold.cpp").write_text(HOLD)
        (Path(folder) / "sr1.cnoid").write_text(PROJECT.replace("LEG", LEG).replace("ARM", ARM))
        sim = sb.Sim(sb.load(Path(folder) / "sr1.cnoid"))
        controllers = SimpleControllers(sim)
        try:
            controllers.start()
            sim.step(SETTLE)
            state = sim.snapshot()
            times: list[list[tuple[float, float]]] = [[], []]
            for _ in range(turns):
                times[0].append(turn(sim, state))
                sim.detach(controllers)
                times[1].append(turn(sim, state))
                sim.attach(controllers)
        finally:
            controllers.close()
        if controllers.failures:
            raise SystemExit("\n".join(controllers.failures))
    return np.min(times[0], axis=0), np.min(times[1], axis=0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=TURNS, help="turns of 50 steps of each kind")
    with_it, without = measure(parser.parse_args().turns)
    print("| SR1 standing, 1 ms | clock us | ours us |")
    print("|---|---|---|")
    for name, row in (("with a controller in C++", with_it), ("without", without)):
        print(f"| {name} | {row[0]:.1f} | {row[1]:.1f} |")
    print(f"| what it adds | {with_it[0] - without[0]:.1f} | {with_it[1] - without[1]:.1f} |")


if __name__ == "__main__":
    main()
