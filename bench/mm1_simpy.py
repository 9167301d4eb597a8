"""M/M/1 in SimPy, for comparison where it is installed: customers per second.

    mm1_simpy.py [CUSTOMERS]
"""

import random
import sys
import time

import simpy


class Desk:
    def __init__(self, env, customers):
        self.env = env
        self.server = simpy.Resource(env, capacity=1)
        self.customers = customers
        self.served = 0
        self.waited = 0.0
        self.done = env.event()

    def visit(self):
        came = self.env.now
        with self.server.request() as turn:
            yield turn
            self.waited += self.env.now - came
            yield self.env.timeout(random.expovariate(1.0))
        self.served += 1
        if self.served == self.customers:
            self.done.succeed()

    def arrivals(self):
        while True:
            yield self.env.timeout(random.expovariate(0.8))
            self.env.process(self.visit())


def main():
    customers = int(sys.argv[1]) if len(sys.argv) > 1 else 100000
    random.seed(1)
    begun = time.process_time()
    env = simpy.Environment()
    desk = Desk(env, customers)
    env.process(desk.arrivals())
    env.run(until=desk.done)
    seconds = time.process_time() - begun
    print(
        "SimPy %s, %d customers: %.3g/s, mean wait %.3f"
        % (simpy.__version__, customers, customers / seconds,
           desk.waited / customers)
    )


main()
