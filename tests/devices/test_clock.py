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


def test_the_time_since_the_last_sample_is_told() -> None:
    """While all are sampled together, and when one is turned on, off or goes at its own rate."""
    clock = SamplingClock(3, 0.008)
    sampled = [0, 0, 0]
    changes = {0: (0, 0.016), 1: (1, 0.016), 40: (2, 0.008), 60: (2, 0.0), 71: (1, 0.024)}
    for now in range(120):
        if now in changes:
            device, period = changes[now]
            clock.enable(device, period, now)
            sampled[device] = now
        due = clock.due(now)
        elapsed = clock.sampled(due, now)
        assert elapsed.tolist() == [float(now - sampled[k]) * 0.008 for k in due.tolist()]
        for device in due.tolist():
            sampled[device] = now
