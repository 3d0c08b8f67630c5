#!/bin/sh
# Compiles controls/*.cu anew into tests/data/ptx/controls, for three architectures. Needs nvcc in the PATH. Usage: regenerate_controls.sh
set -eu
here=$(cd "$(dirname "$0")" && pwd)
out=$here/../data/ptx/controls
command -v nvcc >/dev/null || { echo "regenerate_controls.sh: no nvcc in the PATH" >&2; exit 1; }
mkdir -p "$out"
cd "$here/controls"
for kernel in *.cu; do
  for arch in sm_80 sm_90 sm_100; do
    # Names of files without the folders of this machine; no comments, which only repeat what the instructions say.
    nvcc -std=c++20 -O3 -arch=$arch -lineinfo --ptx "$kernel" -o - |
      sed -E '/^[[:space:]]*\.file/ s,"[^"]*/(include/[^"]*|[^"/]*)","\1",; /^[[:space:]]*\/\//d; /^[[:space:]]*$/d' >"$out/${kernel%.cu}.$arch.ptx"
  done
done
du -ck "$out"/*.ptx | tail -n 1
