package petrichor.entities;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.datastore.v1.Key;
import com.google.datastore.v1.PartitionId;
import com.google.datastore.v1.Value;
import java.util.Map;
import org.junit.jupiter.api.Test;
import petrichor.entities.KindPlacement.Subject;
import petrichor.kv.KeyRange;

class KindPlacementTest {
    private static final KindPlacement PLACEMENT =
            new KindPlacement(
                    Map.of(
                            Subject.parse("Photo"), 1,
                            Subject.parse("namespace:archive"), 2,
                            Subject.parse("archive/Note"), 1));

    private static byte[] row(String namespace, String... kinds) {
        Key.Builder key =
                Key.newBuilder().setPartitionId(PartitionId.newBuilder().setNamespaceId(namespace));
        for (String kind : kinds) {
            key.addPathBuilder().setKind(kind).setId(1);
        }
        return RowLayout.entityRow(key.build());
    }

    @Test
    void theKindOfTheLastElementDecides() {
        assertThat(PLACEMENT.storeOf(row("", "Photo"))).isEqualTo(1);
        assertThat(PLACEMENT.storeOf(row("", "Album", "Photo"))).isEqualTo(1);
        assertThat(PLACEMENT.storeOf(row("", "Photo", "Comment"))).isZero();
        assertThat(PLACEMENT.storeOf(row("x", "Photo"))).isEqualTo(1);
    }

    @Test
    void theNarrowerRuleWins() {
        assertThat(PLACEMENT.storeOf(row("archive", "Album"))).isEqualTo(2);
        assertThat(PLACEMENT.storeOf(row("archive", "Photo"))).isEqualTo(1);
        assertThat(PLACEMENT.storeOf(row("archive", "Note"))).isEqualTo(1);
        assertThat(PLACEMENT.storeOf(row("", "Note"))).isZero();
    }

    @Test
    void indexRowsOfAKindFollowItAndOtherRowsStayAtHome() {
        byte[] path = KeyCodec.path(RowLayout.entityKey("p", "", row("", "Photo")));
        assertThat(PLACEMENT.storeOf(RowLayout.kindRow("", "Photo", path))).isEqualTo(1);
        Value value = Value.newBuilder().setIntegerValue(7).build();
        byte[] property =
                RowLayout.propertyRow("", "Photo", "size", SortOrder.DESCENDING, value, path);
        assertThat(PLACEMENT.storeOf(property)).isEqualTo(1);
        assertThat(PLACEMENT.storeOf(RowLayout.compositePrefix(3, "", null))).isZero();
        assertThat(PLACEMENT.storeOf(RowLayout.metaRow("indexes", 1))).isZero();
    }

    @Test
    void onlyStoresThatMayHoldARangeAreRead() {
        KeyRange photos = KeyRange.ofPrefix(RowLayout.kindPrefix("", "Photo"));
        assertThat(stores(photos)).containsExactly(1);
        assertThat(stores(KeyRange.ofPrefix(RowLayout.kindPrefix("", "Album")))).containsExactly(0);
        assertThat(stores(RowLayout.entities(""))).containsExactly(0, 1);
        assertThat(stores(RowLayout.entities("archive"))).containsExactly(0, 1, 2);
        assertThat(stores(RowLayout.entities())).containsExactly(0, 1, 2);
        assertThat(stores(KeyRange.ofPrefix(RowLayout.kindPrefix("")))).containsExactly(0, 1);
        assertThat(stores(RowLayout.composite(3))).containsExactly(0);
        assertThat(stores(RowLayout.composites())).containsExactly(0);
        assertThat(stores(RowLayout.meta("indexes"))).containsExactly(0);
        assertThat(stores(KeyRange.ALL)).containsExactly(0, 1, 2);
    }

    private static int[] stores(KeyRange range) {
        return java.util.stream.IntStream.range(0, 3)
                .filter(store -> PLACEMENT.mayHold(store, range))
                .toArray();
    }

    @Test
    void anEmptySubjectIsRefused() {
        assertThatThrownBy(() -> Subject.parse("archive/"))
                .hasMessageContaining("cannot be placed");
        assertThat(Subject.parse("/Photo")).isEqualTo(new Subject("", "Photo"));
        assertThat(Subject.parse("namespace:")).isEqualTo(new Subject("", null));
        assertThat(Subject.parse("archive/Photo")).hasToString("archive/Photo");
    }
}
