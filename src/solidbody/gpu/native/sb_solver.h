// Both phases of the law for one world, solved exactly.
//
// Unknown: the change d of the velocities in the step (impulses p per row). For each row
//
//     J d + p/D = c      lo <= p <= hi      D = h/cfm, c = target - J v
//
// Rows strictly between their bounds are free: p = D (c - J d). With the others at their bounds,
//
//     (M + J_F' D J_F) d = q + J_F' D c + J_B' p_B
//
// Block principal pivoting (Judice and Pires): solve for the present sets, move every row that is on the wrong
// side, repeat. If the number of wrong rows does not fall for a while, half of them move, another half each
// time; if that does not end either, the active set method of the textbook takes over, whose cost never rises.
//
// The first 3 nv rows are unit rows (J = one dof): motor, lower stop, upper stop of each dof; D = 0: no
// row. Dense rows follow.
#ifndef SB_SOLVER_H_
#define SB_SOLVER_H_

enum { SB_FREE, SB_UP, SB_DOWN };

#define SB_UNITS (3 * SB_NV)
// Velocities [m/s] below are rounding; the native step's SB_RESIDUAL_FINE is a tenth of it.
#define SB_TOLERANCE 1e-11
#define SB_MAX_PIVOTS 60
#define SB_PATIENCE 5

// A dense row of J.
SB_DEV double* sb_dense(SB_WORLD, int row) {
  return row < SB_NEAR_ROWS ? W_J + row * SB_NVS : W_FAR_J + (row - SB_NEAR_ROWS) * SB_NVS;
}

// A row of a matrix times a vector.
SB_INLINE double sb_times(SB_WORLD, const double* j, const double* x) {
  double even = 0, odd = 0;
#ifdef SB_REGISTERS
  SB_UNROLL
  for (int i = 0; i < SB_NV - 1; i += 2) {
    SbPair one = sb_pair(j + i), two = sb_pair(x + i);
    even += one.a * two.a;
    odd += one.b * two.b;
  }
#else
  for (int i = 0; i < SB_NV - 1; i += 2) {
    even += j[i] * x[i];
    odd += j[i + 1] * x[i + 1];
  }
#endif
  if (SB_NV & 1) even += j[SB_NV - 1] * x[SB_NV - 1];
  return even + odd;
}

SB_DEV double sb_row_times(SB_WORLD, int r, const double* x) {
  if (r < SB_UNITS) return x[r / 3];
  return sb_times(SB_W, sb_dense(SB_W, r - SB_UNITS), x);
}

#ifdef SB_REGISTERS
#include "sb_registers.h"
#else

// What a dense row adds to row i of the matrix, and to its right side.
SB_INLINE void sb_add_row(SB_WORLD, int r, const double* j, int i, double* h, double* b) {
  double own_j = j[i];
  if (own_j == 0) return;
  *b += own_j * W_P[r];
  if (W_SIDE[r] != SB_FREE) return;
  double s = W_STIFF[r] * own_j;
  for (int k = 0; k < SB_NV; k++) h[k] += s * j[k];
}

// d for the present sides; W_P: impulses of rows at their bounds, D c of the free ones.
SB_BIG void sb_solve_set(SB_WORLD, int rows) {
  SB_EACH(i, SB_NV) {
    double *h = W_H + i * SB_NVS, diagonal = W_SOFT[i], b = W_Q[i];
    const double* mass = W_M + i * SB_NVS;
    for (int j = 0; j < SB_NV; j++) h[j] = mass[j];
    for (int k = 3 * i; k < 3 * i + 3; k++) {
      if (!(W_STIFF[k] > 0)) continue;
      if (W_SIDE[k] == SB_FREE) diagonal += W_STIFF[k];
      b += W_P[k];
    }
    int near = rows < SB_UNITS + SB_NEAR_ROWS ? rows : SB_UNITS + SB_NEAR_ROWS;
    for (int r = SB_UNITS; r < near; r++) sb_add_row(SB_W, r, W_J + (r - SB_UNITS) * SB_NVS, i, h, &b);
    for (int r = near; r < rows; r++) sb_add_row(SB_W, r, sb_dense(SB_W, r - SB_UNITS), i, h, &b);
    h[i] += diagonal;
    W_D[i] = b;
  }
  // Gauss and Jordan: what is left is symmetric, so that the row of the pivot is its column
  for (int k = 0; k < SB_NV; k++) {
    double* column = W_COLUMN + (k & 1) * (SB_NVS + 1);
    SB_EACH(i, SB_NV) {
      column[i] = W_H[i * SB_NVS + k];
      if (i == k) column[SB_NV] = W_D[i];
    }
    SB_SYNC();
    double inverse = 1 / column[k];
    SB_EACH(i, SB_NV) {
      double* h = W_H + i * SB_NVS;
      double share = h[k] * inverse;
      if (i == k || share == 0) continue;
      for (int j = k + 1; j < SB_NV; j++) h[j] -= share * column[j];
      W_D[i] -= share * column[SB_NV];
    }
  }
  SB_EACH(i, SB_NV) W_D[i] /= W_H[i * SB_NVS + i];
  SB_SYNC();
}
#endif

// Impulses by side, before a solution.
SB_DEV void sb_set_impulses(SB_WORLD, int rows) {
  SB_ROLLED
  SB_EACH(r, rows) {
    double stiff = W_STIFF[r], lo = W_LO[r], hi = W_HI[r];
    int side = W_SIDE[r];
    double p = side == SB_FREE ? stiff * W_C[r] : side == SB_UP ? hi : lo;
    W_P[r] = stiff > 0 && hi > lo ? p : 0;
  }
  SB_SYNC();
}

SB_DEV int sb_right_side(int now, double free, double miss, double lo, double hi, double stiffness) {
  if (now == SB_FREE) {
    if (free > hi && free - hi > SB_TOLERANCE * stiffness) return SB_UP;
    return free < lo && lo - free > SB_TOLERANCE * stiffness ? SB_DOWN : SB_FREE;
  }
  double gap = miss + (now == SB_UP ? hi : lo) / stiffness;
  if (now == SB_UP) return gap > SB_TOLERANCE ? SB_FREE : SB_UP;
  return gap < -SB_TOLERANCE ? SB_FREE : SB_DOWN;
}

// A half of all rows, another one for each number.
SB_DEV int sb_in_half(int row, unsigned number) {
  unsigned x = (unsigned)row * 2654435761u ^ (number * 40503u + 12345u) * 2246822519u;
  x ^= x >> 15;
  x *= 2654435761u;
  return x >> 16 & 1;
}

// The textbook's active set method from the impulses of the last solution, clipped. Returns 1 when it ended.
SB_BIG int sb_finish_phase(SB_WORLD, int rows) {
  SB_EACH(r, rows) {
    int bounded = W_STIFF[r] > 0 && W_HI[r] > W_LO[r];
    double p = bounded ? W_P[r] : 0;
    W_F[r] = bounded ? sb_min(sb_max(p, W_LO[r]), W_HI[r]) : 0;
    W_SIDE[r] = !bounded ? SB_DOWN : W_F[r] >= W_HI[r] ? SB_UP : W_F[r] <= W_LO[r] ? SB_DOWN : SB_FREE;
  }
  SB_SYNC();
  for (int change = 0; change < 10 * rows; change++) {
    sb_set_impulses(SB_W, rows);
    sb_solve_set(SB_W, rows);
    // as far towards the solution as no row passes its bound
    double share = 1;
    int stop = 1 << 30;
    SB_EACH(r, rows) {
      if (W_SIDE[r] != SB_FREE || !(W_STIFF[r] > 0)) continue;
      double aim = W_STIFF[r] * (W_C[r] - sb_row_times(SB_W, r, W_D)), f = W_F[r];
      W_P[r] = aim;
      double limit = aim < W_LO[r] ? W_LO[r] : W_HI[r];
      if (aim >= W_LO[r] && aim <= W_HI[r]) continue;
      double part = sb_max(0.0, (limit - f) / (aim - f));
      if (part < share || (part == share && r < stop)) {
        share = part;
        stop = r;
      }
    }
    double least = sb_team_min(share);
    stop = sb_team_first(share == least ? stop : 1 << 30);
    if (stop < 1 << 30) {
      SB_EACH(r, rows) {
        if (W_SIDE[r] != SB_FREE || !(W_STIFF[r] > 0)) continue;
        int high = W_P[r] > W_HI[r];
        double f = W_F[r] + least * (W_P[r] - W_F[r]);
        W_F[r] = sb_min(sb_max(f, W_LO[r]), W_HI[r]);
        if (r == stop) {
          W_SIDE[r] = high ? SB_UP : SB_DOWN;
          W_F[r] = high ? W_HI[r] : W_LO[r];
        }
      }
      SB_SYNC();
      continue;
    }
    // the row at a bound that pulls the most is let go
    double pull = SB_TOLERANCE;
    int worst = 1 << 30;
    SB_EACH(r, rows) {
      if (!(W_STIFF[r] > 0) || !(W_HI[r] > W_LO[r])) continue;
      if (W_SIDE[r] == SB_FREE) {
        W_F[r] = W_P[r];
        continue;
      }
      double gap = sb_row_times(SB_W, r, W_D) - W_C[r] + W_F[r] / W_STIFF[r];
      double own = W_SIDE[r] == SB_UP ? gap : -gap;
      if (own > pull) {
        pull = own;
        worst = r;
      }
    }
    double most = sb_team_max(pull);
    worst = sb_team_first(pull == most ? worst : 1 << 30);
    if (worst == 1 << 30) return 1;
    if (worst % SB_TEAM == SB_LANE) W_SIDE[worst] = SB_FREE;
    SB_SYNC();
  }
  return 0;
}

// Solve from the sides as they are. Returns the number of solutions; negative: it did not end.
SB_BIG int sb_solve_phase(SB_WORLD, int rows) {
  int least = 1 << 30, patience = SB_PATIENCE, number = 0;
  for (; number < SB_MAX_PIVOTS; number++) {
    sb_set_impulses(SB_W, rows);
    sb_solve_set(SB_W, rows);
    // impulses by side, and on which side each row should be
    int wrong = 0;
    SB_ROLLED
    SB_EACH(r, rows) {
      double stiff = W_STIFF[r], lo = W_LO[r], hi = W_HI[r];
      int side = W_SIDE[r];
      W_NEXT[r] = (unsigned char)side;
      if (!(stiff > 0) || !(hi > lo)) continue;
      double miss = sb_row_times(SB_W, r, W_D) - W_C[r], free = -stiff * miss;
      int next = sb_right_side(side, free, miss, lo, hi, stiff);
      if (side == SB_FREE) W_P[r] = sb_min(sb_max(free, lo), hi);
      W_NEXT[r] = (unsigned char)next;
      wrong += next != side;
    }
    wrong = sb_team_sum(wrong);
    if (wrong == 0) {
      SB_SYNC();
      return number + 1;
    }
    int all = wrong < least || patience > 0;
    if (wrong < least) {
      least = wrong;
      patience = SB_PATIENCE;
    } else if (patience > 0) {
      patience--;
    }
    SB_ROLLED
    SB_EACH(r, rows) {
      if (all || sb_in_half(r, (unsigned)number)) W_SIDE[r] = W_NEXT[r];
    }
    SB_SYNC();
  }
  int ended = sb_finish_phase(SB_W, rows);
  SB_EACH(r, rows) W_P[r] = W_F[r];
  SB_SYNC();
  return ended ? number + 1 : -number - 1;
}

#endif  // SB_SOLVER_H_
