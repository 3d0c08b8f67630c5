#!/bin/sh
# cmake/test.sh [BUILD_FOLDER]: installs what the tests need where apt-get can, builds them and runs the fast tier.
set -eu
cd "$(dirname "$0")/.."
build=${1:-build/test}
. cmake/setup.sh
have_packages g++ cmake make libeigen3-dev doctest-dev python3
cmake -S . -B "$build" -DDYADIC_BUILD_TESTS=ON -DDYADIC_BUILD_EXAMPLES=QUICK -DDYADIC_WERROR="${DYADIC_WERROR:-OFF}"
cmake --build "$build" -j "$(nproc)"
ctest --test-dir "$build" -L fast -j "$(nproc)" --output-on-failure
