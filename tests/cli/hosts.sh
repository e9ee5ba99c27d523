#!/bin/bash
# hosts.sh: several hosts, which are network namespaces, pack and search with the bytes and distances of one host.
set -u
. tests/lib.sh
. tests/namespaces.sh
make_hosts

# ---- packing and searching ----

check_exit 0 'four hosts run a rank each' on_hosts ip -o -4 addr show eth0
check "$situation: each has an address of its own" test "$(grep -o '10\.77\.0\.[0-9]*/' "$tmp/out" | sort -u | wc -l)" = $hosts

"$BIN/rmatgen" -q -s 12 -o "$tmp/edges"
check_exit 0 'packing on one host' "$BIN/dbfs-pack" -q -p $hosts -o "$tmp/alone" "$tmp/edges"
check_exit 0 'packing on four hosts' on_hosts "$(realpath "$BIN/dbfs-pack")" -q -p $hosts -o "$tmp/packed" "$tmp/edges"
check "$situation: bytes are those of one host" diff -r "$tmp/alone" "$tmp/packed"

check_exit 0 'searching on one host' "$BIN/dbfs-traverse" -q -n 4 --backend cpu "$tmp/alone"
wanted=$(sed -n 's/^distance_checksum: //p' "$tmp/out")
for options in '' '--exchange-form list --uniquify' '--exchange-form bits --direction push' '--reduction nonblocking'; do
    check_exit 0 "searching on four hosts${options:+, $options}" on_hosts "$(realpath "$BIN/dbfs-traverse")" -q -@ 1 -n 4 \
        --backend cpu --force --json "$tmp/json" $options "$tmp/packed"
    check "$situation: the checksum is that of one host" test "$(sed -n 's/^distance_checksum: //p' "$tmp/out")" = "$wanted"
    check "$situation: each host has one rank" grep -q '"ranks_on_host": 1,' "$tmp/json"
done

# two hosts have two ranks each, which read each other's memory
each=2
for options in '' '--exchange-form list' '--exchange-form bits --direction pull' '--reduction nonblocking' \
    '--reduction nonblocking --exchange-form list --uniquify' '--exchange-memory host'; do
    check_exit 0 "searching on two hosts of two ranks${options:+, $options}" on_hosts \
        "$(realpath "$BIN/dbfs-traverse")" -q -@ 1 -n 4 --backend cpu --force --json "$tmp/json" $options "$tmp/packed"
    check "$situation: the checksum is that of one host" test "$(sed -n 's/^distance_checksum: //p' "$tmp/out")" = "$wanted"
    memory=peer
    [ "${options#--exchange-memory }" = "$options" ] || memory=host
    check "two ranks on each host exchange by $memory memory" \
        test "$(grep -c -e '"ranks_on_host": 2,' -e "\"exchange_memory\": \"$memory\"" "$tmp/json")" = 2
done

# a frontier goes to one rank of a host
for each in 1 2; do
    check_exit 0 "frontiers with $each ranks on a host" on_hosts "$(realpath "$BIN/dbfs-traverse")" -q -@ 1 -n 4 --backend cpu --force \
        --json "$tmp/json" --breakdown --exchange-form bits --direction pull "$tmp/packed"
    frontiers[each]=$(sed -n 's/.*"frontier_bytes": \[\([^]]*\)\].*/\1/p' "$tmp/json" | tr ',' '\n' | awk '{ sum += $1 } END { print sum + 0 }')
done
check "ranks that share a host get each frontier once: ${frontiers[*]} bytes" \
    test "${frontiers[2]}" -gt 0 -a "${frontiers[1]}" = $((3 * ${frontiers[2]}))

# hosts of two ranks, one and one
uneven=10.77.0.1:2,10.77.0.2:1,10.77.0.3:1
check_exit 0 'packing on three hosts, one of two ranks' \
    on_host_list $uneven "$(realpath "$BIN/dbfs-pack")" -q -p $hosts -o "$tmp/uneven" "$tmp/edges"
check "$situation: bytes are those of one host" diff -r "$tmp/alone" "$tmp/uneven"
check_exit 0 'proofs there' on_host_list $uneven "$(realpath "$BIN/dbfs-graph500")" -q -@ 1 -n 2 --backend cpu --no-energy "$tmp/packed"
for options in '' '--exchange-form list' '--reduction nonblocking' '--exchange-memory host'; do
    check_exit 0 "searching on three hosts, one of two ranks${options:+, $options}" \
        on_host_list $uneven "$(realpath "$BIN/dbfs-traverse")" -q -@ 1 -n 4 --backend cpu \
        $options "$tmp/packed"
    check "$situation: the checksum is that of one host" test "$(sed -n 's/^distance_checksum: //p' "$tmp/out")" = "$wanted"
done

# ---- masks are reduced within a host, then by one rank of each host ----

# count_mpi.so notes reductions. Vertices of degree 3 and above are delegates, so some levels reduce whole masks.
"$BIN/rmatgen" -q -s 12 -f text -o "$tmp/text"
"$TESTS/oracle" -o "$tmp/wanted.%d" "$tmp/text" 1,7 >/dev/null
check_exit 0 'packing with many delegates' "$BIN/dbfs-pack" -q -p $hosts -t 2 -o "$tmp/masks" "$tmp/edges"
reductions() { # RANK HOW: of masks, after the first search has begun
    sed '1,/^barrier$/d' "$tmp/wire.$1" | grep -c "^reduce $2 or "
}
check_masks() { # PROGRAM BACKEND HOW: checks reductions with $each ranks on a host
    local how=$3 other=nonblocking wanted=1 begun count rank
    [ $how = blocking ] || other=blocking wanted=2
    rm -f "$tmp"/wire.*
    check_exit 0 "$2: $how reductions, $each ranks on a host" on_hosts "${counted[@]}" \
        "$(realpath "$1")" -q -@ 1 -r 1,7 --backend $2 --force --depths "$tmp/got.%d" --reduction $how "$tmp/masks"
    for root in 1 7; do
        check "distances from $root on several hosts are those of one" cmp "$tmp/got.$root" "$tmp/wanted.$root"
    done
    for rank in 0 1 2 3; do
        count=$(reductions $rank $how)
        if [ $((rank % each)) = 0 ]; then
            check "rank $rank reduces the masks of its host ($count times)" test "$count" -gt 3
        else
            check "rank $rank leaves that to the first of its host ($count times)" test "$count" = 0
        fi
        check "rank $rank never reduces by $other" test "$(reductions $rank $other)" = 0
    done
    # The root's level reduces masks after its counts. The next one does so before them, where it does not block, while
    # devices look for normals.
    begun=$(sed '1,/^barrier$/d' "$tmp/wire.0" | awk '/^alltoall/ { n++ } n == 1 && /^reduce .* or/ { begun++ }
        END { print begun + 0 }')
    check "reductions that begin between the counts of two levels ($begun)" test "$begun" = "$wanted"
}
# Masks and vertices of all ranks are under way at the same time where a reduction takes long. Without delegates there
# are no masks.
each=2
check_exit 0 'packing with delegates and normals' "$BIN/dbfs-pack" -q -p $hosts -t 16 -o "$tmp/both" "$tmp/edges"
for run in 'blocking both 0' 'nonblocking both 1' 'nonblocking packed 0'; do
    read -r how graph wanted <<<"$run"
    check_exit 0 "parts of levels of $graph, $how" on_hosts "${counted[@]}" COUNT_MPI_HOLD=30 \
        "$(realpath "$BIN/dbfs-traverse")" -q -@ 1 -r 1 --backend cpu --force --exchange-form list --direction push \
        --chunk 64 --breakdown --json "$tmp/json" --reduction $how "$tmp/$graph"
    merged=$(grep -c '"merged_exchange": \[.*[1-9]' "$tmp/json")
    check "$situation: times of both at once are right: $merged" test "$merged" = $wanted
done
emulated=${BUILD:-build}/emulated/bin/dbfs-traverse
for how in blocking nonblocking; do
    for each in 1 2; do
        check_masks "$BIN/dbfs-traverse" cpu $how
    done
done
if [ -x "$emulated" ]; then
    EMULATED_GPUS=2 EMULATED_PROCESSORS=2 check_masks "$emulated" cuda nonblocking

    # ---- what a GPU tells all GPUs goes to one rank of a host ----

    # Without normals all messages but the flags, of 176 bytes, are such ones.
    check_exit 0 'packing delegates only' "$BIN/dbfs-pack" -q -p $hosts -t 0 -o "$tmp/delegates" "$tmp/edges"
    for seed in 0 1; do
        rm -f "$tmp"/wire.*
        check_exit 0 "two hosts have two GPUs each, seed $seed" on_hosts "${counted[@]}" env EMULATED_GPUS=2 EMULATED_PROCESSORS=2 \
            EMULATED_SLICED=0 EMULATED_SEED=$seed EMULATED_LATE=$((500 * seed)) "$(realpath "$emulated")" -q -@ 1 -r 1,7 --backend cuda \
            --direction pull --force --depths "$tmp/got.%d" "$tmp/delegates"
        for root in 1 7; do
            check "distances from $root by messages that one rank of a host receives, seed $seed" cmp "$tmp/got.$root" "$tmp/wanted.$root"
        done
    done
    told=$(awk 'FNR == 1 { rank = FILENAME; sub(/.*\./, "", rank) }
        $1 == "send" && $3 < 8192 && $4 != 176 { print rank, $2 }' "$tmp"/wire.* | sort -u | tr '\n' ',')
    check "each rank tells one rank of the other host: $told" test "$told" = '0 2,1 3,2 0,3 1,'

    # ---- hosts of two GPUs, one and one: a rank for each GPU, and ranks that share one ----

    cat >"$tmp/own_gpus" <<'END'
#!/bin/sh
[ "$(hostname)" = host1 ] && EMULATED_GPUS=2 || EMULATED_GPUS=1
export EMULATED_GPUS
exec "$@"
END
    chmod +x "$tmp/own_gpus"
    export EMULATED_PROCESSORS=2 EMULATED_SLICED=0 OMP_WAIT_POLICY=passive EMULATED_KERNELS=$tmp/kernels
    on_gpus() { # RANKS_OF_HOSTS OPTION...
        local list=$1
        shift
        on_host_list $list "$tmp/own_gpus" "$(realpath "$emulated")" -q -@ 1 -r 1,7 --backend cuda --force --depths "$tmp/got.%d" \
            --json "$tmp/json" "$@" "$tmp/masks"
        local code=$?
        cmp "$tmp/got.1" "$tmp/wanted.1" && cmp "$tmp/got.7" "$tmp/wanted.7" && return $code
    }
    check_exit 0 'three hosts have a rank for each GPU, and two, one and one' on_gpus $uneven
    check "$situation: nothing is said" test ! -s "$tmp/err"
    check "$situation: GPUs search by themselves" grep -q 'fused_kernel<several_gpus>' "$tmp/kernels"
    check_exit 0 'two hosts of two GPUs and one have two ranks each' on_gpus 10.77.0.1:2,10.77.0.2:2
    check_says 'warning: some GPUs have 2 shards and others 1, and all wait for the slowest'
else
    skip 'reductions of masks, and hosts of different numbers of GPUs: no emulated GPU is built'
fi
finish
