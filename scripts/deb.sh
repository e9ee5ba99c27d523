#!/bin/bash
# deb.sh: makes a Debian package of the built programs: dbfs, or dbfs-cuda with the CUDA backend.
#
# `make deb` calls it. It stages `make install`, takes dependencies from dpkg-shlibdeps, and writes the package to
# the build folder. DEBFULLNAME and DEBEMAIL name the maintainer, as for Debian's own tools.
set -euo pipefail
export LC_ALL=C
cd "$(dirname "$0")/.."
build=${BUILD:-build} cuda=${CUDA:-0}
version=$(sed -n 's/^#define DBFS_VERSION "\(.*\)"/\1/p' formats/base/cli.h)
version=${version/-dev/\~dev} # which Debian sorts before the release
maintainer="${DEBFULLNAME:-dbfs authors} <${DEBEMAIL:-dbfs@localhost}>"
epoch=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || stat -c %Y CHANGELOG.md)}
name=dbfs other=dbfs-cuda
[ "$cuda" = 0 ] || { name=dbfs-cuda other=dbfs; }
for tool in dpkg-deb dpkg-shlibdeps strip gzip; do
    command -v $tool >/dev/null || { echo "deb.sh: needs $tool (Debian packages dpkg-dev and binutils)" >&2; exit 1; }
done
work=$(mktemp -d "${TMPDIR:-/tmp}/dbfs-deb.XXXXXX")
trap 'rm -rf "$work"' EXIT
stage=$work/stage
umask 022

"${MAKE:-make}" --no-print-directory -s BUILD="$build" CUDA="$cuda" ARCHIVE="${ARCHIVE:-1}" \
    DESTDIR="$stage" PREFIX=/usr pythondir=/usr/lib/python3/dist-packages install # where Debian's Python looks
programs=$(cd "$stage/usr/bin" && for f in *; do [ "$(head -c 4 "$f" | tail -c 3)" != ELF ] || echo "$f"; done)
(cd "$stage/usr/bin" && strip --strip-unneeded --remove-section=.comment --remove-section=.note $programs)

# ---- documents that the policy requires ----

doc=$stage/usr/share/doc/$name
[ "$name" = dbfs ] || mv "$stage/usr/share/doc/dbfs" "$doc"
{
    printf 'Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\nUpstream-Name: dbfs\n\n'
    printf 'Files: *\nCopyright: %s\nLicense: BSD-2-Clause\n\n' "$(sed -n 's/^Copyright (c) //p' LICENSE)"
    printf 'Files: usr/share/dbfs/datasets/wordnet-3.0.txt\nCopyright: 2006, Princeton University\nLicense: WordNet\n\n'
    printf 'Files: usr/share/dbfs/datasets/usa-road-NY.txt\nCopyright: none\nLicense: public-domain\n\n'
    as_field() { sed 's/^$/./; s/^/ /' "$1"; }
    echo 'License: BSD-2-Clause' && sed -n '/^Redistribution/,$p' LICENSE | as_field /dev/stdin && echo
    echo 'License: WordNet' && as_field datasets/LICENSE.wordnet && echo
    echo 'License: public-domain' && as_field datasets/LICENSE.usa-road
} >"$doc/copyright"
rm "$doc/LICENSE" "$stage"/usr/share/dbfs/datasets/LICENSE.*
printf '%s (%s) unstable; urgency=medium\n\n  * See CHANGELOG.md.\n\n -- %s  %s\n' "$name" "$version" \
    "$maintainer" "$(date -R -u -d "@$epoch")" | gzip -9n >"$doc/changelog.gz"
gzip -9n "$stage"/usr/share/man/man*/*
gzip -9n "$doc/CHANGELOG.md"

# ---- control ----

mkdir -p "$work/debian" "$stage/DEBIAN"
printf 'Source: dbfs\n\nPackage: %s\nArchitecture: any\n' "$name" >"$work/debian/control"
depends=$(cd "$work" && dpkg-shlibdeps -O $(printf ' stage/usr/bin/%s' $programs) | sed -n 's/^shlibs:Depends=//p')
(cd "$stage" && find usr -type f -print0 | sort -z | xargs -0 md5sum >DEBIAN/md5sums)
cat >"$stage/DEBIAN/control" <<EOF
Package: $name
Version: $version
Architecture: $(dpkg --print-architecture)
Maintainer: $maintainer
Installed-Size: $(du -sk "$stage/usr" | cut -f1)
Depends: $depends
Recommends: mpich | mpi-default-bin
Suggests: curl | wget, gnuplot-nox | gnuplot, python3-numpy
Conflicts: $other
Provides: dbfs-traverse
Section: science
Priority: optional
Description: breadth-first search over graphs of billions of edges
 dbfs searches breadth-first on $([ "$cuda" = 0 ] || echo 'GPUs and on ')CPUs, in one process or on a
 cluster with MPI. Graphs in most formats that people have them in are
 prepared once, in the memory that there is, and then searched any number
 of times.
EOF
touch_all() { find "$stage" -exec touch -h -d "@$epoch" {} +; }
touch_all
package=$build/${name}_${version}_$(dpkg --print-architecture).deb
dpkg-deb --root-owner-group -Zxz --build "$stage" "$package" >/dev/null
echo "$package"
