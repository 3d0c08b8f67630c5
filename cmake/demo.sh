#!/bin/sh
# cmake/demo.sh [--text FILE] [--seconds S]: installs what is missing where apt-get can, builds the demo, trains a Recurrent Transformer and
# a Transformer of equal parameters on English prose, and draws their loss curves. About two minutes. Everything lands in build/demo.
set -eu
text= seconds=60 held_out=131072
while [ $# -gt 0 ]; do
  case $1 in
    --text) text=$(realpath "$2"); shift 2 ;;
    --seconds) seconds=$2; shift 2 ;;
    *) sed -n '2,3s/^# //p' "$0"; exit 2 ;;
  esac
done
cd "$(dirname "$0")/.."
out=build/demo
mkdir -p $out
. cmake/setup.sh
packages="g++ cmake make xz-utils gnuplot-nox"
[ -n "$text" ] || packages="$packages bible-kjv"
have_packages $packages

cmake -S . -B $out -DDYADIC_BUILD_TESTS=OFF -DDYADIC_BUILD_EXAMPLES=ON -DCMAKE_BUILD_TYPE=Release >$out/configure.log || { cat $out/configure.log; exit 1; }
cmake --build $out --target train_on_text -j "$(nproc)"

if [ -z "$text" ]; then
  # The King James Bible, 4 MB, without the verses' numbers.
  text=$out/prose.txt
  bible 'gen1:1-rev22:21' | sed -E 's/^ +[0-9]+ //; /^$/d' >$text
fi
size=$(wc -c <"$text")
[ "$size" -gt 1000000 ] || echo "Note: $text has only $size bytes; a megabyte or more is meant."
tail -c $held_out "$text" | xz -9 -c >$out/held_out.xz
$out/examples/train_on_text --text "$text" --out $out --seconds "$seconds" --held-out $held_out --xz-bytes "$(wc -c <$out/held_out.xz)"
gnuplot -e "data='$out/loss.csv'; image='$out/loss.svg'" examples/*_train_on_text/curves.gnuplot
echo "Loss curves: $out/loss.svg"
