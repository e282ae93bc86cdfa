// ODE's step loop for timing: collision callback and dWorldStep without the interpreter between.
//
// The world is built from Python (tests/ode/harness.py); each geom's data pointer holds one more
// than its record below. Friction is symmetric in all timed scenes, so a surface per pair of
// materials is all that a contact needs.
#include <ode/ode.h>

#define MAX_POINTS 10  // Webots' default maxContactJoints

typedef struct Geom {
  int material;
  int tree;      // links of one robot do not collide with each other
  int anchored;  // jointed to the world: ignores everything static
} Geom;

typedef struct Loop {
  dWorldID world;
  dSpaceID space;
  dJointGroupID contacts;
  const Geom* geoms;
  const dSurfaceParameters* surfaces;  // materials x materials
  int materials;
  double depth;  // out: deepest contact of the last step
} Loop;

// ODE's own complaints ("LCP internal error"): counted instead of printed.
static long complaints;

static void count_complaint(int number, const char* text, va_list arguments) {
  (void)number, (void)text, (void)arguments;
  complaints++;
}

long ode_loop_complaints(void) { return complaints; }


static void collide_pair(void* data, dGeomID g1, dGeomID g2) {
  Loop* loop = data;
  dBodyID b1 = dGeomGetBody(g1), b2 = dGeomGetBody(g2);
  const Geom* a = loop->geoms + ((size_t)dGeomGetData(g1) - 1);
  const Geom* b = loop->geoms + ((size_t)dGeomGetData(g2) - 1);
  if (!b1 && !b2) return;
  if (b1 && b2 && a->tree == b->tree) return;
  if ((!b1 && b->anchored) || (!b2 && a->anchored)) return;

  dContact contact[MAX_POINTS];
  int count = dCollide(g1, g2, MAX_POINTS, &contact[0].geom, sizeof(dContact));
  for (int i = 0; i < count; i++) {
    if (contact[i].geom.depth > loop->depth) loop->depth = contact[i].geom.depth;
    contact[i].surface = loop->surfaces[a->material * loop->materials + b->material];
    dJointAttach(dJointCreateContact(loop->world, loop->contacts, contact + i), b1, b2);
  }
}

// Advance by `steps` steps of length h; quick != 0 uses the iterative solver (to settle piles).
void ode_loop_run(Loop* loop, int steps, double h, int quick) {
  dSetMessageHandler(count_complaint);
  for (int i = 0; i < steps; i++) {
    loop->depth = 0;
    dSpaceCollide(loop->space, loop, collide_pair);
    if (quick) {
      dWorldQuickStep(loop->world, h);
    } else {
      dWorldStep(loop->world, h);
    }
    dJointGroupEmpty(loop->contacts);
  }
}
