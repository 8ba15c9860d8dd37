package petrichor.frontends.appengine;

import com.google.apphosting.base.protos.api.RemoteApiPb.Response;
import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.UnsafeByteOperations;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import petrichor.base.Cancellation;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.entities.EntityDatabases;
import petrichor.frontends.appengine.wire.ForwardedCall;
import petrichor.rpc.CallFailure;
import petrichor.rpc.Locality;
import petrichor.rpc.RoutedCall;
import petrichor.rpc.RoutedService;

/**
 * Executes calls on the owner of the calling app's database, so that an API may keep state in
 * memory there. The answer is an encoded {@link Response}; a failure of the platform remains a
 * failure, which the receiving server translates. Thread-safe.
 */
final class AppCalls implements RoutedService {
    private static final String NAME = "petrichor.appengine.v1.BundledServices";
    private static final String CALL = NAME + "/Call";

    /** App Engine's limit on responses. */
    static final int RESPONSE_BYTES_MAX = 32 << 20;

    private final Map<String, BundledService> services = new TreeMap<>();

    AppCalls(List<BundledService> services) {
        for (BundledService service : services) {
            if (this.services.put(service.name(), service) != null) {
                throw new IllegalArgumentException("two services are called " + service.name());
            }
        }
    }

    @Override
    public String name() {
        return NAME;
    }

    /** A call that a client sent to this server. */
    RoutedCall call(
            CallingApp app, String api, String method, ByteString request, Cancellation within) {
        return new Call(
                ForwardedCall.newBuilder()
                        .setProject(app.project())
                        .setAppService(app.service())
                        .setAppVersion(app.version())
                        .setApi(api)
                        .setMethod(method)
                        .setRequest(request)
                        .build(),
                within);
    }

    @Override
    public RoutedCall decode(Forwarded call) {
        if (!call.method().equals(CALL)) {
            throw RoutedService.unknown(call.method());
        }
        try {
            return new Call(ForwardedCall.parseFrom(call.body()), call.cancellation());
        } catch (InvalidProtocolBufferException damaged) {
            throw PetrichorException.of(
                    ErrorCode.INVALID_ARGUMENT,
                    damaged,
                    "another server sent a call of an app that cannot be read; do all servers run"
                            + " the same version?");
        }
    }

    private CompletableFuture<byte[]> started(ForwardedCall wanted, Cancellation within)
            throws Exception {
        BundledService service = services.get(wanted.getApi());
        if (service == null) {
            throw PetrichorException.of(
                    ErrorCode.UNIMPLEMENTED,
                    "there is no API {api}; this server has {apis}",
                    "api",
                    wanted.getApi(),
                    "apis",
                    String.join(", ", services.keySet()));
        }
        CallingApp app =
                new CallingApp(wanted.getProject(), wanted.getAppService(), wanted.getAppVersion());
        ServiceCall call =
                new ServiceCall(wanted.getMethod(), wanted.getRequest().toByteArray(), app, within);
        return within.call(() -> service.call(call));
    }

    private static byte[] response(byte[] message) {
        if (message.length > RESPONSE_BYTES_MAX) {
            return RemoteApiErrors.rpc(
                            com.google.apphosting.base.protos.api.RemoteApiPb.RpcError.ErrorCode
                                    .RESPONSE_TOO_LARGE,
                            "the response has " + message.length + " bytes")
                    .toByteArray();
        }
        return Response.newBuilder()
                .setResponse(UnsafeByteOperations.unsafeWrap(message))
                .build()
                .toByteArray();
    }

    private final class Call implements RoutedCall {
        private final ForwardedCall wanted;
        private final Cancellation within;

        Call(ForwardedCall wanted, Cancellation within) {
            this.wanted = wanted;
            this.within = within;
        }

        @Override
        public String method() {
            return CALL;
        }

        @Override
        public String database() {
            return EntityDatabases.name(wanted.getProject(), "");
        }

        @Override
        public Locality locality() {
            return Locality.OWNER;
        }

        @Override
        public byte[] body() {
            return wanted.toByteArray();
        }

        @Override
        public Cancellation cancellation() {
            return within;
        }

        @Override
        public CompletableFuture<byte[]> execute() {
            CompletableFuture<byte[]> answer = new CompletableFuture<>();
            BundledService service = services.get(wanted.getApi());
            if (service != null && service.answersAtOnce(wanted.getProject())) {
                run(answer);
            } else {
                Thread.ofVirtual().name("app-call").start(() -> run(answer));
            }
            return answer;
        }

        // every failure becomes the caller's response; otherwise the caller would wait
        @SuppressWarnings("CatchThrowable")
        private void run(CompletableFuture<byte[]> answer) {
            try {
                within.check();
                var _ =
                        started(wanted, within)
                                .whenComplete(
                                        (message, failure) -> {
                                            if (failure == null) {
                                                answer.complete(response(message));
                                            } else {
                                                fail(answer, failure);
                                            }
                                        });
            } catch (Throwable failure) {
                fail(answer, failure);
            }
        }

        private static void fail(CompletableFuture<byte[]> answer, Throwable thrown) {
            Throwable cause = CallFailure.cause(thrown);
            if (cause instanceof ServiceError error) {
                answer.complete(RemoteApiErrors.application(error).toByteArray());
            } else {
                answer.completeExceptionally(cause);
            }
        }
    }
}
