package petrichor.transactions.scheduling;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class ThreadLoopTest {
    private static final long SECONDS_MAX = 30;

    private final ConcurrentLinkedQueue<Runnable> queue = new ConcurrentLinkedQueue<>();
    private final List<Thread> threads = new CopyOnWriteArrayList<>();
    private final AtomicInteger turns = new AtomicInteger();
    private final AtomicInteger overlaps = new AtomicInteger();
    private final ThreadLoop loop =
            new ThreadLoop(
                    "test",
                    new EventLoop.Work() {
                        @Override
                        public boolean isWaiting() {
                            return !queue.isEmpty();
                        }

                        @Override
                        public void turn() {
                            overlaps.addAndGet(turns.getAndIncrement() == 0 ? 0 : 1);
                            Runnable event = queue.poll();
                            if (event != null) {
                                threads.add(Thread.currentThread());
                                event.run();
                            }
                            turns.decrementAndGet();
                        }
                    });

    @AfterEach
    void close() {
        loop.close();
        assertThat(overlaps).hasValue(0);
    }

    private CompletableFuture<Void> event(Runnable during) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        queue.add(
                () -> {
                    during.run();
                    done.complete(null);
                });
        return done;
    }

    private static void await(CompletableFuture<Void> done) throws Exception {
        done.get(SECONDS_MAX, TimeUnit.SECONDS);
    }

    @Test
    void aCallerOnAPlatformThreadTakesTheTurnItself() {
        CompletableFuture<Void> done = event(() -> {});
        loop.wakeOrTakeTurn();
        assertThat(done).isDone();
        assertThat(threads).containsExactly(Thread.currentThread());
    }

    @Test
    void workQueuedDuringACallersTurnIsDoneByTheLoop() throws Exception {
        List<CompletableFuture<Void>> second = new CopyOnWriteArrayList<>();
        var _ =
                event(
                        () -> {
                            second.add(event(() -> {}));
                            loop.wake();
                        });
        loop.wakeOrTakeTurn();
        await(second.getFirst());
        assertThat(threads).hasSize(2);
        assertThat(threads.getLast()).isNotEqualTo(Thread.currentThread());
    }

    @Test
    void aVirtualThreadLeavesTheTurnToTheLoop() throws Exception {
        CompletableFuture<Void> done = event(() -> {});
        Thread caller = Thread.startVirtualThread(loop::wakeOrTakeTurn);
        await(done);
        assertThat(threads).hasSize(1).doesNotContain(caller);
    }

    @Test
    void manyThreadsLoseNoEvent() throws Exception {
        List<CompletableFuture<Void>> all = new CopyOnWriteArrayList<>();
        List<Thread> callers = new CopyOnWriteArrayList<>();
        for (int i = 0; i < 8; i++) {
            boolean virtual = i % 2 == 0;
            Runnable work =
                    () -> {
                        for (int event = 0; event < 500; event++) {
                            all.add(event(() -> {}));
                            if (event % 3 == 0) {
                                loop.wake();
                            } else {
                                loop.wakeOrTakeTurn();
                            }
                        }
                    };
            callers.add(
                    virtual ? Thread.startVirtualThread(work) : Thread.ofPlatform().start(work));
        }
        for (Thread caller : callers) {
            caller.join();
        }
        for (CompletableFuture<Void> each : all) {
            await(each);
        }
        assertThat(threads).hasSize(4_000);
    }

    @Test
    void queuedWorkIsDoneEvenAfterClosing() throws Exception {
        CompletableFuture<Void> done = event(() -> {});
        loop.close();
        await(done);
    }
}
