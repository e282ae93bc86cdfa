// The threads of a batch: they are started once, sleep between calls, and take copies one after the other.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "batch/sb_batch.h"

#define SB_MAX_CREW 255

typedef struct Member {
  pthread_t thread;
  SbCrew* crew;
  int number;
} Member;

struct SbCrew {
  SbBatch* batch;
  pthread_mutex_t lock;
  pthread_cond_t start, finish;
  pid_t owner;                // threads do not survive a fork
  int members, running, open, ends;
  uint64_t turn;
  const int64_t* ids;
  int64_t count;
  SbBatchWork work;
  void* order;
  atomic_llong next;
  Member member[SB_MAX_CREW];
};

static void take_copies(SbCrew* crew, int worker) {
  SbBatch* b = crew->batch;
  for (;;) {
    int64_t k = atomic_fetch_add(&crew->next, 1);
    if (k >= crew->count) return;
    int copy = (int)crew->ids[k];
    b->at.outcome[copy] = crew->work(b, copy, worker, crew->order);
  }
}

static void* help(void* self) {
  Member* member = self;
  SbCrew* crew = member->crew;
  uint64_t seen = 0;
  pthread_mutex_lock(&crew->lock);
  for (;;) {
    while ((crew->turn == seen || !crew->open) && !crew->ends) {
      pthread_cond_wait(&crew->start, &crew->lock);
    }
    if (crew->ends) break;
    seen = crew->turn;
    crew->running++;
    pthread_mutex_unlock(&crew->lock);
    take_copies(crew, member->number);
    pthread_mutex_lock(&crew->lock);
    if (--crew->running == 0) pthread_cond_signal(&crew->finish);
  }
  pthread_mutex_unlock(&crew->lock);
  return NULL;
}

// Threads that cannot be started are done without.
static SbCrew* start_crew(SbBatch* b) {
  SbCrew* crew = calloc(1, sizeof(SbCrew));
  if (!crew) return NULL;
  crew->batch = b;
  crew->owner = getpid();
  pthread_mutex_init(&crew->lock, NULL);
  pthread_cond_init(&crew->start, NULL);
  pthread_cond_init(&crew->finish, NULL);
  while (crew->members < b->threads - 1 && crew->members < SB_MAX_CREW) {
    Member* member = crew->member + crew->members;
    *member = (Member){.crew = crew, .number = crew->members + 1};
    if (pthread_create(&member->thread, NULL, help, member)) break;
    crew->members++;
  }
  b->crew = crew;
  return crew;
}

void sb_free_crew(SbBatch* b) {
  SbCrew* crew = b->crew;
  b->crew = NULL;
  if (!crew || crew->owner != getpid()) return;  // after a fork its lock may be held for ever
  pthread_mutex_lock(&crew->lock);
  crew->ends = 1;
  pthread_cond_broadcast(&crew->start);
  pthread_mutex_unlock(&crew->lock);
  for (int k = 0; k < crew->members; k++) pthread_join(crew->member[k].thread, NULL);
  pthread_mutex_destroy(&crew->lock);
  pthread_cond_destroy(&crew->start);
  pthread_cond_destroy(&crew->finish);
  free(crew);
}

void sb_batch_all(SbBatch* b, const int64_t* ids, int64_t count, SbBatchWork work, void* order) {
  if (b->crew && b->crew->owner != getpid()) b->crew = NULL;  // a child after a fork
  SbCrew* crew = b->threads > 1 && count > 1 ? b->crew ? b->crew : start_crew(b) : NULL;
  if (!crew) {
    for (int64_t k = 0; k < count; k++) b->at.outcome[ids[k]] = work(b, (int)ids[k], 0, order);
    return;
  }
  crew->ids = ids;
  crew->count = count;
  crew->work = work;
  crew->order = order;
  atomic_store(&crew->next, 0);
  pthread_mutex_lock(&crew->lock);
  crew->open = 1;
  crew->turn++;
  pthread_cond_broadcast(&crew->start);
  pthread_mutex_unlock(&crew->lock);
  take_copies(crew, 0);
  pthread_mutex_lock(&crew->lock);
  crew->open = 0;
  while (crew->running) pthread_cond_wait(&crew->finish, &crew->lock);
  pthread_mutex_unlock(&crew->lock);
}
