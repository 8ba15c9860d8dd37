package petrichor.transactions.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static petrichor.transactions.databases.Rows.bytes;

import org.junit.jupiter.api.Test;
import petrichor.base.PetrichorException;
import petrichor.kv.KeyRange;
import petrichor.kv.WriteBatch;
import petrichor.transactions.databases.Rows;
import petrichor.transactions.rows.TableLayout;

class LogCodecTest {
    private static final LogRecord.Batch BATCH =
            new LogRecord.Batch(
                    3,
                    17,
                    -5,
                    new WriteBatch()
                            .put(TableLayout.ROWS, bytes("a"), bytes("1"))
                            .put(TableLayout.META, new byte[0], new byte[0])
                            .delete(TableLayout.ROWS, bytes("b"))
                            .deleteRange(TableLayout.HISTORY, Rows.range("a", "b"))
                            .deleteRange(TableLayout.HISTORY, KeyRange.ALL));

    @Test
    void aBatchSurvivesEncoding() {
        LogRecord.Batch again = (LogRecord.Batch) LogCodec.decode(LogCodec.encode(BATCH));
        assertThat(again.epoch()).isEqualTo(3);
        assertThat(again.version()).isEqualTo(17);
        assertThat(again.nonce()).isEqualTo(-5);
        assertThat(again.rows().ops())
                .usingRecursiveFieldByFieldElementComparator()
                .isEqualTo(BATCH.rows().ops());
    }

    @Test
    void aSealSurvivesEncoding() {
        LogRecord seal = new LogRecord.Seal(4, 99);
        assertThat(LogCodec.decode(LogCodec.encode(seal))).isEqualTo(seal);
    }

    @Test
    void everyDamagedByteIsDetected() {
        byte[] whole = LogCodec.encode(BATCH);
        for (int at = 0; at < whole.length; at++) {
            byte[] damaged = whole.clone();
            damaged[at] = (byte) (damaged[at] ^ 1);
            assertThatThrownBy(() -> LogCodec.decode(damaged))
                    .isInstanceOf(PetrichorException.class)
                    .hasMessageContaining("damaged");
        }
        assertThatThrownBy(() -> LogCodec.decode(new byte[3])).hasMessageContaining("damaged");
    }
}
