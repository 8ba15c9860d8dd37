package petrichor.transactions.changes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import petrichor.base.PetrichorException;

class ChangeRecordTest {
    private static final ChangeRecord RECORD =
            new ChangeRecord(
                    1_000,
                    List.of(
                            new ChangeRecord.Commit(1_001, keys("city/1", "city/12", "")),
                            new ChangeRecord.Commit(1_700_000_000_000_000L, keys("city/1")),
                            new ChangeRecord.Commit(1_700_000_000_000_001L, List.of())));

    private static List<byte[]> keys(String... texts) {
        return Arrays.stream(texts).map(text -> text.getBytes(StandardCharsets.UTF_8)).toList();
    }

    @Test
    void decodesWhatWasEncoded() {
        ChangeRecord decoded = ChangeRecord.decode(RECORD.encode());
        assertThat(decoded.previous()).isEqualTo(1_000);
        assertThat(decoded.commits()).hasSize(3);
        for (int i = 0; i < 3; i++) {
            ChangeRecord.Commit expected = RECORD.commits().get(i);
            ChangeRecord.Commit commit = decoded.commits().get(i);
            assertThat(commit.version()).isEqualTo(expected.version());
            assertThat(commit.keys().toArray(byte[][]::new))
                    .isDeepEqualTo(expected.keys().toArray(byte[][]::new));
        }
    }

    @Test
    void similarKeysTakeFewBytes() {
        byte[] one = new ChangeRecord(0, List.of(RECORD.commits().getFirst())).encode();
        assertThat(one.length).isEqualTo(9 + 1 + 1 + 8 + 3 + 3 - 1 + 1);
    }

    @Test
    void damagedRecordsAreRefused() {
        byte[] whole = RECORD.encode();
        byte[] other = whole.clone();
        other[0] = 9;
        for (byte[] damaged :
                List.of(new byte[0], other, Arrays.copyOf(whole, 5), Arrays.copyOf(whole, 14))) {
            assertThatThrownBy(() -> ChangeRecord.decode(damaged))
                    .isInstanceOf(PetrichorException.class)
                    .hasMessageContaining("damaged");
        }
    }
}
