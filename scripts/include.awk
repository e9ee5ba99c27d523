# include.awk: makes one script of several files: a line `@include FILE` becomes the file, and @VERSION@ the version
#
#   awk -v version=VERSION -f scripts/include.awk SCRIPT
$1 == "@include" {
    for (lines = 0; (got = (getline line <$2)) > 0; lines++) print line
    if (got < 0 || lines == 0) {
        print "include.awk: " $2 ": cannot read" >"/dev/stderr"
        exit 1
    }
    close($2)
    next
}
{ gsub(/@VERSION@/, version); print }
