/*
 * Point to point: every type, shape and mode, blocking and not, around a ring; wildcards,
 * shorter and longer messages, statuses; waiting for many, probing, taking back. With one
 * process all goes to itself.
 */
#include "harness.h"
#include "openblacs/core.h"

static grid g;
static int left, right; /* columns of the 1 x P grid */

static const struct part {
    int m, n, ld;
    char uplo, diag;
} parts[] = {{1, 1, 1, 'G', 'N'},      {5, 3, 5, 'G', 'N'}, {5, 3, 9, 'G', 'N'},
             {0, 4, 3, 'G', 'N'},      {4, 0, 4, 'G', 'N'}, {97, 61, 111, 'G', 'N'},
             {7, 4, 8, 'U', 'N'},      {4, 7, 6, 'U', 'U'}, {7, 4, 7, 'L', 'U'},
             {4, 7, 5, 'L', 'N'},      {6, 6, 6, 'U', 'U'}, {200, 200, 203, 'L', 'N'},
             {300, 200, 301, 'U', 'N'}};
enum { PARTS = sizeof parts / sizeof parts[0] };

/* mode: 0 standard, 1 ready, 2 synchronous, 3 buffered. request NULL: blocking. */
static int send_in(int mode, const void *a, const struct part *p, MLACS_Type t, int tag,
                   MLACS_Request *r)
{
    if (p->uplo == 'G' && r == NULL)
        return (mode == 0   ? mlacs_send
                : mode == 1 ? mlacs_rsend
                : mode == 2 ? mlacs_ssend
                            : mlacs_bsend)(a, p->ld, p->m, p->n, t, 0, right, tag, g.all);
    if (p->uplo == 'G')
        return (mode == 0   ? mlacs_isend
                : mode == 1 ? mlacs_irsend
                : mode == 2 ? mlacs_issend
                            : mlacs_ibsend)(a, p->ld, p->m, p->n, t, 0, right, tag, g.all, r);
    if (r == NULL)
        return (mode == 0   ? mlacs_send_trap
                : mode == 1 ? mlacs_rsend_trap
                : mode == 2 ? mlacs_ssend_trap
                            : mlacs_bsend_trap)(a, p->ld, p->m, p->n, p->uplo, p->diag, t, 0, right,
                                                tag, g.all);
    return (mode == 0   ? mlacs_isend_trap
            : mode == 1 ? mlacs_irsend_trap
            : mode == 2 ? mlacs_issend_trap
                        : mlacs_ibsend_trap)(a, p->ld, p->m, p->n, p->uplo, p->diag, t, 0, right,
                                             tag, g.all, r);
}

static int receive(void *a, const struct part *p, MLACS_Type t, int row, int column, int tag,
                   MLACS_Request *r, MLACS_Status *s)
{
    if (r && p->uplo == 'G')
        return mlacs_irecv(a, p->ld, p->m, p->n, t, row, column, tag, g.all, r);
    if (r)
        return mlacs_irecv_trap(a, p->ld, p->m, p->n, p->uplo, p->diag, t, row, column, tag, g.all,
                                r);
    if (p->uplo == 'G')
        return mlacs_recv(a, p->ld, p->m, p->n, t, row, column, tag, g.all, s);
    return mlacs_recv_trap(a, p->ld, p->m, p->n, p->uplo, p->diag, t, row, column, tag, g.all, s);
}

static void is_status(const MLACS_Status *s, int column, int tag, MLACS_Type t, int count)
{
    check(s->row == 0 && s->column == column && s->rank == column && s->tag == tag &&
              s->type == (int)t && s->count == count && s->cancelled == 0,
          "status: (%d,%d) rank %d tag %d type %d count %lld cancelled %d", s->row, s->column,
          s->rank, s->tag, s->type, (long long)s->count, s->cancelled);
}

/* One message around the ring. how: bit 0 non-blocking send, bit 1 blocking receive,
 * bit 2 wildcard source, bit 3 wildcard tag. */
static void pass_round(const struct part *p, MLACS_Type t, int mode, int how, int tag)
{
    size_t bytes = type_bytes[t];
    int count = elements(p->uplo, p->diag, p->m, p->n);
    uint64_t seed = mix((uint64_t)tag) << 24;
    unsigned char *a =
        new_matrix(bytes, p->uplo, p->diag, p->m, p->n, p->ld, seed + (uint64_t)world.me, count);
    unsigned char *b = new_matrix(bytes, p->uplo, p->diag, p->m, p->n, p->ld, 0, 0);
    MLACS_Request in = MLACS_REQUEST_NULL, out = MLACS_REQUEST_NULL;
    MLACS_Status s = {0};
    int blocking = (how & 2) && (mode == 0 || mode == 3);
    int any = how & 4, row = any ? MLACS_ANY_ROW : 0, column = any ? MLACS_ANY_COLUMN : left;
    int asked = how & 8 ? MLACS_ANY_TAG : tag;
    if (!blocking)
        fine(receive(b, p, t, row, column, asked, &in, NULL), "irecv");
    if (mode == 1)
        fine(mlacs_barrier(g.all), "mlacs_barrier");
    fine(send_in(mode, a, p, t, tag, how & 1 ? &out : NULL), "send");
    if (blocking)
        fine(receive(b, p, t, row, column, asked, NULL, &s), "recv");
    else
        fine(mlacs_wait(&in, &s), "mlacs_wait");
    fine(mlacs_wait(&out, MLACS_STATUS_IGNORE), "mlacs_wait");
    check(in.operation == NULL && out.operation == NULL, "a request is left");
    is_status(&s, left, tag, t, count);
    check(is_matrix(b, bytes, p->uplo, p->diag, p->m, p->n, p->ld, seed + (uint64_t)left, count),
          "%d x %d %c%c of type %d, mode %d, how %d", p->m, p->n, p->uplo, p->diag, (int)t, mode,
          how);
    free(a);
    free(b);
}

static void all_kinds(void)
{
    int tag = 1;
    for (int k = 0; k < PARTS; k++)
        for (int t = MLACS_INT; t <= MLACS_BYTE; t++)
            for (int mode = 0; mode < 4; mode++)
                for (int how = (k + t + mode) % 5; how < 16; how += 5)
                    pass_round(&parts[k], (MLACS_Type)t, mode, how, tag++);
}

/* A shorter message fills the first elements; a longer one, and one of another type, is
 * an error, and gone. */
static void sizes(void)
{
    const struct part whole = {6, 5, 8, 'G', 'N'}, less = {4, 2, 4, 'G', 'N'};
    MLACS_Status s;
    unsigned char *a = new_matrix(8, 'G', 'N', 6, 5, 8, 3, 30);
    unsigned char *few = new_matrix(8, 'G', 'N', 4, 2, 4, 3, 8);
    unsigned char *b = new_matrix(8, 'G', 'N', 6, 5, 8, 0, 0);
    fine(send_in(0, few, &less, MLACS_DOUBLE, 1, NULL), "mlacs_send");
    fine(receive(b, &whole, MLACS_DOUBLE, 0, left, 1, NULL, &s), "mlacs_recv");
    is_status(&s, left, 1, MLACS_DOUBLE, 8);
    check(is_matrix(b, 8, 'G', 'N', 6, 5, 8, 3, 8), "a shorter message");
    fine(send_in(0, few, &less, MLACS_DOUBLE, 1, NULL), "mlacs_send");
    fine(receive(b, &whole, MLACS_DOUBLE, MLACS_ANY_ROW, MLACS_ANY_COLUMN, 1, NULL, &s),
         "mlacs_recv");
    is_status(&s, left, 1, MLACS_DOUBLE, 8);
    fine(send_in(0, a, &whole, MLACS_DOUBLE, 2, NULL), "mlacs_send");
    ends_with(MLACS_ERR_TRUNCATE, receive(few, &less, MLACS_DOUBLE, 0, left, 2, NULL, &s),
              "mlacs_recv");
    is_status(&s, left, 2, MLACS_DOUBLE, 30);
    check(is_matrix(few, 8, 'G', 'N', 4, 2, 4, 3, 8), "a message too long was written");
    fine(send_in(0, few, &less, MLACS_DOUBLE, 3, NULL), "mlacs_send");
    ends_with(MLACS_ERR_TRUNCATE, receive(b, &whole, MLACS_COMPLEX, 0, left, 3, NULL, &s),
              "mlacs_recv");
    MLACS_Request r;
    fine(receive(b, &less, MLACS_FLOAT, 0, left, 4, &r, NULL), "mlacs_irecv");
    fine(send_in(2, a, &whole, MLACS_DOUBLE, 4, NULL), "mlacs_ssend");
    ends_with(MLACS_ERR_TRUNCATE, mlacs_wait(&r, &s), "mlacs_wait");
    is_status(&s, left, 4, MLACS_DOUBLE, 30);
    check(r.operation == NULL, "a failed request is left");
    /* Bytes are anything, and the next message is the next one. */
    const struct part raw = {240, 1, 240, 'G', 'N'};
    fine(send_in(0, a, &whole, MLACS_DOUBLE, 5, NULL), "mlacs_send");
    unsigned char *bytes = malloc(240);
    fine(receive(bytes, &raw, MLACS_BYTE, 0, left, 5, NULL, &s), "mlacs_recv");
    is_status(&s, left, 5, MLACS_DOUBLE, 30);
    check(memcmp(bytes, a, 6 * 8) == 0 && memcmp(bytes + 6 * 8, a + 8 * 8, 6 * 8) == 0,
          "a matrix as bytes");
    free(bytes);
    free(a);
    free(b);
    free(few);
}

enum { MANY = 40 };

/* Many receives in one array, ended in several ways; messages come last first. */
static void many(int way)
{
    int32_t got[MANY], sent[MANY], index, flag, ended = 0;
    MLACS_Request r[MANY];
    MLACS_Status s[MANY];
    fine(mlacs_barrier(g.all), "mlacs_barrier");
    for (int i = 0; i < MANY; i++) {
        got[i] = -1;
        sent[i] = world.me * 1000 + i;
        fine(mlacs_irecv(&got[i], 1, 1, 1, MLACS_INT, i % 3 ? 0 : MLACS_ANY_ROW,
                         i % 3 ? left : MLACS_ANY_COLUMN, 100 + i, g.all, &r[i]),
             "mlacs_irecv");
    }
    for (int i = MANY - 1; i >= 0; i--)
        fine(mlacs_send(&sent[i], 1, 1, 1, MLACS_INT, 0, right, 100 + i, g.all), "mlacs_send");
    if (way == 0)
        fine(mlacs_waitall(MANY, r, s), "mlacs_waitall");
    while (way == 1) {
        fine(mlacs_waitany(MANY, r, &index, &s[MANY - 1]), "mlacs_waitany");
        if (index < 0)
            break;
        check(s[MANY - 1].tag == 100 + index && got[index] == left * 1000 + index,
              "waitany: index %d", index);
        ended++;
    }
    for (flag = 1, index = 0; way == 2 && (flag == 0 || index >= 0);) {
        fine(mlacs_testany(MANY, r, &index, &flag, &s[0]), "mlacs_testany");
        ended += flag && index >= 0;
    }
    for (int i = 0; way == 3 && i < MANY; i++)
        for (flag = 0; !flag;)
            fine(mlacs_test(&r[i], &flag, &s[i]), "mlacs_test");
    check(way == 0 || way == 3 || ended == MANY, "%d of %d requests ended", ended, MANY);
    for (int i = 0; i < MANY; i++)
        check(got[i] == left * 1000 + i && r[i].operation == NULL, "receive %d has %d", i, got[i]);
    for (int i = 0; way == 0 && i < MANY; i++)
        is_status(&s[i], left, 100 + i, MLACS_INT, 1);
}

/* Two of three requests fail: the code and the line are those of the first. */
static void failing_together(void)
{
    double a[5] = {1, 2, 3, 4, 5}, b[3][5];
    MLACS_Request r[3];
    MLACS_Status s[3];
    for (int i = 0; i < 3; i++)
        fine(mlacs_irecv(b[i], 3, 3, 1, i == 1 ? MLACS_INT : MLACS_DOUBLE, 0, left, 20 + i, g.all,
                         &r[i]),
             "mlacs_irecv");
    for (int i = 0; i < 3; i++)
        fine(mlacs_send(a, 5, i == 2 ? 3 : 5, 1, MLACS_DOUBLE, 0, right, 20 + i, g.all),
             "mlacs_send");
    ends_with(MLACS_ERR_TRUNCATE, mlacs_waitall(3, r, s), "mlacs_waitall");
    check(strstr(mlacs_error_text(), "request 0: ") && strstr(mlacs_error_text(), "3 double"),
          "mlacs_waitall's line is of another request: %s", mlacs_error_text());
    check(s[2].count == 3 && b[2][2] == 3 && r[0].operation == NULL && r[1].operation == NULL,
          "the requests beside those that failed");
}

static void probes(void)
{
    int32_t a[6] = {1, 2, 3, 4, 5, world.me}, b[6];
    int flag = 1;
    MLACS_Status s;
    fine(mlacs_barrier(g.all), "mlacs_barrier");
    fine(mlacs_iprobe(0, left, 500, g.all, &flag, &s), "mlacs_iprobe");
    check(flag == 0, "a message nobody sent");
    fine(mlacs_send(a, 1, 1, 6, MLACS_INT, 0, right, 501, g.all), "mlacs_send");
    fine(mlacs_probe(MLACS_ANY_ROW, MLACS_ANY_COLUMN, MLACS_ANY_TAG, g.all, &s), "mlacs_probe");
    is_status(&s, left, 501, MLACS_INT, 6);
    for (flag = 0; !flag;)
        fine(mlacs_iprobe(s.row, s.column, s.tag, g.all, &flag, &s), "mlacs_iprobe");
    is_status(&s, left, 501, MLACS_INT, 6);
    fine(mlacs_recv(b, 6, 6, 1, MLACS_INT, s.row, s.column, s.tag, g.all, &s), "mlacs_recv");
    check(b[4] == 5 && b[5] == left, "the message probed");
}

static void taking_back(void)
{
    int32_t a = world.me, b = -1, c = -1;
    MLACS_Request r, q;
    MLACS_Status s;
    fine(mlacs_irecv(&b, 1, 1, 1, MLACS_INT, 0, left, 600, g.all, &r), "mlacs_irecv");
    fine(mlacs_irecv(&c, 1, 1, 1, MLACS_INT, 0, left, 600, g.all, &q), "mlacs_irecv");
    fine(mlacs_cancel(&r), "mlacs_cancel");
    fine(mlacs_wait(&r, &s), "mlacs_wait");
    check(s.cancelled == 1 && s.row == -1 && s.count == 0 && b == -1, "a receive taken back");
    fine(mlacs_barrier(g.all), "mlacs_barrier");
    fine(mlacs_send(&a, 1, 1, 1, MLACS_INT, 0, right, 600, g.all), "mlacs_send");
    fine(mlacs_wait(&q, &s), "mlacs_wait");
    check(c == left && b == -1, "the next receive has %d, the one taken back %d", c, b);
    /* One that a message has met is received. */
    fine(mlacs_irecv(&b, 1, 1, 1, MLACS_INT, 0, left, 601, g.all, &r), "mlacs_irecv");
    fine(mlacs_ssend(&a, 1, 1, 1, MLACS_INT, 0, right, 601, g.all), "mlacs_ssend");
    int flag = 0;
    while (!flag)
        fine(mlacs_test(&r, &flag, &s), "mlacs_test");
    fine(mlacs_cancel(&r), "mlacs_cancel");
    check(s.cancelled == 0 && b == left, "a receive that was done has %d", b);
}

static void is_apart(int code, const char *routine)
{
    ends_with(MLACS_ERR_ARG, code, routine);
    check(strstr(mlacs_error_text(), "between a begin and an end of calls that are put together") !=
              NULL,
          "%s among calls that are put together: %s", routine, mlacs_error_text());
}

/* What would be there only at the end is refused; what does not wait, and sends, are as ever. */
static void among_those_put_together(void)
{
    double a = world.me, b = -1, c = -1;
    MLACS_Request r, q;
    MLACS_Status s;
    check(ob_together_begin() == OB_OK, "ob_together_begin");
    is_apart(mlacs_recv(&b, 1, 1, 1, MLACS_DOUBLE, 0, left, 700, g.all, &s), "mlacs_recv");
    is_apart(mlacs_recv_trap(&b, 1, 1, 1, 'U', 'N', MLACS_DOUBLE, 0, left, 700, g.all, &s),
             "mlacs_recv_trap");
    is_apart(mlacs_bcast(&b, 1, 1, 1, MLACS_DOUBLE, 0, 0, g.all), "mlacs_bcast");
    is_apart(mlacs_bcast_trap(&b, 1, 1, 1, 'U', 'N', MLACS_DOUBLE, 0, 0, g.all),
             "mlacs_bcast_trap");
    is_apart(mlacs_reduce_sum(&a, &b, 1, 1, 1, MLACS_DOUBLE, 0, 0, g.all), "mlacs_reduce_sum");
    is_apart(mlacs_allreduce_sum(&a, &b, 1, 1, 1, MLACS_DOUBLE, g.all), "mlacs_allreduce_sum");
    check(b == -1, "a call that is refused has received %g", b);
    fine(mlacs_send(&a, 1, 1, 1, MLACS_DOUBLE, 0, right, 700, g.all), "mlacs_send");
    fine(mlacs_irecv(&b, 1, 1, 1, MLACS_DOUBLE, 0, left, 700, g.all, &r), "mlacs_irecv");
    fine(mlacs_iallreduce_sum(&a, &c, 1, 1, 1, MLACS_DOUBLE, g.all, &q), "mlacs_iallreduce_sum");
    fine(mlacs_wait(&r, &s), "mlacs_wait");
    fine(mlacs_wait(&q, &s), "mlacs_wait");
    check(b == left && c == world.count * (world.count - 1) / 2, "received %g, the sum is %g", b,
          c);
    check(ob_together_end() == OB_OK, "ob_together_end");
}

int main(void)
{
    begin();
    g = make_grid(1, world.count);
    left = (world.me + world.count - 1) % world.count;
    right = (world.me + 1) % world.count;
    all_kinds();
    fine(mlacs_barrier(g.all), "mlacs_barrier");
    sizes();
    for (int way = 0; way < 4; way++)
        many(way);
    failing_together();
    probes();
    fine(mlacs_barrier(g.all), "mlacs_barrier");
    taking_back();
    fine(mlacs_barrier(g.all), "mlacs_barrier");
    among_those_put_together();
    end_grid(&g);
    return finish();
}
