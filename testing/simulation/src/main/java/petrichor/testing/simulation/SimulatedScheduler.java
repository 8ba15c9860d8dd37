package petrichor.testing.simulation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import petrichor.base.PetrichorException;
import petrichor.transactions.scheduling.EventLoop;
import petrichor.transactions.scheduling.Scheduler;

/** The threads of a process: event loops run when woken, other tasks when the seed decides. */
final class SimulatedScheduler implements Scheduler {
    /** Thread name of event loops, whose steps the simulation decides individually. */
    static final String LOOP = "loop";

    private final SimulatedThreads threads;
    private final List<Runnable> tasks = new ArrayList<>();
    private final List<Runnable> chores = new ArrayList<>();
    private int alive;

    SimulatedScheduler(SimulatedThreads threads) {
        this.threads = threads;
    }

    @Override
    public void run(Runnable task) {
        tasks.add(task);
    }

    /** A delayed task may run at any time. */
    @Override
    public void runLater(Runnable task, Duration delay) {
        run(task);
    }

    @Override
    public void runAtDeadline(Runnable end, Duration after) {
        run(end);
    }

    @Override
    public Chore repeat(Runnable chore, Duration period) {
        chores.add(chore);
        return () -> chores.remove(chore);
    }

    @Override
    public EventLoop loop(String name, EventLoop.Work work) {
        return new Loop(work);
    }

    /** Whether no task is waiting; periodic chores always are. */
    boolean idle() {
        return tasks.isEmpty();
    }

    /** Starts one task, or occasionally a chore. */
    void startOne(SeededRandom chance) {
        int which = chance.below(tasks.size() + chores.size() + 1);
        if (which < tasks.size()) {
            start("task", tasks.remove(which));
        } else if (which < tasks.size() + chores.size()) {
            start("chore", guarded(chores.get(which - tasks.size())));
        }
    }

    /** Repeats a failed chore, as the production scheduler does. */
    private static Runnable guarded(Runnable chore) {
        return () -> {
            try {
                chore.run();
            } catch (PetrichorException failed) {
                // The store was unreachable.
            }
        };
    }

    /** Number of threads that have not ended. */
    int alive() {
        return alive;
    }

    private void start(String name, Runnable work) {
        alive++;
        threads.start(
                name,
                () -> {
                    try {
                        work.run();
                    } finally {
                        alive--;
                    }
                });
    }

    private final class Loop implements EventLoop {
        private final Work work;
        private boolean running;

        Loop(Work work) {
            this.work = work;
        }

        @Override
        public void wake() {
            if (!running) {
                running = true;
                start(LOOP, this::takeTurns);
            }
        }

        @Override
        public void wakeOrTakeTurn() {
            wake();
        }

        private void takeTurns() {
            try {
                while (work.isWaiting()) {
                    work.turn();
                }
            } finally {
                running = false;
            }
        }

        @Override
        public void close() {}
    }
}
