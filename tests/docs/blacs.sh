# shellcheck shell=bash
. tests/docs/README.sh
# The program that the README shows.
sed -n '/^```c file=sum.c$/,/^```$/p' README.md | sed '1d;$d' >sum.c
