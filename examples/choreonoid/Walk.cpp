// SR1 walks over flat ground, step by step as `walk.py` beside it.
//   solidbody run examples/choreonoid/walk.cnoid
//
// The robot is taken as a cart on a table: its mass, at the height h, stands on the point
//
//   z = c - (h / g) c''          c: where the mass is, z: where the ground carries it (ZMP)
//
// z is led from foot to foot; c follows by solving the equation for the whole walk at once. Waist and feet
// are then in place in every step, joints by inverse kinematics, and torques hold the joints there.

#include <cnoid/EigenUtil>
#include <cnoid/JointPath>
#include <cnoid/SimpleController>
#include <vector>

using namespace cnoid;

class Walk : public SimpleController {
  static constexpr int STEPS = 10;
  static constexpr double LENGTH = 0.3;    // [m] of a step; the first and last are half as long
  static constexpr double LIFT = 0.05;     // [m] of a foot
  static constexpr double SINGLE = 0.6;    // [s] on one foot
  static constexpr double DOUBLE = 0.3;    // [s] on both, in between
  static constexpr double SETTLE = 1.2;    // [s] on both, at the beginning and at the end
  static constexpr double SOLE = 0.055;    // [m] from the ankle ahead to the middle of the sole
  static constexpr double INSIDE = 0.015;  // [m] by which the weight stays inside of that
  static constexpr double GRAVITY = 9.80665;
  static constexpr double ARM = 3000.0, REST = 16000.0;  // [N m/rad] of arms; of legs and trunk
  static constexpr double DAMPING = 200.0;               // [N m s/rad]

  struct Phase {
    int swing;            // which foot is in the air; -1 = none
    double duration;
    Vector3 from, to;     // of that foot
    Vector3 start, end;   // of the ZMP
  };

  BodyPtr plan;           // a copy of the body, as it should move
  Link* waist;
  JointPathPtr legs[2];
  std::vector<Phase> phases;
  std::vector<Vector3> mass;  // where it is, step by step
  Vector3 offset;             // from the waist to it; legs are taken to move with the waist
  Vector3 feet[2];
  std::size_t now, phase;
  double since;               // [s] in this phase
  std::vector<Link*> joints;
  std::vector<double> last, goal;
  double dt;

  Vector3 underFoot(const Vector3& ankle) const {
    return ankle + Vector3(SOLE, ankle.y() > 0.0 ? -INSIDE : INSIDE, 0.0);
  }

  void planSteps(const Vector3& start) {
    Vector3 place[2] = {feet[0], feet[1]};
    Vector3 zmp = start;
    phases.clear();
    for (int k = 0; k < STEPS; ++k) {
      const int swing = k % 2;
      const Vector3 carried = underFoot(place[1 - swing]);
      phases.push_back({-1, k ? DOUBLE : SETTLE, {}, {}, zmp, carried});
      const bool isHalf = k == 0 || k == STEPS - 1;
      const Vector3 to = place[swing] + Vector3(isHalf ? LENGTH / 2 : LENGTH, 0.0, 0.0);
      phases.push_back({swing, SINGLE, place[swing], to, carried, carried});
      place[swing] = to;
      zmp = carried;
    }
    const Vector3 middle = (underFoot(place[0]) + underFoot(place[1])) / 2.0;
    phases.push_back({-1, SETTLE, {}, {}, zmp, middle});
    phases.push_back({-1, SETTLE, {}, {}, middle, middle});
  }

  // Solves -a c[k-1] + (1 + 2 a) c[k] - a c[k+1] = z[k], a = h / (g dt^2), at rest at both ends.
  void planMass(double height) {
    std::vector<Vector3> z;
    for (auto& one : phases) {
      const int count = static_cast<int>(std::round(one.duration / dt));
      for (int k = 0; k < count; ++k) z.push_back(one.start + (one.end - one.start) * k / count);
    }
    const double a = height / (GRAVITY * dt * dt);
    std::vector<double> factor(z.size());
    double before = 0.0;
    for (std::size_t k = 1; k + 1 < z.size(); ++k) {
      const double pivot = 1.0 + 2.0 * a - a * before;
      before = factor[k] = a / pivot;
      z[k] = (z[k] + a * z[k - 1]) / pivot;
    }
    for (std::size_t k = z.size() - 1; k-- > 1;) z[k] += factor[k] * z[k + 1];
    mass = z;
  }

 public:
  bool initialize(SimpleControllerIO* io) override {
    plan = io->body()->clone();
    dt = io->timeStep();
    waist = plan->rootLink();
    const char* ankles[] = {"RLEG_ANKLE_R", "LLEG_ANKLE_R"};
    for (int i = 0; i < 2; ++i) {
      Link* ankle = plan->link(ankles[i]);
      if (!ankle) {
        io->os() << plan->name() << " has no " << ankles[i] << std::endl;
        return false;
      }
      legs[i] = JointPath::getCustomPath(waist, ankle);
      feet[i] = ankle->p();
    }
    const Vector3 center = plan->calcCenterOfMass();
    offset = center - waist->p();
    planSteps(center);
    planMass(center.z());
    now = phase = 0;
    since = 0.0;

    joints.clear();
    last.clear();
    for (auto joint : io->body()->joints()) {
      joint->setActuationMode(JointTorque);
      io->enableIO(joint);
      joints.push_back(joint);
      last.push_back(joint->q());
    }
    goal = last;
    return true;
  }

  bool control() override {
    while (phase + 1 < phases.size() && since > phases[phase].duration - dt / 2) {
      since -= phases[phase].duration;
      ++phase;
    }
    const Phase& one = phases[phase];
    if (one.swing >= 0) {
      const double s = since / one.duration;
      feet[one.swing] = one.from + (one.to - one.from) * s * s * (3.0 - 2.0 * s);
      feet[one.swing].z() += LIFT * (1.0 - std::cos(2.0 * PI * s)) / 2.0;
    }
    Isometry3 T = waist->T();
    T.translation().head<2>() = (mass[now] - offset).head<2>();
    for (int i = 0; i < 2; ++i) {
      Isometry3 foot = Isometry3::Identity();
      foot.translation() = feet[i];
      legs[i]->setBaseLinkGoal(T).calcInverseKinematics(foot);
    }

    for (std::size_t i = 0; i < joints.size(); ++i) {
      Link* joint = joints[i];
      const double wanted = plan->joint(i)->q();
      const double gain = joint->name().find("ARM") != std::string::npos ? ARM : REST;
      const double speed = (joint->q() - last[i]) / dt;
      joint->u() = gain * (wanted - joint->q()) + DAMPING * ((wanted - goal[i]) / dt - speed);
      last[i] = joint->q();
      goal[i] = wanted;
    }
    since += dt;
    now = std::min(now + 1, mass.size() - 1);
    return now + 1 < mass.size();
  }
};

CNOID_IMPLEMENT_SIMPLE_CONTROLLER_FACTORY(Walk)
