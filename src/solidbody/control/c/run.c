/* What supervisors do with the run, and what users see. */

#include "nodes.h"

#define RUN_ORDER(function, message)                           \
  void function(void) {                                        \
    LOCK;                                                      \
    if (is_supervisor(__func__)) say_##message(orders());      \
  }
#define RUN_QUESTION(function, message)                        \
  Bool function(void) {                                        \
    LOCK;                                                      \
    return is_supervisor(__func__) && bool_of(ASK(message));   \
  }
RUN_ORDER(wb_supervisor_world_reload, WorldReload)
RUN_ORDER(wb_supervisor_simulation_revert, WorldReload)
RUN_ORDER(wb_supervisor_simulation_reset, SimulationReset)
RUN_ORDER(wb_supervisor_simulation_reset_physics, SimulationResetPhysics)
RUN_ORDER(wb_supervisor_simulation_physics_reset, SimulationResetPhysics)
RUN_ORDER(wb_supervisor_movie_stop_recording, MovieStop)
RUN_ORDER(wb_supervisor_stop_movie, MovieStop)
RUN_QUESTION(wb_supervisor_movie_is_ready, MovieReady)
RUN_QUESTION(wb_supervisor_movie_failed, MovieFailed)
RUN_QUESTION(wb_supervisor_animation_stop_recording, AnimationStop)

void wb_supervisor_world_load(const char *filename) {
  LOCK;
  if (is_supervisor(__func__) && is_text(filename, "filename", __func__)) ORDER(WorldLoad, filename);
}

void wb_supervisor_load_world(const char *filename) { wb_supervisor_world_load(filename); }

Bool wb_supervisor_world_save(const char *filename) {
  LOCK;
  if (!is_supervisor(__func__) || (filename && !is_text(filename, "filename", __func__))) return 0;
  return bool_of(ASK(WorldSave, filename));
}

Bool wb_supervisor_save_world(const char *filename) { return wb_supervisor_world_save(filename); }

void wb_supervisor_simulation_quit(int status) {
  LOCK;
  if (is_supervisor(__func__)) ORDER(SimulationQuit, status);
}

WbSimulationMode wb_supervisor_simulation_get_mode(void) {
  LOCK;
  return is_supervisor(__func__) ? (WbSimulationMode)int_of(ASK(SimulationMode), 0) : WB_SUPERVISOR_SIMULATION_MODE_FAST;
}

void wb_supervisor_simulation_set_mode(WbSimulationMode mode) {
  LOCK;
  if (is_supervisor(__func__)) ORDER(SimulationSetMode, (int)mode);
}

void wb_supervisor_set_label(int id, const char *text, double x, double y, double size, int color, double transparency,
                             const char *font) {
  LOCK;
  if (!is_supervisor(__func__)) return;
  if (!text || !font) {
    complain("Error: %s() called with NULL '%s' argument.", __func__, text ? "font" : "text");
    return;
  }
  ORDER(LabelSet, id, text, x, y, size, color, transparency, font);
}

void wb_supervisor_export_image(const char *filename, int quality) {
  LOCK;
  if (!is_supervisor(__func__) || !is_text(filename, "filename", __func__)) return;
  if (quality < 1 || quality > 100) {
    complain("Error: %s(): 'quality' argument must be between 1 and 100.", __func__);
    return;
  }
  ASK(ImageExport, filename, quality);
}

void wb_supervisor_movie_start_recording(const char *filename, int width, int height, int codec, int quality,
                                         int acceleration, Bool caption) {
  LOCK;
  (void)codec;
  (void)caption;
  if (!is_supervisor(__func__) || !is_text(filename, "filename", __func__)) return;
  if (width <= 0 || height <= 0) complain("Error: %s(): 'width' and 'height' arguments must be positive.", __func__);
  else if (quality < 1 || quality > 100) complain("Error: %s(): 'quality' argument must be between 1 and 100.", __func__);
  else ORDER(MovieStart, filename, width, height, quality, acceleration);
}

void wb_supervisor_start_movie(const char *file, int width, int height, int codec, int quality, int acceleration, Bool caption) {
  wb_supervisor_movie_start_recording(file, width, height, codec, quality, acceleration, caption);
}

int wb_supervisor_movie_get_status(void) {
  if (wb_supervisor_movie_failed()) return WB_SUPERVISOR_MOVIE_SIMULATION_ERROR;
  return wb_supervisor_movie_is_ready() ? WB_SUPERVISOR_MOVIE_READY : WB_SUPERVISOR_MOVIE_RECORDING;
}

int wb_supervisor_get_movie_status(void) { return wb_supervisor_movie_get_status(); }

Bool wb_supervisor_animation_start_recording(const char *filename) {
  LOCK;
  return is_supervisor(__func__) && is_text(filename, "filename", __func__) && bool_of(ASK(AnimationStart, filename));
}

/* Nobody wears a headset. */
Bool wb_supervisor_virtual_reality_headset_is_used(void) { return 0; }

static const double *no_headset(const char *function) {
  complain("Error: %s(): no virtual reality headset connected.", function);
  return NULL;
}

const double *wb_supervisor_virtual_reality_headset_get_position(void) { return no_headset(__func__); }
const double *wb_supervisor_virtual_reality_headset_get_orientation(void) { return no_headset(__func__); }
