package petrichor.frontends.http;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import petrichor.base.Cancellation;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.frontends.access.AccessAttempt;
import petrichor.frontends.access.Caller;
import petrichor.frontends.access.Role;
import petrichor.frontends.access.Scope;
import petrichor.frontends.http.wire.ApiCaller;
import petrichor.frontends.http.wire.ForwardedApiCall;
import petrichor.rpc.RoutedCall;
import petrichor.rpc.RoutedService;
import petrichor.rpc.Routing;
import petrichor.rpc.Rpc;

/**
 * Executes methods on the owner of their database. The server that receives a request checks the
 * caller's role. Thread-safe.
 */
public final class ApiCalls {
    /** Exports and purges take longer; they continue, or can be requested again. */
    private static final Duration CALL_TIME_MAX = Duration.ofMinutes(1);

    private final Routing routing;

    private ApiCalls(Routing routing) {
        this.routing = routing;
    }

    /**
     * Also accepts the calls that other servers forward.
     *
     * @param methods all that callers may execute
     */
    public static ApiCalls register(Rpc rpc, List<ApiMethod<?, ?>> methods) {
        methods.stream()
                .collect(Collectors.groupingBy(ApiMethod::service))
                .forEach((name, ofService) -> rpc.register(new Service(name, ofService)));
        return new ApiCalls(rpc.routing());
    }

    /**
     * Blocks until the owner has answered. PERMISSION_DENIED unless the caller has the method's
     * role; fails with the exception of the owner, or one about the search for it.
     */
    <Q extends Message, R extends Message> R call(
            ApiMethod<Q, R> method, Q request, AccessAttempt attempt) {
        attempt.require(
                method.role(), method.project().apply(request), method.database().apply(request));
        Cancellation within = Cancellation.after(CALL_TIME_MAX.toNanos());
        RoutedCall call = owned(method, request, attempt.caller(), within);
        return parsed(method.response(), within.limit(routing.call(call)).join());
    }

    private static <Q extends Message, R extends Message> RoutedCall owned(
            ApiMethod<Q, R> method, Q request, Caller caller, Cancellation within) {
        return new OwnerCall(
                method.name(),
                method.project().apply(request),
                method.database().apply(request),
                () ->
                        ForwardedApiCall.newBuilder()
                                .setRequest(request.toByteString())
                                .setCaller(encoded(caller))
                                .build()
                                .toByteArray(),
                within,
                OwnerCall.OWN_THREAD,
                () ->
                        CompletableFuture.completedFuture(
                                method.work().apply(request, caller).toByteArray()));
    }

    /** The methods of one service, as other servers call them. */
    private record Service(String name, List<ApiMethod<?, ?>> methods) implements RoutedService {
        @Override
        public RoutedCall decode(Forwarded call) {
            ApiMethod<?, ?> method =
                    methods.stream()
                            .filter(one -> one.name().equals(call.method()))
                            .findFirst()
                            .orElseThrow(() -> RoutedService.unknown(call.method()));
            return decoded(
                    method,
                    parsed(ForwardedApiCall.getDefaultInstance(), call.body()),
                    call.cancellation());
        }

        private static <Q extends Message, R extends Message> RoutedCall decoded(
                ApiMethod<Q, R> method, ForwardedApiCall forwarded, Cancellation within) {
            Q request = parsed(method.request(), forwarded.getRequest().toByteArray());
            return owned(method, request, caller(forwarded.getCaller()), within);
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

    private static ApiCaller encoded(Caller caller) {
        ApiCaller.Builder encoded = ApiCaller.newBuilder().setToken(caller.name());
        switch (caller.scope()) {
            case Scope.Everything _ -> encoded.setEverything(true);
            case Scope.Limited(Set<String> projects, Set<String> databases) ->
                    encoded.addAllProjects(projects).addAllDatabases(databases);
        }
        return encoded.build();
    }

    /** The role was checked by the server that received the request. */
    private static Caller caller(ApiCaller encoded) {
        return new Caller(
                encoded.getToken(),
                Role.ADMIN,
                encoded.getEverything()
                        ? Scope.EVERYTHING
                        : new Scope.Limited(
                                Set.copyOf(encoded.getProjectsList()),
                                Set.copyOf(encoded.getDatabasesList())));
    }
}
