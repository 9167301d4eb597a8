#!/bin/sh
# Teams: processes that Open MPI starts carry out one study together, to the bytes of one
# process; one that is killed is replaced by the others, and a whole job that is killed
# goes on with --resume. Needs COSY_PROGRAM; what needs mpirun is left out without it.
. "$(dirname "$0")/../contract/studies.sh"

cat >many.cosy <<'MODEL'
PROGRAM MANY;
EXTERNAL FUNCTION PACE (REAL REACHED): REAL IN "gate";
VAR STATE X; TEVENT E; REAL K, PUSH; RANDOM G;
STORE X;
EXPERIMENT
  PARAMETER K = (0.5, 1, 2);
  RANDOMGEN G: UNIFORMD MIN = 0 MAX = 1 END;
  INITCOND X = 1;
  COLLECT PUSH END;
  REPLICATE 100;
  SIMULATE FROM 0 TO 100 COMINT = 1; WRITELN("done ", X)
END;
SYSTEM
  INITIAL SCHEDULE E AT 0.3; PUSH := PACE(1) END;
  CONTINUOUS X' = -K*X END;
  DISCRETE EVENTS TEVENTS:
    E: PUSH := G; X := X + PUSH; SCHEDULE E AT TIME + 0.5;
       IF PUSH > 0.999 THEN WRITELN("far at ", TIME) END
    END
  END END
END;
END.
MODEL

check "one process" ends 0 "$cosy" run many.cosy -o whole --no-plots
text_of whole.txt

# joined WHAT [LIKE]: out has the results of one process (whole), and nothing else is left.
joined() {
    check "$1: the same bytes" same "${2:-whole}" out
    text_of out.txt
    check "$1: the same text, once" cmp "${2:-whole}.txt" out.txt
}

# member RANK OPTION...: a process that believes to be one of two.
member() {
    rank=$1
    shift
    OMPI_COMM_WORLD_RANK=$rank OMPI_COMM_WORLD_SIZE=2 \
        OMPI_COMM_WORLD_LOCAL_SIZE=2 PMIX_NAMESPACE=job@1 \
        "$cosy" run many.cosy -o out --no-plots "$@"
}

# ---- Without a launcher
member 1 >one.txt 2>one.said &
check "rank 0 of two" ends 0 member 0
wait $!
check "rank 1 of two" [ $? -eq 0 ]
check "which says nothing" [ ! -s one.txt ]
joined "two"
check "nothing is left of it" [ ! -e out.study ]

check "--verify" ends 3 member 0 --verify
check "is for one" says "--verify is for one process"

# A rank on another machine that has not been heard of for two minutes.
rm -rf out*
mkdir -p out.study/job_1
echo "elsewhere 1 /nowhere" >out.study/job_1/rank-1
touch -d '2 minutes ago' out.study/job_1/rank-1
for k in 3 17 31; do
    ln out.study/job_1/rank-1 out.study/job_1/claim-0-$k-0
done
check "a rank that is silent" ends 0 member 0
joined "in spite of it"

# Rank 0 is killed when it has left something: the other one writes.
rm -rf out*
shut 1 200
launch member 0
check "rank 0 has begun" reached out.study/job_1/rank-0
read -r host member stage <out.study/job_1/rank-0
check "rank 0 has left something" reached "$stage/journal.cosyj" 4000
kill -9 "$member"
wait "$process" 2>/dev/null
opened
check "rank 0 was killed in time" [ ! -e out ]
check "without rank 0" ends 0 member 1
joined "without rank 0"
check "nothing is left of rank 0" [ ! -e out.study ]

# Both are killed: one process goes on, and nothing is left of their job.
rm -rf out*
shut 1 200
launch member 0
check "rank 0 is alone" reached out.study/job_1/rank-0
read -r host member stage <out.study/job_1/rank-0
check "and has left something" reached "$stage/journal.cosyj" 4000
kill -9 "$member"
wait "$process" 2>/dev/null
opened
mkdir out.study/mine
check "one process goes on" ends 0 "$cosy" run many.cosy -o out/ --no-plots --resume
check "with what the job has left" says "of an interrupted study are taken over"
joined "one process"
check "nothing is left of the job" [ ! -e out.study/job_1 ]
check "but what is no job" rmdir out.study/mine out.study

# ---- Searches: one process is enough
cat >who.c <<'END'
#include <stdio.h>
#include <stdlib.h>

double who(double x)
{
    char name[40];
    const char *rank = getenv("OMPI_COMM_WORLD_RANK");
    snprintf(name, sizeof name, "who-%s", rank ? rank : "alone");
    FILE *f = fopen(name, "a");
    if (f)
        fclose(f);
    return x;
}
END
cc -shared -fPIC -o "$work/libraries/libwho.so" who.c
cat >best.cosy <<'MODEL'
PROGRAM BEST;
EXTERNAL FUNCTION WHO (REAL X): REAL IN "who";
VAR STATE X; REAL K, A, F;
STORE X;
EXPERIMENT
  PARAMETER K = (0.5, 1, 2);
  INITCOND X = 1;
  SIMULATE FROM 0 TO 1 COMINT = 0.5;
  MINIMIZE F: K := 1 IN 0.1 .. 3; END;
    A := WHO(K);
    INITCOND X = 1;
    SIMULATE FROM 0 TO 1;
    F := (X - 0.3)^2
  END;
  PARAMETER A = (1, 2);
  INITCOND X = 1;
  SIMULATE FROM 0 TO 1 COMINT = 0.5;
  WRITELN("done ", X)
END;
SYSTEM
  CONTINUOUS X' = -K*X END
END;
END.
MODEL
rm -rf out*
check "a search of one process" ends 0 "$cosy" run best.cosy -o found --no-plots
text_of found.txt
seeker() {
    rank=$1
    OMPI_COMM_WORLD_RANK=$rank OMPI_COMM_WORLD_SIZE=2 \
        OMPI_COMM_WORLD_LOCAL_SIZE=2 PMIX_NAMESPACE=job@1 \
        "$cosy" run best.cosy -o out --no-plots
}
seeker 1 >one.txt 2>one.said &
check "rank 0 searches" ends 0 seeker 0
wait $!
check "rank 1 waits" [ $? -eq 0 ]
check "and says nothing" [ ! -s one.txt ]
check "rank 0 has made trials" [ -e who-0 ]
check "rank 1 none" [ ! -e who-1 ]
joined "a search" found
check "nothing is left of the search" [ ! -e out.study ]

# Rank 0 dies before it has searched.
rm -rf out* who-*
mkdir -p out.study/job_1
(exit 0) & gone=$!
wait $gone
echo "$(uname -n | tr -c 'A-Za-z0-9.\n-' _) $gone /nowhere" >out.study/job_1/rank-0
ln out.study/job_1/rank-0 out.study/job_1/writer-0-0
check "rank 1 takes the search over" ends 0 seeker 1
check "and makes the trials" [ -e who-1 ]
joined "taken over" found

# ---- Open MPI
# started [OPTION...] -- WORD...: three processes.
started() {
    mpirun --allow-run-as-root --oversubscribe -np 3 "$@"
}

if ! started true 2>/dev/null; then
    echo "Open MPI is not tested: mpirun cannot be started here"
    finish
    exit
fi
rm -rf out*
check "three processes" ends 0 started "$cosy" run many.cosy -o out --no-plots
joined "three processes"
check "no folder is left" [ ! -e out.study ]
rm -rf out* who-*
check "three processes search" ends 0 started "$cosy" run best.cosy -o out --no-plots
joined "three processes search" found
check "one of them" [ "$(ls who-* | wc -l)" -eq 1 ]

# The process of rank K is killed when it has left something, as from outside.
cat >mortal.sh <<'END'
if [ "$OMPI_COMM_WORLD_RANK" = "$1" ]; then
    shift
    "$@" &
    until rank=$(cat out.study/*/rank-"$OMPI_COMM_WORLD_RANK" 2>/dev/null) &&
        [ -s "${rank#* * }/journal.cosyj" ]; do
        kill -0 $! || exit 1
        sleep 0.02
    done
    kill -9 $!
    wait $!
    : >killed
    rm -f gate
    exit 0
fi
shift
exec "$@"
END
for rank in 1 0; do
    rm -rf out* killed
    shut 1 200
    check "rank $rank is killed" ends 0 started --enable-recovery sh mortal.sh $rank \
        "$cosy" run many.cosy -o out --no-plots
    check "rank $rank was killed in time" [ -e killed ]
    joined "rank $rank is killed"
done
rm -rf out*
shut 1 200
launch started "$cosy" run many.cosy -o out --no-plots
check "the job has begun" reached "out.study/*/rank-2"
check "and has left something" reached "out.*.tmp/journal.cosyj" 4000
for file in out.study/*/rank-*; do
    read -r host member stage <"$file" && kill -9 "$member"
done
wait "$process"
opened
check "the job is killed" [ ! -e out/summary.json ]
check "goes on" ends 0 started "$cosy" run many.cosy -o out --no-plots --resume
check "with what was there" says "runs of an interrupted study are taken over"
joined "goes on"
finish
