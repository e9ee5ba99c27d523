# bench-peers.sh: runs other programs on a graph of a benchmark. A script sources it after bench-lib.sh.
#
# It reads these variables: `edges`, the edge stream; `vertices`, their number; `threads`; `ours`, a file of
# lines that begin with a root. Files that a peer wants are made beside `edges`, once.

peer_names=()
peer_commands=()

# Whether the argument is NAME=COMMAND; keeps it then.
add_peer() { # ARGUMENT
    [ ! -e "$1" ] && [[ $1 =~ ^[A-Za-z0-9_.-]+= ]] || return 1
    peer_names+=("${1%%=*}")
    peer_commands+=("${1#*=}")
}

fill() { # COMMAND: replaces its words; makes the files that it names
    local command=$1 word format file
    for word in pairs=u32 text=text sg=sg; do
        format=${word#*=}
        word="{${word%=*}}"
        file=${edges%.edges}.$format
        [[ $command = *"$word"* ]] || continue
        [ -e "$file" ] || "$bin/edgeconv" -q -t "$format" -o "$file" "$edges"
        command=${command//"$word"/$file}
    done
    command=${command//'{edges}'/$edges}
    command=${command//'{n}'/$vertices}
    command=${command//'{roots}'/$(cut -d' ' -f1 "$ours" | tr '\n' ' ')}
    command=${command//'{count}'/$(wc -l <"$ours")}
    echo "${command//'{threads}'/$threads}"
}

# Writes lines "ROOT SECONDS [REACHED LEVELS [CHECKSUM]]"; ROOT is - where the peer does not say it. Searches
# that were printed before a peer failed count.
run_peer() { # COMMAND OUTPUT
    local failed=0
    OMP_NUM_THREADS=$threads timeout "${LIMIT:-600}" bash -c "$(fill "$1")" >"$work/said" 2>"$work/why" ||
        failed=$?
    awk '$1 == "Trial" && $2 == "Time:" { print "-", $3 }
         $1 ~ /^[0-9]+$/ && $2 ~ /^[0-9.eE+-]+$/' "$work/said" >"$2"
    [ $failed = 0 ] || echo "exit status $failed: $(tail -1 "$work/why")" >&2
}
