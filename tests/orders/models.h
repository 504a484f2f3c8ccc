/* The protocols that are explored. */
#ifndef OB_ORDERS_MODELS_H
#define OB_ORDERS_MODELS_H

#include "world.h"

extern const ex_model channel_models[], board_models[], claim_models[], message_models[];
extern const int channel_model_count, board_model_count, claim_model_count, message_model_count;
/* Its error is to be found. */
extern const ex_model claim_unsafe;

#endif
