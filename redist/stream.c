/*
 * What two processes have in common, as a stream of elements: column by column, in each the rows
 * that belong to it. Both see the same order, so a message may end anywhere.
 */
#include "copy.h"
#include "redist.h"

/* ---------------------------------------------------------------- copying */

/* The rows from number `row` on of a column that begins at `column`, between it and a buffer. */
static void copy_rows(const obrd_stream *s, char *column, int64_t row, int64_t count, char *buffer,
                      bool pack)
{
    const size_t bytes = s->move->bytes;
    const obrd_run *run = s->list[0].run + (row ? obrd_list_find(&s->list[0], row) : 0);
    while (count) {
        int64_t skip = row - run->before, length = run[1].before - row;
        length = length < count ? length : count;
        char *at = column + (size_t)(run->here + skip) * bytes;
        size_t n = (size_t)length * bytes;
        if (pack)
            copy_run(buffer, at, n);
        else
            copy_run(at, buffer, n);
        buffer += n;
        row += length;
        count -= length;
        run++;
    }
}

/* ------------------------------------------------------------- trapezoids */

/* The indices of the rows that belong to the column of index `at`: *low to below *high. */
static void range(const obrd_move *v, int64_t at, int64_t *low, int64_t *high)
{
    int64_t m = v->length[0], n = v->length[1], unit = v->without_diagonal;
    *low = 0;
    *high = m;
    if (v->shape == OB_UPPER)
        *high = at + (m > n ? m - n : 0) + 1 - unit;
    else if (v->shape == OB_LOWER)
        *low = at - (n > m ? n - m : 0) + unit;
}

/* The rows of the list that belong to that column: *low to below *high. */
static void rows_of(const obrd_stream *s, int64_t at, int64_t *low, int64_t *high)
{
    range(s->move, at, low, high);
    *low = *low > 0 ? obrd_list_below(&s->list[0], *low) : 0;
    *high = *high < s->move->length[0] ? obrd_list_below(&s->list[0], *high) : s->count[0];
}

/* ---------------------------------------------------------------- streams */

static size_t move(obrd_stream *s, char *buffer, size_t room, bool pack)
{
    const size_t bytes = s->move->bytes;
    int64_t left = (int64_t)(room / bytes), moved = 0;
    if (obrd_stream_ended(s))
        return 0;
    const obrd_run *run = s->list[1].run + obrd_list_find(&s->list[1], s->column);
    while (s->column < s->count[1]) {
        int64_t index = s->column - run->before, low, high;
        rows_of(s, run->at + index, &low, &high);
        int64_t row = s->row > low ? s->row : low;
        int64_t count = high > row ? high - row : 0;
        int64_t now = count < left - moved ? count : left - moved;
        char *column = s->local + (size_t)(run->here + index) * s->ld * bytes;
        if (now)
            copy_rows(s, column, row, now, buffer + (size_t)moved * bytes, pack);
        moved += now;
        if (now < count) {
            s->row = row + now;
            break;
        }
        s->row = 0;
        s->column++;
        run += s->column == run[1].before;
    }
    return (size_t)moved * bytes;
}

size_t obrd_pack(obrd_stream *s, char *to, size_t bytes)
{
    return s->move->transposed ? obrd_pack_transposed(s, to, bytes) : move(s, to, bytes, true);
}

size_t obrd_unpack(obrd_stream *s, const char *from, size_t bytes)
{
    return s->move->transposed ? obrd_unpack_transposed(s, from, bytes)
                               : move(s, (char *)from, bytes, false);
}

void obrd_copy(const obrd_stream *from, const obrd_stream *to)
{
    const size_t bytes = from->move->bytes;
    const obrd_run *in = from->list[1].run, *out = to->list[1].run;
    for (int64_t k = 0; k < from->count[1] && from->count[0]; k++) {
        int64_t low, high;
        rows_of(from, in->at + k - in->before, &low, &high);
        char *a = from->local + (size_t)(in->here + k - in->before) * from->ld * bytes;
        char *b = to->local + (size_t)(out->here + k - out->before) * to->ld * bytes;
        size_t r = low < high && low ? obrd_list_find(&from->list[0], low) : 0;
        for (; low < high; r++) {
            const obrd_run *rows = &from->list[0].run[r];
            int64_t skip = low - rows->before, length = rows[1].before - low;
            length = length < high - low ? length : high - low;
            copy_run(b + (size_t)(to->list[0].run[r].here + skip) * bytes,
                     a + (size_t)(rows->here + skip) * bytes, (size_t)length * bytes);
            low += length;
        }
        in += k + 1 == in[1].before;
        out += k + 1 == out[1].before;
    }
}

/* ---------------------------------------------------------- whole columns */

size_t obrd_column_bytes(const obrd_move *v, const obrd_list *rows, int64_t at)
{
    int64_t low, high;
    range(v, at, &low, &high);
    int64_t count = high < v->length[0] ? obrd_list_below(rows, high) : obrd_list_count(rows);
    count -= low > 0 ? obrd_list_below(rows, low) : 0;
    return count > 0 ? (size_t)count * v->bytes : 0;
}

/* The part of a step that belongs to the column: where it begins in it, and its bytes. */
static inline size_t part_of(const obrd_step *s, int64_t low, int64_t high, size_t bytes,
                             size_t *begin)
{
    int64_t skip = low > s->at ? low - s->at : 0, length = s[1].here - s->here;
    int64_t end = high - s->at < length ? high - s->at : length;
    *begin = (size_t)(s->here + skip) * bytes;
    return end > skip ? (size_t)(end - skip) * bytes : 0;
}

void obrd_deal(const obrd_move *v, const obrd_lines *rows, int64_t at, const char *local, char **to)
{
    const obrd_step *s = rows->step, *end = s + rows->steps;
    const size_t bytes = v->bytes;
    int64_t low, high;
    if (v->shape == OB_GENERAL) {
        for (const char *from = local + (size_t)s->here * bytes; s < end; s++) {
            size_t n = (size_t)(s[1].here - s->here) * bytes;
            copy_ahead(to[s->who], from, n);
            to[s->who] += n;
            from += n;
        }
        return;
    }
    range(v, at, &low, &high);
    for (; s < end; s++) {
        size_t begin, n = part_of(s, low, high, bytes, &begin);
        if (n == 0)
            continue;
        copy_ahead(to[s->who], local + begin, n);
        to[s->who] += n;
    }
}

void obrd_collect(const obrd_move *v, const obrd_lines *rows, int64_t at, char *local,
                  const char **from, bool cached)
{
    const obrd_step *s = rows->step, *end = s + rows->steps;
    const size_t bytes = v->bytes;
    int64_t low, high;
    if (v->shape == OB_GENERAL && !cached) {
        for (char *to = local + (size_t)s->here * bytes; s < end; s++) {
            size_t n = (size_t)(s[1].here - s->here) * bytes;
            copy_past(to, from[s->who], n);
            from[s->who] += n;
            to += n;
        }
        return;
    }
    range(v, at, &low, &high);
    for (; s < end; s++) {
        size_t begin, n = part_of(s, low, high, bytes, &begin);
        if (n == 0)
            continue;
        if (cached)
            copy_run(local + begin, from[s->who], n);
        else
            copy_past(local + begin, from[s->who], n);
        from[s->who] += n;
    }
}
