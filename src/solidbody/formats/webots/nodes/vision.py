"""Rows of cameras, range finders, lidars and their parts.

Source: Webots reference manual R2025a (Camera, RangeFinder, Lidar, Lens, LensFlare, Focus, Zoom,
Recognition).
"""

from __future__ import annotations

from solidbody.formats.webots.table import (
    COLOR,
    NOT_NEGATIVE,
    NOT_NEGATIVE_OR_MINUS_1,
    PIXELS,
    POSITIVE,
    POSITIVE_OR_MINUS_1,
    UNIT_RANGE,
    Check,
    Field,
    FieldType,
    Node,
    one_of,
)

SFBool, SFInt32, SFFloat = FieldType.SFBool, FieldType.SFInt32, FieldType.SFFloat
SFString, SFVec2f, SFColor = FieldType.SFString, FieldType.SFVec2f, FieldType.SFColor
SFNode = FieldType.SFNode

_WINDOW = "overlay windows belong to Webots' own GUI"
_LEVELS = Check(lambda value: value in (0, 1, 2), "0, 1 or 2")
_PROJECTIONS = one_of("planar", "cylindrical", "spherical")


def _image_fields(kind: str) -> tuple[Field, ...]:
    """Return what cameras and range finders have in common."""
    return (
        Field("fieldOfView", SFFloat, 0.785398, POSITIVE, "rad", to=f"{kind}.field_of_view"),
        Field("width", SFInt32, 64, PIXELS, "pixels", to=f"{kind}.width"),
        Field("height", SFInt32, 64, PIXELS, "pixels", to=f"{kind}.height"),
        Field("projection", SFString, "planar", _PROJECTIONS, to=f"{kind}.projection"),
        Field(
            "spherical",
            SFBool,
            False,
            deprecated='projection "cylindrical"',
            to=f"{kind}.projection",
        ),
        Field("near", SFFloat, 0.01, POSITIVE, "m", to=f"{kind}.near"),
        Field("motionBlur", SFFloat, 0.0, NOT_NEGATIVE, "ms", to=f"{kind}.motion_blur"),
        Field("noise", SFFloat, 0.0, NOT_NEGATIVE, to=f"{kind}.noise"),
        Field("lens", SFNode, None, nodes=("Lens",), to=f"{kind}.lens"),
        Field("windowPosition", SFVec2f, (0.0, 0.0), ignored=_WINDOW),
        Field("pixelSize", SFFloat, 1.0, ignored=_WINDOW),
    )


VISION_ROWS = (
    Node(
        "Camera",
        base="Device",
        can_be_used=False,
        fields=(
            Field("name", SFString, "camera", to="DeviceCamera.name"),
            *_image_fields("DeviceCamera"),
            Field("far", SFFloat, 0.0, NOT_NEGATIVE, "m", to="DeviceCamera.far"),
            Field("exposure", SFFloat, 1.0, NOT_NEGATIVE, to="DeviceCamera.exposure"),
            Field("antiAliasing", SFBool, False, to="DeviceCamera.anti_aliasing"),
            Field(
                "ambientOcclusionRadius",
                SFFloat,
                0.0,
                NOT_NEGATIVE,
                "m",
                to="DeviceCamera.ambient_occlusion_radius",
            ),
            Field(
                "bloomThreshold",
                SFFloat,
                -1.0,
                NOT_NEGATIVE_OR_MINUS_1,
                to="DeviceCamera.bloom_threshold",
            ),
            Field("noiseMaskUrl", SFString, "", to="DeviceCamera.noise_mask"),
            Field("focus", SFNode, None, nodes=("Focus",), to="DeviceCamera.focus"),
            Field("zoom", SFNode, None, nodes=("Zoom",), to="DeviceCamera.zoom"),
            Field(
                "recognition", SFNode, None, nodes=("Recognition",), to="DeviceCamera.recognition"
            ),
            Field("lensFlare", SFNode, None, nodes=("LensFlare",), to="DeviceCamera.lens_flare"),
            Field(
                "compositor",
                FieldType.MFString,
                (),
                deprecated="nothing: compositors no longer exist",
                ignored="removed from Webots",
            ),
            Field(
                "type",
                SFString,
                "color",
                deprecated="a RangeFinder node for depth",
                ignored="depth images come from a RangeFinder node since release 8.4",
            ),
        ),
    ),
    Node(
        "RangeFinder",
        base="Device",
        can_be_used=False,
        fields=(
            Field("name", SFString, "range-finder", to="DeviceRangeFinder.name"),
            *_image_fields("DeviceRangeFinder"),
            Field("minRange", SFFloat, 0.01, POSITIVE, "m", to="DeviceRangeFinder.min_range"),
            Field("maxRange", SFFloat, 1.0, POSITIVE, "m", to="DeviceRangeFinder.max_range"),
            Field(
                "resolution",
                SFFloat,
                -1.0,
                POSITIVE_OR_MINUS_1,
                "m",
                to="DeviceRangeFinder.resolution",
            ),
        ),
    ),
    Node(
        "Lidar",
        base="Device",
        can_be_used=False,
        fields=(
            Field("name", SFString, "lidar", to="DeviceLidar.name"),
            Field("tiltAngle", SFFloat, 0.0, unit="rad", to="DeviceLidar.tilt"),
            Field("horizontalResolution", SFInt32, 512, POSITIVE, to="DeviceLidar.samples"),
            Field("fieldOfView", SFFloat, 1.5708, POSITIVE, "rad", to="DeviceLidar.yaw_range"),
            Field(
                "verticalFieldOfView", SFFloat, 0.2, POSITIVE, "rad", to="DeviceLidar.pitch_range"
            ),
            Field("numberOfLayers", SFInt32, 4, POSITIVE, to="DeviceLidar.layers"),
            Field("near", SFFloat, 0.01, POSITIVE, "m", to="DeviceLidar.near"),
            Field("minRange", SFFloat, 0.01, POSITIVE, "m", to="DeviceLidar.min_range"),
            Field("maxRange", SFFloat, 1.0, POSITIVE, "m", to="DeviceLidar.max_range"),
            Field("type", SFString, "fixed", one_of("fixed", "rotating"), to="DeviceLidar.head"),
            Field(
                "projection",
                SFString,
                "cylindrical",
                one_of("cylindrical", "planar"),
                to="DeviceLidar.projection",
            ),
            Field("noise", SFFloat, 0.0, NOT_NEGATIVE, to="DeviceLidar.noise"),
            Field(
                "resolution", SFFloat, -1.0, POSITIVE_OR_MINUS_1, "m", to="DeviceLidar.resolution"
            ),
            Field("defaultFrequency", SFFloat, 10.0, POSITIVE, "Hz", to="RotatingHead.frequency"),
            Field("minFrequency", SFFloat, 1.0, POSITIVE, "Hz", to="RotatingHead.min_frequency"),
            Field("maxFrequency", SFFloat, 25.0, POSITIVE, "Hz", to="RotatingHead.max_frequency"),
            Field("rotatingHead", SFNode, None, nodes=("Solid", "Slot"), to="RotatingHead.frame"),
            Field(
                "spherical",
                SFBool,
                True,
                deprecated="projection",
                to="DeviceLidar.projection",
            ),
        ),
    ),
    Node(
        "Lens",
        fields=(
            Field("center", SFVec2f, (0.5, 0.5), UNIT_RANGE, to="Lens.center"),
            Field("radialCoefficients", SFVec2f, (0.0, 0.0), to="Lens.radial"),
            Field("tangentialCoefficients", SFVec2f, (0.0, 0.0), to="Lens.tangential"),
        ),
    ),
    Node(
        "LensFlare",
        fields=(
            Field("transparency", SFFloat, 0.4, UNIT_RANGE, to="LensFlare.transparency"),
            Field("scale", SFFloat, 1.5, POSITIVE, to="LensFlare.scale"),
            Field("bias", SFFloat, -0.9, to="LensFlare.bias"),
            Field("dispersal", SFFloat, 0.6, UNIT_RANGE, to="LensFlare.dispersal"),
            Field("samples", SFInt32, 4, POSITIVE, to="LensFlare.ghosts"),
            Field("haloWidth", SFFloat, 0.4, NOT_NEGATIVE, to="LensFlare.halo_width"),
            Field("chromaDistortion", SFFloat, 2.0, NOT_NEGATIVE, to="LensFlare.chroma_distortion"),
            Field("blurIterations", SFInt32, 2, POSITIVE, to="LensFlare.blur_iterations"),
        ),
    ),
    Node(
        "Focus",
        fields=(
            Field("focalDistance", SFFloat, 0.0, NOT_NEGATIVE, "m", to="Focus.focal_distance"),
            Field("focalLength", SFFloat, 0.0, NOT_NEGATIVE, "m", to="Focus.focal_length"),
            Field(
                "maxFocalDistance", SFFloat, 0.0, NOT_NEGATIVE, "m", to="Focus.max_focal_distance"
            ),
            Field(
                "minFocalDistance", SFFloat, 0.0, NOT_NEGATIVE, "m", to="Focus.min_focal_distance"
            ),
        ),
    ),
    Node(
        "Zoom",
        fields=(
            Field("maxFieldOfView", SFFloat, 1.5, NOT_NEGATIVE, "rad", to="Zoom.max_field_of_view"),
            Field("minFieldOfView", SFFloat, 0.5, NOT_NEGATIVE, "rad", to="Zoom.min_field_of_view"),
        ),
    ),
    Node(
        "Recognition",
        fields=(
            Field("maxRange", SFFloat, 100.0, POSITIVE, "m", to="Recognition.max_range"),
            Field("maxObjects", SFInt32, -1, POSITIVE_OR_MINUS_1, to="Recognition.max_objects"),
            Field("occlusion", SFInt32, 1, _LEVELS, also=SFBool, to="Recognition.occlusion"),
            Field("frameColor", SFColor, (1.0, 0.0, 0.0), COLOR, to="Recognition.frame_color"),
            Field("frameThickness", SFInt32, 1, NOT_NEGATIVE, to="Recognition.frame_thickness"),
            Field("segmentation", SFBool, False, to="Recognition.segmentation"),
        ),
    ),
)
