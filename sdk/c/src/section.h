/* Sections: the token requests and store operations that a call makes, one after the other, between other steps. */
#pragma once

#include "step.h"

/*
 * Performs shared steps on a thread of their own, which continues even if the caller times out or is canceled. Unless
 * they lead to a wait, that wakes the calls that wait for one. Returns what ended the call, if anything did.
 */
rostering_end rostering_section(rostering_progress *at, const rostering_limits *limits);

/* Starts a thread that nobody joins. Returns whether it started. */
bool rostering_detach(void *(*run)(void *argument), void *argument);
