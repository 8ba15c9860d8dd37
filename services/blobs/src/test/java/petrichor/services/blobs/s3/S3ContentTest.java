package petrichor.services.blobs.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.jclouds.blobstore.domain.StorageMetadata;
import org.jclouds.blobstore.options.ListContainerOptions;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.services.blobs.content.BlobContent;
import petrichor.services.blobs.content.ContentConformance;
import petrichor.services.blobs.content.ContentId;
import petrichor.services.blobs.content.ContentReader;
import petrichor.services.blobs.content.ContentWriter;

class S3ContentTest implements ContentConformance {
    private static final ContentId ID = new ContentId("p", 1, 2);

    @SuppressWarnings("NullAway.Init") // before all tests
    private static S3ProxyServer server;

    private String prefix;
    private S3Content content;

    @BeforeAll
    static void start() throws Exception {
        // Where Amazon's SDK looks first.
        System.setProperty("aws.accessKeyId", S3ProxyServer.KEY);
        System.setProperty("aws.secretAccessKey", S3ProxyServer.SECRET);
        server = new S3ProxyServer();
    }

    @AfterAll
    static void stop() throws Exception {
        server.stop();
        System.clearProperty("aws.accessKeyId");
        System.clearProperty("aws.secretAccessKey");
    }

    @BeforeEach
    void open(TestInfo test) {
        prefix = "of/" + test.getTestMethod().orElseThrow().getName();
        content = S3Content.open(server.address(prefix));
    }

    @AfterEach
    void close() {
        content.close();
    }

    @Override
    public BlobContent content() {
        return content;
    }

    private void write(int bytes) {
        try (ContentWriter writer = content.append(ID, 0)) {
            writer.write(new byte[bytes], 0, bytes);
            writer.finish();
        }
    }

    private List<String> keys() {
        return server
                .objects
                .list(
                        S3ProxyServer.BUCKET,
                        ListContainerOptions.Builder.prefix(prefix + "/").recursive())
                .stream()
                .map(StorageMetadata::getName)
                .sorted()
                .toList();
    }

    @Test
    void aContentIsAnObjectForEachChunk() {
        write(4 * GRANULE + 1);
        String folder = prefix + "/pp/00000000000000010000000000000002/";
        assertThat(keys())
                .containsExactly(folder + "0000000000000000", folder + "0000000000000001");
    }

    @Test
    void aChangedChunkIsNoticed() {
        write(2 * GRANULE);
        String key = keys().getFirst();
        server.objects.putBlob(
                S3ProxyServer.BUCKET,
                server.objects.blobBuilder(key).payload(new byte[GRANULE]).build());
        try (ContentReader reader = content.read(ID, 0, GRANULE)) {
            assertThatThrownBy(reader::next)
                    .isInstanceOf(PetrichorException.class)
                    .hasMessageContaining("block 0")
                    .hasMessageContaining("damaged");
        }
    }

    @Test
    void aShortenedChunkIsNoticed() {
        write(GRANULE);
        assertThatThrownBy(() -> content.append(ID, 2L * GRANULE)).hasMessageContaining("fewer");
    }

    @Test
    void aStoreThatDoesNotAnswerIsUnavailable() {
        S3Address nowhere =
                S3Address.parse("s3://" + S3ProxyServer.BUCKET + "?endpoint=http://127.0.0.1:1");
        try (S3Content gone = S3Content.open(nowhere);
                ContentWriter writer = gone.append(ID, 0)) {
            writer.write(new byte[1], 0, 1);
            assertThatThrownBy(writer::finish)
                    .isInstanceOfSatisfying(
                            PetrichorException.class,
                            failure -> assertThat(failure.code()).isEqualTo(ErrorCode.UNAVAILABLE));
        }
    }
}
