/*
 * A group's links, and what messages cost on them, from the profile's curves in place of straight
 * lines; where the mesh is one of links, with the messages that cross one link sharing it.
 */
#ifndef OB_COLLECTIVE_SCHEME_NET_H
#define OB_COLLECTIVE_SCHEME_NET_H

#include "collective/scheme/form.h"
#include "hooks/profile.h"

typedef struct ob_net {
    const ob_profile *profile;
    int rows, columns;
    int shared; /* 0: a switch that all messages pass at full speed; 1: a mesh of links; 2: a torus
                 */
} ob_net;

/* Where all members send at once to others so far away, behind a switch they find, as a rule, other
 * switches with fewer links between them than members. */
enum { OB_NET_FAR = 32 };
#define OB_NET_FAR_SHARERS 1.25

/* A message of n bytes that is not answered, whose links `sharers` messages use at once. */
double ob_net_flight(const ob_net *net, double n, double sharers);
double ob_net_message(const ob_net *net, double n, double sharers);
/* Who sends once, towards the root of a tree, is not answered. */
double ob_net_along_tree(const ob_net *net, ob_act act, double n, double sharers);
double ob_net_wire(const ob_net *net, double n);
/* What a message costs its sender alone: the call, or, where all its messages leave by one
 * link, the link, even if the call returns before. Never nothing: a send is work. */
double ob_net_sending(const ob_net *net, double n);
double ob_net_work(const ob_net *net, const ob_stage *t, double n);
/* What `later` more messages, of `rest` bytes in all, add to one of n bytes when their sender has
 * gone on to them and they share a link. Senders that wait for answers, or that the call keeps busy
 * as long as the link, do not. */
double ob_net_crowding(const ob_net *net, double n, int later, double rest, double lines);
/* Messages on one link when every member of `lines` lines sends to the one so many further on. */
double ob_net_sharers(const ob_net *net, const ob_stage *t, double lines, int distance);
/* Does the stage's line go around: all of a row or column of a torus, or every second one, third
 * ..? */
bool ob_net_rings(const ob_net *net, const ob_stage *t);

#endif
