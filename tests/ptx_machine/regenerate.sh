#!/bin/sh
# Compiles kernels/*.cu anew into tests/data/ptx, for three architectures. Needs nvcc in the PATH. Usage: regenerate.sh
set -eu
here=$(cd "$(dirname "$0")" && pwd)
out=$here/../data/ptx
command -v nvcc >/dev/null || { echo "regenerate.sh: no nvcc in the PATH" >&2; exit 1; }
mkdir -p "$out"
cd "$here/kernels"
for kernel in *.cu; do
  for arch in sm_80 sm_90 sm_100; do
    target=$out/${kernel%.cu}.$arch.ptx
    # Names of files without the folders of this machine: of the toolkit's, what follows its include folder.
    nvcc -std=c++20 -O3 -arch=$arch -lineinfo --ptx "$kernel" -o - |
      sed -E '/^[[:space:]]*\.file/ s,"[^"]*/(include/[^"]*|[^"/]*)","\1",' >"$target"
  done
done
du -ck "$out"/*.ptx | tail -n 1
