package petrichor.server.backups;

import java.net.URI;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

/** Backups in a bucket of another maker's server. Building it takes more than a minute. */
@Tag("slow")
class OtherCloudStorageTest extends CloudStorageTests {
    private static FakeCloudStorage server;

    @BeforeAll
    static void start(@TempDir Path log) {
        server = FakeCloudStorage.start(log, BUCKET);
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @Override
    URI endpoint() {
        return server.endpoint();
    }
}
