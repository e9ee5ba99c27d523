#!/bin/bash
# deb-check.sh PACKAGE.deb: runs lintian, and installs, runs (the demo) and removes the package in a clean chroot.
#
# `make deb-check` calls it. Steps that cannot be done here are skipped, with the reason. CHROOT_SUITE and
# CHROOT_MIRROR name another Debian than this host's.
set -uo pipefail
export LC_ALL=C
package=$(realpath "$1")
name=$(dpkg-deb -f "$package" Package)
failed=0
skip() { echo "skip - $1"; }
result() { # STATUS NAME
    if [ "$1" = 0 ]; then echo "ok - $2"; else echo "not ok - $2" && failed=1; fi
}

if command -v lintian >/dev/null 2>&1; then
    tags=initial-upload-closes-no-bugs
    case $(dpkg-deb -f "$package" Maintainer) in # DEBEMAIL was not set
    *@localhost\>*) tags=$tags,bogus-mail-host,bogus-mail-host-in-debian-changelog,mail-address-loops-or-bounces ;;
    esac
    lintian --allow-root --fail-on error,warning --suppress-tags "$tags" "$package"
    result $? 'lintian has neither errors nor warnings'
else
    skip 'lintian: not installed'
fi

[ "$(id -u)" = 0 ] || { skip 'a clean chroot: needs root'; exit $failed; }
command -v debootstrap >/dev/null 2>&1 || { skip 'a clean chroot: no debootstrap'; exit $failed; }
. /etc/os-release
suite=${CHROOT_SUITE:-${VERSION_CODENAME:-stable}}
work=$(mktemp -d "${TMPDIR:-/tmp}/dbfs-chroot.XXXXXX") || exit 1
root=$work/root # nobody else may write beside it, as this is root
clean() {
    umount "$root/proc" 2>/dev/null
    rm -rf --one-file-system "$work"
}
trap clean EXIT
if ! debootstrap --variant=minbase "$suite" "$root" ${CHROOT_MIRROR:-} >"$work/log" 2>&1; then
    skip "a clean chroot: debootstrap: $(tail -n 1 "$work/log")"
    exit $failed
fi
inside() { chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root TMPDIR=/tmp LC_ALL=C DEBIAN_FRONTEND=noninteractive "$@"; }
mount -t proc proc "$root/proc" 2>/dev/null
cp /etc/resolv.conf "$root/etc/resolv.conf" 2>/dev/null
inside apt-get -q update >/dev/null 2>&1
cp "$package" "$root/tmp/package.deb"
inside dpkg-query -W -f '${Package}\n' | sort >"$root/tmp/before"
inside apt-get -q -y install /tmp/package.deb >"$root/tmp/log" 2>&1 || tail -5 "$root/tmp/log"
inside dpkg -s "$name" 2>/dev/null | grep -q '^Status: install ok installed'
result $? 'it installs'
inside /usr/share/doc/$name/examples/demo.sh >"$root/tmp/log" 2>&1 || tail -5 "$root/tmp/log"
grep -q '^distance_checksum' "$root/tmp/log"
result $? 'the demo runs'
printf '0 1\n1 2\n' >"$root/tmp/graph.txt"
test "$(inside dbfs -q --no-cache -r 0 -o - /tmp/graph.txt 2>/dev/null | tail -1)" = '2 2'
result $? 'dbfs answers'
inside dbfs-dataset --show wordnet-3.0 >/dev/null
result $? 'dbfs-dataset has its table'
inside apt-get -q -y purge "$name" >/dev/null 2>&1
left=$(cd "$root" && find usr/bin usr/share -path '*dbfs*' -o -name rmatgen -o -name edgeconv | head -3)
test -z "$left"
result $? "it leaves nothing ($left)"
exit $failed
