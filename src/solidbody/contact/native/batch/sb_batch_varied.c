// Constants that differ from copy to copy: tables of which each copy has its own, and models of MuJoCo.
//
// An own model shares what is large and never differs (meshes, textures, names) with that of the scene; all its
// other arrays are its own, for mj_setConst works out many of them from masses. Those are 12 KB for a robot on
// two wheels, 60 KB for a humanoid.
#include <mujoco/mjxmacro.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "batch/sb_batch.h"

struct SbOwnModel {
  mjModel m;
  unsigned char* arrays;
};

static int is_shared(const char* name) {
  static const char* const shared[] = {"mesh_",  "hfield_", "tex_",  "skin_", "bvh_",  "oct_",   "text_",
                                       "names",  "key_",    "mat_",  "numeric_", "tuple_", "paths", "plugin"};
  for (size_t k = 0; k < sizeof(shared) / sizeof(*shared); k++) {
    if (strncmp(name, shared[k], strlen(shared[k])) == 0) return 1;
  }
  return 0;
}

static size_t padded(size_t bytes) { return (bytes + 15) & ~(size_t)15; }

static SbOwnModel* own_model_of(const mjModel* m) {
  MJMODEL_POINTERS_PREAMBLE(m)
  size_t bytes = 0;
  (void)nuser_body, (void)nuser_jnt, (void)nuser_geom, (void)nuser_site, (void)nuser_cam, (void)nuser_tendon;
  (void)nuser_actuator, (void)nuser_sensor, (void)nq, (void)nv, (void)na, (void)nu, (void)nmocap, (void)nplastic;
#define X(type, name, rows, columns) \
  if (!is_shared(#name)) bytes += padded(sizeof(type) * (size_t)m->rows * (size_t)(columns));
  MJMODEL_POINTERS
#undef X
  SbOwnModel* own = malloc(sizeof(SbOwnModel));
  unsigned char* at = malloc(bytes ? bytes : 1);
  if (!own || !at) {
    free(own);
    free(at);
    return NULL;
  }
  own->m = *m;
  own->arrays = at;
#define X(type, name, rows, columns)                                       \
  if (!is_shared(#name)) {                                                 \
    size_t size = sizeof(type) * (size_t)m->rows * (size_t)(columns);      \
    if (size) memcpy(at, m->name, size);                                   \
    own->m.name = (type*)at;                                               \
    at += padded(size);                                                    \
  }
  MJMODEL_POINTERS
#undef X
  return own;
}

void sb_free_own(SbBatch* b) {
  for (int k = 0; b->own_models && k < b->count; k++) {
    if (!b->own_models[k]) continue;
    free(b->own_models[k]->arrays);
    free(b->own_models[k]);
  }
  free(b->own_models);
  free(b->own_tables);
  b->own_models = NULL;
  b->own_tables = NULL;
}

// Let copies have models of their own, at first the same as that of the scene. Returns SB_OK or SB_NO_MEMORY.
int sb_batch_own_models(SbBatch* b, const int64_t* ids, int64_t count, const mjModel* base) {
  if (!b->own_models) b->own_models = calloc(b->count, sizeof(SbOwnModel*));
  if (!b->own_models) return SB_NO_MEMORY;
  for (int64_t k = 0; k < count; k++) {
    SbOwnModel** own = b->own_models + ids[k];
    if (!*own && !(*own = own_model_of(base))) return SB_NO_MEMORY;
  }
  return SB_OK;
}

// Bytes from the start of mjModel to the pointer of an array of numbers; of gravity to itself; -1: no such array.
int64_t sb_model_field(const char* name) {
#define X(type, field, rows, columns) \
  if (sizeof(type) == sizeof(mjtNum) && strcmp(name, #field) == 0) return offsetof(mjModel, field);
  MJMODEL_POINTERS
#undef X
  return -1;
}

// Write `width` numbers of an array from place `first` on: one row of `values` per entry of `ids`.
void sb_batch_write_model(SbBatch* b, const int64_t* ids, int64_t count, int64_t field, int64_t first, int width,
                          const double* values) {
  for (int64_t k = 0; k < count; k++) {
    mjModel* m = &b->own_models[ids[k]]->m;
    mjtNum* array;
    memcpy(&array, (unsigned char*)m + field, sizeof(array));
    memcpy(array + first, values + k * width, width * sizeof(double));
  }
}

void sb_batch_write_gravity(SbBatch* b, const int64_t* ids, int64_t count, const double* values) {
  for (int64_t k = 0; k < count; k++) {
    memcpy(b->own_models[ids[k]]->m.opt.gravity, values + 3 * k, 3 * sizeof(double));
  }
}

// MuJoCo's trees of boxes are those of the scene's sizes: test all pairs of shapes instead.
void sb_batch_test_all_pairs(SbBatch* b, const int64_t* ids, int64_t count) {
  for (int64_t k = 0; k < count; k++) b->own_models[ids[k]]->m.opt.disableflags |= mjDSBL_MIDPHASE;
}

// A mjData per thread for what mj_setConst works out beside the states.
typedef struct Scratch {
  mjData** d;
} Scratch;

static int work_out(SbBatch* b, int copy, void* d) {
  mj_setConst(&b->own_models[copy]->m, d);
  return SB_OK;
}

static int work_out_copy(SbBatch* b, int copy, int worker, void* given) {
  mjData** d = ((Scratch*)given)->d + worker;
  if (!*d && !(*d = mj_makeData(&b->own_models[copy]->m))) return SB_NO_MEMORY;
  return sb_batch_guarded(b, copy, work_out, *d);
}

// Work out what follows from the masses of own models.
int sb_batch_work_out(SbBatch* b, const int64_t* ids, int64_t count) {
  Scratch scratch = {calloc(b->threads, sizeof(mjData*))};
  if (!scratch.d) return SB_NO_MEMORY;
  sb_batch_all(b, ids, count, work_out_copy, &scratch);
  for (int k = 0; k < b->threads; k++) {
    if (scratch.d[k]) mj_deleteData(scratch.d[k]);
  }
  free(scratch.d);
  return SB_OK;
}

// Let the steps of copies use their own models and tables from now on; all is awake then, and the memory of the
// last forces is gone, as where a scene is edited (sim/following.py).
void sb_batch_adopt(SbBatch* b, const int64_t* ids, int64_t count, const SbVaried varied[SB_VARIED_TABLES]) {
  for (int64_t k = 0; k < count; k++) {
    int64_t copy = ids[k];
    SbStep* s = b->steps[copy];
    if (b->own_models && b->own_models[copy]) s->m = &b->own_models[copy]->m;
#define SB_TAKE(table, to) \
  if (varied[table].base) to = (void*)(varied[table].base + copy * varied[table].stride);
    SB_TAKE(SB_VARIED_SURFACES, s->tables.surfaces)
    SB_TAKE(SB_VARIED_AXES, s->tables.axes)
    SB_TAKE(SB_VARIED_BODY_SIZES, s->terrain.all.body_sizes)
    sb_wake_all(s);
    sb_clear(s);
    b->at.clock[2 * copy + 1] = 0;
  }
}

// The same for what batches themselves read: after each sb_batch_set_tables. Returns SB_OK or SB_NO_MEMORY.
int sb_batch_vary_tables(SbBatch* b, const SbVaried varied[SB_VARIED_TABLES]) {
  int any = 0;
  for (int k = SB_VARIED_FOLLOWERS; k < SB_VARIED_TABLES; k++) any |= varied[k].base != NULL;
  if (!any) {
    free(b->own_tables);
    b->own_tables = NULL;
    return SB_OK;
  }
  if (!b->own_tables && !(b->own_tables = malloc(b->count * sizeof(SbBatchTables)))) return SB_NO_MEMORY;
  for (int copy = 0; copy < b->count; copy++) {
    SbBatchTables* t = b->own_tables + copy;
    *t = b->tables;
    SB_TAKE(SB_VARIED_FOLLOWERS, t->followers)
    SB_TAKE(SB_VARIED_LINKS, t->links)
    SB_TAKE(SB_VARIED_SENSORS, t->sensors)
    SB_TAKE(SB_VARIED_CURVES, t->curves)
    SB_TAKE(SB_VARIED_RAY_SHAPES, t->ray_shapes)
  }
  return SB_OK;
}
