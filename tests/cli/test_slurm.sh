#!/bin/sh
# cosy run --slurm: what it says without Slurm and with one that misbehaves (scripts in the
# place of its commands); then a real Slurm, whose daemons are started here on loopback:
# results of arrays to the bytes of one process, tasks that die, Ctrl-C, models that
# change meanwhile; and srun. Needs COSY_PROGRAM, root, and the packages slurm-wlm and
# munge; what needs Slurm is left out without them. Under sanitizers it takes a minute.
. "$(dirname "$0")/../contract/shell.sh"
cosy=$(cd "$(dirname "$cosy")" && pwd)/$(basename "$cosy")
COSY_CACHE=$work/cache
COSY_LIBRARY=$work/library.db
COSY_LIBRARIES=$work/place
export COSY_CACHE COSY_LIBRARY COSY_LIBRARIES
unset SBATCH_PARTITION SBATCH_ACCOUNT SLURM_CONF
mkdir "$work/place" && cd "$work/place" || exit 1

# In a task a run takes its time, waits while there is a file hold-P, of which held-P
# tells, and ends the program if there is fail-P.
cat >paused.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
double PAUSED(double p)
{
    char hold[40], held[40], fail[40];
    if (!getenv("SLURM_ARRAY_TASK_ID"))
        return p;
    usleep(30000);
    snprintf(hold, sizeof hold, "hold-%g", p);
    snprintf(held, sizeof held, "held-%g", p);
    snprintf(fail, sizeof fail, "fail-%g", p);
    while (access(hold, F_OK) == 0) {
        FILE *f = fopen(held, "w");
        if (f)
            fclose(f);
        usleep(20000);
    }
    if (access(fail, F_OK) == 0) {
        fprintf(stderr, "this cannot go on\n");
        exit(7);
    }
    return p;
}
END
${CC:-cc} -shared -fPIC -o libpaused.so paused.c || exit 1
cat >study.cosy <<'MODEL'
PROGRAM STUDY;
EXTERNAL FUNCTION PAUSED (REAL X): REAL IN "paused";
CONST REAL A = 1;
VAR STATE X; REAL P, Q, PUSH; TEVENT E; RANDOM G;
STORE X;
EXPERIMENT
  SWEEP P = LIN 1 TO 40 POINTS 40;
  RANDOMGEN G: UNIFORMD MIN = 0 MAX = 1 END;
  INITCOND X = A;
  SIMULATE FROM 0 TO 10 COMINT = 1;
  WRITELN("done ", X)
END;
SYSTEM
  INITIAL Q := PAUSED(P); SCHEDULE E AT 0.3 END;
  CONTINUOUS X' = -P*X END;
  DISCRETE EVENTS TEVENTS:
    E: PUSH := G; X := X + PUSH; SCHEDULE E AT TIME + 0.5;
       IF PUSH > 0.99 THEN WRITELN("far at ", TIME) END
    END
  END END
END;
END.
MODEL

# soon COMMAND...: it is true within a minute.
soon() {
    for wait in $(seq 600); do
        "$@" && return 0
        sleep 0.1
    done
    echo "not within a minute: $*"
    return 1
}

# told FILE TEXT
told() {
    grep -q -F -e "$2" "$1" 2>/dev/null
}

check "the model is sound" ends 0 "$cosy" check study.cosy

# ---- The command line
for wrong in 0 x 4/ 4/0 4/x 99999; do
    check "--slurm $wrong" ends 3 "$cosy" run study.cosy --slurm $wrong
    check "--slurm $wrong is told" says "--slurm needs the number of tasks at once"
done
for other in "--chunk 1/2" --untrusted --verify "--trace-file=t"; do
    check "$other" ends 3 "$cosy" run study.cosy --slurm 2 $other
    check "$other is refused" says "do not go together"
done
check "options alone" ends 3 "$cosy" run study.cosy --slurm-options=--time=1
check "need --slurm" says "--slurm-options belongs to --slurm N"
check "one of a team" ends 3 env SLURM_PROCID=0 SLURM_STEP_NUM_TASKS=2 SLURM_JOB_ID=1 \
    SLURM_STEP_ID=0 "$cosy" run study.cosy --slurm 2
check "is not to submit" says "start it once, without srun or mpirun"

# ---- Without Slurm, and with scripts in its place
plain=$(which -a ${CC:-cc} as ld sh gnuplot ls rm env 2>/dev/null)
mkdir bare && for file in $plain; do
    ln -sf "$file" bare/ 2>/dev/null
done
check "no sbatch" ends 3 env PATH="$PWD/bare" "$cosy" run study.cosy --slurm 2 --backend=tcc
check "is told" says "there is no sbatch on this machine"
check "nothing is left" [ ! -e study.out.slurm ]

mkdir fake
for name in sbatch squeue scontrol sacct scancel; do
    printf '#!/bin/sh\n. "$(dirname "$0")/%s.do"\n' $name >fake/$name
    echo 'exit 1' >fake/$name.do
    chmod +x fake/$name
done
with_fake() {
    env PATH="$PWD/fake:$PATH" "$@"
}
echo 'echo "sbatch: error: no such partition as you think" >&2; exit 1' >fake/sbatch.do
check "sbatch refuses" ends 3 with_fake "$cosy" run study.cosy --slurm 2/4 -o study.out/
check "in its words" says "no such partition as you think"
check "nothing was submitted" says "nothing was submitted"
check "and nothing is left" [ ! -e study.out.slurm ]
check "a quote" ends 3 with_fake "$cosy" run study.cosy --slurm 2/4 --slurm-options "--comment='a"
check "without end" says "--slurm-options: a quote has no end"

check "a small study" ends 0 with_fake "$cosy" run study.cosy --slurm 2 -o small --no-plots
check "is carried out here" says "so it is carried out here; --slurm 2/2 hands it over"
check "without a folder" [ ! -e small.slurm ]
check "and has results" [ -e small/summary.json ]

# Options of a line in its place: quotes are those of a shell.
echo 'printf "<%s>" "$@" >../args; echo "sbatch: a remark"; echo 77' >fake/sbatch.do
mkdir "odd % place" && cp study.cosy "odd % place/o'dd.cosy"
cat >fake/squeue.do <<'END'
echo "a warning of squeue"
for k in 1 2 3 4; do echo "$k|PENDING|PartitionDown"; done
END
(cd "odd % place" && PATH="../fake:$PATH" exec "$cosy" run "o'dd.cosy" --slurm 2/4 --threads 3 \
    --set "A = 2" --slurm-options "--mem=2G --comment='a b'\" c\" --time=1") >none.txt 2>odd.txt &
waits=$!
check "a job that waits" soon told odd.txt "Slurm job 77"
kill -INT $waits
wait $waits
check "is left by Ctrl-C" [ $? -eq 2 ]
check "which says how to go on" told odd.txt "cosy run 'o'\\''dd.cosy' --slurm 2/4 --threads 3"
check "and how to cancel" told odd.txt "scancel 77"
for word in '<--cpus-per-task=3>' '<--mem=2G>' '<--comment=a b c>' '<--array=1-4%2>' \
    "<--output=$work/place/odd %% place/o'dd.out.slurm/task-%a.txt>"; do
    check "sbatch got $word" told args "$word"
done
script="odd % place/o'dd.out.slurm/job.sh"
check "the script is for sh" sh -n "$script"
check "it has the options" told "$script" "--set 'A = 2'"

# Jobs that are there, that do not start, of which squeue says nothing.
check "a second one" sh -c "cd 'odd % place' && PATH=../fake:\$PATH '$cosy' run o\'dd.cosy \
    --slurm 2 2>../second.txt; [ \$? -eq 3 ]"
check "is refused" told second.txt "an earlier study is still at work"
echo 'echo "slurm_load_jobs error: Unable to contact slurm controller" >&2; exit 1' >fake/squeue.do
check "squeue is silent" sh -c "cd 'odd % place' && PATH=../fake:\$PATH '$cosy' run o\'dd.cosy \
    --slurm 2/4 --threads 3 --set 'A = 2' --resume 2>../silent.txt; [ \$? -eq 3 ]"
check "as is told" told silent.txt "Unable to contact slurm controller"
cat >fake/squeue.do <<'END'
echo "1|TIMEOUT|TimeLimit"; echo "2|OUT_OF_MEMORY|OutOfMemory"
echo "3|NODE_FAIL|None"; echo "4|FAILED|NonZeroExitCode"
END
check "tasks that ended badly" ends 2 with_fake "$cosy" run study.cosy --slurm 2/4 -o bad
check "by their time" says "part 1 of 4: its time was over"
check "by their memory" says 'part 2 of 4: it had not enough memory: --slurm-options "--mem=...'
check "by their node" says "part 3 of 4: its node has failed (NODE_FAIL); there is no"
check "by themselves" says "part 4 of 4: FAILED"
check "all are missing" says "4 of 4 parts are missing"
mkdir full
if mount -t tmpfs -o size=8k tmpfs full 2>/dev/null; then
    head -c 8192 /dev/zero >full/rest 2>/dev/null
    check "a full disk" ends 3 with_fake "$cosy" run study.cosy --slurm 2/4 -o full/out
    check "leaves nothing" [ "$(ls full)" = rest ]
    umount full
fi
rm -rf "odd % place"

# refused MODEL TEXT: what cannot be spread says so.
refused() {
    check "$1" ends 3 with_fake "$cosy" run $1.cosy --slurm 2
    check "$1 is told" says "cannot be carried out in parts: $2"
    check "$1: a way out" says "srun --cpus-per-task=4 cosy run $1.cosy"
}
sed 's/CONTINUOUS X. = -P.X END;/& TERMINAL IF P < 0 THEN RERUN END;/' study.cosy >again.cosy
refused again "RERUN decides"
sed 's/SIMULATE/REPLICATE WITHIN 0.1 OF X; SIMULATE/' study.cosy >within.cosy
refused within "REPLICATE WITHIN"
cat >search.cosy <<'MODEL'
PROGRAM SEARCH;
VAR STATE X; REAL K, COST;
EXPERIMENT
  INITCOND X = 1;
  MINIMIZE COST: K := 0.5 IN 0.1 .. 2; TOL = 1.0E-4 END;
    SIMULATE FROM 0 TO 1; COST := (X - 0.5)^2
  END
END;
SYSTEM CONTINUOUS X' = -K*X END END;
END.
MODEL
refused search "a search decides"

# ---- A real Slurm, on loopback, with all it needs in the folder of this test
begin_slurm() {
    for program in munged slurmctld slurmd; do
        [ -x /usr/sbin/$program ] || command -v $program >/dev/null || return 1
    done
    [ "$(id -u)" -eq 0 ] || return 1
    PATH=$PATH:/usr/sbin
    slurm=$work/slurm
    mkdir -p "$slurm/munge" "$slurm/state" "$slurm/spool"
    chmod 755 "$work" "$slurm" "$slurm/munge"
    head -c 1024 /dev/urandom >"$slurm/munge/key"
    chmod 400 "$slurm/munge/key"
    munged --foreground --force --key-file="$slurm/munge/key" \
        --socket="$slurm/munge/socket" --pid-file="$slurm/munge/pid" \
        --log-file="$slurm/munge/log" --seed-file="$slurm/munge/seed" \
        --num-threads=2 >"$slurm/munged.out" 2>&1 &
    daemons=$!
    # Two tests at once must not meet.
    port=$((20000 + 2 * ($$ % 6000)))
    cat >"$slurm/slurm.conf" <<END
ClusterName=test
SlurmctldHost=$(hostname -s)(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$slurm/munge/socket
CredType=cred/munge
SlurmctldPort=$port
SlurmdPort=$((port + 1))
StateSaveLocation=$slurm/state
SlurmdSpoolDir=$slurm/spool
SlurmctldPidFile=$slurm/slurmctld.pid
SlurmdPidFile=$slurm/slurmd.pid
SlurmctldLogFile=$slurm/slurmctld.log
SlurmdLogFile=$slurm/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SwitchType=switch/none
MpiDefault=none
MailProg=/bin/true
ReturnToService=2
SlurmdParameters=config_overrides
SchedulerParameters=sched_min_interval=0,batch_sched_delay=0
SlurmctldTimeout=600
SlurmdTimeout=600
MessageTimeout=60
KillWait=2
NodeName=here NodeAddr=127.0.0.1 NodeHostname=here CPUs=4 State=UNKNOWN
PartitionName=short Nodes=here Default=YES MaxTime=60 State=UP
END
    SLURM_CONF=$slurm/slurm.conf
    export SLURM_CONF
    soon [ -S "$slurm/munge/socket" ] || return 1
    slurmctld -D -i >"$slurm/slurmctld.out" 2>&1 &
    daemons="$daemons $!"
    soon controller_is_up || return 1
    slurmd -D -N here >"$slurm/slurmd.out" 2>&1 &
    daemons="$daemons $!"
    soon node_is_idle
}

controller_is_up() {
    timeout 20 scontrol ping 2>/dev/null | grep -q "is UP"
}

node_is_idle() {
    [ "$(timeout 20 sinfo --noheader --format=%T 2>/dev/null)" = idle ]
}

# Jobs first: their processes do not end with the daemons.
end_slurm() {
    rm -f hold-*
    [ -n "$daemons" ] || return
    timeout 20 scancel --quiet --user=root 2>/dev/null
    for wait in $(seq 100); do
        [ -z "$(timeout 5 squeue --noheader 2>/dev/null)" ] && break
        sleep 0.1
    done
    for process in $daemons; do
        kill "$process" 2>/dev/null
    done
    sleep 0.3
    for process in $daemons; do
        kill -9 "$process" 2>/dev/null
    done
}

daemons=
trap 'end_slurm; rm -rf "$work"' EXIT
trap 'exit 1' INT TERM HUP
if ! begin_slurm; then
    tail -n 5 "$work"/slurm/*.out 2>/dev/null
    echo "Slurm is not tested: its daemons cannot be started here"
    finish
    exit
fi

options="--set A=2 --seed 7 --method DOPRI5 --no-plots"
check "one process" ends 0 "$cosy" run study.cosy -o whole $options
sed 's/^Results are in .*//' "$work/out" >whole.txt

# joined WHAT FOLDER: FOLDER has the results; the last command wrote what one process does.
joined() {
    check "$1: the same bytes" same whole "$2"
    sed 's/^Results are in .*//' "$work/out" >out.txt
    check "$1: the same text" cmp whole.txt out.txt
    check "$1: the script stays" [ -e "$2.slurm/job.sh" ]
    check "$1: the parts do not" sh -c "! ls -d $2.slurm/part-* >none.txt 2>&1"
}

# study FOLDER OPTION...
study() {
    to=$1
    shift
    "$cosy" run study.cosy -o "$to" $options "$@"
}

# The same, to be left alone: $! is its process.
study_alone() {
    to=$1
    shift
    exec "$cosy" run study.cosy -o "$to" $options "$@"
}

check "an array" ends 0 study array --slurm 3/5
check "tells what was decided" says "40 runs of about"
check "in parts" says "in 5 parts of about"
check "at once" says "at most 3 at once"
joined "an array" array
check "sbatch is strict" ends 3 study array --slurm 3/5 --slurm-options "--partition=none"
check "about partitions" says "invalid partition specified"
check "older results stay" same whole array

# ---- srun, alone and in a task of an array
check "srun" ends 0 srun --ntasks=2 --overcommit "$cosy" run study.cosy -o team $options
check "srun: the same bytes" same whole team
check "srun: no folder is left" [ ! -e team.study ]
cat >inside.sh <<END
#!/bin/sh
"$cosy" run study.cosy -o inside-\$SLURM_ARRAY_TASK_ID $options || exit
srun --ntasks=2 --overcommit --overlap "$cosy" run study.cosy \
    -o steps-\$SLURM_ARRAY_TASK_ID $options
END
check "an array by hand" ends 0 sbatch --wait --array=1-2 --output=inside-%a.txt inside.sh
for k in 1 2; do
    check "task $k is alone" same whole inside-$k
    check "srun in task $k" same whole steps-$k
    check "task $k says it once" [ "$(grep -c '^done ' inside-$k.txt)" -eq 2 ]
done

# ---- A task that is killed, and one that is cancelled; in the middle of part 2 and 3
touch hold-13 hold-24
study_alone mortal --slurm 4/4 >none.txt 2>mortal.txt &
waits=$!
check "part 2 is at work" soon [ -e held-13 ]
check "part 3 is at work" soon [ -e held-24 ]
job=$(sed -n 's/.*Slurm job \([0-9]*\):.*/\1/p' mortal.txt)
process=$(ls -d mortal.slurm/part-2.*.tmp | sed 's/.*part-2\.\([0-9]*\)-.*/\1/')
kill -9 "$process"
check "a task is killed" soon told mortal.txt "part 2 of 4: it was killed by signal 9"
check "the others work on" kill -0 $waits
scancel "${job}_3"
check "another is cancelled" soon told mortal.txt "part 3 of 4: it was cancelled (CANCELLED)"
rm -f hold-*
wait $waits
check "the study is not complete" [ $? -eq 2 ]
check "as is told" told mortal.txt "2 of 4 parts are missing"
check "with a way" told mortal.txt "--slurm 4/4 --resume"
check "nothing is half-written" sh -c '! ls mortal mortal.*.tmp >none.txt 2>&1'
mkdir by-hand && cp -r mortal.slurm by-hand
check "collected by hand" ends 0 "$cosy" collect by-hand/mortal.slurm study.cosy --resume -o hand
check "by hand: the same bytes" same whole hand
check "goes on" ends 0 study mortal --slurm 4/4 --resume
check "with what is missing" says "2 of 4 parts are done, 2 are submitted again"
joined "goes on" mortal
for k in 2 3; do
    check "runs of task $k are taken over" told mortal.slurm/task-$k.txt \
        "of an interrupted study are taken over"
done

# ---- Ctrl-C; a model that has changed when its tasks begin
study_alone left --slurm 2/2 --slurm-options=--hold >none.txt 2>left.txt &
waits=$!
check "a job that is held" soon told left.txt "Slurm job"
kill -INT $waits
wait $waits
check "is left" [ $? -eq 2 ]
check "and goes on" told left.txt "goes on"
job=$(sed -n 's/.*Slurm job \([0-9]*\):.*/\1/p' left.txt)
check "it is still there" [ "$(squeue --noheader --array --jobs="$job" | wc -l)" -eq 2 ]
cp study.cosy kept.cosy
echo "(* changed *)" >>study.cosy
scontrol release "$job"
check "its tasks refuse" soon told left.slurm/task-1.txt "it differs in the model study.cosy"
check "so does the second" soon told left.slurm/task-2.txt "it differs in the model study.cosy"
check "and --resume" ends 3 study left --slurm 2 --resume
check "as is told" says "another state of the model study.cosy"
cp kept.cosy study.cosy
touch hold-20
study_alone left --slurm 2 --resume >none.txt 2>again.txt &
waits=$!
check "as it was" soon told again.txt "0 of 2 parts are done, 2 are submitted again"
kill -INT $waits
wait $waits
rm -f hold-*
check "collected later" ends 0 study left --slurm 2 --resume
check "without another job" says "2 parts are done"
joined "later" left

# ---- A task that fails by itself
touch fail-4
check "a task that fails" ends 2 study poor/ --slurm 4/4
check "is told" says "part 1 of 4: exit status 7 (FAILED); the end of poor.slurm/task-1.txt:"
check "with its last lines" says "    this cannot go on"
rm fail-4
check "is made again" ends 0 study poor --slurm 4/4 --resume --json
check "quietly" [ ! -s "$work/said" ]
check "as one object" sh -c 'head -c 1 "$1" | grep -q "{"' sh "$work/out"
end_slurm
daemons=
finish
