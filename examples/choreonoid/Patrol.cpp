// Drives the rover around a square, and turns its mast to where it goes next.
//   solidbody run examples/choreonoid/patrol.cnoid

#include <cnoid/EigenUtil>
#include <cnoid/SimpleController>

using namespace cnoid;

class Patrol : public SimpleController {
  static constexpr double SPEED = 0.8;   // [m/s] of the tracks, straight ahead
  static constexpr double TURN = 0.4;    // [m/s] of each, against each other
  static constexpr double SIDE = 1.5;    // [m]
  static constexpr double RATE = 2.0;    // [rad/s] of the mast

  SimpleControllerIO* io;
  Link *chassis, *left, *right, *mast;
  Vector3 corner;      // where this side began
  double heading;      // of this side [rad]
  bool turns;

  double yaw() const { return rpyFromRot(chassis->R())[2]; }

  double leftToTurn() const {
    const double angle = heading - yaw();
    return angle - 2.0 * PI * std::round(angle / (2.0 * PI));
  }

 public:
  bool initialize(SimpleControllerIO* io_) override {
    io = io_;
    Body* body = io->body();
    chassis = body->rootLink();
    left = body->link("TRACK_L");
    right = body->link("TRACK_R");
    mast = body->joint("MAST");
    if (!left || !right || !mast) {
      io->os() << body->name() << " is no rover" << std::endl;
      return false;
    }
    io->enableInput(chassis, LinkPosition);
    io->enableOutput(left, JointVelocity);
    io->enableOutput(right, JointVelocity);
    mast->setActuationMode(JointDisplacement);
    io->enableIO(mast);
    corner = chassis->p();
    heading = yaw();
    turns = false;
    return true;
  }

  bool control() override {
    if (!turns && (chassis->p() - corner).norm() > SIDE) {
      turns = true;
      heading += PI / 2.0;
      io->os() << "corner at " << io->currentTime() << " s" << std::endl;
    } else if (turns && std::abs(leftToTurn()) < radian(2.0)) {
      turns = false;
      corner = chassis->p();
    }
    const double turn = turns ? TURN : 0.5 * leftToTurn();
    const double ahead = turns ? 0.0 : SPEED;
    left->dq_target() = ahead - turn;
    right->dq_target() = ahead + turn;
    const double goal = turns ? 0.5 : 0.0;
    const double step = RATE * io->timeStep();
    mast->q_target() += std::max(-step, std::min(step, goal - mast->q_target()));
    return true;
  }
};

CNOID_IMPLEMENT_SIMPLE_CONTROLLER_FACTORY(Patrol)
