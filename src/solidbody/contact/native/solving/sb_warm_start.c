// Warm start: forces of the last step are the first guess of this one. Contacts are recognised by
// their pair of geoms (of bodies, where points are chosen among those of two links) and the nearest point of
// the last step; joint axes and loops by their index.
// Forces are kept per phase, since phase 1 (without friction) has another solution than phase 2.
#include <string.h>

#include "base/sb_work.h"

// Contacts farther apart than this [m] are taken for different ones.
#define SB_SAME_CONTACT 0.02

// What the contacts that may be the same have in common: two geoms, or two bodies in any order.
typedef struct Kin {
  int one, two, are_bodies;
} Kin;

static Kin kin_of(const SbStep* s, const int* geom) {
  if (geom[0] < 0 || geom[1] < 0 || !sb_surface_of(s, geom[0], geom[1])->keeps_spread) {
    return (Kin){geom[0], geom[1], 0};
  }
  int a = s->m->geom_bodyid[geom[0]], b = s->m->geom_bodyid[geom[1]];
  return a < b ? (Kin){a, b, 1} : (Kin){b, a, 1};
}

static int is_kin(const Kin* a, const Kin* b) {
  return a->one == b->one && a->two == b->two && a->are_bodies == b->are_bodies;
}

// Slot that holds the kin, or the empty one where it would go.
static int find_slot(const SbStep* s, const Kin* kin) {
  const SbWarm* warm = &s->warm;
  uint64_t key = (2 * (uint64_t)kin->one + (uint64_t)kin->are_bodies) * (uint64_t)s->m->ngeom +
                 (uint64_t)kin->two;
  int at = (int)((key * 0x9E3779B97F4A7C15ull) >> 40) & (warm->slots - 1);
  while (warm->slot[at] >= 0) {
    Kin other = kin_of(s, warm->geom + 2 * warm->slot[at]);
    if (is_kin(kin, &other)) break;
    at = (at + 1) & (warm->slots - 1);
  }
  return at;
}

static int reserve(SbStep* s, int64_t count) {
  SbWarm* warm = &s->warm;
  if (!SB_RESERVE(&s->arena, warm->geom, 2 * count) || !SB_RESERVE(&s->arena, warm->point, 3 * count) ||
      !SB_RESERVE(&s->arena, warm->force, 7 * count) || !SB_RESERVE(&s->arena, warm->next, count)) {
    return 0;
  }
  // a power of two, three times as many as contacts or more
  int slots = warm->slots ? warm->slots : 32;
  while (slots < 3 * count) slots *= 2;
  if (!SB_ALLOCATE(&s->arena, warm->slot, slots)) return 0;
  warm->slots = slots;
  return 1;
}

static void start_contact(SbStep* s, const mjContact* con) {
  const SbWarm* warm = &s->warm;
  Kin kin = kin_of(s, con->geom);
  int best = -1;
  double least = SB_SAME_CONTACT * SB_SAME_CONTACT;
  for (int k = warm->slot[find_slot(s, &kin)]; k >= 0; k = warm->next[k]) {
    double square = 0;
    for (int i = 0; i < 3; i++) {
      double x = con->pos[i] - warm->point[3 * k + i];
      square += x * x;
    }
    if (square < least) {
      least = square;
      best = k;
    }
  }
  if (best < 0) return;
  memcpy(s->rows.force + con->efc_address, warm->force + 7 * best, con->dim * sizeof(double));
  s->rows.first[con->efc_address] = warm->force[7 * best + 6];
}

int sb_warm_start(SbStep* s) {
  SbRows* rows = &s->rows;
  SbWarm* warm = &s->warm;
  mjData* d = s->d;
  if (rows->count) {
    memset(rows->first, 0, rows->count * sizeof(double));
    memset(rows->force, 0, rows->count * sizeof(double));
  }

  for (int k = 0; k < 4 * s->world->axes; k++) {
    int row = s->axis_row[k];
    if (row < 0) continue;
    rows->first[row] = warm->axis[2 * k];
    rows->force[row] = warm->axis[2 * k + 1];
  }
  for (int k = 0; k < 6 * s->world->loops; k++) {
    int row = s->loop_row[k];
    if (row < 0) continue;
    rows->first[row] = warm->loop[2 * k];
    rows->force[row] = warm->loop[2 * k + 1];
  }
  for (int i = 0, part = 0; i < d->ne; i++) {
    part = i > 0 && d->efc_id[i] == d->efc_id[i - 1] ? part + 1 : 0;
    if (part >= 6) continue;
    rows->first[i] = warm->equality[12 * d->efc_id[i] + part];
    rows->force[i] = warm->equality[12 * d->efc_id[i] + 6 + part];
  }

  if (warm->contacts == 0 || d->ncon == 0) return SB_OK;
  for (int k = 0; k < warm->slots; k++) warm->slot[k] = -1;
  for (int k = warm->contacts - 1; k >= 0; k--) {
    Kin kin = kin_of(s, warm->geom + 2 * k);
    int at = find_slot(s, &kin);
    warm->next[k] = warm->slot[at];
    warm->slot[at] = k;
  }
  for (int k = 0; k < d->ncon; k++) {
    if (d->contact[k].efc_address >= 0) start_contact(s, d->contact + k);
  }
  return SB_OK;
}

int sb_warm_save(SbStep* s) {
  const SbRows* rows = &s->rows;
  SbWarm* warm = &s->warm;
  mjData* d = s->d;
  if (!reserve(s, d->ncon)) return SB_NO_MEMORY;
  for (int k = 0; k < 4 * s->world->axes; k++) {
    int row = s->axis_row[k];
    warm->axis[2 * k] = row < 0 ? 0 : rows->first[row];
    warm->axis[2 * k + 1] = row < 0 ? 0 : rows->force[row];
  }
  for (int k = 0; k < 6 * s->world->loops; k++) {
    int row = s->loop_row[k];
    warm->loop[2 * k] = row < 0 ? 0 : rows->first[row];
    warm->loop[2 * k + 1] = row < 0 ? 0 : rows->force[row];
  }
  if (s->m->neq) memset(warm->equality, 0, 12 * s->m->neq * sizeof(double));
  for (int i = 0, part = 0; i < d->ne; i++) {
    part = i > 0 && d->efc_id[i] == d->efc_id[i - 1] ? part + 1 : 0;
    if (part >= 6) continue;
    warm->equality[12 * d->efc_id[i] + part] = rows->first[i];
    warm->equality[12 * d->efc_id[i] + 6 + part] = rows->force[i];
  }
  int count = 0;
  for (int k = 0; k < d->ncon; k++) {
    const mjContact* con = d->contact + k;
    int a = con->efc_address;
    if (a < 0) continue;
    memcpy(warm->geom + 2 * count, con->geom, 2 * sizeof(int));
    memcpy(warm->point + 3 * count, con->pos, 3 * sizeof(double));
    double* force = warm->force + 7 * count;
    for (int j = 0; j < 6; j++) force[j] = j < con->dim ? rows->force[a + j] : 0;
    force[6] = rows->first[a];
    count++;
  }
  warm->contacts = count;
  return SB_OK;
}

// Snapshot layout: held frames (sb_delayed_collision.c), int64 number of contacts, geoms, points, forces, axes,
// equalities, loops.
static int64_t fixed_values(const SbStep* s) {
  return 8 * (int64_t)s->world->axes + 12 * ((int64_t)s->m->neq + s->world->loops);
}

int64_t sb_memory_size(const SbStep* s) {
  int64_t n = s->warm.contacts;
  return sb_delayed_size(s) + (int64_t)sizeof(int64_t) + n * (int64_t)(2 * sizeof(int) + 10 * sizeof(double)) +
         fixed_values(s) * (int64_t)sizeof(double);
}

static void put(unsigned char** out, const void* from, int64_t bytes) {
  if (bytes) memcpy(*out, from, bytes);
  *out += bytes;
}

static void take(const unsigned char** in, void* to, int64_t bytes) {
  if (bytes) memcpy(to, *in, bytes);
  *in += bytes;
}

void sb_memory_get(const SbStep* s, unsigned char* out) {
  const SbWarm* warm = &s->warm;
  int64_t n = warm->contacts;
  sb_delayed_get(s, (double*)out);
  out += sb_delayed_size(s);
  put(&out, &n, sizeof(n));
  put(&out, warm->geom, n * 2 * (int64_t)sizeof(int));
  put(&out, warm->point, n * 3 * (int64_t)sizeof(double));
  put(&out, warm->force, n * 7 * (int64_t)sizeof(double));
  put(&out, warm->axis, 8 * (int64_t)s->world->axes * (int64_t)sizeof(double));
  put(&out, warm->equality, 12 * (int64_t)s->m->neq * (int64_t)sizeof(double));
  put(&out, warm->loop, 12 * (int64_t)s->world->loops * (int64_t)sizeof(double));
}

int sb_memory_set(SbStep* s, const unsigned char* in, int64_t size) {
  SbWarm* warm = &s->warm;
  int64_t n, held = sb_delayed_set(s, (const double*)in, size);
  if (held < 0 || size - held < (int64_t)sizeof(n)) return 0;
  in += held;
  size -= held;
  take(&in, &n, sizeof(n));
  int64_t each = 2 * sizeof(int) + 10 * sizeof(double);
  if (n < 0 || n > (size / each) ||
      size != (int64_t)sizeof(n) + n * each + fixed_values(s) * (int64_t)sizeof(double)) {
    return 0;
  }
  if (!reserve(s, n)) return 0;
  warm->contacts = (int)n;
  take(&in, warm->geom, n * 2 * (int64_t)sizeof(int));
  take(&in, warm->point, n * 3 * (int64_t)sizeof(double));
  take(&in, warm->force, n * 7 * (int64_t)sizeof(double));
  take(&in, warm->axis, 8 * (int64_t)s->world->axes * (int64_t)sizeof(double));
  take(&in, warm->equality, 12 * (int64_t)s->m->neq * (int64_t)sizeof(double));
  take(&in, warm->loop, 12 * (int64_t)s->world->loops * (int64_t)sizeof(double));
  return 1;
}
