package petrichor.testing.simulation;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import petrichor.kv.KeyRange;
import petrichor.transactions.Row;

/**
 * The rows of a simulated database, and their invariants in every snapshot.
 *
 * <ul>
 *   <li>{@code l/KEY}: a list of elements, to which transactions append one each. {@code
 *       i/BUCKET/KEY}: its index row; the bucket is the remainder of the last element. At most
 *       {@link #QUOTA} lists may be in bucket 0: a transaction counts them before it moves one
 *       there.
 *   <li>{@code d/KEY}: inserted and deleted repeatedly, together with its index row {@code
 *       j/PARITY/KEY}.
 *   <li>{@code b/KEY}: accounts; transfers preserve their sum.
 * </ul>
 */
final class Dataset {
    static final int LISTS = 8;
    static final int BUCKETS = 3;
    static final int QUOTA = 3;
    static final int SWITCHES = 4;
    static final int ACCOUNTS = 4;
    static final long OPENING_BALANCE = 100;

    private Dataset() {}

    static byte[] key(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    static String text(byte[] key) {
        return new String(key, StandardCharsets.UTF_8);
    }

    static String list(int number) {
        return "l/" + number;
    }

    static String listIndex(long element, String list) {
        return "i/" + element % BUCKETS + "/" + list;
    }

    static String switchRow(int number) {
        return "d/" + number;
    }

    static String switchIndex(int number) {
        return "j/" + number % 2 + "/" + switchRow(number);
    }

    static String account(int number) {
        return "b/" + number;
    }

    static KeyRange under(String prefix) {
        return KeyRange.ofPrefix(key(prefix));
    }

    static List<Long> elements(@Nullable Row list) {
        List<Long> elements = new ArrayList<>();
        if (list != null) {
            ByteBuffer bytes = ByteBuffer.wrap(list.value());
            while (bytes.hasRemaining()) {
                elements.add(bytes.getLong());
            }
        }
        return elements;
    }

    static byte[] value(List<Long> elements) {
        ByteBuffer bytes = ByteBuffer.allocate(elements.size() * Long.BYTES);
        elements.forEach(bytes::putLong);
        return bytes.array();
    }

    static byte[] value(long number) {
        return value(List.of(number));
    }

    static long balance(@Nullable Row account) {
        return account == null ? OPENING_BALANCE : elements(account).getFirst();
    }

    /** Describes the violated invariants of a snapshot. */
    static List<String> audit(Map<String, Row> rows) {
        List<String> findings = new ArrayList<>();
        Map<String, Long> index = new TreeMap<>();
        long sum = 0;
        int quota = 0;
        for (int number = 0; number < LISTS; number++) {
            Row row = rows.get(list(number));
            if (row != null) {
                long last = elements(row).getLast();
                index.put(listIndex(last, list(number)), last);
                quota += last % BUCKETS == 0 ? 1 : 0;
            }
        }
        for (int number = 0; number < SWITCHES; number++) {
            if (rows.containsKey(switchRow(number))) {
                index.put(switchIndex(number), (long) number);
            }
        }
        for (int number = 0; number < ACCOUNTS; number++) {
            sum += balance(rows.get(account(number)));
        }
        Map<String, Long> found = new TreeMap<>();
        rows.forEach(
                (key, row) -> {
                    if (key.startsWith("i/") || key.startsWith("j/")) {
                        found.put(key, elements(row).getFirst());
                    }
                });
        if (!found.equals(index)) {
            findings.add("the index holds " + found + " and the rows say " + index);
        }
        if (quota > QUOTA) {
            findings.add(quota + " lists are in bucket 0, at most " + QUOTA + " may");
        }
        if (sum != ACCOUNTS * OPENING_BALANCE) {
            findings.add("the accounts hold " + sum);
        }
        return findings;
    }
}
