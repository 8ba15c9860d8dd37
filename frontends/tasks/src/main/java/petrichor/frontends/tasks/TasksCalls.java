package petrichor.frontends.tasks;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import petrichor.base.Cancellation;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.entities.EntityDatabases;
import petrichor.rpc.Locality;
import petrichor.rpc.RoutedCall;
import petrichor.rpc.RoutedService;
import petrichor.rpc.Routing;

/**
 * Executes methods on the owner of the project's default database, which holds the queues. The
 * server that received a request has checked the caller's role. Thread-safe; {@link #call} blocks.
 */
record TasksCalls(Routing routing) {
    /** A purge of a large queue takes long; the rest of it can be requested again. */
    private static final Duration CALL_TIME_MAX = Duration.ofMinutes(1);

    /** Fails with the exception of the owner, or one about the search for it. */
    <Q extends Message, R extends Message> R call(TasksMethod<Q, R> method, Q request) {
        Cancellation within = Cancellation.after(CALL_TIME_MAX.toNanos());
        byte[] answer = within.limit(routing.call(new Call<>(method, request, within))).join();
        return parsed(method.response(), answer);
    }

    /**
     * The methods of one service, as other servers call them.
     *
     * @param name the part of the methods' names before the slash
     */
    record Service(String name, List<TasksMethod<?, ?>> methods) implements RoutedService {
        @Override
        public RoutedCall decode(Forwarded call) {
            TasksMethod<?, ?> method =
                    methods.stream()
                            .filter(one -> one.name().equals(call.method()))
                            .findFirst()
                            .orElseThrow(() -> RoutedService.unknown(call.method()));
            return decoded(method, call);
        }

        private static <Q extends Message, R extends Message> RoutedCall decoded(
                TasksMethod<Q, R> method, Forwarded call) {
            return new Call<>(method, parsed(method.request(), call.body()), call.cancellation());
        }
    }

    // an instance's parser parses the instance's type
    @SuppressWarnings("unchecked")
    private static <M extends Message> M parsed(M empty, byte[] bytes) {
        try {
            return (M) empty.getParserForType().parseFrom(bytes);
        } catch (InvalidProtocolBufferException damaged) {
            throw PetrichorException.of(
                    ErrorCode.INVALID_ARGUMENT,
                    damaged,
                    "a message of another server cannot be read; do all servers run the same"
                            + " version?");
        }
    }

    /** Runs on a virtual thread, because methods block. */
    private record Call<Q extends Message, R extends Message>(
            TasksMethod<Q, R> of, Q request, Cancellation cancellation) implements RoutedCall {
        @Override
        public String method() {
            return of.name();
        }

        @Override
        public String database() {
            return EntityDatabases.name(of.project().apply(request), "");
        }

        @Override
        public Locality locality() {
            return Locality.OWNER;
        }

        @Override
        public byte[] body() {
            return request.toByteArray();
        }

        @Override
        public CompletableFuture<byte[]> execute() {
            CompletableFuture<byte[]> answer = new CompletableFuture<>();
            Thread.ofVirtual().name("cloud-tasks").start(() -> run(answer));
            return answer;
        }

        // every failure becomes the caller's response; otherwise the caller would wait
        @SuppressWarnings("CatchThrowable")
        private void run(CompletableFuture<byte[]> answer) {
            try {
                cancellation.check();
                answer.complete(cancellation.call(() -> of.work().apply(request)).toByteArray());
            } catch (Throwable failure) {
                answer.completeExceptionally(failure);
            }
        }
    }
}
