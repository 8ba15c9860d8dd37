package petrichor.frontends.tasks;

import com.google.protobuf.Message;
import io.grpc.MethodDescriptor;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.protobuf.ProtoUtils;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import java.util.List;
import java.util.concurrent.Semaphore;
import petrichor.frontends.access.AccessAttempt;
import petrichor.frontends.datastore.GrpcAccess;
import petrichor.frontends.http.Page;
import petrichor.rpc.CallFailure;
import petrichor.rpc.Rpc;
import petrichor.rpc.Trace;
import petrichor.services.queues.dispatch.Dispatchers;

/**
 * Serves google.cloud.tasks.v2.CloudTasks. Each server accepts all calls; the owner of a project's
 * default database executes them. Thread-safe.
 */
public final class TasksFrontEnd {
    /** Maximum number of concurrent calls over gRPC; each has a virtual thread. */
    private static final int CALLS_MAX = 1_000;

    private final CloudTasksMethods methods;
    private final Definitions definitions;
    private final TasksCalls calls;
    private final Semaphore permits = new Semaphore(CALLS_MAX);

    public TasksFrontEnd(Dispatchers dispatchers, Rpc rpc) {
        QueueResources queues = new QueueResources(dispatchers);
        this.methods = CloudTasksMethods.of(queues, new TaskResources(queues));
        this.definitions = new Definitions(dispatchers);
        this.calls = new TasksCalls(rpc.routing());
        rpc.register(new TasksCalls.Service(CloudTasksMethods.SERVICE, methods.all()));
        rpc.register(
                new TasksCalls.Service(
                        Definitions.SERVICE,
                        List.of(definitions.queuesMethod(), definitions.cronMethod())));
    }

    /** The REST endpoints. */
    public List<Page> pages() {
        return new TasksPages(methods, definitions, calls).pages();
    }

    /** The gRPC services. */
    public List<ServerServiceDefinition> services() {
        ServerServiceDefinition.Builder service =
                ServerServiceDefinition.builder(CloudTasksMethods.SERVICE);
        methods.all().forEach(method -> add(service, method));
        return List.of(service.build());
    }

    private <Q extends Message, R extends Message> void add(
            ServerServiceDefinition.Builder service, TasksMethod<Q, R> method) {
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
            Q request, TasksMethod<Q, R> method, StreamObserver<R> out) {
        if (!permits.tryAcquire()) {
            out.onError(
                    Status.RESOURCE_EXHAUSTED
                            .withDescription("Too many calls about tasks run; try again later.")
                            .asRuntimeException());
            return;
        }
        AccessAttempt attempt = GrpcAccess.current();
        Thread.ofVirtual().name("cloud-tasks").start(() -> answer(request, method, attempt, out));
    }

    // every failure is the client's response; otherwise it would wait until its deadline
    @SuppressWarnings("CatchThrowable")
    private <Q extends Message, R extends Message> void answer(
            Q request, TasksMethod<Q, R> method, AccessAttempt attempt, StreamObserver<R> out) {
        try {
            attempt.require(method.role(), method.project().apply(request), "");
            R response = calls.call(method, request);
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
