# SPDX-License-Identifier: MIT
# The lecture texts as data of the program, so that `rigor read` finds them wherever it is installed:
#     awk -f embed.awk naive.c pgs.c ...   prints a C file (bench/text/lecture.h).
function quoted(text) {
    gsub(/\\/, "\\\\", text)
    gsub(/"/, "\\\"", text)
    return "\"" text "\""
}
BEGIN {
    print "/* Made from solvers/lecture/. */"
    print "#include \"bench/text/lecture.h\""
    count = 0
}
FNR == 1 {
    if (count > 0)
        print "    NULL};"
    name = FILENAME
    sub(/.*\//, "", name)
    sub(/\.c$/, "", name)
    names[count++] = name
    print "\nstatic const char *const " name "_lines[] = {"
}
FNR == 1 && /SPDX/ { next } # a text begins with its header
{ print "    " quoted($0) "," }
END {
    if (count > 0)
        print "    NULL};"
    print "\nconst LectureText lecture_texts[] = {"
    for (i = 0; i < count; i++)
        print "    {" quoted(names[i]) ", " quoted("solvers/lecture/" names[i] ".c") ", " names[i] "_lines},"
    print "    {NULL, NULL, NULL},\n};"
}
