package petrichor.frontends.http;

import com.google.protobuf.Message;
import io.grpc.MethodDescriptor;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.protobuf.ProtoUtils;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.stream.Collectors;
import petrichor.frontends.access.AccessAttempt;
import petrichor.rpc.CallFailure;
import petrichor.rpc.Trace;

/** The gRPC binding of methods, on virtual threads. Thread-safe. */
public final class GrpcApi {
    private final ApiCalls calls;
    private final Semaphore permits;

    /**
     * @param callsMax maximum number of concurrent calls; further ones are refused
     */
    public GrpcApi(ApiCalls calls, int callsMax) {
        this.calls = calls;
        this.permits = new Semaphore(callsMax);
    }

    /** The services that the names of the methods mention. */
    public List<ServerServiceDefinition> services(List<ApiMethod<?, ?>> methods) {
        return methods.stream()
                .collect(Collectors.groupingBy(ApiMethod::service))
                .entrySet()
                .stream()
                .map(service -> service(service.getKey(), service.getValue()))
                .toList();
    }

    private ServerServiceDefinition service(String name, List<ApiMethod<?, ?>> methods) {
        ServerServiceDefinition.Builder service = ServerServiceDefinition.builder(name);
        methods.forEach(method -> add(service, method));
        return service.build();
    }

    private <Q extends Message, R extends Message> void add(
            ServerServiceDefinition.Builder service, ApiMethod<Q, R> method) {
        MethodDescriptor<Q, R> descriptor =
                MethodDescriptor.<Q, R>newBuilder()
                        .setType(MethodDescriptor.MethodType.UNARY)
                        .setFullMethodName(method.name())
                        .setRequestMarshaller(ProtoUtils.marshaller(method.request()))
                        .setResponseMarshaller(ProtoUtils.marshaller(method.response()))
                        .build();
        service.addMethod(descriptor, ServerCalls.asyncUnaryCall((q, out) -> run(q, method, out)));
    }

    private <Q extends Message, R extends Message> void run(
            Q request, ApiMethod<Q, R> method, StreamObserver<R> out) {
        if (!permits.tryAcquire()) {
            out.onError(
                    Status.RESOURCE_EXHAUSTED
                            .withDescription("Too many calls of this API run; try again later.")
                            .asRuntimeException());
            return;
        }
        AccessAttempt attempt = GrpcAccess.current();
        Thread.ofVirtual().name("grpc-api").start(() -> answer(request, method, attempt, out));
    }

    // every failure is the client's response; otherwise it would wait until its deadline
    @SuppressWarnings("CatchThrowable")
    private <Q extends Message, R extends Message> void answer(
            Q request, ApiMethod<Q, R> method, AccessAttempt attempt, StreamObserver<R> out) {
        try {
            R response = calls.call(method, request, attempt);
            out.onNext(response);
            out.onCompleted();
        } catch (Throwable failed) {
            CallFailure failure = CallFailure.of(failed, Trace.of(null));
            out.onError(
                    Status.fromCode(Status.Code.valueOf(failure.code().name()))
                            .withDescription(failure.text())
                            .asRuntimeException());
        } finally {
            permits.release();
        }
    }
}
