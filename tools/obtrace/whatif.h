/*
 * Questions to a replay and their answers.
 */
#ifndef OBTRACE_WHATIF_H
#define OBTRACE_WHATIF_H

#include "replay.h"

typedef struct obt_question {
    char text[128];    /* in words */
    const char *plain; /* for programs; NULL: a change of topology */
    obt_scenario what;
    obt_change change; /* no routine: none */
    int64_t length;    /* the answer: of the run */
    size_t changed, refused;
} obt_question;

typedef struct obt_answers {
    obt_question *at;
    size_t count, room;
    size_t stuck;
    enum {
        OBT_COSTS_GIVEN,
        OBT_COSTS_OF_TRACE,
        OBT_COSTS_OF_HOST
    } costs;        /* of the trace's messages */
    bool elsewhere; /* asked for another machine's network */
    size_t untold;  /* as in obt_steps: what was asked has no good answer */
} obt_answers;

/* The usual questions, beginning with none: how well the replay repeats the run. Of `base` only
 * `from` counts. letters: also other topologies, the best ones for each kind of call. */
void obt_ask_all(const obt_steps *s, const obt_scenario *base, bool letters, obt_answers *l);
/* Notes whose costs the answers rest on. */
void obt_note_costs(const obt_steps *s, const obt_scenario *what, obt_answers *l);
/* gains.c: asks what the costliest delays cost the run. */
void obt_find_gains(obt_analysis *a, const obt_steps *s);
/* By its name for programs; NULL: nobody asked. */
const obt_question *obt_answer_named(const obt_answers *l, const char *plain);
void obt_free_answers(obt_answers *l);

/* Says that the trace does not tell enough, if so. */
void obt_whatif_doubt(const obt_analysis *a, const obt_answers *l);
void obt_whatif_print(const obt_analysis *a, const obt_answers *l, FILE *out);
void obt_whatif_plain(const obt_analysis *a, const obt_answers *l, FILE *out);

#endif
