package petrichor.entities;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.datastore.v1.Key;
import com.google.datastore.v1.Value;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import petrichor.base.Bytes;
import petrichor.kv.KeyRange;

class RowLayoutTest {
    private final long seed = Seeds.seed();
    private final Random random = new Random(seed);
    private final RandomValues values = new RandomValues(random);

    @Test
    void entityRowsKeepTheOrderOfTheirKeysAndDecodeToThem() {
        for (int i = 0; i < 20_000; i++) {
            Key left = values.key();
            Key right = values.key();
            byte[] row = RowLayout.entityRow(left);
            assertThat(Integer.signum(Bytes.compare(row, RowLayout.entityRow(right))))
                    .as("seed %d: %s against %s", seed, left, right)
                    .isEqualTo(Integer.signum(DocumentedOrder.compare(left, right)));
            assertThat(RowLayout.entityKey("p", "", row)).as("seed %d", seed).isEqualTo(left);
        }
    }

    @Test
    void descendantsAreTheRangeAfterTheirAncestor() {
        for (int i = 0; i < 20_000; i++) {
            Key ancestor = values.key();
            Key other = values.key();
            if (random.nextBoolean()) {
                other = ancestor.toBuilder().addAllPath(other.getPathList()).build();
            }
            boolean descends =
                    other.getPartitionId().equals(ancestor.getPartitionId())
                            && other.getPathCount() >= ancestor.getPathCount()
                            && other.getPathList()
                                    .subList(0, ancestor.getPathCount())
                                    .equals(ancestor.getPathList());
            String namespace = ancestor.getPartitionId().getNamespaceId();
            KeyRange range =
                    RowLayout.descendants(
                            RowLayout.entityPrefix(namespace), KeyCodec.path(ancestor));
            assertThat(range.contains(RowLayout.entityRow(other)))
                    .as("seed %d: %s in %s", seed, other, ancestor)
                    .isEqualTo(descends);
        }
    }

    @Test
    void boundsSelectTheValuesBetweenThem() {
        for (int i = 0; i < 20_000; i++) {
            SortOrder order = random.nextBoolean() ? SortOrder.ASCENDING : SortOrder.DESCENDING;
            Key key = values.key();
            Value value = values.value();
            byte[] prefix = RowLayout.propertyPrefix("n", "Kind", "p", order);
            RowLayout.Bound lower = random.nextInt(4) == 0 ? null : bound();
            RowLayout.Bound upper = random.nextInt(4) == 0 ? null : bound();
            byte[] row = RowLayout.propertyRow("n", "Kind", "p", order, value, KeyCodec.path(key));
            assertThat(RowLayout.bounded(prefix, order, lower, upper).contains(row))
                    .as("seed %d: %s %s in %s to %s", seed, order, value, lower, upper)
                    .isEqualTo(
                            (lower == null || within(lower.value(), value, lower.inclusive()))
                                    && (upper == null
                                            || within(value, upper.value(), upper.inclusive())));
        }
    }

    @Test
    void propertyRowsDecodeToTheirParts() {
        for (int i = 0; i < 5_000; i++) {
            SortOrder order = random.nextBoolean() ? SortOrder.ASCENDING : SortOrder.DESCENDING;
            byte[] path = KeyCodec.path(values.key());
            Value value = Value.newBuilder().setStringValue(values.string()).build();
            String kind = "K" + values.string();
            byte[] row = RowLayout.propertyRow("n", kind, "p.q", order, value, path);
            var parts = RowLayout.parsePropertyRow(row);
            assertThat(parts.namespace()).isEqualTo("n");
            assertThat(parts.kind()).as("seed %d", seed).isEqualTo(kind);
            assertThat(parts.property()).isEqualTo("p.q");
            assertThat(parts.order()).isEqualTo(order);
            assertThat(parts.value()).as("seed %d", seed).isEqualTo(value);
            assertThat(parts.path()).as("seed %d", seed).isEqualTo(path);
            int prefix = RowLayout.propertyPrefix("n", kind, "p.q", order).length;
            assertThat(RowLayout.pathOffset(row, prefix, List.of(order)))
                    .as("seed %d", seed)
                    .isEqualTo(row.length - path.length);
        }
    }

    @Test
    void everyAncestorStartsThePath() {
        Key key = values.key();
        List<Integer> lengths = KeyCodec.ancestorLengths(KeyCodec.path(key));
        assertThat(lengths).as("seed %d", seed).hasSize(key.getPathCount());
        for (int depth = 0; depth < lengths.size(); depth++) {
            Key ancestor =
                    key.toBuilder()
                            .clearPath()
                            .addAllPath(key.getPathList().subList(0, depth + 1))
                            .build();
            assertThat(KeyCodec.path(ancestor)).as("seed %d", seed).hasSize(lengths.get(depth));
        }
    }

    private RowLayout.Bound bound() {
        return new RowLayout.Bound(values.value(), random.nextBoolean());
    }

    /** Between values that differ only in type, the order is that of the encoding. */
    private static boolean within(Value left, Value right, boolean inclusive) {
        int compared =
                Bytes.compare(
                        ValueCodec.encode(left, SortOrder.ASCENDING),
                        ValueCodec.encode(right, SortOrder.ASCENDING));
        return inclusive ? compared <= 0 : compared < 0;
    }
}
