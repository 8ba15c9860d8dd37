package petrichor.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.appengine.api.search.proto.SearchServicePb;
import com.google.appengine.api.search.proto.SearchServicePb.SearchServiceError.ErrorCode;
import com.google.apphosting.api.search.DocumentPb;
import com.google.apphosting.base.protos.api.RemoteApiPb;
import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.MessageLite;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Kills a server while apps put and delete documents. After each restart, the search index equals
 * the stored documents, which contain every acknowledged write; other apps' documents are separate.
 */
class SearchAfterKillTest {
    private static final int WRITERS = 3;
    private static final int IDS_PER_WRITER = 30;
    private static final int ACKNOWLEDGED_BEFORE_KILL = 150;
    private static final int RESULTS_MAX = 1_000;
    private static final long DELETED = 0;
    private static final List<String> APPS = List.of("first-app", "second-app");
    private static final SearchServicePb.IndexSpec INDEX =
            SearchServicePb.IndexSpec.newBuilder().setName("index").build();

    @TempDir Path folder;

    private final HttpClient http = HttpClient.newHttpClient();

    /** Versions by app and id: the acknowledged one, and perhaps one whose answer is missing. */
    private final Map<String, Long> acknowledged = new ConcurrentHashMap<>();

    private final Map<String, Long> unknown = new ConcurrentHashMap<>();

    @Test
    void theIndexAgreesWithAcknowledgedWrites() throws Exception {
        killRepeatedly(2);
    }

    @Tag("slow")
    @Test
    void theIndexAgreesWithAcknowledgedWritesOverTenKills() throws Exception {
        killRepeatedly(10);
    }

    private void killRepeatedly(int rounds) throws Exception {
        long seed = Long.getLong("seed", System.nanoTime() % 1_000);
        for (int round = 0; round < rounds; round++) {
            try (ServerProcess server = server()) {
                writeUntilKilled(server, seed * rounds + round);
            }
            if (round == 1) {
                delete(folder.resolve("data/search"));
            }
            try (ServerProcess server = server()) {
                for (String app : APPS) {
                    check(server, app, "seed " + seed + ", round " + round + ", " + app);
                }
            }
        }
    }

    private ServerProcess server() {
        return ServerProcess.start(
                ProcessBuilder.Redirect.appendTo(folder.resolve("server.log").toFile()),
                folder.resolve("data"));
    }

    private void writeUntilKilled(ServerProcess server, long seed) throws InterruptedException {
        CountDownLatch writes = new CountDownLatch(ACKNOWLEDGED_BEFORE_KILL);
        Thread[] writers = new Thread[WRITERS];
        for (int i = 0; i < WRITERS; i++) {
            int writer = i;
            writers[i] = Thread.ofVirtual().start(() -> write(server, seed, writer, writes));
        }
        writes.await();
        server.kill();
        for (Thread writer : writers) {
            writer.join();
        }
    }

    private void write(ServerProcess server, long seed, int writer, CountDownLatch writes) {
        Random random = new Random(seed * WRITERS + writer);
        for (long version = seed * 100_000 + 1; ; version++) {
            String app = APPS.get(random.nextInt(APPS.size()));
            String id = writer + "-" + random.nextInt(IDS_PER_WRITER);
            boolean put = random.nextInt(4) > 0;
            unknown.put(app + "/" + id, put ? version : DELETED);
            try {
                if (put) {
                    put(server, app, id, version);
                } else {
                    delete(server, app, id);
                }
            } catch (IOException killed) {
                return;
            }
            acknowledged.put(app + "/" + id, unknown.remove(app + "/" + id));
            writes.countDown();
        }
    }

    private void put(ServerProcess server, String app, String id, long version) throws IOException {
        DocumentPb.Document.Builder document =
                DocumentPb.Document.newBuilder().setId(id).setOrderId((int) version);
        document.addFieldBuilder()
                .setName("text")
                .setValue(
                        DocumentPb.FieldValue.newBuilder()
                                .setType(DocumentPb.FieldValue.ContentType.TEXT)
                                .setStringValue("word"));
        SearchServicePb.IndexDocumentRequest.Builder request =
                SearchServicePb.IndexDocumentRequest.newBuilder();
        request.getParamsBuilder().setIndexSpec(INDEX).addDocument(document);
        SearchServicePb.IndexDocumentResponse answer =
                SearchServicePb.IndexDocumentResponse.parseFrom(
                        call(server, app, "IndexDocument", request.build()));
        assertThat(answer.getStatus(0).getCode()).isEqualTo(ErrorCode.OK);
    }

    private void delete(ServerProcess server, String app, String id) throws IOException {
        SearchServicePb.DeleteDocumentRequest.Builder request =
                SearchServicePb.DeleteDocumentRequest.newBuilder();
        request.getParamsBuilder().setIndexSpec(INDEX).addDocId(id);
        SearchServicePb.DeleteDocumentResponse answer =
                SearchServicePb.DeleteDocumentResponse.parseFrom(
                        call(server, app, "DeleteDocument", request.build()));
        assertThat(answer.getStatus(0).getCode()).isEqualTo(ErrorCode.OK);
    }

    private void check(ServerProcess server, String app, String as) throws IOException {
        Map<String, Long> stored = stored(server, app);
        assertThat(found(server, app)).as(as).isEqualTo(stored);
        Map<String, Long> known = new HashMap<>();
        for (int writer = 0; writer < WRITERS; writer++) {
            for (int number = 0; number < IDS_PER_WRITER; number++) {
                String id = writer + "-" + number;
                long version = stored.getOrDefault(id, DELETED);
                assertThat(version)
                        .as("%s: %s", as, id)
                        .isIn(
                                acknowledged.getOrDefault(app + "/" + id, DELETED),
                                unknown.getOrDefault(app + "/" + id, -1L));
                known.put(app + "/" + id, version);
            }
        }
        assertThat(stored).as(as).isNotEmpty();
        acknowledged.putAll(known);
        unknown.keySet().removeAll(known.keySet());
    }

    private Map<String, Long> stored(ServerProcess server, String app) throws IOException {
        SearchServicePb.ListDocumentsRequest.Builder request =
                SearchServicePb.ListDocumentsRequest.newBuilder();
        request.getParamsBuilder().setIndexSpec(INDEX).setLimit(RESULTS_MAX);
        SearchServicePb.ListDocumentsResponse answer =
                SearchServicePb.ListDocumentsResponse.parseFrom(
                        call(server, app, "ListDocuments", request.build()));
        assertThat(answer.getStatus().getCode()).isEqualTo(ErrorCode.OK);
        return versions(answer.getDocumentList());
    }

    /** Both apps use the same ids, name and words. */
    private Map<String, Long> found(ServerProcess server, String app) throws IOException {
        SearchServicePb.SearchRequest.Builder request = SearchServicePb.SearchRequest.newBuilder();
        request.getParamsBuilder().setIndexSpec(INDEX).setQuery("word").setLimit(RESULTS_MAX);
        SearchServicePb.SearchResponse answer =
                SearchServicePb.SearchResponse.parseFrom(
                        call(server, app, "Search", request.build()));
        assertThat(answer.getStatus().getCode()).isEqualTo(ErrorCode.OK);
        return versions(
                answer.getResultList().stream().map(result -> result.getDocument()).toList());
    }

    private static Map<String, Long> versions(List<DocumentPb.Document> documents) {
        Map<String, Long> versions = new TreeMap<>();
        documents.forEach(document -> versions.put(document.getId(), (long) document.getOrderId()));
        return versions;
    }

    private ByteString call(ServerProcess server, String app, String method, MessageLite request)
            throws IOException {
        RemoteApiPb.Request envelope =
                RemoteApiPb.Request.newBuilder()
                        .setServiceName("search")
                        .setMethod(method)
                        .setRequest(request.toByteString())
                        .setRequestId(app + "/ticket")
                        .build();
        HttpRequest post =
                HttpRequest.newBuilder(
                                URI.create("http://127.0.0.1:" + server.port() + "/rpc_http"))
                        .version(HttpClient.Version.HTTP_1_1)
                        .POST(HttpRequest.BodyPublishers.ofByteArray(envelope.toByteArray()))
                        .build();
        try {
            byte[] body = http.send(post, HttpResponse.BodyHandlers.ofByteArray()).body();
            RemoteApiPb.Response response = RemoteApiPb.Response.parseFrom(body);
            assertThat(response.hasResponse()).as(response.toString()).isTrue();
            return response.getResponse();
        } catch (InvalidProtocolBufferException e) {
            throw new AssertionError(e);
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
    }

    private static void delete(Path indexes) throws IOException {
        try (Stream<Path> files = Files.walk(indexes)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
