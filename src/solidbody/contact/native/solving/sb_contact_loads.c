// What contacts carry, where that bounds their friction (Choreonoid; surfaces with remembers_loads).
//
// A body that more points carry than needed may share its weight out among them in many ways, and turns and
// slides by how it does. AIST's simulator goes over the normals one after the other, each time taking the
// force that stops its own point, with the friction that the last sweep found, and begins with the forces of
// the last step. Where all points meet at once, those that come first in the list so take most, and keep it
// as long as the contacts last. The same is done here, with the friction and the other forces of the last
// step; then a single exact solve with the bounds that the loads give takes the place of the two phases.
//
// Those bounds are a square, its friction a cone: what sticks could resist by 1.4 times as much in directions
// between the tangents. Pairs of forces that the solve leaves outside the cone are shortened along
// themselves, as the sweeps do, and what follows for the others is solved again.
#include <math.h>

#include "rows/sb_row_ops.h"
#include "base/sb_work.h"

// Sweeps at most, and the change of the loads' length at which they end. AIST's defaults are 10 and 1e-3,
// with friction in the same sweeps; with 10, a humanoid that falls rolls aside by 2 mm.
#define SB_LOAD_SWEEPS 50
#define SB_LOAD_CHANGE 1e-6
// How far a pair of friction forces may stick out of its cone, as a share of the largest bound of the island:
// what slides in earnest, with bounds along and across the sliding, does so by less and is solved once only;
// so are blocks at rest, some of whose points carry next to nothing (a third faster).
#define SB_CONE_EXCESS 1e-3

void sb_share_loads(SbWorker* worker, const int* list, int count) {
  SbRows* rows = &worker->s->rows;
  double *load = rows->first, *w = worker->w;
  sb_clear_island(worker, w);
  for (int k = 0; k < count; k++) {
    int i = list[k];
    double f = rows->remembers[i] ? load[i] : rows->force[i];
    if (f != 0) sb_row_add(rows, i, f, w);
  }
  double change = 1, length = 0;
  for (int n = 0; n < SB_LOAD_SWEEPS && change > SB_LOAD_CHANGE * SB_LOAD_CHANGE * length; n++) {
    change = length = 0;
    for (int k = 0; k < count; k++) {
      int i = list[k];
      if (!rows->remembers[i] || !(rows->diagonal[i] > 0)) continue;
      // points give way as they did; by their present loads they would level them in the end
      double speed = sb_row_dot(rows, i, w) + rows->b[i] + rows->r[i] * rows->force[i];
      double f = fmax(load[i] - speed / rows->diagonal[i], 0);
      double step = f - load[i];
      if (step != 0) sb_row_add(rows, i, step, w);
      load[i] = f;
      change += step * step;
      length += f * f;
    }
  }
}

// Whether a row is the first of a pair of friction forces within a cone.
static int begins_cone(const SbRows* rows, int i) {
  int normal = rows->normal[i];
  return normal >= 0 && normal == i - 1 && rows->remembers[normal] && rows->hi[i] < INFINITY;
}

int sb_shorten_friction(SbRows* rows, const int* list, int count) {
  double largest = 0;
  for (int k = 0; k < count; k++) {
    if (begins_cone(rows, list[k])) largest = fmax(largest, rows->hi[list[k]]);
  }
  int found = 0;
  for (int k = 0; k < count; k++) {
    int i = list[k];
    if (!begins_cone(rows, i)) continue;
    double most = rows->hi[i], length = hypot(rows->force[i], rows->force[i + 1]);
    if (!(length > most + SB_CONE_EXCESS * largest)) continue;
    for (int j = i; j < i + 2; j++) {
      rows->hi[j] = fabs(rows->force[j]) * most / length;
      rows->lo[j] = -rows->hi[j];
    }
    found = 1;
  }
  return found;
}
