#!/bin/sh
# The barbershop told as events and as processes, with the same seeds: every
# customer comes, is served and leaves at the same times, to the last bit. The
# models are those of examples/, with a line that prints each customer.
set -u
cosy=${COSY_PROGRAM:?}
examples=${COSY_EXAMPLES:?}
work=$(mktemp -d /tmp/cosy-barbershop-XXXXXX) || exit 1
trap 'rm -rf "$work"' EXIT

print='SERVED := SERVED + 1; WRITELN(TIME - STAYED:24:17, " ", WAITED:24:17, " ", TIME:24:17);'
for form in events processes; do
    sed "s/SERVED := SERVED + 1;/$print/; s/ENOUGH = 100/ENOUGH = 2000/; s/FILE OF 30 NOTICE/FILE OF NOTICE/" \
        "$examples/barbershop-$form/model.cosy" > "$work/$form.cosy"
    grep -q WRITELN "$work/$form.cosy" || { echo "$form: no place to print"; exit 1; }
    "$cosy" run "$work/$form.cosy" -o "$work/$form.out" --no-plots --quiet "$@" \
        > "$work/$form.txt" || exit 1
done
lines=$(grep -c '[0-9]' "$work/events.txt")
[ "$lines" -ge 2000 ] || { echo "only $lines customers"; exit 1; }
cmp "$work/events.txt" "$work/processes.txt" || {
    diff "$work/events.txt" "$work/processes.txt" | head
    exit 1
}
