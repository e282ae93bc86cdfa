// A team of lanes that works on one world: 32 threads of a warp on a GPU, one thread on a processor.
//
// All lanes run through the same code. Work is shared by loops, and values pass from lane to lane through
// memory with SB_SYNC between writing and reading; nothing else differs between the two devices:
//
//     SB_EACH(i, n) x[i] = f(i);
//     SB_SYNC();
#ifndef SB_TEAM_H_
#define SB_TEAM_H_

// SB_BIG: functions that are called from several places, and too long to be copied into each.
#ifdef SB_CUDA
#define SB_DEV static __device__
#define SB_INLINE static __device__ __forceinline__
#define SB_INSIDE __device__ __forceinline__
#define SB_BIG static __device__ __noinline__
#else
#define SB_DEV static inline
#define SB_INLINE static inline
#define SB_BIG static
#endif

#ifdef SB_CUDA
#define SB_ALIGNED __attribute__((aligned(16)))
#else
#define SB_ALIGNED
#endif

SB_DEV double sb_max(double a, double b) { return a > b ? a : b; }
SB_DEV double sb_min(double a, double b) { return a < b ? a : b; }

#ifdef SB_CUDA
#define SB_LANE ((int)(threadIdx.x & 31))
#define SB_TEAM 32
#define SB_SYNC() __syncwarp()
#define SB_UNROLL _Pragma("unroll")
#define SB_ROLLED _Pragma("unroll 1")
#define SB_FOURFOLD _Pragma("unroll 4")

SB_DEV unsigned sb_team_vote(int x) { return __ballot_sync(0xffffffffu, x); }
SB_DEV int sb_lowest(unsigned bits) { return __ffs((int)bits) - 1; }

SB_DEV int sb_team_sum(int x) {
  for (int o = 16; o; o >>= 1) x += __shfl_xor_sync(0xffffffffu, x, o);
  return x;
}
SB_DEV int sb_team_any(int x) { return __any_sync(0xffffffffu, x); }
// What a lane has; all lanes ask.
SB_INLINE double sb_team_from(double x, int lane) { return __shfl_sync(0xffffffffu, x, lane); }
SB_INLINE int sb_team_int_from(int x, int lane) { return __shfl_sync(0xffffffffu, x, lane); }
SB_DEV double sb_team_max(double x) {
  for (int o = 16; o; o >>= 1) x = sb_max(x, __shfl_xor_sync(0xffffffffu, x, o));
  return x;
}
SB_DEV double sb_team_min(double x) {
  for (int o = 16; o; o >>= 1) x = sb_min(x, __shfl_xor_sync(0xffffffffu, x, o));
  return x;
}
SB_DEV int sb_team_first(int x) {
  for (int o = 16; o; o >>= 1) x = min(x, __shfl_xor_sync(0xffffffffu, x, o));
  return x;
}
// Places for `count` things of each lane, in the order of the lanes, from *end on; *end moves behind them.
SB_DEV int sb_team_places(int count, int* end) {
  int sum = count;
  for (int o = 1; o < 32; o <<= 1) {
    int below = __shfl_up_sync(0xffffffffu, sum, o);
    if (SB_LANE >= o) sum += below;
  }
  int at = *end + sum - count;
  *end += __shfl_sync(0xffffffffu, sum, 31);
  return at;
}
#else
#define SB_LANE 0
#define SB_TEAM 1
#define SB_SYNC()
#define SB_UNROLL
#define SB_ROLLED
SB_DEV double sb_team_from(double x, int lane) { return x; }
SB_DEV int sb_team_int_from(int x, int lane) { return x; }
SB_DEV int sb_team_sum(int x) { return x; }
SB_DEV int sb_team_any(int x) { return x != 0; }
SB_DEV double sb_team_max(double x) { return x; }
SB_DEV double sb_team_min(double x) { return x; }
SB_DEV int sb_team_first(int x) { return x; }
SB_DEV int sb_team_places(int count, int* end) {
  int at = *end;
  *end += count;
  return at;
}
#endif

// Two numbers that are loaded together; they begin at an even place.
typedef struct SB_ALIGNED SbPair { double a, b; } SbPair;
SB_INLINE SbPair sb_pair(const double* at) { return *(const SbPair*)at; }

#define SB_EACH(i, n) for (int i = SB_LANE; i < (n); i += SB_TEAM)

// Says that memory of a device will be read soon, so that lanes need not wait for one array after the other.
SB_DEV void sb_expect(const void* from, int bytes) {
#if defined(SB_CUDA) && !defined(SB_EMULATED)
  for (int at = SB_LANE * 128; at < bytes; at += SB_TEAM * 128) {
    asm volatile("prefetch.L2 [%0];" : : "l"((const char*)from + at));
  }
#endif
}

// Copies pairs of numbers that were not read before: they are waited for together.
SB_DEV void sb_fetch(double* to, const double* from, int pairs) {
  const int each = 14;
  SbPair part[14];
  SB_ROLLED
  for (int first = SB_LANE; first < pairs; first += each * SB_TEAM) {
    SB_UNROLL
    for (int i = 0; i < each; i++) {
      if (first + i * SB_TEAM < pairs) part[i] = sb_pair(from + 2 * (first + i * SB_TEAM));
    }
    SB_UNROLL
    for (int i = 0; i < each; i++) {
      if (first + i * SB_TEAM < pairs) *(SbPair*)(to + 2 * (first + i * SB_TEAM)) = part[i];
    }
  }
}

#define SB_FN SB_DEV

#endif  // SB_TEAM_H_
