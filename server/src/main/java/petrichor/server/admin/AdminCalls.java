package petrichor.server.admin;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import petrichor.base.Cancellation;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.entities.EntityDatabases;
import petrichor.frontends.access.Caller;
import petrichor.frontends.access.Role;
import petrichor.frontends.access.Scope;
import petrichor.rpc.Locality;
import petrichor.rpc.RoutedCall;
import petrichor.rpc.RoutedService;
import petrichor.rpc.Routing;
import petrichor.server.admin.wire.AdminCaller;
import petrichor.server.admin.wire.ForwardedAdminCall;

/**
 * Executes methods of the Admin API on the owner of the project's default database, which writes
 * the list of operations and knows the running ones. Thread-safe; {@link #call} blocks.
 */
final class AdminCalls {
    /** Index builds, exports and imports continue after their call has returned. */
    private static final Duration CALL_TIME_MAX = Duration.ofMinutes(1);

    private final Routing routing;

    AdminCalls(Routing routing) {
        this.routing = routing;
    }

    /** Fails with the exception of the owner, or one about the search for it. */
    <Q extends Message, R extends Message> R call(
            AdminMethod<Q, R> method, Q request, Caller caller) {
        Cancellation within = Cancellation.after(CALL_TIME_MAX.toNanos());
        byte[] answer =
                within.limit(routing.call(new Call<>(method, request, caller, within))).join();
        return parsed(method.response(), answer);
    }

    /** The methods of one gRPC service, as other servers call them. */
    RoutedService service(String name, List<AdminMethod<?, ?>> methods) {
        return new Service(name, methods);
    }

    private record Service(String name, List<AdminMethod<?, ?>> methods) implements RoutedService {
        @Override
        public RoutedCall decode(Forwarded call) {
            AdminMethod<?, ?> method =
                    methods.stream()
                            .filter(one -> one.name().equals(call.method()))
                            .findFirst()
                            .orElseThrow(() -> RoutedService.unknown(call.method()));
            ForwardedAdminCall forwarded =
                    parsed(ForwardedAdminCall.getDefaultInstance(), call.body());
            return decoded(method, forwarded, call.cancellation());
        }

        private static <Q extends Message, R extends Message> RoutedCall decoded(
                AdminMethod<Q, R> method, ForwardedAdminCall forwarded, Cancellation within) {
            return new Call<>(
                    method,
                    parsed(method.request(), forwarded.getRequest().toByteArray()),
                    caller(forwarded.getCaller()),
                    within);
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

    private static AdminCaller encoded(Caller caller) {
        AdminCaller.Builder encoded = AdminCaller.newBuilder().setToken(caller.name());
        switch (caller.scope()) {
            case Scope.Everything _ -> encoded.setEverything(true);
            case Scope.Limited(Set<String> projects, Set<String> databases) ->
                    encoded.addAllProjects(projects).addAllDatabases(databases);
        }
        return encoded.build();
    }

    /** The role was checked by the server that received the request. */
    private static Caller caller(AdminCaller encoded) {
        return new Caller(
                encoded.getToken(),
                Role.ADMIN,
                encoded.getEverything()
                        ? Scope.EVERYTHING
                        : new Scope.Limited(
                                Set.copyOf(encoded.getProjectsList()),
                                Set.copyOf(encoded.getDatabasesList())));
    }

    /** Runs on a virtual thread, because methods block. */
    private record Call<Q extends Message, R extends Message>(
            AdminMethod<Q, R> of, Q request, Caller caller, Cancellation cancellation)
            implements RoutedCall {
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
            return ForwardedAdminCall.newBuilder()
                    .setRequest(request.toByteString())
                    .setCaller(encoded(caller))
                    .build()
                    .toByteArray();
        }

        @Override
        public CompletableFuture<byte[]> execute() {
            CompletableFuture<byte[]> answer = new CompletableFuture<>();
            Thread.ofVirtual().name("admin").start(() -> run(answer));
            return answer;
        }

        // every failure becomes the caller's response; otherwise the caller would wait
        @SuppressWarnings("CatchThrowable")
        private void run(CompletableFuture<byte[]> answer) {
            try {
                cancellation.check();
                answer.complete(
                        cancellation.call(() -> of.work().apply(request, caller)).toByteArray());
            } catch (Throwable failure) {
                answer.completeExceptionally(failure);
            }
        }
    }
}
