package petrichor.frontends.appengine;

import com.google.apphosting.base.protos.api.RemoteApiPb.Response;
import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.UnsafeByteOperations;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import petrichor.base.Cancellation;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.frontends.appengine.wire.ForwardedCall;
import petrichor.frontends.http.OwnerCall;
import petrichor.rpc.CallFailure;
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
        return owned(
                ForwardedCall.newBuilder()
                        .setProject(app.project())
                        .setAppService(app.service())
                        .setAppVersion(app.version())
                        .setAppOrigin(app.origin())
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
            return owned(ForwardedCall.parseFrom(call.body()), call.cancellation());
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
                new CallingApp(
                        wanted.getProject(),
                        wanted.getAppService(),
                        wanted.getAppVersion(),
                        wanted.getAppOrigin());
        ServiceCall call =
                new ServiceCall(wanted.getMethod(), wanted.getRequest().toByteArray(), app, within);
        return service.call(call);
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

    private CompletableFuture<byte[]> answered(ForwardedCall wanted, Cancellation within)
            throws Exception {
        CompletableFuture<byte[]> message;
        try {
            message = started(wanted, within);
        } catch (ServiceError error) {
            message = CompletableFuture.failedFuture(error);
        }
        return message.handle(
                (response, thrown) -> {
                    if (thrown == null) {
                        return response(response);
                    }
                    if (CallFailure.cause(thrown) instanceof ServiceError error) {
                        return RemoteApiErrors.application(error).toByteArray();
                    }
                    throw new CompletionException(CallFailure.cause(thrown));
                });
    }

    private RoutedCall owned(ForwardedCall wanted, Cancellation within) {
        return new OwnerCall(
                CALL,
                wanted.getProject(),
                wanted::toByteArray,
                within,
                thread(wanted),
                () -> answered(wanted, within));
    }

    private Executor thread(ForwardedCall wanted) {
        BundledService service = services.get(wanted.getApi());
        return service != null && service.answersAtOnce(wanted.getProject())
                ? Runnable::run
                : OwnerCall.OWN_THREAD;
    }
}
