#!/bin/sh
# benchmarks/compile.sh [COMPILER]: seconds to compile, best of five, beside what they should be on an idle machine (g++, -fsyntax-only; the
# program that trains and decodes a 12-layer model at -O2). Counts, which a busy machine does not change, are in tests/compile.
set -eu
cd "$(dirname "$0")/.."
compiler=${1:-g++}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0

best() {  # best NAME MOST RUNS ARGUMENTS...: CPU seconds of the fastest run
  name=$1 most=$2 runs=$3
  shift 3
  least=
  for _ in $(seq "$runs"); do
    /usr/bin/time -o "$work/time" -f '%U %S' "$compiler" -std=c++20 -Iinclude "$@"
    seconds=$(awk '{ print $1 + $2 }' "$work/time")
    least=$(printf '%s %s\n' "$seconds" "${least:-$seconds}" | awk '{ print $1 < $2 ? $1 : $2 }')
  done
  verdict=$(awk -v a="$least" -v b="$most" 'BEGIN { print a <= b ? "" : "   over" }')
  [ -z "$verdict" ] || status=1
  printf '%-44s %6.2f s   of %5.2f s%s\n' "$name" "$least" "$most" "$verdict"
}

for limit in core:0.35 dyadic:1.2 models:1.8; do
  header=${limit%:*}
  echo "#include \"dyadic/$header.hpp\"" >"$work/$header.cpp"
  best "$header.hpp" "${limit#*:}" 5 -fsyntax-only "$work/$header.cpp"
done
best 'training and decoding, 12 layers, -O2' 15 "${RUNS:-5}" -DLAYERS=12 -x c++ -O2 -c tests/compile/program.inc -o "$work/program.o"
exit $status
