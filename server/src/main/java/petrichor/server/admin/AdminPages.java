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
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.frontends.access.Role;
import petrichor.frontends.datastore.Page;

/** The same calls as {@link AdminService} has, as REST in JSON. Stateless. */
final class AdminPages {
    private static final String BELOW_PROJECTS = "/v1/projects/*";
    private static final Pattern PROJECT = Pattern.compile("/v1/projects/([^/:]+)[/:].*");
    private static final Pattern INDEXES =
            Pattern.compile("/v1/projects/([^/:]+)/indexes(?:/([^/:]+))?");
    private static final Pattern OPERATIONS =
            Pattern.compile("/v1/(projects/[^/:]+)/operations(/[^/:]+)?(:cancel)?");

    private static final Pattern MOVEMENT =
            Pattern.compile("/v1/projects/([^/:]+):(export|import)");

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
                page("GET", Role.READ, this::read),
                page("POST", Role.ADMIN, this::change),
                page("DELETE", Role.ADMIN, this::remove));
    }

    private static Page page(String method, Role role, Function<Page.Request, Message> call) {
        return new Page(
                method, BELOW_PROJECTS, Page.Access.TOKEN, request -> answer(request, role, call));
    }

    private static Page.Answer answer(
            Page.Request request, Role role, Function<Page.Request, Message> call) {
        try {
            authorize(request, role);
            String json = JsonFormat.printer().usingTypeRegistry(TYPES).print(call.apply(request));
            return Page.Answer.json(200, json + "\n");
        } catch (PetrichorException refused) {
            return error(refused.code(), String.valueOf(refused.getMessage()));
        } catch (InvalidProtocolBufferException unknownType) {
            return error(ErrorCode.INTERNAL, String.valueOf(unknownType.getMessage()));
        }
    }

    /** Both kinds of paths name the project whose default database they are about. */
    private static void authorize(Page.Request request, Role role) {
        Matcher path = PROJECT.matcher(request.path());
        if (!path.matches()) {
            throw unknown(request);
        }
        request.attempt().require(role, path.group(1), "");
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

    private Message read(Page.Request request) {
        Matcher index = INDEXES.matcher(request.path());
        if (index.matches()) {
            String id = index.group(2);
            if (id != null) {
                return indexes.get(
                        GetIndexRequest.newBuilder()
                                .setProjectId(index.group(1))
                                .setIndexId(id)
                                .build());
            }
            return indexes.list(
                    ListIndexesRequest.newBuilder()
                            .setProjectId(index.group(1))
                            .setFilter(request.parameters().getOrDefault("filter", ""))
                            .setPageSize(pageSize(request))
                            .setPageToken(request.parameters().getOrDefault("pageToken", ""))
                            .build());
        }
        Matcher operation = OPERATIONS.matcher(request.path());
        if (!operation.matches() || operation.group(3) != null) {
            throw unknown(request);
        }
        String id = operation.group(2);
        return id == null
                ? longRunning.list(
                        ListOperationsRequest.newBuilder().setName(operation.group(1)).build())
                : longRunning.get(
                        GetOperationRequest.newBuilder().setName(name(operation)).build());
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

    private Message change(Page.Request request) {
        Matcher operation = OPERATIONS.matcher(request.path());
        if (operation.matches() && operation.group(2) != null && operation.group(3) != null) {
            return longRunning.cancel(
                    CancelOperationRequest.newBuilder().setName(name(operation)).build());
        }
        Matcher move = MOVEMENT.matcher(request.path());
        if (move.matches()) {
            return move(request, move.group(1), move.group(2));
        }
        Matcher index = INDEXES.matcher(request.path());
        if (!index.matches() || index.group(2) != null) {
            throw unknown(request);
        }
        return indexes.create(
                CreateIndexRequest.newBuilder()
                        .setProjectId(index.group(1))
                        .setIndex(body(request, Index.newBuilder()))
                        .build());
    }

    private Message move(Page.Request request, String project, String verb) {
        return verb.equals("export")
                ? movement.export(
                        body(request, ExportEntitiesRequest.newBuilder())
                                .setProjectId(project)
                                .build())
                : movement.importFrom(
                        body(request, ImportEntitiesRequest.newBuilder())
                                .setProjectId(project)
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

    private Message remove(Page.Request request) {
        Matcher index = INDEXES.matcher(request.path());
        if (index.matches() && index.group(2) != null) {
            return indexes.delete(
                    DeleteIndexRequest.newBuilder()
                            .setProjectId(index.group(1))
                            .setIndexId(index.group(2))
                            .build());
        }
        Matcher operation = OPERATIONS.matcher(request.path());
        if (operation.matches() && operation.group(2) != null && operation.group(3) == null) {
            return longRunning.delete(
                    DeleteOperationRequest.newBuilder().setName(name(operation)).build());
        }
        throw unknown(request);
    }

    private static String name(Matcher operation) {
        return operation.group(1) + "/operations" + operation.group(2);
    }

    private static PetrichorException unknown(Page.Request request) {
        return PetrichorException.of(
                ErrorCode.NOT_FOUND,
                "no such path: {path}; the Admin API has /v1/projects/PROJECT/indexes,"
                        + " /v1/projects/PROJECT/operations, /v1/projects/PROJECT:export and"
                        + " /v1/projects/PROJECT:import",
                "path",
                request.path());
    }
}
