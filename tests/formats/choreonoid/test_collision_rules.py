"""Collision detection rules, in both forms, carried out in order."""

from __future__ import annotations

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.formats.choreonoid.body.collision_rules import with_self_collision
from solidbody.model.links import Body, CollisionRules
from tests.formats.choreonoid.bodies import read_body
from tests.formats.reading import assert_warning

CHAIN = "  - name: A\n  - { name: B, parent: A }\n  - { name: C, parent: B }\n  - { name: D, parent: C }"


def read(rules: str) -> tuple[Body, DiagnosticLog]:
    return read_body(CHAIN, more=rules)


def clean(*rules: str) -> CollisionRules:
    lines = "".join(f"  - {rule}\n" for rule in rules)
    body, log = read(f"collision_detection_rules:\n{lines}")
    assert [str(item) for item in log] == []
    return body.collision


def pairs(rules: CollisionRules) -> set[str]:
    return {"".join(path.removeprefix("Robot:") for path in pair) for pair in rules.disabled_pairs}


def test_without_rules_neighbours_are_not_tested() -> None:
    body, _ = read("")
    assert body.collision.chain_level == 1
    assert not body.collision.disabled_links and not body.collision.disabled_pairs


def test_links_of_one_body_are_not_tested_unless_a_project_says_so() -> None:
    body, _ = read("")
    assert not body.collision.self_collision
    assert with_self_collision(body, True).collision.self_collision


def test_only_pairs_that_both_stand_still_are_left_out_besides() -> None:
    """The two rules of Webots have no counterpart in Choreonoid."""
    rules = read("")[0].collision
    assert not rules.fixed_base_ignores_static and not rules.shared_anchor_ignored


def test_with_rules_the_default_level_does_not_hold() -> None:
    assert clean("disabled_links: []").chain_level == 0


def test_a_chain_level() -> None:
    assert clean("disabled_link_chain_level: 3").chain_level == 3


def test_disabled_links_collide_with_nothing() -> None:
    assert clean("disabled_links: [ B, D ]").disabled_links == ("Robot:B", "Robot:D")
    assert len(clean("disabled_links: all").disabled_links) == 4


def test_enabled_links_come_back_and_lose_their_ignored_pairs() -> None:
    rules = clean("disabled_link_chain_level: 1", "disabled_links: all", "enabled_links: [ B ]")
    assert rules.disabled_links == ("Robot:A", "Robot:C", "Robot:D")
    assert rules.chain_level == 0 and not rules.disabled_pairs


def test_enabled_links_lose_only_their_own_pairs() -> None:
    rules = clean("disabled_link_chain_level: 1", "enabled_links: [ B ]")
    assert pairs(rules) == {"CD"}  # AB and BC are tested again


def test_the_order_of_rules_counts() -> None:
    rules = clean("enabled_links: [ B ]", "disabled_link_chain_level: 1")
    assert rules.chain_level == 1 and not rules.disabled_pairs


def test_a_disabled_group_ignores_all_its_pairs() -> None:
    assert pairs(clean("disabled_link_group: [ A, C, D ]")) == {"AC", "AD", "CD"}


def test_an_enabled_group_gives_its_pairs_back() -> None:
    rules = clean("disabled_link_group: [ A, B, C ]", "enabled_link_group: [ A, C ]")
    assert pairs(rules) == {"AB", "BC"}


def test_an_enabled_group_brings_disabled_links_back_for_its_own_pairs() -> None:
    """To disable a link is to ignore all its pairs; only those inside the group are given back."""
    rules = clean("disabled_links: [ A, B ]", "enabled_link_group: [ A, C ]")
    assert rules.disabled_links == ("Robot:B",)
    assert pairs(rules) == {"AD"}


def test_levels_do_not_cross_a_free_joint() -> None:
    links = "  - name: A\n  - { name: B, parent: A, joint_type: free }\n  - { name: C, parent: B }"
    rules = "collision_detection_rules: [ disabled_link_chain_level: 2, enabled_links: [] ]\n"
    body, _ = read_body(links, more=rules)
    assert pairs(body.collision) == {"BC"}


def test_unknown_rules_are_ignored_with_a_warning() -> None:
    _, log = read("collision_detection_rules: [ disabled_link: [ A ] ]\n")
    item = assert_warning(log, "unknown-rule", 'there is no rule "disabled_link"')
    assert 'Did you mean "disabled_links"?' in item.text


def test_unknown_links_are_reported() -> None:
    _, log = read("collision_detection_rules: [ disabled_links: [ Q ] ]\n")
    assert_warning(log, "unknown-link", 'no link is named "Q"')


def test_the_old_form() -> None:
    body, log = read(
        "collisionDetection:\n  excludeTreeDepth: 3\n  excludeLinks: [ A ]\n"
        "  excludeLinkGroups:\n    - { name: G, links: [ B, D ] }\n"
    )
    assert not log.items
    assert body.collision.chain_level == 3
    assert body.collision.disabled_links == ("Robot:A",)
    assert pairs(body.collision) == {"BD"}


def test_the_old_form_has_level_1_by_default() -> None:
    assert read("collisionDetection: { excludeLinks: [ A ] }\n")[0].collision.chain_level == 1


def test_the_new_form_counts_when_both_are_given() -> None:
    body, log = read(
        "collisionDetection: { excludeTreeDepth: 3 }\n"
        "collision_detection_rules: [ disabled_link_chain_level: 2 ]\n"
    )
    assert_warning(log, "duplicate-key", "collision_detection_rules is given too and counts")
    assert body.collision.chain_level == 2
