package petrichor.server.admin;

import com.google.datastore.admin.v1.CreateIndexRequest;
import com.google.datastore.admin.v1.DeleteIndexRequest;
import com.google.datastore.admin.v1.ExportEntitiesMetadata;
import com.google.datastore.admin.v1.ExportEntitiesRequest;
import com.google.datastore.admin.v1.ExportEntitiesResponse;
import com.google.datastore.admin.v1.GetIndexRequest;
import com.google.datastore.admin.v1.ImportEntitiesMetadata;
import com.google.datastore.admin.v1.ImportEntitiesRequest;
import com.google.datastore.admin.v1.Index;
import com.google.datastore.admin.v1.IndexOperationMetadata;
import com.google.datastore.admin.v1.ListIndexesRequest;
import com.google.gson.JsonObject;
import com.google.longrunning.CancelOperationRequest;
import com.google.longrunning.DeleteOperationRequest;
import com.google.longrunning.GetOperationRequest;
import com.google.longrunning.ListOperationsRequest;
import com.google.protobuf.Empty;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.util.JsonFormat;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.Function;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.frontends.http.Page;
import petrichor.rpc.CallFailure;
import petrichor.rpc.Trace;

/** The REST binding, in JSON, of the methods of {@link AdminMethods}. Stateless. */
final class AdminPages {
    private static final String ELSEWHERE = "/v1/projects/*";
    private static final String PROJECT = "project";
    private static final String ID = "id";
    private static final String PATH = "/v1/projects/{project}";
    private static final String INDEXES = PATH + "/indexes";
    private static final String OPERATIONS = PATH + "/operations";

    private static final JsonFormat.TypeRegistry TYPES =
            JsonFormat.TypeRegistry.newBuilder()
                    .add(Index.getDescriptor())
                    .add(IndexOperationMetadata.getDescriptor())
                    .add(ExportEntitiesMetadata.getDescriptor())
                    .add(ExportEntitiesResponse.getDescriptor())
                    .add(ImportEntitiesMetadata.getDescriptor())
                    .add(Empty.getDescriptor())
                    .build();

    private final AdminMethods methods;
    private final AdminCalls calls;

    AdminPages(AdminMethods methods, AdminCalls calls) {
        this.methods = methods;
        this.calls = calls;
    }

    List<Page> pages() {
        return List.of(
                page("GET", INDEXES, methods.listIndexes(), this::indexes),
                page("POST", INDEXES, methods.createIndex(), this::newIndex),
                page("GET", INDEXES + "/{id}", methods.getIndex(), this::index),
                page("DELETE", INDEXES + "/{id}", methods.deleteIndex(), this::removedIndex),
                page("GET", OPERATIONS, methods.listOperations(), this::operations),
                page("GET", OPERATIONS + "/{id}", methods.getOperation(), this::operation),
                page(
                        "DELETE",
                        OPERATIONS + "/{id}",
                        methods.deleteOperation(),
                        this::removedOperation),
                page(
                        "POST",
                        OPERATIONS + "/{id}:cancel",
                        methods.cancelOperation(),
                        this::cancelledOperation),
                page("POST", PATH + ":export", methods.export(), this::export),
                page("POST", PATH + ":import", methods.importEntities(), this::importOf),
                unknown("GET"),
                unknown("POST"),
                unknown("DELETE"));
    }

    /**
     * A page whose path names the project; its default database is meant.
     *
     * @param message makes the method's request from that of the page
     */
    private <Q extends Message, R extends Message> Page page(
            String httpMethod,
            String path,
            AdminMethod<Q, R> method,
            Function<Page.Request, Q> message) {
        return new Page(
                httpMethod,
                path,
                Page.Access.TOKEN,
                request ->
                        answer(
                                request,
                                one -> {
                                    one.attempt().require(method.role(), one.inPath(PROJECT), "");
                                    return calls.call(
                                            method, message.apply(one), one.attempt().caller());
                                }));
    }

    private static Page unknown(String method) {
        return new Page(
                method,
                ELSEWHERE,
                Page.Access.TOKEN,
                request ->
                        answer(
                                request,
                                one -> {
                                    throw PetrichorException.of(
                                            ErrorCode.NOT_FOUND,
                                            "no such path: {path}; the Admin API has"
                                                    + " /v1/projects/PROJECT/indexes,"
                                                    + " /v1/projects/PROJECT/operations,"
                                                    + " /v1/projects/PROJECT:export and"
                                                    + " /v1/projects/PROJECT:import",
                                            "path",
                                            one.path());
                                }));
    }

    private static Page.Answer answer(Page.Request request, Function<Page.Request, Message> call) {
        try {
            String json = JsonFormat.printer().usingTypeRegistry(TYPES).print(call.apply(request));
            return Page.Answer.json(200, json + "\n");
        } catch (RuntimeException | InvalidProtocolBufferException failed) {
            Trace trace = Trace.of(request.headers().get(Trace.HEADER));
            CallFailure failure = CallFailure.of(failed, trace);
            return error(failure.code(), failure.text());
        }
    }

    private static Page.Answer error(ErrorCode code, String text) {
        int status =
                switch (code) {
                    case INVALID_ARGUMENT, FAILED_PRECONDITION -> 400;
                    case UNAUTHENTICATED -> 401;
                    case PERMISSION_DENIED -> 403;
                    case NOT_FOUND -> 404;
                    case ALREADY_EXISTS, ABORTED -> 409;
                    case RESOURCE_EXHAUSTED -> 429;
                    case UNIMPLEMENTED -> 501;
                    case UNAVAILABLE -> 503;
                    case DEADLINE_EXCEEDED -> 504;
                    case INTERNAL -> 500;
                };
        JsonObject error = new JsonObject();
        error.addProperty("code", status);
        error.addProperty("message", text);
        error.addProperty("status", code.name());
        JsonObject body = new JsonObject();
        body.add("error", error);
        return Page.Answer.json(status, body + "\n");
    }

    private ListIndexesRequest indexes(Page.Request request) {
        return ListIndexesRequest.newBuilder()
                .setProjectId(request.inPath(PROJECT))
                .setFilter(request.parameters().getOrDefault("filter", ""))
                .setPageSize(pageSize(request))
                .setPageToken(request.parameters().getOrDefault("pageToken", ""))
                .build();
    }

    private static int pageSize(Page.Request request) {
        String size = request.parameters().getOrDefault("pageSize", "0");
        try {
            return Integer.parseInt(size);
        } catch (NumberFormatException noNumber) {
            throw PetrichorException.invalid(
                    "pageSize must be a number, not \"{size}\".", "size", size);
        }
    }

    private CreateIndexRequest newIndex(Page.Request request) {
        return CreateIndexRequest.newBuilder()
                .setProjectId(request.inPath(PROJECT))
                .setIndex(body(request, Index.newBuilder()))
                .build();
    }

    private GetIndexRequest index(Page.Request request) {
        return GetIndexRequest.newBuilder()
                .setProjectId(request.inPath(PROJECT))
                .setIndexId(request.inPath(ID))
                .build();
    }

    private DeleteIndexRequest removedIndex(Page.Request request) {
        return DeleteIndexRequest.newBuilder()
                .setProjectId(request.inPath(PROJECT))
                .setIndexId(request.inPath(ID))
                .build();
    }

    private ListOperationsRequest operations(Page.Request request) {
        return ListOperationsRequest.newBuilder()
                .setName("projects/" + request.inPath(PROJECT))
                .build();
    }

    private GetOperationRequest operation(Page.Request request) {
        return GetOperationRequest.newBuilder().setName(operationName(request)).build();
    }

    private DeleteOperationRequest removedOperation(Page.Request request) {
        return DeleteOperationRequest.newBuilder().setName(operationName(request)).build();
    }

    private CancelOperationRequest cancelledOperation(Page.Request request) {
        return CancelOperationRequest.newBuilder().setName(operationName(request)).build();
    }

    private static String operationName(Page.Request request) {
        return "projects/" + request.inPath(PROJECT) + "/operations/" + request.inPath(ID);
    }

    private ExportEntitiesRequest export(Page.Request request) {
        return body(request, ExportEntitiesRequest.newBuilder())
                .setProjectId(request.inPath(PROJECT))
                .build();
    }

    private ImportEntitiesRequest importOf(Page.Request request) {
        return body(request, ImportEntitiesRequest.newBuilder())
                .setProjectId(request.inPath(PROJECT))
                .build();
    }

    private static <B extends Message.Builder> B body(Page.Request request, B into) {
        try {
            JsonFormat.parser().merge(new String(request.body(), StandardCharsets.UTF_8), into);
            return into;
        } catch (InvalidProtocolBufferException malformed) {
            throw PetrichorException.invalid(
                    "The body is not {message} in JSON: {reason}",
                    "message",
                    into.getDescriptorForType().getName(),
                    "reason",
                    malformed.getMessage());
        }
    }
}
