"""What programs of Choreonoid use, in Python with the same names: bodies, links, devices, paths, motions.

from solidbody.control.io_body import BodyMotion, JointPath, Link, rotFromRpy
"""

from solidbody.control.io_body.body import Body
from solidbody.control.io_body.body_motion import (
    BodyMotion,
    MultiSE3Seq,
    MultiValueSeq,
    Vector3Seq,
    ZMPSeq,
    getZMPSeq,
)
from solidbody.control.io_body.devices import (
    AccelerationSensor,
    Camera,
    Device,
    ForceSensor,
    HolderDevice,
    Image,
    Imu,
    MarkerDevice,
    PointLight,
    RangeCamera,
    RangeSensor,
    RateGyroSensor,
    SpotLight,
)
from solidbody.control.io_body.joint_path import JointPath
from solidbody.control.io_body.link import ContactPoint, Link
from solidbody.control.io_body.rotations import (
    degree,
    omegaFromRot,
    radian,
    rotFromAxisAngle,
    rotFromQuaternion,
    rotFromRpy,
    rpyFromRot,
)

__all__ = [
    "AccelerationSensor",
    "Body",
    "BodyMotion",
    "Camera",
    "ContactPoint",
    "Device",
    "ForceSensor",
    "HolderDevice",
    "Image",
    "Imu",
    "JointPath",
    "Link",
    "MarkerDevice",
    "MultiSE3Seq",
    "MultiValueSeq",
    "PointLight",
    "RangeCamera",
    "RangeSensor",
    "RateGyroSensor",
    "SpotLight",
    "Vector3Seq",
    "ZMPSeq",
    "degree",
    "getZMPSeq",
    "omegaFromRot",
    "radian",
    "rotFromAxisAngle",
    "rotFromQuaternion",
    "rotFromRpy",
    "rpyFromRot",
]
