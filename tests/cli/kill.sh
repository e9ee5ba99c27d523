#!/bin/bash
# kill.sh: SIGKILL at random moments of a packing leaves nothing, or a packing that --resume finishes to the same
# bytes, or a whole graph. 10 kills, or 50 in long mode; SEED=N repeats a run.
set -u
. tests/lib.sh
pack=$(realpath "$BIN/dbfs-pack")
traverse=$(realpath "$BIN/dbfs-traverse")
kills=10
[ "${TEST_MODE:-short}" = long ] && kills=50
seed=${SEED:-$((RANDOM))}
RANDOM=$seed
echo "# seed $seed, $kills kills"

same_folders() { diff -r "$1" "$2" >&2; }
microseconds() { local t=$EPOCHREALTIME; echo "${t/[.,]/}"; }

# killed_after MICROSECONDS COMMAND...: sends SIGKILL; the shell's message goes to a file
killed_after() {
    local moment=$1 pid
    shift
    "$@" >/dev/null 2>&1 &
    pid=$!
    sleep "$((moment / 1000000)).$(printf %06d $((moment % 1000000)))"
    { kill -KILL $pid; wait $pid; } 2>>"$tmp/shell"
}

# prints the state that a kill left: nothing, journal, parts, manifest
state_of() {
    if [ -e "$1/manifest" ]; then
        echo manifest
    elif ls "$1"/part-* >/dev/null 2>&1; then
        echo parts
    elif [ -e "$1/packing" ]; then
        echo journal
    else
        echo nothing
    fi
}

"$BIN/rmatgen" -q -s 17 -o "$tmp/g.edges"
"$BIN/rmatgen" -q -s 10 -o "$tmp/old.edges"
start=$(microseconds)
check 'an undisturbed run' "$pack" -q -p 5 -o "$tmp/ref" "$tmp/g.edges"
whole=$(($(microseconds) - start))
check 'an older graph is packed' "$pack" -q -p 3 -o "$tmp/old" "$tmp/old.edges"

# ---- kills ----

declare -A seen=([nothing]=0 [journal]=0 [parts]=0 [manifest]=0)
bad=0
for ((i = 1; i <= kills; i++)); do
    moment=$((whole * 11 / 10 * RANDOM / 32768))
    # in turn: a new folder, one that the last kill left, one that held another graph
    case $((i % 3)) in
    0) how='--force'; rm -rf "$tmp/x"; cp -r "$tmp/old" "$tmp/x" ;;
    1) how=''; rm -rf "$tmp/x" ;;
    2) how='--resume' ;;
    esac
    killed_after $moment "$pack" -q -p 5 $how -o "$tmp/x" "$tmp/g.edges"
    state=$(state_of "$tmp/x")
    seen[$state]=$((seen[$state] + 1))
    echo "# kill $i ${how:---new} after $moment us of $whole: $state"
    got=0
    "$traverse" -q -n 1 "$tmp/x" >"$tmp/out" 2>"$tmp/err" || got=$?
    if [ $state = manifest ]; then
        [ $got = 0 ] && "$pack" -q --verify "$tmp/x" 2>"$tmp/err" ||
            { bad=$((bad + 1)); fail "kill $i: a manifest beside wrong parts: $(cat "$tmp/err")"; }
    else
        [ $got = 1 ] || { bad=$((bad + 1)); fail "kill $i: dbfs-traverse exits with $got"; }
    fi
    # two of three are finished at once, and the third is killed again
    [ $((i % 3)) != 1 ] || [ $i = $kills ] || continue
    resume='--resume'
    # It was killed before it took the folder over: the older graph is still there, and --resume must not replace it.
    [ $state = manifest ] && [ ! -e "$tmp/x/packing" ] && [ -n "$(ls "$tmp/x" | grep 0003)" ] && resume='--force'
    if ! "$pack" -q -p 5 $resume -o "$tmp/x" "$tmp/g.edges" 2>"$tmp/err"; then
        bad=$((bad + 1))
        fail "kill $i: $resume fails: $(cat "$tmp/err")"
    elif ! same_folders "$tmp/x" "$tmp/ref" 2>"$tmp/err"; then
        bad=$((bad + 1))
        fail "kill $i: other bytes after $resume: $(cat "$tmp/err")"
    fi
    [ -z "$(find "$tmp/x" -name '.*' -type f)" ] || { bad=$((bad + 1)); fail "kill $i: leftovers"; }
done
echo "# left: nothing ${seen[nothing]}, a journal ${seen[journal]}, parts ${seen[parts]}, a manifest ${seen[manifest]}"
check "after $kills kills --resume gives the same bytes, and there never is a wrong graph" test $bad = 0

# ---- one state of each kind, made by hand ----

# Stop it when the first part is there and work is left. If this script waits for a core, all may be done by then.
for _ in {1..50}; do
    rm -rf "$tmp/x"
    "$pack" -q -p 5 -o "$tmp/x" "$tmp/g.edges" 2>"$tmp/err" &
    pid=$!
    until [ -e "$tmp/x/part-0004-of-0005.dbfs" ] || ! kill -0 $pid 2>/dev/null; do :; done
    kill -STOP $pid 2>/dev/null
    [ ! -e "$tmp/x/part-0000-of-0005.dbfs" ] && break
    { kill -KILL $pid; wait $pid; } 2>>"$tmp/shell"
done
check_exit 1 'a folder that another dbfs-pack writes into' "$pack" --resume -p 5 -o "$tmp/x" "$tmp/g.edges"
check_says 'another dbfs-pack'
{ kill -TERM $pid; kill -CONT $pid; wait $pid; } 2>>"$tmp/shell"
check 'SIGTERM leaves a journal' test -e "$tmp/x/packing"
check 'SIGTERM leaves no manifest' test ! -e "$tmp/x/manifest"
check 'SIGTERM leaves finished parts' test -e "$tmp/x/part-0004-of-0005.dbfs"
rm -f "$tmp"/x/part-000[0-3]* # a busy machine may have finished several parts
check 'SIGTERM leaves no temporary file' test -z "$(find "$tmp/x" -name '.*' -type f)"
cp "$tmp/err" "$tmp/farewell"
check 'SIGTERM: the last words say how to go on' grep -q 'interrupted: --resume with the same options' "$tmp/farewell"
cp -r "$tmp/x" "$tmp/unfinished"

check_exit 1 'dbfs-traverse on an unfinished packing' "$traverse" "$tmp/x"
check_says 'unfinished packing: run dbfs-pack --resume'
for look in --list --verify; do
    check_exit 1 "$look of an unfinished packing" "$pack" $look "$tmp/x"
    check_says 'unfinished packing: run dbfs-pack --resume'
done
check_exit 1 'packing into it without --resume' "$pack" -p 5 -o "$tmp/x" "$tmp/g.edges"
check_says 'resume'
check_says 'force'
for other in '-p 4' '-p 5 --heads nd=1' '-p 5 -t 3' '-p 5 --encoding raw'; do
    check_exit 1 "--resume with $other" "$pack" --resume $other -o "$tmp/x" "$tmp/g.edges"
    check_says 'holds an unfinished packing with'
done
check_exit 1 '--resume with another graph' "$pack" --resume -p 5 -o "$tmp/x" "$tmp/old.edges"
check_says 'other edges'
check_exit 2 '--resume and --force' "$pack" --resume --force -p 5 -o "$tmp/x" "$tmp/g.edges"
check "$situation: the unfinished packing is as before" same_folders "$tmp/x" "$tmp/unfinished"
head -c 100000 "$tmp/g.edges" >"$tmp/cut.edges"
check_exit 3 '--resume with a cut stream' "$pack" --resume -p 5 -o "$tmp/x" "$tmp/cut.edges"
check "$situation: changes nothing" same_folders "$tmp/x" "$tmp/unfinished"

# parts under wrong names: content proves a part, not its name
touch "$tmp/x/.part-0003-of-0005.dbfs.aB3xYz" "$tmp/x/.notes.abcdef"
cp "$tmp/ref/part-0001-of-0005.dbfs" "$tmp/x"
printf x | dd of="$tmp/x/part-0001-of-0005.dbfs" bs=1 seek=70000 conv=notrunc 2>/dev/null
cp "$tmp/ref/part-0002-of-0005.dbfs" "$tmp/x/part-0000-of-0005.dbfs"
cp "$tmp/old/part-0002-of-0003.dbfs" "$tmp/x"
head -c 50000 "$tmp/ref/part-0002-of-0005.dbfs" >"$tmp/x/part-0002-of-0005.dbfs"
check_exit 0 '--resume among damaged, exchanged, cut and foreign parts' \
    "$pack" --resume -p 5 -o "$tmp/x" "$tmp/g.edges"
check_says '1 of 5 parts were finished'
check 'a file of the user stays' rm "$tmp/x/.notes.abcdef"
check "$situation: bytes are those of an uninterrupted packing" same_folders "$tmp/x" "$tmp/ref"
check_exit 0 '--resume of a complete graph' "$pack" --resume -p 5 -o "$tmp/x" "$tmp/g.edges"
check_says 'was complete already: 5 parts'
check_exit 1 '--resume into a complete graph of other options' \
    "$pack" --resume -p 4 -o "$tmp/x" "$tmp/g.edges"
check_says 'holds a packed graph with'
rm "$tmp/x/part-0003-of-0005.dbfs"
check_exit 0 '--resume of a graph that lost a part' "$pack" --resume -p 5 -o "$tmp/x" "$tmp/g.edges"
check_says '4 of 5 parts'
check "$situation: bytes are those of an uninterrupted packing" same_folders "$tmp/x" "$tmp/ref"
rm -r "$tmp/x"
check 'a graph that lacks its manifest alone is unfinished' bash -c 'cp -r "$1/ref" "$1/x" && rm "$1/x/manifest" &&
    cp "$1/unfinished/packing" "$1/x"' - "$tmp"
check_exit 0 '--resume writes it' "$pack" --resume -p 5 -o "$tmp/x" "$tmp/g.edges"
check_says '5 of 5 parts'
check "$situation: bytes are those of an uninterrupted packing" same_folders "$tmp/x" "$tmp/ref"
rm -r "$tmp/x"
check '--resume into a missing folder packs' "$pack" -q --resume -p 5 -o "$tmp/x" "$tmp/g.edges"
check '--resume into a missing folder gives the bytes of an uninterrupted packing' same_folders "$tmp/x" "$tmp/ref"
cp "$tmp/unfinished/packing" "$tmp/x"
check_exit 0 'a manifest with its journal still there' "$traverse" -q -n 1 "$tmp/x"
check '--resume removes the journal' bash -c '"$1" -q --resume -p 5 -o "$2" "$3" && ! test -e "$2/packing"' \
    - "$pack" "$tmp/x" "$tmp/g.edges"
rm -r "$tmp/x"
mkdir "$tmp/x"
touch "$tmp/x/notes"
check_exit 1 '--resume among files of the user' "$pack" --resume -p 5 -o "$tmp/x" "$tmp/g.edges"
cp "$tmp/unfinished/packing" "$tmp/x"
sed -i 's/^p 5/p 6/' "$tmp/x/packing"
check_exit 3 'an edited journal' "$pack" --resume -p 5 -o "$tmp/x" "$tmp/g.edges"
check_says 'packing: .*corrupt'
check '--force packs anew over an edited journal' "$pack" -q --force -p 5 -o "$tmp/x" "$tmp/g.edges"
check '--force leaves no journal' test ! -e "$tmp/x/packing"

# SIGTERM comes just after a part was renamed and before the next one is made. No file may appear whose name the
# handler does not know.
left=0
for ((i = 1; i <= 3 * kills; i++)); do
    rm -rf "$tmp/x"
    "$pack" -q -@ 1 -p 40 -o "$tmp/x" "$tmp/old.edges" 2>/dev/null &
    pid=$!
    part=$tmp/x/part-00$(printf %02d $((RANDOM % 40)))-of-0040.dbfs
    until [ -e "$part" ] || ! kill -0 $pid 2>/dev/null; do :; done
    { kill -STOP $pid; kill -TERM $pid; kill -CONT $pid; wait $pid; } 2>>"$tmp/shell"
    left=$((left + $(find "$tmp/x" -name '.*' -type f | wc -l)))
done
check "$((3 * kills)) times SIGTERM leave no temporary file ($left)" test $left = 0

# parts exceed the memory that their proof may take
rm -r "$tmp/x"
"$BIN/rmatgen" -q -s 19 -o "$tmp/large.edges"
check 'a large part is packed' "$pack" -q -p 1 --encoding raw -o "$tmp/x" "$tmp/large.edges"
check_exit 0 '--resume with little memory' \
    "$pack" --resume -@ 2 -S 40M -p 1 --encoding raw -o "$tmp/x" "$tmp/large.edges"
if grep -q __asan_init "$pack"; then
    skip 'little memory: AddressSanitizer takes memory of its own'
else
    peak=$(awk '/peak memory/ { print int($(NF - 1)), $NF }' "$tmp/err")
    check "--resume of a large packing takes less than 40 MiB ($peak)" test "${peak% MiB}" -le 40
fi
rm -r "$tmp/x"

# ---- other programs leave nothing under the final name ----

"$BIN/rmatgen" -q -s 17 -f text -o "$tmp/g.txt"
one_kill() { # NAME OUTPUT COMMAND...
    local name=$1 output=$2 start
    shift 2
    start=$(microseconds)
    "$@" >/dev/null 2>&1
    local whole=$(($(microseconds) - start))
    cp "$output" "$tmp/whole"
    for ((i = 1; i <= kills / 5; i++)); do
        rm -f "$output"
        killed_after $((whole * RANDOM / 32768)) "$@"
        check "$name: a kill leaves nothing, or all" \
            bash -c '! test -e "$1" || cmp -s "$1" "$2"' - "$output" "$tmp/whole"
        check "$name: a kill leaves no temporary file" test -z "$(find "$tmp/out.d" -name '.*' -type f)"
    done
}
mkdir "$tmp/out.d"
one_kill rmatgen "$tmp/out.d/k.edges" "$BIN/rmatgen" -q -s 17 -o "$tmp/out.d/k.edges"
one_kill edgeconv "$tmp/out.d/k.edges" "$BIN/edgeconv" -q -u -o "$tmp/out.d/k.edges" "$tmp/g.txt"
one_kill degsplit "$tmp/out.d/k.split" "$BIN/degsplit" -q -o "$tmp/out.d/k.split" "$tmp/g.edges"

# A file without a name is named through /proc. Without it a file has its temporary name from the start, as on NFS.
without_proc=(unshare --mount sh -c 'mount -t tmpfs none /proc && exec "$@"' -)
if "${without_proc[@]}" true 2>/dev/null && ! grep -q __asan_init "$BIN/rmatgen"; then
    rm -f "$tmp/out.d/k.edges"
    check_exit 0 'a file with a temporary name' "${without_proc[@]}" "$BIN/rmatgen" -q -s 17 -o "$tmp/out.d/k.edges"
    "$BIN/rmatgen" -q -s 17 -o "$tmp/out.d/again"
    check "$situation: bytes are those of a new file" cmp "$tmp/out.d/k.edges" "$tmp/out.d/again"
    check "$situation: the mode is that of a new file" test "$(stat -c %a "$tmp/out.d/k.edges")" = "$(stat -c %a "$tmp/out.d/again")"
    "${without_proc[@]}" "$BIN/rmatgen" -q -s 24 -o "$tmp/out.d/large" 2>/dev/null &
    pid=$!
    hidden() { compgen -G "$tmp/out.d/.large.??????" >/dev/null; }
    wait_until hidden
    check 'SIGTERM comes while it has that name' hidden
    kill -TERM $pid
    wait $pid 2>>"$tmp/shell"
    check 'a program that ends by a signal removes its temporary file' test -z "$(find "$tmp/out.d" -name '.*' -type f)"
else
    skip 'temporary names: mounts are not allowed here, or the build needs /proc'
fi
finish
