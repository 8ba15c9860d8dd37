package petrichor.frontends.http;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import petrichor.base.Cancellation;
import petrichor.entities.EntityDatabases;
import petrichor.rpc.CallFailure;
import petrichor.rpc.Locality;
import petrichor.rpc.RoutedCall;

/**
 * A call that the owner of a database executes.
 *
 * @param method as {@code package.Service/Method}
 * @param id of the database; empty for the default database of the project
 * @param request encodes the call, to forward it
 * @param thread runs the work at the owner: {@link #OWN_THREAD}, unless the work waits for nothing
 * @param work starts the call; its failures, thrown or in the future, are the caller's
 */
public record OwnerCall(
        String method,
        String project,
        String id,
        Supplier<byte[]> request,
        Cancellation cancellation,
        Executor thread,
        Work work)
        implements RoutedCall {
    /** A virtual thread per call, because services block and may have to open the database. */
    public static final Executor OWN_THREAD =
            work -> Thread.ofVirtual().name("owner-call").start(work);

    /** A call that the owner of a project's default database executes. */
    public OwnerCall(
            String method,
            String project,
            Supplier<byte[]> request,
            Cancellation cancellation,
            Executor thread,
            Work work) {
        this(method, project, "", request, cancellation, thread, work);
    }

    /** The work of a call. */
    @FunctionalInterface
    public interface Work {
        CompletableFuture<byte[]> start() throws Exception;
    }

    @Override
    public String database() {
        return EntityDatabases.name(project, id);
    }

    @Override
    public Locality locality() {
        return Locality.OWNER;
    }

    @Override
    public byte[] body() {
        return request.get();
    }

    @Override
    public CompletableFuture<byte[]> execute() {
        CompletableFuture<byte[]> answer = new CompletableFuture<>();
        thread.execute(() -> run(answer));
        return answer;
    }

    // every failure becomes the caller's response; otherwise the caller would wait
    @SuppressWarnings("CatchThrowable")
    private void run(CompletableFuture<byte[]> answer) {
        try {
            cancellation.check();
            var _ =
                    cancellation
                            .call(work::start)
                            .whenComplete(
                                    (response, failure) -> {
                                        if (failure == null) {
                                            answer.complete(response);
                                        } else {
                                            answer.completeExceptionally(
                                                    CallFailure.cause(failure));
                                        }
                                    });
        } catch (Throwable failure) {
            answer.completeExceptionally(failure);
        }
    }
}
