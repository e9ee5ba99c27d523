# namespaces.sh: several hosts on one machine, which are network namespaces with addresses of their own. A test
# sources it after lib.sh and calls make_hosts. That ends the test as skipped where ip, nsenter, MPICH's hydra or the
# right to make namespaces is missing.
#
# The MPI library finds the ranks over TCP. UCX may carry data through shared memory, as all hosts are one system.
# With TCP alone a rank may wait forever in MPI_Finalize for one that has ended. A test that cuts the network of a host
# sets carriers to tcp,self.
carriers=tcp,self,sm
hosts=4 # a test may use fewer for its jobs
made=$hosts
each=1 # ranks on a host

host_name() { echo "dbfs$$-$1"; }

# Cuts the network of a host, and joins it again.
cut_host() { ip -n "$(host_name "$1")" link set eth0 down; }
join_host() { ip -n "$(host_name "$1")" link set eth0 up; }

# Kills all processes of a host at once, as if it lost power.
kill_host() { kill -KILL $(ip netns pids "$(host_name "$1")"); }

remove_hosts() {
    local i
    for i in $(seq 0 $made); do
        ip netns del "$(host_name "$i")" 2>/dev/null
    done
}

# Host 0 is a switch; host i has the address 10.77.0.i on one network with the others.
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
    if ! command -v ip >/dev/null 2>&1 || ! command -v nsenter >/dev/null 2>&1; then
        skip 'several hosts: no ip or nsenter'
        finish
    fi
    if ! "$MPIEXEC" --version 2>/dev/null | grep -q HYDRA; then
        skip "several hosts: $MPIEXEC is not MPICH's hydra"
        finish
    fi
    trap 'remove_hosts; rm -rf "$tmp"' EXIT
    if ! link_hosts 2>"$tmp/why"; then
        skip "several hosts: network namespaces are not allowed here: $(tail -1 "$tmp/why")"
        finish
    fi
    ip netns exec "$(host_name 1)" ping -c 1 -W 2 "10.77.0.$hosts" >/dev/null 2>&1 || sleep 1
    # Hydra calls this in place of ssh, with options, an address and a command. The command runs on the host of that
    # address, under its name.
    cat >"$tmp/enter" <<END
#!/bin/bash
while [ "\${1#-}" != "\$1" ]; do shift; done
host=\${1##*.}
shift
exec ip netns exec "dbfs$$-\$host" unshare --uts sh -c "hostname host\$host; \$*"
END
    chmod +x "$tmp/enter"
}

# on_hosts COMMAND...: runs 4 ranks, with $each on a host. Hydra starts the ranks of its own host itself.
on_hosts() {
    local list='' i
    for i in $(seq $((hosts / each))); do
        list=$list,10.77.0.$i:$each
    done
    on_host_list "${list#,}" "$@"
}

on_host_list() { # ADDRESS:RANKS,... COMMAND...
    local list=$1
    shift
    timeout 120 ip netns exec "$(host_name 1)" unshare --uts sh -c 'hostname host1; exec "$@"' - \
        env UCX_TLS=$carriers "$MPIEXEC" -launcher ssh -launcher-exec "$tmp/enter" -hosts "$list" \
        -n $hosts -iface eth0 "$@"
}
