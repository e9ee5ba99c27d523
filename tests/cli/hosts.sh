#!/bin/bash
# hosts.sh: several hosts on one machine: network namespaces with addresses of their own, each with a rank.
# Packing and searching between them must give the bytes and distances of one host. The MPI library finds the
# ranks over TCP; UCX below it may carry data through shared memory, as one system runs all of them. With TCP
# alone it may wait forever in MPI_Finalize for a rank that has ended.
set -u
. tests/lib.sh
hosts=4

if ! command -v ip >/dev/null 2>&1 || ! command -v nsenter >/dev/null 2>&1; then
    skip 'several hosts: no ip or nsenter'
    finish
fi
case $("$MPIEXEC" --version 2>/dev/null) in
*HYDRA*) ;;
*)
    skip "several hosts: $MPIEXEC is not MPICH's hydra"
    finish
    ;;
esac

# ---- the hosts ----

name() { echo "dbfs$$-$1"; }

remove_hosts() {
    local i
    for i in $(seq 0 $hosts); do
        ip netns del "$(name "$i")" 2>/dev/null
    done
}
trap 'remove_hosts; rm -rf "$tmp"' EXIT

# Host 0 is a switch; host i has the address 10.77.0.i, on one network with the others.
make_hosts() {
    local i
    ip netns add "$(name 0)" && ip -n "$(name 0)" link add hub type bridge &&
        ip -n "$(name 0)" link set hub up || return 1
    for i in $(seq $hosts); do
        ip netns add "$(name "$i")" &&
            ip -n "$(name "$i")" link set lo up &&
            ip -n "$(name "$i")" link add eth0 type veth peer name "port$i" netns "$(name 0)" &&
            ip -n "$(name 0)" link set "port$i" master hub up &&
            ip -n "$(name "$i")" addr add "10.77.0.$i/24" dev eth0 &&
            ip -n "$(name "$i")" link set eth0 up || return 1
    done
    ip netns exec "$(name 1)" ping -c 1 -W 2 "10.77.0.$hosts" >/dev/null 2>&1 || sleep 1
}
if ! make_hosts 2>"$tmp/why"; then
    skip "several hosts: network namespaces are not allowed here: $(tail -1 "$tmp/why")"
    finish
fi

# Hydra calls this in place of ssh: its arguments are options, an address and a command. The command runs on
# the host of that address, under its name.
cat >"$tmp/enter" <<END
#!/bin/bash
while [ "\${1#-}" != "\$1" ]; do shift; done
host=\${1##*.}
shift
exec ip netns exec "dbfs$$-\$host" unshare --uts sh -c "hostname host\$host; \$*"
END
chmod +x "$tmp/enter"

# on_hosts COMMAND...: four ranks, $each of them (1) on a host
each=1
on_hosts() {
    local list=10.77.0.1 i
    for i in $(seq 2 $((hosts / each))); do
        list=$list,10.77.0.$i
    done
    timeout 120 ip netns exec "$(name 1)" env UCX_TLS=tcp,self,sm "$MPIEXEC" -launcher ssh \
        -launcher-exec "$tmp/enter" -hosts "$list" -ppn $each -n $hosts -iface eth0 "$@"
}

# ---- packing and searching ----

check_exit 0 'four hosts run a rank each' on_hosts ip -o -4 addr show eth0
check 'with addresses of their own' test "$(grep -o '10\.77\.0\.[0-9]*/' "$tmp/out" | sort -u | wc -l)" = $hosts

"$BIN/rmatgen" -q -s 12 -o "$tmp/edges"
check_exit 0 'packing on one host' "$BIN/dbfs-pack" -q -p $hosts -o "$tmp/alone" "$tmp/edges"
check_exit 0 'packing on four hosts' on_hosts "$(realpath "$BIN/dbfs-pack")" -q -p $hosts -o "$tmp/packed" "$tmp/edges"
check 'gives the same bytes' diff -r "$tmp/alone" "$tmp/packed"

check_exit 0 'searching on one host' "$BIN/dbfs-traverse" -q -n 4 --backend cpu "$tmp/alone"
wanted=$(sed -n 's/^distance_checksum: //p' "$tmp/out")
for options in '' '--exchange-form list --uniquify' '--exchange-form bits --direction push' '--reduction nonblocking'; do
    check_exit 0 "searching on four hosts${options:+, $options}" on_hosts "$(realpath "$BIN/dbfs-traverse")" -q -@ 1 -n 4 \
        --backend cpu --force --json "$tmp/json" $options "$tmp/packed"
    check 'gives the same distances' test "$(sed -n 's/^distance_checksum: //p' "$tmp/out")" = "$wanted"
    check 'by messages, a rank on each host' grep -q '"ranks_on_host": 1,' "$tmp/json"
done

# two hosts with two ranks each, which read each other's memory within a host
each=2
for options in '' '--exchange-form list' '--exchange-form bits --direction pull' '--exchange-memory host'; do
    check_exit 0 "searching on two hosts of two ranks${options:+, $options}" on_hosts \
        "$(realpath "$BIN/dbfs-traverse")" -q -@ 1 -n 4 --backend cpu --force --json "$tmp/json" $options "$tmp/packed"
    check 'gives the same distances' test "$(sed -n 's/^distance_checksum: //p' "$tmp/out")" = "$wanted"
    memory=peer
    [ "${options#--exchange-memory }" = "$options" ] || memory=host
    check "two ranks on each host, by $memory memory" \
        test "$(grep -c -e '"ranks_on_host": 2,' -e "\"exchange_memory\": \"$memory\"" "$tmp/json")" = 2
done
finish
