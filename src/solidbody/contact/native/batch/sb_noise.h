// Noise of sensors: numbers that depend on (key, device, step, index) and on nothing else, so that they are the
// same for any number of threads, any order and any subset of copies. The key is made of the seed, the copy and
// how often it was reset (sim/batch/noise.py, which also has the twin of this in Python).
//
// Philox4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC11) makes 128 random bits of a
// counter (step, device, block) and a key; Box and Muller's rule makes two normal numbers of them.
#ifndef SB_NOISE_H_
#define SB_NOISE_H_

#ifndef SB_NO_LIBC
#include <math.h>
#include <stdint.h>
#endif

// A GPU takes the same functions.
#ifndef SB_FN
#define SB_FN static inline
#endif

SB_FN void sb_philox(const uint32_t counter[4], uint64_t key, uint32_t out[4]) {
  uint32_t c[4] = {counter[0], counter[1], counter[2], counter[3]};
  uint32_t k0 = (uint32_t)key, k1 = (uint32_t)(key >> 32);
  for (int round = 0; round < 10; round++) {
    uint64_t a = (uint64_t)0xD2511F53u * c[0], b = (uint64_t)0xCD9E8D57u * c[2];
    uint32_t next[4] = {(uint32_t)(b >> 32) ^ c[1] ^ k0, (uint32_t)b, (uint32_t)(a >> 32) ^ c[3] ^ k1, (uint32_t)a};
    for (int i = 0; i < 4; i++) c[i] = next[i];
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  for (int i = 0; i < 4; i++) out[i] = c[i];
}

// Between 0 and 1, neither of them.
SB_FN double sb_open_unit(uint32_t low, uint32_t high) {
  uint64_t bits = ((uint64_t)high << 32 | low) >> 11;
  return ((double)bits + 0.5) * 1.1102230246251565e-16;  // 2^-53
}

typedef struct SbNoise {
  uint64_t key;
  int64_t step;
  int32_t device;
  uint32_t index;             // of the next number
} SbNoise;

// The next normal number of a sample.
SB_FN double sb_normal(SbNoise* noise) {
  uint32_t i = noise->index++, bits[4];
  uint32_t counter[4] = {(uint32_t)noise->step, (uint32_t)((uint64_t)noise->step >> 32), (uint32_t)noise->device,
                         i / 2};
  sb_philox(counter, noise->key, bits);
  double length = sqrt(-2 * log(sb_open_unit(bits[0], bits[1])));
  double angle = 6.283185307179586 * sb_open_unit(bits[2], bits[3]);
  return length * (i % 2 ? sin(angle) : cos(angle));
}

#endif  // SB_NOISE_H_
