# include.awk: makes one script of several files: a line `@include FILE` becomes the file, and @VERSION@ the version. So does a
# line that ends in `# @include FILE`, of a script that also runs as it is and then reads the file.
#
#   awk -v version=VERSION -f scripts/include.awk SCRIPT
NF > 1 && $(NF - 1) == "@include" {
    for (lines = 0; (got = (getline line <$NF)) > 0; lines++) print line
    if (got < 0 || lines == 0) {
        print "include.awk: " $NF ": cannot read" >"/dev/stderr"
        exit 1
    }
    close($NF)
    next
}
{ gsub(/@VERSION@/, version); print }
