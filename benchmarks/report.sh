#!/bin/sh
# benchmarks/report.sh [--quick] [--filter REGEX] [OUT_DIR]: builds the benchmarks in build/benchmarks, measures everything in one go
# (ceilings first, peers in the same processes, PyTorch where a python3 has it, compile time) and writes raw JSON, results.json, table.md
# and plots to OUT_DIR (build/benchmarks/report). Takes a quiet machine and about half an hour; --quick: every row once, to try it.
# --filter is of works and of who does them. FILES=REGEX builds the sources of that name alone; JOBS: of the build.
# To put the figures into the README: copy results.json to benchmarks/results/, named after the machine; benchmarks/table.py --readme.
# Peers that are not installed are left out; Debian has clang, libeigen3-dev, libopenblas-pthread-dev, libdnnl-dev, libxsmm-dev and
# python3-torch.
set -eu
cd "$(dirname "$0")/.."
repetitions=7 seconds=0.15 filter=. quick= out=build/benchmarks/report
while [ $# -gt 0 ]; do
  case $1 in
    --quick) repetitions=1 seconds=0.01 quick=1 ;;
    --filter) shift; filter=$1 ;;
    -*) echo "usage: $0 [--quick] [--filter REGEX] [OUT_DIR]"; exit 2 ;;
    *) out=$1 ;;
  esac
  shift
done
. cmake/setup.sh
have_packages g++ cmake make libbenchmark-dev python3
# Set for one processor on some machines; on others they halve what OpenBLAS does.
unset OPENBLAS_CORETYPE OPENBLAS_L2_SIZE OPENBLAS_NUM_THREADS OMP_NUM_THREADS
build=build/benchmarks
cmake -S . -B $build -DCMAKE_BUILD_TYPE=Release -DDYADIC_BUILD_TESTS=OFF -DDYADIC_BUILD_EXAMPLES=OFF -DDYADIC_BUILD_BENCHMARKS=ON \
  -DDYADIC_BENCHMARKS="${FILES:-.}"
cmake --build $build -j "${JOBS:-$(nproc)}"
mkdir -p "$out"
rm -f "$out"/raw_*.json "$out"/compile.txt
program=$build/benchmarks/benchmarks status=0
commit=$(git rev-parse --short HEAD 2>/dev/null || echo unknown)
git diff --quiet HEAD -- include benchmarks 2>/dev/null || commit=$commit-changed
named='^(fma|avx2|avx512f|avx512_bf16|avx512_vnni|avx_vnni)$'
flags=$(grep -m1 -E '^flags' /proc/cpuinfo 2>/dev/null | tr ' ' '\n' | grep -E "$named" | sort | tr '\n' ' ' || true)
processor=$(grep -m1 'model name' /proc/cpuinfo 2>/dev/null | sed 's/.*: //' || uname -m)

groups=$("$program" --benchmark_list_tests --benchmark_filter="^[^/]*/.*($filter)" | cut -d/ -f1 | awk '$1 != "ceilings" && !seen[$0]++')
for group in ceilings $groups; do
  those=$filter
  [ "$group" != ceilings ] || those=.
  echo "== $group"
  "$program" --benchmark_filter="^$group/.*($those)" --benchmark_repetitions=$repetitions --benchmark_min_time=$seconds \
    --benchmark_enable_random_interleaving=true --benchmark_display_aggregates_only=true \
    --benchmark_context=commit="$commit" --benchmark_context=flags="$flags" --benchmark_context=processor="$processor" \
    --benchmark_out="$out/raw_$group.json" --benchmark_out_format=json || { echo "$group did not end well"; status=1; }
done

python=
for p in python3 /usr/bin/python3; do
  if "$p" -c 'import torch' 2>/dev/null; then python=$p; break; fi
done
if [ -z "$python" ]; then
  echo "Not compared with PyTorch: no python3 here has it (Debian: python3-torch)"
else
  cores=$(nproc)
  OMP_NUM_THREADS=1 "$python" benchmarks/peers/torch_peers.py ${quick:+--quick} --filter "$filter" >"$out/raw_torch_1.json" || status=1
  if [ "$cores" -gt 1 ]; then
    # With busy waiting, two threads of it get in each other's way; the table takes the better of this and one thread.
    OMP_WAIT_POLICY=passive OMP_NUM_THREADS=$cores "$python" benchmarks/peers/torch_peers.py ${quick:+--quick} --filter "$filter" \
      >"$out/raw_torch_all.json" || status=1
  fi
fi
[ -n "$quick" ] || benchmarks/compile.sh >"$out/compile.txt" 2>&1 || true   # says itself what is over its limit
python3 benchmarks/table.py --out "$out" "$out"/raw_*.json || status=$?
exit $status
