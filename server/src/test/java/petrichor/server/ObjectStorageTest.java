package petrichor.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petrichor.kv.memory.MemoryOptions;

/** Tests objects in the real server: memory, crashes, several servers. */
class ObjectStorageTest {
    private static final int GRANULE_BYTES = 256 << 10;

    @TempDir Path folder;

    @Test
    void anObjectOfFourTimesTheHeapPasses() throws Exception {
        transfer(256L << 20);
    }

    @Tag("slow")
    @Test
    void aGigabytePassesWithin64MegabytesOfHeap() throws Exception {
        transfer(1L << 30);
    }

    private void transfer(long bytes) throws Exception {
        try (ServerProcess server =
                        ServerProcess.start(ProcessBuilder.Redirect.INHERIT, folder, "-Xmx64m");
                ObjectsClient client = new ObjectsClient(server.port())) {
            assertThat(client.createBucket("demo", "large").statusCode()).isEqualTo(200);
            HttpResponse<String> uploaded = client.upload("large", "object", bytes);
            assertThat(uploaded.statusCode()).as(uploaded.body()).isEqualTo(200);
            assertThat(uploaded.body()).contains("\"size\":\"" + bytes + "\"");
            assertThat(client.download("large", "object")).isEqualTo(ObjectsClient.expected(bytes));
        }
    }

    @Test
    void anUploadContinuesAfterTheServerWasKilled() throws Exception {
        long bytes = 20 * GRANULE_BYTES + 17;
        String session;
        try (ServerProcess server = ServerProcess.start(ProcessBuilder.Redirect.INHERIT, folder);
                ObjectsClient client = new ObjectsClient(server.port())) {
            assertThat(client.createBucket("demo", "large").statusCode()).isEqualTo(200);
            HttpResponse<String> started =
                    client.send(
                            client.request(
                                            "/upload/storage/v1/b/large/o?uploadType=resumable"
                                                    + "&name=object")
                                    .POST(HttpRequest.BodyPublishers.noBody()));
            String location = started.headers().firstValue("location").orElseThrow();
            session = location.substring(location.indexOf("/upload/"));
            assertThat(part(client, session, 0, 8 * GRANULE_BYTES, "*").statusCode())
                    .isEqualTo(308);
            server.kill();
        }
        try (ServerProcess server = ServerProcess.start(ProcessBuilder.Redirect.INHERIT, folder);
                ObjectsClient client = new ObjectsClient(server.port())) {
            HttpResponse<String> state =
                    client.send(
                            client.request(session)
                                    .header("Content-Range", "bytes */" + bytes)
                                    .PUT(HttpRequest.BodyPublishers.noBody()));
            assertThat(state.statusCode()).isEqualTo(308);
            assertThat(state.headers().firstValue("range"))
                    .contains("bytes=0-" + (8 * GRANULE_BYTES - 1));
            HttpResponse<String> last = part(client, session, 8 * GRANULE_BYTES, bytes, "" + bytes);
            assertThat(last.statusCode()).as(last.body()).isEqualTo(200);
            assertThat(client.download("large", "object")).isEqualTo(ObjectsClient.expected(bytes));
        }
    }

    private static HttpResponse<String> part(
            ObjectsClient client, String session, long from, long to, String total)
            throws Exception {
        return client.send(
                client.request(session)
                        .header("Content-Range", "bytes " + from + "-" + (to - 1) + "/" + total)
                        .PUT(ObjectsClient.body(from, to)));
    }

    /** The owners of the project and of the directory of buckets are different servers, perhaps. */
    @Test
    void everyServerOfAClusterWritesAndReadsObjects() throws Exception {
        long bytes = 3 * GRANULE_BYTES + 5;
        try (TestCluster cluster = TestCluster.start(2, MemoryOptions.DEFAULT)) {
            try (ObjectsClient first = new ObjectsClient(cluster.node(0).server().port());
                    ObjectsClient second = new ObjectsClient(cluster.node(1).server().port())) {
                for (String project : new String[] {"one", "two", "three"}) {
                    HttpResponse<String> created = first.createBucket(project, "b-" + project);
                    assertThat(created.statusCode()).as(created.body()).isEqualTo(200);
                    for (ObjectsClient writer : new ObjectsClient[] {first, second}) {
                        HttpResponse<String> uploaded =
                                writer.upload("b-" + project, "object", bytes);
                        assertThat(uploaded.statusCode()).as(uploaded.body()).isEqualTo(200);
                        for (ObjectsClient reader : new ObjectsClient[] {first, second}) {
                            assertThat(reader.download("b-" + project, "object"))
                                    .isEqualTo(ObjectsClient.expected(bytes));
                        }
                    }
                    assertThat(second.createBucket("other", "b-" + project).statusCode())
                            .isEqualTo(409);
                }
            }
            long forwarded =
                    cluster.nodes().stream()
                            .mapToLong(
                                    node ->
                                            node.data()
                                                    .cluster()
                                                    .orElseThrow()
                                                    .metrics()
                                                    .forwarded())
                            .sum();
            assertThat(forwarded).isPositive();
        }
    }

    @Test
    void withDataInMemoryTheContentsAreInATemporaryFolder() throws Exception {
        try (ServerProcess server =
                        ServerProcess.start(
                                ProcessBuilder.Redirect.INHERIT, "-Djava.io.tmpdir=" + folder);
                ObjectsClient client = new ObjectsClient(server.port())) {
            assertThat(temporaryFolders()).isZero();
            assertThat(client.createBucket("demo", "bucket").statusCode()).isEqualTo(200);
            assertThat(client.upload("bucket", "object", 5).statusCode()).isEqualTo(200);
            assertThat(temporaryFolders()).isEqualTo(1);
        }
        assertThat(temporaryFolders()).isZero();
    }

    private long temporaryFolders() throws IOException {
        try (Stream<Path> all = Files.list(folder)) {
            return all.filter(one -> one.getFileName().toString().startsWith("petrichor-blobs-"))
                    .count();
        }
    }

    @Test
    void aResetDeletesBuckets() throws Exception {
        try (TestServer server = TestServer.start();
                ObjectsClient client = new ObjectsClient(server.port())) {
            assertThat(client.createBucket("demo", "bucket").statusCode()).isEqualTo(200);
            assertThat(client.upload("bucket", "object", 5).statusCode()).isEqualTo(200);
            server.awaitMetrics(
                    "petrichor_storage_received_bytes_total 5.0",
                    "petrichor_storage_requests_total{method=\"objects.insert\",status=\"200\"}"
                            + " 1.0",
                    "petrichor_storage_transfers 0.0");
            assertThat(server.post("/reset", "").statusCode()).isEqualTo(200);
            assertThat(client.send(client.request("/storage/v1/b/bucket")).statusCode())
                    .isEqualTo(404);
            assertThat(client.createBucket("demo", "bucket").statusCode()).isEqualTo(200);
        }
    }
}
