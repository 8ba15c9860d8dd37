package petrichor.movement;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.datastore.v1.ArrayValue;
import com.google.datastore.v1.Entity;
import com.google.datastore.v1.Key;
import com.google.datastore.v1.Value;
import org.junit.jupiter.api.Test;
import petrichor.client.DatabaseName;

final class KeyRewritingTest {
    private static final DatabaseName OLD = new DatabaseName("old", "");
    private static final DatabaseName NEW = new DatabaseName("new", "copy");

    @Test
    void theEntitysOwnKeyMovesAndKeepsItsNamespace() {
        Entity moved = new KeyRewriting(NEW, null).rewrite(entity(key(OLD, "eu")));
        assertThat(moved.getKey()).isEqualTo(key(NEW, "eu"));
    }

    @Test
    void aGivenNamespaceReplacesTheOldOne() {
        Entity moved = new KeyRewriting(NEW, "trial").rewrite(entity(key(OLD, "eu")));
        assertThat(moved.getKey()).isEqualTo(key(NEW, "trial"));
    }

    @Test
    void keysAmongTheValuesFollowAtAnyDepth() {
        Value reference = Value.newBuilder().setKeyValue(key(OLD, "us")).build();
        Value inner =
                Value.newBuilder()
                        .setEntityValue(Entity.newBuilder().putProperties("r", reference))
                        .build();
        Value list =
                Value.newBuilder()
                        .setArrayValue(
                                ArrayValue.newBuilder().addValues(reference).addValues(inner))
                        .build();
        Entity moved =
                new KeyRewriting(NEW, null)
                        .rewrite(
                                entity(key(OLD, "eu")).toBuilder()
                                        .putProperties("list", list)
                                        .build());
        ArrayValue array = moved.getPropertiesOrThrow("list").getArrayValue();
        assertThat(array.getValues(0).getKeyValue()).isEqualTo(key(NEW, "us"));
        assertThat(array.getValues(1).getEntityValue().getPropertiesOrThrow("r").getKeyValue())
                .isEqualTo(key(NEW, "us"));
    }

    @Test
    void keysThatNameAnotherProjectStay() {
        Key elsewhere = key(new DatabaseName("third", ""), "");
        Entity moved =
                new KeyRewriting(NEW, null)
                        .rewrite(
                                entity(key(OLD, "")).toBuilder()
                                        .putProperties(
                                                "r",
                                                Value.newBuilder().setKeyValue(elsewhere).build())
                                        .build());
        assertThat(moved.getPropertiesOrThrow("r").getKeyValue()).isEqualTo(elsewhere);
    }

    private static Entity entity(Key key) {
        return Entity.newBuilder().setKey(key).build();
    }

    private static Key key(DatabaseName database, String namespace) {
        return Key.newBuilder()
                .setPartitionId(database.partition(namespace))
                .addPath(Key.PathElement.newBuilder().setKind("K").setName("n"))
                .build();
    }
}
