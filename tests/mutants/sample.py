"""The tree of run.py --self-test: one function, one test of it, and a bug for each verdict."""
from rooms import Room, Test
from rules import Mutant

SOURCES = {
    "CMakeLists.txt": """cmake_minimum_required(VERSION 3.16)
project(sample C)
add_executable(sum_test src/sum.c sum_test.c)
""",
    "src/sum.c": """#include <stdio.h>
#include <unistd.h>

/* The sum of the numbers below n, or -1 and a line: for (;;) if (n < 0) is only said. */
int sum_below(int n)
{
    int sum = 0;
    if (n < 0) {
        puts("OpenBLACS: sum_below: the number is negative");
        return -1;
    }
    for (int i = 0; i < n; i++)
        sum += i;
    int unused = n;
    (void)unused;
    return sum;
}
""",
    "sum_test.c": """#include <stdio.h>
int sum_below(int n);
int main(void)
{
    int right = sum_below(5);
    if (right < 0)
        return 1;
    printf("%d passed, %d failed\\n", right == 10, right != 10);
    return right != 10;
}
""",
}


def by_hand(why, old, new):
    return Mutant("src/sum.c", old, 1, new, why)


# Each has the verdict that it must get for its name.
BY_HAND = [
    by_hand("wrong result", "return sum;", "return sum + 1;"),
    by_hand("a line", "if (n < 0) {", "if (n > 0) {"),
    by_hand("a signal", "int unused = n;", "int unused = *(volatile int *)0;"),
    by_hand("time limit", "int unused = n;", "int unused = n; pause();"),
    by_hand("survives", "int unused = n;", "int unused = n + 1;"),
    by_hand("does not compile", "int unused = n;", "int unused = m;"),
    by_hand("not there", "int used = n;", "int used = 0;"),
]
ROOMS = {"sample": Room(2, ["src/*.c"], ["sum_test"])}
TESTS = {"sum_test": Test(["sum_test"], ["@build/sum_test"], {}, r"^[1-9]\d* passed, 0 failed$")}


def write(root):
    for path, text in SOURCES.items():
        at = root / path
        at.parent.mkdir(parents=True, exist_ok=True)
        at.write_text(text)
