package petrichor.server.admin;

import static petrichor.frontends.http.RestApi.body;
import static petrichor.frontends.http.RestApi.pageSize;
import static petrichor.frontends.http.RestApi.parameter;

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
import com.google.longrunning.CancelOperationRequest;
import com.google.longrunning.DeleteOperationRequest;
import com.google.longrunning.GetOperationRequest;
import com.google.longrunning.ListOperationsRequest;
import com.google.protobuf.Empty;
import com.google.protobuf.util.JsonFormat;
import java.util.List;
import petrichor.frontends.http.Page;
import petrichor.frontends.http.RestApi;

/** The REST binding, in JSON, of the methods of {@link AdminMethods}. Stateless. */
final class AdminPages {
    private static final String PROJECT = "project";
    private static final String ID = "id";
    private static final String PATH = "/v1/projects/{project}";
    private static final String INDEXES = PATH + "/indexes";
    private static final String OPERATIONS = PATH + "/operations";

    /** Of messages in operations. */
    static final JsonFormat.TypeRegistry TYPES =
            JsonFormat.TypeRegistry.newBuilder()
                    .add(Index.getDescriptor())
                    .add(IndexOperationMetadata.getDescriptor())
                    .add(ExportEntitiesMetadata.getDescriptor())
                    .add(ExportEntitiesResponse.getDescriptor())
                    .add(ImportEntitiesMetadata.getDescriptor())
                    .add(Empty.getDescriptor())
                    .build();

    private final AdminMethods methods;
    private final RestApi rest;

    AdminPages(AdminMethods methods, RestApi rest) {
        this.methods = methods;
        this.rest = rest;
    }

    List<Page> pages() {
        return List.of(
                rest.page("GET", INDEXES, methods.listIndexes(), this::indexes),
                rest.page("POST", INDEXES, methods.createIndex(), this::newIndex),
                rest.page("GET", INDEXES + "/{id}", methods.getIndex(), this::index),
                rest.page("DELETE", INDEXES + "/{id}", methods.deleteIndex(), this::removedIndex),
                rest.page("GET", OPERATIONS, methods.listOperations(), this::operations),
                rest.page("GET", OPERATIONS + "/{id}", methods.getOperation(), this::operation),
                rest.page(
                        "DELETE",
                        OPERATIONS + "/{id}",
                        methods.deleteOperation(),
                        this::removedOperation),
                rest.page(
                        "POST",
                        OPERATIONS + "/{id}:cancel",
                        methods.cancelOperation(),
                        this::cancelledOperation),
                rest.page("POST", PATH + ":export", methods.export(), this::export),
                rest.page("POST", PATH + ":import", methods.importEntities(), this::importOf),
                unknown("GET"),
                unknown("POST"),
                unknown("DELETE"));
    }

    private Page unknown(String method) {
        return rest.unknown(
                method,
                "/v1/projects/*",
                "/v1/projects/PROJECT/indexes, /v1/projects/PROJECT/operations,"
                        + " /v1/projects/PROJECT:export and /v1/projects/PROJECT:import");
    }

    private ListIndexesRequest indexes(Page.Request request) {
        return ListIndexesRequest.newBuilder()
                .setProjectId(request.inPath(PROJECT))
                .setFilter(parameter(request, "filter"))
                .setPageSize(pageSize(request))
                .setPageToken(parameter(request, "pageToken"))
                .build();
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
}
