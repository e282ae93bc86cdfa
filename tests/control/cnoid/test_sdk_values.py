"""Methods of the headers of Choreonoid's controllers: values that follow from the cart, and arithmetic."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from tests.control.cnoid.projects import CartRun, item, needs_cpp, project, running, workspace

pytestmark = [needs_cpp, pytest.mark.slow]

VALUES = """
#include <cnoid/SimpleController>
#include <cnoid/BasicSensors>
#include <cnoid/BodyMotion>
#include <cnoid/Camera>
#include <cnoid/EigenUtil>
#include <cnoid/FileUtil>
#include <cnoid/Image>
#include <cnoid/Jacobian>
#include <cnoid/JointPath>
#include <cnoid/Joystick>
#include <cnoid/LinkPath>
#include <cnoid/SpotLight>
#include <cnoid/YAMLReader>
#include <iomanip>
using namespace cnoid;

class Values : public SimpleController {
  SimpleControllerIO* io;
  BodyPtr copy;

  template <class... Args>
  void say(const char* name, const Args&... args) {
    io->os() << name << std::setprecision(12);
    ((io->os() << " " << args), ...);
    io->os() << std::endl;
  }

 public:
  bool initialize(SimpleControllerIO* io_) override {
    io = io_;
    Body* body = io->body();
    Link *base = body->rootLink(), *slide = body->link("SLIDE"), *arm = body->link("ARM");

    say("body", body->name(), body->modelName(), body->numLinks(), body->numJoints(), body->numAllJoints(),
        body->numVirtualJoints(), body->isFixedRootModel(), body->isStaticModel());
    say("found", body->link(1)->name(), body->joint(1)->name(), body->joint("SLIDE")->jointId(),
        body->link("none") == nullptr, body->joints().size(), body->linkTraverse().numLinks(),
        body->allJoints().size());
    say("tree", base->isRoot(), base->child()->name(), slide->parent()->name(), arm->isEndLink(),
        slide->sibling() == nullptr, slide->index(), slide->body() == body, slide->isValid());
    say("kinds", slide->isPrismaticJoint(), slide->isSlideJoint(), arm->isRevoluteJoint(),
        arm->isRotationalJoint(),
        base->isFixedJoint(), base->isFreeJoint(), arm->hasActualJoint(), base->isStatic(),
        base->isFixedToRoot());
    say("names", slide->jointName(), slide->jointTypeSymbol(), int(arm->jointType()),
        slide->jointSpecificName().size());
    say("axes", slide->a().x(), arm->jointAxis().z(), arm->d().y());
    say("offsets", slide->offsetTranslation().z(), arm->b().z(), arm->Rb()(0, 0), slide->Tb()(2, 3));
    say("inertia", slide->m(), slide->mass(), slide->I()(1, 1), slide->c().norm(),
        slide->centerOfMass().x());
    say("limits", slide->q_lower(), slide->q_upper(), slide->hasJointDisplacementLimits(),
        arm->hasJointDisplacementLimits(), arm->hasJointVelocityLimits(), slide->q_initial());
    say("modes", slide->actuationMode(), int(Link::JointTorque), int(JointDisplacement),
        int(Link::JOINT_ANGLE),
        int(Link::LinkPosition), Link::StateNone);
    slide->setActuationMode(Link::JointEffort);
    say("mode", slide->actuationMode());

    slide->q() = 0.5;
    arm->q() = PI / 6;
    slide->dq() = 2.0;
    arm->dq() = 3.0;
    body->calcForwardKinematics(true);
    say("place", arm->p().x(), arm->translation().z(), arm->R()(1, 0), arm->rotation()(0, 0),
        arm->position()(0, 3),
        arm->T()(2, 3), arm->attitude()(0, 1));
    say("speed", arm->v().x(), arm->w().z(), slide->v().norm());
    say("mass", body->mass(), body->calcCenterOfMass().x(), body->centerOfMass().z());
    Vector3 P, L;
    body->calcTotalMomentum(P, L);
    say("momentum", P.x(), L.y());
    arm->addExternalForceAtGlobalPosition(Vector3(1, 0, 0), Vector3(0, 2, 0));
    arm->addExternalForceAtLocalPosition(Vector3(0, 1, 0), Vector3(0, 0, 0));
    say("wrench", arm->F_ext()[0], arm->f_ext().y(), arm->tau_ext().z(), arm->externalTorque().x());
    body->clearExternalForces();
    say("cleared", arm->F_ext().norm());

    LinkPath links(base, arm);
    say("links", links.numLinks(), links.baseLink()->name(), links.endLink()->name(), links.isDownward(1));
    JointPath path(base, arm);
    MatrixXd J;
    setJacobian(path, J);
    say("path", path.numJoints(), path.joint(0)->name(), path.endLink()->name(), path.indexOf(arm),
        path.isJointDownward(1), path.hasAnalyticalIK());
    say("jacobian", J.rows(), J.cols(), J(0, 0), J(5, 1), J(0, 1));
    auto back = JointPath::getCustomPath(arm, base);
    say("back", back->numJoints(), back->joint(0)->name(), back->isJointDownward(0));

    copy = body->clone();
    copy->link("SLIDE")->q() = 9.0;
    say("copy", copy->link("SLIDE")->q(), slide->q(), copy->numDevices(),
        copy->link("ARM")->parent()->name());

    say("devices", body->numDevices(), body->device(0)->name(), body->device(0)->typeName(),
        body->devices<Camera>().size(),
        body->findDevice<Camera>() != nullptr, body->findDevice<RateGyroSensor>("Push") == nullptr,
        body->findRateGyroSensor("Gyro")->link()->name());
    auto lamp = body->findDevice<SpotLight>("Lamp");
    say("lamp", lamp->on(), lamp->T_local()(2, 3), lamp->localTranslation().z(), lamp->id(), lamp->index());
    auto eye = body->findDevice<Camera>("Eye");
    say("eye", eye->resolutionX(), eye->resolutionY(), eye->frameRate(), eye->on(),
        eye->imageType() == Camera::COLOR_IMAGE);

    Matrix3 R = rotFromRpy(0.0, 0.0, 0.5);
    say("turn", R(0, 0), omegaFromRot(R).z(), rpyFromRot(R, Vector3(0, 0, 2 * PI)).z(), hat(Vector3(1, 2,
        3))(0, 1));
    say("angles", degree(Vector3(PI, 0, 0)).x(), radian(Vector3(180, 0, 0)).x(), TO_RADIAN, PI_2);
    Vector3 read;
    say("text", toVector3("1 2.5 -3", read), read.y(), toVector3("1 2", read), str(Vector3(1, 2, 3)));
    R *= 1.0001;
    normalizeRotation(R);
    say("normal", R.determinant());

    MultiValueSeq seq(3, 2);
    seq.setFrameRate(100.0);
    seq.at(1, 1) = 4.0;
    seq.frame(2)[0] = 5.0;
    say("seq", seq.numFrames(), seq.numParts(), seq.timeStep(), seq.part(1)[1], seq(2, 0),
        seq.clampFrameIndex(9),
        seq.clampedFrame(-1)[0]);
    seq.setNumFrames(5, true);
    say("longer", seq.numFrames(), seq.at(4, 0));
    BodyMotion motion;
    motion.setDimension(2, 2, 1);
    motion.setFrameRate(50.0);
    motion.jointPosSeq()->at(1, 0) = 0.75;
    motion.updateBodyStateSeqWithLinkPosSeqAndJointPosSeq();
    motion.frame(1) >> *copy;
    say("motion", motion.numFrames(), motion.numJoints(), motion.numLinks(), motion.getFrameRate(),
        copy->joint(0)->q());

    BodyState state(*copy);
    state.jointDisplacement(0) = 0.125;
    state.rootLinkPosition().set(Isometry3(Translation3(0, 0, 2)));
    const bool is_restored = state.firstBlock().hasLinkPositions() && state.restorePositionToBody(copy);
    say("state", is_restored, state.numLinkPositions(), state.numJointDisplacements(), copy->joint(0)->q(),
        copy->rootLink()->p().z(), copy->link(1)->p().z(), state.linkPosition(1).translation().x());
    auto states = motion.stateSeq();
    states->frame(0).jointDisplacements()[1] = 0.375;
    states->frameBlock(1).jointDisplacement(0) = -0.5;
    BodyMotion other(motion);
    motion.updateJointPosSeqWithBodyStateSeq();
    const int before = states->numFrames();
    say("states", before, states->timeStep(), states->numJointDisplacementsHint(),
        motion.jointPosSeq()->at(0, 1), motion.jointPosSeq()->at(1, 0), other.jointPosSeq()->at(0, 1),
        states->appendAllocatedFrame().numLinkPositions(), other.numFrames(),
        states->back().linkPosition(0).rotation().w());

    YAMLReader reader;
    const bool is_read = reader.parse("{ a: [ 1, two ], b: { c: 2.5, d: true } }");
    auto top = reader.document()->toMapping();
    say("yaml", is_read, top->size(), top->findListing("a")->at(0)->toInt(),
        top->findListing("a")->at(1)->toString(),
        top->findMapping("b")->get("c", 0.0), top->findMapping("b")->get("d", false),
        top->find("x")->isValid());
    double c = 0.0;
    std::string said;
    say("read", top->findMapping("b")->read("c", c), c, top->read("x", c), top->get("x", "none"));
    try {
      top->get("x");
    } catch (const ValueNode::KeyNotFoundException& error) {
      said = error.key();
    }
    try {
      top->findListing("a")->at(1)->toDouble();
    } catch (const ValueNode::ScalarTypeMismatchException&) {
      said += " mismatch";
    }
    say("thrown", said);

    Image image;
    image.setSize(4, 2, 3);
    image.pixels()[0] = 200;
    const bool is_saved = image.save((shareDirPath() / "made.ppm").string());
    image.applyVerticalFlip();
    say("image", image.width(), image.height(), image.numComponents(), int(image.pixels()[12]),
        image.hasAlphaComponent(),
        is_saved);
    say("files", getExtension("a/b.tar"), getBasename("a/b.tar"), getFilename("a/b.tar"));

    Joystick stick;
    say("stick", stick.isReady(), stick.readCurrentState(), stick.getPosition(1),
        stick.getButtonState(0), stick.numAxes(),
        std::string(stick.errorMessage()).size());
    say("io", io->controllerName(), io->timeStep(), io->currentTime(), io->isNoDelayMode(),
        io->options().size());
    io->enableInput(slide, JointDisplacement);
    return true;
  }

  bool control() override {
    say("time", io->currentTime(), io->body()->currentTime(), copy->currentTime());
    return true;
  }
};
CNOID_IMPLEMENT_SIMPLE_CONTROLLER_FACTORY(Values)
"""

HALF = math.sqrt(3) / 2
TURN = 0.5

EXPECTED = {
    "body": "Cart Cart 3 2 2 0 1 0",
    "found": "SLIDE ARM 0 1 2 3 2",
    "tree": "1 SLIDE BASE 1 1 1 1 1",
    "kinds": "1 1 1 1 1 0 1 1 1",
    "names": "SLIDE prismatic 0 0",
    "axes": "1 1 0",
    "offsets": "0.5 0.25 1 0.5",
    "inertia": "2 2 1 0 0",
    "limits": "-2 3 1 0 0 0",
    "modes": "0 8 1 1 16 0",
    "mode": "8",
    "place": f"0.5 0.75 0.5 {HALF} 0.5 0.75 -0.5",
    "speed": "2 3 2",
    # the base weighs 1 kg, as what says nothing does
    "mass": f"{3.0 + 1e-6} {0.5 * (2.0 + 1e-6) / (3.0 + 1e-6)} {(2.0 * 0.5 + 1e-6 * 0.75) / (3.0 + 1e-6)}",
    # the carriage is 0.5 m up, the arm 0.75 m: p = m v along x, L = r x p along y
    "momentum": f"{2 * (2.0 + 1e-6)} {2 * (2.0 * 0.5 + 1e-6 * 0.75)}",
    # (0, 2, 0) x (1, 0, 0) = -2 about z; (0.5, 0, 0.75) x (0, 1, 0) = (-0.75, 0, 0.5)
    "wrench": "1 1 -1.5 -0.75",
    "cleared": "0",
    "links": "3 BASE ARM 1",
    "path": "2 SLIDE ARM 1 1 0",
    "jacobian": "6 2 1 1 0",
    "back": "2 ARM 0",
    "copy": "9 0.5 5 SLIDE",
    "devices": "5 Push ForceSensor 1 1 1 SLIDE",
    "lamp": "0 1 1 -1 2",
    "eye": "8 6 500 1 1",
    "turn": f"{math.cos(TURN)} {TURN} {TURN + 2 * math.pi} -3",
    "angles": f"180 {math.pi} {math.pi / 180} {math.pi / 2}",
    "text": "1 2.5 0 1 2 3",
    "normal": "1",
    "seq": "3 2 0.01 4 5 2 0",
    "longer": "5 5",
    "motion": "2 2 1 50 0.75",
    # the root is put 2 m up, then the links have places of their own again
    "state": "1 3 2 0.125 2 0.5 0.75",
    "states": "2 0.02 2 0.375 -0.5 0 1 2 1",
    "yaml": "1 2 1 two 2.5 1 0",
    "read": "1 2.5 0 none",
    "thrown": "x mismatch",
    "image": "4 2 3 200 0 1",
    "files": "tar b b.tar",
    "stick": "0 0 0 0 0 0",
    "io": "V 0.001 0 0 0",
}


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> CartRun:
    """A run of the controller that prints values."""
    folder = workspace(tmp_path_factory.mktemp("more_values"), {"Values.cpp": VALUES})
    with running(folder, project(item("V", "Values"))) as started:
        started.sim.step(3)
        assert started.controllers.failures == []
    return started


def lines(run: CartRun, name: str) -> list[list[str]]:
    """Return the words that the controller has printed under a name, line by line."""
    return [line.split()[1:] for line in run.printed if line.split()[0] == name]


@pytest.mark.parametrize("name", EXPECTED)
def test_methods_give_what_follows_from_the_cart(run: CartRun, name: str) -> None:
    """Words are equal; numbers to ten digits."""
    (found,) = lines(run, name)
    expected = EXPECTED[name].split()
    assert len(found) == len(expected), found
    for one, two in zip(found, expected, strict=True):
        try:
            wanted = float(two)
        except ValueError:
            assert one == two
        else:
            assert float(one) == pytest.approx(wanted, rel=1e-10, abs=1e-12), found


def test_bodies_and_their_copies_tell_the_time(run: CartRun) -> None:
    """Time of a body is that of the simulation, also after `clone`."""
    found = np.array(lines(run, "time"), float)
    assert found == pytest.approx(np.array([[0.0] * 3, [0.001] * 3, [0.002] * 3]))


def test_a_picture_is_written_from_above(run: CartRun) -> None:
    """A PPM of 4 x 2 pixels whose first byte is 200."""
    folder = Path(run.sim.scene.source).parent
    content = (folder / "made.ppm").read_bytes()
    assert content.startswith(b"P6")
    assert content[-24] == 200 and len(content) - content.index(b"255\n") - 4 == 24
