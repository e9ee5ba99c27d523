#!/bin/bash
# edgeconv-quotes.sh: quoted fields (RFC 4180), and ids that programs write as real numbers: what R and pandas make.
set -u
. tests/lib.sh
edgeconv=$(realpath "$BIN/edgeconv")
here=$PWD
. tests/edge_lists.sh
cd "$tmp" || exit 1

# bad NAME CONTENT PATTERN OPTION...: expects exit 3 and PATTERN in the message
bad() {
    printf -- "$2" >in.txt
    check_exit 3 "$1" "$edgeconv" -t text --force "${@:4}" in.txt
    check_says "$3"
}

# ---- quotes ----

two='10\t20\n20\t30\n'
edges 'ids in quotes' '"10","20"\n"20","30"\n' "$two"
edges 'ids in quotes, with blanks between' '"10" "20"\n"20" "30"\n' "$two"
edges 'ids in quotes, with tabs between, CR LF' '"10"\t"20"\r\n"20"\t"30"\r\n' "$two"
edges 'one id in quotes' '"10",20\n20,30\n' "$two"
edges 'quotes and weights' '"10","20","0.5"\n"20","30",1\n' "$two"
edges 'write.csv of R' '"","source","target"\n"1",10,20\n"2",20,30\n' "$two"
edges 'write.csv of R, names of any kind' '"","a","b"\n"1",10,20\n"2",20,30\n' "$two"
edges 'an id column in quotes' '"id","source","target"\n"1","10","20"\n"2","20","30"\n' "$two"
edges 'a text with commas' 'label,source,target\n"a, b",10,20\n"c ""d"", e",20,30\n' "$two"
edges 'a text with ends of lines' 'label,source,target\n"a\nb,1,2\n",10,20\n"c\r\nd",20,30\n' "$two"
edges 'a text with ends of lines behind the ids' 'source,target,label\n10,20,"a\n7,8,9"\n20,30,c\n' "$two"
edges 'a text with a quote within' 'label,source,target\n5" disk,10,20\n6" disk,20,30\n' "$two"
edges 'names of columns with commas' '"a,b",source,"target"\nx,10,20\n"y,",20,30\n' "$two"
edges 'semicolons' '"source";"target";"t"\n10;20;"a;b"\n20;30;"c"\n' "$two" --separator ';'
edges 'a quoted text in a list of blanks' '10 20 "a b"\n20 30 "c d"\n' "$two" --columns 1,2
csv='"from","to"\n"New York","Washington, DC"\n"Washington, DC","say ""hi"""\n'
named 'names with commas and quotes' "$csv" '0\t1\n1\t2\n' 'New York\nWashington, DC\nsay "hi"\n' -f csv
named 'names in quotes where they must be, as pandas writes them' 'from,to\nNew York,"Washington, DC"\n"Washington, DC",New York\n' \
    '0\t1\n1\t0\n' 'New York\nWashington, DC\n' -f csv
named 'one name with and without quotes' 'from,to\n"al",bo\nal,"bo"\n' '0\t1\n0\t1\n' 'al\nbo\n' -f csv
named 'names in quotes without names of columns' '"New York","Bonn"\n"Bonn","Oslo"\n' '0\t1\n1\t2\n' 'New York\nBonn\nOslo\n' -f pairs
named 'write.table of R' '"New York" "Bonn"\n"Bonn" "Oslo"\n' '0\t1\n1\t2\n' 'New York\nBonn\nOslo\n' -f pairs
named 'titles that hold quotes, with tabs between' '"Heroes"\tHeroes\n"Heroes"_(song)\t"Heroes"\n' '0\t1\n2\t0\n' \
    '"Heroes"\nHeroes\n"Heroes"_(song)\n' -f pairs
named 'a quote within a name' '5" disk,al\n6" disk,al\n' '0\t1\n2\t1\n' '5" disk\nal\n6" disk\n' -f pairs
bad 'a name with the end of a line' 'from,to\nal,"b\no"\n' 'in.txt:2: found .*expected a name without the end of a line' -f csv --compact=x.map
bad 'a quote that does not end' 'label,source,target\na,10,20\n"b,20,30\n' 'in.txt:3: found .*expected a quote at the end of the field'
bad 'text behind a quote' 'label,source,target\na,10,20\n"b" c,20,30\n' 'in.txt:3: found .*expected a quote at the end of the field'
bad 'a fault behind a text of three lines has its line' 'label,source,target\n"a\nb\nc",10,20\nd,x,1\n' "in.txt:5: found 'x'"
{ echo source,target,text && seq 150000 | awk '{ print $1 % 977 "," $1 % 1009 ",\"line " $1 "\n1,2,3\"\"\"" }'; } >long.csv
awk 'BEGIN { for (i = 1; i <= 150000; i++) print i % 977 "\t" i % 1009 }' >want
for threads in 1 3; do
    "$edgeconv" -q -@ $threads -t text long.csv >got
    check "line breaks within quotes, in many pieces, $threads threads, give the same edges" cmp want got
    "$edgeconv" -q -@ $threads -t text <long.csv >got
    check "line breaks within quotes of a pipe, $threads threads, give the same edges" cmp want got
done

# ---- ids written as real numbers ----

edges '1e+05 of R is 100000' '100001 2\n2 3\n3 1e+05\n100000 7\n' '100001\t2\n2\t3\n3\t100000\n100000\t7\n'
edges 'real numbers of other programs' '1.0 2.000\n3e5,1.5E+06\n1.23e+08 1.0E7\n' '1\t2\n300000\t1500000\n123000000\t10000000\n'
edges 'the %%.18e of numpy.savetxt' '1.200000000000000000e+01 0.000000000000000000e+00\n' '12\t0\n'
edges 'in columns' 'w,source,target\n1,1e+05,2.0\n' '100000\t2\n'
edges 'in lists of neighbours' '1 1e+05 2.0\n' '1\t100000\n1\t2\n' -f adjlist
named '1e+05 and 100000 are one name' '100001 2\n2 3\n3 1e+05\n100000 7\n' '0\t1\n1\t2\n2\t3\n3\t4\n' '100001\n2\n3\n100000\n7\n'
named 'and in lists of friends' '1:1e+05\n100000:2\n' '0\t1\n1\t2\n' '1\n100000\n2\n'
named 'but 1e5 may be a word' '1e5 100000\n12e4 1.0\n' '0\t1\n2\t3\n' '1e5\n100000\n12e4\n1.0\n' -f pairs
for id in 1.23457e+08 2.14748e+09 1.234e+06; do
    bad "an id that may be rounded: $id" "1 $id\n" "found '$id', expected an id with all its digits.*options(scipen = 99)"
done
bad 'and as a name' '1 2.14748e+09\n' "found '2.14748e+09', expected an id with all its digits" --compact=x.map
for id in 1.5 1e-3 1e 1e+ .5 5.; do
    if [ $id = 5. ]; then
        edges 'a whole number with a point' '1 5.\n' '1\t5\n'
    else
        bad "no whole number: $id" "1 $id\n" "found '$id', expected a vertex id"
    fi
done
bad 'a number that is too large' '1 1e+30\n' "found '1e+30', expected a vertex id"
if command -v python3 >/dev/null && python3 -c 'import pandas' 2>/dev/null; then
    python3 -c '
import pandas
t = pandas.DataFrame({"from": ["a, b", "c \"d\"", "e\nf"], "to": ["g", "a, b", "g"], "n": [1, 2, 3]})
t[:2].to_csv("names.csv")
pandas.DataFrame({"text": t["from"], "u": [1.0, 2.0, 3.0], "v": [2, 3, 4]}).to_csv("numbers.csv", index=False)'
    check 'what pandas writes: numbers' test "$("$edgeconv" -q -t text numbers.csv)" = "$(printf '1\t2\n2\t3\n3\t4')"
    check 'what pandas writes: names' test "$("$edgeconv" -q -f csv --force --compact=got.map -t text names.csv)" = "$(printf '0\t1\n2\t0')"
    check 'names that pandas writes are in the map as they are' test "$(cat got.map)" = "$(printf 'a, b\ng\nc "d"')"
else
    skip 'what pandas writes: no pandas'
fi
cd "$here" || exit 1
finish
