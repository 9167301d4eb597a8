#!/bin/sh
# report.html in the results: of a text and of compiled code, with messages that
# lead to their lines; the same bytes with any number of threads.
. "$(dirname "$0")/shell.sh"
page=$work/a/report.html

# has FILE TEXT: the file holds it.
has() {
    grep -q -F -e "$2" "$1" && return 0
    echo "no \"$2\" in $1"
    return 1
}
lacks() {
    ! has "$@" >/dev/null
}
small() {
    [ "$(wc -c <"$1")" -lt 200000 ]
}

cat >"$work/shop.cosy" <<'END'
PROGRAM SHOP;   // </pre><script>alert("x")</script> & more
VAR
  PROCESS VISIT;
  FACILITY COUNTER;
  RANDOM GAP [min], SERVICE [min];
  REAL WAITED [s];    // in the queue
  INTEGER CUSTOMER, SERVED;
STORE SERVED;
DISCRETE PROCESS VISIT;
BEGIN
  GENERATE CUSTOMER FOR VISIT AT TIME + GAP;
  SEIZE COUNTER;
  WAITED := TIME - GENTIM;
  ADVANCE SERVICE;
  RELEASE COUNTER;
  SERVED := SERVED + 1
END;
EXPERIMENT
  RANDOMGEN
    GAP: EXPOND AVTIM = 5[min]; SERVICE: UNIFORMD MIN = 2[min] MAX = 6[min]
  END;
  COLLECT WAITED END;
  HISTOGRAM WAITED: 20 CELLS WIDTH = 60 FUPLIM = 0 END;
  REPLICATE 60;
  SIMULATE FROM 0 TO 480[min]
END;
SYSTEM
  INITIAL SERVED := 0; GENERATE CUSTOMER FOR VISIT AT GAP END;
  DISCRETE PROCESSES VISIT END END
END;
OUTPUT
  TITLE "Waiting <b> & more"; BARS: WAITED;
  LIST (70): SERVED
END;
END.
END

check "replications" ends 0 "$cosy" run "$work/shop.cosy" --quiet -o "$work/a" \
    --threads 1
check "the page" has "$page" "<title>SHOP</title>"
check "is small" small "$page"
check "the model" has "$page" '<span id="L2">VAR</span>'
check "is text" has "$page" '&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt;'
check "and nothing else" lacks "$page" '<script>alert'
check "a message with its line" has "$page" '<a href="#L33">'
check "which is told" has "$page" 'there are no records of run (70)'
check "runs, cut" has "$page" "The first 50 of 60 runs"
check "replications" has "$page" '<section id="replications">'
check "a graph" has "$page" 'Waiting &lt;b&gt; &amp; more'
check "as a picture" has "$page" '<path class="cells c0"'
check "with its data" has "$page" '"label":"WAITED [s]"'
check "statistics" has "$page" '<caption>Facilities</caption>'
check "method" has "$page" 'process events</th>'
check "a unit" has "$page" 'WAITED [s]</th>'
check "nothing from elsewhere" lacks "$page" 'http'
check "two threads" ends 0 "$cosy" run "$work/shop.cosy" --quiet -o "$work/b" \
    --threads 2
check "same bytes" same "$work/a" "$work/b"

# ---- Replaced with the rest
check "without" ends 0 "$cosy" run "$work/shop.cosy" --quiet --no-plots \
    -o "$work/a"
check "it is gone" [ ! -e "$page" ]
check "with" ends 0 "$cosy" run "$work/shop.cosy" --quiet -o "$work/a"
echo mine >"$page"
check "another's page" ends 3 "$cosy" run "$work/shop.cosy" --quiet -o "$work/a"
check "is in the way" says "report.html is in the way"
check "and stays" [ "$(cat "$page")" = mine ]

# ---- Code without text, a run that fails
check "code" ends 0 "$cosy" run "$models/twostate.double.so" --quiet -o "$work/c"
check "has a page" has "$work/c/report.html" '<section id="method">'
check "without text" lacks "$work/c/report.html" '<section id="model">'
cat >"$work/fails.cosy" <<'END'
PROGRAM FAILS;
VAR STATE X;
EXPERIMENT SIMULATE FROM 0 TO 2 END;
SYSTEM
  INITIAL X := 1 END;
  CONTINUOUS
    X' = X * X
  END
END;
END.
END
check "a run that fails" ends 2 "$cosy" run "$work/fails.cosy" --quiet \
    -o "$work/d"
check "is told" has "$work/d/report.html" '<b class="bad">1 did not finish</b>'
check "in its row" has "$work/d/report.html" '<td class="bad">failed</td>'

finish
