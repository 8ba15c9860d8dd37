package petrichor.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.datastore.v1.CommitRequest;
import com.google.datastore.v1.Entity;
import com.google.datastore.v1.Key;
import com.google.datastore.v1.LookupRequest;
import com.google.datastore.v1.LookupResponse;
import com.google.datastore.v1.Mutation;
import com.google.datastore.v1.Value;
import io.grpc.CallOptions;
import io.grpc.stub.ClientCalls;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Tests compressed requests and responses with an entity of 100 kB. */
class GzipTest {
    private static final Key KEY =
            Key.newBuilder()
                    .addPath(Key.PathElement.newBuilder().setKind("Kind").setName("large"))
                    .build();
    private static final String TEXT = "petrichor ".repeat(10_000);
    private static final LookupRequest LOOKUP =
            LookupRequest.newBuilder().setProjectId("p").addKeys(KEY).build();

    private static TestServer server;

    @BeforeAll
    static void start() throws IOException {
        server = TestServer.start();
        HttpResponse<byte[]> stored =
                post("commit", gzip(commit().toByteArray()), "Content-Encoding", "gzip");
        assertThat(stored.statusCode()).isEqualTo(200);
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private static CommitRequest commit() {
        Value text = Value.newBuilder().setStringValue(TEXT).setExcludeFromIndexes(true).build();
        return CommitRequest.newBuilder()
                .setProjectId("p")
                .setMode(CommitRequest.Mode.NON_TRANSACTIONAL)
                .addMutations(
                        Mutation.newBuilder()
                                .setInsert(
                                        Entity.newBuilder()
                                                .setKey(KEY)
                                                .putProperties("text", text)))
                .build();
    }

    @Test
    void aLargeResponseIsCompressedIfAccepted() throws IOException {
        HttpResponse<byte[]> packed =
                post("lookup", LOOKUP.toByteArray(), "Accept-Encoding", "gzip");
        assertThat(packed.headers().firstValue("content-encoding")).hasValue("gzip");
        assertThat(packed.body()).hasSizeLessThan(TEXT.length() / 10);
        assertText(LookupResponse.parseFrom(unzip(packed.body())));
    }

    @Test
    void aLargeResponseIsUncompressedOtherwise() throws IOException {
        HttpResponse<byte[]> plain = post("lookup", LOOKUP.toByteArray(), "X-Nothing", "here");
        assertThat(plain.headers().firstValue("content-encoding")).isEmpty();
        assertText(LookupResponse.parseFrom(plain.body()));
    }

    @Test
    void aSmallResponseIsNotCompressed() {
        HttpResponse<byte[]> small =
                post(
                        "lookup",
                        LookupRequest.newBuilder().setProjectId("p").build().toByteArray(),
                        "Accept-Encoding",
                        "gzip");
        assertThat(small.headers().firstValue("content-encoding")).isEmpty();
    }

    @Test
    void compressionWorksOverGrpc() {
        LookupResponse answer =
                ClientCalls.blockingUnaryCall(
                        server.channel(),
                        TestServer.LOOKUP,
                        CallOptions.DEFAULT.withCompression("gzip"),
                        LOOKUP);
        assertText(answer);
    }

    private static void assertText(LookupResponse answer) {
        assertThat(answer.getFound(0).getEntity().getPropertiesOrThrow("text").getStringValue())
                .isEqualTo(TEXT);
    }

    private static HttpResponse<byte[]> post(
            String verb, byte[] body, String header, String value) {
        return server.send(
                server.request("/v1/projects/p:" + verb)
                        .header("Content-Type", "application/x-protobuf")
                        .header(header, value)
                        .POST(HttpRequest.BodyPublishers.ofByteArray(body)),
                HttpResponse.BodyHandlers.ofByteArray());
    }

    private static byte[] gzip(byte[] bytes) throws IOException {
        ByteArrayOutputStream zipped = new ByteArrayOutputStream();
        try (GZIPOutputStream zip = new GZIPOutputStream(zipped)) {
            zip.write(bytes);
        }
        return zipped.toByteArray();
    }

    private static byte[] unzip(byte[] bytes) throws IOException {
        try (GZIPInputStream zip = new GZIPInputStream(new ByteArrayInputStream(bytes))) {
            return zip.readAllBytes();
        }
    }
}
