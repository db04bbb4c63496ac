# Deals source files to batches that are compiled as one file each (a unity build), and prints a line "BATCH PATH" for each.
#
#   awk -v size=8 -v apart=/folder/ -f batches.awk HEADERS... SOURCES...
#
# Files of a batch see each other's unnamed namespaces. A file therefore never joins a batch in which a name of its own is
# declared too, and stays alone (it gets no line) where such a name is also a type or constant of a header's, or where it defines
# a macro or operator new. A name is what a line at the margin declares. A file joins the first batch with room, so that
# neighbours by path stay together; those whose path matches `apart` join no others.

function declared(line) {
    sub(/^template *<.*> */, "", line)
    sub(/ *\/\/.*/, "", line)
    if (line ~ /^(struct|class|enum|union|using) /) {
        sub(/^(enum +(class|struct)|struct|class|enum|union|using) +/, "", line)
    } else {
        # What stands before the first bracket or equals sign.
        if (!match(line, /[A-Za-z_][A-Za-z_0-9]*(\[[^]]*\])? *[(={;]/)) return ""
        line = substr(line, RSTART)
    }
    # Capitals alone are a macro, such as TEST.
    return match(line, /^[A-Za-z_][A-Za-z_0-9]*/) && substr(line, 1, RLENGTH) ~ /[a-z]/ ? substr(line, 1, RLENGTH) : ""
}

function deal(    batch, name, fits) {
    if (path == "" || path ~ /\.h$/ || alone) return
    for (batch = 1; batch <= batches; ++batch) {
        fits = members[batch] < size && is_apart[batch] == (path ~ apart)
        for (name in own) if ((batch, name) in taken) fits = 0
        if (fits) break
    }
    if (batch > batches) {
        batches = batch
        is_apart[batch] = path ~ apart
    }
    ++members[batch]
    for (name in own) taken[batch, name] = 1
    print batch, path
}

FNR == 1 {
    deal()
    path = FILENAME
    delete own
    unnamed = alone = 0
}
/^# *define/ || /^void\* operator new/ { alone = 1 }
/^namespace \{/ { unnamed = 1; next }
/^\}  \/\/ namespace$/ { unnamed = 0 }
/^[A-Za-z_]/ && (unnamed || path ~ /\.h$/) {
    name = declared($0)
    if (name == "") next
    if (path ~ /\.h$/) {
        if ($0 ~ /^(struct|class|enum|union|using) / || $0 ~ /^[^(]*[={]/) of_headers[name] = 1
    } else {
        own[name] = 1
        if (name in of_headers) alone = 1
    }
}
END { deal() }
