package petrichor.server.admin;

import com.google.datastore.admin.v1.CreateIndexRequest;
import com.google.datastore.admin.v1.DeleteIndexRequest;
import com.google.datastore.admin.v1.ExportEntitiesRequest;
import com.google.datastore.admin.v1.GetIndexRequest;
import com.google.datastore.admin.v1.ImportEntitiesRequest;
import com.google.datastore.admin.v1.Index;
import com.google.datastore.admin.v1.ListIndexesRequest;
import com.google.datastore.admin.v1.ListIndexesResponse;
import com.google.longrunning.CancelOperationRequest;
import com.google.longrunning.DeleteOperationRequest;
import com.google.longrunning.GetOperationRequest;
import com.google.longrunning.ListOperationsRequest;
import com.google.longrunning.ListOperationsResponse;
import com.google.longrunning.Operation;
import com.google.protobuf.Empty;
import java.util.List;
import petrichor.frontends.access.Role;
import petrichor.frontends.http.ApiMethod;

/** The methods of google.datastore.admin.v1.DatastoreAdmin and google.longrunning.Operations. */
record AdminMethods(
        ApiMethod<ListIndexesRequest, ListIndexesResponse> listIndexes,
        ApiMethod<GetIndexRequest, Index> getIndex,
        ApiMethod<CreateIndexRequest, Operation> createIndex,
        ApiMethod<DeleteIndexRequest, Operation> deleteIndex,
        ApiMethod<ExportEntitiesRequest, Operation> export,
        ApiMethod<ImportEntitiesRequest, Operation> importEntities,
        ApiMethod<ListOperationsRequest, ListOperationsResponse> listOperations,
        ApiMethod<GetOperationRequest, Operation> getOperation,
        ApiMethod<DeleteOperationRequest, Empty> deleteOperation,
        ApiMethod<CancelOperationRequest, Empty> cancelOperation) {

    private static final String ADMIN = "google.datastore.admin.v1.DatastoreAdmin/";
    private static final String OPERATIONS = "google.longrunning.Operations/";

    static AdminMethods of(IndexAdmin indexes, TransferAdmin transfers, OperationAdmin operations) {
        return new AdminMethods(
                ApiMethod.of(
                        ADMIN + "ListIndexes",
                        ListIndexesRequest.getDefaultInstance(),
                        ListIndexesResponse.getDefaultInstance(),
                        Role.READ,
                        ListIndexesRequest::getProjectId,
                        indexes::list),
                ApiMethod.of(
                        ADMIN + "GetIndex",
                        GetIndexRequest.getDefaultInstance(),
                        Index.getDefaultInstance(),
                        Role.READ,
                        GetIndexRequest::getProjectId,
                        indexes::get),
                ApiMethod.of(
                        ADMIN + "CreateIndex",
                        CreateIndexRequest.getDefaultInstance(),
                        Operation.getDefaultInstance(),
                        Role.ADMIN,
                        CreateIndexRequest::getProjectId,
                        indexes::create),
                ApiMethod.of(
                        ADMIN + "DeleteIndex",
                        DeleteIndexRequest.getDefaultInstance(),
                        Operation.getDefaultInstance(),
                        Role.ADMIN,
                        DeleteIndexRequest::getProjectId,
                        indexes::delete),
                ApiMethod.of(
                        ADMIN + "ExportEntities",
                        ExportEntitiesRequest.getDefaultInstance(),
                        Operation.getDefaultInstance(),
                        Role.ADMIN,
                        ExportEntitiesRequest::getProjectId,
                        transfers::export),
                new ApiMethod<>(
                        ADMIN + "ImportEntities",
                        ImportEntitiesRequest.getDefaultInstance(),
                        Operation.getDefaultInstance(),
                        Role.ADMIN,
                        ImportEntitiesRequest::getProjectId,
                        transfers::importFrom),
                ApiMethod.of(
                        OPERATIONS + "ListOperations",
                        ListOperationsRequest.getDefaultInstance(),
                        ListOperationsResponse.getDefaultInstance(),
                        Role.READ,
                        request -> OperationAdmin.project(request.getName()),
                        operations::list),
                ApiMethod.of(
                        OPERATIONS + "GetOperation",
                        GetOperationRequest.getDefaultInstance(),
                        Operation.getDefaultInstance(),
                        Role.READ,
                        request -> OperationAdmin.project(request.getName()),
                        operations::get),
                ApiMethod.of(
                        OPERATIONS + "DeleteOperation",
                        DeleteOperationRequest.getDefaultInstance(),
                        Empty.getDefaultInstance(),
                        Role.ADMIN,
                        request -> OperationAdmin.project(request.getName()),
                        operations::delete),
                ApiMethod.of(
                        OPERATIONS + "CancelOperation",
                        CancelOperationRequest.getDefaultInstance(),
                        Empty.getDefaultInstance(),
                        Role.ADMIN,
                        request -> OperationAdmin.project(request.getName()),
                        operations::cancel));
    }

    List<ApiMethod<?, ?>> all() {
        return List.of(
                listIndexes,
                getIndex,
                createIndex,
                deleteIndex,
                export,
                importEntities,
                listOperations,
                getOperation,
                deleteOperation,
                cancelOperation);
    }
}
