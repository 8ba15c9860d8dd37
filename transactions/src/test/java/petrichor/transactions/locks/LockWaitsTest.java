package petrichor.transactions.locks;

import static org.assertj.core.api.Assertions.assertThat;
import static petrichor.transactions.databases.Rows.bytes;
import static petrichor.transactions.databases.Rows.range;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import petrichor.base.Cancellation;
import petrichor.transactions.TransactionLimits;
import petrichor.transactions.databases.TestTime;
import petrichor.transactions.locks.LockTable.Owner;
import petrichor.transactions.scheduling.EventLoop;
import petrichor.transactions.scheduling.Scheduler;

/** Asynchronous waits for locks: no thread waits here, and the scheduler runs on request. */
class LockWaitsTest {
    private static final byte[] KEY = bytes("a");

    private final EventScheduler scheduler = new EventScheduler();
    private final AtomicLong ages = new AtomicLong();
    private final LockWaits waits =
            new LockWaits(
                    TransactionLimits.DEFAULT.withLockWait(Duration.ofSeconds(5)),
                    new TestTime(),
                    scheduler,
                    ages::incrementAndGet);

    /** Runs completions and timed waits on request. */
    private static final class EventScheduler implements Scheduler {
        private final Deque<Runnable> completions = new ArrayDeque<>();
        private final Deque<Runnable> naps = new ArrayDeque<>();

        @Override
        public void run(Runnable task) {
            completions.add(task);
        }

        @Override
        public void runLater(Runnable task, Duration delay) {
            naps.add(task);
        }

        @Override
        public void runAtDeadline(Runnable end, Duration after) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Chore repeat(Runnable chore, Duration period) {
            throw new UnsupportedOperationException();
        }

        @Override
        public EventLoop loop(String name, EventLoop.Work work) {
            throw new UnsupportedOperationException();
        }

        void complete() {
            while (!completions.isEmpty()) {
                completions.remove().run();
            }
        }

        /** Ends the current nap of every waiter; a wait of five seconds takes three naps. */
        void nap() {
            for (int count = naps.size(); count > 0; count--) {
                naps.remove().run();
            }
            complete();
        }
    }

    private CompletableFuture<LockOutcome> write(Owner owner, byte[] key) {
        return waits.acquire(List.of(LockTable.exclusive(owner, key)));
    }

    @Test
    void aReleasedLockIsHandedOverInTheOrderOfArrival() {
        Owner holder = new Owner();
        assertThat(write(holder, KEY)).isCompletedWithValue(LockOutcome.GRANTED);
        List<Owner> queue = new ArrayList<>();
        List<CompletableFuture<LockOutcome>> results = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            queue.add(new Owner());
            results.add(write(queue.get(i), KEY));
        }
        assertThat(waits.waits()).isEqualTo(10);
        waits.release(holder);
        for (int i = 0; i < 10; i++) {
            scheduler.complete();
            assertThat(results.subList(0, i + 1))
                    .allSatisfy(done -> assertThat(done).isCompletedWithValue(LockOutcome.GRANTED));
            assertThat(results.subList(i + 1, 10))
                    .allSatisfy(later -> assertThat(later).isNotDone());
            // A late owner does not get locks that belong to waiting ones.
            Owner late = new Owner();
            CompletableFuture<LockOutcome> barging = write(late, KEY);
            assertThat(barging).isNotDone();
            waits.release(late);
            waits.release(queue.get(i));
        }
        scheduler.complete();
        assertThat(waits.waits()).isZero();
        assertThat(waits.idle()).isTrue();
    }

    @Test
    void aWaitThatEndsAtItsLimitLeavesTheQueue() {
        Owner holder = new Owner();
        waits.offer(holder, range("a", "c"));
        Owner writer = new Owner();
        CompletableFuture<LockOutcome> write = write(writer, KEY);
        Owner reader = new Owner();
        CompletableFuture<LockOutcome> read = waits.acquireToRead(reader, List.of(KEY));
        assertThat(read).as("behind the writer").isNotDone();
        scheduler.nap();
        scheduler.nap();
        assertThat(write).isNotDone();
        scheduler.nap();
        assertThat(write).isCompletedWithValue(LockOutcome.TIMED_OUT);
        assertThat(read).isCompletedWithValue(LockOutcome.GRANTED);
    }

    @Test
    void theLimitIsForAllLocksTogether() {
        Owner one = new Owner();
        Owner two = new Owner();
        assertThat(write(one, KEY)).isDone();
        assertThat(write(two, bytes("b"))).isDone();
        Owner both = new Owner();
        CompletableFuture<LockOutcome> result =
                waits.acquire(
                        List.of(
                                LockTable.exclusive(both, KEY),
                                LockTable.exclusive(both, bytes("b"))));
        scheduler.nap();
        scheduler.nap();
        waits.release(one);
        assertThat(result).as("waits for the second one").isNotDone();
        scheduler.nap();
        assertThat(result).isCompletedWithValue(LockOutcome.TIMED_OUT);
    }

    @Test
    void whenTheClientLeavesItsWaitEnds() {
        Owner holder = new Owner();
        assertThat(write(holder, KEY)).isDone();
        Cancellation caller = Cancellation.after(TimeUnit.HOURS.toNanos(1));
        List<CompletableFuture<LockOutcome>> result = new ArrayList<>();
        Owner gone = new Owner();
        caller.run(() -> result.add(write(gone, KEY)));
        Owner next = new Owner();
        CompletableFuture<LockOutcome> behind = write(next, KEY);
        caller.cancel();
        waits.release(holder);
        scheduler.complete();
        assertThat(result.getFirst()).isCompletedWithValue(LockOutcome.TIMED_OUT);
        assertThat(behind).isCompletedWithValue(LockOutcome.GRANTED);
    }

    @Test
    void aCallerPastItsDeadlineDoesNotWait() {
        Owner holder = new Owner();
        assertThat(write(holder, KEY)).isDone();
        Cancellation.after(0)
                .run(
                        () ->
                                assertThat(write(new Owner(), KEY))
                                        .isCompletedWithValue(LockOutcome.TIMED_OUT));
    }

    @Test
    void anOwnerWhoseLocksAreTakenStopsWaiting() {
        Owner eldest = new Owner(ages.incrementAndGet());
        Owner holder = new Owner();
        assertThat(write(holder, bytes("b"))).isDone();
        Owner youngest = new Owner();
        assertThat(write(youngest, KEY)).isDone();
        CompletableFuture<LockOutcome> second = write(youngest, bytes("b"));
        assertThat(write(eldest, KEY)).isCompletedWithValue(LockOutcome.GRANTED);
        scheduler.complete();
        assertThat(second).isCompletedWithValue(LockOutcome.TAKEN);
    }

    @Test
    void aReleasedOwnerStopsWaiting() {
        Owner holder = new Owner();
        assertThat(write(holder, KEY)).isDone();
        Owner waiter = new Owner();
        CompletableFuture<LockOutcome> result = write(waiter, KEY);
        waits.release(waiter);
        scheduler.complete();
        assertThat(result).isCompletedWithValue(LockOutcome.TAKEN);
        waits.release(holder);
        assertThat(waits.idle()).isTrue();
    }

    @Test
    void waitsAreBounded() {
        Owner holder = new Owner();
        assertThat(write(holder, KEY)).isDone();
        for (int i = 0; i < LockWaits.WAITS_MAX; i++) {
            assertThat(write(new Owner(), KEY)).isNotDone();
        }
        assertThat(write(new Owner(), KEY)).isCompletedWithValue(LockOutcome.TIMED_OUT);
    }

    @Test
    void closingEndsEveryWait() {
        Owner holder = new Owner();
        assertThat(write(holder, KEY)).isDone();
        CompletableFuture<LockOutcome> result = write(new Owner(), KEY);
        waits.close();
        scheduler.complete();
        assertThat(result).isCompletedWithValue(LockOutcome.TAKEN);
        assertThat(write(new Owner(), KEY)).isCompletedWithValue(LockOutcome.TIMED_OUT);
    }

    @Test
    void aRowThatItsReadersWriteIsReadByOneAtATime() {
        Owner first = new Owner();
        Owner second = new Owner();
        assertThat(waits.acquireToRead(first, List.of(KEY))).isDone();
        assertThat(waits.acquireToRead(second, List.of(KEY))).isDone();
        assertThat(write(first, KEY)).isCompletedWithValue(LockOutcome.GRANTED);
        waits.release(first);
        Owner third = new Owner();
        Owner fourth = new Owner();
        assertThat(waits.acquireToRead(third, List.of(KEY))).isDone();
        CompletableFuture<LockOutcome> read = waits.acquireToRead(fourth, List.of(KEY));
        assertThat(read).isNotDone();
        // It only read: from now on readers share the row again.
        waits.release(third);
        scheduler.complete();
        assertThat(read).isCompletedWithValue(LockOutcome.GRANTED);
        waits.release(fourth);
        assertThat(waits.acquireToRead(new Owner(), List.of(KEY))).isDone();
        assertThat(waits.acquireToRead(new Owner(), List.of(KEY))).isDone();
    }
}
