# draw.sh: pictures by gnuplot, all in one style; `output` names the file, and $work is a temporary folder
#
# A script of gnuplot may run commands (system(), backquotes). So nothing from a file or a command line gets into one
# but numbers, and texts by `quoted_text` or as the title of a column.

# quoted_text TEXT: prints the first line of TEXT as a string of gnuplot that stands for nothing else. An apostrophe becomes the
# typographic one: gnuplot 5.4 does not read two that are doubled one after the other.
quoted_text() { printf '%s\n' "$1" | sed "s/'/’/g; s/.*/'&'/; q"; }

# plot_head [WIDTH HEIGHT]: the head of a script: the format of the picture, by the suffix of its name, its size in points
# (900 700), and the style. A curve has a dash and a point of its own beside its colour, so that curves differ in grey print.
plot_head() {
    plot_width=${1:-900} plot_height=${2:-700}
    case $output in
    '') ;;
    *.svg) echo "set terminal svg size $plot_width,$plot_height dynamic font ',14'" ;;
    *.png) # of the two kinds the plain one draws no dashes
        echo "if (strstrt(GPVAL_TERMINALS, 'pngcairo')) { set terminal pngcairo size $plot_width,$plot_height font ',12'"
        echo "} else { set terminal png size $plot_width,$plot_height font ',12' }"
        ;;
    *.pdf)
        awk -v w="$plot_width" -v h="$plot_height" "BEGIN { printf \"set terminal pdf size %g,%g font ',14'\\n\", w / 100, h / 100 }"
        ;;
    esac
    [ -z "$output" ] || echo "set output 'picture'" # gnuplot runs in $work
    cat <<'END_OF_STYLE'
set border 3
set tics nomirror out
set grid xtics ytics lt 1 lw 0.5 lc rgb '#d8d8d8'
set lmargin at screen 0.12
set rmargin at screen 0.69
set key at screen 0.7, graph 1 left top Left reverse samplen 3 spacing 1.3
set style line 1 lw 2 dt 1 lc rgb '#000000' pt 7 ps 0.9
set style line 2 lw 2 dt 2 lc rgb '#0072b2' pt 4 ps 0.9
set style line 3 lw 2 dt 4 lc rgb '#d55e00' pt 9 ps 0.9
set style line 4 lw 2 dt 1 lc rgb '#999999' pt 6 ps 0.9
set style line 5 lw 2 dt 3 lc rgb '#000000' pt 11 ps 0.9
set style line 6 lw 2 dt 2 lc rgb '#999999' pt 5 ps 0.9
set style line 7 lw 2 dt 5 lc rgb '#0072b2' pt 8 ps 0.9
set style line 8 lw 2 dt 3 lc rgb '#d55e00' pt 2 ps 0.9
set datafile separator "\t"
set datafile missing 'NaN'
END_OF_STYLE
}

# plot_data NAME: writes a table of standard input as the data $NAME; its first row has the titles of its columns, in which a quote
# becomes the typographic one: gnuplot would read a text with tabs behind it.
# Sets NAME_curves to the columns after the first with a value above 0, or to the second; NAME_step to the rows for
# each point of a curve; and NAME_spread to the largest value over the least one above 0. What is not a number becomes
# NaN: a row that begins with END would end the data, and commands could follow.
plot_data() {
    awk -F '\t' -v OFS='\t' -v name="$1" '
        NR == 1 { print "$" name " << END"; gsub(/"/, "\342\200\235") }
        NR > 1 { for (i = 1; i <= NF; i++) if ($i !~ /^-?[0-9]*\.?[0-9]+([eE][-+]?[0-9]+)?$/) $i = "NaN" }
        NR > 1 { for (i = 2; i <= NF; i++) if ($i > 0 && $i != "NaN") {
            there[i]
            if ($i > most + 0) most = $i + 0
            if (least == "" || $i + 0 < least) least = $i + 0 } }
        { print }
        END {
            for (i = 2; i <= NF; i++) if (i in there) curves = curves " " i
            if (curves == "") curves = " 2" # gnuplot wants one
            print "END\n" name "_curves = \"" curves "\"\n" name "_step = " int(NR / 25) + 1
            print name "_spread = " (least == "" ? 1 : most / least)
        }'
}

# plot_curves NAME LOG: draws the curves of that data; LOG chooses a logarithmic axis, in gnuplot's words
plot_curves() {
    cat <<END_OF_CURVES
if ($2) { set logscale y; set yrange [*:*]; set format y '10^{%L}' \\
} else { unset logscale y; set yrange [0:*]; set format y '%g' }
plot for [i in $1_curves] \$$1 using 1:(column(i + 0) > 0 || !($2) ? column(i + 0) : NaN) with linespoints \\
    linestyle i - 1 pointinterval $1_step title columnheader(i + 0) noenhanced
END_OF_CURVES
}

# take_output OPTION FILE: keeps the name of the picture
take_output() {
    [ -n "$2" ] || usage "$1: is empty"
    [ -z "$output" ] || usage "$1: is given twice, as '$output' and as '$2': leave one out"
    output=$2
}

# check_picture INPUT...: checks that the picture can be made and written; otherwise ends the program
check_picture() {
    case $output in
    -) output='' ;;
    '' | *.svg | *.png | *.pdf) ;;
    *) usage "-o $output: not .svg, .png or .pdf" ;;
    esac
    [ -z "$output" ] || check_file "$output" "$force" "$@"
    [ -z "$output" ] || command -v gnuplot >/dev/null 2>&1 ||
        die 1 'gnuplot: not found: install it (Debian: gnuplot-nox), or give -o - for the script'
}

# Draws $work/script into $output, or prints it if that is empty.
draw() {
    if [ -z "$output" ]; then
        give <"$work/script"
        return
    fi
    (cd "$work" && gnuplot script) >"$work/said" 2>&1 || die 1 "gnuplot: $(head -3 "$work/said")"
    put_file "$output" <"$work/picture"
}
