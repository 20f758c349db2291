#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Installs what Espalier needs and this machine lacks: Debian packages, and StarPU 1.4.
# StarPU comes from the distribution where it is new enough; otherwise it is built from the source package of
# a newer Debian suite into ${XDG_CACHE_HOME:-$HOME/.cache}/espalier/starpu-<version>-p6, once a user,
# with the patches in tools/starpu.
# Repeated runs find everything in place and need no network.
# Usage: tools/setup.sh [--ccache] [--coverage] [--cuda] [--docs] [--eigen] [--fortran] [--fuzz] [--packages] [--petsc]
#   [--python] [--python-tests] [--races] [--shells] [--simgrid]
#   --ccache    installs ccache, by which several builds compile once what they have in common
#   --coverage  installs gcovr, for tools/dev/coverage.sh
#   --cuda      builds a second StarPU, with CUDA workers, into starpu-<version>-p6-cuda
#   --docs      installs Doxygen and Sphinx, for tools/dev/docs.sh
#   --eigen     fetches the source package of the installed Eigen into eigen-<version>, for tests/bindings/eigen/run.sh
#   --fortran   installs gfortran, for -DESPALIER_FORTRAN=ON
#   --fuzz      installs clang with libFuzzer, for tools/dev/fuzz.sh
#   --packages  builds a StarPU for machines of up to 256 cores into starpu-<version>-p6-packages, for tools/packaging/deb.sh,
#               and installs what checks packages
#   --petsc     installs PETSc, its tutorials and petsc4py, for -DESPALIER_PETSC=ON and tests/bindings/petsc/run.sh
#   --python    makes an environment of Python with nanobind, NumPy and SciPy in python
#   --python-tests  adds pytest and scikit-sparse 0.4 to it, for tests/bindings/python/theirs.sh
#   --races     builds a StarPU that the thread sanitizer sees into, for tools/dev/races.sh, into
#               starpu-<version>-p6-races
#   --shells    installs zsh, fish and man, for tests of the completion and of the manual
#   --simgrid   installs SimGrid and builds a StarPU that runs inside it into starpu-<version>-p6-simgrid
set -euo pipefail

readonly starpu_floor=1.4
readonly patches=$(cd "$(dirname "${BASH_SOURCE[0]}")/starpu" && pwd)
# To be counted up when a file in starpu/ changes, so that those who have StarPU get it anew.
readonly patched=p6
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
readonly docs_packages=(doxygen furo python3-breathe python3-myst-parser python3-sphinx)
readonly petsc_packages=(libpetsc-real3.18-dev libpetsc3.18-dev-examples python3-petsc4py python3-numpy)

scratch=
trap '[ -z "$scratch" ] || rm -rf "$scratch"' EXIT

fail() {
  printf 'setup: %s\n' "$*" >&2
  exit 1
}

# done_step SECONDS_AT_START TEXT: every step ends with one line that says how long it took.
done_step() { printf 'setup: %4d s  %s\n' $((SECONDS - $1)) "$2"; }

# logged COMMAND...: output goes to the log file alone.
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

# Prints the alternatives that this release of the distribution has, one for each argument.
available() {
  local spec name
  for spec in "$@"; do
    for name in ${spec//|/ }; do
      [ -z "$(candidate "$name")" ] || { printf '%s\n' "$name" && continue 2; }
    done
    fail "the package sources of this machine offer no package ${spec//|/ or }; enable the distribution's main archive and run tools/setup.sh again."
  done
}

# Prefix for commands that change the system, empty for root.
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
  logged as_root apt-get update -q || printf 'setup: apt-get update failed (%s); going on with the lists at hand.\n' "$log" >&2
  apt_lists_fresh=yes
}

# install_packages SPEC...: installs those that are missing, does nothing where none is.
install_packages() {
  local missing names
  mapfile -t missing < <(missing_packages "$@")
  [ ${#missing[@]} -gt 0 ] || return 0
  may_install || fail "these packages are missing: ${missing[*]//|/ or }; have an administrator run \"apt-get install ${missing[*]%%|*}\", then run tools/setup.sh again."
  update_apt_lists
  names=$(available "${missing[@]}") || exit 1
  # shellcheck disable=SC2086 # one word a package
  logged as_root apt-get install -q -y --no-install-recommends $names ||
    fail "apt-get could not install" $names "(see $log); repair the package sources and run tools/setup.sh again."
}

# ---------------------------------------------------------------- StarPU: what is there

# usable_starpu [PKG_CONFIG_DIR]: prints the version where StarPU is new enough and has StarPU-MPI.
usable_starpu() {
  local path=${1:-}${1:+:}${PKG_CONFIG_PATH:-}
  PKG_CONFIG_PATH=$path pkg-config --exists "starpu-1.4 >= $starpu_floor" starpumpi-1.4 2>/dev/null &&
    PKG_CONFIG_PATH=$path pkg-config --modversion starpu-1.4
}

# private_prefix PATTERN: prints the newest private prefix of that name that works, or fails.
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

# Prints "URI keyring" of the first Debian main archive that apt already uses on this machine; the
# security archive carries no full set of sources.
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

# Both print "URI keyring" for each entry of type deb with component main signed by a Debian key.
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

# A private apt: its own lists and sources below $scratch, so that the system's sources stay as they are. Lists are
# signed but may be old: many machines use a mirror that stands still.
private_apt() {
  local tool=$1
  shift
  "$tool" -q -o Dir::State::lists="$scratch/lists" -o Dir::Cache="$scratch/cache" \
    -o Dir::Etc::sourcelist="$scratch/newer.sources" -o Dir::Etc::sourceparts=- \
    -o Acquire::Languages=none -o Acquire::Check-Valid-Until=false -o APT::Sandbox::User="$(id -un)" "$@"
}

# open_suites SUITE...: writes the private sources for these suites and fetches their lists.
open_suites() {
  local uri keyring
  read -r uri keyring < <(debian_archive) ||
    fail "the apt sources of this machine name no Debian archive, from which source packages could be fetched; add one, or install StarPU >= $starpu_floor yourself, and run tools/setup.sh again."
  [ -r "${keyring:-}" ] || keyring=/usr/share/keyrings/debian-archive-keyring.gpg
  [ -r "$keyring" ] || fail "the keys of the Debian archive are missing; install the package debian-archive-keyring and run tools/setup.sh again."
  mkdir -p "$scratch"/{lists,cache/archives}/partial
  printf 'Types: deb-src\nURIs: %s\nSuites: %s\nComponents: main\nSigned-By: %s\n' \
    "$uri" "$*" "$keyring" >"$scratch/newer.sources"
  # A mirror may lack one of the suites; what counts is whether any version of StarPU turns up.
  logged private_apt apt-get update || true
}

# Prints the source versions of the 1.4 series, newest first: later series have another pkg-config name.
source_versions() {
  private_apt apt-cache showsrc --only-source starpu 2>>"$log" |
    awk '$1 == "Version:" && $2 ~ /^1\.4[.+-]/ {print $2}' | sort -rVu
}

# fetch_source PACKAGE VERSION: unpacks into $scratch/src. apt has checked the files against the signed list.
fetch_source() {
  rm -rf "$scratch/src" "$scratch/$1"_*
  (cd "$scratch" && logged private_apt apt-get source --download-only "$1=$2" &&
    logged dpkg-source --no-check -x "$1"_*.dsc src)
}

# apply_patches SOURCE: those of tools/starpu that fit, for a newer StarPU may need one no more. Espalier goes by the
# macros that they define.
apply_patches() {
  local file
  for file in "$patches"/*.patch; do
    if logged patch -d "$1" -p1 --force --dry-run -i "$file"; then
      logged patch -d "$1" -p1 --force -i "$file"
    else
      printf 'setup:         this StarPU is built without %s, which does not fit it (see %s)\n' "${file##*/}" "$log"
    fi
  done
}

# Workers that one process may have; StarPU's own default is the core count of the building machine.
worker_limit() {
  local limit=64
  while [ "$limit" -lt "$(nproc)" ]; do limit=$((limit * 2)); done
  printf '%s\n' $limit
}

# build_starpu SOURCE PREFIX OPTION...: configures, builds, and moves the result to its place in one step, so
# that a prefix is complete or not there at all. Given options override those that stand here.
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

# obtain_starpu SUFFIX OPTION...: builds the newest source version that can be had, with these options of its
# configure script, into starpu-<version>SUFFIX.
obtain_starpu() {
  local suffix=$1 versions version prefix started=$SECONDS
  shift
  install_packages "${source_packages[@]}"
  open_suites testing # which may have a newer StarPU
  mapfile -t versions < <(source_versions)
  if [ ${#versions[@]} = 0 ]; then # a mirror may lack a suite, and testing may lack the package for a while
    open_suites stable unstable
    mapfile -t versions < <(source_versions)
  fi
  [ ${#versions[@]} -gt 0 ] ||
    fail "no Debian suite that this machine reaches has StarPU >= $starpu_floor (see $log); check the network, or install StarPU yourself and run tools/setup.sh again."
  for version in "${versions[@]}"; do
    started=$SECONDS
    prefix=$cache/starpu-${version%%+*}$suffix
    if ! fetch_source starpu "$version"; then
      done_step "$started" "StarPU $version is listed but cannot be fetched"
      continue
    fi
    printf 'setup:         building StarPU %s (one to two minutes on two cores; log: %s)\n' "$version" "$log"
    apply_patches "$scratch/src"
    # Not as a condition: within one, the shell would not stop at the first failing command of the build.
    set +e
    logged build_starpu "$scratch/src" "$prefix" "$@"
    set -e
    usable_starpu "$prefix/lib/pkgconfig" >/dev/null && return
    done_step "$started" "StarPU $version does not build here, see $log"
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

# has_sixteen_devices PREFIX: whether that StarPU can have as many CUDA devices as `espalier simulate` allows a node.
has_sixteen_devices() {
  grep -qw 'define STARPU_MAXCUDADEVS 16' "$1"/include/starpu/1.4/starpu_config.h
}

# Apart from the plain one: a program linked to the CUDA libraries takes 0.2 s longer to start.
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

# Static, so that each simulated rank has its own. Limits are those of machines that are simulated, whatever this one has.
provide_starpu_with_simgrid() {
  local started=$SECONDS prefix smpicc
  install_packages libsimgrid-dev
  if ! prefix=$(private_prefix "starpu-*-$patched-simgrid") || ! has_sixteen_devices "$prefix"; then
    smpicc=$(command -v smpicc) || fail "the package libsimgrid-dev of this machine has no smpicc, which is SimGrid's MPI."
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
      fail "the source package of Eigen $version could not be fetched (see $log); check the network and run tools/setup.sh --eigen again."
    mv "$scratch/src" "$folder"
  fi
  done_step "$started" "Eigen's tests in $folder"
}

# What builds and tests the interface for Python, by the distribution's interpreter. nanobind is no package of Debian 12.
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

# scikit-sparse is compiled here. Its newest version, 0.5, comes without its tests, and needs a newer SuiteSparse than Debian 12
# has; the tests of 0.4 need a setuptools that still has pkg_resources.
provide_python_tests() {
  local started=$SECONDS environment=$cache/python
  "$environment/bin/python" -c 'import pkg_resources, pytest, sksparse.test_cholmod' 2>>"$log" ||
    logged "$environment/bin/pip" install --disable-pip-version-check --retries 1 pytest "scikit-sparse==0.4.16" \
      "setuptools<81" ||
    fail "pytest and scikit-sparse could not be installed (see $log); check the network and run tools/setup.sh --python-tests again."
  done_step "$started" "pytest and scikit-sparse in $environment"
}

# provide_starpu_for NAME TEXT OPTION...: one that is configured with these options, in starpu-<version>-p6-NAME.
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
  local started=$SECONDS option more=() cuda=no eigen_tests=no packages_of_ours=no python=no python_tests=no races=no simgrid=no
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
      --petsc) more+=("${petsc_packages[@]}") ;;
      --python) python=yes ;;
      --python-tests) python=yes python_tests=yes ;;
      --races) races=yes ;;
      --shells) more+=(zsh fish man-db) ;;
      --simgrid) simgrid=yes ;;
      *)
        fail "usage: tools/setup.sh [--ccache] [--coverage] [--cuda] [--docs] [--eigen] [--fortran] [--fuzz] [--packages]" \
          "[--petsc] [--python] [--python-tests] [--races] [--shells] [--simgrid]"
        ;;
    esac
  done
  command -v apt-get >/dev/null ||
    fail "only Debian and its relatives are set up by this script; install the packages ${packages[*]%%|*} and StarPU >= $starpu_floor under your system's names, then run cmake --preset release."
  mkdir -p "$cache"
  exec 9>"$cache/setup.lock"
  flock 9
  : >"$log"
  scratch=$(mktemp -d)
  install_packages "${packages[@]}" "${more[@]}"
  done_step "$started" "Debian packages"
  provide_starpu
  [ "$cuda" = no ] || provide_starpu_with_cuda
  [ "$python" = no ] || provide_python
  [ "$python_tests" = no ] || provide_python_tests
  # Data that StarPU looks for is in a folder that packages may name.
  [ "$packages_of_ours" = no ] ||
    provide_starpu_for packages packages --enable-maxcpus=256 --datadir=/usr/share/espalier
  # Its locks that are none of the C library's, and its atomic operations, are invisible in a StarPU without the sanitizer.
  [ "$races" = no ] ||
    provide_starpu_for races "the thread sanitizer" CFLAGS="-O1 -g1 -fsanitize=thread" LDFLAGS=-fsanitize=thread
  [ "$simgrid" = no ] || provide_starpu_with_simgrid
  [ "$eigen_tests" = no ] || provide_eigen_tests
}

main "$@"
