// Many simulations at once: threads take one after the other. Each is independent of the others, so
// the result does not depend on how many threads there are or which takes what.
#include <pthread.h>
#include <stdatomic.h>

#include "base/sb_step.h"

typedef struct SbBatch {
  SbStep** steps;
  int32_t* outcomes;
  int count, n;
  atomic_int next;
} SbBatch;

static void* work(void* shared) {
  SbBatch* batch = shared;
  for (;;) {
    int k = atomic_fetch_add(&batch->next, 1);
    if (k >= batch->count) return NULL;
    batch->outcomes[k] = sb_run(batch->steps[k], batch->n);
  }
}

#define SB_MAX_THREADS 256

void sb_run_many(SbStep** steps, int count, int n, int threads, int32_t* outcomes) {
  SbBatch batch = {.steps = steps, .outcomes = outcomes, .count = count, .n = n};
  pthread_t thread[SB_MAX_THREADS];
  int started = 0;
  atomic_init(&batch.next, 0);
  if (threads > count) threads = count;
  if (threads > SB_MAX_THREADS) threads = SB_MAX_THREADS;
  // this thread works as well; one that cannot be started leaves its share to the others
  while (started < threads - 1 && !pthread_create(&thread[started], NULL, work, &batch)) started++;
  work(&batch);
  for (int k = 0; k < started; k++) pthread_join(thread[k], NULL);
}
