#!/bin/bash
# container.sh: the container files build from a clean copy of the sources, and the programs in the image search.
# Where no builder works, the steps run in a clean chroot. CHROOT_SUITE and CHROOT_MIRROR name another Debian than
# this host's.
set -u
. tests/lib.sh
in_file() { sed -n "$1" "scripts/container/$2"; }
check 'Dockerfile and dbfs.def have the same base' test "$(in_file 's/^ARG BASE=//p' Dockerfile)" = "$(in_file 's/^ *BASE=//p' dbfs.def)"
for file in Dockerfile dbfs.def; do
    check "$file runs build.sh, which is there" test "$(grep -c 'sh /usr/local/src/dbfs/scripts/container/build.sh' \
        scripts/container/$file)" = 1 -a -s scripts/container/build.sh
done
if [ "${TEST_MODE:-short}" != long ]; then
    skip 'containers are built: make check-long does that'
    finish
fi
mkdir "$tmp/sources"
git ls-files -z 2>/dev/null | tar --null -T - -cf - | tar -C "$tmp/sources" -xf -
cd "$tmp/sources" || exit 1

search='edgeconv -q -u /usr/local/share/dbfs/datasets/wordnet-3.0.txt | dbfs-pack -q -o /tmp/w.dbfs - &&
mpiexec -n 1 dbfs-traverse --backend cpu -r 10815 /tmp/w.dbfs'

# ---- a clean Debian, of debootstrap ----

root=$tmp/root
trap 'umount "$root/proc" "$root/dev/shm" 2>/dev/null; rm -rf --one-file-system "$tmp"' EXIT
# make_root: makes $root by debootstrap; if it fails, $tmp/why has the reason
make_root() {
    local suite
    [ ! -d "$root" ] || return 0
    echo 'needs root and debootstrap' >"$tmp/why"
    [ "$(id -u)" = 0 ] && command -v debootstrap >/dev/null 2>&1 || return 1
    suite=${CHROOT_SUITE:-$(. /etc/os-release && echo "${VERSION_CODENAME:-stable}")}
    if ! debootstrap --variant=minbase "$suite" "$root" ${CHROOT_MIRROR:-} >"$tmp/log" 2>&1; then
        echo "debootstrap: $(tail -n 1 "$tmp/log")" >"$tmp/why"
        return 1
    fi
    cp /etc/resolv.conf "$root/etc/resolv.conf" 2>/dev/null
    [ ! -d /etc/apt/apt.conf.d ] || cp /etc/apt/apt.conf.d/*[Pp]roxy* "$root/etc/apt/apt.conf.d/" 2>/dev/null
    return 0
}

# ---- builders ----

# base_for BUILDER: sets $base to an image from a registry, or else from debootstrap, and tries whether it runs
base_for() {
    base=$(in_sources 's/^ARG BASE=//p' Dockerfile)
    if ! timeout 300 "$1" pull -q "$base" >/dev/null 2>&1; then
        base=localhost/dbfs-test-base
        make_root && tar -C "$root" -cf - . | "$1" import - $base >/dev/null 2>"$tmp/why" || return
    fi
    "$1" run --rm --network host "$base" true 2>"$tmp/why"
}
in_sources() { sed -n "$1" "$tmp/sources/scripts/container/$2"; }

built=0
for builder in docker podman; do
    if ! command -v $builder >/dev/null 2>&1 || ! timeout 20 $builder info >/dev/null 2>&1; then
        skip "$builder: not installed, or not running"
    elif ! base_for $builder; then
        skip "$builder: has or runs no base image: $(tail -n 1 "$tmp/why")"
    else
        check "$builder builds the image" timeout 1500 $builder build -q --network host --build-arg BASE="$base" \
            -f scripts/container/Dockerfile -t localhost/dbfs-test .
        check "$builder: the image searches" sh -c "$builder run --rm --network host localhost/dbfs-test sh -c '$search' | grep -q 'reached 115426'"
        $builder rmi localhost/dbfs-test localhost/dbfs-test-base >/dev/null 2>&1
        built=1
    fi
done
if command -v apptainer >/dev/null 2>&1; then
    check 'apptainer builds the image' timeout 1500 apptainer build "$tmp/dbfs.sif" scripts/container/dbfs.def
    check 'apptainer: the image searches' sh -c "apptainer exec '$tmp/dbfs.sif' sh -c '$search' | grep -q 'reached 115426'"
    built=1
else
    skip 'apptainer: not installed'
fi
[ $built = 0 ] || finish

# ---- the steps, in a chroot ----

if ! make_root; then
    skip "the steps in a clean chroot: $(cat "$tmp/why")"
    finish
fi
mkdir -p "$root/usr/local/src/dbfs" "$root/dev/shm"
cp -a "$tmp/sources/." "$root/usr/local/src/dbfs"
mount -t proc proc "$root/proc" 2>/dev/null
mount -t tmpfs tmpfs "$root/dev/shm" 2>/dev/null
inside() { chroot "$root" env -i PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C "$@"; }
check 'the steps run in a clean chroot' inside sh /usr/local/src/dbfs/scripts/container/build.sh
inside sh -c "$search" >"$tmp/out" 2>"$tmp/err"
check 'what they make searches' grep -q 'reached 115426' "$tmp/out"
check 'the container searches from Python' inside python3 -c '
import dbfs
dbfs.pack([[0, 1], [1, 2]], "/tmp/p.dbfs")
with dbfs.open("/tmp/p.dbfs") as g:
    assert g.search(0).distances.tolist() == [0, 1, 2]'
finish
