#!/bin/bash
# hosts-faults.sh: four hosts with a rank each, of which one is stopped or killed, a host that loses power, and one
# that loses its network. The job ends within the timeout, with a message, and leaves no rank on any host.
set -u
. tests/lib.sh
. tests/namespaces.sh
make_hosts
traverse=$(realpath "$BIN/dbfs-traverse")
pack=$(realpath "$BIN/dbfs-pack")

# fault NAME ACTION PROGRAM FILE READY ARGUMENT...: ACTION is done when the command READY succeeds, as the job then works
fault() {
    local name="$3, $1" action=$2 program=$3 file=$4 ready=$5 pid i
    shift 5
    # no output of the last fault must be taken for this one's
    : >"$tmp/out"
    got=0
    on_hosts "$@" --timeout 3 >"$tmp/out" 2>"$tmp/err" </dev/null &
    pid=$!
    wait_until $ready
    check "$name: $hosts ranks work" test "$(ranks_of "$program" "$file" | wc -l)" = $hosts
    $action
    for i in $(seq 600); do
        kill -0 $pid 2>/dev/null || break
        sleep 0.1
    done
    check "$name: the job ends by itself" test "$i" -lt 600
    wait $pid || got=$?
    check "$name: the job ends with a failure (exit $got)" test $got != 0
    check "$name: no rank is left on any host" ranks_end 100 "$program" "$file"
}
signal_rank() { kill -"$signal" "$(ranks_of "$program" "$file" | sed -n 3p)"; }

"$BIN/rmatgen" -q -s 14 -o "$tmp/g.edges"
"$pack" -q -p $hosts -o "$tmp/graph" "$tmp/g.edges"
"$BIN/rmatgen" -q -s 19 -o "$tmp/large.edges"
searching() { grep -q '^root ' "$tmp/out"; }
packing() { [ -e "$tmp/x/packing" ]; }
for signal in STOP KILL; do
    fault "SIG$signal of a rank" signal_rank dbfs-traverse "$tmp/graph" searching \
        "$traverse" --backend cpu -@ 1 -n 1000000 "$tmp/graph"
    [ $signal != STOP ] || check_says '^dbfs-traverse: .*host[1-4].*(--timeout)' 'dbfs-traverse, a rank is stopped: the message names a host and --timeout'
    rm -rf "$tmp/x"
    fault "SIG$signal of a rank" signal_rank dbfs-pack "$tmp/large.edges" packing \
        "$pack" -q -@ 1 -p $hosts -o "$tmp/x" "$tmp/large.edges"
    [ $signal != STOP ] || check_says '^dbfs-pack: .*host[1-4].*(--timeout)' 'dbfs-pack, a rank is stopped: the message names a host and --timeout'
    check_exit 0 "dbfs-pack, SIG$signal: --resume goes on" \
        "$pack" -q -p $hosts --resume -o "$tmp/x" "$tmp/large.edges"
done

# ---- a host that loses power or network while results are written ----

"$traverse" -q --backend cpu -@ 1 -r 1 --depths "$tmp/one.npy" "$tmp/graph" >/dev/null 2>&1
writing() { ls "$tmp/results" | grep -q '^[0-9]*\.npy'; }
lose_host() { # NAME ACTION: host 3 is lost by ACTION
    rm -rf "$tmp/results"
    mkdir "$tmp/results"
    fault "$1" "$2" dbfs-traverse "$tmp/results" writing "$traverse" -q --backend cpu -@ 1 -n 1000 --trace "$tmp/results/trace" \
        --depths "$tmp/results/%d.npy" "$tmp/graph"
    check "dbfs-traverse, $1: each result is whole" \
        test -z "$(find "$tmp/results" -name '[^.]*' -type f ! -size "$(stat -c %s "$tmp/one.npy")c")"
}
lose_third() { kill_host 3; }
cut_third() { cut_host 3; }
lose_host 'a host loses power' lose_third
carriers=tcp,self
lose_host 'a host loses its network' cut_third
check "a host loses its network: the job ends with 1 (exit $got)" test $got = 1
check_says '^dbfs-traverse: rank [013] on host[124], [a-z ]* root [0-9]*: waited for .* s (--timeout): .* may have failed$' 'a host loses its network: others say that they waited for a rank'
check 'a host loses its network: no unfinished file is left' test -z "$(find "$tmp/results" -name '.*.??????')"
join_host 3

# ---- GPUs whose messages are passed on while they search ----

traverse=$(realpath -m "${BUILD:-build}/emulated/bin/dbfs-traverse")
if [ -x "$traverse" ]; then
    hosts=2
    # the second search has 100,000 levels
    { "$TESTS/mkgraph" path 100000; echo 200000 200001; } | "$BIN/edgeconv" -q -u -o "$tmp/two.edges" -
    "$pack" -q -p 2 -t inf -o "$tmp/two" "$tmp/two.edges"
    export OMP_WAIT_POLICY=passive EMULATED_PROCESSORS=2 EMULATED_GPUS=1
    cut_second() { cut_host 2; }
    fault 'GPUs of two hosts, of which one loses its network' cut_second dbfs-traverse "$tmp/two" searching \
        "$traverse" --backend cuda -@ 1 -r 200000,0 "$tmp/two"
    check_says '^dbfs-traverse: rank 0 on host1, searching from root 0: waited for rank 1 on host2 for 3\.[0-9] s (--timeout)' 'GPUs of two hosts: the message names the rank and the host of the lost GPU'
else
    skip 'GPUs of two hosts, of which one loses its network: no emulated GPU is built'
fi
finish
