#!/bin/sh
# make-wordnet.sh: makes datasets/wordnet-3.0.txt, the graph of WordNet 3.0, from the database files
# of Debian's package wordnet-base.
#
# Vertices are the synsets (sets of synonyms) of all four parts of speech, numbered from 0 in the
# order of the files: nouns, verbs, adjectives, adverbs. An edge joins two synsets if either points
# to the other (is-a, part-of, antonym, derivation, topic, ...; the kind is dropped). Each unordered
# pair is written once, smaller id first, in ascending order. The few synsets that point to
# themselves get no loop. The output depends only on the four files.
set -eu
LC_ALL=C
export LC_ALL

prog=make-wordnet.sh
here=$(cd "$(dirname "$0")" && pwd)
shipped=$here/../datasets/wordnet-3.0.txt
parts='noun verb adj adv'
dict='' out='' action=graph tmp=''

# For awk: counts are written in hexadecimal (words) and with leading zeros (pointers), which some
# awks take for octal.
number='function number(s, base,    i, value) {
    value = 0
    for (i = 1; i <= length(s); i++)
        value = base * value + index("0123456789abcdef", substr(s, i, 1)) - 1
    return value
}'

usage() {
    cat <<EOF
usage: scripts/make-wordnet.sh [-d DICTDIR] [-o FILE] [--check | --names]
  -d DICTDIR  where data.noun, data.verb, data.adj and data.adv are; without it /usr/share/wordnet,
              or else the package wordnet-base is downloaded and unpacked for this run only
  -o FILE     where to write (default: standard output)
  --check     make the graph and compare it with datasets/wordnet-3.0.txt; exit 4 if they differ
  --names     write 'id<TAB>part of speech<TAB>words' for each vertex instead of the graph
EOF
}

. "$here/../tools/report/outfile.sh"

die() { # STATUS MESSAGE
    status=$1
    shift
    echo "$prog: $*" >&2
    exit "$status"
}

parse_options() {
    while [ $# -gt 0 ]; do
        case $1 in
        -d | -o)
            [ $# -ge 2 ] || die 2 "$1: needs an argument"
            if [ "$1" = -d ]; then dict=$2; else out=$2; fi
            shift
            ;;
        --check) action=check ;;
        --names) action=names ;;
        -h | --help) usage && exit 0 ;;
        *) die 2 "$1: unknown argument (see --help)" ;;
        esac
        shift
    done
}

# This needs neither root nor an installation; apt-get checks the package's signature and sum.
download_dict() {
    echo "$prog: downloading Debian's wordnet-base" >&2
    (cd "$tmp" && apt-get -qq -o APT::Sandbox::User=root download wordnet-base >&2 &&
        dpkg -x wordnet-base_*.deb deb) ||
        die 1 'wordnet-base: cannot download it: try "apt-get update", or install the package'
    dict=$tmp/deb/usr/share/wordnet
}

find_dict() {
    if [ -z "$dict" ]; then
        dict=/usr/share/wordnet
        [ -r $dict/data.noun ] || download_dict
    fi
    for part in $parts; do
        [ -r "$dict/data.$part" ] || die 1 "$dict/data.$part: cannot read it"
    done
}

# A line of data.*: offset lexfile type words {word sense}... pointers {symbol offset type words}...
# An offset names a synset within its own file only, and type "s" lives in the file of "a".
edges() {
    files=''
    for part in $parts; do
        files="$files data.$part"
    done
    # shellcheck disable=SC2086
    (cd "$dict" && awk "$number"'
        function key(type, offset) { return (type == "s" ? "a" : type) offset }
        function bad(why) {
            print "make-wordnet.sh: " FILENAME ": line " FNR ": " why | "cat >&2"
            exit 3
        }
        /^  / { next }
        pass == 1 { id[key($3, $1)] = n++; next }
        {
            me = id[key($3, $1)]
            at = 5 + 2 * number($4, 16)
            if ($at !~ /^[0-9][0-9][0-9]$/) bad("no pointer count in field " at)
            for (count = number($at, 10); count > 0; count--) {
                target = key($(at + 3), $(at + 2))
                at += 4
                if (!(target in id)) bad("points to " target ", which does not exist")
                other = id[target]
                if (me < other) print me "\t" other
                if (me > other) print other "\t" me
            }
        }' pass=1 $files pass=2 $files >"$tmp/pairs") || die 3 "$dict: not usable"
    sort -n -k1,1 -k2,2 -u "$tmp/pairs"
}

names() {
    for part in $parts; do
        sed "/^  /d; s/^/$part /" "$dict/data.$part"
    done | awk "$number"'
        {
            line = (NR - 1) "\t" $1 "\t" $6
            for (i = 1; i < number($5, 16); i++)
                line = line " " $(6 + 2 * i)
            print line
        }'
}

# The licence must be on each copy, so it stands in the file. It is the numbered lines at the head of the database.
graph() {
    edges >"$tmp/edges"
    nodes=$(cd "$dict" && cat data.noun data.verb data.adj data.adv | grep -c -v '^  ')
    cat <<EOF
# Undirected graph (each unordered pair of nodes is saved once): wordnet-3.0.txt
# WordNet 3.0: nodes are synsets (nouns, verbs, adjectives, adverbs, in file order); an edge is a
# pointer of any kind between two synsets; loops dropped. Made from Debian's wordnet-base by
# scripts/make-wordnet.sh. The licence of WordNet:
#
EOF
    sed -n '/^  /s/^ *[0-9][0-9]* */# /p' "$dict/data.noun" | sed 's/ *$//'
    echo '#'
    echo "# Nodes: $nodes Edges: $(($(wc -l <"$tmp/edges")))"
    echo '# FromNodeId	ToNodeId'
    cat "$tmp/edges"
}

write_out() {
    if [ -z "$out" ]; then give <"$tmp/made"; else put_file "$out" <"$tmp/made"; fi
}

parse_options "$@"
tmp=$(realpath -- "$(mktemp -d)")
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM
find_dict
if [ $action = names ]; then
    names >"$tmp/made"
else
    graph >"$tmp/made"
fi
if [ $action = check ]; then
    cmp "$tmp/made" "$shipped" >&2 || die 4 "$shipped: is not what $dict gives"
    echo "$prog: identical to datasets/wordnet-3.0.txt"
else
    write_out
fi
