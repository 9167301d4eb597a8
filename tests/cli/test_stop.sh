#!/bin/sh
# One Ctrl-C, or --limit-wall, ends a loop of statements that would never end;
# the results so far are written, and the message names the loop. Lost units of
# a STORAGE are in summary.json. Needs COSY_PROGRAM.
. "$(dirname "$0")/../contract/studies.sh"

# program FILE LOOP INITIAL EXPERIMENT
program() {
    cat >"$1" <<END
PROGRAM LOOPS;
EXTERNAL FUNCTION MARK (REAL X): REAL IN "gate"; VAR PROCESS P; STORAGE S CAPACITY 9; INTEGER N, K; STORE N;
DISCRETE PROCESS P;
BEGIN
  ENTER S; ADVANCE 1;
  IF TIME < 3 THEN GENERATE K FOR P AT TIME + 1
  ELSE $2
END;
EXPERIMENT $4 SIMULATE FROM 0 TO 10 END;
SYSTEM
  INITIAL N := 0; $3 END;
  DISCRETE PROCESSES P END END
END;
END.
END
}

# stops WHAT FILE TEXT: an interrupt ends it.
stops() {
    rm -f mark
    launch "$cosy" run "$2" --no-plots -o dir
    check "$1: begins" reached mark
    ended INT
    check "$1: ends" [ "$status" -eq 2 ]
    check "$1: says so" says "$3"
}

# The shell gives background jobs no SIGINT: COSY takes it all the same.
program body.cosy 'BEGIN N := INT(MARK(1)); WHILE TRUE DO N := N + 1 END' 'N := 1' ''
stops process body.cosy 'body.cosy:7: time 3, P 2: the statement (WHILE TRUE) has'
check "results" grep -q '"status": "stopped"' dir/summary.json
check "events so far" grep -q '"final": {"N": [0-9]' dir/summary.json
check "the rows" grep -q '^0,' dir/run-0001.csv

program first.cosy 'N := 1' 'N := INT(MARK(1)); REPEAT N := N + 1 UNTIL N < 0' ''
stops INITIAL first.cosy 'first.cosy:11: time 0: the statement (REPEAT UNTIL N < 0) has'
program for.cosy 'N := 1' 'K := INT(MARK(1)); FOR I := K TO 1000000000000 DO N := N + I MOD 3' ''
stops FOR for.cosy 'for.cosy:11: time 0: the statement (FOR'
program sum.cosy 'N := 1' 'K := INT(MARK(900000000)); N := INT(SUM(I := 1 TO 10000*K: I/(I + N)))' ''
stops SUM sum.cosy 'sum.cosy:11: time 0: the statement (N := '
program deep.cosy 'N := 1' 'N := INT(MARK(1)); N := INT(SUM(I := 1 TO 4000: SUM(J := 1 TO 4000: SUM(K := 1 TO 4000: I/(J + K + N)))))' ''
stops "SUM in SUM" deep.cosy 'deep.cosy:11: time 0: the statement (N := '
cat >terms.cosy <<'END'
PROGRAM TERMS;
EXTERNAL FUNCTION MARK (REAL X): REAL IN "gate"; VAR STATE X; INTEGER N; TEVENT MORE;
EXPERIMENT SIMULATE FROM 0 TO 1 END;
SYSTEM
  INITIAL N := 2; SCHEDULE MORE AT 0.5 END;
  CONTINUOUS
    X' = PROD(J := 1 TO N: X/J) - X
  END;
  DISCRETE EVENTS MORE: N := INT(MARK(900000000000)) END END END
END;
END.
END
stops "PROD in an equation" terms.cosy "terms.cosy:7: time 0.5: the equation of X (X' = "

program around.cosy 'N := 1' 'N := 1' 'N := INT(MARK(0)); WHILE N >= 0 DO N := N + 1;'
stops EXPERIMENT around.cosy 'around.cosy:9: the EXPERIMENT was stopped in the loop WHILE N >= 0'

check "wall" ends 2 "$cosy" run body.cosy --no-plots --limit-wall 1 -o wall
check "wall says so" says 'stopped: the time of --limit-wall is over'

program lost.cosy 'N := 1' 'N := 1' ''
check "lost" ends 0 "$cosy" run lost.cosy --no-plots -o lost
check "lost in the summary" grep -q '"lost": 2,' lost/summary.json
check "lost said" says '2 of its units were entered by transactions that have ended without LEAVE'

finish
