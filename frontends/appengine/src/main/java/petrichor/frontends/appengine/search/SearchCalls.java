package petrichor.frontends.appengine.search;

import com.google.appengine.api.search.proto.SearchServicePb;
import com.google.appengine.api.search.proto.SearchServicePb.RequestStatus;
import com.google.appengine.api.search.proto.SearchServicePb.SearchServiceError.ErrorCode;
import com.google.apphosting.api.search.DocumentPb;
import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import petrichor.base.PetrichorException;
import petrichor.base.TimeSource;
import petrichor.frontends.appengine.BundledService;
import petrichor.frontends.appengine.ServiceCall;
import petrichor.frontends.appengine.ServiceError;
import petrichor.services.search.SearchService;
import petrichor.services.search.SearchService.IndexInfo;
import petrichor.services.search.WriteOutcome;
import petrichor.services.search.model.IndexName;
import petrichor.services.search.model.SearchDocument;
import petrichor.services.search.model.SearchFieldType;
import petrichor.services.search.model.SearchLimits;
import petrichor.services.search.model.SearchRequest;
import petrichor.services.search.model.SearchResults;

/** The API {@code search} on {@link SearchService}. Thread-safe. */
public final class SearchCalls implements BundledService {
    /** Default ranks count the seconds since 2011. */
    private static final long RANK_EPOCH_SECONDS = 1_293_840_000;

    private static final long SECOND_MICROS = 1_000_000;

    private final SearchService search;
    private final TimeSource time;

    public SearchCalls(SearchService search, TimeSource time) {
        this.search = search;
        this.time = time;
    }

    @Override
    public String name() {
        return "search";
    }

    @Override
    public CompletableFuture<byte[]> call(ServiceCall call) {
        String project = call.app().project();
        MessageLite response =
                switch (call.method()) {
                    case "IndexDocument" ->
                            put(
                                    project,
                                    parsed(
                                            call,
                                            SearchServicePb.IndexDocumentRequest.parser(),
                                            SearchServicePb.IndexDocumentRequest::getAppId));
                    case "DeleteDocument" ->
                            delete(
                                    project,
                                    parsed(
                                            call,
                                            SearchServicePb.DeleteDocumentRequest.parser(),
                                            SearchServicePb.DeleteDocumentRequest::getAppId));
                    case "ListDocuments" ->
                            listDocuments(
                                    project,
                                    parsed(
                                            call,
                                            SearchServicePb.ListDocumentsRequest.parser(),
                                            SearchServicePb.ListDocumentsRequest::getAppId));
                    case "ListIndexes" ->
                            listIndexes(
                                    project,
                                    parsed(
                                            call,
                                            SearchServicePb.ListIndexesRequest.parser(),
                                            SearchServicePb.ListIndexesRequest::getAppId));
                    case "DeleteSchema" ->
                            deleteSchema(
                                    project,
                                    parsed(
                                            call,
                                            SearchServicePb.DeleteSchemaRequest.parser(),
                                            SearchServicePb.DeleteSchemaRequest::getAppId));
                    case "Search" ->
                            search(
                                    project,
                                    parsed(
                                            call,
                                            SearchServicePb.SearchRequest.parser(),
                                            SearchServicePb.SearchRequest::getAppId));
                    default -> throw call.unknownMethod();
                };
        return CompletableFuture.completedFuture(response.toByteArray());
    }

    private static <T extends MessageLite> T parsed(
            ServiceCall call, Parser<T> parser, Function<T, ByteString> appId) {
        T request;
        try {
            request = parser.parseFrom(call.request());
        } catch (InvalidProtocolBufferException e) {
            throw new ServiceError(
                    ErrorCode.INVALID_REQUEST_VALUE,
                    "The request is not a message of this method: " + e.getMessage());
        }
        call.app().require(appId.apply(request).toStringUtf8());
        return request;
    }

    private static IndexName name(SearchServicePb.IndexSpec spec) {
        return new IndexName(spec.getNamespace(), spec.getName());
    }

    private static RequestStatus ok() {
        return RequestStatus.newBuilder().setCode(ErrorCode.OK).build();
    }

    private static RequestStatus status(PetrichorException e) {
        ErrorCode code =
                switch (e.code()) {
                    case INVALID_ARGUMENT,
                            NOT_FOUND,
                            ALREADY_EXISTS,
                            FAILED_PRECONDITION,
                            UNIMPLEMENTED ->
                            ErrorCode.INVALID_REQUEST;
                    case UNAVAILABLE, RESOURCE_EXHAUSTED -> ErrorCode.TRANSIENT_ERROR;
                    case ABORTED -> ErrorCode.CONCURRENT_TRANSACTION;
                    case DEADLINE_EXCEEDED -> ErrorCode.TIMEOUT;
                    case UNAUTHENTICATED, PERMISSION_DENIED -> ErrorCode.PERMISSION_DENIED;
                    case INTERNAL -> ErrorCode.INTERNAL_ERROR;
                };
        return RequestStatus.newBuilder()
                .setCode(code)
                .setErrorDetail(String.valueOf(e.getMessage()))
                .build();
    }

    private SearchServicePb.IndexDocumentResponse put(
            String project, SearchServicePb.IndexDocumentRequest request) {
        SearchServicePb.IndexDocumentParams params = request.getParams();
        int rank = (int) (time.epochMicros() / SECOND_MICROS - RANK_EPOCH_SECONDS);
        List<RequestStatus> statuses = new ArrayList<>();
        List<SearchDocument> documents = new ArrayList<>();
        List<Integer> positions = new ArrayList<>();
        List<String> ids = new ArrayList<>();
        for (DocumentPb.Document document : params.getDocumentList()) {
            // SDKs expect an id for each document, also for those that are refused.
            ids.add(document.getId());
            try {
                documents.add(DocumentMessages.of(document, rank));
                positions.add(statuses.size());
                statuses.add(ok());
            } catch (PetrichorException e) {
                statuses.add(status(e));
            }
        }
        SearchServicePb.IndexDocumentResponse.Builder response =
                SearchServicePb.IndexDocumentResponse.newBuilder();
        try {
            List<WriteOutcome> outcomes =
                    search.put(project, name(params.getIndexSpec()), documents);
            for (int i = 0; i < outcomes.size(); i++) {
                switch (outcomes.get(i)) {
                    case WriteOutcome.Written(String id) -> ids.set(positions.get(i), id);
                    case WriteOutcome.Missing(String id) -> ids.set(positions.get(i), id);
                    case WriteOutcome.Refused(PetrichorException reason) ->
                            statuses.set(positions.get(i), status(reason));
                }
            }
        } catch (PetrichorException e) {
            positions.forEach(position -> statuses.set(position, status(e)));
        }
        return response.addAllStatus(statuses).addAllDocId(ids).build();
    }

    private SearchServicePb.DeleteDocumentResponse delete(
            String project, SearchServicePb.DeleteDocumentRequest request) {
        SearchServicePb.DeleteDocumentParams params = request.getParams();
        SearchServicePb.DeleteDocumentResponse.Builder response =
                SearchServicePb.DeleteDocumentResponse.newBuilder();
        try {
            for (WriteOutcome outcome :
                    search.delete(project, name(params.getIndexSpec()), params.getDocIdList())) {
                response.addStatus(
                        switch (outcome) {
                            case WriteOutcome.Written _ -> ok();
                            case WriteOutcome.Missing _ ->
                                    ok().toBuilder().setErrorDetail("Not found").build();
                            case WriteOutcome.Refused(PetrichorException reason) -> status(reason);
                        });
            }
        } catch (PetrichorException e) {
            params.getDocIdList().forEach(_ -> response.addStatus(status(e)));
        }
        return response.build();
    }

    private SearchServicePb.ListDocumentsResponse listDocuments(
            String project, SearchServicePb.ListDocumentsRequest request) {
        SearchServicePb.ListDocumentsParams params = request.getParams();
        SearchServicePb.ListDocumentsResponse.Builder response =
                SearchServicePb.ListDocumentsResponse.newBuilder();
        try {
            List<SearchDocument> found =
                    search.documents(
                            project,
                            name(params.getIndexSpec()),
                            params.getStartDocId(),
                            params.getIncludeStartDoc(),
                            params.getLimit());
            for (SearchDocument document : found) {
                response.addDocument(
                        params.getKeysOnly()
                                ? DocumentPb.Document.newBuilder().setId(document.id())
                                : DocumentMessages.of(document));
            }
            return response.setStatus(ok()).build();
        } catch (PetrichorException e) {
            return response.setStatus(status(e)).build();
        }
    }

    private SearchServicePb.ListIndexesResponse listIndexes(
            String project, SearchServicePb.ListIndexesRequest request) {
        SearchServicePb.ListIndexesParams params = request.getParams();
        SearchServicePb.ListIndexesResponse.Builder response =
                SearchServicePb.ListIndexesResponse.newBuilder();
        if (params.getLimit() < 0 || params.getLimit() > SearchLimits.INDEXES_LISTED_MAX) {
            PetrichorException invalid =
                    PetrichorException.invalid(
                            "The limit of indexes is {limit}; it must be from 0 to {limitMax}.",
                            "limit",
                            params.getLimit(),
                            "limitMax",
                            SearchLimits.INDEXES_LISTED_MAX);
            return response.setStatus(status(invalid)).build();
        }
        try {
            String namespace = params.getAllNamespaces() ? null : params.getNamespace();
            search.indexes(project, namespace).stream()
                    .filter(index -> listed(index.name().name(), params))
                    .skip(Math.max(0, params.getOffset()))
                    .limit(params.getLimit())
                    .forEach(
                            index ->
                                    response.addIndexMetadata(
                                            metadata(index, params.getFetchSchema())));
            return response.setStatus(ok()).build();
        } catch (PetrichorException e) {
            return response.setStatus(status(e)).build();
        }
    }

    private static boolean listed(String name, SearchServicePb.ListIndexesParams params) {
        if (!name.startsWith(params.getIndexNamePrefix())) {
            return false;
        }
        int fromStart = name.compareTo(params.getStartIndexName());
        return !params.hasStartIndexName()
                || fromStart > 0
                || (fromStart == 0 && params.getIncludeStartIndex());
    }

    private static SearchServicePb.IndexMetadata metadata(IndexInfo index, boolean schema) {
        SearchServicePb.IndexMetadata.Builder metadata =
                SearchServicePb.IndexMetadata.newBuilder()
                        .setIndexSpec(
                                SearchServicePb.IndexSpec.newBuilder()
                                        .setName(index.name().name())
                                        .setNamespace(index.name().namespace()))
                        .setStorage(
                                SearchServicePb.IndexMetadata.Storage.newBuilder()
                                        .setAmountUsed(index.bytes())
                                        .setLimit(index.bytesMax()));
        if (schema) {
            for (Map.Entry<String, Set<SearchFieldType>> field :
                    index.schema().fields().entrySet()) {
                DocumentPb.FieldTypes.Builder types =
                        DocumentPb.FieldTypes.newBuilder().setName(field.getKey());
                field.getValue().forEach(type -> types.addType(DocumentMessages.type(type)));
                metadata.addField(types);
            }
        }
        return metadata.build();
    }

    private SearchServicePb.DeleteSchemaResponse deleteSchema(
            String project, SearchServicePb.DeleteSchemaRequest request) {
        SearchServicePb.DeleteSchemaResponse.Builder response =
                SearchServicePb.DeleteSchemaResponse.newBuilder();
        for (SearchServicePb.IndexSpec spec : request.getParams().getIndexSpecList()) {
            try {
                search.deleteSchema(project, name(spec));
                response.addStatus(ok());
            } catch (PetrichorException e) {
                response.addStatus(status(e));
            }
        }
        return response.build();
    }

    private SearchServicePb.SearchResponse search(
            String project, SearchServicePb.SearchRequest request) {
        SearchServicePb.SearchParams params = request.getParams();
        try {
            IndexName index = name(params.getIndexSpec());
            SearchRequest wanted = SearchMessages.request(params);
            SearchResults found = search.search(project, index, wanted);
            if (found == null) {
                String detail =
                        "Index '"
                                + index.name()
                                + "' in namespace '"
                                + index.namespace()
                                + "' does not exist";
                return SearchServicePb.SearchResponse.newBuilder()
                        .setMatchedCount(0)
                        .setStatus(ok().toBuilder().setErrorDetail(detail))
                        .build();
            }
            return SearchMessages.response(found, params.getKeysOnly()).setStatus(ok()).build();
        } catch (PetrichorException e) {
            return SearchServicePb.SearchResponse.newBuilder()
                    .setMatchedCount(0)
                    .setStatus(status(e))
                    .build();
        }
    }
}
