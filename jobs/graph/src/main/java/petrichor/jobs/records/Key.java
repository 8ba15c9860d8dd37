package petrichor.jobs.records;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import petrichor.base.PetrichorException;

/**
 * The fields by which records are grouped, joined or sorted, the most significant first. Binding it
 * to a record type gives: {@link KeyOrder}, {@link KeyPrefix}, {@link KeyHash}. Two records have
 * equal keys when all key fields are equal, null being equal to null.
 */
public record Key(List<Part> parts) implements Serializable {
    /** One field of a key. */
    public record Part(int field, Order order) implements Serializable {
        public Part {
            if (field < 0) {
                throw PetrichorException.invalid("key field {field} is negative", "field", field);
            }
        }
    }

    public Key {
        parts = List.copyOf(parts);
        if (parts.isEmpty()) {
            throw PetrichorException.invalid("a key needs at least one field");
        }
        if (parts.stream().map(Part::field).distinct().count() < parts.size()) {
            throw PetrichorException.invalid(
                    "a key names the same field twice: {parts}", "parts", parts);
        }
    }

    /** These fields, ascending. */
    public static Key of(int... fields) {
        return new Key(Arrays.stream(fields).mapToObj(f -> new Part(f, Order.ASCENDING)).toList());
    }

    public static Key descending(int field) {
        return new Key(List.of(new Part(field, Order.DESCENDING)));
    }

    /** This key, refined by one more field. */
    public Key then(int field, Order order) {
        List<Part> more = new ArrayList<>(parts);
        more.add(new Part(field, order));
        return new Key(more);
    }

    /**
     * Whether its first fields are this key's: then records sorted by it are sorted by this one.
     */
    public boolean startsWith(Key key) {
        return size() >= key.size() && parts.subList(0, key.size()).equals(key.parts);
    }

    public int[] fields() {
        return parts.stream().mapToInt(Part::field).toArray();
    }

    public int size() {
        return parts.size();
    }

    /** Fails if the type lacks a field. */
    public void check(RecordType type) {
        for (Part part : parts) {
            if (part.field() >= type.size()) {
                throw PetrichorException.invalid(
                        "key field {field} is not in a record of {type}",
                        "field",
                        part.field(),
                        "type",
                        type);
            }
        }
    }
}
