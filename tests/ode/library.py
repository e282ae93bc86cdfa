"""Debian's libode through ctypes: structures and function signatures, in double precision.

Nothing here is compiled. The layouts follow ODE 0.16's public headers (`ode/contact.h`,
`ode/mass.h`); `load` refuses a single-precision build, for which they would be wrong.
"""

from __future__ import annotations

import ctypes
import ctypes.util
from ctypes import POINTER, c_char_p, c_double, c_int, c_uint, c_void_p
from functools import cache

# bits of dSurfaceParameters.mode
MU2 = 0x001  # also dContactAxisDep: one bit for axis-dependent sliding and rolling
FDIR1 = 0x002
BOUNCE = 0x004
SOFT_ERP = 0x008
SOFT_CFM = 0x010
SLIP1 = 0x100
SLIP2 = 0x200
ROLLING = 0x400
APPROX1 = 0x7000

# joint parameters (first axis)
PARAM_LO_STOP = 0
PARAM_HI_STOP = 1
PARAM_VEL = 2
PARAM_FMAX = 5
PARAM_FUDGE_FACTOR = 6
PARAM_BOUNCE = 7
PARAM_CFM = 8
PARAM_STOP_ERP = 9
PARAM_STOP_CFM = 10

CLASS_PLANE = 4
ALL_THREAD_DATA = 0xFFFFFFFF

Vector3 = c_double * 4
"""dVector3: three numbers and one of padding."""
Matrix3 = c_double * 12
"""dMatrix3: three rows of four."""
Quaternion = c_double * 4
"""dQuaternion: w, x, y, z."""


class SurfaceParameters(ctypes.Structure):
    """dSurfaceParameters."""

    _fields_ = [
        ("mode", c_int),
        *[
            (name, c_double)
            for name in (
                *("mu", "mu2", "rho", "rho2", "rhoN", "bounce", "bounce_vel"),
                *("soft_erp", "soft_cfm", "motion1", "motion2", "motionN", "slip1", "slip2"),
            )
        ],
    ]


class ContactGeom(ctypes.Structure):
    """dContactGeom: the normal points into the body of g1."""

    _fields_ = [
        ("pos", Vector3),
        ("normal", Vector3),
        ("depth", c_double),
        ("g1", c_void_p),
        ("g2", c_void_p),
        ("side1", c_int),
        ("side2", c_int),
    ]


class Contact(ctypes.Structure):
    """dContact."""

    _fields_ = [("surface", SurfaceParameters), ("geom", ContactGeom), ("fdir1", Vector3)]


class Mass(ctypes.Structure):
    """dMass."""

    _fields_ = [("mass", c_double), ("c", Vector3), ("I", Matrix3)]


NearCallback = ctypes.CFUNCTYPE(None, c_void_p, c_void_p, c_void_p)

_D, _P, _I = c_double, c_void_p, c_int
_SIGNATURES: dict[str, tuple[object, list[object]]] = {
    "dCheckConfiguration": (_I, [c_char_p]),
    "dInitODE2": (_I, [c_uint]),
    "dAllocateODEDataForThread": (_I, [c_uint]),
    # worlds
    "dWorldCreate": (_P, []),
    "dWorldDestroy": (None, [_P]),
    "dWorldSetGravity": (None, [_P, _D, _D, _D]),
    "dWorldSetERP": (None, [_P, _D]),
    "dWorldSetCFM": (None, [_P, _D]),
    "dWorldSetAutoDisableFlag": (None, [_P, _I]),
    "dWorldSetLinearDampingThreshold": (None, [_P, _D]),
    "dWorldSetAngularDampingThreshold": (None, [_P, _D]),
    "dWorldStep": (_I, [_P, _D]),
    "dSimpleSpaceCreate": (_P, [_P]),
    "dHashSpaceCreate": (_P, [_P]),
    "dSpaceDestroy": (None, [_P]),
    "dSpaceCollide": (None, [_P, _P, NearCallback]),
    "dJointGroupCreate": (_P, [_I]),
    "dJointGroupDestroy": (None, [_P]),
    "dJointGroupEmpty": (None, [_P]),
    # bodies
    "dBodyCreate": (_P, [_P]),
    "dBodySetMass": (None, [_P, POINTER(Mass)]),
    "dBodyGetMass": (None, [_P, POINTER(Mass)]),
    "dBodySetPosition": (None, [_P, _D, _D, _D]),
    "dBodySetQuaternion": (None, [_P, Quaternion]),
    "dBodySetLinearVel": (None, [_P, _D, _D, _D]),
    "dBodySetAngularVel": (None, [_P, _D, _D, _D]),
    "dBodyGetPosition": (POINTER(c_double), [_P]),
    "dBodyGetQuaternion": (POINTER(c_double), [_P]),
    "dBodyGetRotation": (POINTER(c_double), [_P]),
    "dBodyGetLinearVel": (POINTER(c_double), [_P]),
    "dBodyGetAngularVel": (POINTER(c_double), [_P]),
    "dBodyAddForce": (None, [_P, _D, _D, _D]),
    "dBodyAddTorque": (None, [_P, _D, _D, _D]),
    "dBodySetGyroscopicMode": (None, [_P, _I]),
    "dBodySetLinearDamping": (None, [_P, _D]),
    "dBodySetAngularDamping": (None, [_P, _D]),
    "dBodySetMaxAngularSpeed": (None, [_P, _D]),
    "dMassSetParameters": (None, [POINTER(Mass), *[_D] * 10]),
    "dMassSetBoxTotal": (None, [POINTER(Mass), *[_D] * 4]),
    "dMassSetSphereTotal": (None, [POINTER(Mass), _D, _D]),
    "dMassSetCylinderTotal": (None, [POINTER(Mass), _D, _I, _D, _D]),
    "dMassSetCapsuleTotal": (None, [POINTER(Mass), _D, _I, _D, _D]),
    # geoms
    "dCreateBox": (_P, [_P, _D, _D, _D]),
    "dCreateSphere": (_P, [_P, _D]),
    "dCreateCylinder": (_P, [_P, _D, _D]),
    "dCreateCapsule": (_P, [_P, _D, _D]),
    "dCreatePlane": (_P, [_P, _D, _D, _D, _D]),
    "dGeomHeightfieldDataCreate": (_P, []),
    "dGeomHeightfieldDataBuildDouble": (
        None,
        [_P, POINTER(c_double), _I, _D, _D, _I, _I, _D, _D, _D, _I],
    ),
    "dGeomHeightfieldDataDestroy": (None, [_P]),
    "dCreateHeightfield": (_P, [_P, _P, _I]),
    "dGeomTriMeshDataCreate": (_P, []),
    "dGeomTriMeshDataBuildDouble": (None, [_P, _P, _I, _I, _P, _I, _I]),
    "dGeomTriMeshDataDestroy": (None, [_P]),
    "dCreateTriMesh": (_P, [_P, _P, _P, _P, _P]),
    "dGeomSetBody": (None, [_P, _P]),
    "dGeomGetBody": (_P, [_P]),
    "dGeomSetData": (None, [_P, _P]),
    "dGeomSetPosition": (None, [_P, _D, _D, _D]),
    "dGeomSetQuaternion": (None, [_P, Quaternion]),
    "dGeomSetOffsetPosition": (None, [_P, _D, _D, _D]),
    "dGeomSetOffsetQuaternion": (None, [_P, Quaternion]),
    "dGeomGetPosition": (POINTER(c_double), [_P]),
    "dGeomGetQuaternion": (None, [_P, Quaternion]),
    "dCollide": (_I, [_P, _P, _I, _P, _I]),
    # joints
    "dJointAttach": (None, [_P, _P, _P]),
    "dJointCreateContact": (_P, [_P, _P, POINTER(Contact)]),
    "dJointCreateHinge": (_P, [_P, _P]),
    "dJointSetHingeAnchor": (None, [_P, _D, _D, _D]),
    "dJointSetHingeAxis": (None, [_P, _D, _D, _D]),
    "dJointSetHingeParam": (None, [_P, _I, _D]),
    "dJointGetHingeAngle": (_D, [_P]),
    "dJointGetHingeAngleRate": (_D, [_P]),
    "dJointAddHingeTorque": (None, [_P, _D]),
    "dJointCreateAMotor": (_P, [_P, _P]),
    "dJointSetAMotorNumAxes": (None, [_P, _I]),
    "dJointSetAMotorAxis": (None, [_P, _I, _I, _D, _D, _D]),
    "dJointSetAMotorAngle": (None, [_P, _I, _D]),
    "dJointSetAMotorParam": (None, [_P, _I, _D]),
    "dJointCreateSlider": (_P, [_P, _P]),
    "dJointSetSliderAxis": (None, [_P, _D, _D, _D]),
    "dJointSetSliderParam": (None, [_P, _I, _D]),
    "dJointGetSliderPosition": (_D, [_P]),
    "dJointGetSliderPositionRate": (_D, [_P]),
    "dJointAddSliderForce": (None, [_P, _D]),
}


class OdeUnavailableError(RuntimeError):
    """ODE cannot be used here; the text says why."""


@cache
def load() -> ctypes.CDLL:
    """Return libode with signatures set and initialised once, or raise OdeUnavailableError."""
    name = ctypes.util.find_library("ode")
    if name is None:
        raise OdeUnavailableError("libode is not installed (Debian package libode8)")
    try:
        library = ctypes.CDLL(name)
    except OSError as error:
        raise OdeUnavailableError(f"{name} does not load: {error}") from error
    for symbol, (result, arguments) in _SIGNATURES.items():
        function = getattr(library, symbol, None)
        if function is None:
            raise OdeUnavailableError(f"{name} has no {symbol}; ODE 0.16 is needed")
        function.restype = result
        function.argtypes = arguments
    if not library.dCheckConfiguration(b"ODE_double_precision"):
        raise OdeUnavailableError(f"{name} is a single-precision build")
    if not library.dInitODE2(0) or not library.dAllocateODEDataForThread(ALL_THREAD_DATA):
        raise OdeUnavailableError(f"{name} refuses to initialise")
    return library


def why_unavailable() -> str | None:
    """Return why ODE cannot be used on this machine, or None when it can."""
    try:
        load()
    except OdeUnavailableError as error:
        return str(error)
    return None
