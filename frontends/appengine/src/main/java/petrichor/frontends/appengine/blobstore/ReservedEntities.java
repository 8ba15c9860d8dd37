package petrichor.frontends.appengine.blobstore;

import com.google.datastore.v1.CommitRequest;
import com.google.datastore.v1.Entity;
import com.google.datastore.v1.Key;
import com.google.datastore.v1.LookupRequest;
import com.google.datastore.v1.Mutation;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;
import petrichor.entities.Datastore;

/**
 * Entities of one reserved kind, which the platform writes and apps only read. Needs the owner of
 * the app's database. Thread-safe.
 *
 * @param datastore the current one, which a reset replaces
 */
record ReservedEntities(Supplier<Datastore> datastore, String kind) {
    Key key(String project, String name) {
        Key.Builder key = Key.newBuilder();
        key.getPartitionIdBuilder().setProjectId(project);
        key.addPathBuilder().setKind(kind).setName(name);
        return key.build();
    }

    void put(String project, List<Entity> entities) {
        CommitRequest.Builder commit = commit(project);
        entities.forEach(entity -> commit.addMutationsBuilder().setUpsert(entity));
        apply(commit.build());
    }

    void delete(String project, String name) {
        apply(
                commit(project)
                        .addMutations(Mutation.newBuilder().setDelete(key(project, name)))
                        .build());
    }

    boolean contains(String project, String name) {
        LookupRequest request =
                LookupRequest.newBuilder()
                        .setProjectId(project)
                        .addKeys(key(project, name))
                        .build();
        return !datastore.get().lookup(request).found().isEmpty();
    }

    private static CommitRequest.Builder commit(String project) {
        return CommitRequest.newBuilder()
                .setProjectId(project)
                .setMode(CommitRequest.Mode.NON_TRANSACTIONAL);
    }

    private void apply(CommitRequest commit) {
        try {
            var _ = datastore.get().applyReserved(commit).join();
        } catch (CompletionException failed) {
            throw failed.getCause() instanceof RuntimeException cause ? cause : failed;
        }
    }
}
