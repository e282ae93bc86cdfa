/* Rotations and texts of vectors. */

#include "cnoid/src/Eigen.h"

#include <sstream>

namespace cnoid {

Matrix3 rotFromRpy(double roll, double pitch, double yaw) {
  return (AngleAxis(yaw, Vector3::UnitZ()) * AngleAxis(pitch, Vector3::UnitY()) * AngleAxis(roll, Vector3::UnitX()))
      .toRotationMatrix();
}

Vector3 rpyFromRot(const Matrix3& R) {
  const double level = std::hypot(R(0, 0), R(1, 0));
  const double pitch = std::atan2(-R(2, 0), level);
  if (level < 1e-9) /* roll and yaw turn about the same axis: all of it is roll */
    return Vector3(std::atan2(-R(1, 2), R(1, 1)), pitch, 0.0);
  return Vector3(std::atan2(R(2, 1), R(2, 2)), pitch, std::atan2(R(1, 0), R(0, 0)));
}

static Vector3 nearest_turns(Vector3 rpy, const Vector3& before) {
  for (int k = 0; k < 3; ++k) rpy[k] += 2.0 * PI * std::round((before[k] - rpy[k]) / (2.0 * PI));
  return rpy;
}

Vector3 rpyFromRot(const Matrix3& R, const Vector3& before) {
  const Vector3 rpy = rpyFromRot(R);
  /* the same rotation by other angles */
  const Vector3 other(rpy[0] + PI, PI - rpy[1], rpy[2] + PI);
  const Vector3 a = nearest_turns(rpy, before), b = nearest_turns(other, before);
  return (a - before).norm() <= (b - before).norm() ? a : b;
}

Vector3 omegaFromRot(const Matrix3& R) {
  const AngleAxis turn(R);
  return turn.angle() * turn.axis();
}

static std::string joined(const double* values, int count) {
  std::ostringstream out;
  for (int k = 0; k < count; ++k) out << (k ? " " : "") << values[k];
  return out.str();
}

std::string str(const Vector3& v) { return joined(v.data(), 3); }
std::string str(const Vector2& v) { return joined(v.data(), 2); }
std::string str(const AngleAxis& a) { return str(Vector3(a.axis())) + " " + std::to_string(a.angle()); }

template <class Vector>
static bool read_numbers(const std::string& text, Vector& out) {
  std::istringstream in(text);
  for (int k = 0; k < out.size(); ++k)
    if (!(in >> out[k])) return false;
  return true;
}

bool toVector3(const std::string& text, Vector3& out) { return read_numbers(text, out); }
bool toVector6(const std::string& text, Vector6& out) { return read_numbers(text, out); }

void normalizeRotation(Matrix3& R) {
  R.col(2).normalize();
  R.col(1) = R.col(2).cross(R.col(0)).normalized();
  R.col(0) = R.col(1).cross(R.col(2));
}

void normalizeRotation(Isometry3& T) {
  Matrix3 R = T.linear();
  normalizeRotation(R);
  T.linear() = R;
}

}  // namespace cnoid
