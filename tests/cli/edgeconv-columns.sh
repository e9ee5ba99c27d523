#!/bin/bash
# edgeconv-columns.sh: lists of more than two columns. The ids are found by column names, by --columns and by place,
# the separator by --separator and by the lines. A list that can be read in two ways is refused.
set -u
. tests/lib.sh
edgeconv=$(realpath "$BIN/edgeconv")
here=$PWD
. tests/edge_lists.sh
cd "$tmp" || exit 1

# asks CODE NAME CONTENT PATTERN OPTION...: expects a refusal with PATTERN in its message and no output
asks() {
    local code=$1 name=$2 pattern=$4
    printf -- "$3" >in.txt
    check_exit "$code" "$name" "$edgeconv" --force -o x.edges "${@:5}" in.txt
    check_says "$pattern"
    check "$name: no output" test ! -e x.edges
}
# heals NAME CONTENT WANT: the command in the message gives the edges WANT
heals() {
    local name=$1 command
    printf -- "$2" >in.txt
    "$edgeconv" --force -o x.edges in.txt 2>err </dev/null
    command=$(sed -n 's/^edgeconv: .*`\(.*\)`.*/\1/p' err)
    mkdir -p advice && cp in.txt advice/FILE
    check "$name: the advice of the message works: $command" test -n "$command" -a "$(cd advice &&
        PATH=$(dirname "$edgeconv"):$PATH bash -o pipefail -c "${command/edgeconv/edgeconv -q -t text}" 2>&1)" = "$(printf "$3")"
}

# neighbours NAME CONTENT WANT: the list is refused, and -f adjlist, which the message names, gives the edges WANT
neighbours() {
    asks 3 "$1" "$2" '-f adjlist'
    edges "$1: -f adjlist" "$2" "$3" -f adjlist
}

# ---- columns by their names ----

two='10\t20\n30\t40\n'
for names in id,source,target ID,Source,Target x,src,dst x,from,to x,u,v w,node1,node2 w,node_1,node_2 w,id1,id2 w,start,end \
    w,source_id,target_id w,sourceId,targetId w,FromNodeId,ToNodeId w,head,tail '"id","source","target"' ' id , source , target' \
    ,source,target w,:START_ID,:END_ID w,from_node,to_node; do
    edges "names of columns: $names" "$names\n1,10,20\n2,30,40\n" "$two"
    edges "names of columns, CRLF: $names" "$names\r\n1,10,20\r\n2,30,40\r\n" "$two"
done
for names in source,w,target source,target,w; do
    edges "$names" "$names\n10,20,20\n30,40,40\n" "$two"
done
edges 'names with tabs' 'id\tsource\ttarget\n1\t10\t20\n2\t30\t40\n' "$two"
edges 'names with blanks' 'id source  target\n 1 10 20\n2  30 40 \n' "$two"
edges 'names behind tabs, the first missing' '\tsource\ttarget\n0\t10\t20\n1\t30\t40\n' "$two"
edges 'names and words beside the ids' 'label source target\nfoo 10 20\nbar 30 40\n' "$two"
edges 'the target before the source' 'target,source\n20,10\n40,30\n' "$two"
edges 'target, weight, source' 'target,w,source\n20,1,10\n40,2,30\n' "$two"
edges 'head and tail keep their order' 'tail,w,head\n10,1,20\n30,2,40\n' "$two"
edges 'source and target go before other pairs' 'source,target,start,end\n10,20,1,2\n30,40,5,6\n' "$two"
edges 'more than four columns, of any kind' \
    'Source,Target,Type,Id,Label,Weight\n10,20,Directed,0,,1.0\n30,40,Directed,1,a b,x\n' "$two"
edges 'ids in quotes' 'id,source,target\n1,"10","20"\n2,"30",40\n' "$two"
edges 'two columns of unusual names' 'a,b\n10,20\n30,40\n' "$two"
edges 'two columns with another separator than their names' 'from to\n10,20\n30\t40\n' "$two"
edges 'three columns with another separator than their names' 'source,target,w\n10 20 1\n30\t40 2\n' "$two"
edges 'three columns with commas under names with blanks' 'source target w\n10,20,1\n30,40,2\n' "$two"
edges 'names in a comment' '# id source target\n1 10 20\n2 30 40\n' "$two"
edges 'names in a comment, tabs' '# a graph\n#id\tsource\ttarget\n1\t10\t20\n2\t30\t40\n' "$two"
edges 'a comment that only looks like it' '# from source to target\n10 20 1\n30 40 1\n' "$two"
edges 'names over many pieces' "id,source,target\n$(seq 200000 | awk '{ print $1 ",10," 20 }')\n" \
    "$(seq 200000 | awk '{ print "10\\t20" }')\n"
named 'words by names' 'id,source,target\n1,al b,bo\n2,bo,cy\n' '0\t1\n1\t2\n' 'al b\nbo\ncy\n' -f csv
named 'words by names, the second first' 'target,w,source\nbo,1,al\ncy,1,bo\n' '0\t1\n1\t2\n' 'al\nbo\ncy\n' -f csv
printf 'id,source,target\n1,10,20\n' >in.txt
check_exit 0 'edgeconv: names of columns choose the columns' "$edgeconv" -t text in.txt
check_says 'in.txt: columns 2 and 3 are the ids of each edge'
asks 3 'three names that are not known' 'a,b,weight\n1,2,3\n' "in.txt:1: found the columns 'a,b,weight'.*such as --columns 1,2"
edges 'names that are not known, behind numbers of rows without one' ',a,b\n0,10,20\n1,30,40\n' "$two"
edges 'numbers for names, as pandas gives them' ',0,1\n0,10,20\n1,30,40\n' "$two"
asks 3 'the first one missing, before no numbers of rows' ',a,b\n7,1,2\n3,2,3\n' 'such as --columns 2,3'
asks 3 'a matrix with names' ',a,b\na,0,1\nb,1,0\n' 'such as --columns 2,3' -f csv
asks 3 'two pairs of names' 'source,target,from,to\n1,2,3,4\n' 'found the columns .*--columns'
asks 3 'two sources' 'source,src,target\n1,2,3\n' 'found the columns .*--columns'
asks 3 'names that are not known, in quotes' '"a","b","w"\n0,7,1\n' 'such as --columns 1,2'
asks 3 'an id that is missing' 'id,source,target\n1,10,20\n2,,40\n' "in.txt:3: found ',40', expected a vertex id"
asks 3 'a line of fewer columns' 'id,source,target,x\n1,10,20,0\n2,30,40\n' 'in.txt:3: found the end of the line, expected 4 columns, as line 1 has'
asks 3 'a line of more columns' 'id,source,target\n1,10,20\n2,30,40,9\n' "in.txt:3: found '9', expected 3 columns, as line 1 has"
asks 3 'a number with blanks behind' 'id,source,target\n1,10 7,20\n' "in.txt:2: found ' 7', expected a vertex id"
asks 3 'a word among numbers' 'id,source,target\n1,10,20\n2,x,40\n' "in.txt:3: found 'x', expected a vertex id"
asks 3 'names of R, with numbers of rows that have none' '"source" "target"\n"1" 10 20\n"2" 30 40\n' \
    'in.txt:2: found 3 columns, expected 2 as line 1 names: if the first'
heals 'numbers of rows' '"source" "target"\n"1" 10 20\n"2" 30 40\n' "$two"
heals 'numbers of rows, names of any kind' 'a,b\n1,10,20\n2,30,40\n' "$two"
heals 'a comma behind each line' '# c\nsource,target\n10,20,\n30,40,\n' "$two"

# ---- columns by --columns ----

edges '--columns 2,3' '1 10 20\n2 30 40\n' "$two" --columns 2,3
edges '--columns 3,2' '1 20 10\n2 40 30\n' "$two" --columns=3,2
edges '--columns with commas' '1,10,20\n2,30,40\n' "$two" --columns 2,3
edges '--columns with tabs' 'x\t10\t20\ny\t30\t40\n' "$two" --columns 2,3
edges '--columns with tabs and empty columns' '\t10\t\t20\n\t30\t\t40\n' "$two" --columns 2,4
edges '--columns with commas and empty columns' ',10,,20\n,30,,40\n' "$two" --columns 2,4
edges '--columns beside words with blanks' '10\t20\tNew York\n30\t40\tSan Jose\n' "$two" --columns 1,2
edges '--columns beside words of which the first lines have no blanks' \
    "$(seq 600 | awk '{ print "10\\t20\\tYork" }')\n30\t40\tNew York\n" "$(seq 600 | awk '{ print "10\\t20" }')\n30\t40\n" --columns 1,2
edges '--columns of nine columns' 'a b c d e f 10 g 20\na b c d e f 30 g 40\n' "$two" --columns 7,9
edges '--columns of a list with names' 'a,b,w\n1,10,20\n2,30,40\n' "$two" --columns 2,3
edges '--columns goes before names that are known' 'source,target,w\n10,1,20\n30,2,40\n' "$two" --columns 1,3
edges '--columns by names' 'a,b,w\n20,1,10\n40,2,30\n' "$two" --columns w,a
edges '--columns by names, as they are written' '"A x","b","w"\n20,1,10\n40,2,30\n' "$two" --columns 'W,a X'
edges '--columns by a name and a number' 'a,b,w\n20,1,10\n40,2,30\n' "$two" --columns w,1
edges '--columns of numbers in any order of separators' '10 20,3\n30 40,1\n' "$two" --columns 1,2
edges '--columns of two columns' '20 10\n40 30\n' "$two" --columns 2,1
edges '--columns in a gzip file of many pieces' "$(seq 300000 | awk '{ print $1 " 10 20" }')\n" \
    "$(seq 300000 | awk '{ print "10\\t20" }')\n" --columns 2,3 -@ 3
named '--columns of words' '1 al bo\n2 bo cy\n' '0\t1\n1\t2\n' 'al\nbo\ncy\n' --columns 2,3
named '--columns of words by names' 'id\tn1\tn2\n1\tal b\tbo\n2\tbo\tcy\n' '0\t1\n1\t2\n' 'al b\nbo\ncy\n' --columns n1,n2
named '--columns of words, with names of columns' 'id\tn1\tn2\n1\tal b\tbo\n2\tbo\tcy\n' '0\t1\n1\t2\n' 'al b\nbo\ncy\n' --columns 2,3 -f csv
asks 2 'words whose first line looks like names' 'id\tn1\tn2\n1\tal b\tbo\n2\tbo\tcy\n' '-f pairs or -f csv says which' --columns 2,3 --compact=x.map
asks 2 'a column that is not there' '1 2 3\n' 'in.txt:1: --columns: found 3 columns, expected a column 4' --columns 1,4
asks 2 'a name that is not there' 'a,b,w\n1,2,3\n' "in.txt:1: --columns: no column is called 'x'" --columns a,x
asks 2 'a name that is there twice' 'a,b,a\n1,2,3\n' "several columns are called 'a'" --columns a,b
asks 2 'names of pairs' '1 2\n' 'has no names of columns' --columns a,b -f pairs
asks 2 'one column twice' 'a,b,w\n1,2,3\n' 'both are column 1' --columns a,1
for columns in 1 1, ,1 1,2,3 '' 0,1 1,513 1,99999999999999999999; do
    asks 2 "--columns '$columns'" '1 2\n' "edgeconv: --columns: .*\(A,B\|between 1 and 512\|is empty\)" --columns "$columns"
done
asks 2 'a format without columns to choose' 'p tw 2 1\n1 2\n' 'in.txt: is of the format pace, and so has no --columns' --columns 1,2
asks 2 'a format given that has none' '1 2\n' '--columns is for lists: -f pairs or csv' --columns 1,2 -f metis
asks 3 'five columns' '1 2 3 4 5\n' 'in.txt:1: found 5 columns.*--columns says which'
"$edgeconv" -q --columns 2,3 --separator comma --force -o p.edges - <<<'1,10,20'
check 'the stream says how it was read' eval 'grep -qa "^columns 2,3" p.edges && grep -qa "^separator comma" p.edges'

printf 'x;10;20\ny;20;30\n' >in.txt
check_exit 0 'dbfs passes both options on' "$(dirname "$edgeconv")/dbfs" -q --no-cache --columns 2,3 --separator=semicolon -r 10 -o - in.txt
check "$situation: distances are those of the columns" test "$(grep -v -e -1 out | tr '\t\n' '  ')" = '10 0 20 1 30 2 '

# ---- separators ----

edges '--separator ;' '10;20\n30 ; 40\r\n' "$two" --separator ';'
edges '--separator semicolon' '10;20\n30;40\n' "$two" --separator semicolon
edges '--separator |' '10|20\n30|40\n' "$two" --separator '|'
edges '--separator bar, with names' 'source|target\n10|20\n30|40\n' "$two" --separator=bar
edges '--separator semicolon, with known names' 'x;source;target\na b;10;20\n,;30;40\n' "$two" --separator=semicolon
edges '--separator blank' '10 20\n30\t40\n' "$two" --separator blank
edges '--separator comma, ids in quotes' '"10","20"\n"30","40"\n' "$two" --separator comma
edges '--separator and --columns' '10;20;0,5\n30;40;1,5\n' "$two" --separator ';' --columns 1,2
asks 3 'numbers with another separator' '1 2\n3 4\n' 'in.txt:1: found one column, expected two (--separator)' --separator comma
asks 3 'another separator in one line' '1,2\n3 4\n' "in.txt:2: found ' 4', expected a vertex id" --separator comma
asks 3 'a third column of words' '1;2;x\n' "in.txt:1: found 'x', expected a number" --separator ';'
asks 2 'no such separator' '1 2\n' "'x' is not blank, comma, tab, semicolon or bar" --separator x
asks 2 'a format that has none' '%%%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 2\n' 'has no --separator' --separator tab
both='alice,bob smith\ncarl jr,dave\n'
named '--separator comma' "$both" '0\t1\n2\t3\n' 'alice\nbob smith\ncarl jr\ndave\n' -f pairs --separator comma
named '--separator blank' 'alice,bob smith\ncarl,x dave\n' '0\t1\n2\t3\n' 'alice,bob\nsmith\ncarl,x\ndave\n' -f pairs --separator blank
named '--separator tab' 'al b\tbo\nbo\tcy, d\n' '0\t1\n1\t2\n' 'al b\nbo\ncy, d\n' --separator tab
named '--separator bar' 'al b|bo;c\nbo;c|cy, d\n' '0\t1\n1\t2\n' 'al b\nbo;c\ncy, d\n' --separator bar
named '--separator semicolon' 'al;bo c;0.5\nbo c;cy;1\n' '0\t1\n1\t2\n' 'al\nbo c\ncy\n' --separator ';'
asks 2 'words that two separators part' 'alice,bob smith\n' 'in.txt:1: its words may be separated by blanks or by commas: --separator blank or comma' \
    -f pairs --compact=x.map
asks 2 'words with a tab and a blank' 'al bo\t7\ncy di\t8\n' 'separated by blanks or by tabs: --separator' --compact=x.map
asks 2 'words with a semicolon and a blank' 'a;b c\n' 'separated by blanks or by semicolons: --separator' --compact=x.map
named 'words that one separator parts in all lines: comma' "alice,bob smith\ncarl,dave\n" '0\t1\n2\t3\n' 'alice\nbob smith\ncarl\ndave\n' -f pairs
named 'words that one separator parts in all lines: tab' 'al b\tbo c\nbo c\tcy d\n' '0\t1\n1\t2\n' 'al b\nbo c\ncy d\n'
named 'words that one separator parts in all lines: blank' 'a,b c\nd e\n' '0\t1\n2\t3\n' 'a,b\nc\nd\ne\n' -f pairs
asks 3 'numbers with a blank here and a comma there' '1 2,3\n2 1,3\n' 'in.txt:1: found columns with different separators'
asks 3 'numbers with a tab here and a blank there' '1\t2 3\n2\t1 3\n' 'in.txt:1: found columns with different separators'
neighbours 'neighbours with commas' '1 2,3\n2 1,3\n' '1\t2\n1\t3\n2\t1\n2\t3\n'
neighbours 'neighbours behind a tab' '1\t2 3\n2\t1 3\n' '1\t2\n1\t3\n2\t1\n2\t3\n'
neighbours 'five columns' '# c\n1 2 3 4 5\n2,1\n' '1\t2\n1\t3\n1\t4\n1\t5\n2\t1\n'
neighbours 'as many in each line' '0 1 2\n1 2 3\n2 3 0\n3 0 1\n' '0\t1\n0\t2\n1\t2\n1\t3\n2\t3\n2\t0\n3\t0\n3\t1\n'
neighbours 'one more in the first line' '0 1 2\n1 2\n2 0\n' '0\t1\n0\t2\n1\t2\n2\t0\n'
check 'a first line with a number more is not advised to be left out' test "$(grep -c tail err)" = 0
edges 'a ring with weights is a list of pairs' '0 1 1\n1 2 1\n2 3 1\n3 0 1\n' '0\t1\n1\t2\n2\t3\n3\t0\n'
edges 'and so is a path whose weights are no ids' '0 1 9\n1 2 8\n2 3 7\n' '0\t1\n1\t2\n2\t3\n'
asks 3 'a date behind the ids' '1 2 2020-01-02\n' "in.txt:1: found '-01-02', expected a number: line 1 has 3 columns; --columns says which two"
edges 'a date behind the ids: --columns' '10 20 2020-01-02\n30 40 2020-01-03\n' "$two" --columns 1,2
edges 'an arrow between the ids: --columns' '10 -> 20\n30 -> 40\n' "$two" --columns 1,3
edges 'commas with blanks around are one kind' '10 , 20 ,3\n30,40, 5\n' "$two"
edges 'an edge list of networkx' "10 20 {}\n30 40 {'weight': 3, 'x': [1, 2]}\r\n" "$two"
named 'an edge list of networkx, of words' "al bo {}\nbo cy {'weight': 3}\n" '0\t1\n1\t2\n' 'al\nbo\ncy\n'
asks 3 'attributes that do not end' '1 2 {}\n3 4 {x\n' "in.txt:2: found '{x', expected a number"
asks 3 'lines of neighbours' '0 1 2\n1 2\n2 3 4 5\n3\n' 'in.txt:1: found lines of 3, 2, 4 columns, expected as many in each'
neighbours 'lines of neighbours' '0 1 2\n1 2\n2 3 4 5\n3\n' '0\t1\n0\t2\n1\t2\n2\t3\n2\t4\n2\t5\n'
asks 3 'one line that is not like the others' '0 1\n1 2\n2\n3 4\n5 6 7\n8 9\n1 9\n2 9\n3 9\n' 'in.txt:3: found the end of the line'

# ---- counts in the first line ----

# counted NAME CONTENT FIRST WANT: expects a refusal with two commands, which read it without its first line and with
# it
counted() {
    asks 3 "$1" "$2" "in.txt:[0-9]*: found '$3', and [0-9]* lines behind it, expected an edge"
    heals "$1" "$2" "$4"
    edges "$1: -f pairs" "$2" "$(printf "$3" | awk '{ print $1 "\\t" $2 "\\n" }')$4" -f pairs
}
counted 'Matrix Market without its banner' '3 3 2\n1 2 0.5\n3 1 nan\n' '3 3 2' '1\t2\n3\t1\n'
counted 'Matrix Market without its banner, with comments' '%% c\n3 4 2\n%% d\n1 4 0.5\n3 1 1\n' '3 4 2' '1\t4\n3\t1\n'
counted 'N M' '7 3\n2 3\n1 3\n4 2\n' '7 3' '2\t3\n1\t3\n4\t2\n'
counted 'N M, fewer vertices than edges' '3 4\n0 1\n0 2\n1 2\n2 0\n' '3 4' '0\t1\n0\t2\n1\t2\n2\t0\n'
counted 'N M and a root, with weights' '3 2 1\n1 2 9\n2 3 9\n' '3 2 1' '1\t2\n2\t3\n'
counted 'a path from its far end, which could be N M' '4 3\n3 2\n2 1\n1 0\n' '4 3' '3\t2\n2\t1\n1\t0\n'
asks 3 'N M before words' '3 2\nal bo\nbo cy\n' "found '3 2', and 2 lines" --compact=x.map
{ echo '9999 150000' && seq 150000 | awk '{ print $1 * 7919 % 9999, $1 * 104729 % 9999 }'; } >many.txt
tail -n +2 many.txt | tr ' ' '\t' >want
for input in many.txt -; do
    check_exit 3 "N M before more lines than one looks at, $input" bash -c '"$1" --force -o x.edges -@ 3 "$2" <many.txt' - "$edgeconv" $input
    check_says ":1: found '9999 150000', and 150000 lines"
done
check 'the others are right' eval 'tail -n +2 many.txt | "$edgeconv" -q -t text | cmp - want'
asks 3 'N' '5\n1 2\n2 3\n4 5\n' 'in.txt:1: found 1 number, expected 2 columns'
heals 'N' '# c\n5\n1 2\n2 3\n4 5\n' '1\t2\n2\t3\n4\t5\n'
asks 3 'N M before weights' '5 3\n1 2 9\n2 3 9\n4 5 9\n' 'in.txt:1: found 2 numbers, expected 3 columns'
heals 'N M before weights' '5 3\n1 2 9\n2 3 9\n4 5 9\n' '1\t2\n2\t3\n4\t5\n'
asks 3 'a pattern without its banner' '3 3 2\n1 2\n2 3\n' 'in.txt:1: found 3 numbers, expected 2 columns'
heals 'a pattern without its banner' '3 3 2\n1 2\n2 3\n' '1\t2\n2\t3\n'
# first lines that look like counts and are none
edges 'another number of lines' '7 2\n2 3\n1 3\n4 2\n' '7\t2\n2\t3\n1\t3\n4\t2\n'
edges 'an id above N' '4 3\n2 3\n1 5\n4 2\n' '4\t3\n2\t3\n1\t5\n4\t2\n'
edges 'the ids 0 and N' '4 3\n2 3\n1 0\n4 2\n' '4\t3\n2\t3\n1\t0\n4\t2\n'
edges 'one edge' '1 0\n' '1\t0\n'
edges 'a path from its near end' '0 1\n1 2\n2 3\n' '0\t1\n1\t2\n2\t3\n'
edges 'a star' '3 0\n3 1\n3 2\n' '3\t0\n3\t1\n3\t2\n'
edges 'weights that are no counts' '4 1 3\n2 3 3\n1 3 3\n' '4\t1\n2\t3\n1\t3\n'
edges 'loops that agree with themselves, as no METIS file has them' '3 9\n1 2\n3 2\n3 1\n' '3\t9\n1\t2\n3\t2\n3\t1\n'
edges 'chosen columns' '7 3 3\n2 3 1\n1 3 1\n4 2 1\n' '7\t3\n2\t3\n1\t3\n4\t2\n' --columns 1,2
cd "$here" || exit 1
finish
