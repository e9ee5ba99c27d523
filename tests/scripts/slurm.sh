#!/bin/bash
# slurm.sh: the jobs for Slurm run with a stand-in for srun that calls mpiexec, on one host and on several network
# namespaces, and with Slurm itself where it takes jobs.
set -u
. tests/lib.sh
. tests/namespaces.sh
. tests/slurm_hosts.sh
export PATH=$(realpath "$BIN"):$PATH
scripts=$PWD/scripts
graph=$PWD/datasets/wordnet-3.0.txt
cd "$tmp" || exit 1
edgeconv -q -u -o want.edges "$graph"
dbfs-pack -q -p 4 -o want.dbfs want.edges
want=$(dbfs-traverse -r 10815 want.dbfs | sed -n 's/^distance_checksum: *//p')

# srun [-N NODES] [-n TASKS] [--OPTION=...]... COMMAND: starts TASKS ranks, or as many as the job has tasks
mkdir bin
echo "$MPIEXEC" >launcher
cat >bin/srun <<END
#!/bin/bash
tasks=\$SLURM_NTASKS
echo call >>"$tmp/options"
while [ "\${1#-}" != "\$1" ]; do
    echo "\$1" >>"$tmp/options"
    case \$1 in
    -n) tasks=\$2; shift 2 ;;
    -N) shift 2 ;;
    *) shift ;;
    esac
done
[ "\$tasks" != 1 ] || exec "\$@"
exec \$(cat "$tmp/launcher") -n \$tasks bash -c '
    export SLURM_PROCID=\${PMI_RANK:-\$OMPI_COMM_WORLD_RANK} SLURM_NTASKS='\$tasks'
    export SLURM_LOCALID=\$((SLURM_PROCID % '\${EACH:-\$tasks}'))
    exec "\$@"' - "\$@"
END
chmod +x bin/srun

# every_call_has OPTION: succeeds if all calls of srun did
every_call_has() { test "$(grep -cx call options)" = "$(grep -cx -e "$1" options)"; }

export SLURM_CPUS_PER_TASK=3
# jobs NAME: packs and searches with 2 tasks
jobs() {
    rm -rf g.dbfs g.edges* local options
    check "$1: the packing job ends with 0" env PATH="$tmp/bin:$PATH" SLURM_JOB_NUM_NODES=2 SLURM_NTASKS=2 SHARDS=4 SCRATCH="$tmp" \
        "$scripts/slurm-pack.sh" "$PWD/g.dbfs" "$graph"
    check "$1: the packing job writes the bytes of one process" diff -r -x journal g.dbfs want.dbfs
    check "$1: srun speaks the interface of the MPI library" grep -qxE -e '--mpi=(pmi2|pmix)' options
    check "$1: tasks get the cores of -c, in each step of the packing job" every_call_has --cpus-per-task=3
    check "$1: submitted again, there is nothing left to do" env PATH="$tmp/bin:$PATH" SLURM_JOB_NUM_NODES=2 SLURM_NTASKS=2 SHARDS=4 \
        SCRATCH="$tmp" sh -c '"$@" || true; cmp g.edges want.edges' - "$scripts/slurm-pack.sh" "$PWD/g.dbfs" "$graph"
    PATH=$tmp/bin:$PATH SLURM_NTASKS=2 "$scripts/slurm-search.sh" "$PWD/g.dbfs" -r 10815 >out 2>err
    check "$1: the searching job finds the distances" test "$(sed -n 's/^distance_checksum: *//p' out)" = "$want"
    check "$1: tasks get the cores of -c in the searching job" every_call_has --cpus-per-task=3
    PATH=$tmp/bin:$PATH SLURM_NTASKS=2 LOCAL=$PWD/local "$scripts/slurm-search.sh" "$PWD/g.dbfs" -r 10815 >out 2>err
    check "$1: the searching job finds the distances on copies of its own" test "$(sed -n 's/^distance_checksum: *//p' out)" = "$want" -a -s local/g.dbfs/manifest
}
jobs 'one host'
check 'the packing job takes options of edgeconv on several lines' env PATH="$tmp/bin:$PATH" SLURM_JOB_NUM_NODES=2 SLURM_NTASKS=2 SCRATCH="$tmp" \
    EDGECONV=$'-u\n--vertices 200000' "$scripts/slurm-pack.sh" "$PWD/lines.dbfs" "$graph"
check 'options on the second line have their effect' grep -qx 'n 200000' lines.dbfs/manifest

# ---- results of before are not taken for those of another graph ----

packing() { env PATH="$tmp/bin:$PATH" SLURM_JOB_NUM_NODES=1 SLURM_NTASKS=1 SCRATCH="$tmp" "$scripts/slurm-pack.sh" "$@"; }
printf '0 1\n1 2\n' >small.txt
check_exit 0 'a packing job of a small graph' packing "$PWD/s.dbfs" small.txt
check_exit 0 'a packing job that is done is submitted again' packing "$PWD/s.dbfs/" small.txt
check_exit 1 'another FILE with the same OUT' packing "$PWD/s.dbfs" "$graph"
check_says 's.edges: was made of other files or options: remove it, or name another OUT'
check "$situation: the message names both files" sh -c 'grep -q wordnet-3.0.txt "$1" && grep -q small.txt "$1"' - err
check_exit 1 'other options of edgeconv with the same OUT' env EDGECONV='--direction directed' PATH="$tmp/bin:$PATH" SLURM_JOB_NUM_NODES=1 \
    SLURM_NTASKS=1 SCRATCH="$tmp" "$scripts/slurm-pack.sh" "$PWD/s.dbfs" small.txt
printf '2 3\n' >>small.txt
check_exit 1 'a packing job of the same FILE with more edges' packing "$PWD/s.dbfs" small.txt
rm s.edges s.edges.from
check_exit 1 'without the edge stream of before' packing "$PWD/s.dbfs" small.txt
check_says 'holds a packed graph with other edges'
rm -r s.edges s.edges.from s.dbfs
check_exit 0 'without either it is packed' packing "$PWD/s.dbfs" small.txt
rm s.edges.from
check_exit 1 'an edge stream of unknown origin' packing "$PWD/s.dbfs" small.txt
printf '0 1\n' >-u.txt
check_exit 0 'FILE and EDGECONV with signs of options and of the shell' env EDGECONV='--vertices 5 --direction directed' \
    PATH="$tmp/bin:$PATH" SLURM_JOB_NUM_NODES=1 SLURM_NTASKS=1 SCRATCH="$tmp" "$scripts/slurm-pack.sh" o.dbfs -u.txt

# A graph of the same name as the copy on the node, packed before the copy was made
mkdir -p elsewhere
cp -r g.dbfs elsewhere/first
dbfs-pack -q -p 4 -o elsewhere/g.dbfs s.edges
touch -d 2020-01-01 elsewhere/g.dbfs/*
rm -rf local
for folder in "$PWD" "$PWD/elsewhere"; do
    PATH=$tmp/bin:$PATH SLURM_NTASKS=2 LOCAL=$PWD/local "$scripts/slurm-search.sh" "$folder/g.dbfs" -r 0 >out 2>err
done
check 'an older graph of the same name is not searched by the copies of another' test "$(sed -n 's/^vertices: *//p' out)" = 4
check 'copies on hosts are made once' sh -c 'touch -d 2030-01-01 local && PATH=$1/bin:$PATH SLURM_NTASKS=2 LOCAL=$PWD/local "$2/slurm-search.sh" \
    elsewhere/g.dbfs -r 0 >out 2>err && find local -newermt 2020-01-02 -type f >new; ! grep . new' - "$tmp" "$scripts"

check_exit 2 'a packing job without a graph' "$scripts/slurm-pack.sh" g.dbfs
check_says 'sbatch .*slurm-pack.sh OUT.dbfs FILE'
check_exit 2 'a searching job without shards' "$scripts/slurm-search.sh"

if [ "${TEST_MODE:-short}" != long ]; then
    skip 'jobs on several hosts: make check-long runs them'
    finish
fi
hosts=2
make_hosts # ends the test where there are no namespaces
echo "ip netns exec $(host_name 1) env UCX_TLS=tcp,self,sm $MPIEXEC -launcher ssh -launcher-exec $tmp/enter" \
    "-hosts 10.77.0.1,10.77.0.2 -ppn 1 -iface eth0" >launcher
export EACH=1
jobs 'two hosts'

# ---- Slurm itself ----

if ! start_slurm; then
    skip "Slurm on two hosts: $(cat "$tmp/why")"
    finish
fi
# submitted NAME [OPTION...] SCRIPT [ARGUMENT...]: waits for the job; what it said is in NAME.log
submitted() {
    local name=$1
    shift
    on_host 1 env UCX_TLS=tcp,self,sm timeout 120 sbatch -W -N 2 --ntasks-per-node=1 -o "$tmp/$name.log" --export=ALL "$@" >"$name.said" 2>&1
}
rm -rf g.dbfs g.edges local
SHARDS=4 SCRATCH=$tmp check 'Slurm: the packing job runs on two hosts' submitted pack "$scripts/slurm-pack.sh" "$PWD/g.dbfs" "$graph"
check 'Slurm: the packing job writes the bytes of one process' diff -r -x journal g.dbfs want.dbfs
check 'Slurm: the plan is printed' grep -q 'device' pack.log
check 'Slurm: the searching job ends with 0' submitted search "$scripts/slurm-search.sh" "$PWD/g.dbfs" -r 10815 --json "$PWD/search.json"
check 'Slurm: the searching job finds the distances' test "$(sed -n 's/^distance_checksum: *//p' search.log)" = "$want"
check 'Slurm: the searching job has two ranks on two hosts' grep -q '"ranks": 2,.*"ranks_on_host": 1,' search.json
LOCAL=$PWD/local check 'Slurm: the searching job runs on copies' submitted copies "$scripts/slurm-search.sh" "$PWD/g.dbfs" -r 10815
check 'a searching job of Slurm on copies finds the same' test "$(sed -n 's/^distance_checksum: *//p' copies.log)" = "$want" -a -s local/g.dbfs/manifest
submitted none "$scripts/slurm-search.sh" "$PWD/none.dbfs"
failed=$?
check 'Slurm: a job that fails ends so, and says why' test $failed != 0 -a -n "$(grep 'none.dbfs: cannot open' none.log)"
finish
