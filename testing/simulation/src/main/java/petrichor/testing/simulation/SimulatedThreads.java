package petrichor.testing.simulation;

import java.lang.reflect.Constructor;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Virtual threads on a single carrier thread: one of them runs at a time, in the order in which
 * they became runnable. The first thread is the driver, which decides what happens, and waits with
 * {@link #settle} until all others are blocked. Threads may block on locks, futures or other
 * parking without a timeout; monitors must be uncontended.
 *
 * <p>The carrier must not hold monitors: HotSpot treats them as monitors of the virtual thread.
 */
final class SimulatedThreads {
    private static final String DRIVER = "driver";

    /**
     * A constructor for the JDK's own tests, which needs {@code --add-opens java.base/java.lang}.
     */
    private static final Constructor<?> BUILDER = builder();

    private final Deque<Runnable> runnable = new ArrayDeque<>();

    /** Completed when the others are blocked; null while the driver runs. */
    private @Nullable CompletableFuture<Void> settled;

    private static Constructor<?> builder() {
        try {
            Constructor<?> builder =
                    Class.forName("java.lang.ThreadBuilders$VirtualThreadBuilder")
                            .getDeclaredConstructor(Executor.class);
            builder.setAccessible(true);
            return builder;
        } catch (ReflectiveOperationException other) {
            throw new IllegalStateException("this JDK has no such virtual threads", other);
        }
    }

    /** Returns the driver's result when all threads have ended or are blocked. */
    static <T> T simulate(Function<SimulatedThreads, T> driver) {
        CompletableFuture<T> result = new CompletableFuture<>();
        Thread carrier =
                Thread.ofPlatform()
                        .name("simulation")
                        .start(() -> new SimulatedThreads().carry(driver, result));
        try {
            carrier.join();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("the simulation was interrupted", interrupted);
        }
        return result.join();
    }

    private <T> void carry(Function<SimulatedThreads, T> driver, CompletableFuture<T> result) {
        start(
                DRIVER,
                () -> {
                    try {
                        result.complete(driver.apply(this));
                    } catch (RuntimeException | Error failed) {
                        result.completeExceptionally(failed);
                    }
                });
        while (true) {
            Runnable next = runnable.poll();
            if (next != null) {
                next.run();
                continue;
            }
            CompletableFuture<Void> waiting = settled;
            settled = null;
            if (result.isDone()) {
                return;
            }
            if (waiting == null) {
                result.completeExceptionally(
                        new IllegalStateException(
                                "deadlock: the driver waits for something that never happens"));
                return;
            }
            waiting.complete(null);
        }
    }

    static boolean inDriver() {
        return Thread.currentThread().getName().equals(DRIVER);
    }

    void start(String name, Runnable work) {
        Executor carrier = runnable::add;
        try {
            var builder = (Thread.Builder.OfVirtual) BUILDER.newInstance(carrier);
            builder.name(name).start(work);
        } catch (ReflectiveOperationException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    /** For the driver: waits until every other thread has ended or is blocked. */
    void settle() {
        CompletableFuture<Void> waiting = new CompletableFuture<>();
        settled = waiting;
        waiting.join();
    }
}
