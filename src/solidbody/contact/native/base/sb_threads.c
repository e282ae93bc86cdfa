// Islands of one step on several threads. Islands share no rows and no dofs, and each is solved by
// the same operations in the same order whichever thread takes it: the result is the same bytes for
// any number of threads.
//
//     caller     | rows, islands | wake | island 3 | island 0 | ... | wait | acceleration, ...
//     thread 1   |     asleep           | island 7 | island 4 | ... | asleep
//
// Threads are started when a step first has enough to share, and wait for the next such step. One that
// wakes up when all islands are taken goes back to sleep: the caller waits only for those at work, so
// that a busy machine, on which threads do not get their turn, costs little.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/sb_work.h"

// Rows outside the largest island from which on sharing pays: waking a thread and waiting for it
// takes 10 to 20 us, in which one thread solves about 150 rows of small islands.
#define SB_SHARED_ROWS 300
#define SB_MAX_HELPERS 63

typedef struct Helper {
  pthread_t thread;
  SbPool* pool;
  SbWorker worker;
} Helper;

struct SbPool {
  SbStep* s;
  pthread_mutex_t lock;
  pthread_cond_t start, finish;
  pid_t owner;                // threads do not survive a fork
  int helpers;
  int running;                // at work in the present step
  int open;                   // there may be islands left
  uint64_t turn;              // counts the steps that were shared
  int ends;
  atomic_int next;            // place in island_order of the next island
  atomic_int no_memory;
  Helper helper[SB_MAX_HELPERS];
};

static void take_islands(SbPool* pool, SbWorker* worker) {
  SbStep* s = pool->s;
  for (;;) {
    int k = atomic_fetch_add(&pool->next, 1);
    if (k >= s->islands) return;
    if (!sb_solve_one(worker, s->island_order[k])) atomic_store(&pool->no_memory, 1);
  }
}

static void* help(void* self) {
  Helper* helper = self;
  SbPool* pool = helper->pool;
  uint64_t seen = 0;
  pthread_mutex_lock(&pool->lock);
  for (;;) {
    while ((pool->turn == seen || !pool->open) && !pool->ends) {
      pthread_cond_wait(&pool->start, &pool->lock);
    }
    if (pool->ends) break;
    seen = pool->turn;
    pool->running++;
    pthread_mutex_unlock(&pool->lock);
    take_islands(pool, &helper->worker);
    pthread_mutex_lock(&pool->lock);
    if (--pool->running == 0) pthread_cond_signal(&pool->finish);
  }
  pthread_mutex_unlock(&pool->lock);
  return NULL;
}

static int start_helper(SbPool* pool, Helper* helper) {
  memset(helper, 0, sizeof(*helper));
  helper->pool = pool;
  if (sb_start_worker(&helper->worker, pool->s) &&
      !pthread_create(&helper->thread, NULL, help, helper)) {
    return 1;
  }
  sb_free_arena(&helper->worker.arena);
  return 0;
}

// Threads that cannot be started are done without.
static int start_pool(SbStep* s) {
  SbPool* pool = calloc(1, sizeof(SbPool));
  if (!pool) return 0;
  pool->s = s;
  pool->owner = getpid();
  pthread_mutex_init(&pool->lock, NULL);
  pthread_cond_init(&pool->start, NULL);
  pthread_cond_init(&pool->finish, NULL);
  while (pool->helpers < s->threads - 1 && pool->helpers < SB_MAX_HELPERS &&
         start_helper(pool, pool->helper + pool->helpers)) {
    pool->helpers++;
  }
  s->pool = pool;
  return 1;
}

void sb_free_threads(SbStep* s) {
  SbPool* pool = s->pool;
  s->pool = NULL;
  if (!pool || pool->owner != getpid()) return;  // after a fork its lock may be held for ever
  pthread_mutex_lock(&pool->lock);
  pool->ends = 1;
  pthread_cond_broadcast(&pool->start);
  pthread_mutex_unlock(&pool->lock);
  for (int k = 0; k < pool->helpers; k++) {
    pthread_join(pool->helper[k].thread, NULL);
    sb_free_arena(&pool->helper[k].worker.arena);
  }
  pthread_mutex_destroy(&pool->lock);
  pthread_cond_destroy(&pool->start);
  pthread_cond_destroy(&pool->finish);
  free(pool);
}

void sb_set_threads(SbStep* s, int threads) {
  if (threads != s->threads) sb_free_threads(s);
  s->threads = threads < 1 ? 1 : threads;
}

static int size_of(const SbStep* s, int island) {
  return s->island_start[island + 1] - s->island_start[island];
}

// The largest islands first, so that none is begun when all others are done; sorted by merging
// since there may be thousands. Equal ones keep their order, though nothing depends on it.
static void sort_islands(SbStep* s) {
  int n = s->islands, *from = s->island_order, *to = s->worker.blocks.position;
  for (int k = 0; k < n; k++) from[k] = k;
  for (int width = 1; width < n; width *= 2) {
    for (int low = 0; low < n; low += 2 * width) {
      int middle = low + width < n ? low + width : n, high = middle + width < n ? middle + width : n;
      int a = low, b = middle;
      for (int k = low; k < high; k++) {
        int left = a < middle && (b >= high || size_of(s, from[a]) >= size_of(s, from[b]));
        to[k] = left ? from[a++] : from[b++];
      }
    }
    int* swap = from;
    from = to;
    to = swap;
  }
  if (from != s->island_order) memcpy(s->island_order, from, n * sizeof(int));
}

static int is_worth_it(const SbStep* s) {
  if (s->threads < 2 || s->islands < 2) return 0;
  int all = s->island_start[s->islands], largest = 0;
  if (all < SB_SHARED_ROWS) return 0;
  for (int k = 0; k < s->islands; k++) {
    if (size_of(s, k) > largest) largest = size_of(s, k);
  }
  return all - largest >= SB_SHARED_ROWS;
}

int sb_run_threads(SbStep* s) {
  if (!is_worth_it(s)) return 0;
  if (s->pool && s->pool->owner != getpid()) s->pool = NULL;  // a child after a fork
  if (!s->pool && !start_pool(s)) return 0;
  SbPool* pool = s->pool;
  sort_islands(s);
  atomic_store(&pool->next, 0);
  atomic_store(&pool->no_memory, 0);
  pthread_mutex_lock(&pool->lock);
  for (int k = 0; k < pool->helpers; k++) sb_begin_counts(&pool->helper[k].worker);
  pool->open = 1;
  pool->turn++;
  pthread_cond_broadcast(&pool->start);
  pthread_mutex_unlock(&pool->lock);
  take_islands(pool, &s->worker);
  pthread_mutex_lock(&pool->lock);
  pool->open = 0;
  while (pool->running) pthread_cond_wait(&pool->finish, &pool->lock);
  pthread_mutex_unlock(&pool->lock);
  SbWorker* own = &s->worker;
  for (int k = 0; k < pool->helpers; k++) {
    const SbWorker* other = &pool->helper[k].worker;
    own->residual = sb_worse(own->residual, other->residual);
    own->unsolved |= other->unsolved;
    own->sweeps += other->sweeps;
    own->solves += other->solves;
    own->factorizations += other->factorizations;
  }
  own->no_memory = atomic_load(&pool->no_memory);
  return 1;
}
