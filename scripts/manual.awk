# One page of the manual, made anew: see scripts/manual. Needs folder (where
# programs and results go) and topics (docs/topics).

function fail(text) {
    printf "%s:%d: %s\n", FILENAME, FNR, text >"/dev/stderr"
    bad = 1
}

# Copies the page's line, as it is, into the open program.
function program_line() {
    if ($0 == "```") {
        close(program)
        program = ""
    } else
        print >program
}

# Runs a command of a console block: made[] gets the command and its output.
function carry_out(command,    line, pipe) {
    made[++lines] = "$ " command
    pipe = "cd '" folder "' && { " command "; } 2>&1"
    while ((pipe | getline line) > 0) {
        sub(/ +$/, "", line)
        made[++lines] = line
    }
    close(pipe)
    said = said " " command
}

# matches(s, m): lines s.. of shown are lines m.. of made; "..." is any lines.
function matches(s, m) {
    for (; s <= shown_lines; s++) {
        if (shown[s] == "...") {
            for (; m <= lines + 1; m++)
                if (matches(s + 1, m))
                    return 1
            return 0
        }
        if (m > lines || shown[s] != made[m])
            return 0
        m++
    }
    return m == lines + 1
}

# The end of a console block: keeps what it shows if that is right, otherwise
# puts what was made.
function console_end(    k) {
    lines = 0
    for (k = 1; k <= shown_lines; k++)
        if (shown[k] ~ /^\$ /)
            carry_out(substr(shown[k], 3))
    if (matches(1, 1))
        for (k = 1; k <= shown_lines; k++)
            print shown[k]
    else
        for (k = 1; k <= lines; k++)
            print made[k]
    print "```"
    console = 0
}

# The names that follow <!-- topics: , or all topics that are not built yet.
function topic_names(    names, line, pipe) {
    names = $0
    sub(/^<!-- topics: */, "", names)
    sub(/ *-->$/, "", names)
    if (names != "not built yet")
        return names
    names = ""
    pipe = "cd '" topics "' && grep -l '^status: ' *.txt"
    while ((pipe | getline line) > 0)
        names = names " " substr(line, 1, length(line) - 4)
    close(pipe)
    return names
}

# The table of the topics that a line <!-- topics: a b c --> names.
function topic_table(    count, name, k, file, line, title) {
    print "| page | about |"
    print "| --- | --- |"
    count = split(topic_names(), name, " ")
    for (k = 1; k <= count; k++) {
        file = topics "/" name[k] ".txt"
        title = ""
        while ((getline line <file) > 0 && title == "")
            if (line ~ /^title: /)
                title = substr(line, 8)
        close(file)
        if (title == "")
            fail("there is no topic " name[k])
        print "| [" name[k] "](../topics/" name[k] ".txt) | " title " |"
    }
}

program != "" { print; program_line(); next }
console {
    if ($0 == "```")
        console_end()
    else
        shown[++shown_lines] = $0
    next
}
table && /^\|/ { next }
{ table = 0; print }
/^```cosy/ {
    if ($2 !~ /^[a-z0-9-]+\.cosy$/) {
        fail("a program needs a name: ```cosy NAME.cosy")
        next
    }
    program = folder "/" $2
    printf "" >program
    named[$2] = 1
}
/^```console$/ { console = 1; shown_lines = 0 }
/^<!-- topics: .* -->$/ { topic_table(); table = 1 }

END {
    if (program != "" || console)
        fail("a block is not closed")
    for (name in named)
        if (index(said, name) == 0)
            fail(name " is not run by a console block")
    exit bad
}
