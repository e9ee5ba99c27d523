#!/bin/bash
# disk-full.sh: each program on a full disk and at the limit of file sizes gives a clear message and the right exit
# code, and leaves nothing under a final name. A packing can be resumed when there is room again. The disk is a small
# tmpfs in a mount namespace, where the system allows one.
set -u
if [ "${1:-}" != inside ] && unshare -rm true 2>/dev/null; then
    exec unshare -rm bash "$0" inside
fi
. tests/lib.sh
pack=$(realpath "$BIN/dbfs-pack")

same_folders() { diff -r "$1" "$2" >&2; }
same() { cmp "$1" "$2" >&2; }
# KIB COMMAND...: files have at most so many KiB
small_files() { (ulimit -f "$1"; shift; "$@"); }

"$BIN/rmatgen" -q -s 13 -o "$tmp/g.edges"
"$BIN/rmatgen" -q -s 13 -f text -o "$tmp/g.txt"
"$BIN/degsplit" -q -o "$tmp/g.split" "$tmp/g.edges"
"$pack" -q -p 5 -o "$tmp/ref" "$tmp/g.edges"

# ---- the limit of file sizes: everywhere ----

mkdir "$tmp/f"
no_output() { # NAME COMMAND...
    local name=$1
    shift
    check_exit 1 "$name: files of 4 KiB at most" small_files 4 "$@"
    check_says 'cannot write: File too large'
    check "$name, files of 4 KiB at most: nothing is left" test -z "$(ls -A "$tmp/f")"
}
no_output rmatgen "$BIN/rmatgen" -q -s 13 -o "$tmp/f/x.edges"
no_output 'rmatgen as text' "$BIN/rmatgen" -q -s 13 -f text -o "$tmp/f/x.txt"
no_output edgeconv "$BIN/edgeconv" -q -u -o "$tmp/f/x.edges" "$tmp/g.txt"
no_output 'edgeconv to text' "$BIN/edgeconv" -q -t text -o "$tmp/f/x.txt" "$tmp/g.edges"
no_output degsplit "$BIN/degsplit" -q -t 1 -o "$tmp/f/x.split" "$tmp/g.edges"
no_output dbfs-components "$BIN/dbfs-components" -q -o "$tmp/f/x.npy" "$tmp/g.edges"
no_output 'dbfs-components --largest' "$BIN/dbfs-components" -q --largest "$tmp/f/x.edges" "$tmp/g.edges"
no_output 'dbfs-pack' "$pack" -q -p 5 -o "$tmp/f/x" "$tmp/g.edges"

spool() { small_files 100 "$@" -T "$tmp/f" - <"$tmp/pipe"; }
mkfifo "$tmp/pipe"
for program in "degsplit -q -o $tmp/f/x.split" "dbfs-pack -q -p 2 -S 40M -o $tmp/f/x"; do
    # The pipe does not say at its start how long it is, and more comes than memory takes.
    "$BIN/rmatgen" -q -s 17 -f text -o - | "$BIN/edgeconv" -q -o - - >"$tmp/pipe" 2>/dev/null &
    got=0
    spool "$BIN"/$program 2>"$tmp/err" || got=$?
    wait
    check "${program%% *}: a copy of a pipe that is too large: exit 1 ($got)" test $got = 1
    check_says 'cannot write a temporary copy of the edge stream' "${program%% *}: a copy of a pipe that is too large is named"
    check "${program%% *}, a copy of a pipe that is too large: nothing is left" test -z "$(ls -A "$tmp/f")"
done

# Part 0 is written last and has nearly all edges. The other part fits and stays.
awk 'BEGIN { print 1, 3; for (i = 0; i < 50000; i++) print 2 * i, 2 * (i * 7919 % 50000) }' |
    "$BIN/edgeconv" -q -u -o "$tmp/even.edges"
"$pack" -q -p 2 -t inf -o "$tmp/even" "$tmp/even.edges"
check_exit 1 'dbfs-pack: one part is too large' \
    small_files 100 "$pack" -q -p 2 -t inf -o "$tmp/f/x" "$tmp/even.edges"
check_says '1 of 2 parts are finished and stay: --resume'
check "$situation: no manifest is left" test ! -e "$tmp/f/x/manifest"
check '--resume without the limit ends the packing' "$pack" -q --resume -p 2 -t inf -o "$tmp/f/x" "$tmp/even.edges"
check "$situation: resumed, bytes are those of an uninterrupted packing" same_folders "$tmp/f/x" "$tmp/even"
rm -r "$tmp/f/x"

# ---- a full disk ----

full=$tmp/full
mkdir "$full"
if [ "${1:-}" != inside ] || ! mount -t tmpfs -o size=64k none "$full" 2>/dev/null; then
    skip 'a small tmpfs: no mount namespace for this user'
    finish
fi
# With the source named, mount adds none of the earlier options, such as an owner whom this namespace does not know.
room() { mount -o "remount,size=$1" none "$full"; }

no_room() { # NAME COMMAND...
    local name=$1
    shift
    check_exit 5 "$name: a full disk" "$@"
    check_says 'No space left on device'
    check "$name, a full disk: nothing is left" test -z "$(ls -A "$full")"
}
no_room rmatgen "$BIN/rmatgen" -q -s 13 -o "$full/x.edges"
no_room edgeconv "$BIN/edgeconv" -q -u -o "$full/x.edges" "$tmp/g.txt"
no_room degsplit "$BIN/degsplit" -q -t 1 -o "$full/x.split" "$tmp/g.edges"
no_room 'dbfs-pack, a new folder' "$pack" -q -p 5 -o "$full/x" "$tmp/g.edges"
for program in "degsplit -q -o $tmp/x.split" "dbfs-pack -q -p 2 -o $tmp/x"; do
    "$BIN/rmatgen" -s 19 >"$tmp/pipe" 2>/dev/null & # more than 32 MiB, with any number of threads
    got=0
    "$BIN"/$program -S 32M -T "$full" - <"$tmp/pipe" 2>"$tmp/err" || got=$?
    wait
    check "${program%% *}: no room in -T: exit 5 ($got)" test $got = 5
    check_says "$full: cannot write a temporary copy of the edge stream: No space left" "${program%% *}: the folder without room is named"
    check "${program%% *}, no room in -T: nothing is left" test -z "$(ls -A "$full")$(ls -d "$tmp"/x* 2>/dev/null)"
done

room 12k
no_room 'dbfs-model, its temporary folder' env TMPDIR="$full" "$BIN/dbfs-model" weak --rmat 4 -t 4
room 64k

# sizes from no room for the journal to no room for the manifest
whole=$(du -sk --apparent-size "$tmp/ref" | cut -f1)
unfinished=0
for kib in 4 8 $((whole / 4)) $((whole / 2)) $((whole * 3 / 4)) $((whole - 4)); do
    room 16m
    rm -rf "$full/x"
    room ${kib}k
    check_exit 5 "dbfs-pack with $kib KiB of room" "$pack" -q -p 5 -o "$full/x" "$tmp/g.edges"
    check_says 'No space left on device'
    if [ -e "$full/x/packing" ]; then
        unfinished=$((unfinished + 1))
        check_says 'parts are finished and stay: --resume'
        check_exit 5 'still no room' "$pack" -q --resume -p 5 -o "$full/x" "$tmp/g.edges"
    else
        check 'dbfs-pack on a full disk leaves nothing' test ! -e "$full/x"
    fi
    check 'a packing on a full disk leaves neither manifest nor temporary file' \
        test -z "$(find "$full" -name manifest -o -name '.*' -type f)"
    room 16m
    check 'dbfs-pack --resume when there is room ends the packing' "$pack" -q --resume -p 5 -o "$full/x" "$tmp/g.edges"
    check '--resume when there is room writes the same bytes' same_folders "$full/x" "$tmp/ref"
done
check 'some packings on a full disk left finished parts' test $unfinished -ge 2

# room for the shards, and not for all grid parts
"$pack" -q --layout 2d=2x2 -o "$tmp/grid" "$tmp/g.edges"
shards=$(cat "$tmp"/grid/part-* | wc -c) parts=$(cat "$tmp"/grid/grid-* | wc -c)
rm -rf "$full/x"
room $(((shards + parts / 2) / 1024))k
check_exit 5 'a grid with room for its shards alone' "$pack" -q --layout 2d=2x2 -o "$full/x" "$tmp/g.edges"
check_says '4 of 4 parts are finished and stay: --resume'
check 'no manifest says that it is complete' test ! -e "$full/x/manifest"
room 16m
check 'dbfs-pack --resume of a grid when there is room ends the packing' "$pack" -q --resume --layout 2d=2x2 -o "$full/x" "$tmp/g.edges"
check "$situation: resumed, bytes are those of an uninterrupted packing" same_folders "$full/x" "$tmp/grid"
umount "$full"
finish
