package petrichor.entities;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.datastore.v1.ArrayValue;
import com.google.datastore.v1.CompositeFilter;
import com.google.datastore.v1.Entity;
import com.google.datastore.v1.Filter;
import com.google.datastore.v1.Key;
import com.google.datastore.v1.PropertyFilter;
import com.google.datastore.v1.PropertyTransform;
import com.google.datastore.v1.Value;
import org.junit.jupiter.api.Test;

class KeyValuesTest {
    private final KeyValues keys = new KeyValues("p", "d");
    private final Value bare = key("", "");
    private final Value full = key("p", "d");
    private final Value foreign = key("other", "");

    private static Value key(String project, String database) {
        Key.Builder key = Key.newBuilder();
        key.getPartitionIdBuilder()
                .setProjectId(project)
                .setDatabaseId(database)
                .setNamespaceId("n");
        return Value.newBuilder()
                .setKeyValue(key.addPath(Key.PathElement.newBuilder().setKind("K").setId(1)))
                .build();
    }

    private static Value array(Value... values) {
        return Value.newBuilder().setArrayValue(elements(values)).build();
    }

    private static ArrayValue elements(Value... values) {
        return ArrayValue.newBuilder().addAllValues(java.util.List.of(values)).build();
    }

    private static Entity entity(Value value) {
        Entity inner = Entity.newBuilder().putProperties("deep", value).build();
        return Entity.newBuilder()
                .putProperties("plain", value)
                .putProperties("list", array(value, Value.newBuilder().setStringValue("s").build()))
                .putProperties("inner", Value.newBuilder().setEntityValue(inner).build())
                .build();
    }

    private static Filter filter(Value value) {
        Filter leaf =
                Filter.newBuilder()
                        .setPropertyFilter(PropertyFilter.newBuilder().setValue(array(value)))
                        .build();
        return Filter.newBuilder()
                .setCompositeFilter(CompositeFilter.newBuilder().addFilters(leaf))
                .build();
    }

    private static PropertyTransform append(Value value) {
        return PropertyTransform.newBuilder().setAppendMissingElements(elements(value)).build();
    }

    @Test
    void omittedPartsComeFromTheRequest() {
        assertThat(keys.filled(entity(bare))).isEqualTo(entity(full));
        assertThat(keys.filled(filter(bare))).isEqualTo(filter(full));
        assertThat(keys.filled(append(bare))).isEqualTo(append(full));
    }

    @Test
    void aCompleteValueStaysTheSameObject() {
        for (Value value : new Value[] {full, foreign}) {
            Entity entity = entity(value);
            assertThat(keys.filled(entity)).isSameAs(entity);
            Filter filter = filter(value);
            assertThat(keys.filled(filter)).isSameAs(filter);
            PropertyTransform append = append(value);
            assertThat(keys.filled(append)).isSameAs(append);
        }
    }
}
