#!/bin/sh
# Replications: the same bytes whatever the number of threads, over 1000 of them;
# other seeds give other numbers; records of the first replication and of SAVEd
# runs alone; memory that does not grow with their number.
. "$(dirname "$0")/shell.sh"
cache=$work/cache
export COSY_CACHE="$cache"

# model REPLICATIONS TERMINAL: a queue by events and draws of every kind.
model() {
    cat <<END
PROGRAM QUEUE;
TYPE R = RECORD REAL EVTIME; TEVENT EVCODE; REAL SINCE END;
VAR FILE OF R: EVENTFILE; FILE OF R RANKED FIFO: Q; TEVENT COMES, GOES;
    RANDOM GAP, WORK, A, B, C; REAL STAY, SUM_, BEGUN; BOOLEAN BUSY;
STORE SUM_;
EXPERIMENT
  COLLECT STAY END; TIMEPERS BUSY START = FALSE END;
  HISTOGRAM STAY: 10 CELLS WIDTH = 0.5 FUPLIM = 0.5 END;
  RANDOMGEN GAP: EXPOND MEAN = 1.0; WORK: GAMMAD SHAPE = 2.0 SCALE = 0.4;
            A: NORMALD MEAN = 0.0 SD = 1.0; B: POISSOND MEAN = 12.0;
            C: EMPIRIC (1, 2) (3, 1) END;
  $1
  SIMULATE FROM 0.0 TO 50.0 COMINT = 10.0
END;
SYSTEM
  INITIAL SUM_ := 0.0; SCHEDULE COMES AT GAP END;
  DISCRETE EVENTS TEVENTS:
    COMES: SCHEDULE COMES AT TIME + GAP; SUM_ := SUM_ + A + B + C;
      IF BUSY THEN INSERT Q WHERE SINCE := TIME END
      ELSE BEGIN BUSY := TRUE; BEGUN := TIME; SCHEDULE GOES AT TIME + WORK END
    END;
    GOES: STAY := TIME - BEGUN;
      IF ENTRYNBR(Q) > 0 THEN BEGIN
        REMOVE Q; BEGUN := SINCE; SCHEDULE GOES AT TIME + WORK
      END ELSE BUSY := FALSE
    END
  END END END;
  TERMINAL $2 END
END;
END.
END
}

# go NAME OPTIONS...: runs it into a folder of that name.
go() {
    name=$1
    shift
    "$cosy" run "$work/queue.cosy" --quiet --no-plots -o "$work/$name" "$@"
}

# differs A B: their runs are not the same.
differs() {
    ! same "$work/$1" "$work/$2" >/dev/null
}

# ---- 1, 2 and 4 threads
model "REPLICATE 1000 ANTITHETIC;" "" >"$work/queue.cosy"
check "one thread" ends 0 go t1 --threads 1
check "two threads" ends 0 go t2 --threads 2
check "four threads" ends 0 go t4 --threads 4
check "1000 runs" [ "$(grep -c '"run": ' "$work/t1/summary.json")" -eq 1000 ]
check "two as one" same "$work/t1" "$work/t2"
check "four as one" same "$work/t1" "$work/t4"
check "records of one" [ "$(ls "$work/t1" | tr '\n' ' ')" = \
    "events-0001.csv resources-0001.csv run-0001.csv summary.json " ]

# ---- A rule that looks at the runs in their order
model "PARAMETER BEGUN = (0.0, 1.0); REPLICATE WITHIN 0.2 OF STAY COMMON;" "" \
    >"$work/queue.cosy"
check "until it is sure, by one" ends 0 go sure1 --threads 1
check "by four" ends 0 go sure4 --threads 4
check "the same end" same "$work/sure1" "$work/sure4"
check "not at once" [ "$(grep -c '"run": ' "$work/sure1/summary.json")" -ge 10 ]
check "other seeds" ends 0 go other --threads 2 --seed 5
check "are others" differs sure1 other

# ---- One that leaves alternatives out, finds warm-ups, and counts quantiles
model "PARAMETER BEGUN = (0.0, 1.0, 2.0); CLEAR AUTO OF STAY;
  REPLICATE BEST MIN OF STAY DELTA 0.3; COLLECT QUANTILES STAY END;" "" \
    >"$work/queue.cosy"
check "the best, by one" ends 0 go best1 --threads 1
check "the best, by four" ends 0 go best4 --threads 4
check "the same best" same "$work/best1" "$work/best4"
check "a selection" grep -q '"decided": true' "$work/best1/summary.json"
model "PARAMETER BEGUN = (0.0, 1.0, 2.0); REPLICATE 30 COMMON BASE 3;" "" \
    >"$work/queue.cosy"
check "compared, by one" ends 0 go base1 --threads 1
check "compared, by four" ends 0 go base4 --threads 4
check "the same differences" same "$work/base1" "$work/base4"
check "differences" grep -q '"comparisons": {"STAY": ' "$work/base1/summary.json"

# ---- CLEAR AUTO and QUANTILES in a run that is saved before and after its warm-up
model "CLEAR AUTO OF STAY; COLLECT QUANTILES STAY END;" "" >"$work/queue.cosy"
sed -i 's/SUM_ := 0.0; SCHEDULE/SUM_ := 0.0; FOR K := 1 TO 40 DO INSERT Q WHERE SINCE := -20.0 END; SCHEDULE/; s/BOOLEAN BUSY;/BOOLEAN BUSY; INTEGER K;/; s/TO 50.0/TO 800.0/' "$work/queue.cosy"
check "a whole run" ends 0 go whole
check "has a warm-up" grep -q '"warmup": {"of": "STAY", "until": [1-9]' "$work/whole/summary.json"
statistics() {
    grep -o '"statistics": .*' "$work/$1/summary.json" | head -n 1
}
for at in 5 700; do
    check "saved at $at" ends 0 go before --save "$work/image" --save-at $at
    check "restored" ends 0 go after --restore "$work/image"
    check "the same statistics" [ "$(statistics after)" = "$(statistics whole)" ]
done

# ---- SAVE
model "REPLICATE 6;" "IF RUN = 4 THEN SAVE" >"$work/queue.cosy"
check "a saved run" ends 0 go saved --threads 2
check "is recorded" [ "$(ls "$work/saved" | tr '\n' ' ')" = \
    "events-0001.csv events-0004.csv resources-0001.csv resources-0004.csv run-0001.csv run-0004.csv summary.json " ]

# ---- Never sure
model "REPLICATE WITHIN 1.0E-6 OF STAY MAX 20;" "" >"$work/queue.cosy"
check "never sure" ends 0 go never --threads 2
check "says so" says "WITHIN 1e-06 OF STAY: the half width is still"
check "at its most" [ "$(grep -c '"run": ' "$work/never/summary.json")" -eq 20 ]

# ---- Warnings and notes of many runs, on the terminal and in the page
cat >"$work/warns.cosy" <<'TEXT'
PROGRAM WARNS;
FUNCTABLE LINEAR F = (0, 0) (1, 1);
VAR STATE Y RANGE -100 .. 4; RANDOM R; REAL A; GATE G; PROCESS P; INTEGER T;
DISCRETE PROCESS P; BEGIN PASS G; A := 0 END;
EXPERIMENT
  RANDOMGEN R: UNIFORMD MIN = 0.5 MAX = 2.5 SEED = 7 END;
  INITCOND Y = 0;
  REPLICATE 100;
  SIMULATE FROM 0 TO 3
END;
SYSTEM
  INITIAL A := R; CLOSE G;
    IF A > 1 THEN GENERATE T FOR P END;
  CONTINUOUS Y' = A*F(TIME) END;
  DISCRETE PROCESSES P END END
END
END.
TEXT
for threads in 1 4; do
    check "warnings, $threads threads" ends 0 "$cosy" run "$work/warns.cosy" \
        --quiet -o "$work/warns" --threads $threads
    cp "$work/said" "$work/said$threads"
    cp "$work/warns/report.html" "$work/page$threads"
done
check "the same words" cmp "$work/said1" "$work/said4"
check "all runs" says "warning: in 100 of 100 runs, first in run 1: F is evaluated"
check "some runs" grep -Eq \
    "warning: in [1-9][0-9] of 100 runs, first in run [0-9]+: time [0-9.]+: Y leaves" \
    "$work/said"
check "notes" grep -Eq \
    "note: in [1-9][0-9] of 100 runs, first in run [0-9]+: at the end of the run 1 transaction is still waiting" \
    "$work/said"
check "three messages" [ "$(grep -c '^cosy: ' "$work/said")" -eq 3 ]
check "the page has them" grep -q "in 100 of 100 runs, first in run 1" \
    "$work/page1"
check "pages without wall time" [ "$(sed "$aside" "$work/page1" | cksum)" = \
    "$(sed "$aside" "$work/page4" | cksum)" ]

finish
