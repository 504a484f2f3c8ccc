/*
 * Schemes in words: what obinfo prints and OPENBLACS_PLAN takes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collective/scheme/scheme.h"

static const char *const act_names[OB_ACTS] = {"broadcast", "combine",    "scatter", "gather",
                                               "collect",   "distribute", "exchange"};
static const char *const kind_names[OB_TASK_KINDS] = {
    "broadcast", "combine", "combine-all", "scatter", "gather", "collect", "distribute", "barrier"};

#define NATIVE "native"

const char *ob_task_name(ob_task kind)
{
    return (unsigned)kind < OB_TASK_KINDS ? kind_names[kind] : "unknown";
}

void ob_scheme_print(const ob_scheme *s, char text[OB_SCHEME_TEXT])
{
    size_t at = 0;
    int each = s->stages / (s->colours > 1 ? s->colours : 1);
    strcpy(text, s->native ? NATIVE : "");
    for (int k = 0; k < s->stages && at < OB_SCHEME_TEXT; k++) {
        const ob_stage *t = &s->stage[k];
        int n = snprintf(text + at, OB_SCHEME_TEXT - at, "%s%s%d@%d:%s",
                         k == 0     ? ""
                         : k % each ? "+"
                                    : "|",
                         act_names[t->act], t->count, t->stride, ob_hows[t->how]->word);
        at += (size_t)n;
        if (ob_hows[t->how]->detail && at < OB_SCHEME_TEXT)
            at += (size_t)snprintf(text + at, OB_SCHEME_TEXT - at, "%d", t->detail);
    }
}

static bool word_at(const char **text, const char *word)
{
    size_t length = strlen(word);
    if (strncmp(*text, word, length))
        return false;
    *text += length;
    return true;
}

static bool number_at(const char **text, int *value)
{
    char *end;
    long v = strtol(*text, &end, 10);
    if (end == *text || v < 1 || v > 1 << 24 || **text == '+' || **text == ' ')
        return false;
    *value = (int)v;
    *text = end;
    return true;
}

static bool letter_at(const char **text, char letter)
{
    if (**text != letter)
        return false;
    ++*text;
    return true;
}

static bool stage_at(const char **text, ob_stage *t)
{
    int act = 0, how = 0;
    *t = (ob_stage){0};
    while (act < OB_ACTS && !word_at(text, act_names[act]))
        act++;
    if (act == OB_ACTS || !number_at(text, &t->count) || !letter_at(text, '@') ||
        !number_at(text, &t->stride) || !letter_at(text, ':'))
        return false;
    while (how < OB_HOWS && !word_at(text, ob_hows[how]->word))
        how++;
    if (how == OB_HOWS || (ob_hows[how]->detail && !number_at(text, &t->detail)))
        return false;
    t->act = (ob_act)act;
    t->how = (ob_how)how;
    return true;
}

bool ob_scheme_parse(const char *text, ob_scheme *s)
{
    int before = 0, each = 0;
    *s = (ob_scheme){0};
    if (strcmp(text, NATIVE) == 0) {
        s->native = OB_NATIVE;
        return true;
    }
    do {
        do {
            if (s->stages == OB_STAGES || !stage_at(&text, &s->stage[s->stages]))
                return false;
            s->stages++;
        } while (letter_at(&text, '+'));
        if (each && s->stages - before != each)
            return false;
        each = s->stages - before;
        before = s->stages;
        s->colours++;
    } while (letter_at(&text, '|'));
    return *text == 0;
}
