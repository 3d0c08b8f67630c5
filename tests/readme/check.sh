#!/bin/sh
# check.sh COMPILER README: every C++ program in the README compiles as pasted, without a warning, and runs.
set -eu
compiler=$1 readme=$2
include=$(dirname "$readme")/include
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
awk -v folder="$work" '/^```cpp/ { n++; file = folder "/program" n ".cpp"; next } /^```/ { file = "" } file { print > file }' "$readme"
for program in "$work"/program*.cpp; do
  "$compiler" -std=c++20 -O0 -Wall -Wextra -Wpedantic -Werror -I "$include" "$program" -o "$work/run"
  "$work/run"
done
