/* Types of Eigen under the names of programs, and rotations. */

#pragma once

#if !__has_include(<Eigen/Core>) || !__has_include(<Eigen/Geometry>)
#error "Choreonoid programs need Eigen 3; on Debian and Ubuntu: apt install libeigen3-dev"
#endif

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <cmath>
#include <memory>
#include <string>

namespace cnoid {

using Eigen::Affine3d;
using Eigen::Affine3f;
using Eigen::AngleAxisd;
using Eigen::AngleAxisf;
using Eigen::Array2d;
using Eigen::Array2f;
using Eigen::Array2i;
using Eigen::Array3d;
using Eigen::Array3f;
using Eigen::Array3i;
using Eigen::Array4d;
using Eigen::Array4f;
using Eigen::Array4i;
using Eigen::Matrix2d;
using Eigen::Matrix2f;
using Eigen::Matrix3d;
using Eigen::Matrix3f;
using Eigen::Matrix4d;
using Eigen::Matrix4f;
using Eigen::MatrixXd;
using Eigen::MatrixXf;
using Eigen::Quaterniond;
using Eigen::Quaternionf;
using Eigen::Translation3d;
using Eigen::Translation3f;
using Eigen::Vector2d;
using Eigen::Vector2f;
using Eigen::Vector2i;
using Eigen::Vector3d;
using Eigen::Vector3f;
using Eigen::Vector3i;
using Eigen::Vector4d;
using Eigen::Vector4f;
using Eigen::VectorXd;
using Eigen::VectorXf;

using Matrix2 = Eigen::Matrix2d;
using Vector2 = Eigen::Vector2d;
using Matrix3 = Eigen::Matrix3d;
using Vector3 = Eigen::Vector3d;
using Matrix4 = Eigen::Matrix4d;
using Vector4 = Eigen::Vector4d;
using Vector6 = Eigen::Matrix<double, 6, 1>;
using Matrix6 = Eigen::Matrix<double, 6, 6>;
using VectorX = Eigen::VectorXd;
using MatrixX = Eigen::MatrixXd;
using Affine3 = Eigen::Affine3d;
using Isometry3 = Eigen::Isometry3d;
using Isometry3f = Eigen::Isometry3f;
using AngleAxis = Eigen::AngleAxisd;
using Translation3 = Eigen::Translation3d;
using Quaternion = Eigen::Quaterniond;
using Quat = Eigen::Quaterniond;
using Position = Isometry3;

constexpr double PI = 3.14159265358979323846;
constexpr double PI_2 = PI / 2.0;
constexpr double TO_DEGREE = 180.0 / PI;
constexpr double TO_RADIAN = PI / 180.0;

inline double degree(double angle) { return TO_DEGREE * angle; }
inline double radian(double angle) { return TO_RADIAN * angle; }
inline float degree(float angle) { return static_cast<float>(TO_DEGREE) * angle; }
inline float radian(float angle) { return static_cast<float>(TO_RADIAN) * angle; }
inline double radian(int angle) { return TO_RADIAN * angle; }
inline Vector3 degree(const Vector3& v) { return TO_DEGREE * v; }
inline Vector3 radian(const Vector3& v) { return TO_RADIAN * v; }

/* R = Rz(yaw) Ry(pitch) Rx(roll). */
Matrix3 rotFromRpy(double roll, double pitch, double yaw);
inline Matrix3 rotFromRpy(const Vector3& rpy) { return rotFromRpy(rpy[0], rpy[1], rpy[2]); }
Vector3 rpyFromRot(const Matrix3& R);
/* The same angles in the turn nearest to those before. */
Vector3 rpyFromRot(const Matrix3& R, const Vector3& before);
/* Axis times angle of a rotation. */
Vector3 omegaFromRot(const Matrix3& R);

inline Matrix3 hat(const Vector3& v) {
  Matrix3 out;
  out << 0.0, -v[2], v[1], v[2], 0.0, -v[0], -v[1], v[0], 0.0;
  return out;
}

std::string str(const Vector3& v);
std::string str(const Vector2& v);
std::string str(const AngleAxis& a);
bool toVector3(const std::string& text, Vector3& out);
bool toVector6(const std::string& text, Vector6& out);
void normalizeRotation(Matrix3& R);
void normalizeRotation(Isometry3& T);

template <class T, class... Args>
std::shared_ptr<T> make_shared_aligned(Args&&... args) {
  return std::allocate_shared<T>(Eigen::aligned_allocator<T>(), std::forward<Args>(args)...);
}

}  // namespace cnoid
