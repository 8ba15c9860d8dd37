package petrichor.coordination.embedded;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import petrichor.coordination.Ledger;

/**
 * A ledger in memory. Several members of one process share one object; it need not be closed.
 * Thread-safe.
 */
public final class EmbeddedLedger implements Ledger {
    private final Map<Place, Entry> entries = new HashMap<>();
    private long lastStamp;

    @Override
    public synchronized Optional<Entry> read(Place place) {
        return Optional.ofNullable(entries.get(place));
    }

    @Override
    public synchronized List<String> list(String folder) {
        return entries.keySet().stream()
                .filter(place -> place.folder().equals(folder))
                .map(Place::name)
                .toList();
    }

    @Override
    public synchronized boolean change(List<Change> changes) {
        Map<Place, Optional<Entry>> changed = new HashMap<>();
        long stamp = lastStamp + 1;
        for (Change change : changes) {
            Place place = change.place();
            Optional<Entry> present =
                    changed.getOrDefault(place, Optional.ofNullable(entries.get(place)));
            if (!expected(change, present)) {
                return false;
            }
            switch (change) {
                case Change.Expect _ -> {}
                case Change.Create(_, byte[] value) ->
                        changed.put(place, Optional.of(new Entry(value.clone(), 0, stamp)));
                case Change.Replace(_, byte[] value, _) ->
                        changed.put(
                                place,
                                present.map(
                                        old -> new Entry(value.clone(), old.version() + 1, stamp)));
                case Change.Delete _ -> changed.put(place, Optional.empty());
            }
        }
        lastStamp = stamp;
        changed.forEach(
                (place, entry) ->
                        entry.ifPresentOrElse(
                                now -> entries.put(place, now), () -> entries.remove(place)));
        return true;
    }

    private static boolean expected(Change change, Optional<Entry> present) {
        return switch (change) {
            case Change.Expect _ -> present.isPresent();
            case Change.Create _ -> present.isEmpty();
            case Change.Replace(_, _, long version) -> isVersion(present, version);
            case Change.Delete(_, long version) -> isVersion(present, version);
        };
    }

    private static boolean isVersion(Optional<Entry> present, long version) {
        return present.isPresent()
                && (version == ANY_VERSION || present.get().version() == version);
    }

    @Override
    public Optional<String> problem() {
        return Optional.empty();
    }

    @Override
    public void close() {}
}
