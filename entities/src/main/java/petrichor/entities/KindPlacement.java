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
 * Placement by kind and namespace: assigns kinds and namespaces to stores other than the home. An
 * entity follows the kind of the last element of its key, as do its rows in the index of kinds and
 * in the property indexes. Rows of no single kind stay in the home store: composite indexes and
 * metadata.
 *
 * <p>The narrower rule wins: a kind in a namespace, then a kind, then a namespace. Immutable.
 */
public final class KindPlacement implements Placement {
    /**
     * The subject of a rule; one of the two components may be missing.
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

        /** Parses {@code Kind}, {@code namespace:NAME} or {@code NAMESPACE/Kind}. */
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
     * @param rules the number of the store, from 1, for each subject
     */
    public KindPlacement(Map<Subject, Integer> rules) {
        this.rules = Map.copyOf(rules);
    }

    /** All rules in one line, in canonical form. */
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

    /** Rows that are always placed together. */
    private record Group(String namespace, @Nullable String kind) {
        /** Null for rows in the home store. */
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

        /** Whether a range contains only rows that are never placed. */
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

        /** The common group of all rows of a range; null if unknown. */
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

        /** Index of the end of the string at {@code start}; negative if it has no end. */
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

        /** Whether all rows before {@code to} start with the first bytes of {@code from}. */
        private static boolean within(byte[] from, int length, byte[] to) {
            byte[] end = Bytes.afterPrefix(Arrays.copyOf(from, length));
            return end != null && Bytes.compare(to, end) <= 0;
        }
    }
}
