# draw.sh: pictures by gnuplot; `output` names the file, and $work is a temporary folder

# The head of a script: the kind of picture, by the ending of the file.
plot_terminal() {
    case $output in
    '') ;;
    *.svg) echo 'set terminal svg size 900,700 dynamic' ;;
    *.png) echo 'set terminal png size 900,700' ;;
    *.pdf) echo 'set terminal pdf size 9,7' ;;
    esac
    [ -z "$output" ] || echo "set output '$work/picture'"
}

# Whether the picture can be made and put there; otherwise ends.
check_picture() {
    case $output in
    '' | *.svg | *.png | *.pdf) ;;
    *) usage "-o $output: not .svg, .png or .pdf" ;;
    esac
    [ -z "$output" ] || [ "$force" = 1 ] || [ ! -e "$output" ] ||
        die 1 "$output: exists already: --force replaces it"
    [ -z "$output" ] || command -v gnuplot >/dev/null 2>&1 ||
        die 1 'gnuplot: not found: install it, or leave out -o for the script'
}

# Draws $work/script into $output, or prints it if that is empty.
draw() {
    if [ -z "$output" ]; then
        cat "$work/script"
        return
    fi
    gnuplot "$work/script" >"$work/said" 2>&1 || die 1 "gnuplot: $(head -3 "$work/said")"
    # under a name of its own in the folder first: complete, or not there
    { cp "$work/picture" "$output.$$" && mv "$output.$$" "$output"; } 2>"$work/said" ||
        { rm -f "$output.$$"; die 1 "$output: cannot write: $(head -1 "$work/said")"; }
}
