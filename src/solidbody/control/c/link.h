/* The connection to the simulator. */

#ifndef SB_LINK_H
#define SB_LINK_H

#include "wire.h"

/* Connects and greets; ends the program with a message if there is no simulator. Returns its first frame. */
Reader link_open(void);

/* Lets frames go through memory that the simulator shares with this program, at a path, if that can be. */
void link_use_mailbox(Slice path);

/* Whether there is a connection; without one nothing can be sent. */
bool link_is_open(void);

/* Sends a whole frame, its length included; returns whether it has gone. */
bool link_send(const uint8_t *data, size_t size);

/* Waits for a frame, which is valid until the next one; one that has failed = the connection is lost. */
Reader link_receive(void);

void link_close(void);

#endif
