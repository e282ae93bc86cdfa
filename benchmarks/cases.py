"""What is timed, as data: each scene in its moving and in its settled phase."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from benchmarks import scenes as s
from solidbody.model.scene import CoriolisRule, Scene


@dataclass(frozen=True, slots=True)
class BenchScene:
    """A scene and how to time it.

    Attributes:
        name: Row label.
        scene: What is simulated.
        speeds: Target velocity of each motor [rad/s].
        settle: Steps before timing starts.
        steps: Timed steps per round.
        ode_steps: Timed steps of ODE per round (its time grows with the cube of the contacts).
        rounds: Rounds at most; None = as many as asked for. Moving scenes must still move in the last.
        ode_rounds: Rounds in which ODE takes part; None = all.
        is_still: Nothing should move: what does is drift.
        is_long: Left out of a quick run.
        from_ours: Plain MuJoCo starts from our bodies' poses and speeds (piles take it minutes to settle).
    """

    name: str
    scene: Scene
    speeds: dict[str, float] = field(default_factory=dict[str, float])
    settle: int = 100
    steps: int = 100
    ode_steps: int = 100
    rounds: int | None = None
    ode_rounds: int | None = None
    is_still: bool = False
    is_long: bool = False
    from_ours: bool = False


WHEELS = {"left motor": 8.0, "right motor": 10.0}
PILE_STEPS = {30: (20, 10), 100: (10, 1), 300: (3, 1), 1000: (2, 1)}
"""Timed steps of ours and of ODE."""
MOVING, SETTLED = 60, 400
"""Steps after which a pile of any size has landed, at 8 ms, and after which most of it rests."""


def _driven(
    name: str, scene: Scene, speeds: dict[str, float], *, settle: int, steps: int, **options: int
) -> tuple[BenchScene, BenchScene]:
    """Return a machine at work, and the same with motors that hold."""
    common = BenchScene(
        name, scene, speeds, settle=settle, steps=steps, ode_steps=options.get("ode_steps", steps)
    )
    common = replace(common, ode_rounds=options.get("ode_rounds"))
    held = dict.fromkeys(speeds, 0.0)
    return (
        replace(common, name=f"{name}, moving"),
        replace(common, name=f"{name}, settled", speeds=held, is_still=True),
    )


def _pile(count: int) -> tuple[BenchScene, BenchScene]:
    """Return a mixed pile that has just landed, and one that has had time."""
    steps, ode_steps = PILE_STEPS[count]
    base = BenchScene(
        f"pile of {count}",
        s.mixed_pile(count),
        steps=steps,
        ode_steps=ode_steps,
        rounds=9 if count <= 100 else 3,
        ode_rounds={30: 5, 100: 3, 300: 1, 1000: 0}[count],
        is_long=count > 100,
        from_ours=count >= 100,
    )
    return (
        replace(base, name=f"{base.name}, moving", settle=MOVING),
        replace(base, name=f"{base.name}, settled", settle=SETTLED),
    )


def bench_scenes() -> tuple[BenchScene, ...]:
    """Return every timed scene."""
    humanoid, holding = s.humanoid()
    four_bar, crank = s.four_bar()
    robots, wheels = s.many_robots(50)
    chain = s.chain(50)
    # Webots' worlds with long steps are read with this rule
    chain = replace(chain, physics=replace(chain.physics, coriolis=CoriolisRule.MIDDLE))
    dropped = s.one_box(0.008, height=1.0)
    return (
        BenchScene("one box, moving", dropped, settle=40, steps=10, ode_steps=10, rounds=5),
        BenchScene(
            "one box, settled", s.one_box(), settle=100, steps=1000, ode_steps=1000, is_still=True
        ),
        *_driven("two-wheeled robot", s.two_wheeled_robot(), WHEELS, settle=150, steps=1000),
        *_driven("6-joint arm", s.six_joint_arm(), s.ARM_SPEEDS, settle=10, steps=1000),
        BenchScene(
            "30-joint humanoid, moving",
            humanoid,
            {name: 0.2 if number % 2 else -0.2 for number, name in enumerate(holding)},
            settle=20,
            steps=20,
            ode_steps=10,
            rounds=5,
        ),
        BenchScene(
            "30-joint humanoid, settled",
            humanoid,
            holding,
            settle=50,
            steps=400,
            ode_steps=50,
            is_still=True,
        ),
        *_driven("four-bar loop", four_bar, crank, settle=50, steps=1000),
        BenchScene("chain of 50, moving", chain, settle=50, steps=50, ode_steps=20),
        BenchScene(
            "stack of 10, moving",
            s.stack(10, jitter=0.08),
            settle=30,
            steps=5,
            ode_steps=5,
            rounds=5,
        ),
        BenchScene(
            "stack of 10, settled", s.stack(10), settle=100, steps=100, ode_steps=50, is_still=True
        ),
        *_driven("50 robots", robots, wheels, settle=100, steps=20, ode_steps=5, ode_rounds=3),
        *_pile(30),
        *_pile(100),
        *_pile(300),
        *_pile(1000),
        BenchScene(
            "boxes and balls, 100",
            s.pile(100),
            settle=250,
            steps=10,
            ode_steps=1,
            ode_rounds=3,
        ),
        BenchScene(
            "boxes and balls, 500",
            s.pile(500),
            settle=120,
            steps=2,
            ode_steps=1,
            rounds=3,
            ode_rounds=1,
            is_long=True,
        ),
    )
