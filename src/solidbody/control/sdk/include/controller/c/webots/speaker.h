/* Speakers. */

#ifndef WB_SPEAKER_H
#define WB_SPEAKER_H

#define WB_USING_C_API
#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

void wb_speaker_play_sound(WbDeviceTag left, WbDeviceTag right, const char *sound, double volume, double pitch,
                           double balance, bool loop);
void wb_speaker_stop(WbDeviceTag tag, const char *sound); /* NULL = all sounds */
bool wb_speaker_is_sound_playing(WbDeviceTag tag, const char *sound);
bool wb_speaker_set_engine(WbDeviceTag tag, const char *engine);
const char *wb_speaker_get_engine(WbDeviceTag tag);
bool wb_speaker_set_language(WbDeviceTag tag, const char *language);
const char *wb_speaker_get_language(WbDeviceTag tag);
void wb_speaker_speak(WbDeviceTag tag, const char *text, double volume);
bool wb_speaker_is_speaking(WbDeviceTag tag);

#ifdef __cplusplus
}
#endif

#endif
