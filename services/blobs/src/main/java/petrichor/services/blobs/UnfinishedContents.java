package petrichor.services.blobs;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import petrichor.services.blobs.content.ContentId;

/** Contents that requests of this process are writing: no orphans. Thread-safe. */
final class UnfinishedContents {
    private final Set<ContentId> ids = ConcurrentHashMap.newKeySet();

    void add(ContentId id) {
        ids.add(id);
    }

    void remove(ContentId id) {
        ids.remove(id);
    }

    boolean contains(ContentId id) {
        return ids.contains(id);
    }
}
