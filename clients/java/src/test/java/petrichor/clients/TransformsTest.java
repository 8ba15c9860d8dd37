package petrichor.clients;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.cloud.datastore.Key;
import com.google.cloud.datastore.spi.v1.HttpDatastoreRpc;
import com.google.datastore.v1.ArrayValue;
import com.google.datastore.v1.CommitRequest;
import com.google.datastore.v1.Entity;
import com.google.datastore.v1.LookupRequest;
import com.google.datastore.v1.Mutation;
import com.google.datastore.v1.PropertyTransform;
import com.google.datastore.v1.Value;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * Tests property transforms through the generated messages, because this client's public API does
 * not support them.
 */
class TransformsTest {
    private final Fixture fixture = Fixture.open();

    @Test
    void everyTransform() throws Exception {
        Key key = fixture.key("T", "a");
        HttpDatastoreRpc rpc = new HttpDatastoreRpc(fixture.store().getOptions());
        com.google.datastore.v1.Key wire = com.google.datastore.v1.Key.newBuilder()
                .setPartitionId(com.google.datastore.v1.PartitionId.newBuilder()
                        .setProjectId(Fixture.PROJECT)
                        .setNamespaceId(fixture.namespace()))
                .addPath(com.google.datastore.v1.Key.PathElement.newBuilder().setKind(key.getKind()).setName(key.getName()))
                .build();
        Entity put = Entity.newBuilder()
                .setKey(wire)
                .putAllProperties(Map.of(
                        "n", number(5), "hi", number(5), "lo", number(5), "tags", list("a", "b", "a")))
                .build();
        var commit = rpc.commit(CommitRequest.newBuilder()
                .setProjectId(Fixture.PROJECT)
                .setMode(CommitRequest.Mode.NON_TRANSACTIONAL)
                .addMutations(Mutation.newBuilder()
                        .setUpsert(put)
                        .addPropertyTransforms(transform("n").setIncrement(number(3)))
                        .addPropertyTransforms(transform("hi").setMaximum(number(9)))
                        .addPropertyTransforms(transform("lo").setMinimum(number(2)))
                        .addPropertyTransforms(
                                transform("at").setSetToServerValue(PropertyTransform.ServerValue.REQUEST_TIME))
                        .addPropertyTransforms(
                                transform("tags").setAppendMissingElements(list("b", "c").getArrayValue()))
                        .addPropertyTransforms(
                                transform("tags").setRemoveAllFromArray(list("a").getArrayValue())))
                .build());
        assertThat(commit.getMutationResults(0).getTransformResultsCount()).isEqualTo(6);
        assertThat(commit.getMutationResults(0).getTransformResults(0)).isEqualTo(number(8));
        Map<String, Value> got = rpc.lookup(LookupRequest.newBuilder()
                        .setProjectId(Fixture.PROJECT)
                        .addKeys(wire)
                        .build())
                .getFound(0)
                .getEntity()
                .getPropertiesMap();
        assertThat(got.get("at").getTimestampValue().getSeconds()).isGreaterThan(1_600_000_000);
        assertThat(got)
                .containsEntry("n", number(8))
                .containsEntry("hi", number(9))
                .containsEntry("lo", number(2))
                .containsEntry("tags", list("b", "c"));
    }

    private static PropertyTransform.Builder transform(String property) {
        return PropertyTransform.newBuilder().setProperty(property);
    }

    private static Value number(long n) {
        return Value.newBuilder().setIntegerValue(n).build();
    }

    private static Value list(String... texts) {
        ArrayValue.Builder list = ArrayValue.newBuilder();
        for (String text : texts) {
            list.addValues(Value.newBuilder().setStringValue(text));
        }
        return Value.newBuilder().setArrayValue(list).build();
    }
}
