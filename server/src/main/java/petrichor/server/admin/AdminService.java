package petrichor.server.admin;

import com.google.protobuf.Message;
import io.grpc.MethodDescriptor;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.protobuf.ProtoUtils;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import petrichor.base.TimeSource;
import petrichor.entities.Datastore;
import petrichor.entities.EntityDatabases;
import petrichor.frontends.access.AccessAttempt;
import petrichor.frontends.datastore.GrpcAccess;
import petrichor.frontends.http.Page;
import petrichor.rpc.CallFailure;
import petrichor.rpc.Rpc;
import petrichor.rpc.Trace;

/**
 * Serves google.datastore.admin.v1.DatastoreAdmin and google.longrunning.Operations. Each server
 * accepts all calls; the owner of a project's default database executes them.
 */
public final class AdminService implements AutoCloseable {
    /** Maximum number of concurrent calls; each has a virtual thread. */
    private static final int CALLS_MAX = 32;

    private final AdminMethods methods;
    private final AdminCalls routed;
    private final Transfers transfers;
    private final Semaphore calls = new Semaphore(CALLS_MAX);

    /**
     * @param exports folder for exports and imports; empty refuses them
     */
    public AdminService(
            Supplier<Datastore> datastore, Optional<Path> exports, TimeSource time, Rpc rpc) {
        Supplier<EntityDatabases> databases = () -> datastore.get().databases();
        IndexAdmin indexes = new IndexAdmin(databases, time);
        this.transfers = new Transfers(databases, time);
        this.methods =
                AdminMethods.of(
                        indexes,
                        new TransferAdmin(datastore, new TransferFolder(exports), transfers, time),
                        new OperationAdmin(databases, List.of(indexes, transfers)));
        this.routed = new AdminCalls(rpc.routing());
        services((name, ofService) -> rpc.register(routed.service(name, ofService)));
    }

    private void services(BiConsumer<String, List<AdminMethod<?, ?>>> use) {
        methods.all().stream().collect(Collectors.groupingBy(AdminMethod::service)).forEach(use);
    }

    /** The REST endpoints. */
    public List<Page> pages() {
        return new AdminPages(methods, routed).pages();
    }

    /** The gRPC services. */
    public List<ServerServiceDefinition> services() {
        List<ServerServiceDefinition> services = new ArrayList<>();
        services(
                (name, ofService) -> {
                    ServerServiceDefinition.Builder service = ServerServiceDefinition.builder(name);
                    ofService.forEach(method -> add(service, method));
                    services.add(service.build());
                });
        return services;
    }

    private <Q extends Message, R extends Message> void add(
            ServerServiceDefinition.Builder service, AdminMethod<Q, R> method) {
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
            Q request, AdminMethod<Q, R> method, StreamObserver<R> out) {
        if (!calls.tryAcquire()) {
            out.onError(
                    Status.RESOURCE_EXHAUSTED
                            .withDescription("Too many administrative calls run; try again later.")
                            .asRuntimeException());
            return;
        }
        AccessAttempt attempt = GrpcAccess.current();
        Thread.ofVirtual().name("admin").start(() -> answer(request, method, attempt, out));
    }

    // every failure is the client's response; otherwise it would wait until its deadline
    @SuppressWarnings("CatchThrowable")
    private <Q extends Message, R extends Message> void answer(
            Q request, AdminMethod<Q, R> method, AccessAttempt attempt, StreamObserver<R> out) {
        try {
            attempt.require(method.role(), method.project().apply(request), "");
            R response = routed.call(method, request, attempt.caller());
            out.onNext(response);
            out.onCompleted();
        } catch (Throwable failed) {
            CallFailure failure = CallFailure.of(failed, Trace.of(null));
            out.onError(
                    Status.fromCode(Status.Code.valueOf(failure.code().name()))
                            .withDescription(failure.text())
                            .asRuntimeException());
        } finally {
            calls.release();
        }
    }

    /** Stops running exports and imports. */
    @Override
    public void close() {
        transfers.close();
    }
}
