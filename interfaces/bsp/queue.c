/*
 * Messages and matrices on their way, and the queues of those that have arrived;
 * they lie where the superstep left them.
 */
#include "machine.h"

/* ----------------------------------------------------------------- messages */

/* An item's payload is at the same distance from a multiple of 64 where it was written and
 * where it is read. */
static char *payload_of_message(const uint64_t *item)
{
    size_t tag = (size_t)(item[0] >> 4);
    return bspm_align(item + 2 + bspm_words(tag), 16);
}

const uint64_t *bspm_message_end(const uint64_t *item)
{
    return (const uint64_t *)(const void *)(payload_of_message(item) + 8 * bspm_words(item[1]));
}

/* Takes what an item needs at most, and gives back what it did not. */
static void shrink(bsp_machine *m, int pid, const uint64_t *end)
{
    m->tail[pid].next = (char *)(uintptr_t)end;
}

void bspm_send(bsp_machine *m, const char *routine, int pid, const void *tag, const void *payload,
               size_t bytes)
{
    size_t tag_bytes = (size_t)m->tag_bytes;
    bspm_check_pid(m, routine, pid);
    bspm_check_size(m, routine, "the payload", bytes);
    if (bytes > INT32_MAX)
        bspm_fault(m, routine, "OB-6009 a payload of %zu bytes; it has at most 2147483647", bytes);
    bool no_tag = tag == NULL && tag_bytes;
    if (no_tag || (payload == NULL && bytes))
        bspm_fault(m, routine, "OB-1002 %s is at address NULL but has %zu bytes",
                   no_tag ? "the tag" : "the payload", no_tag ? tag_bytes : bytes);
    uint64_t *item =
        bspm_take(m, routine, pid, 32 + 8 * (bspm_words(tag_bytes) + bspm_words(bytes)));
    item[0] = BSPM_MESSAGE | (uint64_t)tag_bytes << 4;
    item[1] = bytes;
    bspm_copy(item + 2, tag, tag_bytes);
    bspm_copy(payload_of_message(item), payload, bytes);
    shrink(m, pid, bspm_message_end(item));
}

const uint64_t *bspm_queue_message(bsp_machine *m, const uint64_t *item)
{
    if (m->messages == m->message_space)
        m->message =
            bspm_enlarge(m, m->message, m->messages, &m->message_space, sizeof *m->message);
    m->message[m->messages++] = (bspm_message){.tag = (const char *)(item + 2),
                                               .payload = payload_of_message(item),
                                               .tag_bytes = (size_t)(item[0] >> 4),
                                               .bytes = item[1]};
    m->queued_bytes += item[1];
    return bspm_message_end(item);
}

/* ----------------------------------------------------------------- matrices */

/* Matrices from this size on are handed to ob_superstep_attach as they are. */
enum { ATTACH = 16 << 10 };

static char *payload_of_matrix(const uint64_t *item)
{
    return bspm_align(item + 4, 64);
}

const uint64_t *bspm_matrix_end(const uint64_t *item)
{
    return bspm_is_attached(item) ? item + 4
                                  : (const uint64_t *)(const void *)(payload_of_matrix(item) +
                                                                     8 * bspm_words(item[3]));
}

static void describe(uint64_t *item, const ob_view *a, size_t bytes)
{
    item[0] = BSPM_MATRIX | (uint64_t)a->type << 4 | (uint64_t)a->shape << 12 |
              (uint64_t)(a->unit_diagonal != 0) << 20;
    item[1] = a->m;
    item[2] = a->n;
    item[3] = bytes;
}

void bspm_send_matrix(bsp_machine *m, const char *routine, int pid, const ob_view *a)
{
    size_t bytes = ob_view_count(a) * ob_type_bytes(a->type);
    uint64_t *item = bspm_take(m, routine, pid, 32 + 64 + 8 * bspm_words(bytes));
    describe(item, a, bytes);
    ob_view_pack(a, payload_of_matrix(item));
    shrink(m, pid, bspm_matrix_end(item));
}

void bspm_attach_matrix(bsp_machine *m, const char *routine, int pid, const ob_view *a)
{
    size_t bytes = ob_view_count(a) * ob_type_bytes(a->type);
    if (bytes < ATTACH) {
        bspm_send_matrix(m, routine, pid, a);
        return;
    }
    uint64_t *item = bspm_take(m, routine, pid, 32);
    describe(item, a, bytes);
    item[0] |= BSPM_ATTACHED;
    bspm_check(m, routine, ob_superstep_attach(m->requests, pid, a));
}

const uint64_t *bspm_queue_matrix(bsp_machine *m, const uint64_t *item, char *payload)
{
    if (m->matrices == m->matrix_space)
        m->matrix = bspm_enlarge(m, m->matrix, m->matrices, &m->matrix_space, sizeof *m->matrix);
    m->matrix[m->matrices++] = (bspm_matrix){.base = payload ? payload : payload_of_matrix(item),
                                             .m = item[1],
                                             .n = item[2],
                                             .ld = item[1] ? item[1] : 1,
                                             .type = (ob_type)(item[0] >> 4 & 0xff),
                                             .shape = (ob_shape)(item[0] >> 12 & 0xff),
                                             .unit_diagonal = (int)(item[0] >> 20 & 1)};
    return bspm_matrix_end(item);
}

void bspm_queue_clear(bsp_machine *m)
{
    m->messages = m->first_message = m->queued_bytes = m->matrices = 0;
}
