"""Web addresses of the standard PROTOs that ours stand in for, for files that Webots can open too.

Folders below those of a release, as the EXTERNPROTO lines of public worlds and the listing of Webots' public
repository give them. Ours without a row have no like in the releases of today, or its place is not known.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from solidbody.base.local_files import OFFICIAL
from solidbody.formats.vrml.syntax import ExternProtoSyntax

INSTALLED: Final = "webots://"
"""Begins the address of a file of whichever release opens the world."""

_FOLDERS: Final = {
    "appearances/protos": (
        "Asphalt BakelitePlastic BlanketFabric BrushedAluminium BrushedSteel CarLeather "
        "Cardboard CarpetFibers CementTiles ChequeredParquetry Copper CorrodedMetal "
        "CorrugatedMetal CorrugatedPlates CorrugatedPvc DamascusSteel DarkParquetry DryMud "
        "ElectricConduit Fabric FlexibleAluminiumDuct FormedConcrete GalvanizedMetal "
        "GlossyCarPaint GlossyPaint Grass HammeredCopper Leather LedStrip LightParquetry "
        "Marble MarbleTiles MatteCarPaint MattePaint MetalPipePaint MetalStainlessSteelCable "
        "OldPlywood OldSteel OsbWood PaintedWood Parquetry Pavement Pcb PerforatedMetal "
        "Plaster Plastic PorcelainChevronTiles RedBricks ReflectiveSurface RoughConcrete "
        "RoughOak RoughPine RoughPolymer Roughcast Rubber RustyMetal Sand SandyGround "
        "ScratchedPaint ScrewThread ScuffedPlastic ShinyLeather SlatePavement Soil SolarCell "
        "SquarePavement StonePavement ThreadMetalPlate TireRubber VarnishedPine WireFence "
        "WornBurlap"
    ),
    "default/protos": "SumoDisplay SumoInterface Supervisor",
    "devices/delphi/protos": "DelphiESR",
    "devices/generic/protos": "Servo",
    "devices/hokuyo/protos": "HokuyoUrg04lx HokuyoUrg04lxug01 HokuyoUtm30lx",
    "devices/ibeo/protos": "IbeoLux",
    "devices/microsoft/protos": "Kinect",
    "devices/multisense/protos": "MultiSenseS21",
    "devices/nvidia/protos": "JetsonNano",
    "devices/orbbec/protos": "Astra",
    "devices/robotiq/protos": (
        "Robotiq2f140Gripper Robotiq2f85Gripper Robotiq3fGripper RobotiqEPickGripper"
    ),
    "devices/robotis/protos": "RobotisLds01",
    "devices/sharp/protos": "SharpGP2D120 SharpGP2Y0A02YK0F SharpGP2Y0A41SK0F SharpGP2Y0A710K0F",
    "devices/sick/protos": "SickLdMrs SickLms291 SickS300",
    "devices/slamtec/protos": "RpLidarA2",
    "devices/smartmicro/protos": "SmsUmrr-0a29 SmsUmrr-0a30 SmsUmrr-0a31",
    "devices/tdk/protos": "Mpu-9250",
    "devices/velodyne/protos": "VelodyneHDL-32E VelodyneHDL-64E VelodynePuck VelodyneVLP-16",
    "humans/c3d/protos": "C3dViewer",
    "humans/pedestrian/protos": "Pedestrian",
    "humans/skin_animated_humans/protos": "CharacterSkin",
    "joints/protos": "Hinge2JointWithBacklash HingeJointWithBacklash",
    "objects/advertising_board/protos": "AdvertisingBoard",
    "objects/animals/protos": "Cat Cow Deer Dog Fox Horse Rabbit Sheep",
    "objects/apartment_structure/protos": (
        "Ceiling Door DoorKnob DoorLever GenericDoorAppearance Radiator Wall WallPlug Window"
    ),
    "objects/backgrounds/protos": "TexturedBackground TexturedBackgroundLight",
    "objects/balls/protos": "Ball FifaSoccerBall PingPongBall RobocupSoccerBall SoccerBall",
    "objects/bathroom/protos": "BathroomSink Bathtube Toilet WashingMachine",
    "objects/bedroom/protos": "Bed PhotoFrame",
    "objects/buildings/protos": (
        "Auditorium Barn BigGlassTower Building BuildingUnderConstruction BungalowStyleHouse "
        "Carwash Church CommercialBuilding ComposedHouse CyberboticsTower FastFoodRestaurant "
        "GasStation HollowBuilding Hotel HouseWithGarage LargeResidentialTower ModernHouse "
        "ModernSuburbanHouse MotelReception Museum OldResidentialBuilding RandomBuilding "
        "ResidentialBuilding ResidentialBuildingWithRoundFront ResidentialTower Silo "
        "SimpleBuilding SimpleTwoFloorsHouse SmallManor SmallResidentialBuilding "
        "SmallResidentialTower StripBuilding SuburbanHouse TheThreeTowers UBuilding Warehouse "
        "Windmill"
    ),
    "objects/cabinet/protos": "Cabinet CabinetHandle",
    "objects/chairs/protos": "Chair OfficeChair SimpleChair WoodenChair",
    "objects/computers/protos": "ComputerMouse DesktopComputer Keyboard Laptop Monitor",
    "objects/create_wall/protos": "CreateWall",
    "objects/drinks/protos": "BeerBottle Can WaterBottle",
    "objects/factory/containers/protos": (
        "CardboardBox MetalStorageBox PlasticCrate PlasticFruitBox WoodenBox"
    ),
    "objects/factory/conveyors/protos": "ConveyorBelt ConveyorPlatform",
    "objects/factory/fire_extinguisher/protos": "FireExtinguisher",
    "objects/factory/forklift/protos": "Forklift",
    "objects/factory/gas_canister/protos": "GasCanister",
    "objects/factory/manhole/protos": "SquareManhole",
    "objects/factory/pallet/protos": "WoodenPallet WoodenPalletStack",
    "objects/factory/pipes/protos": "LJoint PipeSection TJoint",
    "objects/factory/tools/protos": (
        "Bolt CapScrew ElectricalPlug EmergencyButton EyeScrew Hammer Nut PaintBucket "
        "PlatformCart ScrewHole Screwdriver SuctionCup Washer Wrench"
    ),
    "objects/factory/valves/protos": "LargeValve LeverValve SmallValve",
    "objects/floors/protos": "CircleArena Ditch Floor RectangleArena UnevenTerrain",
    "objects/freight/protos": "IntermodalContainer IntermodalOfficeContainer",
    "objects/fruits/protos": "Apple FruitBowl Orange",
    "objects/garden/protos": (
        "Barbecue DogHouse Gnome Pergolas PicketFence PicketFenceWithDoor Slide Swing "
        "SwingCouch TableWithUmbrella WateringCan Wheelbarrow"
    ),
    "objects/geometries/protos": "Extrusion Rectangle",
    "objects/hospital/protos": (
        "Curtain DripStand EmergencyExitSign HandSanitizer HospitalBed MedicineBottle"
    ),
    "objects/kitchen/breakfast/protos": "BiscuitBox CerealBox HoneyJar JamJar",
    "objects/kitchen/components/protos": "HotPlate Sink Worktop",
    "objects/kitchen/fridge/protos": "Fridge",
    "objects/kitchen/oven/protos": "Oven",
    "objects/kitchen/utensils/protos": (
        "Carafe Cookware Fork Glass Knife Lid Plate Spoon Wineglass WoodenSpoon"
    ),
    "objects/lights/protos": (
        "CeilingLight CeilingSpotLight ConstructionLamp DoubleFluorescentLamp FloorLight"
    ),
    "objects/living_room_furniture/protos": "Armchair Carpet Sofa",
    "objects/mirror/protos": "Mirror",
    "objects/obstacles/protos": "OilBarrel Ramp30deg",
    "objects/paintings/protos": "LandscapePainting PortraitPainting",
    "objects/panels/protos": "Panel PanelWithTubes",
    "objects/plants/protos": "BunchOfSunFlowers FlowerPot PottedTree",
    "objects/road/protos": (
        "AddLaneRoadSegment AddLanesRoadSegment CrashBarrier Crossroad CurvedRoadSegment "
        "HelicoidalRoadSegment LaneSeparation Road RoadIntersection RoadLine RoadPillars "
        "Roundabout StraightRoadSegment"
    ),
    "objects/robotstadium/protos": "RobotstadiumGoal RobotstadiumSoccerField",
    "objects/school_furniture/protos": "Blackboard Book Clock",
    "objects/shapes/protos": "TexturedBoxShape",
    "objects/solids/protos": "SolidBox SolidPipe SolidRoundedBox SolidTorus",
    "objects/stairs/protos": "StraightStairs StraightStairsLanding StraightStairsRail",
    "objects/street_furniture/protos": (
        "Atm Bench BusStop ClothRecyclingContainer DrinkingFountain ElectricalCabinet "
        "EmergencyPhone Fence FireHydrant Fountain GlassRecyclingContainer GuardShelter "
        "IceFreezerContainer Mailbox MetallicTrash NewsStand OldBench PhoneBooth PublicBin "
        "PublicToilet SimpleBench SmallKiosk SnackStand StoneBench StoneFountain TrashBin "
        "TrashContainer UndergroundContainer UrbanFence WorkTrashContainer"
    ),
    "objects/tables/protos": "Desk RoundTable Table",
    "objects/telephone/protos": "OfficeTelephone Telephone",
    "objects/television/protos": "Television",
    "objects/toys/protos": "PaperBoat RubberDuck",
    "objects/traffic/protos": (
        "CautionPanel CautionSign ControlledStreetLight CrossRoadsTrafficLight DirectionPanel "
        "DivergentIndicator ExitPanel ExitSign GenericTrafficLight HighwayPole HighwaySign "
        "OrderPanel OrderSign ParkingLines ParkingMeter PedestrianCrossing Pole "
        "RectangularPanel SignPole SpeedLimitPanel SpeedLimitSign StopPanel StopSign "
        "StreetLight TrafficCone TrafficLight TrafficLightArrowLampGeometry "
        "TrafficLightBigPole TrafficLightHorizontal TrafficLightStandardLampGeometry "
        "WorkBarrier YieldPanel YieldSign"
    ),
    "objects/trees/protos": (
        "BigSassafras Cypress Forest Oak PalmTree Pine Sassafras SimpleTree Tree"
    ),
    "robots/a4/portal/protos": "Portal",
    "robots/abb/irb/protos": "Irb4600-40",
    "robots/adept/pioneer2/protos": "Pioneer2",
    "robots/adept/pioneer3/protos": "Pioneer3DistanceSensor Pioneer3Gripper Pioneer3at Pioneer3dx",
    "robots/bitcraze/crazyflie/protos": "Crazyflie",
    "robots/blue_robotics/blueboat/protos": "BlueBoat",
    "robots/bluebotics/shrimp/protos": "Shrimp",
    "robots/boston_dynamics/atlas/protos": "Atlas",
    "robots/boston_dynamics/spot/protos": "Spot",
    "robots/clearpath/heron/protos": "Heron",
    "robots/clearpath/moose/protos": "Moose",
    "robots/clearpath/pr2/protos": "Pr2",
    "robots/dji/mavic/protos": "Mavic2Pro",
    "robots/epfl/biorob/protos": "GhostDog Salamander Yamor",
    "robots/epfl/lis/protos": "Blimp",
    "robots/epson/scara_t6/protos": "ScaraT6",
    "robots/festo/robotino3/protos": (
        "Robotino3 Robotino3HokuyoMountingSupport Robotino3Platform Robotino3Webcam"
    ),
    "robots/fp_robotics/p-rob3/protos": "P-Grip P-GripDistanceSensor P-Rob3",
    "robots/franka_emika/panda/protos": "Panda",
    "robots/fujitsu/hoap2/protos": "Hoap2",
    "robots/gctronic/e-puck/protos": "E-puck E-puckDistanceSensor E-puckGroundSensors Pi-puck",
    "robots/gctronic/elisa/protos": "Elisa3",
    "robots/husarion/rosbot/protos": "Rosbot",
    "robots/husarion/rosbot_xl/protos": "RosbotXl",
    "robots/irobot/create/protos": "Create",
    "robots/k-team/hemisson/protos": "Hemisson",
    "robots/k-team/khepera1/protos": "Khepera1",
    "robots/k-team/khepera2/protos": "Khepera2",
    "robots/k-team/khepera3/protos": "Khepera3 Khepera3_Gripper",
    "robots/k-team/khepera4/protos": "Khepera4",
    "robots/k-team/koala/protos": "Koala",
    "robots/kinematics/tinkerbots/protos": (
        "TinkerbotsAxle TinkerbotsBase TinkerbotsBrickAdapter TinkerbotsCube "
        "TinkerbotsCubieBoxWithCrossSlots TinkerbotsCubieBoxWithRoundSlots "
        "TinkerbotsCubieFemaleCube TinkerbotsCubieMaleCube TinkerbotsCubiePyramid "
        "TinkerbotsCubieTriangle TinkerbotsDistanceSensor TinkerbotsFinger TinkerbotsGrabber "
        "TinkerbotsLightSensor TinkerbotsMotor TinkerbotsPivot TinkerbotsPlasticAppearance "
        "TinkerbotsTwister TinkerbotsWheel"
    ),
    "robots/kondo/khr-2hv/protos": "Khr2hv",
    "robots/kondo/khr-3hv/protos": "Khr3hv",
    "robots/kuka/youbot/protos": "KukaBox Youbot",
    "robots/lego/mindstorms/protos": "MindstormsRover",
    "robots/micromagic/mantis/protos": "Mantis",
    "robots/mir/mir100/protos": "Mir100",
    "robots/mobsya/thymio/protos": "Thymio2 Thymio2Ball Thymio2Pen",
    "robots/nasa/protos": "Sojourner",
    "robots/neuronics/ipr/protos": "IprHd6m180 IprHd6m90 IprHd6ms180 IprHd6ms90",
    "robots/nex/protos": "FireBird6",
    "robots/niryo/ned/protos": "Ned",
    "robots/nvidia/jetbot/protos": "JetBot",
    "robots/pal_robotics/tiago/protos": "Tiago",
    "robots/pal_robotics/tiago_base/protos": "TiagoBase",
    "robots/pal_robotics/tiago_extensions/protos": "TiagoGripper",
    "robots/pal_robotics/tiago_iron/protos": "TiagoIron",
    "robots/pal_robotics/tiago_lite/protos": "TiagoLite",
    "robots/pal_robotics/tiago_steel/protos": "TiagoSteel",
    "robots/pal_robotics/tiago_titanium/protos": "TiagoTitanium",
    "robots/pal_robotics/tiagopp/protos": "Tiagopp",
    "robots/parallax/boebot/protos": "BoeBot",
    "robots/robolab/p3bot/protos": "KinovaGen3_7DoF P3Bot",
    "robots/robotis/bioloid/protos": "BioloidDog",
    "robots/robotis/darwin-op/protos": "RobotisJersey RobotisOp2 RobotisOp3",
    "robots/robotis/turtlebot/protos": "TurtleBot3Burger",
    "robots/robotnik/summit_xl_steel/protos": "SummitXlSteel",
    "robots/saeon/protos": "Altino",
    "robots/softbank/nao/protos": (
        "BallCandy Cart Distributor Key KeyHole KeyPot LollipopCandy Nao NaoChallengeRoom "
        "NaoJersey NaoRoom Shelves Tray"
    ),
    "robots/sony/aibo/protos": "AiboErs7",
    "robots/sony/qrio/protos": "QRIO",
    "robots/sphero/bb8/protos": "BB-8",
    "robots/surveyor/protos": "SurveyorSrv1",
    "robots/unimation/puma/protos": "Puma560",
    "robots/universal_robots/protos": "UR10e UR3e UR5e",
    "samples/contests/ratslife/protos": "LegoInterval LegoWall NXTFeeder",
    "samples/contests/ratslife/protos/e-puck": "E-puckFlag",
    "samples/contests/robocup/protos": "RobocupGoal RobocupSoccerField",
    "samples/contests/rockin/protos": "RoCKInAX01 RoCKInAX06 RoCKInER02 RoCKInShelf",
    "samples/contests/tower_of_hanoi/protos": "YoubotFlag",
    "samples/curriculum/protos": "Obstacle",
    "samples/geometries/protos": "TeapotMesh",
    "samples/rendering/protos": "Helmet PingPongBallScaled SphereGrid",
    "samples/robotbenchmark/highway_driving/protos": "DistanceSensorVisualization",
    "samples/robotbenchmark/humanoid_sprint/protos": "RaceStopwatch",
    "samples/robotbenchmark/maze_runner/protos": "MazeBlock",
    "samples/robotbenchmark/pit_escape/protos": "Pit",
    "samples/robotbenchmark/wall_following/protos": "LinkedWalls",
    "samples/tutorials/protos": "FourWheelsRobot",
    "vehicles/protos/abstract": (
        "AckermannVehicle Car CarSteeringWheel GenericTireAppearance SimpleVehicle "
        "VehicleLights VehicleWheel"
    ),
    "vehicles/protos/bmw": "BmwX5 BmwX5Simple BmwX5Wheel",
    "vehicles/protos/citroen": (
        "CitroenCZero CitroenCZeroFrontWheel CitroenCZeroRearWheel CitroenCZeroSimple"
    ),
    "vehicles/protos/generic": (
        "Bus BusSimple BusWheel MotorbikeDriver MotorbikeSimple MotorbikeWheel ScooterDriver "
        "ScooterSimple ScooterWheel Tractor TractorFrontWheel TractorRearWheel Truck "
        "TruckSimple TruckTank TruckTankSimple TruckTrailer TruckTrailerSimple TruckWheel"
    ),
    "vehicles/protos/lincoln": "LincolnMKZ LincolnMKZSimple",
    "vehicles/protos/mercedes_benz": "MercedesBenzSprinter MercedesBenzSprinterSimple",
    "vehicles/protos/range_rover": "RangeRoverSportSVR RangeRoverSportSVRSimple",
    "vehicles/protos/tesla": "TeslaModel3 TeslaModel3Simple TeslaModel3Wheel",
    "vehicles/protos/toyota": "ToyotaPrius ToyotaPriusSimple ToyotaPriusWheel",
}
"""Names of PROTOs by their folder below "projects"."""

_FOLDER_OF: Final = {name: folder for folder, names in _FOLDERS.items() for name in names.split()}


def standard_url(name: str, externs: Iterable[ExternProtoSyntax]) -> str | None:
    """Return how a world declares a standard PROTO of Webots; None = no place of that name is known.

    Args:
        name: The PROTO.
        externs: What the world declares: if something of an online release, then this from the same.
    """
    folder = _FOLDER_OF.get(name)
    if folder is None:
        return None
    online = (found.group() for item in externs if (found := OFFICIAL.match(item.url)))
    return f"{next(online, INSTALLED)}projects/{folder}/{name}.proto"
