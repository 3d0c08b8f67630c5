#!/bin/sh
# check_headers.sh COMPILER [FLAGS...]: compiles every public header alone. COMPILER: g++, clang++, nvcc or a path to one of them.
# CUDA headers (include/dyadic/cuda*, exec/cuda*) are for nvcc only; interop headers are skipped where what they include is not installed.
set -u
compiler=$1; shift
cd "$(dirname "$0")/.." || exit 1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
warnings="-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror"
case $compiler in
  # Only the device front end's warnings are ours (its host pass warns about its own output); 20012 and 20015 are Eigen's.
  *nvcc) command="$compiler -std=c++20 -x cu --cuda -Werror all-warnings -diag-suppress 20012,20015 -o $work/out.\$\$.ii" ;;
  *) command="$compiler -std=c++20 $warnings -fsyntax-only -x c++" ;;
esac
eigen=$(pkg-config --cflags-only-I eigen3 2>/dev/null || echo -I/usr/include/eigen3)
export command eigen flags="$*" work
find include/dyadic -name '*.hpp' | sort | sed 's|^include/||' |
  case $compiler in *nvcc) cat ;; *) grep -vE '^dyadic/(exec/)?cuda' ;; esac |
  xargs -P "$(nproc)" -I{} sh -c '
    source=$work/$(echo {} | tr / _).cpp
    echo "#include \"{}\"" >"$source"
    if ! eval "$command" $flags -Iinclude "$(echo $eigen | sed s/-I/-isystem\ /)" "$source" >"$source.log" 2>&1; then
      echo "{}"; head -n 12 "$source.log"
      echo "{}" >>"$work/failed"
    fi'
echo "$(find include/dyadic -name '*.hpp' | wc -l) headers, $(cat "$work/failed" 2>/dev/null | wc -l) failed ($compiler $*)"
[ ! -e "$work/failed" ]
