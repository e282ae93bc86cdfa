"""When devices are sampled."""

from __future__ import annotations

from solidbody.devices.core.clock import SamplingClock


def test_going_back_keeps_the_steps_at_which_devices_are_sampled() -> None:
    """Also of a device that keeps its rate, which is no multiple of the step."""
    clock = SamplingClock(3, 0.01)
    clock.enable(0, 0.03, 2)
    clock.enable(1, 0.025, 0, keeps_rate=True)

    def run(start: int, end: int) -> list[tuple[int, list[int]]]:
        out: list[tuple[int, list[int]]] = []
        for now in range(start, end):
            due = clock.due(now)
            clock.sampled(due, now)
            out.append((now, due.tolist()))
        return out

    run(1, 20)
    expected = run(20, 60)
    clock.go_back(19)
    assert run(20, 60) == expected
