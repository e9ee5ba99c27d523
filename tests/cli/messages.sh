#!/bin/bash
# messages.sh: the message for a wrong argument or file names its kind and the next command.
set -u
. tests/lib.sh
bin=$(realpath "$BIN")
PATH=$bin:$PATH
here=$PWD
cd "$tmp" || exit 1
printf '0 1\n1 2\n' >g.txt
printf '# nothing\n' >none.txt
edgeconv -q -u -o g.edges g.txt
degsplit -q -t 1 -o g.split g.edges
dbfs-pack -q -o g.dbfs g.edges
mkdir empty

# ---- -p ----

check 'dbfs-pack without -p: one shard' test "$(ls g.dbfs)" = "$(printf 'manifest\npart-0000-of-0001.dbfs')"

# ---- a graph for dbfs-traverse ----

says() { # CODE NAME PATTERN COMMAND...
    check_exit "$1" "$2" "${@:4}"
    check_says "$3"
}
for look in 'dbfs-traverse -r 0' 'dbfs-traverse --plan' 'dbfs-pack --list' 'dbfs-pack --verify'; do
    says 3 "$look on a text" 'g.txt: is a file, not a folder of shards: `edgeconv -u FILE | dbfs-pack -o DIR -`' $look g.txt
    says 3 "$look on a stream" 'g.edges: is an edge stream, .*`dbfs-pack -o DIR g.edges`' $look g.edges
    cp g.edges 'g h.edges'
    says 3 "$look on a stream whose name has a blank" "'g h.edges'\`" $look 'g h.edges'
    says 3 "$look on a split" 'g.split: is a split, .*dbfs-pack -s g.split' $look g.split
    says 3 "$look on a part" 'is one file of packed shards: give the folder' $look g.dbfs/part-0000-of-0001.dbfs
    says 3 "$look on a manifest" 'is one file of packed shards: give the folder' $look g.dbfs/manifest
    says 1 "$look on a folder" 'empty: is a folder without a packed graph (no manifest): `dbfs-pack -o DIR FILE.edges` makes one' $look empty
    says 1 "$look on nothing" 'nothing: cannot open: No such file' $look nothing
done
check 'the advice for a stream works' bash -c 'dbfs-pack -q -o DIR g.edges && dbfs-traverse -q -r 0 DIR'
check 'the advice for a text works' bash -c 'rm -r DIR; edgeconv -q -u g.txt | dbfs-pack -q -o DIR - && dbfs-traverse -q -r 0 DIR'

# ---- an edge stream for degsplit and dbfs-pack ----

for tool in degsplit dbfs-pack; do
    says 3 "$tool of a split" 'g.split: is a split, not an edge stream: dbfs-pack takes it with -s' $tool -o x g.split
    says 3 "$tool of a part" 'is a file of packed shards, not an edge stream' $tool -o x g.dbfs/part-0000-of-0001.dbfs
    says 3 "$tool of a text" 'not an edge stream: graphs in other formats go through edgeconv' $tool -o x g.txt
done
says 2 'dbfs-pack -o -' 'shards are a folder of files' dbfs-pack -o - g.edges

# ---- a graph without vertices ----

edgeconv -q -u -f pairs -o none.edges none.txt
dbfs-pack -q -o none.dbfs none.edges
says 3 'a root in a graph without vertices' 'none.dbfs: the graph has no vertices' dbfs-traverse -r 0 none.dbfs
says 3 'a sample of one' 'none.dbfs: the graph has no vertices' dbfs-traverse none.dbfs

# ---- words and numbers ----

says 2 'a negative number' '^dbfs-traverse: -n: -5 is negative: at least 1$' dbfs-traverse -n -5 g.dbfs
says 2 'one beyond 64 bits' '^dbfs-traverse: -n: 10\{21\} is too large: at most 1048576$' dbfs-traverse -n 1000000000000000000000 g.dbfs
says 2 'one that is too small' '^rmatgen: -s: 0 is too small: at least 1$' rmatgen -s 0
says 2 'one too many shards' '^dbfs-pack: -p: 5000 is too large: at most 4096$' dbfs-pack -p 5000 -o x g.edges
says 2 'a negative time' '^degsplit: --timeout: -3 is negative$' degsplit --timeout -3 g.edges
says 2 'no number' "^dbfs-check: -r: 'a' is not a whole number$" dbfs-check -r a --depths x g.edges
says 2 'a direction that there is not' "^dbfs-traverse: --direction: 'up' is not auto, push, pull or cost$" \
    dbfs-traverse --direction up g.dbfs
says 2 'a kind of answer that there is not' "^dbfs-traverse: --answer: 'paths' is not depths or parents$" \
    dbfs-traverse --answer paths g.dbfs
says 2 'a root that is a word' "^dbfs-traverse: -r: 'a' is not .*: ids are numbers; .*\`edgeconv --compact=MAP\`.*--map MAP$" \
    dbfs-traverse -r a g.dbfs
for program in dbfs-traverse dbfs-graph500; do
    says 2 "$program: two roots as two words" "'1': is one word too many: several roots are one word, as in -r 0,1" \
        $program g.dbfs 1
    says 2 "$program: two folders" "'empty': is one word too many: the one DIR is 'g.dbfs'" $program g.dbfs empty
    says 2 "$program: an empty name" "^$program: argument 1: is empty$" $program ''
done
says 2 'an empty output' '^dbfs-pack: -o: is empty$' dbfs-pack -o '' g.edges
says 2 'an empty result' '^dbfs-traverse: --depths: is empty$' dbfs-traverse -r 0 --depths= g.dbfs
says 2 'an empty stream' '^degsplit: argument 2: is empty$' degsplit -o x g.edges ''
says 2 'an empty graph' '^dbfs-check: argument 1: is empty$' dbfs-check --depths x ''
says 2 'an empty file of edges' '^rmatgen: --output: is empty$' rmatgen -s 2 --output=
for url in 'dbfs-traverse -r 0' 'degsplit' 'dbfs-pack -o x' 'dbfs-check --depths y'; do
    says 2 "$url URL" "argument 1: 'https://a.example/g' is a URL: download it first" $url https://a.example/g
done
check 'programs with wrong arguments write nothing' test ! -e x

for option in --target=2 --pairs=f --path --one-sided; do
    says 2 "$option of dbfs-paths" "^dbfs-traverse: ${option%=*} is an option of dbfs-paths$" "$bin/dbfs-traverse" "$option" x.dbfs
    check "$option is an option of dbfs-paths" bash -c '"$1" --help | grep -q -e " $2"' - "$bin/dbfs-paths" "${option%=*}"
done
for option in --batch=64 --centrality=f; do
    says 2 "$option of dbfs-batch" "^dbfs-paths: ${option%=*} is an option of dbfs-batch$" "$bin/dbfs-paths" "$option" x.dbfs
    says 2 "$option, of dbfs-traverse" "^dbfs-traverse: ${option%=*} is an option of dbfs-batch$" "$bin/dbfs-traverse" "$option" x.dbfs
    check "$option is an option of dbfs-batch" bash -c '"$1" --help | grep -q -e " $2"' - "$bin/dbfs-batch" "${option%=*}"
done
says 2 'pairs of vertices' '^dbfs-traverse: --pairs is an option of dbfs-paths$' "$bin/dbfs-traverse" -r 0 --pairs x.dbfs
says 2 'a value apart' '^dbfs-traverse: --target is an option of dbfs-paths$' "$bin/dbfs-traverse" -r 0 --target 2 x.dbfs
says 2 'an unknown option' "^dbfs-pack: unrecognized option '--nonsense'$" "$bin/dbfs-pack" --nonsense g.edges
for program in rmatgen edgeconv degsplit dbfs-pack dbfs-check dbfs-components dbfs-traverse dbfs-traverse-2d dbfs-graph500 dbfs-paths dbfs-batch dbfs-diameter; do
    says 2 'an option with two letters too many' "^$program: did you mean --version?" "$bin/$program" --verzionn
done
says 2 'an option that is near two' '^dbfs-traverse: did you mean --factor0 or --factor1?$' "$bin/dbfs-traverse" --factor2=1 g.dbfs
says 2 'an option that only has a letter more' '^dbfs-batch: did you mean --roots?$' "$bin/dbfs-batch" --rootss g.dbfs
for words in '--nonsense' '--ab' '-z' '--roots' '--quiet=1' '--ro'; do
    "$bin/dbfs-traverse" $words >out 2>err
    check "dbfs-traverse $words: names no other option" test "$(grep -c 'did you mean' err)" = 0 -a -s err
done
for program in dbfs dbfs-report dbfs-model; do
    says 2 'an option with a letter in place of another' "^$program: .*(did you mean --$([ $program = dbfs ] && echo cache || echo force)?)" \
        "$bin/$program" --$([ $program = dbfs ] && echo cashe || echo forze)
    "$bin/$program" --nonsense >out 2>err
    check "$program --nonsense: names no other option" test "$(grep -c 'did you mean' err)" = 0 -a -s err
done
says 2 'an option with two letters in each other'"'"'s place' '^dbfs: --thredas: is no option (did you mean --threads?)' "$bin/dbfs" --thredas
says 2 'options with as many other letters' '^dbfs: --rots: is no option (did you mean --roots or --rows?)' "$bin/dbfs" --rots
for program in "$bin"/* "$here/scripts/dataset.sh"; do
    check "${program##*/} --help=all lists options" bash -c '"$1" --help=all | grep -qE "^ +(-[a-z], )?--[a-z]|-h, --help"' - "$program"
    check_exit 2 '--help of some' "$program" --help=some
done
check 'a benchmark prints the head of its script' grep -q '^  scripts/bench-search.sh .GRAPH ' <("$here/scripts/bench-search.sh" --help)
says 2 'an option of a benchmark' '^bench-search.sh: --rounds=3: is no option: see --help$' "$here/scripts/bench-search.sh" --rounds=3
says 2 'an option of dbfs-dataset' '(did you mean --mirror?)' "$here/scripts/dataset.sh" --mirorr

# ---- one meaning of --root ----

dbfs-pack -q --layout 2d=1x1 -o grid.dbfs g.edges
begin() { "$@" | sed -nE 's/^(root )?([0-9]+)[ \t].*/\2/p'; } # prints where the searches of a program begin
for words in 'dbfs-traverse g.dbfs' 'dbfs-traverse-2d grid.dbfs' 'dbfs-batch g.dbfs' 'dbfs-paths --target 1 g.dbfs'; do
    for option in -r --root --roots; do check "${words%% *} takes $option" test "$(begin $words $option 2)" = 2; done
done
dbfs-traverse -q -r 2 --depths two.txt g.dbfs >out
for option in -r --root --roots; do
    check "dbfs-check takes $option" dbfs-check -q $option 2 --depths two.txt g.dbfs
    check_exit 4 "another root by $option" dbfs-check -q $option 1 --depths two.txt g.dbfs
    check "dbfs takes $option" eval 'dbfs -q $option 2 -o - g.dbfs | cmp - two.txt'
done
says 2 'a short form of two options' '^dbfs: --ro: is ambiguous: ' dbfs --ro 2 g.dbfs
check 'dbfs takes an option by the letters that no other begins with' eval 'dbfs -q -r 2 --outp - g.dbfs | cmp - two.txt'

says 2 'a negative TH' '^degsplit: -t: -1 is negative: at least 0$' degsplit -t -1 g.edges
says 2 'a TH beyond 64 bits' "^dbfs-pack: -t: 10\{21\} is too large: 'inf' makes no delegates$" \
    dbfs-pack -t 1000000000000000000000 -o x g.edges
says 1 'a folder as a result, that is not there' '^dbfs-traverse: d/: is a directory$' dbfs-traverse -r 0 --depths d/ g.dbfs
long=$(printf '%0300d' 0)
says 1 'a name that no file can have' "^dbfs-traverse: $long: cannot create it: File name too long$" \
    dbfs-traverse -r 0 --depths $long g.dbfs
check 'a name that is too long ends before the search' test -z "$(grep '^root' out)"
mkdir full
touch full/notes
says 1 'a folder of other files' 'full: is a folder .*`dbfs-pack -o DIR FILE.edges` makes one, in a new or empty folder' \
    dbfs-traverse -r 0 full
as_user=(env)
[ "$(id -u)" != 0 ] || as_user=(setpriv --reuid 65534 --clear-groups)
cp -r g.dbfs closed
chmod 755 .
chmod 000 closed
if "${as_user[@]}" true 2>/dev/null && "${as_user[@]}" test -x "$bin/dbfs-traverse" && "${as_user[@]}" test -x "$tmp"; then
    says 1 'a folder without permission' '^dbfs-traverse: closed/manifest: .*: Permission denied$' \
        "${as_user[@]}" "$bin/dbfs-traverse" -r 0 closed
else
    skip 'a folder without permission: there is no plain user who gets here'
fi
chmod 755 closed

# ---- options that contradict each other, or only look ----

says 2 'two looks at a graph' '^dbfs-pack: --list and --verify exclude each other$' dbfs-pack --list --verify g.dbfs
says 2 'a plan and a look' '^dbfs-pack: --plan and --list exclude each other$' dbfs-pack --plan --list g.edges
says 2 '--list with an output' '^dbfs-pack: --list only reads: leave out -o$' dbfs-pack --list -o x g.dbfs
says 2 '--verify with --force' '^dbfs-pack: --verify only reads: leave out --force$' dbfs-pack --verify --force g.dbfs
says 2 'degsplit --json alone' '^degsplit: --json goes with --plan$' degsplit --json -o x g.edges
says 2 'a plan and a dry run' '^dbfs-traverse: --plan and --dry-run exclude each other$' dbfs-traverse --plan --dry-run g.dbfs
for look in --plan '--dry-run -r 0' --help --version; do
    check_exit 0 "$look with results" dbfs-traverse $look --depths d.npy --parents p.npy --trace t.jsonl g.dbfs
    check "$situation: writes nothing" test -z "$(ls | grep -x 'd.npy\|p.npy\|t.jsonl')"
done
says 2 'a plan that would replace the graph' 'g.dbfs/manifest: is an input too' dbfs-traverse --plan --force --json g.dbfs/manifest g.dbfs
check 'a plan does not replace the graph' grep -q '^dbfs-manifest' g.dbfs/manifest
echo mine >kept
says 1 'a plan in a file that exists' '^dbfs-traverse: kept: exists already' dbfs-traverse --plan --json kept g.dbfs
check 'a plan leaves a file that exists' grep -qx mine kept
check_exit 0 'with --force' dbfs-traverse --plan --force --json kept g.dbfs
check "$situation: replaces the file" grep -q '"shards": 1' kept
says 2 'a plan that is to be compressed' "use '-' for this file" dbfs-traverse --plan --json kept.gz g.dbfs
for program in dbfs-traverse dbfs-graph500 dbfs-paths degsplit dbfs-pack dbfs-check rmatgen; do
    for look in --help --version; do
        says 5 "$program $look on a full disk" "^$program: standard output: cannot write: No space left on device$" \
            sh -c "$program $look >/dev/full"
    done
done

# ---- machines ----

says 2 'mpiexec edgeconv' 'edgeconv: .* but this program runs as one process' "$MPIEXEC" -n 2 edgeconv -u -o x g.txt
says 2 'mpiexec rmatgen' 'rmatgen: .* but this program runs as one process' "$MPIEXEC" -n 2 rmatgen -s 4 -o x
check 'mpiexec rmatgen writes nothing' test ! -e x
says 2 'srun edgeconv' 'leave out mpiexec or srun' env SLURM_STEP_NUM_TASKS=4 edgeconv -u -o x g.txt
check_exit 0 'in a batch script' env SLURM_NTASKS=4 edgeconv -q -u -o /dev/null g.txt
cores=$(nproc)
says 0 'far more threads than cores' "warning: -@ 4096: this process may run on $cores cores" rmatgen -s 1 -@ 4096 -o /dev/null
check_exit 0 'a few more' rmatgen -s 1 -@ $((2 * cores)) -o /dev/null
check "$situation: get no warning" test ! -s err
if ! dbfs-traverse --backend cuda -r 0 g.dbfs >/dev/null 2>err; then
    check_exit 5 'no GPU' dbfs-traverse --backend cuda -r 0 g.dbfs
    check_says 'backend cuda: \(there is no GPU\|this build has no CUDA backend\)'
fi

# ---- options that have no effect ----

dbfs-pack -q -p 2 -o g2.dbfs g.edges
for option in '--uniquify' '--local-all2all' '--reduction nonblocking' '--chunk 1K'; do
    says 0 "$option of one shard" "^dbfs-traverse: ${option% 1K}: has no effect, .*: the graph has one shard$" \
        dbfs-traverse -r 0 $option g.dbfs
    for ranks in 1 2; do
        check_exit 0 "$option among $ranks ranks of a host" \
            "$MPIEXEC" -n $ranks dbfs-traverse --backend cpu -@ 1 -r 0 $option --exchange-memory peer g2.dbfs
        check "$situation: the note comes once" test "$(grep -c "^dbfs-traverse: ${option% 1K}: .*devices read each other's memory$" err)" = 1
    done
    check_exit 0 'with -q' dbfs-traverse -q -r 0 $option g.dbfs
    check "$situation: gets no note" test -z "$(grep effect err)"
    check_exit 0 "$option where ranks send messages" \
        "$MPIEXEC" -n 2 dbfs-traverse --backend cpu -@ 1 -r 0 $option --exchange-memory host g2.dbfs
    check "$situation: gets no note" test -z "$(grep effect err)"
done
check_exit 0 'the defaults' dbfs-traverse -r 0 --reduction blocking g.dbfs
check "$situation: get no note" test -z "$(grep effect err)"

# ---- formats of results ----

check_exit 0 'depths as .csv' dbfs-traverse -q -r 0 --depths d.csv --parents p.csv g.dbfs
check "$situation: depths have commas" test "$(cat d.csv)" = "$(printf 'id,distance\n0,0\n1,1\n2,2')"
check "$situation: parents have commas" test "$(cat p.csv)" = "$(printf 'id,parent\n0,0\n1,0\n2,1')"
printf 'a b\ta,b\na,b\tsay "c"\n' | sed '1i from\tto' >names.txt
edgeconv -q -u -f csv --compact=n.map -o n.edges names.txt
dbfs-pack -q -o n.dbfs n.edges
check_exit 0 'names as .csv' dbfs-traverse -q --map n.map -r 'a b' --force --depths n.csv --parents np.csv n.dbfs
check "$situation: names are quoted where they must be" test "$(cat n.csv)" = "$(printf 'id,distance\na b,0\n"a,b",1\n"say ""c""",2')"
check "$situation: names of parents are quoted where they must be" test "$(sed 1,2d np.csv)" = "$(printf '"a,b",a b\n"say ""c""","a,b"')"
for suffix in gz xz zst bz2; do
    says 2 "depths as .$suffix" "results are written as they are: use '-' for this file" dbfs-traverse -r 0 --depths d.txt.$suffix g.dbfs
    check 'a suffix of results ends before the search' test -z "$(grep '^root' out)"
done
says 2 'json as .gz' "use '-' for this file" dbfs-traverse -r 0 --json x.json.gz g.dbfs
for suffix in parquet arrow feather npz h5 hdf5 mat xlsx json jsonl Parquet; do
    for how in '--depths' '--dry-run --parents'; do
        says 2 "$how as .$suffix" "^dbfs-traverse: v.$suffix: \.[a-z0-9]* is not written: 'v.npy' is an array .*, 'v.csv' has" \
            dbfs-traverse -r 0 $how v.$suffix g.dbfs
    done
done
says 2 'one of each root' "'v-%d.npy' is an array" dbfs-traverse -r 0,1 --depths v-%d.mat g.dbfs
check 'a file of each root that is an array is not written' test -z "$(ls | grep '^v')"
check_exit 0 '--json and --trace take these endings' dbfs-traverse -q -r 0 --json v.json --trace v.jsonl g.dbfs
for name in v v.txt v.tsv v.out v.0 v.2024; do
    check_exit 0 "depths as $name" dbfs-traverse -q -r 0 --depths $name g.dbfs
    check "$situation: depths are lines of text" test "$(cat $name)" = "$(printf '0\t0\n1\t1\n2\t2')"
done
# OUTPUT SUFFIX COMMAND...: the command, whose output is OUTPUT, refuses the suffix, and names one that would do
refuses_suffix() {
    local good=$1 bad=$2
    shift 2
    says 2 "$1 into z$bad" "^$1: z$bad: ${bad,,} is not written: 'z$good' \|^$1: z$bad: results are written as they are: .*$1 \.\.\. | [a-z0-9]* >z$bad" "$@"
    check "$situation: nothing is made" test -z "$(ls | grep '^z')"
}
for bad in .csv .npy .txt .gz .Parquet; do
    refuses_suffix .edges $bad edgeconv -q -o z$bad g.edges
    refuses_suffix .edges $bad rmatgen -s 2 -o z$bad
    refuses_suffix .edges $bad dbfs-components -q --largest z$bad g.edges
    refuses_suffix .split $bad degsplit -q -o z$bad g.edges
done
refuses_suffix .tsv .csv edgeconv -q -t text -o z.csv g.edges
refuses_suffix .tsv .csv degsplit -q -o /dev/null --sweep z.csv g.edges
refuses_suffix .bin .npy rmatgen -s 2 -f u32 -o z.npy
refuses_suffix .sg .edges edgeconv -q -t sg -o z.edges g.edges
refuses_suffix .map .csv edgeconv -q --compact=z.csv -o /dev/null g.edges
refuses_suffix .map .xz dbfs --compact=z.xz --no-cache names.txt
refuses_suffix .dbfs .npz dbfs-pack -q -o z.npz g.edges
refuses_suffix .json .csv dbfs-traverse -r 0 --json z.csv g.dbfs
for words in 'edgeconv -t text -o y.el' 'edgeconv -t u32 -o y.raw' 'edgeconv -o y.2024' 'degsplit --sweep y.txt -o y' 'dbfs-pack -o y.graph'; do
    check "$words: is a name that can be right" ${words%% *} -q ${words#* } g.edges
done
rm -r y*
check_exit 0 'depths to a device' dbfs-traverse -q -r 0 --depths /dev/null g.dbfs
check 'the advice works' bash -c 'dbfs-traverse -q -r 0 --depths - g.dbfs 2>/dev/null | gzip >d.txt.gz; test "$(gzip -dc d.txt.gz | wc -l)" = 3'
cd "$here" || exit 1
finish
