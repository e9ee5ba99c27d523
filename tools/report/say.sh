# say.sh: messages of a program in sh; `program` has its name

die() { # STATUS TEXT
    echo "$program: $2" >&2
    exit "$1"
}
usage() { die 2 "$1: see $program --help"; }
need() { [ "$1" -ge 2 ] || usage "$2: its value is missing"; }
