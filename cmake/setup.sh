# Sourced by the scripts beside it. have_packages PACKAGE...: installs what is missing of them with apt-get, saying so first;
# where there is no apt-get, checks nothing but the programs, and says what to install.
have_packages() {
  if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    for program in g++ cmake; do
      command -v $program >/dev/null && continue
      echo "This script installs packages on Debian and its relatives only. Here, install what these Debian packages hold:"
      echo "  $*"
      exit 1
    done
    echo "Not a Debian system: taking it that these are installed: $*"
    return
  fi
  missing=
  for package in "$@"; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q '^install ok installed' || missing="$missing $package"
  done
  [ -n "$missing" ] || return 0
  sudo=
  [ "$(id -u)" = 0 ] || sudo=sudo
  if [ -n "$sudo" ] && ! command -v sudo >/dev/null; then
    echo "Missing packages:$missing"
    echo "Install them as root: apt-get install$missing"
    exit 1
  fi
  echo "Installing from the distribution's packages:$missing"
  { $sudo apt-get update -qq && $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing; } >apt.log 2>&1 ||
    { cat apt.log; rm -f apt.log; echo "apt-get could not install:$missing"; exit 1; }
  rm -f apt.log
}
