// The same client in C++: the header must compile and link as C++ too, and
// take std::complex without a cast.
#include <openblacs/blacs.h>

#include <complex>
#include <cstdio>

int main()
{
    int me, count, context, rows, columns, row, column;
    Cblacs_pinfo(&me, &count);
    Cblacs_get(-1, 0, &context);
    Cblacs_gridinit(&context, "Row", 1, count);
    Cblacs_gridinfo(context, &rows, &columns, &row, &column);

    double out[2] = {me + 1.0, 0.5}, in[2] = {0, 0};
    Cdgesd2d(context, 2, 1, out, 2, 0, (column + 1) % columns);
    Cdgerv2d(context, 2, 1, in, 2, 0, (column + columns - 1) % columns);
    Cdgsum2d(context, "All", " ", 2, 1, in, 2, -1, -1);

    std::complex<double> z(me, 1);
    Czgsum2d(context, "All", " ", 1, 1, &z, 1, -1, -1);

    const bool right = in[0] == count * (count + 1) / 2.0 && in[1] == 0.5 * count &&
                       z == std::complex<double>(count * (count - 1) / 2.0, count);
    if (me == 0)
        std::printf("%s: %d processes\n", right ? "right" : "wrong", count);
    Cblacs_gridexit(context);
    Cblacs_exit(0);
    return right ? 0 : 1;
}
