# sizes.awk: measures structs and parameter lists: prints lines "members N STRUCT FILE" and "parameters N FUNCTION
# FILE".
#
# It reads C and CUDA files in the style of this tree: a struct of the file's own begins with "struct NAME {" and ends
# with "};" in the first column; a function is declared from the first column on, and "{" or ";" ends its declaration.

FNR == 1 { members = -1; head = "" }

{
    line = $0
    gsub(/\/\*.*\*\//, "", line)
    if (comment) {
        if (line !~ /\*\//) next
        sub(/.*\*\//, "", line); comment = 0
    }
    if (line ~ /\/\*/) { sub(/\/\*.*/, "", line); comment = 1 }
    sub(/\/\/.*/, "", line)
}

members < 0 && line ~ /^(typedef )?struct (__align__\([0-9]+\) )?[a-z_0-9]+ \{/ {
    name = line; sub(/^(typedef )?struct (__align__\([0-9]+\) )?/, "", name); sub(/ .*/, "", name)
    members = 0; depth = 1
    next
}

members >= 0 {
    while (gsub(/\([^()]*\)/, "", line)) ; # parameters of functions are no members of the struct
    opened = gsub(/\{/, "{", line); closed = gsub(/\}/, "}", line)
    if (depth == 1 && line ~ /;/ && closed == opened) members += gsub(/,/, ",", line) + 1
    depth += opened - closed
    if (depth == 0) { print "members", members, name, FILENAME; members = -1 }
    next
}

# the declaration of a function, over one line or more
line ~ /^[a-z].*[ *][a-z_0-9]+\(/ && line !~ /^(return|typedef|else|do|if|for|while|switch|enum [a-z_]* \{)/ { head = line; open_head = 1 }
line !~ /^[a-z].*[ *][a-z_0-9]+\(/ && open_head { head = head " " line }
open_head && head ~ /\)[ ]*(\{.*|;.*)?$/ && gsub(/\(/, "(", head) == gsub(/\)/, ")", head) {
    name = head; sub(/\(.*/, "", name); sub(/.*[ *]/, "", name)
    list = head; sub(/^[^(]*\(/, "", list); sub(/\)[^)]*$/, "", list)
    while (gsub(/\([^()]*\)/, "", list)) ;
    print "parameters", (list ~ /^ *(void)? *$/ ? 0 : gsub(/,/, ",", list) + 1), name, FILENAME
    open_head = 0
}
