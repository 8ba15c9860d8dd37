package petrichor.entities;

import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import petrichor.base.Bytes;
import petrichor.base.OrderedReader;
import petrichor.base.PetrichorException;
import petrichor.kv.KeyRange;
import petrichor.transactions.Placement;

/**
 * Kinds and namespaces that live in another store than their database. Entities go by the kind of
 * the last element of their key; with them go the rows of the index of kinds and of the indexes of
 * properties. What belongs to no one kind stays at home: composite indexes and facts.
 *
 * <p>The narrower rule wins: a kind in a namespace, then a kind, then a namespace. Immutable.
 */
public final class KindPlacement implements Placement {
    /**
     * What is placed; one of the two may be missing.
     *
     * @param namespace null for all, the empty text for the default one
     * @param kind null for all
     */
    public record Subject(@Nullable String namespace, @Nullable String kind) {
        private static final String NAMESPACE = "namespace:";

        public Subject {
            if (namespace == null && kind == null) {
                throw PetrichorException.invalid("a placement names a kind or a namespace");
            }
        }

        /** {@code Kind}, {@code namespace:NAME} or {@code NAMESPACE/Kind}. */
        public static Subject parse(String text) {
            if (text.startsWith(NAMESPACE)) {
                return new Subject(text.substring(NAMESPACE.length()), null);
            }
            int slash = text.indexOf('/');
            String kind = text.substring(slash + 1);
            if (kind.isEmpty()) {
                throw PetrichorException.invalid(
                        "\"{text}\" cannot be placed: use \"Kind\", \"namespace:NAME\" or"
                                + " \"NAMESPACE/Kind\"",
                        "text",
                        text);
            }
            return new Subject(slash < 0 ? null : text.substring(0, slash), kind);
        }

        @Override
        public String toString() {
            if (kind == null) {
                return NAMESPACE + namespace;
            }
            return namespace == null ? kind : namespace + "/" + kind;
        }
    }

    private final Map<Subject, Integer> rules;

    /**
     * @param rules which store holds what, by the stores' numbers from 1
     */
    public KindPlacement(Map<Subject, Integer> rules) {
        this.rules = Map.copyOf(rules);
    }

    /** All rules in one line, the same for the same rules. */
    public static String text(Map<Subject, String> storeNames) {
        TreeSet<String> lines = new TreeSet<>();
        storeNames.forEach((subject, store) -> lines.add(subject + " = " + store));
        return String.join(", ", lines);
    }

    @Override
    public int storeOf(byte[] key) {
        Group group = Group.of(key);
        return group == null ? HOME : storeOf(group.namespace, Objects.requireNonNull(group.kind));
    }

    private int storeOf(String namespace, String kind) {
        Integer both = rules.get(new Subject(namespace, kind));
        Integer byKind = both == null ? rules.get(new Subject(null, kind)) : both;
        Integer store = byKind == null ? rules.get(new Subject(namespace, null)) : byKind;
        return store == null ? HOME : store;
    }

    @Override
    public boolean mayHold(int store, KeyRange keys) {
        if (Group.staysAtHome(keys)) {
            return store == HOME;
        }
        Group common = Group.common(keys);
        if (common == null) {
            return true;
        }
        if (common.kind != null) {
            return storeOf(common.namespace, common.kind) == store;
        }
        return store == HOME || mayHold(store, common.namespace);
    }

    private boolean mayHold(int store, String namespace) {
        return rules.entrySet().stream()
                .filter(rule -> rule.getValue() == store)
                .map(rule -> rule.getKey().namespace())
                .anyMatch(named -> named == null || named.equals(namespace));
    }

    /** Rows that lie together. */
    private record Group(String namespace, @Nullable String kind) {
        /** Null for what stays at home. */
        static @Nullable Group of(byte[] row) {
            if (row.length == 0) {
                return null;
            }
            OrderedReader in = new OrderedReader(row, 1);
            return switch (row[0]) {
                case RowLayout.ENTITY -> new Group(in.takeString(), KeyCodec.lastKind(in));
                case RowLayout.KIND, RowLayout.PROPERTY ->
                        new Group(in.takeString(), in.takeString());
                default -> null;
            };
        }

        /** Whether a range has only rows that are never placed. */
        static boolean staysAtHome(KeyRange keys) {
            byte[] from = keys.from();
            byte[] to = keys.to();
            return to != null && from.length > 0 && within(from, 1, to) && isFixed(from[0]);
        }

        private static boolean isFixed(byte what) {
            return switch (what) {
                case RowLayout.ENTITY, RowLayout.KIND, RowLayout.PROPERTY -> false;
                default -> true;
            };
        }

        /** What all rows of a range have in common; null if that is not known. */
        static @Nullable Group common(KeyRange keys) {
            byte[] from = keys.from();
            byte[] to = keys.to();
            if (to == null || from.length == 0) {
                return null;
            }
            int namespaceEnd = stringEnd(from, 1);
            if (namespaceEnd < 0 || !within(from, namespaceEnd, to)) {
                return null;
            }
            OrderedReader in = new OrderedReader(from, 1);
            String namespace = in.takeString();
            boolean byKind = from[0] == RowLayout.KIND || from[0] == RowLayout.PROPERTY;
            int kindEnd = byKind ? stringEnd(from, namespaceEnd) : -1;
            return kindEnd >= 0 && within(from, kindEnd, to)
                    ? new Group(namespace, in.takeString())
                    : new Group(namespace, null);
        }

        /** Where a string ends that begins there; negative if it does not end. */
        private static int stringEnd(byte[] row, int start) {
            for (int at = start; at + 1 < row.length; at++) {
                if (row[at] == 0) {
                    at++;
                    if (row[at] == 1) {
                        return at + 1;
                    }
                }
            }
            return -1;
        }

        /** Whether all rows up to that end begin with the first bytes of this one. */
        private static boolean within(byte[] from, int length, byte[] to) {
            byte[] end = Bytes.afterPrefix(Arrays.copyOf(from, length));
            return end != null && Bytes.compare(to, end) <= 0;
        }
    }
}
