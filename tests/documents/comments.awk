# SPDX-License-Identifier: MIT
# The comments of a C file, or with -v want=code what is no comment.
{
    line = $0
    while (length(line)) {
        i = index(line, inside ? "*/" : "/*")
        part = i ? substr(line, 1, i - 1) : line
        if (inside == (want != "code"))
            print part
        if (!i)
            break
        line = substr(line, i + 2)
        inside = !inside
    }
}
