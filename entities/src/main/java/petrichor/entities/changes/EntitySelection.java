package petrichor.entities.changes;

import com.google.datastore.v1.Key;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import petrichor.entities.RowLayout;
import petrichor.transactions.ChangedCommit;
import petrichor.transactions.Changes;
import petrichor.transactions.RowChange;

/**
 * Selects the entities of a change feed. Rows other than those of entities are never selected.
 *
 * @param kind only entities of this kind
 * @param namespace only entities in this namespace; "" is the default one
 * @param ancestor only the entity with this key and its descendants
 */
public record EntitySelection(
        Optional<String> kind, Optional<String> namespace, Optional<Key> ancestor) {
    public static final EntitySelection ALL =
            new EntitySelection(Optional.empty(), Optional.empty(), Optional.empty());

    public EntitySelection {
        if (ancestor.isPresent() && ancestor.get().getPathCount() == 0) {
            throw new IllegalArgumentException("an ancestor has a path");
        }
    }

    /** The commits that changed a selected entity, in order. */
    public List<EntityCommit> of(Changes changes, String project, String database) {
        List<EntityCommit> commits = new ArrayList<>(changes.commits().size());
        for (ChangedCommit commit : changes.commits()) {
            List<EntityChange> entities = new ArrayList<>(commit.rows().size());
            for (RowChange row : commit.rows()) {
                if (RowLayout.isEntity(row.key())) {
                    Key key = RowLayout.entityKey(project, database, row.key());
                    if (selects(key)) {
                        entities.add(new EntityChange(key, row));
                    }
                }
            }
            if (!entities.isEmpty()) {
                commits.add(new EntityCommit(commit.version(), entities));
            }
        }
        return commits;
    }

    boolean selects(Key key) {
        String own = key.getPath(key.getPathCount() - 1).getKind();
        String in = key.getPartitionId().getNamespaceId();
        return kind.map(own::equals).orElse(true)
                && namespace.map(in::equals).orElse(true)
                && ancestor.map(above -> descends(key, above)).orElse(true);
    }

    private static boolean descends(Key key, Key above) {
        int length = above.getPathCount();
        return key.getPartitionId().getNamespaceId().equals(above.getPartitionId().getNamespaceId())
                && key.getPathCount() >= length
                && key.getPathList().subList(0, length).equals(above.getPathList());
    }
}
