"""Look-up of links and joints by name: their rows, and what the file says about each."""

from __future__ import annotations

from solidbody.base.errors import NameLookupError
from solidbody.compiler import Compiled
from solidbody.model.joints import JointAxis, JointFixed, JointFree
from solidbody.model.links import Link
from solidbody.model.scene import Scene


class Lookup:
    """Names and rows of one scene.

    Attributes:
        links: What the file says about each link, by row.
        axis_links: For each named axis the link that it moves, -1 for axes of loops.
        joint_rows: Rows of named axes; joints with several axes are `name[0]`, `name[1]`.
    """

    def __init__(self, scene: Scene, compiled: Compiled) -> None:
        self._binding, self._axes = compiled.binding, compiled.axes
        self.links: tuple[Link, ...] = tuple(scene.links())
        self.axis_links = self._axis_links()
        self.joint_rows = self._joint_rows()
        self._link_rows = self._names_of_links()

    def describe_anew(self, scene: Scene, compiled: Compiled) -> None:
        """Take another scene whose links and joints are the same."""
        self.links, self._axes = tuple(scene.links()), compiled.axes

    def link(self, name: str) -> int:
        """Return the row of the link of that name, label or path."""
        if name not in self._link_rows:
            raise NameLookupError("link", name, self._link_rows)
        return self._link_rows[name]

    def joint(self, name: str) -> int:
        """Return the row of the axis of a joint; a motor, sensor or child link may name it as well."""
        row = self.joint_rows.get(name)
        if row is None:
            row = self._binding.joint_aliases.get(name)
        if row is None:
            raise NameLookupError("joint", name, self.joint_rows)
        return row

    def axis(self, link: int, number: int) -> int:
        """Return the row of an axis of the joint of a link."""
        return self._binding.axis_of_link[link] + number

    def propeller(self, link: int, device: int) -> int:
        """Return the row of the shaft of a propeller, the link's device of that number."""
        return self._binding.axis_of_propeller[link, device]

    def axis_model(self, row: int) -> JointAxis:
        """Return what the file says about the axis in that row."""
        return self._axes[row]

    def _axis_links(self) -> tuple[int, ...]:
        joints = {
            link.joint.name: k
            for k, link in enumerate(self.links)
            if not isinstance(link.joint, JointFree | JointFixed)
        }
        return tuple(joints.get(row.joint, -1) for row in self._binding.axes)

    def _names_of_links(self) -> dict[str, int]:
        """Names first, then labels and paths that are not names of others."""
        index = {name: k for k, name in enumerate(self._binding.link_names)}
        for k, aliases in enumerate(self._binding.link_aliases):
            for alias in aliases:
                if alias:
                    index.setdefault(alias, k)
        return index

    def _joint_rows(self) -> dict[str, int]:
        axes = self._binding.axes
        several = {row.joint for row in axes if row.axis > 0}
        return {
            f"{row.joint}[{row.axis}]" if row.joint in several else row.joint: k
            for k, row in enumerate(axes)
        }
