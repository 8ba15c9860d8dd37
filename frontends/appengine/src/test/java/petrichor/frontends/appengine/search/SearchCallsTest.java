package petrichor.frontends.appengine.search;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.appengine.api.search.proto.SearchServicePb;
import com.google.appengine.api.search.proto.SearchServicePb.SearchServiceError.ErrorCode;
import com.google.apphosting.api.search.DocumentPb;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.MessageLite;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import petrichor.base.Cancellation;
import petrichor.base.MemoryBudget;
import petrichor.base.PetrichorException;
import petrichor.base.TimeSource;
import petrichor.frontends.appengine.CallingApp;
import petrichor.frontends.appengine.ServiceCall;
import petrichor.frontends.appengine.ServiceError;
import petrichor.kv.memory.MemoryStore;
import petrichor.services.search.SearchService;
import petrichor.services.search.SearchSettings;
import petrichor.transactions.databases.RowDatabases;

/** What official SDKs rely on; clients/appengine-python runs one. */
final class SearchCallsTest {
    private static final SearchServicePb.IndexSpec INDEX =
            SearchServicePb.IndexSpec.newBuilder().setName("index").build();

    private final RowDatabases databases = new RowDatabases(MemoryStore.open());
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final SearchService service =
            new SearchService(
                    () -> databases,
                    SearchSettings.of(null),
                    MemoryBudget.unlimited(),
                    TimeSource.SYSTEM,
                    new Random(1),
                    threads);
    private final SearchCalls calls = new SearchCalls(service, TimeSource.SYSTEM);

    @AfterEach
    void close() {
        service.close();
        databases.close();
        threads.close();
    }

    private byte[] call(String project, String method, MessageLite request) {
        return calls.call(
                        new ServiceCall(
                                method,
                                request.toByteArray(),
                                CallingApp.of(project),
                                Cancellation.never()))
                .join();
    }

    private static DocumentPb.Document.Builder document(String id, String text) {
        return DocumentPb.Document.newBuilder()
                .setId(id)
                .addField(
                        DocumentPb.Field.newBuilder()
                                .setName("t")
                                .setValue(DocumentPb.FieldValue.newBuilder().setStringValue(text)));
    }

    private SearchServicePb.IndexDocumentResponse put(DocumentPb.Document.Builder... documents)
            throws InvalidProtocolBufferException {
        SearchServicePb.IndexDocumentRequest.Builder request =
                SearchServicePb.IndexDocumentRequest.newBuilder();
        request.getParamsBuilder().setIndexSpec(INDEX);
        for (DocumentPb.Document.Builder document : documents) {
            request.getParamsBuilder().addDocument(document);
        }
        return SearchServicePb.IndexDocumentResponse.parseFrom(
                call("p", "IndexDocument", request.build()));
    }

    private SearchServicePb.SearchResponse search(String project, String query)
            throws InvalidProtocolBufferException {
        SearchServicePb.SearchRequest.Builder request = SearchServicePb.SearchRequest.newBuilder();
        request.getParamsBuilder().setIndexSpec(INDEX).setQuery(query);
        return SearchServicePb.SearchResponse.parseFrom(call(project, "Search", request.build()));
    }

    @Test
    void eachDocumentHasAStatusAndAnId() throws Exception {
        DocumentPb.Document.Builder invalid = document("number", "a");
        invalid.getFieldBuilder(0)
                .getValueBuilder()
                .setType(DocumentPb.FieldValue.ContentType.NUMBER);
        SearchServicePb.IndexDocumentResponse response =
                put(document("a", "word"), invalid, document("!bad", "x"), document("", "word"));
        assertThat(response.getStatusList())
                .extracting(SearchServicePb.RequestStatus::getCode)
                .containsExactly(
                        ErrorCode.OK,
                        ErrorCode.INVALID_REQUEST,
                        ErrorCode.INVALID_REQUEST,
                        ErrorCode.OK);
        assertThat(response.getDocIdList()).hasSize(4).startsWith("a", "number", "!bad");
        assertThat(response.getDocId(3)).isNotEmpty();
        assertThat(search("p", "word").getMatchedCount()).isEqualTo(2);
    }

    @Test
    void defaultRanksCountSecondsSince2011() throws Exception {
        put(document("a", "word"));
        assertThat(search("p", "word").getResult(0).getDocument().getOrderId())
                .isGreaterThan(400_000_000);
    }

    @Test
    void anAppSeesOnlyItsOwnDocuments() throws Exception {
        put(document("a", "word"));
        SearchServicePb.SearchResponse other = search("q", "word");
        assertThat(other.getMatchedCount()).isZero();
        assertThat(other.getStatus().getCode()).isEqualTo(ErrorCode.OK);
        assertThat(other.getStatus().getErrorDetail()).contains("does not exist");
    }

    @Test
    void failuresAreStatusesOfTheResponse() throws Exception {
        put(document("a", "word"));
        SearchServicePb.SearchResponse invalid = search("p", "word AND");
        assertThat(invalid.getStatus().getCode()).isEqualTo(ErrorCode.INVALID_REQUEST);
        assertThat(invalid.getStatus().getErrorDetail()).contains("word AND");
        SearchServicePb.IndexDocumentRequest.Builder badIndex =
                SearchServicePb.IndexDocumentRequest.newBuilder();
        badIndex.getParamsBuilder()
                .setIndexSpec(SearchServicePb.IndexSpec.newBuilder().setName("!bad"))
                .addDocument(document("a", "word"));
        assertThat(
                        SearchServicePb.IndexDocumentResponse.parseFrom(
                                        call("p", "IndexDocument", badIndex.build()))
                                .getStatus(0)
                                .getCode())
                .isEqualTo(ErrorCode.INVALID_REQUEST);
    }

    @Test
    void unknownMethodsAndMessagesAreRefused() {
        assertThatThrownBy(() -> call("p", "Explode", INDEX))
                .isInstanceOfSatisfying(
                        PetrichorException.class,
                        unknown ->
                                assertThat(unknown.code())
                                        .isEqualTo(petrichor.base.ErrorCode.UNIMPLEMENTED));
        assertThatThrownBy(
                        () ->
                                calls.call(
                                        new ServiceCall(
                                                "Search",
                                                new byte[] {1, 2, 3},
                                                CallingApp.of("p"),
                                                Cancellation.never())))
                .isInstanceOf(ServiceError.class);
    }
}
