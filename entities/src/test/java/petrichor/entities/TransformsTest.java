package petrichor.entities;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static petrichor.entities.Entities.entity;
import static petrichor.entities.Entities.value;

import com.google.datastore.v1.Entity;
import com.google.datastore.v1.Key;
import com.google.datastore.v1.Mutation;
import com.google.datastore.v1.MutationResult;
import com.google.datastore.v1.PropertyMask;
import com.google.datastore.v1.PropertyTransform;
import com.google.datastore.v1.Value;
import com.google.protobuf.NullValue;
import java.util.List;
import org.junit.jupiter.api.Test;
import petrichor.base.PetrichorException;

class TransformsTest {
    private static final Key KEY = Entities.key("K", "k");
    private static final Value NULL = Value.newBuilder().setNullValue(NullValue.NULL_VALUE).build();

    @Test
    void incrementsAddAndStopAtTheExtremes() {
        assertThat(increment(1, 2)).isEqualTo(value(3));
        assertThat(increment(1, 0.5)).isEqualTo(value(1.5));
        assertThat(increment(1.5, 2)).isEqualTo(value(3.5));
        assertThat(increment("text", 2)).isEqualTo(value(2));
        assertThat(increment(Long.MAX_VALUE, 1)).isEqualTo(value(Long.MAX_VALUE));
        assertThat(increment(Long.MIN_VALUE, -1)).isEqualTo(value(Long.MIN_VALUE));
        assertThat(increment(Long.MAX_VALUE, Long.MIN_VALUE)).isEqualTo(value(-1));
    }

    @Test
    void extremesCompareNumericallyAndKeepTheStoredOneIfEqual() {
        assertThat(maximum(3, 4.5)).isEqualTo(value(4.5));
        assertThat(maximum(3, 3.0)).isEqualTo(value(3));
        assertThat(maximum(-0.0, 0)).isEqualTo(value(-0.0));
        assertThat(maximum(3, Double.NaN)).isEqualTo(value(Double.NaN));
        assertThat(maximum("text", 1)).isEqualTo(value(1));
        assertThat(minimum(3, 2.5)).isEqualTo(value(2.5));
        assertThat(minimum(3.0, 3)).isEqualTo(value(3.0));
        assertThat(minimum(Double.NaN, 1)).isEqualTo(value(Double.NaN));
        assertThat(minimum(1, Double.NEGATIVE_INFINITY)).isEqualTo(value(Double.NEGATIVE_INFINITY));
        // As a double the integer would be the same number.
        assertThat(maximum((1L << 53) + 1, (double) (1L << 53))).isEqualTo(value((1L << 53) + 1));
    }

    @Test
    void elementsAreAppendedOnceByNumericValue() {
        PropertyTransform append =
                transform()
                        .setAppendMissingElements(
                                value(new Object[] {2.0, 3, 3.0, Double.NaN, Double.NaN, NULL})
                                        .getArrayValue())
                        .build();
        var result = Transforms.apply(entity(KEY, "p", new Object[] {1, 2}), List.of(append), 0);
        assertThat(result.entity())
                .isEqualTo(entity(KEY, "p", new Object[] {1, 2, 3, Double.NaN, NULL}));
        assertThat(result.results()).containsExactly(NULL);
        assertThat(Transforms.apply(entity(KEY, "p", "text"), List.of(append), 0).entity())
                .isEqualTo(entity(KEY, "p", new Object[] {2.0, 3, Double.NaN, NULL}));
    }

    @Test
    void elementsAreRemovedByNumericValue() {
        PropertyTransform remove =
                transform()
                        .setRemoveAllFromArray(value(new Object[] {2.0, NULL}).getArrayValue())
                        .build();
        Entity before = entity(KEY, "p", new Object[] {1, 2, 2.0, NULL, "2"});
        assertThat(Transforms.apply(before, List.of(remove), 0).entity())
                .isEqualTo(entity(KEY, "p", new Object[] {1, "2"}));
        assertThat(
                        Transforms.apply(entity(KEY), List.of(remove), 0)
                                .entity()
                                .getPropertiesOrThrow("p")
                                .hasArrayValue())
                .isTrue();
    }

    @Test
    void requestTimeHasMilliseconds() {
        PropertyTransform now =
                transform().setSetToServerValue(PropertyTransform.ServerValue.REQUEST_TIME).build();
        Value time = Transforms.apply(entity(KEY), List.of(now), 1_234_567).results().getFirst();
        assertThat(ValueCodec.micros(time.getTimestampValue())).isEqualTo(1_234_000);
    }

    @Test
    void pathsLeadIntoEmbeddedEntities() {
        PropertyTransform deep =
                PropertyTransform.newBuilder()
                        .setProperty("in.a\\.b")
                        .setIncrement(value(2))
                        .build();
        Entity before =
                entity(KEY, "in", Entity.newBuilder().putProperties("a.b", value(1)).build());
        assertThat(Transforms.apply(before, List.of(deep), 0).entity())
                .isEqualTo(
                        entity(
                                KEY,
                                "in",
                                Entity.newBuilder().putProperties("a.b", value(3)).build()));
    }

    @Test
    void invalidTransformsAreRefused() {
        assertThatThrownBy(() -> increment(1, "text"))
                .isInstanceOf(PetrichorException.class)
                .hasMessageContaining("integer or a double");
        PropertyTransform nothing = transform().build();
        assertThatThrownBy(() -> Transforms.apply(entity(KEY), List.of(nothing), 0))
                .isInstanceOf(PetrichorException.class)
                .hasMessageContaining("has no operation");
    }

    @Test
    void aMutationAppliesThemToTheStoredEntity() {
        try (Entities entities = new Entities()) {
            entities.put(entity(KEY, "p", 1, "q", 7));
            Mutation increment =
                    Entities.upsert(entity(KEY)).toBuilder()
                            .setPropertyMask(PropertyMask.newBuilder().addPaths("__key__"))
                            .addPropertyTransforms(transform().setIncrement(value(41)))
                            .build();
            MutationResult result = entities.commit(increment).getMutationResults(0);
            assertThat(result.getTransformResultsList()).containsExactly(value(42));
            assertThat(entities.find(KEY)).isEqualTo(entity(KEY, "p", 42, "q", 7));
        }
    }

    private static Value increment(Object current, Object given) {
        return apply(current, transform().setIncrement(value(given)));
    }

    private static Value maximum(Object current, Object given) {
        return apply(current, transform().setMaximum(value(given)));
    }

    private static Value minimum(Object current, Object given) {
        return apply(current, transform().setMinimum(value(given)));
    }

    private static Value apply(Object current, PropertyTransform.Builder transform) {
        return Transforms.apply(entity(KEY, "p", current), List.of(transform.build()), 0)
                .results()
                .getFirst();
    }

    private static PropertyTransform.Builder transform() {
        return PropertyTransform.newBuilder().setProperty("p");
    }
}
