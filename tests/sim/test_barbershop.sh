#!/bin/sh
# The two barbershops of examples/, by events and by processes, with the same
# seeds: every one of 2000 customers comes, waits and leaves at the same times,
# to the last of 17 digits. A line that prints them is put into both models.
set -u
cosy=${COSY_PROGRAM:?}
examples=${COSY_EXAMPLES:?}
work=$(mktemp -d /tmp/cosy-barbershop-XXXXXX) || exit 1
trap 'rm -rf "$work"' EXIT
customers=2000

print='SERVED := SERVED + 1;'
print="$print"' WRITELN("customer ", TIME - STAYED:24:17, WAITED:24:17, TIME:24:17);'
for form in events processes; do
    sed "s/SERVED := SERVED + 1;/$print/; s/ENOUGH = 100/ENOUGH = $customers/
        s/FILE OF 30 NOTICE/FILE OF NOTICE/" \
        "$examples/barbershop-$form/model.cosy" > "$work/$form.cosy"
    "$cosy" run "$work/$form.cosy" -o "$work/$form.out" --no-plots \
        > "$work/$form.all" || exit 1
    grep '^customer ' "$work/$form.all" > "$work/$form.txt"
    found=$(wc -l < "$work/$form.txt")
    [ "$found" -eq $customers ] || {
        echo "$form: $found customers, not $customers"
        exit 1
    }
done
cmp "$work/events.txt" "$work/processes.txt" || {
    diff "$work/events.txt" "$work/processes.txt" | head
    exit 1
}
