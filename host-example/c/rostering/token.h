/* Tokens, from within the library. */
#ifndef ROSTERING_TOKEN_H
#define ROSTERING_TOKEN_H

#include <jansson.h>

#include "rostering.h"

/* Gives the token object of the contract. */
rostering_error *rostering_token_object(const rostering_token *token, json_t **object);

#endif
