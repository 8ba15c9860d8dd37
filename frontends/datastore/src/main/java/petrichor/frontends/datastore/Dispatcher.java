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
import org.jspecify.annotations.Nullable;
import petrichor.base.Cancellation;
import petrichor.entities.Datastore;
import petrichor.frontends.http.Page;
import petrichor.rpc.CallFailure;

/**
 * Runs requests off the network threads, in three lanes, so that no kind of request can starve
 * another. Reads and writes each have a few platform threads (synced native writes on virtual
 * threads would pin the shared carriers). Reads in transactions, which may wait for locks that only
 * a later commit releases, each have a virtual thread.
 *
 * <p>Pages have separate lanes: health and metrics respond even if all requests are stuck. Calls of
 * apps each have a virtual thread, because most of them wait for something.
 *
 * <p>Every lane has a bounded queue. If it is full, a request is refused with UNAVAILABLE before
 * any work was done for it, so that the client can safely retry.
 */
final class Dispatcher implements AutoCloseable {
    private static final int HEALTH_THREADS = 2;
    private static final int PAGE_THREADS = 8;
    private static final int PAGES_QUEUED_MAX = 100;

    /** Calls of apps under way; more are refused. */
    private static final int CALLS_MAX = 4_096;

    private volatile Datastore datastore;
    private volatile @Nullable CallRoute route;
    private final ThreadPoolExecutor reads;
    private final ThreadPoolExecutor writes;
    private final ExecutorService locks;
    private final ThreadPoolExecutor health;
    private final ThreadPoolExecutor pages;
    private final ExecutorService calls;
    private final Semaphore lockWaiters;
    private final Semaphore callers = new Semaphore(CALLS_MAX);
    private final boolean readsOnNetworkThreads;

    Dispatcher(Datastore datastore, FrontEndSettings.Execution settings) {
        this.datastore = datastore;
        this.reads = pool("datastore-read-", settings.readThreads(), settings.queuedCallsMax());
        this.writes = pool("datastore-write-", settings.writeThreads(), settings.queuedCallsMax());
        this.locks =
                Executors.newThreadPerTaskExecutor(
                        Thread.ofVirtual().name("datastore-lock-", 0).factory());
        this.calls =
                Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("call-", 0).factory());
        this.health = pool("health-", HEALTH_THREADS, PAGES_QUEUED_MAX);
        this.pages = pool("page-", PAGE_THREADS, PAGES_QUEUED_MAX);
        this.lockWaiters = new Semaphore(settings.queuedCallsMax());
        this.readsOnNetworkThreads = settings.readsOnNetworkThreads();
    }

    /** Sends calls that have not started to another datastore. */
    void serve(Datastore other) {
        datastore = other;
    }

    /** From now on, calls go this way. */
    void route(CallRoute calls) {
        route = calls;
    }

    /**
     * Runs a call in its lane, or on its route. Never throws: every failure completes the future.
     * Completes on a lane's thread.
     *
     * @param cancellation ends the work when the client disconnects or the timeout expires
     */
    CompletableFuture<byte[]> execute(
            DatastoreMethod method, Message request, Cancellation cancellation) {
        CallRoute calls = route;
        return calls == null
                ? executeHere(method, request, cancellation)
                : calls.answer(
                        new CallRoute.Call(
                                method.project(request),
                                method.databaseId(request),
                                method.rpcName(),
                                request,
                                cancellation,
                                own -> executeHere(method, own, cancellation)));
    }

    private CompletableFuture<byte[]> executeHere(
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

    /** Runs short work of a request that would block a network thread for too long. */
    <T> CompletableFuture<T> prepare(Supplier<T> work) {
        try {
            return CompletableFuture.supplyAsync(work, reads);
        } catch (RejectedExecutionException full) {
            return CompletableFuture.failedFuture(CallFailure.overloaded());
        }
    }

    /** Runs a page in its lane. */
    <T> CompletableFuture<T> page(Page.Lane lane, Supplier<T> answer) {
        try {
            return switch (lane) {
                case AT_ONCE -> CompletableFuture.completedFuture(answer.get());
                case HEALTH -> CompletableFuture.supplyAsync(answer, health);
                case WORK -> CompletableFuture.supplyAsync(answer, pages);
                case CALLS -> called(answer);
            };
        } catch (RejectedExecutionException full) {
            return CompletableFuture.failedFuture(CallFailure.overloaded());
        }
    }

    private <T> CompletableFuture<T> called(Supplier<T> answer) {
        if (!callers.tryAcquire()) {
            throw new RejectedExecutionException("too many calls of apps");
        }
        try {
            return CompletableFuture.supplyAsync(answer, calls)
                    .whenComplete((_, _) -> callers.release());
        } catch (RejectedExecutionException stopping) {
            callers.release();
            throw stopping;
        }
    }

    /** Runs the refusal of a request, even under overload, and never on the calling thread. */
    void refuse(Runnable refusal) {
        locks.execute(refusal);
    }

    private void runWaiting(Runnable call) {
        if (!lockWaiters.tryAcquire()) {
            throw new RejectedExecutionException("too many transactions are waiting");
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

    // every exception becomes the caller's response; otherwise the caller would wait indefinitely
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

    /** Waits for running calls, at most for the given time, then interrupts them. */
    void close(Duration timeout) {
        reads.shutdown();
        writes.shutdown();
        locks.shutdown();
        calls.shutdown();
        health.shutdown();
        pages.shutdown();
        try {
            long until = System.nanoTime() + timeout.toNanos();
            for (ExecutorService lane :
                    new ExecutorService[] {reads, writes, locks, calls, health, pages}) {
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
