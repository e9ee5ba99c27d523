# Completions of dbfs for bash: options from --help, the values of options that have a few, then files.
_dbfs_complete() {
    local program=$1 word=$2 before=$3 values='' help
    [ "$before" != = ] || before=${COMP_WORDS[COMP_CWORD - 2]}
    [ "$word" != = ] || word=''
    case $before in
    --direction)
        [ "$program" != edgeconv ] || values='once symmetric directed'
        [ "$program" != dbfs-dataset ] || values='once directed symmetric'
        [ "$program" != dbfs ] || values='once symmetric directed auto push pull cost'
        ;;
    --backend) values='auto cpu cuda' ;;
    --encoding) values='auto raw packed' ;;
    --rows) values='out out,in' ;;
    --masks) values='hosts flat slices' ;;
    --words) values='dense sparse' ;;
    --form) values='auto list bits' ;;
    --messages) values='direct gathered merged' ;;
    --counts) values='all sums' ;;
    --to)
        values='edges text u32 u64 graph500 sg'
        [ "$program" != dbfs-dataset ] || values='download edges split shards'
        ;;
    --from) values='auto pairs csv adjacency adjlist mtx metis lgl gr pace lg edges sg npy npz webgraph graph500 graph500-16 u32 u64 wdc-index' ;;
    --separator) values='blank comma tab semicolon bar' ;;
    --comments) values='none' ;;
    --suggest) values='time memory' ;;
    --for) values='gpu cpu both' ;;
    --links) values='auto peer host network' ;;
    --clock) values='search answer' ;;
    --format) values='edges text graph500 u32 u64' ;;
    --bridges) values='chain' ;;
    --stencil) values='5 9 7 27' ;;
    esac
    # --help=all lists all options, and words to choose from as a|b|c.
    help=$("$program" --help=all 2>/dev/null)
    # The word before becomes part of a program of sed, so only an option may.
    [ -n "$values" ] || [[ ! $before =~ ^--?[A-Za-z0-9@][A-Za-z0-9-]*$ ]] || values=$(sed -n "s/^ .*$before \\([a-z0-9]*|[a-z0-9|]*\\).*/\\1/p" <<<"$help" | head -n 1 | tr '|' ' ')
    if [ -z "$values" ] && [[ $word == -* ]]; then
        values=$(grep -oE '(^|[ ,(|])--[a-z0-9][a-z0-9-]*|(^|[ ,])-[A-Za-z@][ ,]' <<<"$help" | tr -d ' ,(|' | sort -u)
    fi
    if [ -n "$values" ]; then
        mapfile -t COMPREPLY < <(compgen -W "$values" -- "$word")
    else
        mapfile -t COMPREPLY < <(compgen -f -- "$word")
        compopt -o filenames 2>/dev/null
    fi
}
complete -F _dbfs_complete dbfs dbfs-batch dbfs-check dbfs-components dbfs-dataset dbfs-diameter dbfs-graph500 dbfs-model dbfs-pack dbfs-paths dbfs-report dbfs-traverse dbfs-traverse-2d degsplit edgeconv rmatgen
