package petrichor.frontends.datastore;

import com.google.protobuf.Message;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import petrichor.base.Cancellation;
import petrichor.entities.Datastore;
import petrichor.rpc.CallFailure;

/**
 * Runs requests away from the network threads, in three lanes so that no kind of request can starve
 * another: reads and writes each have a few platform threads (synced native writes from virtual
 * threads would pin the carriers they share), and reads inside transactions, which may wait for
 * locks that only a later commit gives back, have a virtual thread each.
 *
 * <p>Pages have lanes of their own: health and metrics answer while all requests are stuck.
 *
 * <p>Every lane has a bounded queue; a request that finds it full is refused with UNAVAILABLE
 * before any work was done for it, so that the client may repeat it.
 */
final class Dispatcher implements AutoCloseable {
    private static final int HEALTH_THREADS = 2;
    private static final int PAGE_THREADS = 8;
    private static final int PAGES_QUEUED_MAX = 100;

    private volatile Datastore datastore;
    private final ThreadPoolExecutor reads;
    private final ThreadPoolExecutor writes;
    private final ExecutorService locks;
    private final ThreadPoolExecutor health;
    private final ThreadPoolExecutor pages;
    private final Semaphore lockWaiters;
    private final boolean readsOnNetworkThreads;

    Dispatcher(Datastore datastore, FrontEndSettings.Execution settings) {
        this.datastore = datastore;
        this.reads = pool("datastore-read-", settings.readThreads(), settings.queuedCallsMax());
        this.writes = pool("datastore-write-", settings.writeThreads(), settings.queuedCallsMax());
        this.locks =
                Executors.newThreadPerTaskExecutor(
                        Thread.ofVirtual().name("datastore-lock-", 0).factory());
        this.health = pool("health-", HEALTH_THREADS, PAGES_QUEUED_MAX);
        this.pages = pool("page-", PAGE_THREADS, PAGES_QUEUED_MAX);
        this.lockWaiters = new Semaphore(settings.queuedCallsMax());
        this.readsOnNetworkThreads = settings.readsOnNetworkThreads();
    }

    /** Calls that have not started go to another datastore. */
    void serve(Datastore other) {
        datastore = other;
    }

    /**
     * Runs a call in its lane. Never throws: every failure is in the future. Completes on a thread
     * of some lane.
     *
     * @param cancellation ends the work when the client has left or waited too long
     */
    CompletableFuture<byte[]> execute(
            DatastoreMethod method, Message request, Cancellation cancellation) {
        CompletableFuture<byte[]> answer = new CompletableFuture<>();
        Runnable call = () -> run(method, request, cancellation, answer);
        try {
            switch (method.lane(request)) {
                case READS -> {
                    if (readsOnNetworkThreads) {
                        call.run();
                    } else {
                        reads.execute(call);
                    }
                }
                case WRITES -> writes.execute(call);
                case LOCKS -> runWaiting(call);
            }
        } catch (RejectedExecutionException full) {
            answer.completeExceptionally(CallFailure.overloaded());
        }
        return answer;
    }

    /** Runs something short that belongs to a request but is too long for a network thread. */
    <T> CompletableFuture<T> prepare(Supplier<T> work) {
        try {
            return CompletableFuture.supplyAsync(work, reads);
        } catch (RejectedExecutionException full) {
            return CompletableFuture.failedFuture(CallFailure.overloaded());
        }
    }

    /** Answers a page in its lane. */
    <T> CompletableFuture<T> page(Page.Lane lane, Supplier<T> answer) {
        try {
            return switch (lane) {
                case AT_ONCE -> CompletableFuture.completedFuture(answer.get());
                case HEALTH -> CompletableFuture.supplyAsync(answer, health);
                case WORK -> CompletableFuture.supplyAsync(answer, pages);
            };
        } catch (RejectedExecutionException full) {
            return CompletableFuture.failedFuture(CallFailure.overloaded());
        }
    }

    /** Runs the refusal of a request; always, and never on the calling thread. */
    void refuse(Runnable refusal) {
        locks.execute(refusal);
    }

    private void runWaiting(Runnable call) {
        if (!lockWaiters.tryAcquire()) {
            throw new RejectedExecutionException("too many transactions wait");
        }
        locks.execute(
                () -> {
                    try {
                        call.run();
                    } finally {
                        lockWaiters.release();
                    }
                });
    }

    // every exception becomes the caller's response; otherwise the caller would wait forever
    @SuppressWarnings("CatchThrowable")
    private void run(
            DatastoreMethod method,
            Message request,
            Cancellation cancellation,
            CompletableFuture<byte[]> answer) {
        try {
            cancellation.check();
            var _ =
                    cancellation
                            .call(() -> method.call(datastore, request))
                            .whenComplete(
                                    (bytes, failure) -> {
                                        if (failure == null) {
                                            answer.complete(bytes);
                                        } else {
                                            answer.completeExceptionally(failure);
                                        }
                                    });
        } catch (Throwable failure) {
            answer.completeExceptionally(failure);
        }
    }

    private static ThreadPoolExecutor pool(String name, int threads, int queued) {
        ThreadFactory factory = Thread.ofPlatform().name(name, 0).daemon().factory();
        return new ThreadPoolExecutor(
                threads, threads, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>(queued), factory);
    }

    int queued() {
        return reads.getQueue().size() + writes.getQueue().size();
    }

    /** Waits for what runs, at most as long as given, then interrupts it. */
    void close(Duration patience) {
        reads.shutdown();
        writes.shutdown();
        locks.shutdown();
        health.shutdown();
        pages.shutdown();
        try {
            long until = System.nanoTime() + patience.toNanos();
            for (ExecutorService lane :
                    new ExecutorService[] {reads, writes, locks, health, pages}) {
                if (!lane.awaitTermination(
                        Math.max(0, until - System.nanoTime()), TimeUnit.NANOSECONDS)) {
                    var _ = lane.shutdownNow();
                }
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        close(Duration.ofSeconds(5));
    }
}
