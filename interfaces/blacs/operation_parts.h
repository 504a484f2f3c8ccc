/*
 * Norms and compensated sums: what elements become on the way, combined, and elements again.
 * operation.c includes this once for each type, with R the real type of an element's PARTS
 * (complex: 2) and OF(name) the routine's name.
 */

/* A norm is (scale, sum): scale^2 * sum, with 1 <= sum, or both 0. */
static void OF(norm)(const obl_int *n, void *vw, const void *vv)
{
    R *w = vw;
    const R *v = vv;
    for (obl_int i = 0; i < 2 * *n; i += 2) {
        R s = w[i], t = v[i];
        if (t == 0 || s != s)
            continue;
        if (s == t || (isinf(s) && isinf(t))) {
            w[i + 1] += v[i + 1];
        } else if (s > t) {
            w[i + 1] += v[i + 1] * (t / s) * (t / s);
        } else { /* also where t is NaN */
            w[i + 1] = v[i + 1] + w[i + 1] * (s / t) * (s / t);
            w[i] = t;
        }
    }
}

static void OF(norm_begin)(const obl_int *n, const void *vx, void *vw)
{
    const R *x = vx;
    R *w = vw;
    for (obl_int i = 0; i < *n; i++) {
        R *to = w + 2 * i, part[2] = {0, 0};
        to[0] = to[1] = 0;
        for (int k = 0; k < PARTS; k++) {
            obl_int one = 1;
            part[0] = x[PARTS * i + k] < 0 ? -x[PARTS * i + k] : x[PARTS * i + k];
            part[1] = part[0] != 0;
            OF(norm)(&one, to, part);
        }
    }
}

static void OF(norm_end)(const obl_int *n, const void *vw, void *vx)
{
    const R *w = vw;
    R *x = vx;
    for (obl_int i = 0; i < *n; i++) {
        x[PARTS * i] = w[2 * i] * (R)sqrt((double)w[2 * i + 1]);
        if (PARTS == 2)
            x[PARTS * i + 1] = 0;
    }
}

/* (sum, errors): Knuth's addition without error, errors added up beside. Of complex
 * numbers both parts, sum and errors a complex number each. */
static void OF(sum_begin)(const obl_int *n, const void *vx, void *vw)
{
    const R *x = vx;
    R *w = vw;
    for (obl_int i = 0; i < *n; i++)
        for (int k = 0; k < PARTS; k++) {
            w[2 * PARTS * i + k] = x[PARTS * i + k];
            w[2 * PARTS * i + PARTS + k] = 0;
        }
}

static void OF(sum)(const obl_int *n, void *vw, const void *vv)
{
    R *w = vw;
    const R *v = vv;
    for (obl_int i = 0; i < 2 * PARTS * *n; i += 2 * PARTS)
        for (obl_int k = i; k < i + PARTS; k++) {
            R a = w[k], b = v[k], sum = a + b, t = sum - a;
            w[k] = sum;
            w[k + PARTS] += (a - (sum - t)) + (b - t) + v[k + PARTS];
        }
}

static void OF(sum_end)(const obl_int *n, const void *vw, void *vx)
{
    const R *w = vw;
    R *x = vx;
    for (obl_int i = 0; i < *n; i++)
        for (int k = 0; k < PARTS; k++) {
            R sum = w[2 * PARTS * i + k], error = w[2 * PARTS * i + PARTS + k];
            x[PARTS * i + k] = isfinite(sum) ? sum + error : sum;
        }
}

#undef OF
#undef R
#undef PARTS
