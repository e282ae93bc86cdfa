"""Our own robots and devices have the documented parameters, with their types and defaults."""

from __future__ import annotations

import re

import pytest

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.formats.vrml.proto import ProtoDefinition, read_proto
from solidbody.formats.webots.protos.standin_protos import find_own

PLAIN = """
SFRotation rotation 0 0 1 0
MFString controllerArgs []
SFBool supervisor FALSE
SFBool synchronization TRUE
"""
"""What every robot has."""

# PROTO -> parameters as its documentation lists them, beside the plain ones; devices have a rotation only
ROBOTS = {
    "Atlas": """SFVec3f translation 0 0 1, SFString name "Atlas",
        SFString controller "hello_world_demo", SFString customData "", MFNode pelvisSlot []""",
    "Blimp": """SFVec3f translation 0 0 0.4, SFString name "Blimp", SFString controller "blimp",
        SFString customData "", SFString window "<generic>", MFNode extensionSlot []""",
    "BioloidDog": """SFVec3f translation 0 0 0, SFString name "BioloidDog",
        SFString controller "bioloid_dog", SFString customData "", MFNode extensionSlot []""",
    "Hoap2": """SFVec3f translation 0 0 0.29, SFString name "HOAP-2", SFString controller "hoap2",
        SFString window "<generic>", SFString customData "", SFString contactMaterial "default",
        SFString footContactMaterial "default", MFNode extensionSlot []""",
    "Khr2hv": """SFVec3f translation 0 0 0.215, SFString name "KHR-2HV", SFString controller "khr-2hv_demo",
        SFString window "<generic>", SFString contactMaterial "default", SFString customData "",
        MFNode bodySlot []""",
    "Khr3hv": """SFVec3f translation 0 0 0.34, SFString name "KHR-3HV", SFString controller "<generic>",
        SFString window "<generic>", SFString customData "", SFBool selfCollision FALSE,
        MFNode bodySlot []""",
    "P3Bot": """SFVec3f translation 0 0 0.03, SFString name "P3Bot", SFString controller "<none>",
        SFString customData "", MFNode extensionSlot []""",
    "Portal": """SFVec3f translation 0 0 0, SFString name "Portal", SFString controller "<generic>",
        SFString window "<generic>", SFString customData "", MFNode extensionSlot []""",
    "QRIO": """SFVec3f translation 0 0 0.42, SFString name "QRIO", SFString controller "qrio",
        SFString window "<generic>", SFString customData "", MFNode extensionSlot []""",
    "SimpleVehicle": """SFVec3f translation 0 0 0.4, SFString name "vehicle",
        SFString controller "<generic>", SFString window "<generic>", SFFloat trackFront 1.7,
        SFFloat trackRear 1.7, SFFloat wheelbase 4.0, SFFloat suspensionRearSpringConstant 100000,
        SFFloat suspensionFrontDampingConstant 4000, SFFloat minSteeringAngle -0.5,
        SFFloat maxSteeringAngle 0.5, MFNode sensorsSlot [], SFNode boundingObject NULL,
        SFNode physics NULL""",
    "BB-8": """SFVec3f translation 0 0 0, SFString name "BB-8", SFString controller "bb-8",
        SFString customData "", SFString contactMaterial "bb-8", MFNode bodySlot [],
        SFFloat bodyRadius 0.25, SFFloat bodyMass 5.0,
        MFNode headSlot [], SFFloat headOffset 0.025, SFFloat headRadius 0.15, SFFloat headMass 1.0,
        SFFloat weightMass 20.0, SFFloat maxVelocity 8.72""",
    "Crazyflie": """SFVec3f translation 0 0 0.015, SFString name "Crazyflie", SFString controller "crazyflie",
        SFString customData "", MFNode extensionSlot []""",
    "Create": """SFVec3f translation 0 0 0.044, SFString name "Create",
        SFString controller "create_avoid_obstacles", SFString customData "", MFNode bodySlot []""",
    "E-puck": """SFVec3f translation 0 0 0, SFString name "e-puck", SFString customData "",
        SFString controller "e-puck_avoid_obstacles", SFString version "1", SFFloat camera_fieldOfView 0.84,
        SFInt32 camera_width 52, SFInt32 camera_height 39, SFBool camera_antiAliasing FALSE,
        SFRotation camera_rotation 0 0 1 0, SFFloat camera_noise 0.0, SFFloat camera_motionBlur 0.0,
        SFInt32 distance_sensor_numberOfRays 1, SFInt32 emitter_channel 1, SFInt32 receiver_channel 1,
        MFFloat battery [], SFString window "e-puck", MFNode turretSlot [], MFNode groundSensorsSlot [],
        SFBool kinematic FALSE""",
    "Irb4600-40": """SFVec3f translation 0 0 0, SFString name "IRB 4600/40", SFString customData "",
        SFColor color 1 0.45 0, MFNode handSlot [], SFBool staticBase FALSE""",
    "Khepera1": """SFVec3f translation 0 0 0, SFString name "Khepera", SFString controller "braitenberg",
        SFString customData "", MFNode extensionSlot [], SFBool kinematic FALSE""",
    "Khepera2": """SFVec3f translation 0 0 0, SFString name "Khepera II", SFString controller "braitenberg",
        SFString customData "", MFNode extensionSlot []""",
    "Khepera3": """SFVec3f translation 0 0 0, SFString name "Khepera III", SFString controller "braitenberg",
        SFString customData "", SFString wheelMaterial "default", SFString bodyMaterial "default",
        MFNode turretSlot []""",
    "Khepera4": """SFVec3f translation 0 0 0, SFString name "Khepera IV", SFString controller "khepera4",
        SFString customData "", SFString bodyMaterial "default", SFString wheelMaterial "default",
        SFString casterWheelMaterial "khepera4 caster wheel", SFInt32 emitterChannel 1,
        SFInt32 receiverChannel 1, MFNode turretSlot []""",
    "Mavic2Pro": """SFVec3f translation 0 0 0.065, SFString name "Mavic 2 PRO",
        SFString controller "mavic2pro", SFString customData "", MFFloat battery [], MFNode bodySlot [],
        MFNode cameraSlot [ Camera { width 400 height 240 } ]""",
    "Nao": """SFVec3f translation 0 0 0.334, SFString name "NAO", SFString version "V5 (red)",
        SFInt32 degreeOfFreedom 25, MFColor customColor [], SFString controller "nao_demo",
        SFString customData "", SFBool selfCollision FALSE, SFFloat gpsAccuracy 0.0, SFInt32 cameraWidth 160,
        SFInt32 cameraHeight 120, SFNode jersey NULL, SFInt32 channel 0,
        SFString contactMaterial "NAO material", SFString footContactMaterial "NAO foot material",
        SFString fingerContactMaterial "NAO finger material", SFFloat fingerRadius 0.0055,
        SFFloat fingerTorque 10.0, MFNode bodySlot [], MFNode headSlot [], MFNode leftFootSlot [],
        MFNode rightFootSlot [], MFNode leftHandSlot [], MFNode rightHandSlot []""",
    "Pioneer3at": """SFVec3f translation 0 0 0, SFString name "Pioneer 3-AT",
        SFString controller "<generic>", SFString customData "", MFNode extensionSlot []""",
    "Pioneer2": """SFVec3f translation 0 0 0, SFString name "Pioneer 2", SFString controller "braitenberg",
        SFString customData "", MFNode extensionSlot []""",
    "Sojourner": """SFVec3f translation 0 0 0, SFString name "Sojourner", SFString controller "sojourner",
        SFString customData "", MFNode extensionSlot []""",
    "AiboErs7": """SFVec3f translation 0 0 0.143, SFString name "ERS-7", SFString controller "ers7",
        SFString customData "", SFFloat camera_fieldOfView 0.993092, SFInt32 camera_width 208,
        SFInt32 camera_height 160, SFBool camera_antiAliasing FALSE, MFNode extensionSlot []""",
    "Altino": """SFString name "vehicle", SFString controller "vehicle_driver_altino",
        SFColor color 0.3 0.3 0.7""",
    "AckermannVehicle": """SFVec3f translation 0 0 0.4, SFString name "vehicle", SFString controller "void",
        SFFloat trackFront 1.7, SFFloat trackRear 1.7, SFFloat wheelbase 4.0, SFFloat minSteeringAngle -1,
        SFFloat maxSteeringAngle 1, SFFloat suspensionFrontSpringConstant 100000,
        SFFloat suspensionRearDampingConstant 4000, SFFloat wheelsDampingConstant 5,
        SFFloat maxSteeringTorque 10000, MFNode extensionSlot [], SFNode boundingObject NULL,
        SFNode physics NULL, MFNode axisDevicesFrontRight [], MFNode axisDevicesRearLeft []""",
    "Car": """SFVec3f translation 0 0 0.4, SFString name "vehicle", SFString controller "<generic>",
        SFFloat wheelbase 4.0, SFString type "traction", SFString engineType "combustion",
        SFFloat brakeCoefficient 700, SFFloat time0To100 10, SFFloat maxVelocity 50,
        SFFloat engineMaxTorque 250, SFFloat engineMaxPower 50000, SFFloat engineMinRPM 1000,
        SFFloat engineMaxRPM 4500, SFFloat hybridPowerSplitRatio 0.25, SFFloat hybridPowerSplitRPM 3000,
        SFString window "automobile" """,
    "Pioneer3dx": """SFVec3f translation 0 0 0.0975, SFString name "Pioneer 3-DX", SFString customData "",
        SFString controller "pioneer3dx_collision_avoidance", MFNode extensionSlot []""",
    "JetBot": """SFVec3f translation 0 0 0, SFString name "JetBot", SFString controller "jetbot_basic_motion",
        SFString customData "", SFBool chassis TRUE, SFColor chassis_color 0.571 0.817 0.479,
        MFNode extensionSlot []""",
    "Spot": """SFVec3f translation 0 0 0.624, SFString name "Spot", SFString model "Boston Dynamics - Spot",
        SFString controller "spot_moving_demo", SFString customData "", SFBool selfCollision FALSE,
        MFNode extensionSlot []""",
    "SummitXlSteel": """SFVec3f translation 0 0 0.118, SFString name "Summit-XL Steel",
        SFString customData "", SFString controller "keyboard_control", MFNode frontLidarSlot [],
        MFNode backLidarSlot [], MFNode bodySlot []""",
    "TinkerbotsBase": """SFVec3f translation 0 0 0.02, SFString name "Tinkerbots",
        SFString controller "tinkerbots_demo", SFString customData "", SFBool selfCollision FALSE,
        SFNode upSlot NULL, SFNode downSlot NULL, SFNode leftSlot NULL, SFNode rightSlot NULL,
        SFNode backSlot NULL, SFNode upASlot NULL, SFNode backDSlot NULL, MFNode extensionSlot []""",
    "Thymio2": """SFVec3f translation 0 0 0, SFString name "Thymio II", SFString controller "thymio2_demo",
        SFString customData "", SFString window "<generic>", SFString contactMaterial "thymio body",
        SFBool castLight TRUE, MFNode bodySlot []""",
    "TurtleBot3Burger": """SFVec3f translation 0 0 0, SFString name "TurtleBot3Burger",
        SFString controller "<generic>", SFString customData "" """,
    **dict.fromkeys(
        ("IprHd6m90", "IprHd6ms90", "IprHd6m180", "IprHd6ms180"),
        """SFVec3f translation 0 0 0.62, SFString name "IPR", SFString customData "",
        MFNode sensorsSlot [], MFNode tableSlot [], MFNode wristSlot [], MFNode leftGripperSlot [],
        MFNode rightGripperSlot []""",
    ),
    "ScaraT6": """SFVec3f translation 0 0 0.01, SFString customData "", MFNode handSlot []""",
    **{
        name: f"""SFVec3f translation 0 0 0, SFString name "{name}", SFString controller "<generic>",
        SFBool selfCollision TRUE, MFNode toolSlot [], SFBool staticBase TRUE"""
        for name in ("UR3e", "UR5e", "UR10e")
    },
    "Mir100": """SFVec3f translation 0 0 0, SFString name "Mir100", SFString controller "keyboard_control",
        SFString customData "", SFColor color 0 0.9 1, MFNode frontLidarSlot [], MFNode backLidarSlot [],
        MFNode bodySlot []""",
    "Moose": """SFVec3f translation 0 0 0.38, SFString name "moose", SFString controller "<none>",
        SFColor color 0.8 0.5 0.1, MFNode bodySlot []""",
    "Ned": """SFVec3f translation 0 0 0, SFString name "Ned", SFString controller "ned",
        SFString customData "", SFBool selfCollision FALSE""",
    "P-Rob3": """SFVec3f translation 0 0 0, SFString name "P-Rob3", SFString controller "<generic>",
        SFBool selfCollision TRUE, SFColor mainColor 0.98 0.98 0.98, MFNode toolSlot [],
        SFColor secondaryColor 0.036 0.3 0.615, SFBool staticBase TRUE""",
    "Panda": """SFVec3f translation 0 0 0, SFString name "panda", SFBool selfCollision FALSE,
        MFNode endEffectorSlot [ PandaHand { } ]""",
    "Pr2": """SFVec3f translation 0 0 0, SFString name "PR2", SFString controller "pr2_demo",
        SFString customData "", SFBool selfCollision FALSE, MFNode baseSlot []""",
    "Puma560": """SFVec3f translation 0 0 0, SFString name "PUMA 560", SFString controller "puma560",
        SFString customData "", MFNode bodySlot [], MFNode gripperSlot []""",
    "RobotisOp2": """SFVec3f translation 0 0 0, SFString name "ROBOTIS OP2",
        SFString controller "motion_player", SFString customData "", SFBool selfCollision FALSE,
        SFColor plasticColor 0.8 0.8 0.8, SFInt32 cameraWidth 160, SFInt32 cameraHeight 120,
        MFFloat battery [], SFNode jersey NULL, SFInt32 channel 0, SFBool showWindow FALSE,
        MFNode bodySlot [], MFNode headSlot [], MFNode leftFootSlot [], MFNode rightFootSlot [],
        MFNode leftHandSlot [], MFNode rightHandSlot []""",
    "RobotisOp3": """SFVec3f translation 0 0 0, SFString name "ROBOTIS OP3", SFString customData "",
        SFString contactMaterial "ROBOTIS OP3 default material", SFBool selfCollision FALSE,
        SFString footContactMaterial "ROBOTIS OP3 foot material", SFInt32 cameraWidth 1920,
        SFString handContactMaterial "ROBOTIS OP3 finger material", SFInt32 cameraHeight 1080,
        MFNode bodySlot [], MFNode headSlot [], MFNode leftFootSlot [], MFNode rightHandSlot []""",
    **{
        name: f"""SFVec3f translation 0 0 0, SFString name "{label}", SFString controller "{controller}",
        SFString customData "", {more}"""
        for name, label, controller, more in (
            ("BoeBot", "BoeBot", "boebot", "MFNode extensionSlot []"),
            (
                "Elisa3",
                "Elisa-3",
                "elisa3",
                """SFInt32 emitter_channel 1, SFInt32 receiver_channel 1,
                MFFloat battery [], MFNode extensionSlot []""",
            ),
            (
                "FireBird6",
                "Fire Bird 6",
                "fire_bird_6_obstacle_avoidance",
                """MFNode bodySlot [],
                SFString window "fire_bird_6_window", SFString remoteControl "" """,
            ),
            ("GhostDog", "GhostDog", "ghostdog", "MFNode extensionSlot []"),
            ("Hemisson", "Hemisson", "hemisson", "MFNode extensionSlot []"),
            ("Koala", "Koala", "koala", "MFNode extensionSlot []"),
            ("Mantis", "Mantis", "mantis", "MFNode extensionSlot []"),
            ("Salamander", "Salamander", "salamander", "MFNode extensionSlot []"),
            ("MindstormsRover", "MindstormsRover", "Rover", "MFNode extensionSlot []"),
            ("Shrimp", "Shrimp", "shrimp", "MFNode extensionSlot []"),
            ("SurveyorSrv1", "SurveyorSrv1", "surveyor", "MFNode extensionSlot []"),
            ("Yamor", "Yamor", "yamor", "MFNode extensionSlot []"),
        )
    },
    "Robotino3": """SFVec3f translation 0 0 0, SFString name "Robotino 3",
        SFString model "Festo - Robotino 3", SFString controller "robotino3",
        SFString customData "", SFBool selfCollision FALSE,
        MFNode bodySlot [], MFNode cameraSlot [], MFNode topSlot [], MFNode middleSlot [],
        MFNode bottomSlot [], SFString infraredSensorModel "SharpGP2Y0A41SK0F" """,
    "Rosbot": """SFVec3f translation 0 0 0, SFString name "rosbot", SFString controller "rosbot",
        SFString customData "", SFBool selfCollision FALSE, MFNode cameraSlot [ Astra { name "camera" } ],
        MFNode lidarSlot [ RpLidarA2 { name "laser" } ]""",
    "RosbotXl": """SFVec3f translation 0 0 0, SFString name "rosbot_xl", SFString controller "<generic>",
        SFString customData "", SFBool selfCollision FALSE,
        MFNode lidarSlot [ RpLidarA2 { name "laser" } ]""",
    "Tiago": """SFVec3f translation 0 0 0.095, SFString name "TIAGo", SFString controller "tiago",
        SFString window "<generic>", SFString customData "", SFBool selfCollision FALSE,
        SFNode endEffectorSlot TiagoGripper { },
        MFNode cameraSlot [ Astra { translation -0.028 -0.035 -0.009 rotation 1 0 0 -1.5708 } ],
        MFNode lidarSlot [ HokuyoUrg04lxug01 { } ]""",
    "TiagoLite": """SFVec3f translation 0 0 0.095, SFString name "TIAGo LITE",
        SFString controller "tiago_lite", SFString window "<generic>", SFString customData "",
        SFBool selfCollision FALSE,
        MFNode cameraSlot [ Astra { translation -0.028 -0.035 -0.009 rotation 1 0 0 -1.5708 } ],
        MFNode lidarSlot [ HokuyoUrg04lxug01 { } ]""",
    "TiagoSteel": """SFVec3f translation 0 0 0.095, SFString name "TIAGo Steel",
        SFString controller "tiagoSteel", SFString customData "", SFBool selfCollision FALSE,
        MFNode lidarSlot []""",
    "TiagoTitanium": """SFVec3f translation 0 0 0.095, SFString name "TIAGo Titanium",
        SFString controller "tiagoTitanium", SFString customData "", SFBool selfCollision FALSE,
        MFNode lidarSlot []""",
    "Tiagopp": """SFVec3f translation 0 0 0.095, SFString name "TIAGopp", SFString controller "tiagopp",
        SFString customData "", SFBool selfCollision FALSE, MFNode lidarSlot [],
        MFNode endEffectorRightSlot [ TiagoGripper { name "right" } ],
        MFNode endEffectorLeftSlot [ TiagoGripper { name "left" } ]""",
    **{
        name: f"""SFVec3f translation 0 0 {height}, SFColor color {color}, SFString name "{label}",
        SFString controller "<generic>", SFString window "automobile", MFNode sensorsSlotFront [],
        MFNode sensorsSlotRear [], MFNode sensorsSlotTop [], MFNode sensorsSlotCenter [], {more}"""
        for name, height, color, label, more in (
            (
                "BmwX5",
                0.4,
                "0.43 0.11 0.1",
                "vehicle",
                """SFBool frontSpotLights FALSE,
                SFString engineSound "sounds/engine.wav", SFBool windshieldWipers TRUE,
                SFBool rearMirror FALSE, SFFloat mirrorFar 200, SFBool interior TRUE,
                SFNode steeringWheel CarSteeringWheel { },
                SFBool completeInterior TRUE, SFFloat outerWindowTransparency 0.4""",
            ),
            ("CitroenCZero", 0.4, "0.85 0.85 0.05", "vehicle", 'SFString engineSound ""'),
            ("LincolnMKZ", 0.4, "0.541 0.541 0.541", "vehicle", "SFBool frontSpotLights FALSE"),
            (
                "RangeRoverSportSVR",
                0.4,
                "0 0.25 0.65",
                "vehicle",
                "SFColor secondaryColor 0.1 0.1 0.1",
            ),
            ("TeslaModel3", 0.4, "1 1 1", "vehicle", 'SFString engineSound ""'),
            (
                "ToyotaPrius",
                0.4,
                "0.1 0.15 0.18",
                "vehicle",
                'SFString engineSound "sounds/engine.wav"',
            ),
            (
                "MercedesBenzSprinter",
                0.4445,
                "0.98 0 0.1",
                "Mercedes-Benz Sprinter",
                "SFBool interior FALSE",
            ),
            ("Bus", 0.55, "0.03 0.12 0.42", "vehicle", ""),
            (
                "Truck",
                0.5,
                "0.39 0 0",
                "vehicle",
                """SFNode trailer TruckTrailer { },
                SFFloat wheelbase 5.25, SFFloat kingPinDistance 1.35, SFFloat mass 8000""",
            ),
        )
    },
    "Youbot": """SFVec3f translation 0 0 0.12, SFString name "youBot", SFString controller "youbot",
        SFString customData "", MFNode bodySlot [], SFInt32 numberOfArms 1""",
}

DEVICES = {
    "Astra": 'SFString name "Astra", SFFloat colorNoise 0.0, SFFloat rangeNoise 0.0',
    "HokuyoUrg04lx": """SFString name "Hokuyo URG-04LX", SFFloat noise 0.0, SFInt32 resolution 667,
        SFBool enablePhysics TRUE""",
    "HokuyoUrg04lxug01": """SFString name "Hokuyo URG-04LX-UG01", SFFloat noise 0.0, SFInt32 resolution 667,
        SFBool enablePhysics TRUE""",
    "HokuyoUtm30lx": """SFString name "Hokuyo UTM-30LX", SFFloat noise 0.0, SFInt32 resolution 1080,
        SFBool enablePhysics TRUE""",
    "IbeoLux": 'SFString name "Ibeo Lux", SFBool useExtendedFieldOfView FALSE, SFBool fastModel FALSE',
    "Kinect": """SFString name "Kinect", SFInt32 width 320, SFInt32 height 190, SFFloat maxRange 3.5,
        SFFloat colorNoise 0.0, SFFloat rangeNoise 0.0, SFString cameraName "kinect",
        SFString tiltMotorName "tilt motor", SFBool foot TRUE""",
    "BlueBoat": """SFVec3f translation 0 0 0, SFString name "blueboat", MFString controllerArgs [],
        SFString controller "blueboat_controller", SFString window "<generic>", MFNode bodySlot []""",
    "JetsonNano": """SFVec3f translation 0 0 0, SFString name "NVIDIA Jetson Nano", SFNode physics NULL,
        SFString controller "<none>", SFString window "<generic>", MFNode extensionSlot []""",
    "KinovaGen3_7DoF": """SFVec3f translation 0 0 0, SFString name "KinovaGen3_7DoF",
        SFBool invertWrist FALSE, SFString prefix "Right_", SFFloat armsMinPosition -0.032,
        SFFloat armsMaxPosition 0.01""",
    "P-Grip": """SFVec3f translation 0 0 0.07775, SFString name "link_base_tcp180",
        SFString model "180 deg", SFColor mainColor 0.98 0.98 0.98,
        SFColor secondaryColor 0.036 0.3 0.615""",
    "Pioneer3DistanceSensor": """SFVec3f translation 0 0.137 0, SFString name "so",
        SFString type "sonar" """,
    "Servo": """SFVec3f translation 0 0 0, SFVec3f scale 1 1 1, MFNode children [], SFString name "servo",
        SFString type "rotational", SFFloat maxVelocity 10, SFFloat maxForce 10, SFFloat controlP 10,
        SFFloat acceleration -1, SFFloat position 0, SFFloat minPosition 0, SFFloat maxStop 0""",
    "Mpu-9250": 'SFVec3f translation 0 0 0, SFString name "MPU-9250"',
    "Robotiq3fGripper": 'SFVec3f translation 0 0 0, SFString name "ROBOTIQ 3f Gripper"',
    "RobotisLds01": """SFVec3f translation 0 0 0.02, SFString name "LDS-01", SFFloat noise 0.0043,
        SFBool enablePhysics TRUE""",
    "RpLidarA2": 'SFVec3f translation 0 0 0.031, SFString name "RPlidar A2"',
    "DelphiESR": 'SFString name "Delphi ESR", SFBool occlusion FALSE, SFBool longRangeMode FALSE',
    "MultiSenseS21": """SFString name "MultiSense S21", SFInt32 cameraWidth 1024,
        SFInt32 cameraHeight 544, SFFloat cameraFieldOfView 1.4, SFFloat cameraNoise 0,
        SFFloat rangeFinderNoise 0, SFFloat rangeFinderMaxRange 300, SFBool leftCamera TRUE,
        SFBool rightCamera TRUE, SFBool metaCamera FALSE, SFBool metaRangeFinder FALSE,
        SFBool enablePhysics TRUE""",
    "SickLdMrs": """SFString name "Sick LD-MRS", SFString type "400001",
        SFString angularResolution "0.5 [deg]", SFFloat noise 0.001, SFBool enablePhysics TRUE""",
    **{
        f"SmsUmrr-0a{kind}": f"""SFString name "Sms UMRR 0a{kind}", SFBool occlusion FALSE,
        SFFloat cellSpeed 0, SFFloat angularNoise 0"""
        for kind in (29, 30, 31)
    },
    "SickLms291": 'SFString name "Sick LMS 291", SFFloat noise 0.0, SFInt32 resolution 180',
    "SickS300": """SFString name "Sick S300", SFFloat noise 0.0, SFInt32 resolution 540,
        SFBool enablePhysics TRUE""",
    "VelodyneHDL-32E": 'SFString name "Velodyne HDL-32E", SFBool enablePhysics TRUE',
    "VelodynePuck": """SFString name "Velodyne Puck", SFString version "Puck",
        SFBool enablePhysics TRUE""",
}

VEHICLES = {
    **{
        name: f"""SFVec3f translation 0 0 {height}, SFString name "{label}", SFColor color {color},
        SFString controller "<none>", MFString controllerArgs [], SFString window "<none>",
        MFNode sensorsSlotFront [], MFNode sensorsSlotRear [], MFNode sensorsSlotTop [],
        MFNode sensorsSlotCenter [], SFBool wheelBoundingObject FALSE"""
        for name, height, color, label in (
            ("BmwX5Simple", 0.4, "0.43 0.11 0.1", "vehicle"),
            ("BusSimple", 0.55, "0.03 0.12 0.42", "vehicle"),
            ("CitroenCZeroSimple", 0.4, "0.85 0.85 0.05", "vehicle"),
            ("LincolnMKZSimple", 0.4, "0.541 0.541 0.541", "vehicle"),
            ("MercedesBenzSprinterSimple", 0.4, "0.98 0 0.1", "Mercedes-Benz Sprinter"),
            ("RangeRoverSportSVRSimple", 0.4, "0 0.25 0.65", "vehicle"),
            ("TeslaModel3Simple", 0.4, "1 0 0", "vehicle"),
            ("ToyotaPriusSimple", 0.4, "0.1 0.15 0.18", "vehicle"),
            ("TruckSimple", 0.5, "0.39 0 0", "vehicle"),
        )
    },
    "MotorbikeSimple": """SFVec3f translation 0 0 0.25, SFColor primaryColor 0.153 0.004 0.004,
        SFColor secondaryColor 0.647 0.647 0.647, SFNode driver MotorbikeDriver { }""",
    "ScooterSimple": """SFVec3f translation 0 0 0.23, SFColor primaryColor 0.43 0.11 0.1,
        SFColor secondaryColor 0.69 0.43 0.43, SFNode driver ScooterDriver { }""",
}

TINKERBOTS = {
    f"Tinkerbots{name}": f"SFVec3f translation 0 0 0, SFString name {label}, "
    + ", ".join(f"SFNode {slot} NULL" for slot in slots.split())
    + more
    for name, label, slots, more in (
        ("Axle", '"axle"', "endSlot", ', SFString{"2.2cm", "7cm"} length "2.2cm"'),
        ("Cube", '"name"', "upSlot frontSlot backSlot leftDSlot rightASlot frontCSlot", ""),
        ("CubieBoxWithRoundSlots", '"box with round slots cubie"', "upSlot axisSlot", ""),
        ("CubieMaleCube", '"male cube cubie"', "upSlot leftSlot frontSlot rightSlot", ""),
        (
            "CubiePyramid",
            '"pyramid cubie"',
            "frontSlot backSlot",
            ', SFString{"yellow", "blue"} color "yellow"',
        ),
        ("DistanceSensor", '"distance sensor"', "upSlot leftSlot backDSlot", ""),
        ("Grabber", '"grabber"', "fingerASlot fingerBSlot fingerCSlot", ""),
        ("Motor", '"motor"', "upSlot leftSlot rightDSlot frontSlot backSlot", ""),
        ("Pivot", '"pivot"', "slot ASlot BSlot CSlot DSlot", ""),
        ("Twister", '"twister"', "slot ASlot BSlot CSlot DSlot", ""),
    )
}

DOCUMENTED = {
    **{name: PLAIN + text for name, text in ROBOTS.items()},
    **{
        name: "SFRotation rotation 0 0 1 0\n" + text
        for name, text in (DEVICES | VEHICLES | TINKERBOTS).items()
    },
}


def interface(name: str, text: str) -> ProtoDefinition:
    log = DiagnosticLog()
    found = read_proto(text, f"{name}.proto", name, log)
    assert found is not None and not log.has_errors
    return found


@pytest.mark.parametrize("name", DOCUMENTED)
def test_parameters_are_as_documented(name: str) -> None:
    own = find_own(name)
    assert own is not None
    ours = interface(name, own.text).parameters
    lines = re.sub(r"(?:^|,)\s*((?:SF|MF)\w+)", r"\nfield \1", DOCUMENTED[name], flags=re.MULTILINE)
    head = f"#VRML_SIM R2025a utf8\nPROTO {name} [{lines}\n] {{ Robot {{ }} }}"
    expected = interface(name, head).parameters
    assert len(expected) >= 3
    for parameter in expected.values():
        assert parameter.name in ours, f"{name} lacks {parameter.name}"
        found = ours[parameter.name]
        assert (found.type_name, found.default) == (parameter.type_name, parameter.default)
