#!/bin/bash
# tsan.sh: runs each program with several threads, and the unit tests, under ThreadSanitizer (make tsan). It ends with
# "N passed, N failed, N skipped".
set -u
cd "$(dirname "$0")/.." || exit 1
in_memory_mib=1024
. tests/lib.sh
passed=0 skipped=0
pass() { result ok "$1" && passed=$((passed + 1)); }
skip() { result skip "$1" && skipped=$((skipped + 1)); }
export OMP_WAIT_POLICY=passive OMP_TOOL_LIBRARIES=$ARCHER ARCHER_OPTIONS=verbose=0
# OpenMP's and MPI's own work is not reported; a report ends a program with 66
export TSAN_OPTIONS=ignore_noninstrumented_modules=1:exitcode=66:history_size=4

# quiet NAME COMMAND...: the command exits with 0, without a report
clean() {
    local name=$1
    shift
    check_exit 0 "$name" "$@"
    check "$name: no data race" sh -c '! grep -A12 "WARNING: ThreadSanitizer" "$1"' - "$tmp/err"
}

for unit in "$TESTS"/test_*; do
    case $unit in
    *.o | *.so | *.d) continue ;;
    esac
    clean "${unit##*/}" "$unit"
done

# a real race is seen
cat >"$tmp/race.c" <<'END'
#include <stdio.h>
int main(void)
{
    int sum = 0;
#pragma omp parallel for num_threads(4)
    for (int i = 0; i < 1000; i++)
        sum += i;
    printf("%d\n", sum);
    return 0;
}
END
clang -fopenmp -fsanitize=thread -O0 -g -o "$tmp/race" "$tmp/race.c"
check_exit 66 'a data race is seen' "$tmp/race"

"$BIN/rmatgen" -q -s 14 -f text -o "$tmp/g.txt"
gzip -k "$tmp/g.txt"
clean rmatgen "$BIN/rmatgen" -q -@ 4 -s 15 -o "$tmp/g.edges"
clean 'edgeconv' "$BIN/edgeconv" -q -@ 4 -u -o "$tmp/text.edges" "$tmp/g.txt" "$tmp/g.txt.gz"
clean 'edgeconv --compact' "$BIN/edgeconv" -q -@ 4 -u --compact="$tmp/map" -o "$tmp/c.edges" "$tmp/g.txt"
clean 'edgeconv to text' "$BIN/edgeconv" -q -@ 4 -t text -o "$tmp/again.txt" "$tmp/g.edges"
clean 'edgeconv to sg' "$BIN/edgeconv" -q -@ 4 -t sg -o "$tmp/g.sg" "$tmp/g.edges"
clean dbfs-components "$BIN/dbfs-components" -q -@ 4 -o "$tmp/c.npy" --sizes "$tmp/sizes" --largest "$tmp/l.edges" "$tmp/g.edges"
clean degsplit "$BIN/degsplit" -q -@ 4 -p 3 -o "$tmp/g.split" "$tmp/g.edges"
for options in '-p 1' '-p 3 --encoding raw -t 9' '-p 2 -t inf'; do
    rm -rf "$tmp/x"
    clean "dbfs-pack $options" "$BIN/dbfs-pack" -q -@ 4 $options -T "$tmp" -o "$tmp/x" "$tmp/g.edges"
    clean "dbfs-pack --verify, $options" "$BIN/dbfs-pack" -q -@ 4 --verify "$tmp/x"
    for direction in auto push pull; do
        clean "dbfs-traverse $direction, $options" "$BIN/dbfs-traverse" --backend cpu -q -@ 4 -n 2 --force \
            --direction $direction --parents "$tmp/tree-%d.npy" "$tmp/x"
    done
    clean "dbfs-traverse --together, $options" "$BIN/dbfs-traverse" --backend cpu -q -@ 4 -n 5000 --together --force --depths "$tmp/d.npy" \
        --nearest "$tmp/n.npy" "$tmp/x"
    clean "dbfs-graph500, $options" "$BIN/dbfs-graph500" --backend cpu -q -@ 4 -n 2 --no-energy "$tmp/x"
done
# ThreadSanitizer's memory counts: the program itself takes 34 of 64 MiB
"$BIN/rmatgen" -q -@ 4 -s 17 -o "$tmp/large.edges"
clean 'dbfs-pack, spilling' "$BIN/dbfs-pack" -v -@ 4 -p 2 -S 64M -t 4 -T "$tmp" -o "$tmp/spilled" "$tmp/large.edges"
check_says 'spilled .* of edges'
"$BIN/dbfs-traverse" --backend cpu -q -@ 4 -r 1 --depths "$tmp/d.npy" "$tmp/x" >"$tmp/out" 2>&1
clean 'dbfs-check of a stream' "$BIN/dbfs-check" -@ 4 --depths "$tmp/d.npy" "$tmp/g.edges"
clean 'dbfs-check of shards' "$BIN/dbfs-check" -@ 4 --depths "$tmp/d.npy" "$tmp/x"
echo "$passed passed, $failures failed, $skipped skipped"
finish
