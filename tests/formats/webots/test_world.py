"""WorldInfo, contact properties, lights, sky, viewpoint and looks."""

from __future__ import annotations

import math

import pytest

from solidbody.base.transforms import Vec3
from solidbody.model.contacts import ContactProperties
from solidbody.model.environment import LightDirectional, LightPoint, LightSpot
from solidbody.model.links import Damping
from solidbody.model.scene import (
    CoriolisRule,
    GyroRule,
    MoveRule,
    Physics,
    RidgeRule,
    RotationRule,
    Sleeping,
)
from tests.formats.reading import (
    assert_warning,
    codes,
    link_named,
    read,
    read_clean,
    the,
)


def contact(fields: str) -> ContactProperties:
    """Return the contact properties of a world without faults."""
    world = f"WorldInfo {{ contactProperties [ ContactProperties {{ {fields} }} ] }}"
    return read_clean(world).contacts.entries[0]


def test_empty_world_has_the_defaults_of_webots() -> None:
    scene = read_clean("WorldInfo { }")
    assert scene.physics == Physics(
        sleeping=Sleeping(1.0, 0.01, 0.01),
        coriolis=CoriolisRule.MIDDLE,
        ridges=RidgeRule.ODE,
        moving=MoveRule.AFTER_CONTACTS,
    )
    assert (scene.physics.time_step, scene.physics.gravity) == (0.032, (0.0, 0.0, -9.81))
    assert (scene.physics.erp, scene.physics.cfm, scene.physics.damping) == (0.2, 1e-5, Damping())
    assert (scene.name, scene.display_rate, scene.line_scale) == ("world", 60.0, 0.1)


def test_world_without_world_info_is_worth_a_word() -> None:
    from solidbody.formats.loading import read_scene_text

    scene, log = read_scene_text("#VRML_SIM R2025a utf8\n")
    assert scene is not None
    assert codes(log) == ["missing-node", "missing-node"]
    assert scene.physics.gravity == (0.0, 0.0, -9.81)
    assert scene.viewpoint.pose == read_clean("Viewpoint { }").viewpoint.pose


def test_every_field_reaches_the_scene() -> None:
    text = """WorldInfo { info [ "a" "b" ] title "t" CFM 0.1 ERP 0.3 basicTimeStep 8.5 FPS 30
        physicsDisableTime 2 physicsDisableLinearThreshold 0.1 physicsDisableAngularThreshold 0.2
        defaultDamping Damping { linear 0.1 angular 0.3 } inkEvaporation 0.5 gpsReference 1 2 3
        gpsCoordinateSystem "WGS84" lineScale 2 dragForceScale 3 dragTorqueScale 4 randomSeed 5 }"""
    scene = read_clean(text)
    physics = scene.physics
    assert (scene.info, scene.title, scene.display_rate) == (("a", "b"), "t", 30.0)
    assert (physics.cfm, physics.erp, physics.time_step) == (0.1, 0.3, 0.0085)
    assert (physics.sleeping, physics.damping) == (Sleeping(2.0, 0.1, 0.2), Damping(0.1, 0.3))
    assert (scene.ink_evaporation, scene.line_scale, physics.random_seed) == (0.5, 2.0, 5)
    assert (scene.drag_force_scale, scene.drag_torque_scale) == (3.0, 4.0)
    assert (scene.geodesy.gps_system, scene.geodesy.gps_reference) == ("WGS84", (1.0, 2.0, 3.0))


def test_lines_of_a_world_choose_rules_of_its_physics() -> None:
    lines = (
        '"solidbody: rotation ode" "solidbody: gyro implicit" "solidbody: coriolis start" '
        '"solidbody: ridges held" "by me"'
    )
    scene = read_clean(f"WorldInfo {{ info [ {lines} ] }}")
    assert scene.physics.rotation is RotationRule.ODE
    assert scene.physics.gyro is GyroRule.IMPLICIT
    assert scene.physics.coriolis is CoriolisRule.START
    assert scene.physics.ridges is RidgeRule.HELD


@pytest.mark.parametrize("step", [0.5, 1, 8, 64])
def test_worlds_take_coriolis_forces_at_mid_step_whatever_its_length(step: float) -> None:
    scene = read_clean(f"WorldInfo {{ basicTimeStep {step} }}")
    assert scene.physics.coriolis is CoriolisRule.MIDDLE


@pytest.mark.parametrize(
    ("line", "hint"),
    [
        ("solidbody: rotation odd", 'Did you mean "rotation ode"?'),
        ("solidbody: ???", "Allowed: rotation exact, rotation ode, "),
    ],
)
def test_a_line_that_names_no_rule_is_reported(line: str, hint: str) -> None:
    from solidbody.formats.loading import read_scene_text

    text = f'#VRML_SIM R2025a utf8\nWorldInfo {{ info "{line}" }}\nViewpoint {{ }}\n'
    scene, log = read_scene_text(text)
    assert scene is not None and scene.physics.rotation is RotationRule.EXACT
    (found,) = log
    assert (found.code, found.span.line, found.field) == ("unknown-rule", 2, "info")
    assert found.text.startswith(f'"{line}" chooses nothing. {hint}')


@pytest.mark.parametrize(
    ("system", "down", "east", "north"),
    [
        ("ENU", (0.0, 0.0, -5.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)),
        ("NUE", (0.0, -5.0, 0.0), (0.0, 0.0, 1.0), (1.0, 0.0, 0.0)),
        ("EUN", (0.0, -5.0, 0.0), (1.0, 0.0, 0.0), (0.0, 0.0, 1.0)),
    ],
)
def test_gravity_points_down_the_coordinate_system(
    system: str, down: Vec3, east: Vec3, north: Vec3
) -> None:
    scene = read_clean(f'WorldInfo {{ gravity 5 coordinateSystem "{system}" }}')
    assert scene.physics.gravity == down
    assert (scene.geodesy.east, scene.geodesy.north) == (east, north)


def test_gravity_of_old_worlds_is_a_vector() -> None:
    assert read_clean("WorldInfo { gravity 1 2 3 }").physics.gravity == (1.0, 2.0, 3.0)


@pytest.mark.parametrize(
    ("release", "field", "down"),
    [
        ("R2019a", "", (0.0, -9.81, 0.0)),
        ("R2020a", "", (0.0, -9.81, 0.0)),
        ("R2020b", "", (0.0, 0.0, -9.81)),
        ("R2020b", 'coordinateSystem "NUE"', (0.0, -9.81, 0.0)),
        ("R2020b", "gravity 0 -9.81 0", (0.0, -9.81, 0.0)),
        ("R2022a", "", (0.0, 0.0, -9.81)),
    ],
)
def test_worlds_that_name_no_axes_have_y_up_before_r2020b(
    release: str, field: str, down: tuple[float, float, float]
) -> None:
    scene, log = read(f"WorldInfo {{ {field} }}", release=release)
    assert codes(log) == []
    assert scene.physics.gravity == down


def test_newer_and_unknown_releases_are_reported() -> None:
    _, log = read("", release="R2099a")
    assert_warning(log, "newer-release", "R2099a, which is newer")
    _, log = read("", release="Xyz")
    assert_warning(log, "unknown-release", '"Xyz" is no known release')


@pytest.mark.parametrize(
    ("field", "reset"),
    [
        ("CFM 0", "reset to 1e-05"),
        ("ERP 2", "reset to 0.2"),
        ("basicTimeStep 0", "reset to 32"),
        ("FPS -1", "reset to 60"),
        ('coordinateSystem "XYZ"', 'must be one of "ENU", "NUE", "EUN", got "XYZ"; reset to "ENU"'),
        ('gpsCoordinateSystem "moon"', 'reset to "local"'),
        ("lineScale -1", "changed to 0"),
        ("randomSeed -2", "reset to 0"),
    ],
)
def test_values_out_of_range_are_reset(field: str, reset: str) -> None:
    scene, log = read(f"WorldInfo {{ {field} }}")
    assert_warning(log, "value-reset", reset)
    assert scene.physics.time_step == 0.032


def test_disable_time_of_zero_switches_sleeping_off() -> None:
    assert read_clean("WorldInfo { physicsDisableTime 0 }").physics.sleeping is None


def test_seed_of_minus_one_is_another_number_each_time() -> None:
    assert read_clean("WorldInfo { randomSeed -1 }").physics.random_seed >= 0


def test_deprecated_fields_are_reported() -> None:
    fields = 'northDirection 1 0 0 fast2d "x" runRealTime TRUE displayRefresh 4'
    scene, log = read(f"WorldInfo {{ {fields} }}")
    assert codes(log) == ["deprecated-field"] * 4
    assert scene.geodesy.north == (1.0, 0.0, 0.0)


def test_second_world_info_does_not_count() -> None:
    scene, log = read("WorldInfo { gravity 1 } WorldInfo { gravity 2 }")
    assert_warning(log, "second-node", "only the first counts")
    assert scene.physics.gravity == (0.0, 0.0, -1.0)


# contact properties


def test_contact_properties_reach_the_table() -> None:
    entry = contact(
        'material1 "a" material2 "b" coulombFriction [ 1 2 3 4 ] frictionRotation 0.1 0.2 '
        "rollingFriction 1 2 3 bounce 0.6 bounceVelocity 0.7 forceDependentSlip [ 5 6 ] "
        'softERP 0.8 softCFM 0.9 bumpSound "x" maxContactJoints 4'
    )
    assert entry.materials == ("a", "b")
    assert (entry.friction, entry.slip) == ((1.0, 2.0, 3.0, 4.0), (5.0, 6.0))
    assert (entry.friction_rotation, entry.rolling_friction) == ((0.1, 0.2), (1.0, 2.0, 3.0))
    assert (entry.bounce, entry.bounce_velocity) == (0.6, 0.7)
    assert (entry.soft_erp, entry.soft_cfm, entry.max_contacts) == (0.8, 0.9, 4)
    assert entry.sounds.bump == "x" and entry.sounds.roll.endswith("roll.wav")


def test_friction_of_minus_one_is_infinite() -> None:
    assert contact("coulombFriction -1").friction == (math.inf,)
    assert contact("rollingFriction -1 0 0").rolling_friction == (math.inf, 0.0, 0.0)


@pytest.mark.parametrize(
    ("field", "attribute", "expected"),
    [
        ("coulombFriction [ 0.5 -2 ]", "friction", (0.5, 1.0)),
        ("coulombFriction [ ]", "friction", (1.0,)),
        ("coulombFriction [ 1 2 3 4 5 ]", "friction", (1.0, 2.0, 3.0, 4.0)),
        ("forceDependentSlip [ ]", "slip", (0.0,)),
        ("rollingFriction 1 -2 3", "rolling_friction", (1.0, 0.0, 3.0)),
        ("bounce 1.5", "bounce", 0.5),
        ("bounceVelocity -1", "bounce_velocity", 0.01),
        ("softERP -1", "soft_erp", 0.2),
        ("softCFM 0", "soft_cfm", 0.001),
        ("maxContactJoints 0", "max_contacts", 10),
    ],
)
def test_contact_values_out_of_range_are_reset(
    field: str, attribute: str, expected: object
) -> None:
    world = f"WorldInfo {{ contactProperties [ ContactProperties {{ {field} }} ] }}"
    scene, log = read(world)
    assert codes(log) == ["value-reset"]
    assert getattr(scene.contacts.entries[0], attribute) == expected


def test_pairs_without_properties_have_the_defaults() -> None:
    default = read_clean("").contacts.find("a", "b")
    assert (default.friction, default.bounce, default.soft_cfm) == ((1.0,), 0.5, 0.001)
    assert default.sounds.bump.endswith("bump.wav")


# lights, sky, viewpoint


def test_directional_light_is_kept() -> None:
    scene = read_clean(
        "DirectionalLight { direction 0 0 -2 color 1 0 0 intensity 2 ambientIntensity 0.5 "
        "castShadows TRUE on FALSE }"
    )
    (light,) = scene.lights
    assert isinstance(light, LightDirectional)
    assert (light.direction, light.color, light.intensity) == (
        (0.0, 0.0, -1.0),
        (1.0, 0.0, 0.0),
        2.0,
    )
    assert (light.ambient, light.casts_shadows, light.is_on) == (0.5, True, False)


def test_point_light_in_a_group_stands_in_the_world() -> None:
    scene = read_clean(
        "Group { children [ Pose { translation 0 0 1 children [ PointLight { location 1 0 0 } ] } ] }"
    )
    (light,) = scene.lights
    assert isinstance(light, LightPoint)
    assert (light.position, light.link) == ((1.0, 0.0, 1.0), None)


def test_spot_light_on_a_solid_goes_along_with_it() -> None:
    spot = "SpotLight { location 1 0 0 direction 1 0 0 cutOffAngle 0.3 }"
    quarter = "rotation 0 0 1 1.5707963267948966"
    scene = read_clean(
        f'Solid {{ name "lamp" translation 5 5 5 children [ Pose {{ {quarter} children [ {spot} ] }} ] }}'
    )
    (light,) = scene.lights
    assert isinstance(light, LightSpot)
    assert (light.link, light.cut_off_angle) == ("lamp", 0.3)
    assert light.position == pytest.approx((0.0, 1.0, 0.0))
    assert light.direction == pytest.approx((0.0, 1.0, 0.0))


def test_background_and_fog_are_kept() -> None:
    sides = ("right", "left", "top", "bottom", "front", "back")
    urls = " ".join(f'{side}Url [ "{side}.png" ]' for side in sides)
    scene = read_clean(
        f"Background {{ skyColor [ 0.1 0.2 0.3 ] luminosity 2 {urls} }}"
        ' Fog { color 0.5 0.5 0.5 fogType "EXPONENTIAL" visibilityRange 7 }'
    )
    assert scene.background is not None and scene.fog is not None
    assert (scene.background.color, scene.background.luminosity) == ((0.1, 0.2, 0.3), 2.0)
    assert scene.background.images == tuple(f"{side}.png" for side in sides)
    assert (scene.fog.kind, scene.fog.visibility_range) == ("EXPONENTIAL", 7.0)


def test_viewpoint_follows_a_link_by_the_name_of_a_merged_part() -> None:
    body = "boundingObject Sphere { } physics Physics { }"
    scene = read_clean(
        'Viewpoint { position 1 2 3 fieldOfView 1 follow "head" followType "Mounted Shot" }'
        f'Solid {{ name "body" {body} children [ Solid {{ name "head" {body} }} ] }}'
    )
    assert scene.viewpoint.pose.position == (1.0, 2.0, 3.0)
    assert (scene.viewpoint.follow, scene.viewpoint.follow_type) == ("body", "Mounted Shot")
    assert link_named(scene, "body").path == scene.viewpoint.follow


def test_viewpoint_that_follows_nothing_is_reported() -> None:
    scene, log = read('Viewpoint { follow "bobx" } Solid { name "box" }')
    assert 'Did you mean "box"?' in the(log, "unknown-solid").text
    assert scene.viewpoint.follow is None


# looks


def test_physically_based_look_is_kept() -> None:
    text = """Shape { geometry Box { } castShadows FALSE isPickable FALSE appearance PBRAppearance {
        baseColor 0.1 0.2 0.3 roughness 0.4 metalness 0.5 transparency 0.6 emissiveColor 1 0.5 0
        emissiveIntensity 2 baseColorMap ImageTexture { url [ "a\\\\b.png" ] repeatS FALSE }
        textureTransform TextureTransform { scale 2 3 rotation 1 } } }"""
    shape = read_clean(text).bodies[0].links[0].shapes[0]
    look = shape.appearance
    assert look is not None and look.texture is not None and look.texture_transform is not None
    assert (look.base_color, look.roughness, look.metalness) == ((0.1, 0.2, 0.3), 0.4, 0.5)
    assert (look.transparency, look.emissive) == (0.6, (2.0, 1.0, 0.0))
    assert (look.texture.uri, look.texture.repeat) == ("a/b.png", (False, True))
    assert (look.texture_transform.scale, look.texture_transform.rotation) == ((2.0, 3.0), 1.0)
    assert (shape.casts_shadows, shape.is_pickable) == (False, False)


def test_classic_look_is_kept() -> None:
    text = """Shape { geometry Box { } appearance Appearance { texture ImageTexture { url "t.png" }
        material Material { diffuseColor 1 0 0 specularColor 0 1 0 shininess 0.5 } } }"""
    look = read_clean(text).bodies[0].links[0].shapes[0].appearance
    assert look is not None and look.texture is not None
    assert (look.base_color, look.specular, look.shininess) == ((1, 0, 0), (0, 1, 0), 0.5)
    assert look.texture.uri == "t.png"


def test_shape_without_appearance_has_no_look_of_its_own() -> None:
    scene = read_clean("Shape { geometry Box { } } Shape { }")
    assert len(scene.bodies) == 1
    assert scene.bodies[0].links[0].shapes[0].appearance is None


@pytest.mark.parametrize("text", ["1 0 0", "[ 1 0 0 ]", "[ 1 0 0, 0 1 0 ]"])
def test_sky_colour_may_be_one_or_a_list(text: str) -> None:
    background = read_clean(f"Background {{ skyColor {text} }}").background
    assert background is not None and background.color == (1.0, 0.0, 0.0)
