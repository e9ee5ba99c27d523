#!/bin/bash
# readme.sh: the commands of README.md run as printed, block by block, twice, and leave the tree as it was.
set -u
. tests/lib.sh
bin=$(realpath "$BIN")
mkdir "$tmp/bin" "$tmp/work"
printf '#!/bin/sh\nexec %s "$@"\n' "$(command -v "$MPIEXEC")" >"$tmp/bin/mpiexec" # the mpiexec of this build's MPI
chmod +x "$tmp/bin/mpiexec"

# block N: prints the commands of block N of README.md
block() { awk -v n="$1" '/^```sh/ { on = ++count == n; next } /^```/ { on = 0 } on' README.md; }
tree() { find . -path "./${BUILD%%/*}" -prune -o -path ./.git -prune -o -printf '%p %s %T@\n' | sort; }

tree >"$tmp/before"
ran=0
for n in $(seq 1 20); do
    block "$n" | sed "s#\$PWD/build/bin#$bin#" >"$tmp/block"
    [ -s "$tmp/block" ] || break
    grep -q '^make' "$tmp/block" && continue # without the build and this test
    ran=$((ran + 1))
    if grep -q numpy.loadtxt "$tmp/block" && ! python3 -c 'import numpy' 2>/dev/null; then
        skip "README.md, block $n: no python3 with numpy"
        continue
    fi
    for turn in 'the first time' again; do
        check "commands of the README run, block $n, $turn" env PATH="$tmp/bin:$PATH" TMPDIR="$tmp/work" bash -eu "$tmp/block"
    done
done
check "blocks were run ($ran)" test "$ran" = 4
tree >"$tmp/after"
check 'the tree is as it was' cmp "$tmp/before" "$tmp/after"
check 'the distances are there: as an array' test -s "$(ls "$tmp"/work/*/depths.npy | head -1)"
check 'commands of the README give distances as lines' test "$(cat "$tmp"/work/*/dog.txt | head -117659 | wc -l)" = 117659
check 'commands of the README give distances by name' grep -q '^sense-10815	0$' "$(ls "$tmp"/work/*/dog.tsv | head -1)"
finish
