/*
 * Offers (common/offer.h): a call that all processes carry out, or none.
 */
#include "arguments.h"

static _Thread_local struct {
    bool open, declined, refused;
} offer;

void oblu_offer_open(bool declines)
{
    offer.open = true;
    offer.declined = declines;
    offer.refused = false;
}

bool oblu_offer_close(void)
{
    offer.open = false;
    return !offer.refused;
}

bool oblu_is_offered(void)
{
    return offer.open;
}

bool oblu_offer_is_declined(void)
{
    return offer.open && offer.declined;
}

void oblu_offer_refuse(int64_t *info)
{
    offer.refused = true;
    *info = -1; /* nothing is done */
}
