#!/bin/bash
# faults.sh: faults while a program runs: a part that is cut, missing or replaced, and SIGINT and SIGTERM in each
# phase. The program ends with a message and the right exit code, and leaves neither partial output nor a process.
# (Ranks that are lost: lost-ranks.sh.)
set -u
. tests/lib.sh
traverse=$(realpath "$BIN/dbfs-traverse")
pack=$(realpath "$BIN/dbfs-pack")

"$BIN/rmatgen" -q -s 12 -o "$tmp/g.edges"
"$pack" -q -p 1 --encoding raw -o "$tmp/p1" "$tmp/g.edges"
"$pack" -q -p 2 --encoding raw -o "$tmp/p2" "$tmp/g.edges"

# ---- a part is cut during a search ----

cp -r "$tmp/p1" "$tmp/cut"
start_search "$traverse" --backend cpu -@ 1 -n 1000000 --depths "$tmp/depths-%d.npy" "$tmp/cut"
check 'the process of dbfs-traverse has its own name' grep -qx dbfs-traverse "/proc/$pid/comm"
truncate -s 4096 "$tmp/cut/part-0000-of-0001.dbfs"
ended 1 'a part is cut during a search'
check_says 'dbfs-traverse: .*/cut/part-0000-of-0001.dbfs: cannot read: the file became shorter' 'a part is cut during a search: the message names the part'
check 'no temporary file is left' test -z "$(find "$tmp" -maxdepth 1 -name '.depths*')"
rm -f "$tmp"/depths-*

cp -r "$tmp/p2" "$tmp/cut2"
start_search "$MPIEXEC" -n 2 "$traverse" --backend cpu -@ 1 -n 1000000 --exchange-memory host --trace "$tmp/trace" \
    --depths "$tmp/depths-%d.npy" "$tmp/cut2"
check 'two ranks search, before a part is cut' test "$(ranks_of dbfs-traverse "$tmp/cut2" | wc -l)" = 2
truncate -s 4096 "$tmp/cut2/part-0001-of-0002.dbfs"
ended 1 'a part of one rank is cut'
check_says 'part-0001-of-0002.dbfs: cannot read' 'a part of one rank is cut: the message names the part'
check 'a part of one rank is cut: no rank is left' ranks_end 100 dbfs-traverse "$tmp/cut2"
check 'a part that is cut leaves no unfinished file of the rank that the launcher killed' \
    test -z "$(find "$tmp" -maxdepth 1 -name '.trace*' -o -maxdepth 1 -name '.depths*')"
check 'a part that is cut leaves no trace file' test ! -e "$tmp/trace"
rm -f "$tmp"/depths-*

# ---- a part is missing, or replaced by that of another graph ----

# A mapped file stays after its name is gone, and the search ends as ever.
"$BIN/rmatgen" -q -s 12 --seed 9 -o "$tmp/other.edges"
"$pack" -q -p 2 --encoding raw -o "$tmp/other" "$tmp/other.edges"
checksum() { sed -n 's/^distance_checksum: //p' "$1"; }
"$traverse" --backend cpu -q -@ 1 -n 200 "$tmp/p2" >"$tmp/want" 2>&1
for how in rm 'cp --remove-destination'; do
    rm -rf "$tmp/names"
    cp -r "$tmp/p2" "$tmp/names"
    start_search "$MPIEXEC" -n 2 "$traverse" --backend cpu -@ 1 -n 200 "$tmp/names"
    [ "$how" = rm ] && rm "$tmp"/names/part-* || $how "$tmp"/other/part-* "$tmp/names"
    ended 0 "parts are gone from their names during a search ($how)"
    check 'the distances are right' test "$(checksum "$tmp/out")" = "$(checksum "$tmp/want")"
done
both() { timeout 60 "$MPIEXEC" -n 2 "$traverse" --backend cpu -q -@ 1 -n 2 "$tmp/names"; }
check_exit 3 'all parts of another graph than the manifest' both
check_says 'part-000[01]-of-0002.dbfs: .*manifest'
cp "$tmp"/p2/part-* "$tmp/names"
mv "$tmp/names/part-0001-of-0002.dbfs" "$tmp/away"
check_exit 1 'a part of one rank is missing' both
check_says 'rank 1 on .*: .*part-0001-of-0002.dbfs: cannot open: No such file'
cp "$tmp/names/part-0000-of-0002.dbfs" "$tmp/names/part-0001-of-0002.dbfs"
check_exit 3 'a part is there twice' both
check_says 'rank 1 on .*: .*part-0001-of-0002.dbfs: '
rm -rf "$tmp/names"

# ---- SIGINT and SIGTERM in every phase ----

"$BIN/rmatgen" -q -s 16 -o "$tmp/many.edges"
"$pack" -q -p 2 -o "$tmp/many" "$tmp/many.edges"
"$BIN/rmatgen" -q -s 18 -o "$tmp/large.edges"
"$BIN/rmatgen" -q -s 19 -o "$tmp/larger.edges"
"$pack" -q -p 1 -o "$tmp/large" "$tmp/large.edges"
"$traverse" --backend cpu -q -r 1 --depths "$tmp/depths-%d.npy" "$tmp/large" >/dev/null 2>&1
# results of the same root, enough for a long run
ones=$(printf "1,%.0s" {1..9})1
shares='1 5 15 30 50 75' # in percent of the time of a run
[ "${TEST_MODE:-short}" = long ] && shares=$(seq 2 2 98)

microseconds() { date +%s%6N; }

# Sends the signal at moments spread over a run. The program ends by the signal and leaves no temporary file. The time
# of a run is that of one without a signal, and of each that ends before its signal.
signalled() { # NAME COMMAND...
    local name=$1 share got bad= sent=0 signal start took=0
    shift
    for share in 0 $shares; do
        for signal in INT TERM; do
            [ $share.$signal = 0.TERM ] && continue # the run without a signal
            rm -rf "$tmp/s"
            mkdir "$tmp/s"
            got=0
            start=$(microseconds)
            env --default-signal=INT timeout --preserve-status -s $signal -k 20 $(awk -v n=$((took * share)) 'BEGIN { print n / 1e8 }') "$@" \
                >"$tmp/out" 2>"$tmp/err" </dev/null || got=$?
            case $signal.$got in
            *.0) took=$(($(microseconds) - start)) ;;
            INT.130 | TERM.143) sent=$((sent + 1)) ;;
            *) bad="$bad $signal-$share:$got" ;;
            esac
            [ -z "$(find "$tmp/s" -name '.*.??????')" ] || bad="$bad $signal-$share:left"
        done
    done
    check "$name: ends by SIGINT and SIGTERM at any moment ($bad)" test -z "$bad"
    check "$name: many signals come while the program works ($sent)" test $sent -gt 5
}
signalled rmatgen "$BIN/rmatgen" -q -s 20 -o "$tmp/s/x.edges"
signalled degsplit "$BIN/degsplit" -q -@ 1 -o "$tmp/s/x.split" "$tmp/larger.edges"
rm "$tmp/larger.edges"
signalled dbfs-check "$(realpath "$BIN/dbfs-check")" -q -@ 1 -r $ones --depths "$tmp/depths-%d.npy" "$tmp/large.edges"
signalled dbfs-pack "$pack" -q -@ 1 -p 3 -o "$tmp/s/x" "$tmp/large.edges"
"$BIN/edgeconv" -q -t text -o "$tmp/large.txt" "$tmp/large.edges"
signalled edgeconv "$BIN/edgeconv" -q -u -@ 1 --compact="$tmp/s/x.map" -o "$tmp/s/x.edges" "$tmp/large.txt"
signalled dbfs-traverse "$traverse" --backend cpu -q -@ 1 -n 500 --depths "$tmp/s/d-%d.npy" "$tmp/p1"
signalled dbfs-graph500 "$(realpath "$BIN/dbfs-graph500")" --backend cpu -q -@ 1 -n 500 --json "$tmp/s/j" "$tmp/p1"

# While dbfs-pack reads, nothing can be resumed, so it leaves no folder and gives no advice. Finished parts: kill.sh.
for signal in INT TERM; do
    mkfifo "$tmp/fifo"
    env --default-signal=INT "$pack" -o "$tmp/s/y" "$tmp/fifo" 2>"$tmp/err" &
    pid=$!
    exec 7>"$tmp/fifo"
    "$BIN/rmatgen" -q -s 20 2>/dev/null | head -c 100000 >&7
    for _ in $(seq 300); do
        [ ! -e "$tmp/s/y/packing" ] || break
        sleep 0.1
    done
    check 'dbfs-pack has begun' test -e "$tmp/s/y/packing"
    { kill -$signal $pid; wait $pid; } 2>/dev/null
    exec 7>&-
    rm "$tmp/fifo"
    check "SIG$signal before there is anything to resume leaves no folder" test ! -e "$tmp/s/y"
    check "SIG$signal before there is anything to resume advises nothing" test -z "$(grep resume "$tmp/err")"
    mkdir "$tmp/s/y"
    check 'packing begins anew' "$pack" -q -o "$tmp/s/y" "$tmp/g.edges"
    rm -r "$tmp/s/y"
done

# A rank that gets a signal ends the job with the shell's exit code for that signal, under each launcher. So does a
# lone rank: of one that dies by SIGINT, Hydra would report 2, which means a usage error.
for ranks in 1 2; do
    for signal in INT:130 TERM:143 HUP:129; do
        start_search env --default-signal=INT,HUP "$MPIEXEC" -n $ranks "$traverse" --backend cpu -@ 1 -n 1000000 \
            --trace "$tmp/trace" "$tmp/many"
        kill -${signal%:*} "$(ranks_of dbfs-traverse "$tmp/many" | tail -1)"
        ended ${signal#*:} "one rank of $ranks gets SIG${signal%:*} during a search"
        check "one rank of $ranks gets SIG${signal%:*}: no rank is left" ranks_end 100 dbfs-traverse "$tmp/many"
        check "a search of ranks that ends by a signal leaves no trace file" test -z "$(find "$tmp" -maxdepth 1 -name '*trace*')"
    done
done

# A launcher that gets the signal ends the ranks by SIGKILL. (While ranks start: launcher-signals.sh.)
launcher_signalled() { # NAME FILE READY COMMAND...: sends the signal when READY succeeds, as the ranks then work
    local name=$1 pattern=$2 ready=$3 signal
    shift 3
    for signal in INT TERM; do
        rm -rf "$tmp/s"
        mkdir "$tmp/s"
        : >"$tmp/out"
        env --default-signal=INT "$MPIEXEC" -n 2 "$@" >"$tmp/out" 2>"$tmp/err" </dev/null &
        pid=$!
        until $ready || ! kill -0 $pid 2>/dev/null; do sleep 0.02; done
        kill -$signal $pid
        check "$name: the launcher gets SIG$signal: no rank is left" ranks_end 100 "$name" "$pattern"
        kill -KILL $pid 2>/dev/null
        wait $pid 2>/dev/null
        check "a packing that ends by a signal leaves a whole graph or one that is resumed" finished_or_resumable "$tmp/s/x"
    done
}
# SIGKILL may come just after the folder was made.
finished_or_resumable() { [ ! -e "$1" ] || [ -e "$1/packing" ] || [ -e "$1/manifest" ] || [ -z "$(ls -A "$1")" ]; }
both_read() { two_read dbfs-pack "$tmp/large.edges"; }
searching() { grep -q '^root ' "$tmp/out"; }
launcher_signalled dbfs-pack "$tmp/large.edges" both_read "$pack" -q -@ 1 -p 2 -o "$tmp/s/x" "$tmp/large.edges"
launcher_signalled dbfs-traverse "$tmp/many" searching "$traverse" --backend cpu -@ 1 -n 100000 "$tmp/many"
finish
