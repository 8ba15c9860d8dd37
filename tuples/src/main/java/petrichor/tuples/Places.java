package petrichor.tuples;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.transactions.Row;
import petrichor.transactions.RowReader;

/** Finds tuples by key: two reads for any number of keys, one if all positions are direct. */
final class Places {
    private Places() {}

    /** A key in a layout. */
    record Ask(TupleLayout layout, String key) {}

    /**
     * Where a tuple is.
     *
     * @param asked rows whose change would change the place
     * @param prefix of its row; null if there is no such tuple
     * @param keyRow the row with the prefix; null if there is none
     * @param row of the tuple; null if there is no such tuple
     */
    record Place(
            List<byte[]> asked, byte @Nullable [] prefix, @Nullable Row keyRow, @Nullable Row row) {
        @Nullable Tuple tuple(String key) {
            return row == null ? null : TupleRows.decode(key, row.value());
        }
    }

    /** One place per key, in their order. */
    static List<Place> find(RowReader reader, List<Ask> asks) {
        List<byte[]> keys = new ArrayList<>();
        for (Ask ask : asks) {
            if (ask.layout().keyIndexed()) {
                keys.add(TupleRows.key(ask.layout().id(), ask.key()));
            }
        }
        List<@Nullable Row> keyRows = keys.isEmpty() ? List.of() : reader.get(keys);
        List<byte @Nullable []> prefixes = new ArrayList<>(asks.size());
        List<@Nullable Row> indexed = new ArrayList<>(asks.size());
        List<byte[]> positions = new ArrayList<>();
        int next = 0;
        for (Ask ask : asks) {
            Row keyRow = ask.layout().keyIndexed() ? keyRows.get(next++) : null;
            byte[] prefix =
                    keyRow != null
                            ? keyRow.value()
                            : ask.layout().keyIndexed()
                                    ? null
                                    : ask.layout()
                                            .prefix(ask.key(), Collections.emptySortedSet(), null);
            indexed.add(keyRow);
            prefixes.add(prefix);
            if (prefix != null) {
                positions.add(TupleRows.tuple(ask.layout(), prefix, ask.key()));
            }
        }
        List<@Nullable Row> rows = positions.isEmpty() ? List.of() : reader.get(positions);
        List<Place> places = new ArrayList<>(asks.size());
        int row = 0;
        int key = 0;
        for (int i = 0; i < asks.size(); i++) {
            List<byte[]> asked = new ArrayList<>(2);
            if (asks.get(i).layout().keyIndexed()) {
                asked.add(keys.get(key++));
            }
            byte[] prefix = prefixes.get(i);
            Row found = null;
            if (prefix != null) {
                asked.add(positions.get(row));
                found = rows.get(row++);
            }
            if (found == null && indexed.get(i) != null) {
                throw missing(asks.get(i).key());
            }
            places.add(new Place(asked, found == null ? null : prefix, indexed.get(i), found));
        }
        return places;
    }

    /**
     * The tuples with these keys, null for those that do not exist: one read if positions are
     * functions of keys or {@code known}, another two for the other tuples.
     */
    static List<@Nullable Tuple> read(
            RowReader reader, TupleLayout layout, List<String> keys, KnownPlaces known) {
        boolean certain =
                switch (layout.base().placement()) {
                    case TuplePlacement.Hashed _, TuplePlacement.Ordered _ -> true;
                    case TuplePlacement.Tagged _,
                            TuplePlacement.Affinity _,
                            TuplePlacement.Colocated _ ->
                            false;
                };
        List<@Nullable Tuple> tuples = new ArrayList<@Nullable Tuple>(keys.size());
        keys.forEach(_ -> tuples.add(null));
        List<Integer> guessed = new ArrayList<>();
        List<Integer> left = new ArrayList<>();
        List<byte[]> positions = new ArrayList<>();
        for (int k = 0; k < keys.size(); k++) {
            String key = keys.get(k);
            byte[] prefix =
                    certain
                            ? layout.prefix(key, Collections.emptySortedSet(), null)
                            : known.guess(layout, key);
            if (prefix == null) {
                left.add(k);
            } else {
                guessed.add(k);
                positions.add(TupleRows.tuple(layout, prefix, key));
            }
        }
        List<@Nullable Row> rows = positions.isEmpty() ? List.of() : reader.get(positions);
        for (int i = 0; i < guessed.size(); i++) {
            Row row = rows.get(i);
            int k = guessed.get(i);
            if (row != null) {
                tuples.set(k, TupleRows.decode(keys.get(k), row.value()));
            } else if (!certain) {
                left.add(k);
            }
        }
        if (left.isEmpty()) {
            return tuples;
        }
        List<Place> places =
                find(reader, left.stream().map(k -> new Ask(layout, keys.get(k))).toList());
        for (int i = 0; i < left.size(); i++) {
            String key = keys.get(left.get(i));
            Place place = places.get(i);
            tuples.set(left.get(i), place.tuple(key));
            byte[] prefix = place.prefix();
            if (prefix != null) {
                known.learn(layout, key, prefix);
            }
        }
        return tuples;
    }

    static PetrichorException missing(String key) {
        return PetrichorException.of(
                ErrorCode.INTERNAL,
                "An index entry of the tuple {key} has no row.",
                "key",
                BoundedText.shown(key));
    }
}
