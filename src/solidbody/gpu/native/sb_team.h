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
#define SB_BIG static __device__ __noinline__
#else
#define SB_DEV static inline
#define SB_INLINE static inline
#define SB_BIG static
#endif

SB_DEV double sb_max(double a, double b) { return a > b ? a : b; }
SB_DEV double sb_min(double a, double b) { return a < b ? a : b; }

#ifdef SB_CUDA
#define SB_LANE ((int)(threadIdx.x & 31))
#define SB_TEAM 32
#define SB_SYNC() __syncwarp()
#define SB_UNROLL _Pragma("unroll")

SB_DEV int sb_team_sum(int x) {
  for (int o = 16; o; o >>= 1) x += __shfl_xor_sync(0xffffffffu, x, o);
  return x;
}
SB_DEV int sb_team_any(int x) { return __any_sync(0xffffffffu, x); }
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

#define SB_EACH(i, n) for (int i = SB_LANE; i < (n); i += SB_TEAM)

#define SB_FN SB_DEV

#endif  // SB_TEAM_H_
