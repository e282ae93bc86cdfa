"""Renames bodies that come into a scene where their names are taken already."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from solidbody.formats.webots.lower.names import UniqueNames
from solidbody.model.devices import (
    Device,
    DeviceLed,
    DeviceLidar,
    DeviceMuscle,
    DevicePropeller,
    DeviceSkin,
    DeviceTrackBelt,
)
from solidbody.model.joints import Joint, JointFixed, JointFree, Loop, LoopAttachment
from solidbody.model.links import Body, CollisionRules, Link, Robot
from solidbody.model.scene import Scene


@dataclass(slots=True)
class Renaming:
    """Hands out free names; remembers which path became which."""

    _bodies: UniqueNames = field(default_factory=UniqueNames)
    _links: UniqueNames = field(default_factory=UniqueNames)
    _tops: UniqueNames = field(default_factory=UniqueNames)
    _joints: UniqueNames = field(default_factory=UniqueNames)
    _robots: UniqueNames = field(default_factory=UniqueNames)
    _paths: dict[str, str] = field(default_factory=dict[str, str])

    @classmethod
    def beside(cls, scene: Scene) -> Renaming:
        """Return a renaming that knows all names of a scene."""
        made = cls()
        for body in scene.bodies:
            made._bodies.take(body.name)
            for robot in body.robots:
                made._robots.take(robot.name)
            for link in body.links:
                made._links.take(link.name)
                made._joints.take(_joint_name(link.joint))
            for top in {_top_of(link.path) for link in body.links}:
                made._tops.take(top)
        return made

    def path(self, path: str) -> str:
        """Return the new path of a link or part."""
        top = _top_of(path)
        return self._paths.get(top, top) + path[len(top) :]

    def body(self, body: Body) -> Body:
        """Return the body with names that are free."""
        self._paths.clear()
        for link in body.links:
            top = _top_of(link.path)
            if top not in self._paths:
                self._paths[top] = self._tops.take(top)
        links = tuple(self._link(link) for link in body.links)
        first = links[0].name if links and body.name == body.links[0].name else body.name
        return replace(
            body,
            name=self._bodies.take(first),
            links=links,
            robots=tuple(self._robot(robot) for robot in body.robots),
            loops=tuple(self._loop(loop) for loop in body.loops),
            collision=self._rules(body.collision),
            couplings=tuple(
                replace(one, follower=self.path(one.follower), leader=self.path(one.leader))
                for one in body.couplings
            ),
        )

    def _robot(self, robot: Robot) -> Robot:
        return replace(robot, name=self._robots.take(robot.name))

    def _link(self, link: Link) -> Link:
        frames = tuple(replace(part, path=self.path(part.path)) for part in link.frames)
        return replace(
            link,
            name=self._links.take(link.name),
            path=self.path(link.path),
            joint=self._joint(link.joint),
            frames=frames,
            devices=tuple(self._device(device) for device in link.devices),
        )

    def _joint(self, joint: Joint) -> Joint:
        if isinstance(joint, JointFree | JointFixed):
            return joint
        return replace(joint, name=self._joints.take(joint.name))

    def _loop(self, loop: Loop) -> Loop:
        first, second = (
            end if end.link is None else LoopAttachment(self.path(end.link), end.pose)
            for end in loop.ends
        )
        return replace(loop, ends=(first, second))

    def _rules(self, rules: CollisionRules) -> CollisionRules:
        return replace(
            rules,
            disabled_links=tuple(self.path(path) for path in rules.disabled_links),
            disabled_pairs=tuple((self.path(a), self.path(b)) for a, b in rules.disabled_pairs),
        )

    def _device(self, device: Device) -> Device:
        """Return the device with the new paths of the parts that it speaks of."""
        match device:
            case DevicePropeller():
                return replace(
                    device,
                    fast_helix=self.path(device.fast_helix),
                    slow_helix=self.path(device.slow_helix),
                )
            case DeviceMuscle():
                return replace(device, end=self.path(device.end))
            case DeviceSkin():
                return replace(device, bones=tuple(self.path(bone) for bone in device.bones))
            case DeviceTrackBelt():
                wheels = tuple(replace(item, frame=self.path(item.frame)) for item in device.wheels)
                return replace(device, wheels=wheels)
            case DeviceLidar() if device.head is not None:
                return replace(
                    device, head=replace(device.head, frame=self.path(device.head.frame))
                )
            case _:
                return device


def with_light_numbers(body: Body, numbers: Mapping[int, int]) -> Body:
    """Return the body with the new numbers of the scene's lights that its lamps switch."""
    return replace(
        body,
        links=tuple(
            replace(
                link,
                devices=tuple(
                    replace(device, lights=tuple(numbers[k] for k in device.lights if k in numbers))
                    if isinstance(device, DeviceLed)
                    else device
                    for device in link.devices
                ),
            )
            for link in body.links
        ),
    )


def _joint_name(joint: Joint) -> str:
    return "" if isinstance(joint, JointFree | JointFixed) else joint.name


def _top_of(path: str) -> str:
    r"""Return the first name of a path, whose `:` and `\` inside names are escaped with `\`."""
    index = 0
    while index < len(path):
        if path[index] == "\\":
            index += 1
        elif path[index] == ":":
            return path[:index]
        index += 1
    return path
