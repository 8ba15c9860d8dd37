package petrichor.kv;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;
import petrichor.base.Bytes;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

final class RangeDeletionsTest {
    /** Records in memory, of which writes can fail. */
    private static final class Stored implements RangeDeletions.Records {
        private final Map<Bytes, KeyRange> byId = new TreeMap<>();
        private boolean failing;

        @Override
        public void read(BiConsumer<byte[], KeyRange> reader) {
            byId.forEach((id, range) -> reader.accept(id.array(), range));
        }

        @Override
        public void write(byte[] id, KeyRange range, long version) {
            if (failing) {
                throw PetrichorException.of(ErrorCode.UNAVAILABLE, "unreachable");
            }
            byId.put(Bytes.of(id), range);
        }

        @Override
        public void remove(byte[] id, long version) {
            byId.remove(Bytes.of(id));
        }
    }

    private final Stored stored = new Stored();
    private final RangeDeletions deletions = new RangeDeletions(stored);

    private static byte[] key(String key) {
        return key.getBytes(UTF_8);
    }

    private static KeyRange range(String from, String to) {
        return new KeyRange(key(from), key(to));
    }

    @Test
    void aDeletionHidesOlderRowsOfItsRange() {
        deletions.delete(range("b", "d"), 7, 0);
        assertThat(deletions.ranges().at(key("b"))).isEqualTo(7);
        assertThat(deletions.ranges().at(key("cz"))).isEqualTo(7);
        assertThat(deletions.ranges().at(key("a"))).isEqualTo(DeletedRanges.NONE);
        assertThat(deletions.ranges().at(key("d"))).isEqualTo(DeletedRanges.NONE);
    }

    @Test
    void anotherProcessReadsTheRecords() {
        deletions.delete(range("b", "d"), 7, 0);
        deletions.delete(range("f", "g"), 5, 0);
        assertThat(new RangeDeletions(stored).ranges()).isEqualTo(deletions.ranges());
    }

    @Test
    void recordsThatALaterDeletionCoversAreRemoved() {
        deletions.delete(range("a", "b"), 1, 0);
        deletions.delete(range("b", "c"), 2, 0);
        deletions.delete(range("x", "z"), 2, 1);
        deletions.delete(range("a", "d"), 3, 0);
        assertThat(stored.byId.values())
                .extracting(each -> new String(each.from(), UTF_8))
                .containsExactly("x", "a");
        assertThat(new RangeDeletions(stored).ranges().at(key("bb"))).isEqualTo(3);
    }

    @Test
    void aCoveredDeletionWritesNothing() {
        deletions.delete(range("a", "d"), 3, 0);
        deletions.delete(range("b", "c"), 3, 1);
        deletions.delete(range("b", "c"), 2, 0);
        assertThat(stored.byId).hasSize(1);
        assertThat(deletions.ranges().at(key("b"))).isEqualTo(3);
    }

    @Test
    void aFailedWriteDeletesNothing() {
        stored.failing = true;
        assertThatThrownBy(() -> deletions.delete(range("a", "d"), 3, 0))
                .isInstanceOf(PetrichorException.class);
        assertThat(deletions.ranges().isEmpty()).isTrue();
        stored.failing = false;
        deletions.delete(range("a", "d"), 3, 0);
        assertThat(deletions.ranges().at(key("a"))).isEqualTo(3);
    }
}
