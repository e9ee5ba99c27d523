# lib.sh: functions that the experiments share. A script sources it in the root of the repository, makes its table,
# and passes it to `keep`, or to `keep_curves` if it consists of curves.
#
#   BUILD   where programs are (build)          OUT    where tables go (BUILD/experiments)
#   SCALE   of the RMAT graph of one shard (13) ROOTS  searches of a run (8)
#   BACKEND cpu or cuda (cpu)                   GRAPHS a folder of real graphs (none: graphs that ship or are made)
#   VERTICES of the Poisson graphs of yoo-volumes (8000)
#
# Curves are rows `source series x y`. The source is `ours`, `published` for a number of the paper, or `model` for a
# prediction of dbfs-model. One table has one unit.
#
# What programs say on standard error is checked: each line must be one that the script expects (`expects PATTERN...`).
set -euo pipefail
export LC_ALL=C OMP_WAIT_POLICY=passive
bin=${BUILD:-build}/bin
out=${OUT:-${BUILD:-build}/experiments}
case $out in *=* | -*) out=./$out ;; esac
scale=${SCALE:-13}
roots=${ROOTS:-8}
backend=${BACKEND:-cpu}
graphs=${GRAPHS:-/nonexistent}
mpiexec=${MPIEXEC:-$(command -v mpiexec.mpich || command -v mpiexec)}
name=$(basename "$0" .sh)
tab=$'\t'
work=$(mktemp -d -- "${TMPDIR:-/tmp}/dbfs-experiment.XXXXXX")
case $work in /*) ;; *) work=$PWD/$work ;; esac # awk takes a relative a=b/file for an assignment
trap 'end_run $?' EXIT
mkdir -p "$out"

# end_run STATUS: ends the script. One that failed leaves no table: its last one may be cut off, as `keep` takes the end of its input
# for the end of the table.
end_run() {
    local code=$1 file
    [ ! -e "$work/failed" ] || code=1
    [ "$code" = 0 ] || [ ! -e "$work/kept" ] || while IFS= read -r file; do rm -f "$file".{tsv,json,about,svg}; done <"$work/kept"
    rm -rf "$work"
    exit "$code"
}

die() { # CODE MESSAGE
    echo "$name: $2" >&2
    exit "$1"
}
usage() { die 2 "$1"; }
. tools/report/outfile.sh
. tools/report/draw.sh

# the engines, as tables name them
own="dbfs-traverse, its own directions and search, $backend"
loop="dbfs-traverse, the level loop with the factors of the paper, $backend"
factors=(--factor0 dd=0.5,dn=0.05,nd=1e-7,nn=1e9 --factor1 dd=0,dn=0,nd=0,nn=0)

# ---- what programs say ----

# What each run may say: summaries, and the TH that is chosen.
expected=('^dbfs-pack: TH ' '^dbfs-pack: [0-9]* edges ' '^dbfs-pack: [0-9]* duplicates' '^dbfs-pack: grid parts of ' '^degsplit: '
    '^edgeconv: [0-9]* edges, ' '^rmatgen: [0-9]* edges')
expects() { expected+=("$@"); } # PATTERN...: this script's programs may say these, too

# heard COMMAND...: runs it. A line on standard error that nobody expects ends the script, at the latest in `end_run`: nobody asks
# for the status of <(heard ...).
heard() {
    local code=0 line said=$work/said.$BASHPID # programs of a pipe run side by side
    "$@" 2>"$said" || code=$?
    line=$(printf '%s\n' "${expected[@]}" | grep -v -m 1 -f - "$said" || true)
    [ "$code" = 0 ] && [ -z "$line" ] && return
    : >"$work/failed"
    die 1 "$1: exit $code: ${line:-$(head -3 "$said")}"
}

# ---- graphs and searches ----

# packed NAME P TH [OPTION...]: packs the edge stream of standard input; with TH - dbfs-pack suggests one
packed() {
    local dir=$work/$1 p=$2 th=$3
    shift 3
    if [ "$th" = - ]; then set -- --for "${backend/cuda/gpu}" "$@"; else set -- -t "$th" "$@"; fi
    heard "$bin/dbfs-pack" -p "$p" "$@" --force -o "$dir" -
}

rmat() { heard "$bin/rmatgen" -s "$1"; } # SCALE

# searched NAME RANKS [OPTION...]: searches the packed graph NAME and leaves the report in $work/NAME.json. Only tables of
# the parts of a search give --breakdown, as noting levels takes time on a small graph.
searched() {
    local graph=$1 ranks=$2 launch=()
    shift 2
    [ "$ranks" = 1 ] || launch=("$mpiexec" -n "$ranks")
    case " $* " in *' -n '* | *' -r '*) ;; *) set -- -n "$roots" "$@" ;; esac
    set -- -g $(($(find "$work/$graph/" -name 'part-*' | wc -l) / ranks)) "$@" # shards are not joined
    heard "${launch[@]}" "$bin/dbfs-traverse" --backend "$backend" --no-check --trust --force --json "$work/$graph.json" "$@" \
        "$work/$graph" >/dev/null </dev/null
}

# reported NAME COMMAND COLUMN: prints a value that dbfs-report finds in the last search of NAME
reported() {
    "$bin/dbfs-report" "$2" "$work/$1.json" | awk -F '\t' -v column="$3" '
        NR == 1 { for (i = 1; i <= NF; i++) if ($i == column) at = i }
        NR == 2 { print $at }'
}
gteps() { reported "$1" means geometric_mean_teps | awk '{ print $1 / 1e9 }'; } # NAME: prints the mean as the paper takes it

# ---- tables ----

row() { # VALUE...: prints the values with tabs between
    local IFS=$tab
    echo "$*"
}

machine() {
    local gpu=
    [ "$backend" != cuda ] || gpu=$(nvidia-smi ${CUDA_VISIBLE_DEVICES:+-i "$CUDA_VISIBLE_DEVICES"} --query-gpu=name --format=csv,noheader 2>/dev/null |
        sort | uniq -c | awk '{ count = $1; $1 = ""; print count " x" $0 ", " }')
    echo "$gpu$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), $(nproc) cores"
}

# ---- predictions ----

# Two models, one name each. The first is the paper's design on the paper's machine; the other is dbfs as it is.
model_design="the paper's design, Ray (P100)"
model_dbfs='dbfs on H200'
model_words="model: dbfs-model. '$model_design' has the messages, kernels and machine of the paper (dbfs-model paper; +29% at 8 GPUs, +11% at 124), '$model_dbfs' those of dbfs, 8 GPUs a host (dbfs-model weak, strong). \
One to four H200 were measured (scripts/results/predictions.md): predictions err by -18 to +29%, and the grey bands are as wide. Between hosts nothing was measured: one curve takes the rates of messages within a host, 2.75 GB/s a GPU, the \
other the fast end of the band of all rates, 16 GB/s among them"

# weak_scaling, strong_scaling SCALE: prints curves of dbfs-model for up to 128 GPUs: up to 8 of one host, which peers read, and
# beyond, with each assumption about messages
weak_scaling() { predicted weak 26; }
strong_scaling() { predicted strong "$1"; }
predicted() { # weak|strong SCALE
    "$bin/dbfs-model" "$1" --rmat "$2" | awk -F '\t' -v OFS='\t' -v name="$model_dbfs" '
        NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
        NR > 1 && $1 ~ /^[0-9]+$/ && $1 <= 128 {
            gteps = $at["gteps"]
            if ($1 <= 8) print "model", name ", one host", $1, gteps
            if ($1 >= 8) print "model", name ", links between hosts as within one (measured)", $1, gteps
            if ($1 >= 8) print "model", name ", the fast end of all bands (assumed)", $1, gteps * $at["time_ms"] / $at["least_ms"] }'
}

# published ITEM: prints the numbers of a figure or table that its paper's text states, as rows of curves
published() {
    awk -F '\t' -v item="$1" -v OFS='\t' '!/^#/ && $1 == item { print "published", $2, $3, $4 }' scripts/experiments/published.tsv
}

as_json() { # keeps the table of standard input
    awk -F '\t' '
        function word(s) { if (s ~ /^-?(0|[1-9][0-9]*)(\.[0-9]+)?(e[-+]?[0-9]+)?$/) return s; gsub(/[\\"]/, "\\\\&", s); return "\"" s "\"" }
        { line = ""; for (i = 1; i <= NF; i++) line = line (i > 1 ? ", " : "") word($i)
          if (NR == 1) print "  \"columns\": [" line "],\n  \"rows\": ["
          else { printf "%s    [%s]", (NR > 2 ? ",\n" : ""), line } }
        END { print "\n  ]" }'
}

# Prints, as words of a shell, the other variables that choose what is measured, if they are set.
others_set() {
    local variable
    for variable in SCALES LIST FRIENDSTER GRAPHS THS; do
        [ -z "${!variable:-}" ] || printf '%s=%q ' $variable "${!variable}"
    done
}

# shared: words for a title, where shards or processes share the cores of this machine
shared() { echo "here they share $(nproc) cores, so that more of them are no faster"; }

# keep NAME TITLE ENGINE: keeps the table of standard input, whose first row has the names of columns
keep() {
    local file=$out/$1
    cat >"$work/table"
    echo "$file" >>"$work/kept"
    [ "$(wc -l <"$work/table")" -gt 1 ] || die 1 "$1: the table is empty"
    { row title "$2"; row engine "$3"; row machine "$(machine)"; row date "$(date -u +%F)"
      row revision "${REVISION:-$(git describe --always --dirty 2>/dev/null || echo unknown)}"
      row command "SCALE=$scale ROOTS=$roots BACKEND=$backend $(others_set)scripts/experiments/$name.sh"; } >"$file.about"
    { echo "{"; awk -F '\t' '{ gsub(/[\\"]/, "\\\\&", $2); print "  \"" $1 "\": \"" $2 "\"," }' "$file.about"
      as_json <"$work/table"; echo "}"; } >"$file.json"
    cp "$work/table" "$file.tsv"
    rm -f "$file.svg"
}

# keep_curves NAME TITLE ENGINE X Y [LOG [FROM TO WORDS]]: keeps rows `source series x y`, and draws them if gnuplot is
# installed. LOG names the axes with a logarithmic scale. The paper's range FROM to TO of x is shaded, and WORDS name it.
keep_curves() {
    { row source series x y; cat; } | keep "$1" "$2" "$3"
    printf 'x\t%s\ny\t%s\nlog\t%s\nfrom\t%s\nto\t%s\nrange\t%s\n' "$4" "$5" "${6:-}" "${7:-}" "${8:-}" "${9:-}" >>"$out/$1.about"
    draw_table "$1"
}

# keep_bars NAME TITLE ENGINE Y FIRST LAST: keeps a table whose first row has names; each further row is a bar, named by its
# first two columns, of the parts in columns FIRST to LAST, stacked.
keep_bars() {
    keep "$1" "$2" "$3"
    printf 'y\t%s\nbars\t%s\nlast\t%s\n' "$4" "$5" "$6" >>"$out/$1.about"
    draw_table "$1"
}

about() { sed -n "s/^$2$tab//p" "$out/$1.about" | head -n 1; } # TABLE KEY

# draw_table TABLE: draws a kept table as its .about says, if gnuplot is here
draw_table() {
    command -v gnuplot >/dev/null 2>&1 || return 0
    local output=$out/$1.svg force=1
    if [ -n "$(about "$1" bars)" ]; then
        { plot_head 760 500; key_at above; stacked "$1"; } >"$work/script"
    elif [ -n "$(about "$1" x)" ]; then
        { plot_head 760 $((420 + 20 * ($(cut -f 1,2 "$out/$1.tsv" | sort -u | grep -cv '^source') + 1) / 2)); key_at below; curves "$1"; } >"$work/script"
    else
        return 0
    fi
    draw
}

# key_at below|above: where the names of curves stand, so that the picture is as wide as the page
key_at() { echo "unset lmargin; unset rmargin; set key outside $1 horizontal Left reverse samplen 2 spacing 1.1 maxcols 2"; }

# curves TABLE: the script of a picture of curves. Numbers of the paper are black points, ours coloured lines, predictions dashed
# lines. On a logarithmic axis the value 0 of x stands at the left edge, named 0.
curves() {
    local log number='^-?[0-9]*\.?[0-9]+([eE][-+]?[0-9]+)?$' from to
    log=$(about "$1" log)
    from=$(about "$1" from) to=$(about "$1" to)
    echo "set xlabel $(quoted_text "$(about "$1" x)"); set ylabel $(quoted_text "$(about "$1" y)")"
    awk -F '\t' -v log_x="$(case $log in *x*) echo 1 ;; *) echo 0 ;; esac)" -v log_y="$(case $log in *y*) echo 1 ;; *) echo 0 ;; esac)" '
        function number(s) { return s ~ /^-?[0-9]*\.?[0-9]+([eE][-+]?[0-9]+)?$/ }
        NR > 1 && NF >= 4 && number($3) && number($4) && !(log_y && $4 <= 0) {
            key = $1 "\t" $2
            if (!(key in of)) { of[key] = ++curves; source[curves] = $1; name[curves] = $1 ": " $2 }
            x = $3 + 0
            # rows of a curve ascend by x
            for (j = ++length_of[of[key]]; j > 1 && px[of[key], j - 1] + 0 > x; j--) {
                px[of[key], j] = px[of[key], j - 1]; py[of[key], j] = py[of[key], j - 1]
            }
            px[of[key], j] = $3; py[of[key], j] = $4
            if (!(x in seen_x)) { seen_x[x]; xs[++different] = x }
            count[of[key]]++
            if (x > 0 && !(x in seen) && log(x) / log(2) != int(log(x) / log(2) + 1e-9)) odd++
            seen[x]
            if (x > 0 && (least == "" || x < least)) least = x
            if (x > most) most = x
            if (lowest_x == "" || x < lowest_x) lowest_x = x
            if (x <= 0) zero = 1
            if ($4 > highest) highest = $4 + 0
            if ($4 > 0 && (lowest == "" || $4 < lowest)) lowest = $4 + 0
        }
        END {
            if (log_x) {
                doubles = odd <= 1 && different <= 14 # one point, 124 GPUs of the paper, may be no power of two
                print "set logscale x"
                if (doubles) {
                    for (j = 1; j <= different; j++)
                        if (xs[j] > 0 && xs[j] != 124) tics = tics (tics == "" ? "" : ", ") sprintf("\"%s\" %g", label(xs[j]), xs[j])
                    print "set xtics (" tics ")"
                }
                first = zero ? least / 4 : least
                printf "set xrange [%g:%g]\n", first / 1.15, most * 1.15
                if (zero) printf "set xtics add (\"0\" %g)\n", first
            } else printf "set xrange [%g:%g]\n", lowest_x - (most - lowest_x) / 50, most + (most - lowest_x) / 50
            if (log_y) {
                printf "set logscale y; set yrange [%g:%g]\n", lowest / 1.5, highest * 1.5
                for (t = 10 ^ int(log(lowest / 1.5) / log(10) - 1); highest / lowest < 100 && t <= highest * 1.5; t *= 10)
                    for (j = 1; j <= 5; j += j == 2 ? 3 : 1) ticks = ticks (ticks == "" ? "" : ", ") sprintf("\"%g\" %g", j * t, j * t)
                if (ticks != "") print "set ytics (" ticks ")"
            }
            else print "set yrange [0:*]"
            print (log_x && !doubles && most / least > 1e4) ? "set format x \"10^{%L}\"" : "set format x \"%g\""
            print (log_y && highest / lowest > 1e4) ? "set format y \"10^{%L}\"" : "set format y \"%g\""
            for (i = 1; i <= curves; i++) {
                print "$curve" i " << END"
                for (j = 1; j <= length_of[i]; j++) print (log_x && px[i, j] <= 0 ? first : px[i, j]) "\t" py[i, j]
                print "END"
            }
            # a title is data: it is read from a block
            for (i = 1; i <= curves; i++) {
                gsub(/\047/, "\342\200\231", name[i])
                if (source[i] == "published" && count[i] == 1) { # the name stands at the point
                    at_point = "$curve" i " using 1:2:(\047" name[i] "\047) with labels point pt 4 ps 1.2 lw 1.5 left offset 0.8,0.5 font \047,11\047 noenhanced notitle"
                    sub(/published: /, "", at_point)
                    named++
                    plots = plots (plots != "" ? ", \\\n    " : "plot ") at_point
                    continue
                }
                if (source[i] == "published" && count[i] > 4) style = (name[i] ~ /derived/ ? "lines" : "linespoints ps 1.1 pt " (4 + long++ % 12)) " lw 1.5 dt 3 lc rgb \"#000000\""
                else if (source[i] == "published") style = "points pt " (4 + 2 * (published++ % 5)) " ps 1.3 lw 1.5 lc rgb \"#000000\""
                else if (source[i] == "model") style = "lines dt 2 lw 2 lc rgb \"" colour(modelled++) "\""
                else style = "linespoints lw 2 ps 0.8 pt " (5 + 2 * (own % 5)) " lc rgb \"" colour(own++) "\""
                if (source[i] == "model" && name[i] ~ /dbfs on H200/) # the band of its errors where it was compared
                    plots = plots (plots != "" ? ", \\\n    " : "plot ") "$curve" i " using 1:($2/1.29):($2/0.82) with filledcurves fc rgb \"#999999\" fs transparent solid 0.15 noborder notitle"
                plots = plots (plots != "" ? ", \\\n    " : "plot ") "$curve" i " using 1:2 with " style " title \047" name[i] "\047 noenhanced"
            }
            if (named) print "set rmargin 14"
            print plots
        }
        function label(x) { return x >= 1048576 ? x / 1048576 "M" : x >= 1024 ? x / 1024 "K" : x "" }
        function colour(i) { split("#0072b2 #d55e00 #009e73 #cc79a7 #56b4e9 #e69f00 #8c564b #666666", c, " "); return c[i % 8 + 1] }
    ' "$out/$1.tsv" >"$work/plots"
    if [[ $from =~ $number && $to =~ $number ]]; then
        echo "set object 1 rect from $from, graph 0 to $to, graph 1 behind fillcolor rgb '#eeeeee' fillstyle solid noborder"
        echo "set label 1 $(quoted_text "$(about "$1" range)") at $from, graph 1.03 font ',11' noenhanced"
    fi
    cat "$work/plots"
}

# stacked TABLE: the script of a picture of stacked bars
stacked() {
    local first last columns number='^[1-9][0-9]{0,3}$'
    first=$(about "$1" bars) last=$(about "$1" last)
    columns=$(head -n 1 "$out/$1.tsv" | awk -F '\t' '{ print NF }')
    [[ $first =~ $number && $last =~ $number ]] && [ "$first" -le "$last" ] && [ "$last" -le "$columns" ] ||
        die 3 "$1.about: bars $first and last $last: no columns of $columns"
    awk -F '\t' -v first="$first" -v last="$last" '
        function text(s) { gsub(/\047/, "\342\200\231", s); return s }
        NR == 1 { for (i = first; i <= last; i++) { title[i] = text($i); sub(/_ms$/, "", title[i]); gsub(/_/, " ", title[i]) }; next }
        { label[NR - 1] = text($1 ", " $2); for (i = first; i <= last; i++) value[NR - 1, i] = $i ~ /^[0-9]*\.?[0-9]+([eE][-+]?[0-9]+)?$/ ? $i : 0 }
        END {
            print "$bars << END"
            for (j = 1; j < NR; j++) { line = j; for (i = first; i <= last; i++) line = line "\t" value[j, i]; print line }
            print "END\nset style data histogram; set style histogram rowstacked; set style fill solid 0.9 border -1; set boxwidth 0.7"
            printf "set xtics rotate by 30 right noenhanced ("
            for (j = 1; j < NR; j++) printf "%s\047%s\047 %d", (j > 1 ? ", " : ""), label[j], j - 1
            print ")\nset yrange [0:*]; set bmargin 8"
            split("#0072b2 #e69f00 #009e73 #cc79a7 #56b4e9", c, " ")
            for (i = first; i <= last; i++)
                plots = plots (i > first ? ", " : "plot ") "$bars using " (i - first + 2) " title \047" title[i] "\047 lc rgb \"" c[(i - first) % 5 + 1] "\""
            print plots
        }' "$out/$1.tsv" >"$work/plots"
    echo "set ylabel $(quoted_text "$(about "$1" y)")"
    cat "$work/plots"
}
