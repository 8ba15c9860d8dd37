package petrichor.client;

import com.google.datastore.v1.PartitionId;
import petrichor.base.PetrichorException;

/** A project and one of its databases; an empty id means the default database. */
public record DatabaseName(String project, String database) {
    public DatabaseName {
        if (project.isEmpty()) {
            throw PetrichorException.invalid("a project id is required; set one with --project");
        }
        if (database.equals("(default)")) {
            database = "";
        }
    }

    /** The partition of {@code namespace} in this database. */
    public PartitionId partition(String namespace) {
        return PartitionId.newBuilder()
                .setProjectId(project)
                .setDatabaseId(database)
                .setNamespaceId(namespace)
                .build();
    }

    @Override
    public String toString() {
        return project + "/" + (database.isEmpty() ? "(default)" : database);
    }
}
