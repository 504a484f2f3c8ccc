# shellcheck shell=bash
# Points of an earlier run, and the profile of another machine.
cp tests/obbench/points.csv results.csv
cp tests/obbench/machine.profile other.profile
