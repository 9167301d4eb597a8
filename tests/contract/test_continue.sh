#!/bin/sh
# usage: test_continue.sh PRECISION
# Each model is run undisturbed, then with a snapshot in the middle, then from
# that snapshot in a new process: all three leave the same bytes. The same for
# the number of threads.
. "$(dirname "$0")/shell.sh"
precision=$1

# continued MODEL TIME OPTION...; MODEL may be a text beside this script.
continued() {
    case $1 in
    *.cosy) model=$(dirname "$0")/$1 ;;
    *) model=$models/$1.$precision.so ;;
    esac
    at=$2
    shift 2
    rm -rf "$work/whole" "$work/saved" "$work/rest" "$work/image"
    set -- "$cosy" run "$model" --quiet --no-plots "$@"
    check "$*" ends 0 "$@" -o "$work/whole"
    check "$* saves" ends 0 "$@" -o "$work/saved" --save "$work/image" \
        --save-at "$at"
    check "$* has saved" test -s "$work/image"
    check "$* goes on" ends 0 "$@" -o "$work/rest" --restore "$work/image"
    check "$* unchanged by saving" same_numbers "$work/whole" "$work/saved"
    check "$* goes on to the same" same_numbers "$work/whole" "$work/rest"
}

# slides MODEL TIME OPTION...: the same for a text, in the middle of a slide.
slides() {
    text=$COSY_TESTS/sim/sliding/$1.cosy
    at=$2
    shift 2
    rm -rf "$work/whole" "$work/rest" "$work/image"
    set -- "$cosy" run "$text" --quiet --no-plots "$@"
    check "$*" ends 0 "$@" -o "$work/whole" --save "$work/image" --save-at "$at"
    check "$* goes on" ends 0 "$@" -o "$work/rest" --restore "$work/image"
    check "$* goes on to the same" same_numbers "$work/whole" "$work/rest"
}

# threads MODEL OPTION...: one thread and two.
threads() {
    model=$models/$1.$precision.so
    shift
    set -- "$cosy" run "$model" --quiet --no-plots "$@"
    check "$* one thread" ends 0 "$@" -o "$work/threads1" --threads 1
    check "$* two threads" ends 0 "$@" -o "$work/threads2" --threads 2
    check "$* the same" same "$work/threads1" "$work/threads2"
    rm -rf "$work/threads1" "$work/threads2"
}

for method in RKS RKE RKF45 RKF78; do
    continued vanderpol 9.7 --method $method
done
# The default hands over to RADAU: saved before and after.
continued vanderpol 0.01 --set MY=1000
continued vanderpol 9.7 --set MY=1000
check "the summary names both" grep -q '"method": "DOP853, RADAU"' \
    "$work/rest/summary.json"
for method in DOPRI5 DOP853 RADAU5; do
    continued vanderpol 9.7 --method $method
    continued domino 0.9 --method $method
    continued pendulum 5 --method $method --set ROUNDS=8
done
for method in EULER RK4; do
    continued vanderpol 9.7 --method $method --step 0.01
    continued pendulum 2 --method $method --step 0.002 --to 4
done
continued domino 0.9 --method RK4 --step 0.001
continued domino 0.0
continued twostate 2.5 --method RADAU5
continued twostate 4.9999997 --method RADAU5
continued twostate 0.002 --method DOPRI5 --relerr 1e-3 --to 0.004
continued mm1 1000 --set CUSTOMERS=4000
[ "$precision" = quad ] && heat='--relerr 1e-3 --to 0.5' || heat=
continued barbershop 700
# Transactions in every kind of queue, at WAIT UNTILs, displaced, in families.
if [ "$precision" = double ]; then
    for at in 13.7 40 41.3 77; do
        continued waits.cosy $at
    done
    for at in 0.4 1.571 3.5 6; do
        continued delays.cosy $at
    done
    continued delays.cosy 3.5 --method RADAU
    # Copies of CONTINUOUS PROCESSes, also while some of them slide.
    for at in 0 2 4.1 7.7; do
        continued structures.cosy $at
    done
    for method in DOPRI5 RADAU DIRK; do
        continued structures.cosy 4.1 --method $method
    done
fi
continued heat 0.2 $heat
continued heat 0.4 $heat

if [ "$precision" = double ]; then
    slides exit 1
    slides selector 1.5
    slides stick-slip 3
    slides stick-slip 8
    slides friction 3.5
    slides leaving 5
    slides leaving 10
    slides lifted 4
    slides ball 4.5
else
    slides quad 1.5
    slides quad 3
fi

for model in vanderpol twostate domino barbershop; do
    threads $model
done
threads pendulum --set ROUNDS=4
threads mm1 --set CUSTOMERS=4000
threads heat $heat
finish
