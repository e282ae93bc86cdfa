"""Reads which links of a body are tested against each other (rules C12.1).

Rules are carried out in file order on two sets, links that collide with nothing and pairs that ignore
each other. Near pairs stay a number (`chain_level`) unless a later rule puts some of them back. One thing
differs: `enabled_link_group` puts disabled links back even where a project leaves self-collision off.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations, islice
from typing import Final

from solidbody.formats.choreonoid.keys.access import Keys
from solidbody.formats.choreonoid.keys.bodies import BodyKeys, CollisionRuleKeys, OldCollisionKeys
from solidbody.formats.choreonoid.keys.kinds import number_of
from solidbody.formats.choreonoid.keys.yaml_tree import YamlList, YamlMap, YamlNode, YamlScalar
from solidbody.model.joints import JointFree
from solidbody.model.links import Body, CollisionRules, Link

RULES_KEY: Final = BodyKeys.collision_detection_rules
OLD_KEY: Final = BodyKeys.collision_detection
DEFAULT_LEVEL: Final = 1
"""Links joined directly are not tested, when the file has no rules."""

MAX_LEVEL: Final = 10_000

MAX_PAIRS: Final = 200_000
"""Pairs that rules may name, half a gigabyte of names; a robot of 100 links has 5,000."""


@dataclass(slots=True)
class _State:
    links: Sequence[Link]
    names: Mapping[str, int]
    level: int = 0
    disabled: set[int] = field(default_factory=set[int])
    alone: set[int] = field(default_factory=set[int])  # links all of whose pairs are ignored
    ignored: set[tuple[int, int]] = field(default_factory=set[tuple[int, int]])

    def write_out_level(self) -> None:
        """Turn the chain level into pairs, so that some of them can be taken back."""
        if self.level:
            self.ignore(_near_pairs(self.links, self.level))
            self.level = 0

    def ignore(self, pairs: Iterable[tuple[int, int]]) -> None:
        """Add pairs, as long as there is room."""
        room = MAX_PAIRS + 1 - len(self.ignored)
        self.ignored.update(islice(pairs, max(room, 0)))


def read_rules(
    keys: Keys, rules: Mapping[str, YamlNode], links: Sequence[Link], names: Mapping[str, int]
) -> CollisionRules:
    """Return the rules of a body.

    Args:
        keys: Top-level mapping, for messages.
        rules: Values of the keys above that the body has.
        links: In the model's order.
        names: Link names in the file to indices.
    """
    state = _State(links, names)
    old = rules.get(OLD_KEY.name)
    if RULES_KEY.name in rules:
        _apply_list(keys, rules[RULES_KEY.name], state)
        if old is not None:
            text = f"{RULES_KEY.name} is given too and counts."
            keys.warning("duplicate-key", OLD_KEY, text, span=old.span)
    elif old is not None:
        _apply_old(keys, old, state)
    else:
        state.level = DEFAULT_LEVEL
    if len(state.ignored) > MAX_PAIRS:
        keys.error(
            "too-many-pairs",
            RULES_KEY,
            f"the rules name more than {MAX_PAIRS} pairs of links; the rest is left out.",
        )
    return CollisionRules(
        self_collision=False,
        chain_level=state.level,
        disabled_links=tuple(links[k].path for k in sorted(state.disabled)),
        disabled_pairs=tuple(
            (links[a].path, links[b].path)
            for a, b in sorted(state.ignored)
            if a not in state.disabled and b not in state.disabled
        ),
        fixed_base_ignores_static=False,
        loop_ends_ignored=False,
        shared_anchor_ignored=False,
    )


def with_self_collision(body: Body, is_on: bool) -> Body:
    """Return the body with collisions between its own links switched on or off."""
    return replace(
        body,
        collision=replace(body.collision, self_collision=is_on),
        robots=tuple(replace(robot, self_collision=is_on) for robot in body.robots),
    )


# ------------------------------------------------------------------------------------------- rules


def _apply_list(keys: Keys, node: YamlNode, state: _State) -> None:
    if not isinstance(node, YamlList):
        keys.wrong(RULES_KEY.name, node, "a list of rules")
        return
    for item in node.items:
        if not isinstance(item, YamlMap):
            keys.wrong(RULES_KEY.name, item, "a mapping with one rule")
            continue
        for rule, value in item.pairs:
            action = _RULES.get(rule.text)
            if action is None:
                keys.warning(
                    "unknown-rule",
                    RULES_KEY,
                    f'there is no rule "{rule.text}"; it is ignored, as in Choreonoid.'
                    f"{keys.reading.guess(rule.text, _RULES)}",
                    span=rule.span,
                )
            else:
                action(keys, value, state)


def _chain_level(keys: Keys, value: YamlNode, state: _State) -> None:
    number = number_of(keys, RULES_KEY.name, value)
    if number is not None:
        state.level = max(state.level, min(max(int(number), 0), MAX_LEVEL))


def _disable(keys: Keys, value: YamlNode, state: _State) -> None:
    found = set(_named(keys, value, state, allows_all=True))
    state.disabled |= found
    state.alone |= found


def _enable(keys: Keys, value: YamlNode, state: _State) -> None:
    found = set(_named(keys, value, state, allows_all=True))
    state.disabled -= found
    state.alone -= found
    state.write_out_level()
    state.ignored = {pair for pair in state.ignored if not found & set(pair)}


def _disable_group(keys: Keys, value: YamlNode, state: _State) -> None:
    state.ignore(combinations(sorted(set(_named(keys, value, state))), 2))


def _enable_group(keys: Keys, value: YamlNode, state: _State) -> None:
    found = sorted(set(_named(keys, value, state)))
    state.disabled.difference_update(found)
    for a in state.alone.intersection(found):  # only the pairs of the group come back
        state.ignore((min(a, b), max(a, b)) for b in range(len(state.links)) if b != a)
    state.alone.difference_update(found)
    state.write_out_level()
    state.ignored.difference_update(combinations(found, 2))


_RULES: Final[dict[str, Callable[[Keys, YamlNode, _State], None]]] = {
    CollisionRuleKeys.disabled_link_chain_level.name: _chain_level,
    CollisionRuleKeys.disabled_links.name: _disable,
    CollisionRuleKeys.enabled_links.name: _enable,
    CollisionRuleKeys.disabled_link_group.name: _disable_group,
    CollisionRuleKeys.enabled_link_group.name: _enable_group,
}


def _apply_old(keys: Keys, node: YamlNode, state: _State) -> None:
    if not isinstance(node, YamlMap):
        keys.wrong(OLD_KEY.name, node, "a mapping")
        return
    old = keys.child(node, OLD_KEY.name)
    level = old.read(OldCollisionKeys.exclude_tree_depth)
    state.level = min(max(level, 0), MAX_LEVEL)
    links = old.node(OldCollisionKeys.exclude_links)
    if links is not None:
        state.disabled.update(_named(old, links, state))
    for group in old.items(OldCollisionKeys.exclude_link_groups):
        members = group.get("links") if isinstance(group, YamlMap) else None
        if members is None:
            old.wrong(
                OldCollisionKeys.exclude_link_groups.name, group, "a mapping with the key links"
            )
        else:
            _disable_group(old, members, state)


def _named(
    keys: Keys, value: YamlNode, state: _State, *, allows_all: bool = False
) -> Iterable[int]:
    """Yield the indices of the links that a rule names; a name that is not known is reported."""
    if allows_all and isinstance(value, YamlScalar) and value.text == "all":
        yield from range(len(state.links))
        return
    for item in value.items if isinstance(value, YamlList) else (value,):
        if not isinstance(item, YamlScalar):
            keys.wrong(RULES_KEY.name, item, "the name of a link")
        elif item.text in state.names:
            yield state.names[item.text]
        else:
            keys.warning(
                "unknown-link",
                RULES_KEY,
                f'no link is named "{item.text}".{keys.reading.guess(item.text, state.names)}',
                span=item.span,
            )


def _near_pairs(links: Sequence[Link], level: int) -> Iterable[tuple[int, int]]:
    """Yield pairs at most `level` joints apart; a way never crosses a free joint."""
    neighbours: list[list[int]] = [[] for _ in links]
    for k, link in enumerate(links):
        if link.parent is not None and not isinstance(link.joint, JointFree):
            neighbours[k].append(link.parent)
            neighbours[link.parent].append(k)
    for start in range(len(links)):
        seen, front = {start}, [start]
        for _ in range(level):
            front = [b for a in front for b in neighbours[a] if b not in seen]
            if not front:
                break
            seen.update(front)
        yield from ((start, other) for other in seen if other > start)
