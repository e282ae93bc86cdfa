"""Keys of project files: items, simulators, vision, lamps, material tables, stored views."""

from __future__ import annotations

import math
from typing import Final

from solidbody.base.transforms import ZERO
from solidbody.formats.choreonoid.keys.access import Keys
from solidbody.formats.choreonoid.keys.items import Item
from solidbody.formats.choreonoid.keys.kinds import (
    ANGLE,
    ANY,
    DIRECTION,
    FLAG,
    INTEGER,
    LIST,
    MAPPING,
    NINE,
    NOT_NEGATIVE,
    NUMBER,
    NUMBERS,
    POSITIVE,
    SHARE,
    TEXT,
    TEXTS,
    TRANSLATION,
    VEC3,
    as_written,
    choice,
)
from solidbody.formats.choreonoid.keys.settings import (
    DEFAULT_FRICTION,
    STANDARD_GRAVITY,
    ContactMaterial,
    Material,
    OdeContacts,
    SimulatorSettings,
    ViewCamera,
    VisionSettings,
)
from solidbody.formats.choreonoid.keys.table import Key, Table, ValueKind, ignored
from solidbody.formats.choreonoid.keys.yaml_text import Yaml
from solidbody.formats.choreonoid.keys.yaml_tree import YamlNode
from solidbody.model.environment import LightDirectional, LightPoint, LightSpot
from solidbody.model.programs import ModuleFolder, SimpleController
from solidbody.model.scene import IntegrationRule

_WINDOWS: Final = "for the program's windows"

EULER: Final = "semi-implicit_euler"
OLD_EULER: Final = "Euler"
RUNGE_KUTTA: Final = "runge-kutta"


def _integration_of(keys: Keys, name: str, value: YamlNode) -> IntegrationRule | None:
    """Return how the item integrates: any text but one of the two means semi-implicit Euler."""
    rule = TEXT.read(keys, name, value)
    if rule == RUNGE_KUTTA:
        return IntegrationRule.RUNGE_KUTTA
    if rule not in (None, EULER, OLD_EULER):
        said = (
            f'Choreonoid takes "{rule}" for "{EULER}"; the other mode is written "{RUNGE_KUTTA}".'
        )
        keys.info("mode-ignored", name, said)
    return None


def _written_integration(rule: IntegrationRule) -> Yaml:
    return RUNGE_KUTTA if rule is IntegrationRule.RUNGE_KUTTA else EULER


def _count_of(keys: Keys, name: str, value: YamlNode) -> int | None:
    number = NOT_NEGATIVE.read(keys, name, value)
    return None if number is None else int(number)


_INTEGRATION: Final = ValueKind[IntegrationRule](
    "word", _integration_of, _written_integration, allowed=f"{EULER}, {OLD_EULER}, {RUNGE_KUTTA}"
)
_COUNT: Final = ValueKind[int]("number", _count_of, lambda count: count, allowed=">= 0")

# fmt: off
# one row, one line


class ProjectKeys(Table):
    """The top of a project file."""

    title = "Project file"

    items = Key(MAPPING, None, "Scene.bodies", "the root item", by="tree")
    views = Key(LIST, None, "Scene.viewpoint", "the first scene view counts", by="tree")
    toolbars = Key(MAPPING, None, "Physics.time_step", "the time bar counts", by="tree")


class ToolbarKeys(Table):
    """`toolbars` of a project."""

    title = "Toolbars"

    time_bar = Key(MAPPING, None, "Physics.time_step", "see there", name="TimeBar", by="tree")


class TimeBarKeys(Table):
    """The time bar."""

    title = "TimeBar"

    frame_rate = Key(
        NUMBER, None, "Physics.time_step", "steps a second", old="frameRate", unit="1/s", by="sum"
    )


class ViewKeys(Table):
    """An entry of `views`."""

    title = "View"

    class_ = Key(TEXT, "", "Scene.viewpoint", "SceneView counts", name="class", by="type")
    state = Key(MAPPING, None, "Scene.viewpoint", "of a SceneView", by="tree")
    scene = Key(MAPPING, None, "Scene.viewpoint", "its oldest form", name="Scene", by="tree")


class ViewStateKeys(Table):
    """The state of a scene view."""

    title = "State of a scene view"

    camera = Key(MAPPING, None, "Viewpoint.pose", "of old files", by="tree")
    cameras = Key(LIST, None, "Viewpoint.pose", "the first one counts", by="tree")


class ViewCameraKeys(Table):
    """A camera of a scene view."""

    title = "Camera of a scene view"
    makes = ViewCamera

    eye = Key(VEC3, None, "eye", "where it stands", unit="m")
    direction = Key(VEC3, None, "direction", "where it looks")
    up = Key(VEC3, (0.0, 0.0, 1.0), "up", "what is up")


class ItemKeys(Table):
    """An item of a project."""

    title = "Item"
    makes = Item

    name = Key(TEXT, "", "name", "as the tree of items shows it")
    class_ = Key(TEXT, "", "class_name", "what it is", name="class")
    plugin = Key(TEXT, "", "plugin", "what brings it")
    data = Key(MAPPING, None, "Scene.bodies", "the keys of its class", by="tree")
    children = Key(LIST, None, "Scene.bodies", "items below", by="tree")
    is_selected = Key(FLAG, False, "is_selected", "a selected simulator counts", old="isSelected")
    is_checked = Key(FLAG, False, "is_checked", "a checked motion is played", old="isChecked")
    id = Key(ANY, None, ignored=_WINDOWS)
    passed_over = ignored(
        _WINDOWS, "is_sub_item isSubItem", "is_builtin_item isBuiltinItem",
        "addons"
    )


class WorldItemKeys(Table):
    """The world that bodies and simulators stand in."""

    types = ("WorldItem",)

    collision_detection = Key(
        ANY, None, old="collisionDetection", ignored="simulations always detect collisions"
    )
    collision_detection_between_multiplex_bodies = Key(
        FLAG, False, unsupported="bodies have no multiplex copies here"
    )
    default_material_table_file = Key(
        TEXT, "", "Scene.contacts", "file of materials", old="materialTableFile", by="file"
    )
    passed_over = ignored("there is one detector here", "collision_detector collisionDetector")


class FileItemKeys(Table):
    """Items that stand for a file."""

    title = "MaterialTableItem"
    types = ("MaterialTableItem",)

    file = Key(TEXT, "", "Scene.contacts", "file of materials", by="file")
    format = Key(ANY, None, ignored="the file says what it is")


class SubProjectItemKeys(Table):
    """Another project, whose items stand below this one."""

    types = ("SubProjectItem",)

    file = Key(TEXT, "", "Scene.bodies", "file of the project", old="filename", by="file")
    format = Key(ANY, None, ignored="the file says what it is")


MODULE_FOLDERS: Final = {
    "Controller directory": ModuleFolder.CONTROLLERS,
    "Project directory": ModuleFolder.PROJECT,
    "None": ModuleFolder.NONE,
}


class SimpleControllerItemKeys(Table):
    """A controller compiled to a shared object, and what it is told."""

    types = ("SimpleControllerItem",)
    makes = SimpleController

    controller = Key(TEXT, "", "module", "name or path of the shared object")
    base_directory = Key(
        choice(MODULE_FOLDERS), ModuleFolder.CONTROLLERS, "folder", "where it is looked for",
        old="baseDirectory RelativePathBase"
    )
    controller_options = Key(TEXT, "", "options", "what it is told", old="controllerOptions")
    no_delay_mode = Key(
        FLAG, False, "no_delay", "orders act in the same step", old="isNoDelayMode isImmediateMode"
    )
    reloading = Key(FLAG, True, "reloads", "loaded anew for each simulation")
    export_symbols = Key(FLAG, False, "exports", "others may use its symbols", old="exportSymbols")
    is_old_target_variable_mode = Key(
        FLAG, False, "old_targets", "positions are orders, not targets", old="isOldTargetVariableMode"
    )
    passed_over = ignored("Choreonoid no longer reads it", "inputLinkPositions")


class BodyRTCItemKeys(Table):
    """A controller of OpenRTM; its name is kept with the body."""

    types = ("BodyRTCItem",)

    module_name = Key(
        TEXT, "", "Body.metadata", "library", old="module_name module", name="moduleName", by="name"
    )


class BodyMotionItemKeys(Table):
    """A motion, or key poses that make one; a BodyMotionControllerItem above it plays it."""

    types = ("BodyMotionItem", "PoseSeqItem")

    file = Key(TEXT, "", "Body.motion", "file of sequences or poses", old="filename", by="file")
    is_body_motion_checked = Key(
        FLAG, False, "Body.motion", "key poses that are checked are played", by="sum"
    )
    format = Key(ANY, None, ignored="the file says what it is")
    passed_over = ignored(
        "for motions that are edited", "is_body_joint_velocity_update_enabled", "bar_length barLength",
        "is_body_motion_selected"
    )


_EDITING: Final = "matters while a scene is edited, not for its simulation"
_DEGREES: Final = "degree, also of sliders"


class BodyItemKeys(Table):
    """A body of the world. A simulation starts from the initial state."""

    types = ("BodyItem",)

    file = Key(TEXT, "", "Scene.bodies", "its body file", old="modelFile", by="file")
    format = Key(ANY, None, ignored="the file says what it is")
    root_translation = Key(
        VEC3, None, "Link.pose", "as shown, of the root", old="rootPosition", unit="m", by="place"
    )
    root_rotation = Key(
        as_written("4 or 9 numbers"), None, "Link.pose", "as shown: axis and angle, or a matrix",
        unit="–, degree", by="place"
    )
    root_attitude = Key(NINE, None, "Link.pose", "a matrix", name="rootAttitude", by="place")
    initial_root_translation = Key(
        VEC3, None, "Link.pose", "of the root", old="initialRootPosition", unit="m", by="place"
    )
    initial_root_rotation = Key(
        as_written("4 or 9 numbers"), None, "Link.pose", "axis and angle, or a matrix",
        unit="–, degree", by="place"
    )
    initial_root_attitude = Key(
        NINE, None, "Link.pose", "a matrix", name="initialRootAttitude", by="place"
    )
    initial_joint_displacements = Key(
        NUMBERS, (), "JointAxis.position", "of the first joints", unit=_DEGREES, by="sum"
    )
    initial_joint_displacements_camel = Key(
        NUMBERS, (), "JointAxis.position", "of joints behind those", name="initialJointDisplacements",
        unit=_DEGREES, by="sum"
    )
    initial_joint_positions = Key(
        NUMBERS, (), "JointAxis.position", "of joints behind those", name="initialJointPositions",
        unit="rad, m", by="sum"
    )
    joint_displacements = Key(
        NUMBERS, (), "JointAxis.position", "of joints behind those", unit=_DEGREES, by="sum"
    )
    joint_displacements_camel = Key(
        NUMBERS, (), "JointAxis.position", "of joints behind those", name="jointDisplacements",
        unit=_DEGREES, by="sum"
    )
    joint_positions = Key(
        NUMBERS, (), "JointAxis.position", "of joints behind those", name="jointPositions",
        unit="rad, m", by="sum"
    )
    fix_root = Key(FLAG, None, "Link.motion", "bolted to the world, or floating", by="sum")
    static_model = Key(
        FLAG, None, "Link.motion", "whether nothing moves at all", name="staticModel", by="sum"
    )
    collision_detection = Key(
        FLAG, True, "CollisionRules.disabled_links", "with other bodies", old="collisionDetection",
        by="body"
    )
    self_collision_detection = Key(
        FLAG, False, "CollisionRules.self_collision", "among its links",
        old="selfCollisionDetection", by="body"
    )
    passed_over = ignored(
        _EDITING, "current_base_link currentBaseLink", "zmp", "lock_location", "location_editable",
        "isEditable", "scene_sensitive isSceneSensitive", "link_kinematics", "parent_body_linkage",
        "parent_link", "enable_attachment", "transparency", "visibleLinkSelectionMode", "device_states"
    )


# -------------------------------------------------------------------------------------- simulators


class SimulatorItemKeys(Table):
    """What all simulators have."""

    title = "Simulator item"
    makes = SimulatorSettings
    is_apart = True

    time_step = Key(
        NUMBER, None, "Physics.time_step", "1e-6 to 1", old="timestep timeStep", unit="s", by="sum"
    )
    frame_rate = Key(
        NUMBER, None, "Physics.time_step", "without time_step", old="framerate frameRate",
        unit="1/s", by="sum"
    )
    gravity = Key(VEC3, STANDARD_GRAVITY, "gravity", "acceleration", old="Gravity", unit="m/s2")
    use_2d_mode = Key(
        FLAG, False, "SimulatorSettings.mode", "bodies move in a plane", old="2Dmode", by="sum"
    )
    dynamics_mode = Key(
        TEXT, "Forward dynamics", "SimulatorSettings.mode", "or Kinematics", old="dynamicsMode", by="sum"
    )
    controller_options = Key(
        TEXT, "", "controller_options", "for all controllers", old="controllerOptions"
    )
    is_active_control_time_range_mode = Key(
        FLAG, False, "ends_with_programs", "ends when no controller has more to do",
        old="active_control_time_range_mode"
    )


_AROUND: Final = "steers the program around the simulation, its iterations or its threads"
_MATERIALS: Final = "friction and restitution come from materials"


class AISTSimulatorItemKeys(SimulatorItemKeys):
    """Choreonoid's own simulator."""

    types = ("AISTSimulatorItem",)
    makes = SimulatorSettings

    integration_mode = Key(
        _INTEGRATION, IntegrationRule.SEMI_IMPLICIT_EULER, "integration", "or runge-kutta",
        old="integrationMode"
    )
    min_friction_coefficient = Key(
        NOT_NEGATIVE, 0.0, "friction_range.0", "of all contacts"
    )
    max_friction_coefficient = Key(
        NOT_NEGATIVE, 100.0, "friction_range.1", "of all contacts"
    )
    contact_culling_depth = Key(
        POSITIVE, 0.05, "culling_depth", "deepest point", old="contactCullingDepth", unit="m"
    )
    max_num_contact_points = Key(_COUNT, 4, "max_points", "of a pair; 0 is no limit")
    contact_correction_depth = Key(
        NOT_NEGATIVE, 0.00025, "correction_depth", "at which bodies rest", old="contactCorrectionDepth",
        unit="m"
    )
    contact_correction_velocity_ratio = Key(
        NOT_NEGATIVE, 5.0, "correction_ratio", "of other depths", old="contactCorrectionVelocityRatio",
        unit="1/s"
    )
    enable_kinematic_walking = Key(
        FLAG, False, old="kinematicWalking", unsupported="kinematic walking is not available"
    )
    use_old_accel_sensor_mode = Key(
        FLAG, False, old="oldAccelSensorMode",
        unsupported="the old mode of acceleration sensors is not available"
    )
    static_friction = Key(ANY, None, name="staticFriction", unsupported=_MATERIALS)
    dynamic_friction = Key(ANY, None, name="dynamicFriction", unsupported=_MATERIALS)
    slip_friction = Key(ANY, None, name="slipFriction", unsupported=_MATERIALS)
    epsilon = Key(ANY, None, unsupported=_MATERIALS)
    self_collision = Key(
        ANY, None, name="selfCollision",
        unsupported="each body item says whether its links collide with each other"
    )
    passed_over = ignored(
        _AROUND, "realtime_sync_mode realtimeSync", "recording", "time_range_mode timeRangeMode",
        "time_length timeLength",
        "output_all_link_positions allLinkPositionOutputMode", "output_device_states deviceStateOutput",
        "record_collision_data recordCollisionData", "use_controller_threads controllerThreads",
        "block_scene_view_edit_mode scene_view_edit_mode_blocking",
        "time_sync_items", "contact_culling_distance cullingThresh", "error_criterion errorCriterion",
        "max_num_iterations maxNumIterations",
        "num_collision_detection_threads numCollisionDetectionThreads"
    )


class ODESimulatorItemKeys(SimulatorItemKeys):
    """ODE: one friction for all contacts."""

    types = ("ODESimulatorItem",)
    makes = OdeContacts

    friction = Key(NOT_NEGATIVE, 1.0, "friction", "of all contacts")
    global_erp = Key(NOT_NEGATIVE, 0.4, "erp", "share of errors removed in a step", name="globalERP")
    global_cfm = Key(NOT_NEGATIVE, 1e-10, "cfm", "softness", name="globalCFM")
    max_correcting_vel = Key(NOT_NEGATIVE, 1e-3, "max_speed", "outwards", name="maxCorrectingVel", unit="m/s")
    joint_limit_mode = Key(FLAG, False, "stops_joints", "stops at ranges", name="jointLimitMode")
    limit_correcting_vel = Key(
        FLAG, True, "OdeContacts.max_speed", "whether it counts", name="limitCorrectingVel", by="sum"
    )


# ------------------------------------------------------------------------------ vision and lights


_OTHERWISE: Final = "pictures are made in another way here, as soon as they are due"


class VisionSimulatorItemKeys(Table):
    """Runs the cameras and range sensors below its simulator."""

    types = ("GLVisionSimulatorItem", "VFXVisionSimulatorItem")
    makes = VisionSettings

    enabled = Key(FLAG, True, "is_on", "whether sensors see at all")
    target_bodies = Key(TEXTS, (), "bodies", "names; all without", old="targetBodies")
    target_sensors = Key(TEXTS, (), "sensors", "names; all without", old="targetSensors")
    max_frame_rate = Key(POSITIVE, 1000.0, "max_rate", "of all sensors", old="maxFrameRate", unit="1/s")
    antialiasing = Key(FLAG, False, "is_smooth", "of edges", old="antiAliasing")
    background_color = Key(VEC3, None, "background", "of what is nowhere", old="backgroundColor")
    depth_error = Key(NOT_NEGATIVE, 0.0, old="depthError", unit="m", unsupported="no constant error here")
    passed_over = ignored(
        _OTHERWISE, "record_vision_data recordVisionData", "thread_mode threadMode",
        "useThreadsForSensors", "best_effort bestEffort", "all_scene_objects allSceneObjects",
        "range_sensor_precision_ratio rangeSensorPrecisionRatio", "enable_head_light enableHeadLight",
        "enable_world_light enableWorldLight", "enable_additional_lights enableAdditionalLights",
        "msaa_level msaaLevel", "infinite_far_clip infiniteFarClip", "max_latency maxLatency",
        "shoot_all_scene_objects shootAllSceneObjects", "dynamics_type", "vfx_event_file_path"
    )


LAMPS: Final = {
    "Directional light": LightDirectional,
    "Point light": LightPoint,
    "Spot light": LightSpot,
}


class LightingItemKeys(Table):
    """A lamp of the world."""

    types = ("LightingItem",)
    makes = LightSpot

    light_type = Key(choice(LAMPS), LightPoint, "Scene.lights", "what kind", by="type")
    on = Key(FLAG, True, "is_on", "whether it shines")
    color = Key(VEC3, (1.0, 1.0, 1.0), "color", "of its light")
    intensity = Key(NOT_NEGATIVE, 1.0, "intensity", "of its light")
    ambient_intensity = Key(NOT_NEGATIVE, 0.0, "ambient", "of light from everywhere")
    translation = Key(TRANSLATION, ZERO, "position", "in the world")
    direction = Key(DIRECTION, (0.0, 0.0, -1.0), "direction", "where it shines")
    constant_attenuation = Key(NUMBER, 1.0, "attenuation.0", "with distance")
    linear_attenuation = Key(NUMBER, 0.0, "attenuation.1", "with distance")
    quadratic_attenuation = Key(NUMBER, 0.0, "attenuation.2", "with distance")
    beam_width = Key(ANGLE, math.pi / 2, "beam_width", "full light")
    cutoff_angle = Key(ANGLE, math.pi / 4, "cut_off_angle", "no light", old="cut_off_angle")
    cutoff_exponent = Key(NUMBER, 1.0, "cut_off_exponent", "between them", old="cut_off_exponent")
    rotation = Key(ANY, None, ignored="the direction says it")
    passed_over = ignored(_WINDOWS, "show_marker")


# ---------------------------------------------------------------------------------------- materials


class MaterialFileKeys(Table):
    """A file of materials."""

    title = "Material file"

    materials = Key(LIST, None, "Scene.contacts", "surfaces", by="tree")
    contact_materials = Key(
        LIST, None, "ContactTable.entries", "pairs of surfaces", old="contactMaterials", by="tree"
    )


class SurfaceMaterialKeys(Table):
    """A surface; two of them give friction and restitution to a pair that no entry names."""

    title = "Surface material"
    makes = Material

    name = Key(TEXT, "", "name", "of the material")
    roughness = Key(NOT_NEGATIVE, 0.5, "roughness", "friction is the root of a product")
    viscosity = Key(SHARE, 1.0, "viscosity", "1 less it is the bounce, likewise")



class ContactMaterialKeys(Table):
    """What holds between surfaces."""

    title = "Contact material"
    makes = ContactMaterial

    materials = Key(TEXTS, (), "materials", "at least two names")
    friction = Key(
        NOT_NEGATIVE, DEFAULT_FRICTION, "ContactMaterial.friction", "both of the next", by="sum"
    )
    static_friction = Key(NOT_NEGATIVE, None, "static_friction", "at rest", old="staticFriction")
    dynamic_friction = Key(NOT_NEGATIVE, None, "friction", "sliding", old="dynamicFriction")
    restitution = Key(SHARE, 0.0, "restitution", "1 bounces back")
    culling_depth = Key(NUMBER, None, "culling_depth", "deepest point", name="cullingDepth", unit="m")
    max_num_contact_points = Key(INTEGER, None, "max_points", "of a pair of shapes")
    collision_handler = Key(TEXT, "", name="collisionHandler", unsupported="plugins are not run")
    passed_over = ignored("used only without a limit of points", "cullingDistance")
