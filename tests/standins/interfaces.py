"""Interfaces of standard PROTOs: fields, types and defaults, from the objects and appearances chapters of the
Webots user guide, in today's axes. Fields that every object has are in COMMON."""

from __future__ import annotations

from typing import Final

COMMON: Final = {"translation": "SFVec3f", "rotation": "SFRotation", "name": "SFString"}

INTERFACES: Final[dict[str, str]] = {
    "Rectangle": "SFVec2f size 0.1 0.1; SFBool doubleSided TRUE",
    "Building": """
        SFFloat floorHeight 3; SFInt32 floorNumber 3; MFVec2f corners 10 10 10 -10 -10 -10 -10 10;
        MFString groundFloor; SFBool enableBoundingObject TRUE""",
    "RandomBuilding": "SFFloat floorHeight 3; MFColor roofColor; SFFloat roofHeight 3",
    "SimpleBuilding": """
        MFVec2f corners 10 10 10 -10 -10 -10 -10 10; MFString groundFloor; MFFloat groundFloorScale;
        MFFloat groundFloorTranslation; MFColor wallColor; MFColor roofColor""",
    "ResidentialTower": "SFInt32 numberOfFloors 3; SFBool enableBoundingObject TRUE",
    "LargeResidentialTower": "SFInt32 numberOfFloors 4; SFBool groundSurroundingWall TRUE",
    "Pole": "MFNode slot",
    "TrafficLightBigPole": "MFNode slot1; MFNode slot2; MFNode slot3",
    "DivergentIndicator": "SFFloat height 1; SFFloat radius 0.5; SFInt32 subdivision 24",
    "AddLaneRoadSegment": """
        SFFloat width 7; SFFloat length 20; SFInt32 numberOfLanes 2; SFBool newLaneLeft TRUE;
        SFFloat roadBorderWidth 0.8; SFBool roadBoundingObject FALSE""",
    "AddLanesRoadSegment": "SFInt32 numberOfNewLanes 2; SFFloat length 20",
    "LaneSeparation": """
        SFFloat width 14; SFFloat length 5; SFInt32 numberOfLanes 4; SFInt32 numberOfleavingLanes 2;
        SFBool centralBorder TRUE""",
    "RoadPillars": """
        SFFloat height 5; SFFloat width 8; SFFloat depth 2; SFFloat pylonsRadius 0.6;
        SFFloat pylonsDistance 6; SFNode appearance RoughConcrete; SFBool boundingObject TRUE""",
    "Roundabout": """
        SFInt32 subdivision 16; SFBool border TRUE; SFFloat innerRadius 4; SFFloat outerRadius 8;
        SFInt32 roadNumber 4; MFFloat startRoadsLength 5; SFFloat startRoadsWidth 7; SFBool center TRUE""",
    "Cat": "SFFloat scale 1; SFFloat mass 2.5",
    "Cow": "SFFloat scale 1; SFFloat mass 750; SFBool enablePhysics TRUE",
    "Deer": "SFFloat scale 1; SFFloat mass 1",
    "Dog": "SFFloat scale 1; SFFloat mass 1; SFBool enablePhysics TRUE",
    "Fox": "SFFloat scale 1; SFFloat mass 1",
    "Horse": "SFFloat scale 1; SFFloat mass 750",
    "Rabbit": "SFFloat scale 1; SFFloat mass 1; SFBool enablePhysics TRUE",
    "Sheep": "SFFloat scale 1; SFFloat mass 80; SFBool enablePhysics TRUE",
    "TexturedBackground": """
        SFString texture "mountains"; SFFloat luminosity 1; SFBool skybox TRUE; SFBool reflections TRUE;
        MFColor skyColor 0 0 0""",
    "TexturedBackgroundLight": """
        SFString texture "mountains"; SFFloat luminosity 1; SFBool castShadows TRUE""",
    "RectangleArena": """
        SFString contactMaterial "default"; SFVec2f floorSize 1 1; SFVec2f floorTileSize 0.5 0.5;
        SFNode floorAppearance Parquetry; SFFloat wallThickness 0.01; SFFloat wallHeight 0.1;
        SFNode wallAppearance BrushedAluminium""",
    "CircleArena": """
        SFFloat radius 1; SFString contactMaterial "default"; SFVec2f floorTileSize 0.5 0.5;
        SFFloat wallThickness 0.01; SFFloat wallHeight 0.1; SFNode wallAppearance BrushedAluminium;
        SFInt32 subdivision 48""",
    "Floor": """
        SFString contactMaterial "default"; SFVec2f size 10 10; SFVec2f tileSize 0.5 0.5;
        SFNode appearance Parquetry""",
    "UnevenTerrain": """
        SFVec3f size 50 50 5; SFInt32 xDimension 50; SFInt32 yDimension 50; SFNode appearance SandyGround;
        SFVec2f textureScale 1 1; SFInt32 randomSeed 1; SFBool flatCenter FALSE; SFBool flatBounds FALSE;
        SFInt32 perlinNOctaves 3""",
    "Wall": "SFVec3f size 0.2 1 2.4; SFNode appearance Roughcast; MFColor recognitionColors",
    "Door": """
        SFVec3f size 0.2 1 2.4; SFBool canBeOpen TRUE; SFFloat position 0; SFBool jointAtLeft TRUE;
        SFBool selfClosing FALSE; SFFloat doorThickness 0.05; SFFloat frameHeight 2;
        SFVec3f frameSize 0.05 0.05 0.05; SFFloat mainMaterialDensity 200;
        SFNode doorAppearance GenericDoorAppearance; SFNode wallAppearance Roughcast;
        SFNode frameAppearance VarnishedPine; SFNode doorHandle DoorLever; MFNode doorSlot;
        SFBool castShadows TRUE""",
    "Window": """
        SFVec3f size 0.2 0.8 2.4; SFFloat windowThickness 0.05; SFFloat bottomWallHeight 0.7;
        SFFloat windowHeight 1.4; SFVec3f frameSize 0.02 0.05 0.05; SFVec2f windowSillSize 0.1 0.05;
        SFNode wallAppearance Roughcast; SFNode frameAppearance VarnishedPine; SFBool castShadows TRUE""",
    "Radiator": """
        SFInt32 numberOfFins 10; SFNode finAppearance Roughcast; SFNode tubeAppearance HammeredCopper;
        SFBool enableBoundingObject TRUE""",
    "SolidBox": """
        SFVec3f size 2 2 2; SFString contactMaterial "default"; SFNode appearance PBRAppearance;
        SFNode physics NULL; SFBool castShadows TRUE""",
    "SolidRoundedBox": """
        SFVec3f size 2 2 2; SFFloat borderRadius 0.5; SFInt32 subdivision 24;
        SFString contactMaterial "default"; SFNode physics NULL""",
    "SolidPipe": """
        SFFloat height 2; SFFloat radius 1; SFFloat thickness 0.1; SFInt32 subdivision 24;
        SFFloat accuracy 0.0001; SFString contactMaterial "default"; SFNode physics NULL""",
    "WoodenBox": """
        SFVec3f size 0.6 0.6 0.6; SFFloat mass 0; MFNode immersionProperties; SFBool locked FALSE""",
    "CardboardBox": """
        SFVec3f size 0.6 0.6 0.6; SFFloat mass 0; SFBool locked FALSE; SFFloat lidAngle 0""",
    "PlasticCrate": "SFVec3f size 0.6 0.6 0.6; SFColor color 0.9 0.2 0.2; SFFloat mass 0",
    "WoodenPallet": """
        SFVec3f size 1.2 0.8 0.14; SFInt32 lathNumber 6; SFFloat lathWidth 0.08; SFFloat mass 0;
        SFBool boundingObject TRUE; SFBool locked FALSE""",
    "WoodenPalletStack": """
        SFInt32 palletNumber 8; SFVec3f palletSize 1.2 0.8 0.14; SFInt32 palletLathNumber 6;
        SFFloat palletLathWidth 0.08; SFFloat lateralMisalignment 0.1;
        SFFloat longitudinalMisalignment 0.05; SFFloat palletMass 0; SFBool boundingObject TRUE""",
    "Table": """
        SFVec3f size 1 1.8 0.74; SFVec2f feetSize 0.1 0.1; SFFloat feetPadding 0;
        SFFloat frameThickness 0.05; SFNode trayAppearance VarnishedPine;
        SFNode legAppearance VarnishedPine""",
    "Cabinet": """
        SFFloat depth 0.5; SFFloat innerThickness 0.02; SFFloat outerThickness 0.03;
        MFFloat rowsHeights 0.24 0.2 0.2 0.4 0.4; MFFloat columnsWidths 0.4 0.17 0.17; MFString layout;
        SFNode handle CabinetHandle; SFNode primaryAppearance PaintedWood;
        SFNode secondaryAppearance PaintedWood""",
    "CabinetHandle": """
        SFFloat handleLength 0.065; SFFloat handleRadius 0.0055; SFColor handleColor 0.74 0.74 0.74;
        SFFloat mass 0.3""",
    "WoodenChair": "SFColor color 1 1 1; SFNode physics NULL",
    "Chair": "SFColor color 1 1 1; SFNode physics NULL",
    "OfficeChair": """
        SFNode legAppearance BrushedAluminium; SFNode seatAppearance Leather; SFBool enablePhysics TRUE""",
    "Desk": "SFColor color 1 1 1; SFNode physics NULL",
    "Sofa": "SFColor color 1 1 1; MFString textureUrl; SFNode physics NULL",
    "Armchair": "SFColor color 1 1 1; MFString textureUrl; SFNode physics NULL",
    "Can": "SFColor color 1 1 1; MFString textureUrl; SFFloat mass 0.35",
    "OilBarrel": """
        SFFloat height 0.88; SFFloat radius 0.305; SFNode physics NULL; MFNode immersionProperties""",
    "Ball": """
        SFColor color 1 0.54 0.08; SFFloat radius 0.0325; SFFloat mass 0.055;
        MFVec3f centerOfMass 0 0 -0.0001; SFFloat linearDamping 0.17; SFFloat angularDamping 0.33;
        SFString contactMaterial "default" """,
    "SoccerBall": "SFFloat radius 0.113; SFFloat mass 0.6",
    "FifaSoccerBall": "SFInt32 size 5",
    "RobocupSoccerBall": "SFInt32 size 1",
    "PottedTree": """
        SFColor potAndTreeColor 1 1 1; MFString potAndTreeTextureUrl; SFColor leavesColor 1 1 1;
        MFString leavesTextureUrl; SFNode physics NULL""",
    "CeilingLight": """
        SFColor bulbColor 1 1 1; SFColor supportColor 1 1 1; SFColor pointLightColor 1 1 1;
        SFFloat pointLightIntensity 1; SFFloat pointLightRadius 100; SFBool pointLightCastShadows FALSE;
        SFBool castShadows TRUE""",
    "FloorLight": """
        SFColor bulbColor 1 1 1; SFColor supportColor 1 1 1; SFColor pointLightColor 1 1 1;
        SFFloat pointLightIntensity 1; SFFloat pointLightRadius 100; SFBool pointLightCastShadows FALSE;
        SFNode physics NULL; SFFloat scale 1""",
    "Monitor": "SFColor color 0.15 0.15 0.15; SFFloat mass 0; SFFloat scale 1",
    "Keyboard": "SFColor color 0.1 0.1 0.1; SFFloat mass 0",
    "RubberDuck": """
        SFFloat scale 1; SFColor bodyColor 0.87451 0.756863 0.113725; SFFloat density 400;
        MFNode immersionProperties ImmersionProperties""",
    "TrafficCone": "SFNode physics NULL",
    "FireExtinguisher": "SFBool enablePhysics TRUE",
    "PipeSection": """
        SFFloat height 0.5; SFFloat radius 0.03; SFInt32 subdivision 24; SFNode appearance MetalPipePaint""",
    "ConveyorBelt": """
        SFString window "<none>"; SFVec3f size 1.5 0.5 0.6; SFNode appearance CorrugatedMetal;
        SFFloat borderThickness 0.03; SFFloat borderHeight 0.01; SFFloat speed 0.5;
        SFFloat acceleration -1; SFFloat timer 0""",
    "Curtain": "SFColor baseColor 0.672885 0.8 0.650323",
    "DripStand": "SFNode physics NULL",
    "HandSanitizer": "SFNode physics NULL",
    "HospitalBed": "SFNode physics NULL",
    "MedicineBottle": "SFNode physics NULL",
    "Rock10cm": "SFColor color 1 1 1; SFNode physics NULL; SFBool locked FALSE",
    "Rock17cm": "SFColor color 1 1 1; SFNode physics NULL; SFBool locked FALSE",
    "EmergencyButton": "SFBool includePositionSensor FALSE",
    "ElectricalPlug": """
        SFColor color 1 1 1; MFVec3f cablePath 0 0 0 0 0.03 0 0 0.03 0.1; SFBool enablePhysics TRUE;
        SFBool enableBoundingObject TRUE""",
    "RobocupGoal": """SFColor netColor 0.3 0.3 0.3; SFString size "kid" """,
    "RobocupSoccerField": """SFString size "adult"; SFBool turfPhysics TRUE""",
    "RobotstadiumGoal": "SFFloat postRadius 0.05; SFColor frameColor 1 1 1",
    "RobotstadiumSoccerField": """
        SFString contactMaterial "default"; SFColor frame1Color 1 1 1; SFColor frame2Color 1 1 1;
        SFFloat postRadius 0.05""",
    "RoadLine": """SFColor color 1 1 1; SFString type "dashed"; SFFloat width 0.15""",
    "Road": """
        SFFloat width 7; SFInt32 numberOfLanes 2; SFInt32 numberOfForwardLanes 1; SFFloat speedLimit -1;
        MFNode lines RoadLine; SFFloat roadBorderHeight 0.15; MFFloat roadBorderWidth 0.8;
        SFBool road TRUE; SFBool rightBorder TRUE; SFBool leftBorder TRUE; SFBool rightBarrier FALSE;
        SFBool leftBarrier FALSE; MFVec3f wayPoints 0 0 0 1 0 0; SFInt32 splineSubdivision 4;
        SFNode appearance Asphalt; SFBool locked TRUE; SFBool roadBoundingObject FALSE;
        SFBool rightBarrierBoundingObject TRUE; SFString contactMaterial "default" """,
    "StraightRoadSegment": """
        SFFloat width 7; SFInt32 numberOfLanes 2; SFFloat startingRoadBorderWidth 0.8;
        SFFloat endingRoadBorderWidth 0.8; SFFloat length 10; SFBool roadBoundingObject FALSE""",
    "CurvedRoadSegment": """
        SFFloat curvatureRadius 10; SFFloat totalAngle 1.5708; SFInt32 subdivision 16""",
    "Crossroad": """
        MFVec3f shape 0 0 0 0 1 0 1 0 0; SFBool boundingObject FALSE; SFNode appearance Asphalt""",
    "SimpleTree": """
        SFString type "cherry tree"; SFBool withSnow FALSE; SFFloat height 4; SFFloat radius 2;
        SFInt32 subdivision 2; SFBool enableBoundingObject TRUE; SFBool locked TRUE""",
    "ControlledStreetLight": """
        SFFloat beamWidth 1.1; MFColor color 1 0.9 0.8; SFFloat cutOffAngle 1.4; SFFloat radius 1000;
        SFBool castShadows FALSE; SFBool supervisor FALSE""",
    "ConveyorPlatform": """
        SFString controller "conveyor_belt"; SFString window "<none>"; SFFloat speed 0.3;
        SFFloat acceleration -1; SFFloat timer 0; SFFloat textureAnimation 0.5""",
    "CreateWall": "SFFloat range 2.4384; SFFloat aperture 0.157; MFString controllerArgs",
    "EmergencyPhone": "SFColor poleColor 1 0.44 0; MFColor recognitionColors 1 0.44 0",
    "Fountain": "SFFloat height 1.5; SFFloat radius 1; SFInt32 subdivision 16",
    "Gnome": "SFBool enablePhysics FALSE",
    "HelicoidalRoadSegment": """
        SFFloat width 7; SFInt32 numberOfLanes 2; SFFloat height 20; SFFloat radius 15;
        SFFloat heigthStep 5; SFFloat subdivision 64""",
    "IntermodalContainer": "SFColor color 0.9 0.1 0.1",
    "IntermodalOfficeContainer": "SFColor primaryColor 0.9 0.1 0.1; SFColor secondaryColor 0.6 0.6 0.6",
    "Mirror": """
        SFBool supervisor FALSE; SFFloat fieldOfView 0.785398; SFFloat width 0.5; SFFloat height 0.8;
        SFFloat frameThickness 0.02; SFNode physics NULL; SFNode frameAppearance VarnishedPine""",
    "PanelWithTubes": "SFNode appearance BrushedAluminium",
    "PicketFence": "SFInt32 numberOfSegments 1; SFBool enableBoundingObject TRUE",
    "PicketFenceWithDoor": "SFBool enableBoundingObject TRUE",
    "PublicBin": "SFColor color 0.27 0.27 0.27; MFColor recognitionColors 0.27 0.27 0.27",
    "PublicToilet": """
        SFFloat height 3.2; SFFloat length 3.5; SFFloat width 2.1; SFColor mainColor 0.4 0.4 0.4;
        SFColor secondaryColor 0.5 0.5 0.5; SFColor mainTopColor 0.22 0.22 0.22;
        SFColor secondaryTopColor 1 0.95 0.33; SFColor windowColor 0.8 1 0.93; SFString text "TOILET";
        SFFloat textScale 80; MFString backDisplayTexture; SFBool backDisplayLight FALSE;
        MFNode frontDisplay""",
    "SnackStand": 'SFString color "red"',
    "TableWithUmbrella": "SFBool enablePhysics FALSE",
    "TrashBin": """
        SFColor coverColor 0.1 0.1 0.1; SFColor binColor 0.08 0.46 0;
        MFColor recognitionColors 0.08 0.46 0 0.1 0.1 0.1""",
    "TrashContainer": "SFBool enablePhysics FALSE",
    "UrbanFence": "SFBool enableBoundingObject TRUE",
    "WateringCan": "SFBool enablePhysics FALSE",
    "Wheelbarrow": "SFBool enablePhysics FALSE",
}
"""PROTO -> "type field default" with semicolons between them; of a node only its type is given."""
