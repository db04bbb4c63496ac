#!/usr/bin/env bash
# Put Dear ImGui and ImPlot into the user's cache folder, and print where they are.
#
# Both come as source tarballs of Debian packages (no binary package has ImPlot). The system's own apt settings are
# read but not changed: the site is the one apt already uses, and the lists and the cache are private.
#
#   fetch_imgui.sh              fetch what is missing, then print the folder
#   fetch_imgui.sh --offline    print the folder, or fail if something is missing
set -euo pipefail

cache="${XDG_CACHE_HOME:-${HOME:?}/.cache}/heed"

# package  version          unpacked to          sha256 of the orig tarball  folders
# The folder's name carries the start of the checksum, so that a changed pin is unpacked afresh.
packages=(
    "monado 25.0.0+dfsg-2 ddfa1899078173bea3db98034dc8b990df727a169f490896570ff6e3bda72113 src/external/imgui"
    "imgui 1.90.1+ds-1 ecce377df0f90b292f15dcbd83d438bddc162b2388c881132bde18c787572a1c backends,misc/freetype,misc/cpp"
)

fail() {
    echo "$*" >&2
    exit 1
}

work=""
trap '[ -z "$work" ] || rm -rf -- "$work"' EXIT

# Root hands what comes from the network to the user that apt keeps for that: not even an index is parsed as root.
as_nobody() {
    if [ "$(id -u)" = 0 ] && setpriv --reuid=_apt --regid=nogroup --clear-groups test -w "$work" 2>/dev/null; then
        (cd "$work/download" && HOME="$work" setpriv --reuid=_apt --regid=nogroup --clear-groups "$@")
    else
        (cd "$work/download" && "$@")
    fi
}

apt_private() {
    as_nobody apt-get -q \
        -o Dir::Etc::sourcelist="$work/sources.list" -o Dir::Etc::sourceparts=/dev/null \
        -o Dir::State::lists="$work/lists" -o Dir::Cache="$work/cache" \
        -o Acquire::Languages=none -o Acquire::Retries=3 "$@"
}

# The sites apt uses already, those for security updates left out: they carry no complete release.
sites() {
    apt-get indextargets --format '$(SITE) $(RELEASE)' 2>/dev/null | grep -v -e '-security$' | cut -d ' ' -f 1 | sort -u
}

# The list is checked against the archive's signature. A machine whose keyring is older than the release can still
# build: then the list is taken as it is, and only the sums above decide, as they do in the end for every tarball.
open_archive() {
    [ -z "$work" ] || return 0
    command -v apt-get >/dev/null || fail "Dear ImGui cannot be fetched without apt-get; give -DHEED_IMGUI_DIR and -DHEED_IMPLOT_DIR to cmake instead."
    work="$(mktemp -d)"
    mkdir -p "$work/lists/partial" "$work/cache/archives/partial" "$work/download"
    [ "$(id -u)" != 0 ] || chown -R _apt:nogroup "$work" 2>/dev/null || true
    local site
    while read -r site; do
        echo "deb-src $site trixie main" >"$work/sources.list"
        if apt_private update -o APT::Update::Error-Mode=any >"$work/log" 2>&1; then return 0; fi
        grep -q -e NO_PUBKEY -e 'not signed' -e 'no signature\|verif' "$work/log" || continue
        echo "deb-src [trusted=yes] $site trixie main" >"$work/sources.list"
        if apt_private update -o APT::Update::Error-Mode=any >"$work/log" 2>&1; then return 0; fi
    done < <(sites)
    fail "The source packages of Dear ImGui could not be listed: none of the sites apt uses answered for Debian trixie."
}

# The file an earlier run kept, whatever extension it has.
tarball_of() {
    local file
    for file in "$cache/$1_${2%-*}.orig.tar".*; do
        [ -f "$file" ] && ! [[ "$file" == *.part ]] && echo "$file" && return 0
    done
    return 1
}

matches() { [ "$(sha256sum <"$1" | cut -d ' ' -f 1)" = "$2" ]; }

fetch() {
    local name="$1" version="$2" sum="$3" got kept
    open_archive
    apt_private --tar-only --download-only source "$name=$version" >"$work/log" 2>&1 ||
        fail "The source package $name $version could not be downloaded: $(grep -m 1 '^E:' "$work/log" | sed 's#[a-z]*://[^ ]*#the archive#g')"
    got="$(find "$work/download" -name "${name}_*.orig.tar.*" ! -name '*.asc' | head -n 1)"
    [ -n "$got" ] || fail "The source package $name $version came without its tarball."
    kept="$cache/${got##*/}"
    cp -- "$got" "$kept.part"  # and only then looked at: nobody else can change it any more
    matches "$kept.part" "$sum" || {
        rm -f -- "$kept.part"
        fail "The tarball of $name $version has the wrong checksum, so it was not kept."
    }
    mv -- "$kept.part" "$kept"
}

unpack() {
    local tarball="$1" to="$2" folders="$3" folder members=()
    for folder in ${folders//,/ }; do members+=("*/$folder"); done
    rm -rf -- "$to" "$to.part"
    mkdir -p "$to.part"
    tar -xf "$tarball" -C "$to.part" --strip-components=1 --wildcards "${members[@]}" ||
        fail "The tarball ${tarball##*/} could not be unpacked."
    mv -- "$to.part" "$to"
}

mkdir -p "$cache" || fail "The cache folder $cache cannot be written."
for entry in "${packages[@]}"; do
    read -r name version sum folders <<<"$entry"
    to="$cache/$name-${sum:0:12}"
    if [ ! -d "$to" ]; then
        if ! tarball="$(tarball_of "$name" "$version")" || ! matches "$tarball" "$sum"; then
            [ "${1:-}" != --offline ] || fail "The sources of $name are not in $cache; ./run fetches them."
            fetch "$name" "$version" "$sum"
            tarball="$(tarball_of "$name" "$version")"
        fi
        unpack "$tarball" "$to" "$folders"
    fi
    echo "$name=$to"
done
