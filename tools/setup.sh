#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Installs the dependencies of Espalier that this machine lacks: Debian packages, and StarPU 1.4.
# If the distribution's StarPU is new enough, it is used. Otherwise the source package of a newer Debian suite is built with the patches in
# tools/starpu into ${XDG_CACHE_HOME:-$HOME/.cache}/espalier/starpu-<version>-p7, once per user.
# Repeated runs find everything in place and need no network.
# Usage: tools/setup.sh [--ccache] [--coverage] [--cuda] [--docs] [--eigen] [--fortran] [--fuzz] [--packages] [--pardiso]
#   [--petsc] [--python] [--python-tests] [--races] [--shells] [--simgrid]
#   --ccache    installs ccache, so that several builds share compiled files
#   --coverage  installs gcovr, for tools/dev/coverage.sh
#   --cuda      builds a second StarPU, with CUDA workers, into starpu-<version>-p7-cuda
#   --docs      installs Doxygen and Sphinx, for tools/dev/docs.sh
#   --eigen     downloads the source package of the installed Eigen into eigen-<version>, for tests/bindings/eigen/run.sh
#   --fortran   installs gfortran, for -DESPALIER_FORTRAN=ON
#   --fuzz      installs clang with libFuzzer, for tools/dev/fuzz.sh
#   --packages  builds a StarPU for up to 256 cores into starpu-<version>-p7-packages, for tools/packaging/deb.sh, and installs
#               programs that check packages
#   --pardiso   creates a Python environment with programs that load PARDISO in python-pardiso, for tests/bindings/pardiso/programs.py
#               and tools/bench/callers.py
#   --petsc     installs PETSc, its tutorials, petsc4py and slepc4py, for -DESPALIER_PETSC=ON and tests/bindings/petsc/run.sh
#   --python    creates a Python environment with nanobind, NumPy and SciPy in python
#   --python-tests  adds pytest and scikit-sparse 0.4 to this environment, for tests/bindings/python/theirs.sh
#   --races     builds a StarPU with the thread sanitizer into starpu-<version>-p7-races, for tools/dev/races.sh
#   --shells    installs zsh, fish and man, for tests of the completion and of the manual
#   --simgrid   installs SimGrid and builds a StarPU that runs inside it into starpu-<version>-p7-simgrid
set -euo pipefail

readonly starpu_floor=1.4
readonly patches=$(cd "$(dirname "${BASH_SOURCE[0]}")/starpu" && pwd)
# Must be increased when the code in a patch of starpu/ changes, so that existing users get a new StarPU. The texts before the code may change.
readonly patched=p7
readonly cache=${XDG_CACHE_HOME:-$HOME/.cache}/espalier
readonly log=$cache/setup.log

# Alternatives of one package are separated by "|", the preferred name first.
readonly packages=(
  cmake g++ make ninja-build "pkgconf|pkg-config" python3
  libopenmpi-dev openmpi-bin libhwloc-dev "libopenblas-pthread-dev|libopenblas-dev"
  libptscotch-dev libmetis-dev libsuitesparse-dev zlib1g-dev
  libcli11-dev libfmt-dev nlohmann-json3-dev libgtest-dev libgmock-dev libeigen3-dev
)
readonly source_packages=(dpkg-dev patch xz-utils)
readonly docs_packages=(doxygen furo python3-breathe python3-myst-parser python3-sphinx python3-sphinx-copybutton)
readonly petsc_packages=(libpetsc-real3.18-dev libpetsc3.18-dev-examples python3-petsc4py libslepc-real3.18-dev python3-slepc4py python3-numpy)

scratch=
trap '[ -z "$scratch" ] || rm -rf "$scratch"' EXIT

fail() {
  printf 'setup: %s\n' "$*" >&2
  exit 1
}

# done_step SECONDS_AT_START TEXT: prints a line with the time of a step.
done_step() { printf 'setup: %4d s  %s\n' $((SECONDS - $1)) "$2"; }

# logged COMMAND...: writes the output only to the log file.
logged() { "$@" >>"$log" 2>&1; }

# ---------------------------------------------------------------- Debian packages

installed() { [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }

# Prints the first alternative that is installed, or fails.
installed_alternative() {
  local name
  for name in ${1//|/ }; do installed "$name" && return; done
  return 1
}

missing_packages() {
  local spec
  for spec in "$@"; do installed_alternative "$spec" || printf '%s\n' "$spec"; done
}

# Prints the version that apt would install, or nothing.
candidate() { apt-cache policy "$1" 2>/dev/null | awk '$1 == "Candidate:" && $2 != "(none)" {print $2}'; }

# Prints the first alternative of each argument that the distribution has.
available() {
  local spec name
  for spec in "$@"; do
    for name in ${spec//|/ }; do
      [ -z "$(candidate "$name")" ] || { printf '%s\n' "$name" && continue 2; }
    done
    fail "the package sources of this machine offer no package ${spec//|/ or }; enable the distribution's main archive and run tools/setup.sh again."
  done
}

# Runs a command that changes the system: directly as root, else with sudo.
as_root() {
  if [ "$(id -u)" = 0 ]; then
    env DEBIAN_FRONTEND=noninteractive "$@"
  else
    sudo env DEBIAN_FRONTEND=noninteractive "$@"
  fi
}

may_install() {
  [ "$(id -u)" = 0 ] || { command -v sudo >/dev/null && { [ -t 0 ] || sudo -n true 2>/dev/null; }; }
}

apt_lists_fresh=no
update_apt_lists() {
  [ "$apt_lists_fresh" = no ] || return 0
  logged as_root apt-get update -q || printf 'setup: apt-get update failed (%s); using the existing lists.\n' "$log" >&2
  apt_lists_fresh=yes
}

# install_packages SPEC...: installs the missing packages. Does nothing if all are installed.
install_packages() {
  local missing names
  mapfile -t missing < <(missing_packages "$@")
  [ ${#missing[@]} -gt 0 ] || return 0
  may_install || fail "these packages are missing: ${missing[*]//|/ or }; have an administrator run \"apt-get install ${missing[*]%%|*}\", then run tools/setup.sh again."
  update_apt_lists
  names=$(available "${missing[@]}") || exit 1
  # shellcheck disable=SC2086 # one word per package
  logged as_root apt-get install -q -y --no-install-recommends $names ||
    fail "apt-get could not install" $names "(see $log); repair the package sources and run tools/setup.sh again."
}

# ---------------------------------------------------------------- StarPU: installed versions

# usable_starpu [PKG_CONFIG_DIR]: prints the version if StarPU is new enough and has StarPU-MPI, else fails.
usable_starpu() {
  local path=${1:-}${1:+:}${PKG_CONFIG_PATH:-}
  PKG_CONFIG_PATH=$path pkg-config --exists "starpu-1.4 >= $starpu_floor" starpumpi-1.4 2>/dev/null &&
    PKG_CONFIG_PATH=$path pkg-config --modversion starpu-1.4
}

# private_prefix PATTERN: prints the newest usable private prefix of that name, or fails.
private_prefix() {
  local prefix
  while read -r prefix; do
    usable_starpu "$prefix/lib/pkgconfig" >/dev/null && printf '%s\n' "$prefix" && return
  done < <(compgen -G "$cache/$1" | sort -rV)
  return 1
}

found_starpu() {
  local version prefix
  if version=$(usable_starpu); then
    printf 'StarPU %s of the system\n' "$version"
  elif prefix=$(private_prefix "starpu-*-$patched"); then
    printf 'StarPU in %s\n' "$prefix"
  else
    return 1
  fi
}

install_distribution_starpu() {
  local version
  may_install || return 1
  update_apt_lists
  version=$(candidate libstarpu-dev)
  [ -n "$version" ] && dpkg --compare-versions "$version" ge $starpu_floor || return 1
  logged as_root apt-get install -q -y --no-install-recommends libstarpu-dev && usable_starpu >/dev/null
}

# ---------------------------------------------------------------- StarPU: from a newer Debian suite

# Prints "URI keyring" of the first Debian main archive in apt's sources. The security archive does not count, because it has no complete
# set of sources.
debian_archive() {
  local file
  for file in /etc/apt/sources.list.d/*.sources /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
    [ -r "$file" ] || continue
    case $file in
      *.sources) deb822_entries "$file" ;;
      *) one_line_entries "$file" ;;
    esac
  done | awk '$1 !~ /security/ {print; exit}'
}

# Both print "URI keyring" for each entry of type deb with component main that is signed by a Debian key.
deb822_entries() {
  awk 'BEGIN { RS = ""; FS = "\n" }
    { uri = types = parts = key = ""; on = 1
      for (i = 1; i <= NF; i++) {
        if ($i ~ /^#/) continue
        value = $i; sub(/^[^:]*:[ \t]*/, "", value)
        if ($i ~ /^URIs:/) { split(value, uris, /[ \t]+/); uri = uris[1] }
        if ($i ~ /^Types:/) types = value
        if ($i ~ /^Components:/) parts = value
        if ($i ~ /^Signed-By:/) key = value
        if ($i ~ /^Enabled:[ \t]*no/) on = 0
      }
      if (on && uri && types ~ /deb/ && parts ~ /(^| )main( |$)/ && (key == "" || key ~ /debian/)) print uri, key }' "$1"
}

one_line_entries() {
  sed -n 's/^deb[ \t][ \t]*//p' "$1" | awk '{
    key = ""
    while ($1 ~ /^\[/ || inside) {
      inside = $1 !~ /\]$/
      if (match($1, /signed-by=[^] ]*/)) key = substr($1, RSTART + 10, RLENGTH - 10)
      sub(/^[^ \t]+[ \t]+/, "")
    }
    if ((" " $0 " ") ~ / main / && (key == "" || key ~ /debian/)) print $1, key }'
}

# Runs apt with separate lists and sources below $scratch, so that the system's sources do not change. Old lists are accepted if they are
# signed, because many machines use a mirror that is not updated.
private_apt() {
  local tool=$1
  shift
  "$tool" -q -o Dir::State::lists="$scratch/lists" -o Dir::Cache="$scratch/cache" \
    -o Dir::Etc::sourcelist="$scratch/newer.sources" -o Dir::Etc::sourceparts=- \
    -o Acquire::Languages=none -o Acquire::Check-Valid-Until=false -o APT::Sandbox::User="$(id -un)" "$@"
}

# open_suites SUITE...: writes the private sources for these suites and downloads their lists.
open_suites() {
  local uri keyring
  read -r uri keyring < <(debian_archive) ||
    fail "the apt sources of this machine name no Debian archive with source packages; add one, or install StarPU >= $starpu_floor yourself, and run tools/setup.sh again."
  [ -r "${keyring:-}" ] || keyring=/usr/share/keyrings/debian-archive-keyring.gpg
  [ -r "$keyring" ] || fail "the keys of the Debian archive are missing; install the package debian-archive-keyring and run tools/setup.sh again."
  mkdir -p "$scratch"/{lists,cache/archives}/partial
  printf 'Types: deb-src\nURIs: %s\nSuites: %s\nComponents: main\nSigned-By: %s\n' \
    "$uri" "$*" "$keyring" >"$scratch/newer.sources"
  # A mirror may lack one of the suites. A later step checks whether a version of StarPU was found.
  logged private_apt apt-get update || true
}

# Prints the source versions of the 1.4 series, newest first. Later series have another pkg-config name.
source_versions() {
  private_apt apt-cache showsrc --only-source starpu 2>>"$log" |
    awk '$1 == "Version:" && $2 ~ /^1\.4[.+-]/ {print $2}' | sort -rVu
}

# fetch_source PACKAGE VERSION: unpacks the source into $scratch/src. apt checks the files against the signed list.
fetch_source() {
  rm -rf "$scratch/src" "$scratch/$1"_*
  (cd "$scratch" && logged private_apt apt-get source --download-only "$1=$2" &&
    logged dpkg-source --no-check -x "$1"_*.dsc src)
}

# apply_patches SOURCE: applies the patches of tools/starpu that fit. A newer StarPU may not need some of them. Espalier checks the macros
# that they define.
apply_patches() {
  local file
  for file in "$patches"/*.patch; do
    if logged patch -d "$1" -p1 --force --dry-run -i "$file"; then
      logged patch -d "$1" -p1 --force -i "$file"
    else
      printf 'setup:         this StarPU is built without %s, because the patch does not fit (see %s)\n' "${file##*/}" "$log"
    fi
  done
}

# Prints the maximum number of workers of a process. StarPU's own default is the core count of the build machine.
worker_limit() {
  local limit=64
  while [ "$limit" -lt "$(nproc)" ]; do limit=$((limit * 2)); done
  printf '%s\n' $limit
}

# build_starpu SOURCE PREFIX OPTION...: configures and builds StarPU, then moves the result to its prefix in one step, so that a prefix is
# never incomplete. The given options override the options in this function.
build_starpu() (
  set -e
  source=$1 prefix=$2 stage=$scratch/stage
  shift 2
  mapfile -t common <"$patches/configure.options"
  cd "$source"
  ./configure --prefix="$prefix" --libdir="$prefix/lib" --enable-maxcpus="$(worker_limit)" "${common[@]}" \
    CFLAGS="-O2 -g0" "$@"
  make -j"$(nproc)"
  make install DESTDIR="$stage"
  rm -rf "$prefix"
  mv "$stage$prefix" "$prefix"
)

# obtain_starpu SUFFIX OPTION...: builds the newest available source version into starpu-<version>SUFFIX, with these options of its
# configure script.
obtain_starpu() {
  local suffix=$1 versions version prefix started=$SECONDS
  shift
  install_packages "${source_packages[@]}"
  open_suites testing # testing may have a newer StarPU
  mapfile -t versions < <(source_versions)
  if [ ${#versions[@]} = 0 ]; then # a mirror may lack a suite, or testing may temporarily lack the package
    open_suites stable unstable
    mapfile -t versions < <(source_versions)
  fi
  [ ${#versions[@]} -gt 0 ] ||
    fail "no reachable Debian suite has StarPU >= $starpu_floor (see $log); check the network, or install StarPU yourself and run tools/setup.sh again."
  for version in "${versions[@]}"; do
    started=$SECONDS
    prefix=$cache/starpu-${version%%+*}$suffix
    if ! fetch_source starpu "$version"; then
      done_step "$started" "StarPU $version is listed but cannot be downloaded"
      continue
    fi
    printf 'setup:         building StarPU %s (one to two minutes on two cores; log: %s)\n' "$version" "$log"
    apply_patches "$scratch/src"
    # The build is not a condition of `if`, because the shell would then not stop at its first failing command.
    set +e
    logged build_starpu "$scratch/src" "$prefix" "$@"
    set -e
    usable_starpu "$prefix/lib/pkgconfig" >/dev/null && return
    done_step "$started" "StarPU $version does not build on this machine, see $log"
  done
  fail "none of these source packages of StarPU could be built: ${versions[*]}; the reason is at the end of $log."
}

provide_starpu() {
  local started=$SECONDS found
  if ! found=$(found_starpu); then
    install_distribution_starpu || obtain_starpu "-$patched" --disable-cuda
    found=$(found_starpu)
  fi
  done_step "$started" "$found"
}

# has_sixteen_devices PREFIX: succeeds if this StarPU supports 16 CUDA devices, the maximum per node of `espalier simulate`.
has_sixteen_devices() {
  grep -qw 'define STARPU_MAXCUDADEVS 16' "$1"/include/starpu/1.4/starpu_config.h
}

# A separate StarPU, because a program linked to the CUDA libraries takes 0.2 s longer to start.
provide_starpu_with_cuda() {
  local started=$SECONDS nvcc toolkit prefix
  if ! prefix=$(private_prefix "starpu-*-$patched-cuda") || ! has_sixteen_devices "$prefix"; then
    nvcc=$(PATH=$PATH:/usr/local/cuda/bin command -v nvcc) ||
      fail "--cuda needs the CUDA toolkit, and nvcc is neither in PATH nor in /usr/local/cuda/bin."
    toolkit=$(dirname "$(dirname "$(readlink -f "$nvcc")")")
    obtain_starpu "-$patched-cuda" --enable-cuda --with-cuda-dir="$toolkit" --enable-maxcudadev=16 \
      LDFLAGS="-Wl,-rpath,$toolkit/lib64"
    prefix=$(private_prefix "starpu-*-$patched-cuda")
    grep -q 'define STARPU_USE_CUDA' "$prefix"/include/starpu/1.4/starpu_config.h ||
      { rm -rf "$prefix" && fail "StarPU was built, but it did not accept the CUDA toolkit in $toolkit; the reason is in $log."; }
  fi
  done_step "$started" "StarPU with CUDA in $prefix"
}

# Static, so that each simulated rank has a separate copy. The limits are for simulated machines, not for this one.
provide_starpu_with_simgrid() {
  local started=$SECONDS prefix smpicc
  install_packages libsimgrid-dev
  if ! prefix=$(private_prefix "starpu-*-$patched-simgrid") || ! has_sixteen_devices "$prefix"; then
    smpicc=$(command -v smpicc) || fail "the package libsimgrid-dev of this machine has no smpicc, the compiler of SimGrid's MPI."
    obtain_starpu "-$patched-simgrid" --enable-simgrid --enable-mpi --with-mpicc="$smpicc" --disable-shared --enable-static \
      --disable-tcpip-master-slave --disable-cuda --enable-maxcpus=256 --enable-maxnodes=32 --enable-maxcudadev=16
    prefix=$(private_prefix "starpu-*-$patched-simgrid")
    grep -qw 'define STARPU_SIMGRID' "$prefix"/include/starpu/1.4/starpu_config.h ||
      { rm -rf "$prefix" && fail "StarPU was built, but it did not accept SimGrid; the reason is in $log."; }
  fi
  done_step "$started" "StarPU with SimGrid in $prefix"
}

provide_eigen_tests() {
  local started=$SECONDS version folder
  version=$(dpkg-query -W -f '${source:Version}' libeigen3-dev)
  folder=$cache/eigen-$version
  if [ ! -d "$folder" ]; then
    install_packages "${source_packages[@]}"
    open_suites "$(. /etc/os-release && printf '%s\n' "${VERSION_CODENAME:-stable}")"
    fetch_source eigen3 "$version" ||
      fail "the source package of Eigen $version could not be downloaded (see $log); check the network and run tools/setup.sh --eigen again."
    mv "$scratch/src" "$folder"
  fi
  done_step "$started" "Eigen's tests in $folder"
}

# Installs everything for building and testing the Python interface with the distribution's interpreter. Debian 12 has no package for
# nanobind.
provide_python() {
  local started=$SECONDS environment=$cache/python
  install_packages python3-venv python3-dev
  if ! "$environment/bin/python" -c 'import nanobind, numpy, scipy.sparse' 2>>"$log"; then
    rm -rf "$environment"
    logged /usr/bin/python3 -m venv "$environment" &&
      logged "$environment/bin/pip" install --disable-pip-version-check --retries 1 "nanobind>=2.4" numpy scipy ||
      { rm -rf "$environment" && fail "nanobind, NumPy and SciPy could not be installed (see $log); check the network and run tools/setup.sh --python again."; }
  fi
  done_step "$started" "Python in $environment"
}

# scikit-sparse is compiled on this machine. Version 0.5 has no tests and needs a newer SuiteSparse than Debian 12 has. The tests of version
# 0.4 need a setuptools that still has pkg_resources.
provide_python_tests() {
  local started=$SECONDS environment=$cache/python
  "$environment/bin/python" -c 'import pkg_resources, pytest, sksparse.test_cholmod' 2>>"$log" ||
    logged "$environment/bin/pip" install --disable-pip-version-check --retries 1 pytest "scikit-sparse==0.4.16" \
      "setuptools<81" ||
    fail "pytest and scikit-sparse could not be installed (see $log); check the network and run tools/setup.sh --python-tests again."
  done_step "$started" "pytest and scikit-sparse in $environment"
}

# PyPardiso requires MKL, which the tests replace. OpenSeesPy has its solvers only for newer versions of Python.
provide_pardiso_programs() {
  local started=$SECONDS environment=$cache/python-pardiso
  local pip=("$environment/bin/pip" install --disable-pip-version-check --retries 1)
  install_packages python3-venv
  if ! "$environment/bin/python" -c 'import casadi, clarabel, cvxpy, pypardiso' 2>>"$log"; then
    rm -rf "$environment"
    logged /usr/bin/python3 -m venv "$environment" && logged "${pip[@]}" casadi clarabel cvxpy &&
      logged "${pip[@]}" --no-deps pypardiso ||
      { rm -rf "$environment" && fail "programs that load PARDISO could not be installed (see $log); check the network and run tools/setup.sh --pardiso again."; }
    logged "${pip[@]}" openseespy openseespy-solvers || printf 'setup:         OpenSeesPy is left out (see %s)\n' "$log"
  fi
  done_step "$started" "programs that load PARDISO in $environment"
}

# provide_starpu_for NAME TEXT OPTION...: builds a StarPU with these configure options into starpu-<version>-p7-NAME.
provide_starpu_for() {
  local suffix=-$patched-$1 text=$2 started=$SECONDS prefix
  shift 2
  if ! prefix=$(private_prefix "starpu-*$suffix"); then
    obtain_starpu "$suffix" --disable-cuda "$@"
    prefix=$(private_prefix "starpu-*$suffix")
  fi
  done_step "$started" "StarPU for $text in $prefix"
}

main() {
  local started=$SECONDS option more=() cuda=no eigen_tests=no packages_of_ours=no pardiso=no python=no python_tests=no races=no simgrid=no
  for option; do
    case $option in
      --ccache) more+=(ccache) ;;
      --coverage) more+=(gcovr) ;;
      --cuda) cuda=yes ;;
      --docs) more+=("${docs_packages[@]}") ;;
      --eigen) eigen_tests=yes ;;
      --fortran) more+=(gfortran) ;;
      --fuzz) more+=(clang libclang-rt-dev) ;;
      --packages) packages_of_ours=yes more+=(dpkg-dev file lintian mmdebstrap) ;;
      --pardiso) pardiso=yes ;;
      --petsc) more+=("${petsc_packages[@]}") ;;
      --python) python=yes ;;
      --python-tests) python=yes python_tests=yes ;;
      --races) races=yes ;;
      --shells) more+=(zsh fish man-db) ;;
      --simgrid) simgrid=yes ;;
      *)
        fail "usage: tools/setup.sh [--ccache] [--coverage] [--cuda] [--docs] [--eigen] [--fortran] [--fuzz] [--packages]" \
          "[--pardiso] [--petsc] [--python] [--python-tests] [--races] [--shells] [--simgrid]"
        ;;
    esac
  done
  command -v apt-get >/dev/null ||
    fail "this script supports only Debian and distributions derived from it; install the packages ${packages[*]%%|*} and StarPU >= $starpu_floor under your system's names, then run cmake --preset release."
  mkdir -p "$cache"
  exec 9>"$cache/setup.lock"
  flock 9
  : >"$log"
  scratch=$(mktemp -d)
  install_packages "${packages[@]}" "${more[@]}"
  done_step "$started" "Debian packages"
  provide_starpu
  [ "$cuda" = no ] || provide_starpu_with_cuda
  [ "$pardiso" = no ] || provide_pardiso_programs
  [ "$python" = no ] || provide_python
  [ "$python_tests" = no ] || provide_python_tests
  # The folder for StarPU's data is one that packages may use.
  [ "$packages_of_ours" = no ] ||
    provide_starpu_for packages packages --enable-maxcpus=256 --datadir=/usr/share/espalier
  # The sanitizer can see StarPU's own locks and atomic operations only if StarPU is built with it.
  [ "$races" = no ] ||
    provide_starpu_for races "the thread sanitizer" CFLAGS="-O1 -g1 -fsanitize=thread" LDFLAGS=-fsanitize=thread
  [ "$simgrid" = no ] || provide_starpu_with_simgrid
  [ "$eigen_tests" = no ] || provide_eigen_tests
}

main "$@"
