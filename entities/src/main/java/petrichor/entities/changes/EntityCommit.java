package petrichor.entities.changes;

import java.util.List;

/**
 * A committed transaction: all entities that it changed and that the reader wants.
 *
 * @param version also the position after it
 */
public record EntityCommit(long version, List<EntityChange> entities) {
    public EntityCommit {
        entities = List.copyOf(entities);
    }
}
