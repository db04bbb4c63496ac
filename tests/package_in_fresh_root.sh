#!/usr/bin/env bash
# Makes the Debian package, installs it into a fresh root made by debootstrap, draws with it there, and removes it again.
# Run by hand as the administrator, after ./run --build; needs the network, debootstrap and about 1.5 GB.
set -euo pipefail
root="$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." >/dev/null && pwd)"
fail() { echo "$*" >&2; exit 1; }
[ "$(id -u)" = 0 ] || fail "A fresh root can be made by the administrator only."
[ -x "$root/build/heed" ] || fail "There is no build/heed yet: run ./run --build first."
command -v debootstrap >/dev/null || fail "debootstrap is not installed: apt-get install debootstrap"

(cd "$root/build" && cpack -G DEB >cpack.log 2>&1) || fail "The package could not be made; see build/cpack.log."
package="$(find "$root/build" -maxdepth 1 -name 'heed_*.deb' -printf '%T@ %p\n' | sort -n | tail -n 1 | cut -d' ' -f2-)"
[ -n "$package" ] || fail "cpack made no package."

fresh="$(mktemp -d)"
trap 'rm -rf -- "$fresh"' EXIT
. /etc/os-release
site="$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' 2>/dev/null | grep -v -i security | head -n 1)"
debootstrap --variant=minbase "$VERSION_CODENAME" "$fresh" "$site" >"$root/build/debootstrap.log" 2>&1 || fail "The fresh root could not be made; see build/debootstrap.log."
# The same sources and settings as here, so that dependencies come from the same place.
cp -r /etc/apt/. "$fresh/etc/apt/"
cp "$package" "$fresh/root/heed.deb"
inside() { chroot "$fresh" env DEBIAN_FRONTEND=noninteractive PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 HOME=/root "$@"; }
inside apt-get update -qq >"$root/build/fresh-root.log" 2>&1 || fail "apt-get update failed in the fresh root; see build/fresh-root.log."
inside apt-get install -y -qq --no-install-recommends /root/heed.deb >>"$root/build/fresh-root.log" 2>&1 || fail "The package does not install; see build/fresh-root.log."
inside heed --version
inside heed render weather --view pipeline --out /root/figure.pdf --lang zh || fail "heed render does not work in the fresh root."
inside heed snapshot cat --out /root/window.png || fail "heed snapshot does not work in the fresh root."
[ -s "$fresh/root/figure.pdf" ] && [ -s "$fresh/root/window.png" ] || fail "The pictures are empty."
inside apt-get purge -y -qq heed >>"$root/build/fresh-root.log" 2>&1 || fail "The package does not go away; see build/fresh-root.log."
left="$(find "$fresh/usr" -iname '*heed*' | head)"
[ -z "$left" ] || fail "The package left behind: $left"
echo "The package installs, draws and goes away: $(basename "$package"), $(du -h "$package" | cut -f1)."
