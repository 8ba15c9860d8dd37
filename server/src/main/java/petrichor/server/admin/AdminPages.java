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
import petrichor.frontends.access.Role;
import petrichor.frontends.http.Page;

/** The REST binding, in JSON, of the calls of {@link AdminService}. Stateless. */
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

    private final IndexAdmin indexes;
    private final TransferAdmin movement;
    private final OperationAdmin longRunning;

    AdminPages(IndexAdmin indexes, TransferAdmin movement, OperationAdmin longRunning) {
        this.indexes = indexes;
        this.movement = movement;
        this.longRunning = longRunning;
    }

    List<Page> pages() {
        return List.of(
                page("GET", INDEXES, Role.READ, this::listIndexes),
                page("POST", INDEXES, Role.ADMIN, this::createIndex),
                page("GET", INDEXES + "/{id}", Role.READ, this::getIndex),
                page("DELETE", INDEXES + "/{id}", Role.ADMIN, this::deleteIndex),
                page("GET", OPERATIONS, Role.READ, this::listOperations),
                page("GET", OPERATIONS + "/{id}", Role.READ, this::getOperation),
                page("DELETE", OPERATIONS + "/{id}", Role.ADMIN, this::deleteOperation),
                page("POST", OPERATIONS + "/{id}:cancel", Role.ADMIN, this::cancelOperation),
                page("POST", PATH + ":export", Role.ADMIN, this::export),
                page("POST", PATH + ":import", Role.ADMIN, this::importEntities),
                unknown("GET"),
                unknown("POST"),
                unknown("DELETE"));
    }

    /** A page whose path names the project; its default database is meant. */
    private static Page page(
            String method, String path, Role role, Function<Page.Request, Message> call) {
        return new Page(
                method,
                path,
                Page.Access.TOKEN,
                request ->
                        answer(
                                request,
                                one -> {
                                    one.attempt().require(role, one.inPath(PROJECT), "");
                                    return call.apply(one);
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
        } catch (PetrichorException refused) {
            return error(refused.code(), String.valueOf(refused.getMessage()));
        } catch (InvalidProtocolBufferException unknownType) {
            return error(ErrorCode.INTERNAL, String.valueOf(unknownType.getMessage()));
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

    private Message listIndexes(Page.Request request) {
        return indexes.list(
                ListIndexesRequest.newBuilder()
                        .setProjectId(request.inPath(PROJECT))
                        .setFilter(request.parameters().getOrDefault("filter", ""))
                        .setPageSize(pageSize(request))
                        .setPageToken(request.parameters().getOrDefault("pageToken", ""))
                        .build());
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

    private Message createIndex(Page.Request request) {
        return indexes.create(
                CreateIndexRequest.newBuilder()
                        .setProjectId(request.inPath(PROJECT))
                        .setIndex(body(request, Index.newBuilder()))
                        .build());
    }

    private Message getIndex(Page.Request request) {
        return indexes.get(
                GetIndexRequest.newBuilder()
                        .setProjectId(request.inPath(PROJECT))
                        .setIndexId(request.inPath(ID))
                        .build());
    }

    private Message deleteIndex(Page.Request request) {
        return indexes.delete(
                DeleteIndexRequest.newBuilder()
                        .setProjectId(request.inPath(PROJECT))
                        .setIndexId(request.inPath(ID))
                        .build());
    }

    private Message listOperations(Page.Request request) {
        String parent = "projects/" + request.inPath(PROJECT);
        return longRunning.list(ListOperationsRequest.newBuilder().setName(parent).build());
    }

    private Message getOperation(Page.Request request) {
        return longRunning.get(
                GetOperationRequest.newBuilder().setName(operation(request)).build());
    }

    private Message deleteOperation(Page.Request request) {
        return longRunning.delete(
                DeleteOperationRequest.newBuilder().setName(operation(request)).build());
    }

    private Message cancelOperation(Page.Request request) {
        return longRunning.cancel(
                CancelOperationRequest.newBuilder().setName(operation(request)).build());
    }

    private static String operation(Page.Request request) {
        return "projects/" + request.inPath(PROJECT) + "/operations/" + request.inPath(ID);
    }

    private Message export(Page.Request request) {
        return movement.export(
                body(request, ExportEntitiesRequest.newBuilder())
                        .setProjectId(request.inPath(PROJECT))
                        .build());
    }

    private Message importEntities(Page.Request request) {
        return movement.importFrom(
                body(request, ImportEntitiesRequest.newBuilder())
                        .setProjectId(request.inPath(PROJECT))
                        .build(),
                request.attempt().caller());
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
