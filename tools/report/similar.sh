# similar.sh: names the options that a user may have meant by one that a script does not have

# did_you_mean OPTION, HELP on standard input: prints " (did you mean --A or --B?)" for the options of the text HELP that OPTION
# begins, or else for those with the fewest other letters, 2 at most (formats/base/similar.h). Prints nothing if there are none.
did_you_mean() {
    WORD=${1%%=*} awk '
function smaller(a, b) { return a < b ? a : b }
function letters_between(a, b,   row, diagonal, replaced, i, j) { # by the table of Levenshtein
    for (j = 0; j <= length(b); j++) row[j] = j
    for (i = 1; i <= length(a); i++) {
        diagonal = row[0]
        row[0] = i
        for (j = 1; j <= length(b); j++) {
            replaced = diagonal + (substr(a, i, 1) != substr(b, j, 1))
            diagonal = row[j]
            row[j] = smaller(replaced, 1 + smaller(row[j], row[j - 1]))
        }
    }
    return row[length(b)]
}
BEGIN { word = ENVIRON["WORD"]; least = 2 }
word ~ /^--[^-]/ {
    while (match($0, /--[a-z0-9][a-z0-9-]*/)) {
        option = substr($0, RSTART, RLENGTH)
        $0 = substr($0, RSTART + RLENGTH)
        if (seen[option]++) continue
        letters = index(option, word) == 1 ? 0 : letters_between(word, option)
        if (letters > least || letters > length(word) - 3) continue
        if (letters < least) said = ""
        least = letters
        said = said (said == "" ? "" : " or ") option
    }
}
END { if (said != "") print " (did you mean " said "?)" }'
}
