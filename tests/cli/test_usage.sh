#!/bin/sh
# What the program says to who calls it wrongly. Needs COSY_PROGRAM.
. "$(dirname "$0")/../contract/shell.sh"

check "a model alone" ends 3 "$cosy" shop.cosy
check "what to write" says 'shop.cosy is a model: cosy run shop.cosy runs it'
check "another verb" ends 3 "$cosy" simulate shop.cosy
check "the verb" says 'unknown command simulate: cosy run MODEL runs a model'
check "a slip" ends 3 "$cosy" formt shop.cosy
check "the word" says 'unknown command formt: did you mean cosy format?'
check "a word of SimPy" ends 3 "$cosy" doc yield
check "the words for it" says 'no topic yield: write what it waits for: ADVANCE'
check "a word of Arena" ends 0 "$cosy" doc resource
check "its page" grep -q '^seize - facilities' "$work/out"
check "a word of queueing" ends 0 "$cosy" doc renege
check "another page" grep -q '^wait - waiting for a condition' "$work/out"

finish
