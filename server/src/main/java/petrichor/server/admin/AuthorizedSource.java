package petrichor.server.admin;

import com.google.datastore.v1.PartitionId;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.frontends.access.Caller;
import petrichor.frontends.access.Scope;
import petrichor.movement.EntitySource;

/**
 * The records of an export, checked against the scope of a caller's token: PERMISSION_DENIED at the
 * first entity that was exported from a database outside the scope. The folder of exports is shared
 * by all projects; without this check an administrator of one project could read the data of every
 * project.
 */
record AuthorizedSource(EntitySource from, Caller caller) implements EntitySource {
    /** Checks only the first record, if the caller's scope is limited, and closes the source. */
    static void requireFirst(EntitySource from, Caller caller) {
        try (EntitySource checked = new AuthorizedSource(from, caller)) {
            if (!caller.scope().equals(Scope.EVERYTHING)) {
                Entry _ = checked.next();
            }
        }
    }

    @Override
    public @Nullable Entry next() {
        Entry entry = from.next();
        if (entry instanceof Good good) {
            require(good.entity().getKey().getPartitionId());
        }
        return entry;
    }

    private void require(PartitionId exported) {
        if (!caller.scope().includes(exported.getProjectId(), exported.getDatabaseId())) {
            String database = exported.getDatabaseId();
            throw PetrichorException.of(
                    ErrorCode.PERMISSION_DENIED,
                    "the export has entities of {projectId}/{database}, which the token \"{token}\""
                            + " does not reach; import it with a token for all projects",
                    "projectId",
                    exported.getProjectId(),
                    "database",
                    database.isEmpty() ? Scope.DEFAULT_DATABASE : database,
                    "token",
                    caller.name());
        }
    }

    @Override
    public long bytesTotal() {
        return from.bytesTotal();
    }

    @Override
    public long bytesRead() {
        return from.bytesRead();
    }

    @Override
    public void close() {
        from.close();
    }
}
