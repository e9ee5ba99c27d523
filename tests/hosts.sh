# hosts.sh: several hosts on one machine: network namespaces with addresses of their own. Tests source it after lib.sh
# and call make_hosts; without ip, nsenter, MPICH's hydra or the right to make namespaces that ends the test as skipped.
# The MPI library finds the ranks over TCP; UCX below it may carry data through shared memory.
hosts=4

host_name() { echo "dbfs$$-$1"; }

remove_hosts() {
    local i
    for i in $(seq 0 $hosts); do
        ip netns del "$(host_name "$i")" 2>/dev/null
    done
}

# Host 0 is a switch; host i has the address 10.77.0.i, on one network with the others.
link_hosts() {
    local i
    ip netns add "$(host_name 0)" && ip -n "$(host_name 0)" link add hub type bridge &&
        ip -n "$(host_name 0)" link set hub up || return 1
    for i in $(seq $hosts); do
        ip netns add "$(host_name "$i")" &&
            ip -n "$(host_name "$i")" link set lo up &&
            ip -n "$(host_name "$i")" link add eth0 type veth peer name "port$i" netns "$(host_name 0)" &&
            ip -n "$(host_name 0)" link set "port$i" master hub up &&
            ip -n "$(host_name "$i")" addr add "10.77.0.$i/24" dev eth0 &&
            ip -n "$(host_name "$i")" link set eth0 up || return 1
    done
}

make_hosts() {
    if ! command -v ip >/dev/null 2>&1 || ! "$MPIEXEC" --version 2>/dev/null | grep -q HYDRA; then
        skip "several hosts: no ip, or $MPIEXEC is not MPICH's hydra"
        finish
    fi
    trap 'remove_hosts; rm -rf "$tmp"' EXIT
    if ! link_hosts 2>"$tmp/why"; then
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
}

# on_hosts COMMAND...: a rank on each host
on_hosts() {
    local list=10.77.0.1 i
    for i in $(seq 2 $hosts); do
        list=$list,10.77.0.$i
    done
    ip netns exec "$(host_name 1)" env UCX_TLS=tcp,self,sm "$MPIEXEC" -launcher ssh \
        -launcher-exec "$tmp/enter" -hosts "$list" -ppn 1 -n $hosts -iface eth0 "$@"
}
