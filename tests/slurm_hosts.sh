# slurm_hosts.sh: Slurm on the hosts of namespaces.sh: a controller on the first one, and a daemon on each. A test sources it
# after namespaces.sh and calls start_slurm, which fails with the reason in $tmp/why where Slurm is not installed or does not
# come up. The daemons trust each other and count nothing: they are of one user, and live as long as the test.
slurm_pids=

# become_host I COMMAND...: this shell becomes the command, with that host's network and name. The files of the system stay:
# daemons look for /sys/fs/cgroup.
become_host() {
    local host=$1
    shift
    exec nsenter --net="/run/netns/$(host_name "$host")" unshare --uts sh -c "hostname host$host; exec \"\$@\"" - "$@"
}

on_host() { (become_host "$@"); }

slurm_config() {
    local i
    cat <<END
ClusterName=dbfs
SlurmctldHost=host1(10.77.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/none
CredType=cred/none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
ReturnToService=2
StateSaveLocation=$tmp/slurm
SlurmdSpoolDir=$tmp/slurm/%n
SlurmctldPidFile=$tmp/slurm/controller.pid
SlurmdPidFile=$tmp/slurm/%n.pid
SlurmctldLogFile=$tmp/slurm/controller.log
SlurmdLogFile=$tmp/slurm/%n.log
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
END
    for i in $(seq "$hosts"); do
        echo "NodeName=host$i NodeAddr=10.77.0.$i CPUs=$(nproc) State=UNKNOWN"
    done
}

all_idle() { on_host 1 sinfo -h -o '%t %D' 2>"$tmp/why" | grep -qx "idle $hosts"; }

start_slurm() {
    local i
    if ! command -v slurmctld >/dev/null 2>&1 || ! command -v slurmd >/dev/null 2>&1; then
        echo 'slurmctld or slurmd is not installed' >"$tmp/why"
        return 1
    fi
    mkdir "$tmp/slurm"
    slurm_config >"$tmp/slurm/slurm.conf"
    export SLURM_CONF=$tmp/slurm/slurm.conf
    trap 'stop_slurm; remove_hosts; rm -rf "$tmp"' EXIT
    become_host 1 slurmctld -D >"$tmp/slurm/said" 2>&1 &
    slurm_pids=$!
    for i in $(seq "$hosts"); do
        mkdir "$tmp/slurm/host$i"
        become_host "$i" slurmd -D -N "host$i" >"$tmp/slurm/said.$i" 2>&1 &
        slurm_pids="$slurm_pids $!"
    done
    wait_until all_idle && return 0
    grep -h error "$tmp"/slurm/*.log | tail -n 1 >"$tmp/why"
    return 1
}

stop_slurm() {
    [ -z "$slurm_pids" ] || kill $slurm_pids 2>/dev/null
    wait $slurm_pids 2>/dev/null
    slurm_pids=
}
