package petrichor.server.admin;

import com.google.datastore.admin.v1.CreateIndexRequest;
import com.google.datastore.admin.v1.DeleteIndexRequest;
import com.google.datastore.admin.v1.GetIndexRequest;
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
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.function.Function;
import java.util.function.Supplier;
import petrichor.base.PetrichorException;
import petrichor.base.TimeSource;
import petrichor.entities.EntityDatabases;
import petrichor.frontends.datastore.Page;

/** google.datastore.admin.v1.DatastoreAdmin and google.longrunning.Operations. */
public final class AdminService {
    /** Calls at once; each has a virtual thread. */
    private static final int CALLS_MAX = 32;

    private static final String DATASTORE_ADMIN = "google.datastore.admin.v1.DatastoreAdmin";
    private static final String OPERATIONS = "google.longrunning.Operations";

    private final IndexAdmin indexes;
    private final Semaphore calls = new Semaphore(CALLS_MAX);

    public AdminService(Supplier<EntityDatabases> databases, TimeSource time) {
        this.indexes = new IndexAdmin(databases, time);
    }

    /** What REST serves. */
    public List<Page> pages() {
        return new AdminPages(indexes).pages();
    }

    /** What gRPC serves. */
    public List<ServerServiceDefinition> services() {
        ServerServiceDefinition.Builder admin = ServerServiceDefinition.builder(DATASTORE_ADMIN);
        add(
                admin,
                DATASTORE_ADMIN,
                "ListIndexes",
                ListIndexesRequest.getDefaultInstance(),
                indexes::list);
        add(admin, DATASTORE_ADMIN, "GetIndex", GetIndexRequest.getDefaultInstance(), indexes::get);
        add(
                admin,
                DATASTORE_ADMIN,
                "CreateIndex",
                CreateIndexRequest.getDefaultInstance(),
                indexes::create);
        add(
                admin,
                DATASTORE_ADMIN,
                "DeleteIndex",
                DeleteIndexRequest.getDefaultInstance(),
                indexes::delete);
        ServerServiceDefinition.Builder operations = ServerServiceDefinition.builder(OPERATIONS);
        add(
                operations,
                OPERATIONS,
                "ListOperations",
                ListOperationsRequest.getDefaultInstance(),
                indexes::operations);
        add(
                operations,
                OPERATIONS,
                "GetOperation",
                GetOperationRequest.getDefaultInstance(),
                indexes::operation);
        add(
                operations,
                OPERATIONS,
                "DeleteOperation",
                DeleteOperationRequest.getDefaultInstance(),
                indexes::deleteOperation);
        add(
                operations,
                OPERATIONS,
                "CancelOperation",
                CancelOperationRequest.getDefaultInstance(),
                indexes::cancel);
        return List.of(admin.build(), operations.build());
    }

    private <Q extends Message> void add(
            ServerServiceDefinition.Builder service,
            String serviceName,
            String name,
            Q request,
            Function<Q, ? extends Message> call) {
        MethodDescriptor<Q, Message> method =
                MethodDescriptor.<Q, Message>newBuilder()
                        .setType(MethodDescriptor.MethodType.UNARY)
                        .setFullMethodName(
                                MethodDescriptor.generateFullMethodName(serviceName, name))
                        .setRequestMarshaller(ProtoUtils.marshaller(request))
                        .setResponseMarshaller(
                                ProtoUtils.marshaller(Operation.getDefaultInstance()))
                        .build();
        service.addMethod(method, ServerCalls.asyncUnaryCall((q, out) -> run(q, call, out)));
    }

    private <Q> void run(
            Q request, Function<Q, ? extends Message> call, StreamObserver<Message> out) {
        if (!calls.tryAcquire()) {
            out.onError(
                    Status.RESOURCE_EXHAUSTED
                            .withDescription("Too many administrative calls run; try again later.")
                            .asRuntimeException());
            return;
        }
        Thread.ofVirtual()
                .name("admin")
                .start(
                        () -> {
                            try {
                                out.onNext(call.apply(request));
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
}
