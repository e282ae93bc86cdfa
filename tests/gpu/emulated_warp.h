// A warp on the processor: 32 fibers in lockstep, so that what is compiled for a GPU runs without one.
//
// A lane runs until it needs the others (a vote, a shuffle, __syncwarp); then the next one does. Values of a lane
// that another reads without such a meeting are therefore old ones for some lanes: a missing meeting shows.
#ifndef EMULATED_WARP_H_
#define EMULATED_WARP_H_

#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#include <cmath>

using std::acos;
using std::asin;
using std::atan;
using std::atan2;
using std::fabs;
using std::round;
using std::sqrt;

#define __device__
#define __forceinline__ inline
#define __noinline__ __attribute__((noinline))
#define __constant__
#define __shared__ static

struct Index3 { unsigned x, y, z; };
static Index3 threadIdx, blockIdx, blockDim = {32, 1, 1};

enum { LANES = 32, STACK = 1 << 18 };

static union Cell { double real; long long whole; } cells[2][LANES];
static int turns[LANES];
static ucontext_t caller, first_of[LANES];
static jmp_buf place[LANES];
static int begun[LANES];
static char* stacks[LANES];

static void go_to(int lane) {
  threadIdx.x = lane;
  if (begun[lane]) _longjmp(place[lane], 1);
  begun[lane] = 1;
  setcontext(&first_of[lane]);
}

// Until all lanes have come here.
__attribute__((noinline)) static void meet() {
  int me = threadIdx.x;
  if (!_setjmp(place[me])) go_to((me + 1) % LANES);
}

template <class T> static Cell* show(T x) {
  int me = threadIdx.x, side = turns[me] ^= 1;
  Cell mine;
  memset(&mine, 0, sizeof mine);
  memcpy(&mine, &x, sizeof x);
  cells[side][me] = mine;
  meet();
  return cells[side];
}
template <class T> static T seen(const Cell& cell) {
  T x;
  memcpy(&x, &cell, sizeof x);
  return x;
}

static inline void __syncwarp(unsigned = 0) { meet(); }
template <class T> static T __shfl_sync(unsigned, T x, int lane) { return seen<T>(show(x)[lane & 31]); }
template <class T> static T __shfl_xor_sync(unsigned, T x, int mask) {
  int me = threadIdx.x;
  return seen<T>(show(x)[me ^ mask]);
}
template <class T> static T __shfl_up_sync(unsigned, T x, int by) {
  int me = threadIdx.x;
  return seen<T>(show(x)[me >= by ? me - by : me]);
}
static unsigned __ballot_sync(unsigned, int x) {
  unsigned all = 0;
  Cell* row = show(int(x != 0));
  for (int i = 0; i < LANES; i++) all |= unsigned(seen<int>(row[i]) != 0) << i;
  return all;
}
static int __any_sync(unsigned mask, int x) { return __ballot_sync(mask, x) != 0; }
static inline int __popc(unsigned x) { return __builtin_popcount(x); }
static inline int __ffs(unsigned x) { return __builtin_ffs(int(x)); }
static inline int min(int a, int b) { return a < b ? a : b; }
static inline double __longlong_as_double(long long x) { return seen<double>(Cell{.whole = x}); }
#define SB_EMULATED

typedef void (*Body)(void* model);
static Body body;
static void* model_of;

static void run_lane() {
  body(model_of);
  int me = threadIdx.x;
  if (me == LANES - 1) setcontext(&caller);
  go_to(me + 1);
}

// One warp after the other.
static void run_blocks(Body what, void* model, int blocks) {
  body = what;
  model_of = model;
  for (int block = 0; block < blocks; block++) {
    blockIdx.x = unsigned(block);
    threadIdx.x = 0;
    for (int lane = 0; lane < LANES; lane++) {
      if (!stacks[lane]) stacks[lane] = (char*)malloc(STACK);
      begun[lane] = turns[lane] = 0;
      getcontext(&first_of[lane]);
      first_of[lane].uc_stack.ss_sp = stacks[lane];
      first_of[lane].uc_stack.ss_size = STACK;
      first_of[lane].uc_link = 0;
      makecontext(&first_of[lane], run_lane, 0);
    }
    begun[0] = 1;
    volatile int left = 0;
    getcontext(&caller);
    if (!left) {
      left = 1;
      setcontext(&first_of[0]);
    }
  }
}

#endif  // EMULATED_WARP_H_
