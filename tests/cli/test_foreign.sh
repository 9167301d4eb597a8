#!/bin/sh
# Texts of other languages: one message, and a COSY program that is right; COSY
# programs with mistakes are not taken for them. Needs COSY_PROGRAM.
. "$(dirname "$0")/../contract/shell.sh"

# foreign LANGUAGE: $work/text is one of it, and the example below is sound.
foreign()
{
    check "$1" ends 1 "$cosy" check "$work/text"
    check "$1 is reported" says "this looks like $1, not COSY"
    check "$1: once" [ "$(grep -c 'error: ' "$work/said")" -eq 1 ]
    check "$1: nothing else" says "text: 1 error, 0 warnings"
    check "$1: within 80 columns" [ -z "$(grep '^    ' "$work/said" | awk 'length > 80')" ]
    sed -n 's/^    //p' "$work/said" >"$work/example.cosy"
    check "$1: run says it too" ends 1 "$cosy" run "$work/text"
    check "$1: in the same words" says "this looks like $1, not COSY"
    check "$1: its example" ends 0 "$cosy" check "$work/example.cosy"
    check "$1: no message" [ ! -s "$work/said" ]
    check "$1: it runs" ends 0 "$cosy" run --no-plots -o "$work/out.d" "$work/example.cosy"
}

# near WHAT: $work/text is COSY with mistakes.
near()
{
    check "$1" ends 1 "$cosy" check "$work/text"
    check "$1 is COSY" [ "$(grep -c 'this looks like' "$work/said")" -eq 0 ]
}

# ---- Other languages
cat >"$work/text" <<'END'
* One barber
        GENERATE  18,6
        QUEUE     LINE
        SEIZE     JOE
        DEPART    LINE
        ADVANCE   15,3
        RELEASE   JOE
        TERMINATE 1
        START     100
END
foreign "GPSS"

cat >"$work/text" <<'END'
library(simmer)
env <- simmer("bank")
customer <- trajectory() %>%
  seize("teller", 1) %>%
  timeout(function() rexp(1, 1/3)) %>%
  release("teller", 1)
env %>% add_resource("teller", 2) %>%
  add_generator("c", customer, function() rexp(1, 1/2)) %>% run(until = 480)
END
foreign "R with simmer"

cat >"$work/text" <<'END'
Population = INTEG ( births - deaths, 1000)
	~	people
	~		|
births = Population * birth rate
	~	people/Year
	~		|
birth rate = 0.03
	~	1/Year
	~		|
INITIAL TIME  = 0
FINAL TIME  = 100
TIME STEP  = 0.125
END
foreign "Vensim or Stella"

cat >"$work/text" <<'END'
Population(t) = Population(t - dt) + (births - deaths) * dt
    INIT Population = 1000
    INFLOWS:
        births = Population*0.03
END
foreign "Vensim or Stella"

cat >"$work/text" <<'END'
"""A workshop with one mechanic; simulate the system for a day."""
import random
import simpy

def mechanic(env, name, lift, repair):
    came = env.now
    with lift.request() as turn:
        yield turn
        print(f'{name} waited {env.now - came:.1f}')
        yield env.timeout(random.expovariate(1/repair))

env = simpy.Environment()
lift = simpy.Resource(env, capacity=1)
for k in range(10):
    env.process(mechanic(env, f'car {k}', lift, 30))
env.run(until=480)
END
foreign "SimPy (Python)"

cat >"$work/text" <<'END'
# Two masses and a spring.
import numpy as np
from scipy.integrate import solve_ivp

k, m = 3.0, 0.5

def rhs(t, y):
    return [y[1], -k/m*y[0]]

sol = solve_ivp(rhs, (0, 10), [1, 0], rtol=1e-8)
print(sol.y[:, -1])
END
foreign "Python"

cat >"$work/text" <<'END'
model Tank "Water runs out of a tank"
  import SI = Modelica.Units.SI;
  parameter Real k(unit = "m2.5/s") = 0.1;
  Real h(start = 2, fixed = true);
equation
  der(h) = -k*sqrt(max(h, 0));
  when h < 0.5 then
    terminate("low");
  end when;
  annotation (experiment(StopTime = 10));
end Tank;
END
foreign "Modelica"

cat >"$work/text" <<'END'
within Plant;
package Parts
  connector Pin
    Real v;
    flow Real i;
  end Pin;
end Parts;
END
foreign "Modelica"

cat >"$work/text" <<'END'
% Van der Pol with a switch
clear all; clc
mu = 5;
[t, y] = ode15s(@(t, y) [y(2); mu*(1 - y(1).^2).*y(2) - y(1)], [0 20], [2; 0]);
plot(t, y(:, 1)), grid on
END
foreign "MATLAB or Simulink"

cat >"$work/text" <<'END'
function dx = pump(t, x)
dx = zeros(2, 1);
dx(1) = x(2);
dx(2) = -x(1);
end
END
foreign "MATLAB or Simulink"

cat >"$work/text" <<'END'
new_system('tank'); open_system('tank');
add_block('simulink/Continuous/Integrator', 'tank/Level');
set_param('tank', 'StopTime', '10');
out = sim('tank');
END
foreign "MATLAB or Simulink"

cat >"$work/text" <<'END'
using DifferentialEquations
function prey!(du, u, p, t)
    du[1] = p[1]*u[1] - p[2]*u[1]*u[2]
    du[2] = p[2]*u[1]*u[2] - p[3]*u[2]
end
prob = ODEProblem(prey!, [1.0, 1.0], (0.0, 10.0), [1.5, 1.0, 3.0])
sol = solve(prob, Tsit5(), reltol = 1e-8)
END
foreign "Julia"

cat >"$work/text" <<'END'
library(deSolve)
flu <- function(time, state, parameters) {
  with(as.list(c(state, parameters)), {
    dI <- beta*S*I - gamma*I
    list(c(-beta*S*I, dI))
  })
}
END
foreign "R"

cat >"$work/text" <<'END'
#include <stdio.h>

int main(void)
{
    double x = 1.0, h = 0.01;
    for (int k = 0; k < 100; k++)
        x -= h*x;
    printf("%g\n", x);
    return 0;
}
END
foreign "C"

# ---- COSY with mistakes
cat >"$work/text" <<'END'
(* Pasted in from import simpy and env.process( of another program. *)
PROGRAM SHOP;
VAR STATE X;
equation
  der(X) = -X;
  parameter Real k = 1;
model Tank
end Tank;
def rhs(t, y):
  yield env.timeout(5)
END.
END
near "a program with pieces of others"

cat >"$work/text" <<'END'
VAR STATE X;
EXPERIMENT SIMULATE FROM 0 TO 1 END;
SYSTEM CONTINUOUS der(X) = -X; connect(X, X); reinit(X, 0) END END;
END.
END
near "a program without its first line"

cat >"$work/text" <<'END'
program small;
var state x;
system continuous
  equation der(x) = -x
end end;
end.
END
near "a program in small letters"

cat >"$work/text" <<'END'
PROGARM SLIP;
VAR ALGEBR Y; STATE X;
EXPERIMENT SIMULATE FROM 0 TO 1 END;
SYSTEM CONTINUOUS X' = Y; Y = 1 END END
END.
END
near "a slip in its first word"

cat >"$work/text" <<'END'
model of a tank, to be written; see der(h) in the book
END
near "a text of one sign"

cat >"$work/text" <<'END'
MACRO LAG (Y <- U); MACVAR STATE X; MACCONTIN X' = U - X; Y = X MACEND MACEND;
END
near "a macro alone"

: >"$work/text"
near "nothing"

printf 'import\0simpy\377' >"$work/text"
near "bytes"

finish
