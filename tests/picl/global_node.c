/* The node of the manual's second pair of programs (figure 4), written anew; it also
 * makes every other global call from every root. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <openblacs/picl.h>

static int me, used;

static void expect(const char *what, double got, double wanted)
{
    if (got == wanted)
        return;
    printf("node %d of %d: %s gave %g, not %g\n", me, used, what, got, wanted);
    exit(1);
}

static void first_vector(char *to, char *with, int items, int datatype)
{
    memcpy(to, with, (size_t)(items * datasize0(datatype)));
}

static void from_root(int root)
{
    char text[8] = "";
    int is_root = me == root, x = me + 1;
    if (is_root)
        strcpy(text, "picl");
    bcast0(text, is_root ? 5 : (int)sizeof text, 7, root);
    expect("bcast0", strcmp(text, "picl"), 0);
    if (!is_root) {
        x = 0;
        recv0((char *)&x, sizeof x, 100 + root);
    }
    bcast1((char *)&x, sizeof x, 100 + root, root);
    expect("bcast1", x, root + 1);
}

static void to_root(int root)
{
    int is_root = me == root;
    double max = me, min = me;
    long product = 2;
    short bits = (short)(1 << me % 8);
    char odd = (char)(me % 2), all = (char)(me == 0 ? 6 : 7);
    int own = me;
    double high[2] = {me ? me : NAN, me == used - 1 ? NAN : me};
    float low[2] = {me ? (float)me : NAN, me == used - 1 ? NAN : (float)me};
    gmax0((char *)high, 2, PICL_DOUBLE, 17, root);
    gmin0((char *)low, 2, PICL_FLOAT, 18, root);
    gmax0((char *)&max, 1, PICL_DOUBLE, 10, root);
    gmin0((char *)&min, 1, PICL_DOUBLE, 11, root);
    gprod0((char *)&product, 1, PICL_LONG, 12, root);
    gor0((char *)&bits, 1, PICL_SHORT, 13, root);
    gxor0(&odd, 1, PICL_CHAR, 14, root);
    gand0(&all, 1, PICL_CHAR, 15, root);
    gcomb0((char *)&own, 1, PICL_INT, 16, root, first_vector);
    if (!is_root)
        return;
    expect("gmax0", max, used - 1);
    expect("gmin0", min, 0);
    expect("gmax0 keeps a NaN", isnan(high[0]) && isnan(high[1]), 1);
    expect("gmin0 keeps a NaN", isnan(low[0]) && isnan(low[1]), 1);
    expect("gprod0", (double)product, (double)(1l << used));
    expect("gor0", bits, used >= 8 ? 255 : (1 << used) - 1);
    expect("gxor0", odd, used / 2 % 2);
    expect("gand0", all, 6);
    expect("gcomb0", own >= 0 && own < used, 1);
}

int main(void)
{
    int nodes, host, top, order, direction, n, now[4];
    open0(&nodes, &me, &host);
    for (int i = 0; i < 100; i++)
        expect("ginv0", ginv0(gray0(i)), i);
    for (;;) {
        setarc0(&used, &top, &order, &direction);
        if (used == 0)
            break;
        getarc0(&now[0], &now[1], &now[2], &now[3]);
        expect("getarc0", now[0] == used && now[1] == top && now[3] == direction, 1);
        bcast0((char *)&n, sizeof n, 0, host);
        float *results = malloc((size_t)n * sizeof *results);
        for (int i = 0; i < n; i++)
            results[i] = (float)(i + me);
        gsum0((char *)results, n, PICL_FLOAT, 1, host);
        free(results);
        for (int root = 0; root < used; root++) {
            from_root(root);
            to_root(root);
        }
        barrier0();
    }
    close0(0);
    return 0;
}
