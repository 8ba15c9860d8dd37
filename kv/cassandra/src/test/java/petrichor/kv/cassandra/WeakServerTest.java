package petrichor.kv.cassandra;

import static org.assertj.core.api.Assertions.assertThat;
import static petrichor.kv.testkit.Rows.failure;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import petrichor.base.ErrorCode;
import petrichor.kv.StoreUrl;
import petrichor.kv.testkit.RealStore;

/** A server with Cassandra's default settings. */
@Tag("slow")
class WeakServerTest {

    @Test
    void serverThatAcknowledgesBeforeItSyncsIsRefused() {
        try (RealStore server = RealStore.start(ChangedSettings.of(WeakServerTest::periodic), 1)) {
            StoreUrl url = StoreUrl.parse(server.url() + "?timeout=20s");
            assertThat(
                            failure(
                                    ErrorCode.FAILED_PRECONDITION,
                                    () -> new CassandraPlugin().open(url)))
                    .contains("commitlog_sync: periodic")
                    .contains("set commitlog_sync: batch");
        }
    }

    private static String periodic(String settings) {
        return settings.replace(
                "commitlog_sync: batch",
                "commitlog_sync: periodic\ncommitlog_sync_period: 10000ms");
    }
}
