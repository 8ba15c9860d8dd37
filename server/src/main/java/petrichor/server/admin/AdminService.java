package petrichor.server.admin;

import com.google.datastore.admin.v1.CreateIndexRequest;
import com.google.datastore.admin.v1.DeleteIndexRequest;
import com.google.datastore.admin.v1.ExportEntitiesRequest;
import com.google.datastore.admin.v1.GetIndexRequest;
import com.google.datastore.admin.v1.ImportEntitiesRequest;
import com.google.datastore.admin.v1.ListIndexesRequest;
import com.google.longrunning.CancelOperationRequest;
import com.google.longrunning.DeleteOperationRequest;
import com.google.longrunning.GetOperationRequest;
import com.google.longrunning.ListOperationsRequest;
import com.google.longrunning.Operation;
import com.google.protobuf.Message;
import io.grpc.MethodDescriptor;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.protobuf.ProtoUtils;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;
import petrichor.base.PetrichorException;
import petrichor.base.TimeSource;
import petrichor.entities.Datastore;
import petrichor.entities.EntityDatabases;
import petrichor.frontends.access.AccessAttempt;
import petrichor.frontends.access.Caller;
import petrichor.frontends.access.Role;
import petrichor.frontends.datastore.GrpcAccess;
import petrichor.frontends.http.Page;

/** Serves google.datastore.admin.v1.DatastoreAdmin and google.longrunning.Operations. */
public final class AdminService implements AutoCloseable {
    /** Maximum number of concurrent calls; each has a virtual thread. */
    private static final int CALLS_MAX = 32;

    private static final String DATASTORE_ADMIN = "google.datastore.admin.v1.DatastoreAdmin";
    private static final String OPERATIONS = "google.longrunning.Operations";

    private final IndexAdmin indexes;
    private final TransferAdmin movement;
    private final OperationAdmin longRunning;
    private final Transfers transfers;
    private final Semaphore calls = new Semaphore(CALLS_MAX);

    /**
     * @param exports folder for exports and imports; empty refuses them
     */
    public AdminService(Supplier<Datastore> datastore, Optional<Path> exports, TimeSource time) {
        Supplier<EntityDatabases> databases = () -> datastore.get().databases();
        this.indexes = new IndexAdmin(databases, time);
        this.transfers = new Transfers(databases, time);
        this.movement = new TransferAdmin(datastore, new TransferFolder(exports), transfers, time);
        this.longRunning = new OperationAdmin(databases, List.of(indexes, transfers));
    }

    /** The REST endpoints. */
    public List<Page> pages() {
        return new AdminPages(indexes, movement, longRunning).pages();
    }

    /** The gRPC services. */
    public List<ServerServiceDefinition> services() {
        ServerServiceDefinition.Builder admin = ServerServiceDefinition.builder(DATASTORE_ADMIN);
        add(
                admin,
                new Method<>(
                        DATASTORE_ADMIN + "/ListIndexes",
                        ListIndexesRequest.getDefaultInstance(),
                        Role.READ,
                        ListIndexesRequest::getProjectId,
                        indexes::list));
        add(
                admin,
                new Method<>(
                        DATASTORE_ADMIN + "/GetIndex",
                        GetIndexRequest.getDefaultInstance(),
                        Role.READ,
                        GetIndexRequest::getProjectId,
                        indexes::get));
        add(
                admin,
                new Method<>(
                        DATASTORE_ADMIN + "/CreateIndex",
                        CreateIndexRequest.getDefaultInstance(),
                        Role.ADMIN,
                        CreateIndexRequest::getProjectId,
                        indexes::create));
        add(
                admin,
                new Method<>(
                        DATASTORE_ADMIN + "/DeleteIndex",
                        DeleteIndexRequest.getDefaultInstance(),
                        Role.ADMIN,
                        DeleteIndexRequest::getProjectId,
                        indexes::delete));
        add(
                admin,
                new Method<>(
                        DATASTORE_ADMIN + "/ExportEntities",
                        ExportEntitiesRequest.getDefaultInstance(),
                        Role.ADMIN,
                        ExportEntitiesRequest::getProjectId,
                        movement::export));
        add(
                admin,
                new Method<>(
                        DATASTORE_ADMIN + "/ImportEntities",
                        ImportEntitiesRequest.getDefaultInstance(),
                        Role.ADMIN,
                        ImportEntitiesRequest::getProjectId,
                        movement::importFrom));
        ServerServiceDefinition.Builder operations = ServerServiceDefinition.builder(OPERATIONS);
        add(
                operations,
                new Method<>(
                        OPERATIONS + "/ListOperations",
                        ListOperationsRequest.getDefaultInstance(),
                        Role.READ,
                        request -> OperationAdmin.project(request.getName()),
                        longRunning::list));
        add(
                operations,
                new Method<>(
                        OPERATIONS + "/GetOperation",
                        GetOperationRequest.getDefaultInstance(),
                        Role.READ,
                        request -> OperationAdmin.project(request.getName()),
                        longRunning::get));
        add(
                operations,
                new Method<>(
                        OPERATIONS + "/DeleteOperation",
                        DeleteOperationRequest.getDefaultInstance(),
                        Role.ADMIN,
                        request -> OperationAdmin.project(request.getName()),
                        longRunning::delete));
        add(
                operations,
                new Method<>(
                        OPERATIONS + "/CancelOperation",
                        CancelOperationRequest.getDefaultInstance(),
                        Role.ADMIN,
                        request -> OperationAdmin.project(request.getName()),
                        longRunning::cancel));
        return List.of(admin.build(), operations.build());
    }

    /**
     * A method of one of the services.
     *
     * @param role required in the default database of the project
     * @param project extracts the project from a request; INVALID_ARGUMENT if there is none
     */
    private record Method<Q extends Message>(
            String name,
            Q request,
            Role role,
            Function<Q, String> project,
            BiFunction<Q, Caller, ? extends Message> call) {
        /** A method that behaves the same for all callers with the role. */
        Method(
                String name,
                Q request,
                Role role,
                Function<Q, String> project,
                Function<Q, ? extends Message> call) {
            this(name, request, role, project, (asked, _) -> call.apply(asked));
        }
    }

    private <Q extends Message> void add(
            ServerServiceDefinition.Builder service, Method<Q> method) {
        MethodDescriptor<Q, Message> descriptor =
                MethodDescriptor.<Q, Message>newBuilder()
                        .setType(MethodDescriptor.MethodType.UNARY)
                        .setFullMethodName(method.name())
                        .setRequestMarshaller(ProtoUtils.marshaller(method.request()))
                        .setResponseMarshaller(
                                ProtoUtils.marshaller(Operation.getDefaultInstance()))
                        .build();
        service.addMethod(descriptor, ServerCalls.asyncUnaryCall((q, out) -> run(q, method, out)));
    }

    private <Q extends Message> void run(Q request, Method<Q> method, StreamObserver<Message> out) {
        if (!calls.tryAcquire()) {
            out.onError(
                    Status.RESOURCE_EXHAUSTED
                            .withDescription("Too many administrative calls run; try again later.")
                            .asRuntimeException());
            return;
        }
        AccessAttempt attempt = GrpcAccess.current();
        Thread.ofVirtual()
                .name("admin")
                .start(
                        () -> {
                            try {
                                attempt.require(method.role(), method.project().apply(request), "");
                                out.onNext(method.call().apply(request, attempt.caller()));
                                out.onCompleted();
                            } catch (PetrichorException refused) {
                                out.onError(
                                        Status.fromCode(Status.Code.valueOf(refused.code().name()))
                                                .withDescription(refused.getMessage())
                                                .asRuntimeException());
                            } finally {
                                calls.release();
                            }
                        });
    }

    /** Stops running exports and imports. */
    @Override
    public void close() {
        transfers.close();
    }
}
