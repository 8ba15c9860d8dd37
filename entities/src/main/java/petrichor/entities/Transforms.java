package petrichor.entities;

import com.google.datastore.v1.ArrayValue;
import com.google.datastore.v1.Entity;
import com.google.datastore.v1.PropertyTransform;
import com.google.datastore.v1.Value;
import com.google.protobuf.NullValue;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import petrichor.base.PetrichorException;

/**
 * The property transforms of a mutation: the server computes the new value from the current one.
 * Numbers compare by numeric value, not by type; integers saturate instead of overflowing.
 * Stateless.
 */
final class Transforms {
    private static final Value NULL = Value.newBuilder().setNullValue(NullValue.NULL_VALUE).build();
    private static final long MICROS_PER_MILLI = 1_000;

    private Transforms() {}

    /** The transformed entity, and the result of each transform for the client. */
    record Transformed(Entity entity, List<Value> results) {}

    /**
     * @param requestTime microseconds since 1970
     */
    static Transformed apply(Entity entity, List<PropertyTransform> transforms, long requestTime) {
        requireFew(transforms);
        Entity.Builder changed = entity.toBuilder();
        List<Value> results = new ArrayList<>();
        for (PropertyTransform transform : transforms) {
            PropertyPath path = PropertyPath.parse(transform.getProperty()).requireWritable();
            results.add(apply(changed, path, transform, requestTime));
        }
        return new Transformed(changed.build(), results);
    }

    private static void requireFew(List<PropertyTransform> transforms) {
        int count = 0;
        for (PropertyTransform transform : transforms) {
            count +=
                    Math.max(
                            1,
                            transform.getAppendMissingElements().getValuesCount()
                                    + transform.getRemoveAllFromArray().getValuesCount());
        }
        if (count > Limits.TRANSFORMS_MAX) {
            throw PetrichorException.invalid(
                    "A mutation can have at most "
                            + Limits.TRANSFORMS_MAX
                            + " property_transforms, where every element of an array counts; this"
                            + " one has {count}.",
                    "count",
                    count);
        }
    }

    private static Value apply(
            Entity.Builder entity, PropertyPath path, PropertyTransform transform, long time) {
        Value current = entity.getPropertiesMap().get(path.first());
        if (!path.last()) {
            Entity.Builder inner =
                    current != null && current.hasEntityValue()
                            ? current.getEntityValue().toBuilder()
                            : Entity.newBuilder();
            Value result = apply(inner, path.rest(), transform, time);
            Value.Builder outer = current == null ? Value.newBuilder() : current.toBuilder();
            entity.putProperties(path.first(), outer.setEntityValue(inner).build());
            return result;
        }
        Value next = next(current, transform, time);
        if (current != null && current.getExcludeFromIndexes() && !next.hasArrayValue()) {
            next = next.toBuilder().setExcludeFromIndexes(true).build();
        }
        entity.putProperties(path.first(), next);
        return next.hasArrayValue() ? NULL : next;
    }

    private static Value next(@Nullable Value current, PropertyTransform transform, long time) {
        return switch (transform.getTransformTypeCase()) {
            case SET_TO_SERVER_VALUE -> serverValue(transform, time);
            case INCREMENT -> sum(current, requireNumber(transform.getIncrement()));
            case MAXIMUM -> extreme(current, requireNumber(transform.getMaximum()), 1);
            case MINIMUM -> extreme(current, requireNumber(transform.getMinimum()), -1);
            case APPEND_MISSING_ELEMENTS -> appended(current, transform.getAppendMissingElements());
            case REMOVE_ALL_FROM_ARRAY -> without(current, transform.getRemoveAllFromArray());
            case TRANSFORMTYPE_NOT_SET ->
                    throw PetrichorException.invalid(
                            "The transform of property \"{property}\" has no operation.",
                            "property",
                            Texts.shortened(transform.getProperty()));
        };
    }

    private static Value serverValue(PropertyTransform transform, long time) {
        if (transform.getSetToServerValue() != PropertyTransform.ServerValue.REQUEST_TIME) {
            throw PetrichorException.invalid(
                    "The only server value that a property can be set to is REQUEST_TIME.");
        }
        long millis = Math.floorDiv(time, MICROS_PER_MILLI);
        return Value.newBuilder()
                .setTimestampValue(ValueCodec.timestamp(millis * MICROS_PER_MILLI))
                .build();
    }

    private static Value requireNumber(Value value) {
        if (!number(value)) {
            throw PetrichorException.invalid(
                    "A property can only be transformed by an integer or a double value.");
        }
        return value;
    }

    private static boolean number(Value value) {
        return value.hasIntegerValue() || value.hasDoubleValue();
    }

    private static Value sum(@Nullable Value current, Value given) {
        if (current == null || !number(current)) {
            return given;
        }
        Value.Builder sum = Value.newBuilder();
        if (current.hasIntegerValue() && given.hasIntegerValue()) {
            return sum.setIntegerValue(
                            saturated(current.getIntegerValue(), given.getIntegerValue()))
                    .build();
        }
        return sum.setDoubleValue(real(current) + real(given)).build();
    }

    private static long saturated(long left, long right) {
        long sum = left + right;
        boolean overflown = ((left ^ sum) & (right ^ sum)) < 0;
        if (!overflown) {
            return sum;
        }
        return left < 0 ? Long.MIN_VALUE : Long.MAX_VALUE;
    }

    /**
     * @param sign 1 for the greater, -1 for the smaller of the two
     */
    private static Value extreme(@Nullable Value current, Value given, int sign) {
        if (current == null || !number(current)) {
            return given;
        }
        if (nan(current) || nan(given)) {
            return Value.newBuilder().setDoubleValue(Double.NaN).build();
        }
        boolean givenWins = sign * compare(given, current) > 0;
        return givenWins ? given : current;
    }

    private static Value appended(@Nullable Value current, ArrayValue given) {
        List<Value> elements = new ArrayList<>(elements(current));
        boolean excluded = !elements.isEmpty() && elements.getFirst().getExcludeFromIndexes();
        for (Value element : given.getValuesList()) {
            requireElement(element);
            if (elements.stream().noneMatch(present -> equivalent(present, element))) {
                elements.add(
                        excluded
                                ? element.toBuilder().setExcludeFromIndexes(true).build()
                                : element);
            }
        }
        return array(elements);
    }

    private static Value without(@Nullable Value current, ArrayValue given) {
        given.getValuesList().forEach(Transforms::requireElement);
        List<Value> left = new ArrayList<>();
        for (Value present : elements(current)) {
            if (given.getValuesList().stream().noneMatch(element -> equivalent(present, element))) {
                left.add(present);
            }
        }
        return array(left);
    }

    private static void requireElement(Value element) {
        if (element.hasArrayValue()) {
            throw PetrichorException.invalid("An array can't be an element of an array.");
        }
    }

    private static List<Value> elements(@Nullable Value current) {
        return current != null && current.hasArrayValue()
                ? current.getArrayValue().getValuesList()
                : List.of();
    }

    private static Value array(List<Value> elements) {
        return Value.newBuilder()
                .setArrayValue(ArrayValue.newBuilder().addAllValues(elements))
                .build();
    }

    private static boolean equivalent(Value left, Value right) {
        if (number(left) && number(right)) {
            return (nan(left) || nan(right)) ? nan(left) && nan(right) : compare(left, right) == 0;
        }
        return bare(left).equals(bare(right));
    }

    /** Without flags that are not part of the value. */
    private static Value bare(Value value) {
        return value.toBuilder().clearExcludeFromIndexes().clearMeaning().build();
    }

    private static boolean nan(Value number) {
        return number.hasDoubleValue() && Double.isNaN(number.getDoubleValue());
    }

    private static double real(Value number) {
        return number.hasDoubleValue() ? number.getDoubleValue() : number.getIntegerValue();
    }

    /** Exact, even where a double cannot represent the integer; neither is NaN. */
    private static int compare(Value left, Value right) {
        if (left.hasIntegerValue() && right.hasIntegerValue()) {
            return Long.compare(left.getIntegerValue(), right.getIntegerValue());
        }
        if (Double.isInfinite(real(left)) || Double.isInfinite(real(right))) {
            return Double.compare(real(left), real(right));
        }
        return exact(left).compareTo(exact(right));
    }

    private static BigDecimal exact(Value number) {
        return number.hasDoubleValue()
                ? new BigDecimal(number.getDoubleValue())
                : BigDecimal.valueOf(number.getIntegerValue());
    }
}
