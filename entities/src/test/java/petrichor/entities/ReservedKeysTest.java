package petrichor.entities;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.datastore.v1.CommitRequest;
import com.google.datastore.v1.Entity;
import com.google.datastore.v1.Key;
import com.google.datastore.v1.Mutation;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Keys of the form __…__ belong to the platform. */
class ReservedKeysTest {
    private static final Key KEY = Entities.key("__BlobInfo__", "blob");

    private final Entities entities = new Entities();

    @AfterEach
    void close() {
        entities.close();
    }

    @Test
    void thePlatformWritesWhatClientsOnlyRead() {
        Entity entity = Entities.entity(KEY, "size", 5);
        Mutation upsert = Mutation.newBuilder().setUpsert(entity).build();
        assertThatThrownBy(() -> entities.commit(upsert)).hasMessageContaining("reserved");
        apply(upsert);
        assertThat(entities.find(KEY)).isEqualTo(entity);
        Mutation delete = Mutation.newBuilder().setDelete(KEY).build();
        assertThatThrownBy(() -> entities.commit(delete)).hasMessageContaining("reserved");
        apply(delete);
        assertThat(entities.find(KEY)).isNull();
    }

    private void apply(Mutation mutation) {
        var _ =
                entities.datastore
                        .applyReserved(
                                CommitRequest.newBuilder()
                                        .setProjectId(Entities.PROJECT)
                                        .setMode(CommitRequest.Mode.NON_TRANSACTIONAL)
                                        .addMutations(mutation)
                                        .build())
                        .join();
    }
}
