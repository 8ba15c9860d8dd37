package petrichor.kv.ranges;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.Semaphore;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Scheduler that runs one thread at a time, chosen at random, and switches threads at every call of
 * a store. Processes crash at random, and their pending calls may still take effect, much later.
 * The same seed replays the same run.
 */
final class Turns {
    /** A crashed process. Nothing in the code under test catches it. */
    static final class Died extends Error {
        private static final long serialVersionUID = 1L;
    }

    private static final int STEPS_MAX = 200_000;

    private static final class Worker {
        final int process;
        final Semaphore turn = new Semaphore(0);
        boolean ended;
        int stalledSteps;

        Worker(int process) {
            this.process = process;
        }
    }

    private final SplittableRandom random;
    private final Semaphore back = new Semaphore(0);
    private final List<Worker> workers = new ArrayList<>();
    private final List<Runnable> late = new ArrayList<>();
    private final Set<Integer> dead = new HashSet<>();
    private @Nullable Worker running;
    private @Nullable Throwable failure;
    private int deathsLeft;
    private int steps;

    Turns(SplittableRandom random, int deaths) {
        this.random = random;
        this.deathsLeft = deaths;
    }

    /** Starts a thread of this process, which waits for its first turn. */
    void start(int process, Runnable work) {
        Worker worker = new Worker(process);
        workers.add(worker);
        Thread.ofVirtual()
                .start(
                        () -> {
                            worker.turn.acquireUninterruptibly();
                            try {
                                if (!dead.contains(process)) {
                                    work.run();
                                }
                            } catch (Throwable e) {
                                if (!dead.contains(process) && failure == null) {
                                    failure = e;
                                }
                            } finally {
                                worker.ended = true;
                                back.release();
                            }
                        });
    }

    /** Runs until all threads have ended; then applies delayed effects. */
    void run() {
        while (failure == null) {
            if (++steps > STEPS_MAX) {
                throw new AssertionError("it does not come to an end");
            }
            workers.removeIf(worker -> worker.ended);
            if (workers.isEmpty()) {
                break;
            }
            perhapsLate();
            Worker next = workers.get(random.nextInt(workers.size()));
            if (next.stalledSteps > 0) {
                next.stalledSteps--;
                continue;
            }
            running = next;
            next.turn.release();
            back.acquireUninterruptibly();
        }
        if (failure != null) {
            throw new AssertionError(failure.toString(), failure);
        }
        running = null;
        while (!late.isEmpty()) {
            late.remove(random.nextInt(late.size())).run();
        }
    }

    private void perhapsLate() {
        if (!late.isEmpty() && random.nextInt(40) == 0) {
            late.remove(random.nextInt(late.size())).run();
        }
    }

    /** A call of the store by the thread whose turn it is. */
    <T> T call(Supplier<T> effect) {
        Worker worker = running;
        if (worker == null) {
            return effect.get();
        }
        giveTurn(worker);
        if (dead.contains(worker.process)) {
            if (random.nextBoolean()) {
                late.add(() -> drop(effect.get()));
            }
            throw new Died();
        }
        T result = effect.get();
        giveTurn(worker);
        if (dead.contains(worker.process)) {
            throw new Died();
        }
        return result;
    }

    /** No caller waits for the result any more. */
    private static void drop(Object ignored) {}

    void pause(Duration ignored) {
        call(() -> true);
    }

    private void giveTurn(Worker worker) {
        if (deathsLeft > 0 && random.nextInt(300) == 0) {
            deathsLeft--;
            dead.add(worker.process);
        }
        if (random.nextInt(100) == 0) {
            worker.stalledSteps = random.nextInt(300);
        }
        back.release();
        worker.turn.acquireUninterruptibly();
        running = worker;
    }

    boolean isDead(int process) {
        return dead.contains(process);
    }
}
