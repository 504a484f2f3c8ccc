/*
 * A course: sends, receives and local work in steps, as one request. Who prepares it (the
 * collective rooms) says what is to be done after what; the calls that wait or test, and the
 * background thread, move it on. It never waits for anything.
 *
 * Steps are carried out one after the other. A receive is only posted; a step with `after` waits
 * until all receives before it are over. So what stands between two such steps is one round.
 * Work may switch later steps of its course off, and on; and work that is long may be carried out
 * in parts, between which other courses and calls have their turn.
 *
 * Messages of one course have a tag of their own, so that they meet no others. What one member
 * sends to another in a course is received there in the order sent; a course that is begun again
 * may use the same tag.
 *
 * Locks. The lock of m->courses, of which there is one in the job, covers the list and all that
 * moves; who finds it held leaves the work to the holder (course.c says why nothing is missed). It
 * is taken outside of all other locks of this room.
 */
#ifndef OB_MESSAGE_COURSE_H
#define OB_MESSAGE_COURSE_H

#include "core/group.h"

typedef enum ob_step_kind { OB_STEP_SEND = 0, OB_STEP_RECV, OB_STEP_WORK } ob_step_kind;

/* What work says that has done a part of it; that can do nothing at present, but later. */
enum { OB_STEP_AGAIN = 1, OB_STEP_LATER = 2 };

typedef struct ob_step ob_step;
struct ob_step {
    ob_step_kind kind;
    bool after;    /* not before the receives in front of it are over */
    bool quick;    /* in front of all others but receives: done when the course is begun */
    bool off;      /* passed over */
    int member;    /* of a receive, and of a send to one */
    int members;   /* of a send to several, how many, and */
    const int *to; /* which; NULL: one */
    ob_view view;  /* of sends and receives */
    int (*work)(const ob_step *step); /* a status, or one of the above */
    void *with;                       /* for `work`, and the next two */
    size_t first, count;
};

typedef struct ob_course ob_course;
struct ob_course {
    ob_group *group;
    int tag;       /* ob_course_tag */
    bool alike;    /* all members should name as many bytes */
    size_t bytes;  /* as many as OPENBLACS_BACKGROUND names go on in the background */
    bool foreign;  /* its work calls functions of the program's: never in the background */
    bool attended; /* goes on in the background whatever its bytes */
    ob_step *step;
    int count;
    /* Before its request is done, all steps being done or (`failed`) given up: gives back what
     * others may be at. False: some still are, so it is asked again. The group may be gone. NULL:
     * there is nothing. */
    bool (*let_go)(void *with);
    void *with;
    void (*destroy)(ob_course *course); /* at the end of its request; NULL: it is begun again */

    /* course.c's alone: */
    ob_group as;             /* the group, with the call's mark (unlike.c) */
    double waited, patience; /* seconds since it moved, or looked; how many before it looks */
    double asked;            /* who waits has asked last */
    ob_request *request;     /* NULL: it is not under way */
    ob_request **inner;      /* of posted receives, by step; NULL: over, or not posted */
    bool *lost;              /* their senders had ended before the last look */
    bool failed;             /* once and for all */
    bool quiet;              /* the background thread may move it */
    bool orphan;             /* its group has been freed */
    bool background;         /* the background thread moves it; work may ask */
    int at, from;            /* the next step, and the first of the round */
    ob_peer *bell;           /* whose stored_count changes when the course has moved */
    int status;
    char *error;
    ob_course *next, *before; /* of those under way */
};

/* The tag of the next course of a group. */
int ob_course_tag(ob_group *group);
/* After the fields above: memory for the rest. */
int ob_course_open(ob_course *course);
void ob_course_close(ob_course *course);
/* From now on the background thread moves it also when it is short. False: it cannot, since a
 * member is elsewhere, functions of the program's are called, or there is no thread to be had. */
bool ob_course_attend(ob_course *course);
/* Begins it. On failure it is as before. */
int ob_course_begin(ob_course *course, ob_request **request);

/* For request.c, which knows requests that are courses. Its request has been done, and its status
 * is handed over. */
void ob_course_end(ob_request *r);
/* True when a process has ended that the course waits for; before a look at what has come. */
bool ob_course_lost(ob_request *r);
/* After the look: the course fails if it still waits for one of these. */
void ob_course_give_up(ob_request *r);

#endif
