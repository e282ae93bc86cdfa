// The solution for one set of free rows on a GPU, of at most 32 dofs: lane i has row i of the matrix in registers.
//
// Warps wait for instructions more than for anything else, so that loops stay rolled: after each pivot the rows move
// on by one column, and the same few instructions serve SB_STRIP pivots.
#ifndef SB_REGISTERS_H_
#define SB_REGISTERS_H_

#define SB_STRIP 8
// What lanes tell of a pivot: its value, its right side, the rest of its column.
#define SB_COLUMN_SIZE (SB_NVS + 2)

// 1/x of a pivot, which is positive.
SB_INLINE double sb_inverse(double x) {
#ifdef SB_EMULATED
  return 1 / x;
#else
  double y, e;
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x));
  e = fma(-x, y, 1.0);
  e = fma(e, e, e);
  y = fma(y, e, y);
  e = fma(-x, y, 1.0);
  return fma(y, e, y);
#endif
}

// What `count` dense rows from r on add to a lane's row of the matrix, and to its right side; `j`: the first of them.
SB_INLINE void sb_add_rows(SB_WORLD, int r, const double* j, int count, int lane, double* h, double* b) {
  SB_ROLLED
  for (; count > 0; count -= SB_TEAM, r += SB_TEAM, j += SB_TEAM * SB_NVS) {
    int some = count < SB_TEAM ? count : SB_TEAM;
    double sum = 0;
    SB_FOURFOLD
    for (int i = 0; i < some; i++) sum += j[i * SB_NVS + lane] * W_P[r + i];
    *b += sum;
    unsigned free = sb_team_vote(SB_LANE < some && W_SIDE[r + SB_LANE] == SB_FREE);
    if (!free) continue;
    int i = sb_lowest(free);
    const double* at = j + i * SB_NVS;
    double s = W_STIFF[r + i] * at[lane];
    SbPair row[SB_NVP / 2];
    SB_UNROLL
    for (int k = 0; k < SB_NVP / 2; k++) row[k] = sb_pair(at + 2 * k);
    // the next row is loaded while this one is added
    SB_ROLLED
    do {
      free &= free - 1;
      i = free ? sb_lowest(free) : i;
      at = j + i * SB_NVS;
      double stiff = W_STIFF[r + i], own = at[lane];
      SB_UNROLL
      for (int k = 0; k < SB_NVP / 2; k++) {
        h[2 * k] += s * row[k].a;
        h[2 * k + 1] += s * row[k].b;
        row[k] = sb_pair(at + 2 * k);
      }
      s = stiff * own;
    } while (free);
  }
}

// A pivot that all lanes know, and what they told of it. Columns take turns: one is read while the next is written.
typedef struct SbPivot {
  double inverse, right;
  SbPair two;   // the next numbers of its column
  double *column, *next, *after;
} SbPivot;

// Gauss and Jordan for the pivots from k on while `n` columns are left, at most SB_STRIP. What is left is symmetric, so
// that the row of a pivot is its column; the next pivot goes first, since all wait for it.
template <int n>
SB_INLINE void sb_eliminate(SB_WORLD, int k, double* h, double* b, double* scale, SbPivot* now) {
  const int lane = SB_LANE, end = k + (n < SB_STRIP ? n : SB_STRIP);
  SB_ROLLED
  for (; k < end; k++) {
    double share = lane == k ? 0 : h[0] * now->inverse, *column = now->column;
    if (lane == k) *scale = now->inverse;
    *b -= share * now->right;
    SbPair two = now->two;
    if (n > 1) h[0] = h[1] - share * two.a;
    if (lane > k && lane < SB_NV) now->next[lane == k + 1 ? 0 : lane - k] = h[0];
    if (lane == k + 1) now->next[1] = *b;
    SB_SYNC();
    SbPair pivot = sb_pair(now->next);
    now->two = sb_pair(now->next + 2);
    now->inverse = sb_inverse(pivot.a);
    now->right = pivot.b;
    if (n > 2) h[1] = h[2] - share * two.b;
    SB_UNROLL
    for (int j = 3; j < n; j += 2) {
      two = sb_pair(column + j + 1);
      h[j - 1] = h[j] - share * two.a;
      if (j + 1 < n) h[j] = h[j + 1] - share * two.b;
    }
    now->column = now->next;
    now->next = now->after;
    now->after = column;
  }
}

template <int n>
struct SbElimination {
  static SB_INSIDE void run(SB_WORLD, double* h, double* b, double* scale, SbPivot* now) {
    sb_eliminate<n>(SB_W, SB_NV - n, h, b, scale, now);
    SbElimination<(n > SB_STRIP ? n - SB_STRIP : 0)>::run(SB_W, h, b, scale, now);
  }
};
template <>
struct SbElimination<0> {
  static SB_INSIDE void run(SB_WORLD, double* h, double* b, double* scale, SbPivot* now) {}
};

// d for the present sides; W_P: impulses of rows at their bounds, D c of the free ones.
SB_BIG void sb_solve_set(SB_WORLD, int rows) {
  int lane = SB_LANE, i = lane < SB_NV ? lane : 0, at = lane < SB_NVS ? lane : 0;
  double h[SB_NVP], b = W_Q[i], diagonal = W_SOFT[i], scale = 1, *mass = W_M + i * SB_NVS, kept = mass[i];
  for (int k = 3 * i; k < 3 * i + 3; k++) {
    if (!(W_STIFF[k] > 0)) continue;
    if (W_SIDE[k] == SB_FREE) diagonal += W_STIFF[k];
    b += W_P[k];
  }
  // its row with the diagonal added: registers have no place that a lane could choose
  if (lane < SB_NV) mass[i] = kept + diagonal;
  SB_UNROLL
  for (int j = 0; j < SB_NVP; j += 2) {
    SbPair two = sb_pair(mass + j);
    h[j] = two.a;
    h[j + 1] = two.b;
  }
  if (lane < SB_NV) mass[i] = kept;
  int dense = rows - SB_UNITS, near = dense < SB_NEAR_ROWS ? dense : SB_NEAR_ROWS;
  sb_add_rows(SB_W, SB_UNITS, W_J, near, at, h, &b);
  if (SB_NEAR_ROWS < SB_MAX_DENSE) {
    sb_add_rows(SB_W, SB_UNITS + SB_NEAR_ROWS, W_FAR_J, dense - SB_NEAR_ROWS, at, h, &b);
  }

  SbPivot now;
  now.column = W_COLUMN;
  now.next = W_COLUMN + SB_COLUMN_SIZE;
  now.after = W_COLUMN + 2 * SB_COLUMN_SIZE;
  if (lane < SB_NV) now.column[lane ? lane + 1 : 0] = h[0];
  if (lane == 0) now.column[1] = b;
  SB_SYNC();
  SbPair first = sb_pair(now.column);
  now.inverse = sb_inverse(first.a);
  now.right = first.b;
  now.two = sb_pair(now.column + 2);
  SbElimination<SB_NV>::run(SB_W, h, &b, &scale, &now);
  if (lane < SB_NV) W_D[lane] = b * scale;
  SB_SYNC();
}

#endif  // SB_REGISTERS_H_
