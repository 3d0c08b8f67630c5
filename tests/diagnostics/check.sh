#!/bin/sh
# check.sh COMPILER CASE.cpp: the case must not compile, its first error must hold the phrase that its first line names as
# "// error: phrase", and what the compiler prints must be short enough to read: 12 lines by g++, 20 by clang.
set -u
compiler=$1 case=$2
include=$(dirname "$0")/../../include
phrase=$(sed -n '1s|^// error: ||p' "$case")
[ -n "$phrase" ] || { echo "$case: its first line is not '// error: phrase'"; exit 1; }

most=12
"$compiler" --version | grep -q clang && most=20
if printed=$("$compiler" -std=c++20 -S -o /dev/null -I "$include" -fdiagnostics-color=never "$case" 2>&1); then
  echo "$case: compiles, but must not"; exit 1
fi
lines=$(printf '%s\n' "$printed" | wc -l)
first=$(printf '%s\n' "$printed" | grep -m 1 'error:')
status=0
case $first in
  *"$phrase"*) ;;
  *) echo "$case: the first error does not say '$phrase'"; status=1 ;;
esac
[ "$lines" -le "$most" ] || { echo "$case: $lines lines, more than $most"; status=1; }
[ $status -eq 0 ] || printf '%s\n' "$printed" | head -n 40
exit $status
