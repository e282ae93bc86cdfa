// Vectors, quaternions (w x y z), spatial vectors (angular, then linear).
#ifndef SB_ALGEBRA_H_
#define SB_ALGEBRA_H_

SB_DEV void sb_copy(double* to, const double* from, int n) {
  for (int i = 0; i < n; i++) to[i] = from[i];
}
SB_DEV void sb_zero(double* to, int n) {
  for (int i = 0; i < n; i++) to[i] = 0;
}
SB_DEV void sb_sub3(double out[3], const double a[3], const double b[3]) {
  for (int i = 0; i < 3; i++) out[i] = a[i] - b[i];
}
SB_DEV void sb_normalize4(double q[4]) {
  double n = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  if (n < 1e-15) {
    q[0] = 1;
    q[1] = q[2] = q[3] = 0;
    return;
  }
  for (int i = 0; i < 4; i++) q[i] /= n;
}
SB_DEV double sb_normalize3(double v[3]) {
  double n = sqrt(sb_dot(v, v));
  if (n < 1e-15) {
    v[0] = 1;
    v[1] = v[2] = 0;
    return n;
  }
  for (int i = 0; i < 3; i++) v[i] /= n;
  return n;
}
SB_DEV void sb_mul_quat(double out[4], const double a[4], const double b[4]) {
  double w = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3];
  double x = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2];
  double y = a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1];
  double z = a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0];
  out[0] = w;
  out[1] = x;
  out[2] = y;
  out[3] = z;
}
SB_DEV void sb_rotate_by(double out[3], const double v[3], const double q[4]) {
  double u[3] = {q[1], q[2], q[3]}, t[3], a[3];
  sb_cross(u, v, t);
  for (int i = 0; i < 3; i++) t[i] *= 2;
  sb_cross(u, t, a);
  for (int i = 0; i < 3; i++) out[i] = v[i] + q[0] * t[i] + a[i];
}
SB_DEV void sb_conjugate(double out[4], const double q[4]) {
  out[0] = q[0];
  for (int i = 1; i < 4; i++) out[i] = -q[i];
}
SB_DEV void sb_axis_angle(double q[4], const double axis[3], double angle) {
  double s = sin(0.5 * angle);
  q[0] = cos(0.5 * angle);
  for (int i = 0; i < 3; i++) q[1 + i] = axis[i] * s;
}
SB_DEV void sb_quat_to_mat(double m[9], const double q[4]) {
  double w = q[0], x = q[1], y = q[2], z = q[3];
  m[0] = w * w + x * x - y * y - z * z;
  m[4] = w * w - x * x + y * y - z * z;
  m[8] = w * w - x * x - y * y + z * z;
  m[1] = 2 * (x * y - w * z);
  m[2] = 2 * (x * z + w * y);
  m[3] = 2 * (x * y + w * z);
  m[5] = 2 * (y * z - w * x);
  m[6] = 2 * (x * z - w * y);
  m[7] = 2 * (y * z + w * x);
}
// Motion of `v` (angular, linear) as its frame moves with `vel`.
SB_DEV void sb_cross_motion(double out[6], const double vel[6], const double v[6]) {
  double a[3];
  sb_cross(vel, v, out);
  sb_cross(vel, v + 3, out + 3);
  sb_cross(vel + 3, v, a);
  for (int i = 0; i < 3; i++) out[3 + i] += a[i];
}
SB_DEV void sb_add_cross_force(double out[6], const double vel[6], const double f[6]) {
  double a[3], b[3], c[3];
  sb_cross(vel, f, a);
  sb_cross(vel + 3, f + 3, b);
  sb_cross(vel, f + 3, c);
  for (int i = 0; i < 3; i++) {
    out[i] += a[i] + b[i];
    out[3 + i] += c[i];
  }
}
// Inertia (xx yy zz xy xz yz, mass times offset, mass) times velocity.
SB_DEV void sb_momentum_of(double out[6], const double c[10], const double v[6]) {
  double lever[3], push[3];
  out[0] = c[0] * v[0] + c[3] * v[1] + c[4] * v[2];
  out[1] = c[3] * v[0] + c[1] * v[1] + c[5] * v[2];
  out[2] = c[4] * v[0] + c[5] * v[1] + c[2] * v[2];
  sb_cross(c + 6, v + 3, lever);
  sb_cross(v, c + 6, push);
  for (int k = 0; k < 3; k++) {
    out[k] += lever[k];
    out[3 + k] = c[9] * v[3 + k] + push[k];
  }
}
SB_DEV double sb_dot6(const double* a, const double* b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] + a[4] * b[4] + a[5] * b[5];
}
// x of a x = b, a symmetric and positive definite.
SB_DEV void sb_solve3(double x[3], const double a[9], const double b[3]) {
  double c[9];
  sb_cross(a + 3, a + 6, c);
  sb_cross(a + 6, a, c + 3);
  sb_cross(a, a + 3, c + 6);
  double det = sb_dot(a, c);
  for (int i = 0; i < 3; i++) x[i] = (c[i] * b[0] + c[3 + i] * b[1] + c[6 + i] * b[2]) / det;
}

#endif  // SB_ALGEBRA_H_
