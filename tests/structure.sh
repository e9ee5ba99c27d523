#!/bin/bash
# structure.sh: checks rules of the source tree that no compiler checks.
set -u
. tests/lib.sh

no_match() { ! grep -rnE "$@" >&2; }

# a file that was left beside a build is not added with the rest of a change
strays=$(git ls-files 2>/dev/null | sed 's|/.*||' | sort -u | grep -vxE '\.ci|\.gitignore|[A-Z]+\.md|LICENSE|Makefile|tools|traverse|formats|datasets|scripts|tests|man')
check "the root has the folders of the product, its documents and the Makefile alone ($strays)" test -z "$strays"

# includes go one way: formats <- tools, formats <- traverse
check 'formats includes nothing of ours but formats' \
    no_match '#include "(tools|traverse)/' formats
check 'tools never include traverse' no_match '#include "traverse/|#include "\.\./traverse' tools
check 'traverse never includes tools' no_match '#include "tools/|#include "\.\./tools' traverse
check 'converting, generating and buckets know nothing of packing' \
    no_match '#include "tools/(pack|separate)/' tools/convert tools/generate tools/bucket
check 'checking results knows nothing of packing' \
    no_match '#include "tools/(pack|separate|bucket|convert)/' tools/check tools/dbfs-check.c
check 'MPI is seen by formats/mpi alone' \
    test -z "$(grep -rlE '#include <mpi.h>' formats tools traverse | grep -v '^formats/mpi/')"
check 'formats and tools/bucket, convert, generate know nothing of MPI' \
    no_match '#include "formats/mpi/' $(ls -d formats/* | grep -v mpi) tools/bucket tools/convert tools/generate
others=$(grep -rlE 'cuda_runtime|cuda_kernels\.h|cuda_device\.h|cuda_error\.h|cub/' formats tools traverse tests \
    --include='*.[ch]' --include='*.cu' --include='*.cuh' |
    grep -vE '^traverse/(cuda/|programs/[a-z0-9]*/cuda/|session/backend_choose\.c$)|^tests/(gpu/|emulator/|plant_faults\.c$)')
check "CUDA is seen by the CUDA backend, the proof, batches and pairs on a GPU, and their tests alone ($others)" test -z "$others"
check 'nothing is copied or set in the default stream, for which no stream of a device waits (gpu_copy)' \
    no_match '\bcuda(Memcpy|Memset)\(' $(find traverse -type f)
check 'inline PTX is in one header, in whose place the emulator has another' \
    test "$(grep -lE '\basm\b' traverse -r | tr '\n' ' ')" = 'traverse/cuda/device/cuda_ptx.cuh '
words=$(grep -hoE '^(template <typename T> )?__device__ static inline [a-z A-Z]+ [a-z_]+\(' traverse/cuda/device/cuda_ptx.cuh |
    grep -oE '[a-z_]+\(' | sort -u)
missing=$(for word in $words; do grep -qF " $word" tests/emulator/include/cuda_ptx.cuh || echo "$word"; done)
check "the emulator has every word of that header ($missing)" test -n "$words" -a -z "$missing"
check 'what drives devices knows no backend' \
    no_match '#include "traverse/(cpu/cpu_|cuda/)' $(ls traverse/*.[ch] traverse/engine/* traverse/session/* | grep -vE '/(plan|backend_choose)\.c$') traverse/exchange traverse/results \
    traverse/options
# ROOM NAMES: prints what a folder of traverse/ includes of others, but for these headers and folders
others_of_room() {
    local room=$1 name may
    while read -r name; do
        for may in "$room" ${2//,/ }; do
            case $name in "$may"*) continue 2 ;; esac
        done
        echo "$room: $name"
    done < <(grep -rhoE '#include "traverse/[^"]+' "traverse/$room" | sed 's|.*"traverse/||' | sort -u)
}
rooms=$(awk -F '|' '/^## Rooms/ { on = 1 } on && $2 ~ /^ `[a-z]+\/` $/ && $4 !~ /structure/ {
    gsub(/[ `]/, "", $2); gsub(/\([^)]*\)|[ `]/, "", $4); print $2, $4 }' traverse/README.md)
others=$(while read -r room may; do others_of_room "$room" "$may"; done <<<"$rooms")
check "rooms of traverse/ include what its README says ($(echo $others))" test "$(wc -l <<<"$rooms")" = 7 -a -z "$others"
# included FILE...: prints each header of ours that these files include, directly or through others
included() {
    local file name todo=("$@")
    local -A seen=()
    while [ ${#todo[@]} -gt 0 ]; do
        file=${todo[0]} todo=("${todo[@]:1}")
        while read -r name; do
            [ -e "${file%/*}/$name" ] && name=${file%/*}/$name
            [ -n "${seen[$name]:-}" ] && continue
            seen[$name]=1
            [ -e "$name" ] && todo+=("$name")
            echo "$name"
        done < <(sed -n 's/^ *# *include "\(.*\)".*/\1/p' "$file")
    done
}
# includes_only NAME FILES HEADERS: these files include only their own headers and those listed
includes_only() {
    local all others
    all=$(included $2)
    others=$(echo "$all" | grep -vxF "$(printf '%s\n' $2 $3)")
    check "$1 includes what it may ($(echo $others))" test -z "$others" -a "$(echo "$all" | wc -l)" -gt 20
}
of_all=$(echo formats/{limits.h,rates.def} formats/base/{arith,cli,memory,outfile,patience,status,text}.h \
    formats/graph/{partition,shard,subgraph}.h formats/bijection.h formats/container/{container,packed,packed_layout,packed_row}.h \
    traverse/engine/{answer_ids,choose,cost,level_kind,level_note}.h traverse/engine/{engine,relay_buffers,residence,root_set}.h)
of_ranks=$(echo formats/{base/byte_source,edges/edges,graph/manifest,mpi/comm}.h traverse/session/graph.h \
    traverse/engine/{rank_devices,host_threads}.h)
includes_only 'the loop' "$(echo traverse/engine/{loop,choose,host_threads}.[ch] traverse/engine/cost.h)" \
    "$of_all $of_ranks $(echo formats/{base/barrier,mpi/window}.h) traverse/engine/level_log.h formats/mpi/requests.h $(find traverse/exchange -name '*.h')"
includes_only 'the exchange' "$(find traverse/exchange -type f)" \
    "$of_all $of_ranks $(echo formats/mpi/{flow,requests,watch,window}.h)"
includes_only 'the reduction of masks' "$(echo traverse/exchange/masks/*)" \
    "$of_all $of_ranks $(echo traverse/exchange/{exchange_counts,group}.h formats/mpi/{watch,window}.h)"
includes_only 'the exchange of vertices' "$(echo traverse/exchange/vertices/*)" \
    "$of_all $of_ranks $(echo traverse/exchange/{exchange_counts,group}.h formats/mpi/{flow,window}.h)"
includes_only 'the CPU backend' "$(echo traverse/cpu/*)" \
    "$of_all formats/base/shared_memory.h formats/container/packed_bits.h traverse/engine/own_rows.h"
includes_only 'the CUDA backend' "$(find traverse/cuda -type f)" \
    "$of_all formats/graph/shard_ranges.h traverse/engine/own_rows.h"
check 'nothing of dbfs-traverse includes what other programs have' \
    test -z "$(grep -rl '#include "traverse/programs/' traverse | grep -v '^traverse/programs/')"
# programs search by engine/, session/ and what surrounds them; of the two engines they know this list alone
kit_of_engines='cpu/(cpu_device|cpu_probe|thread_pool)\.h|cuda/device/(cuda_(common|ptx)\.cuh|cuda_(device|error|kernels|choose)\.h)'
others=$(grep -rnoE '#include "traverse/(cpu|cuda)/[^"]*"' traverse/programs | grep -vE "traverse/($kit_of_engines)\"")
check "programs include of the engines only what structure.sh lists ($others)" test -z "$others"
check 'the plan of device memory needs no CUDA' \
    no_match '#include .*(cuda_runtime|cuda_kernels|cuda_device|cuda_error)' traverse/cuda/device/cuda_plan.[ch] traverse/cuda/device/cuda_traits.[ch] \
    traverse/cuda/device/cuda_limits.h traverse/session/plan.c traverse/session/plan.h
check 'only the tools that run under mpiexec link MPI' \
    bash -c '! ldd "$1/rmatgen" "$1/edgeconv" | grep -q "libmpi"' - "$BIN"
check 'no file gets a name or bytes but through formats/base/outfile and signals, which it rests on, and temporary ones through tools/spill' \
    test "$(grep -rlE '\b(rename(at2?)?|linkat|creat|mkstemps?|mkostemps?|freopen)\(|\bfopen\([^"]*, *"[rwab]*[wa+]|\bO_(CREAT|TRUNC)\b' \
        formats tools traverse --include='*.[ch]' --include='*.cu*' | sort | tr '\n' ' ')" = \
    'formats/base/outfile.c formats/base/signals.c tools/spill/unnamed.c '
check 'a file of JSON begins by JSON_OPEN, which has the number of its format' no_match '"\{\\n' formats tools traverse --include='*.c'
check 'no script writes a file but through tools/report/outfile.sh' \
    test "$(grep -lE '(^|[ ({;&|])(mv|cp) ' tools/*.sh tools/report/* tools/model/* scripts/bench-*.sh scripts/make-wordnet.sh | sort | tr '\n' ' ')" = \
    'scripts/bench-batch.sh scripts/bench-scale.sh scripts/bench-search.sh tools/report/outfile.sh ' # three move files in a folder of their own
without=$(grep -L '^    cli_begin();' $(grep -rlE '^int main\(' formats tools traverse))
check "each program opens closed descriptors before all else ($without)" test -z "$without"
check 'zlib inflate is seen by one file of the tools' \
    test "$(grep -rlE 'inflate(Init|End)' formats tools traverse | wc -l)" = 1

check 'gnuplot is called, and told of a terminal, by one file: what dbfs-report and dbfs-model draw, it draws' \
    test "$(grep -rlE '^[^#]*(\bgnuplot +["$-]|set terminal|set output)' formats tools traverse scripts | tr '\n' ' ')" = \
    'tools/report/draw.sh '
check 'dbfs-report and dbfs-model alone contain draw.sh' \
    test "$(grep -rl '^@include tools/report/draw.sh' tools scripts | sort | tr '\n' ' ')" = 'tools/dbfs-model.sh tools/dbfs-report.sh '
check 'no other program draws' no_match '(matplotlib|<svg|\bggplot)' formats tools traverse scripts
check 'libarchive is seen by one file of the tools' \
    test "$(grep -rlE '#include <archive(_entry)?\.h>' formats tools traverse | tr '\n' ' ')" = 'tools/convert/input/archive_in.c '
if [ "${ARCHIVE:-1}" != 0 ]; then
    check 'libarchive is linked to edgeconv only' \
        test "$(grep -lE 'libarchive\.so' "$BIN"/* | tr '\n' ' ')" = "$BIN/edgeconv "
fi

# a name is read alone, in a log: it goes on from no other one
begins='(and|which|so|it|its|they|them|nor|but|or|also|then|is|are|has|have|says|tells|the same|indeed)'
ends='(is told|are told|says so|is said|is named|are named|names it|too)'
shell='(^ *|[;&|({] ?|(do|then|else) )(check|pass|fail|skip|(check_exit|ended) [^ ]+|check_says ('"'[^']*'"'|"[^"]*"))'
check 'names of tests begin with what they are about' no_match \
    "${shell} ['\"]${begins}[ '\"]|(report|checked|check_end)\(.*\"${begins} |^ +\"${begins} [^\"]*\"\);" tests --include='*.sh' --include='*.c'
check 'names of tests say what is told, and to whom' no_match \
    "${shell} ('([^' ]+ ){0,3}${ends}'|\"([^\"$ ]+ ){0,3}${ends}\")" tests --include='*.sh'
# dbfs passes on the options of the programs that it runs, but for those of other ways to run them
eval "$(sed -n "/^own='/,/^of_batch=/p" scripts/dbfs.sh)"
names_in() { tr -s ' =?\n' '\n' <<<"$*" | grep . | sort -u; } # LIST...: prints the options of lists of dbfs, one a line
options_of() { "$BIN/$1" --help=all | grep -oE '(^|[ ,])--[a-z0-9][a-z0-9-]*' | tr -d ' ,' | sort -u; }
# PROGRAM LIST APART HIDDEN: the options of a program are those of the list and those that are known apart; its --help has no hidden one
passes_on() {
    local differ
    differ=$(diff <(options_of "$1" | grep -vxF -e "$(names_in "$3")") <(names_in "$2" | grep -vxF -e "$(names_in "$3" "$4")") | grep '^[<>]')
    check "dbfs passes on the options of $1 ($(echo $differ))" test -n "$(names_in "$2")" -a -z "$differ"
}
passes_on edgeconv "$of_edgeconv" "$own --to --original-ids" --entry
passes_on dbfs-pack "$of_pack" "$own --base --split --resume --layout --plan --list --json --verify --timeout" ''
passes_on dbfs-traverse "$of_search" "$own --base --plan --gpu --dry-run" --count-pairs
passes_on dbfs-paths "$of_paths" "$own $of_search --base --dry-run" ''
passes_on dbfs-batch "$of_batch" "$own $of_search --base --dry-run" ''
passes_on dbfs-components "$of_components --output" "$own --json --map --base --timeout" --components
passes_on dbfs-diameter "$of_diameter" "$own $of_search --base --dry-run --resume" ''
missing=$(names_in "$own $of_edgeconv $of_pack $of_search $of_paths $of_batch $of_diameter $of_components" | grep -vxF -e "$("$BIN/dbfs" --help=all | grep -oE -e '--[a-z0-9][a-z0-9-]*')")
check "dbfs --help=all has every option but other names and those for tests ($(echo $missing))" \
    test "$(echo $missing)" = '--count-pairs --entry --memory --root --threads --tmpdir --undirected'
# the version is in one place; it is that of the newest release in the changelog, or the next one and -dev
version=$(sed -n 's/^#define DBFS_VERSION "\(.*\)"/\1/p' formats/base/cli.h)
released=$(sed -n 's/^## \([0-9][0-9.]*\) .*/\1/p' CHANGELOG.md | head -n 1)
case $version in
*-dev) check "$version comes behind $released, and its changes are unreleased" \
    test "$(printf '%s\n' "$released" "${version%-dev}" | sort -V | tail -n 1) $(grep -m 1 '^## ' CHANGELOG.md)" = "${version%-dev} ## Unreleased" -a "${version%-dev}" != "$released" ;;
*) check "$version is the first in the changelog" test "$released $(grep -c '^## Unreleased' CHANGELOG.md)" = "$version 0" ;;
esac
for program in "$BIN"/*; do check "${program##*/} has version $version" test "$("$program" --version)" = "${program##*/} (dbfs) $version"; done
check 'the Python package has the same version' grep -qx "__version__ = \"${version/-dev/.dev0}\"" scripts/python/dbfs/__init__.py
wrong=$(awk -F '\t' 'NF != 8 || $1 !~ /^(date|-|20[0-9][0-9]-[01][0-9](-[0-3][0-9])?)$/ || $6 !~ /^[a-z0-9_]+$/ || $7 == "" || $8 == "" { print FNR }' scripts/results/results.tsv)
check "results.tsv has eight columns: date, revision, device, graph, option, metric, value, command ($(echo $wrong))" test -z "$wrong"
doubled=$(cut -f 2-6 scripts/results/results.tsv | sort | uniq -d)
check "no two rows of results.tsv have the same revision, device, graph, option and metric ($doubled)" test -z "$doubled"
missing=$(sed -n 's/^|.*| `\([^ `]* [^ `]* [^ `]*\)` |$/\1/p' NOTES.md | while read -r device graph metric; do
    awk -F '\t' -v d="$device" -v g="$graph" -v m="$metric" '$3 == d && $4 == g && $6 == m { found = 1 } END { exit !found }' scripts/results/results.tsv ||
        echo "$device $graph $metric"
done)
check "each row that NOTES.md names stands in results.tsv ($missing)" test -z "$missing" -a "$(grep -c '^|.*_.*` |$' NOTES.md)" -gt 10

long=$(awk 'length > 140 { print FILENAME ":" FNR }' $(find formats tools traverse tests -name '*.[ch]' -o -name '*.cu' -o -name '*.cuh'; \
    find tools -name '*.sh' -o -name '*.awk'))
check "lines of code have 140 columns at most ($(echo $long))" test -z "$long"
duplicates=$(find formats tools traverse -name '*.[ch]' -printf '%f\n' | sort | uniq -d)
check "file names are unique ($duplicates)" test -z "$duplicates"

# Prints which object uses the names of another. Objects for the emulated GPU stand in for those without it.
uses() {
    local source object objects=()
    while read -r source; do
        object=${source%.c}.o
        [ "${source%.cu}" = "$source" ] || object=$source.o
        for object in "${BUILD:-build}/$object" "${BUILD:-build}/emulated/$object"; do
            [ ! -e "$object" ] || { objects+=("$object") && break; }
        done
    done < <(find formats tools traverse -name '*.c' -o -name '*.cu')
    nm -o "${objects[@]}" | awk '{ object = $1; sub(/:[^:]*$/, "", object) }
        $(NF - 1) ~ /^[TDBRC]$/ { defined[$NF] = defined[$NF] " " object }
        $(NF - 1) == "U" { used[object " " $NF] }
        END { for (pair in used) { split(pair, of, " "); n = split(defined[of[2]], in_objects, " ")
            for (i = 1; i <= n; i++) print of[1], in_objects[i] } }'
}
uses >"$tmp/uses"
check 'what files use of each other is seen' test "$(wc -l <"$tmp/uses")" -gt 500
circles=$(tsort "$tmp/uses" 2>&1 >/dev/null | sed -n 's/^tsort: .*\/\(.*\)\.o$/\1/p')
check "no files use each other in a circle ($(echo $circles))" test -z "$circles"

# includes of kernels
headers='formats/container/packed.h formats/container/packed_layout.h formats/graph/shard.h formats/graph/shard_ranges.h formats/graph/partition.h'
if command -v "${CXX:-c++}" >/dev/null 2>&1; then
    check 'the headers of shards and packed sections are C++ too' sh -c \
        'for h in $1; do echo "#include \"$h\""; done | "$2" -x c++ -fsyntax-only -Wall -I. -' \
        - "$headers" "${CXX:-c++}"
else
    skip 'headers of shards as C++: no C++ compiler'
fi

# each program and format has its page, as built, and each option of --help stands in it
pages=${BUILD:-build}/man
for program in dbfs rmatgen edgeconv degsplit dbfs-pack dbfs-check dbfs-components dbfs-report dbfs-model dbfs-traverse dbfs-traverse-2d dbfs-graph500 dbfs-paths dbfs-batch dbfs-diameter; do
    check "$program.1 is built" test -s "$pages/$program.1"
    missing=$("$BIN/$program" --help=all | grep -oE '(^|[ ,])--[a-z0-9][a-z0-9-]*' | tr -d ' ,' | sort -u |
        while read -r option; do
            sed 's/\\-/-/g; s/Fl -\([a-z0-9]\)/--\1/g' "$pages/$program.1" 2>/dev/null | grep -qF -e "$option" || echo "$option"
        done)
    check "$program.1 has every option of --help ($(echo $missing))" test -z "$missing"
done
gpus=$(grep -oE '^GPU\([a-z0-9]+' formats/rates.def | sed 's/GPU(//' | paste -sd '|')
check "--gpu takes the GPUs of formats/rates.def, in their order ($gpus)" grep -qF "\"gpu\", .value = \"$gpus\"" traverse/options/option_table.c
# what only tests and experiments need is marked in the table of options, and stands in no text for users
rows=$(tr '\n' ' ' <traverse/options/option_table.c | grep -oE '\{\.name = "[^}]*\}')
for_tests=$({ grep FOR_TESTS <<<"$rows" | sed 's/.*\.name = "\([^"]*\)".*/--\1/'
    grep '\.shown' <<<"$rows" | sed 's/.*\.value = "\([^"]*\)", \.shown = "\([^"]*\)".*/\1 \2/' |
        while read -r words shown; do echo "${words#"$shown"}"; done; } | tr '\n' ' ')
check "options and words for tests are marked ($for_tests)" test "$for_tests" = '--count-pairs |cost '
for program in dbfs-traverse dbfs-traverse-2d dbfs-graph500 dbfs-paths dbfs-batch dbfs-diameter; do
    text=$("$BIN/$program" --help=all; sed 's/\\-/-/g; s/Fl -\([a-z0-9]\)/--\1/g; s/ | /|/g' "$pages/$program.1")
    for word in $for_tests; do
        check "$program: $word is neither in --help=all nor in the page" test "${text#*"$word"}" = "$text"
    done
done
for page in dbfs-edges dbfs-split dbfs-shard dbfs-map dbfs-json; do
    check "$page.5 is built" test -s "$pages/$page.5"
done
# what users look for is in the lines that apropos searches
for word in component diameter centrality hop neighbourhood 'shortest path' distance Graph500 Python; do
    check "apropos finds '$word'" grep -qiE "^\.Nd .*$word" "$pages"/*.[157]
done
if command -v makewhatis >/dev/null 2>&1 && command -v mapropos >/dev/null 2>&1; then
    mkdir "$tmp/pages" && for s in 1 5 7; do mkdir "$tmp/pages/man$s" && cp "$pages"/*."$s" "$tmp/pages/man$s"; done
    makewhatis "$tmp/pages" 2>"$tmp/err"
    check 'apropos finds dbfs-components(1)' eval 'mapropos -M "$tmp/pages" component | grep -q "^dbfs-components(1)"'
    check 'apropos finds dbfs-batch(1)' eval 'mapropos -M "$tmp/pages" centrality | grep -q "^dbfs-batch(1)"'
else
    skip 'apropos: no makewhatis and mapropos of mandoc'
fi
if command -v mandoc >/dev/null 2>&1; then
    for page in "$pages"/*.[157]; do
        check "${page##*/} is clean for mandoc" mandoc -T lint -W warning "$page"
    done
else
    skip 'man pages through mandoc: not installed'
fi
check 'built pages need no other file' no_match '^\.so|^\.\\" common:' "$pages"
finish
