# What ./run and ./check share: packages, sources, configuring and building. To be sourced, with `root` set to the clone.
#
# Whatever is already done is only looked at, so that a second call takes no time and needs no network. Long output goes
# into a log in the build folder; of a failure, its part that matters is shown, and last one sentence that says what failed.

say() { echo "$*" >&2; }
fail() {
    say "$*"
    exit 1
}

# Lines of cmake/packages.txt that dpkg does not have.
missing_packages() {
    local wanted
    mapfile -t wanted < <(sed 's/#.*//; /^[[:space:]]*$/d' "$root/cmake/packages.txt")
    printf '%s\n' "${wanted[@]}" | grep -vxF -f <(dpkg-query -W -f '${db:Status-Status} ${Package}\n' "${wanted[@]}" 2>/dev/null |
        sed -n 's/^installed //p') || true
}

install_packages() {
    # Elsewhere than on Debian and its kin, cmake names what it does not find.
    command -v apt-get >/dev/null && command -v dpkg-query >/dev/null || return 0
    local missing as_root=() log="$1/packages.log"
    mapfile -t missing < <(missing_packages)
    [ "${#missing[@]}" -gt 0 ] || return 0
    if [ "$(id -u)" != 0 ]; then
        command -v sudo >/dev/null || fail "These Debian packages are missing and only root can install them: ${missing[*]}"
        as_root=(sudo)
    fi
    say "Installing ${#missing[@]} Debian packages: ${missing[*]}"
    local apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3)
    # Old lists may still do, so only the installation decides.
    "${apt[@]}" update >"$log" 2>&1 || true
    "${apt[@]}" install --no-install-recommends "${missing[@]}" >>"$log" 2>&1 || {
        grep '^E:' "$log" | tail -n 5 >&2
        fail "Installing Debian packages failed; the whole output is in $log."
    }
}

# configure FOLDER OPTIONS...: unless the folder was configured like this before. ninja itself sees changed CMake files.
configure() {
    local folder="$1" log="$1/configure.log" stamp="$1/configured-as" wanted generator=()
    shift
    wanted="$(printf '%s\n' "$root" "${XDG_CACHE_HOME:-${HOME:-}}" "${HEED_IMGUI_DIR:-}" "${HEED_IMPLOT_DIR:-}" "$@")"
    if [ -z "${HEED_IMGUI_DIR:-}" ]; then
        "$root/cmake/fetch_imgui.sh" --offline >/dev/null 2>&1 || say "Fetching the sources of Dear ImGui and ImPlot."
        "$root/cmake/fetch_imgui.sh" >/dev/null || exit 1  # it said why
    fi
    if [ -f "$folder/CMakeCache.txt" ] && [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$wanted" ]; then return 0; fi

    if ! grep -qsxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$folder/CMakeCache.txt"; then
        rm -rf -- "$folder/CMakeCache.txt" "$folder/CMakeFiles"  # of a clone that was moved here
        ! command -v ninja >/dev/null || generator=(-G Ninja)
    fi
    cmake -S "$root" -B "$folder" "${generator[@]}" "$@" >"$log" 2>&1 || {
        sed -n '/^CMake Error/,$p' "$log" | head -n 20 >&2
        fail "Configuring the build failed; the whole output is in $log."
    }
    echo "$wanted" >"$stamp"
}

# As many compilers as there are processors, but no more than memory holds.
jobs_here() {
    local processors fit
    processors="$(nproc 2>/dev/null || echo 2)"
    fit="$(awk '/^MemAvailable/ { print int($2 / 1200000) }' /proc/meminfo 2>/dev/null || true)"
    [ "${fit:-0}" -ge 1 ] || fit=1
    echo $((processors < fit ? processors : fit))
}

# On a terminal, one line that counts up; otherwise nothing.
show_progress() {
    if [ ! -t 2 ]; then
        cat >/dev/null
        return
    fi
    local line
    while IFS= read -r line; do
        [[ "$line" =~ ^\[([0-9]+)/([0-9]+)\] ]] && printf '\rBuilding %s of %s ' "${BASH_REMATCH[1]}" "${BASH_REMATCH[2]}" >&2
    done
    printf '\r\033[K' >&2
}

build_once() {
    local folder="$1" log="$2"
    shift 2
    CMAKE_BUILD_PARALLEL_LEVEL="$(jobs_here)" cmake --build "$folder" ${1:+--target "$@"} 2>&1 | tee "$log" | show_progress
}

# build FOLDER [TARGETS...]. A changed file may have a name now that another one of its batch has too (cmake/batches.awk): then
# the batches are made anew, and what is left is built.
build() {
    local folder="$1" log="$1/build.log"
    shift
    build_once "$folder" "$log" "$@" || { cmake "$folder" >/dev/null 2>&1 && build_once "$folder" "$log" "$@"; } || {
        # From the first failed step on, without the compiler's command line.
        sed -n '/^FAILED:\|^ninja: error\|^CMake Error/,$p' "$log" | sed -e '/^FAILED:/{n;d}' | cut -c 1-400 | head -n 30 >&2
        fail "The build failed; the whole output is in $log."
    }
}

# set_up FOLDER OPTIONS...: everything before building.
set_up() {
    mkdir -p "$1" || fail "The folder $1 cannot be made."
    install_packages "$1"
    configure "$@"
}

# set_up_program [TARGETS...]: the core in a folder of its own, where nothing but the core can be reached, with these targets of
# it, and the program on top of it.
set_up_program() {
    core="$root/build-core"
    program="$root/build"
    set_up "$core" -DHEED_TESTS=ON -DHEED_APP=OFF
    set_up "$program" -DHEED_TESTS=ON -DHEED_CORE_FROM="$core"
    build "$core" heed_core "$@"
}
