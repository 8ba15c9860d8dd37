package petrichor.server.logs;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import org.junit.jupiter.api.Test;

class RepeatedRecordsTest {
    private final AtomicLong nanos = new AtomicLong();
    private final List<String> written = new ArrayList<>();
    private final RepeatedRecords limited =
            new RepeatedRecords(
                    new Handler() {
                        @Override
                        public void publish(LogRecord record) {
                            written.add(record.getLoggerName() + ": " + record.getMessage());
                        }

                        @Override
                        public void flush() {}

                        @Override
                        public void close() {}
                    },
                    nanos::get);

    private void log(String logger, String message) {
        LogRecord record = new LogRecord(Level.WARNING, message);
        record.setLoggerName(logger);
        limited.publish(record);
    }

    @Test
    void warningsOfADriverThatRepeatAreCountedInsteadOfWritten() {
        for (int i = 0; i < 100; i++) {
            log("com.driver", "node 127.0.0." + i + ":9042 is away");
        }
        assertThat(written).hasSize(RepeatedRecords.RECORDS_MAX);
        nanos.addAndGet(RepeatedRecords.WINDOW_NANOS);
        limited.report();
        assertThat(written)
                .hasSize(RepeatedRecords.RECORDS_MAX + 1)
                .last()
                .asString()
                .startsWith("com.driver: 97 similar messages were suppressed within 60 s: node");
        log("com.driver", "node 127.0.0.1:9042 is away");
        assertThat(written).last().isEqualTo("com.driver: node 127.0.0.1:9042 is away");
    }

    @Test
    void otherKindsAndOurOwnRecordsPass() {
        for (int i = 0; i < 10; i++) {
            log("com.driver", "reconnecting");
            log("com.driver.pool", "reconnecting");
            log("petrichor.server.Server", "reconnecting");
        }
        assertThat(written).hasSize(2 * RepeatedRecords.RECORDS_MAX + 10);
    }

    @Test
    void suppressedRecordsAreReportedAtTheEnd() {
        for (int i = 0; i < 5; i++) {
            log("com.driver", "reconnecting");
        }
        limited.close();
        assertThat(written).last().asString().contains("2 similar messages");
    }

    @Test
    void kindsAreBounded() {
        for (int i = 0; i <= RepeatedRecords.KINDS_MAX; i++) {
            for (int n = 0; n <= RepeatedRecords.RECORDS_MAX; n++) {
                log("com.driver." + i, "reconnecting");
            }
        }
        assertThat(written.stream().filter(line -> line.contains("1 similar messages")))
                .containsExactly(
                        "com.driver.0: 1 similar messages were suppressed within 0 s:"
                                + " reconnecting");
    }
}
