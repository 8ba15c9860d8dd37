package petrichor.entities;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.datastore.v1.Entity;
import com.google.datastore.v1.Key;
import com.google.datastore.v1.Mutation;
import com.google.datastore.v1.Value;
import com.google.protobuf.ByteString;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import petrichor.base.ErrorCode;
import petrichor.base.MemoryBudget;
import petrichor.base.PetrichorException;

/** Commits of small mutations that replace large entities, all of which they read. */
class CommitMemoryTest {
    private static final int BLOB_BYTES = 1_000_000;

    /** A fifth of it is available to commits. */
    private static final MemoryBudget PROCESS = MemoryBudget.of("process", 50L << 20);

    private final Entities entities = new Entities(PROCESS);

    @AfterEach
    void close() {
        entities.close();
    }

    @Test
    void rowsReplacedByACommitAreCharged() {
        List<Mutation> deletions = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
            Key key = Entities.key("K", "k" + i);
            entities.put(large(key));
            deletions.add(Mutation.newBuilder().setDelete(key).build());
        }
        long before = PROCESS.bytesUsed();
        assertThatThrownBy(() -> entities.commit(deletions.toArray(Mutation[]::new)))
                .isInstanceOfSatisfying(
                        PetrichorException.class,
                        refused ->
                                assertThat(refused.code()).isEqualTo(ErrorCode.RESOURCE_EXHAUSTED))
                .hasMessageContaining("fewer mutations");
        assertThat(PROCESS.bytesUsed()).isEqualTo(before);
        entities.commit(deletions.subList(0, 4).toArray(Mutation[]::new));
        assertThat(entities.find(Entities.key("K", "k3"))).isNull();
        assertThat(entities.find(Entities.key("K", "k4"))).isNotNull();
    }

    private static Entity large(Key key) {
        Value blob =
                Value.newBuilder()
                        .setExcludeFromIndexes(true)
                        .setBlobValue(ByteString.copyFrom(new byte[BLOB_BYTES]))
                        .build();
        return Entity.newBuilder().setKey(key).putProperties("blob", blob).build();
    }
}
