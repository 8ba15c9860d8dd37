package petrichor.bench.sql.tpcc;

import java.util.List;
import java.util.SplittableRandom;

/** The distributions of TPC-C (clauses 2.1.6 and 4.3.2). Confined to one thread. */
final class TpccRandom {
    private static final List<String> SYLLABLES =
            List.of("BAR", "OUGHT", "ABLE", "PRI", "PRES", "ESE", "ANTI", "CALLY", "ATION", "EING");

    private static final int NAMES = 1_000;

    /** The constants of the non-uniform distribution, the same for loading and running. */
    private static final int NAME_CONSTANT = 123;

    private static final int CUSTOMER_CONSTANT = 259;
    private static final int ITEM_CONSTANT = 7_911;

    private final SplittableRandom random;

    TpccRandom(long seed) {
        random = new SplittableRandom(seed);
    }

    /** From {@code low} to {@code high}, inclusive. */
    int between(int low, int high) {
        return random.nextInt(low, high + 1);
    }

    boolean percent(int share) {
        return random.nextInt(100) < share;
    }

    private int nonUniform(int mask, int constant, int low, int high) {
        int mixed = between(0, mask) | between(low, high);
        return (mixed + constant) % (high - low + 1) + low;
    }

    int customer(int customers) {
        return nonUniform(1_023, CUSTOMER_CONSTANT, 1, customers);
    }

    int item(int items) {
        return nonUniform(8_191, ITEM_CONSTANT, 1, items);
    }

    /** Of one of the customers that exist. */
    String lastName(int customers) {
        return name(nonUniform(255, NAME_CONSTANT, 0, Math.min(NAMES, customers) - 1));
    }

    /** The last name of the customer with this number, from 1, when the data is loaded. */
    String loadedName(int customer) {
        return name(
                customer <= NAMES ? customer - 1 : nonUniform(255, NAME_CONSTANT, 0, NAMES - 1));
    }

    private static String name(int number) {
        return SYLLABLES.get(number / 100 % 10)
                + SYLLABLES.get(number / 10 % 10)
                + SYLLABLES.get(number % 10);
    }

    String letters(int shortest, int longest) {
        int length = between(shortest, longest);
        StringBuilder text = new StringBuilder(length);
        for (int i = 0; i < length; i++) {
            text.append((char) ('a' + random.nextInt(26)));
        }
        return text.toString();
    }

    String digits(int length) {
        StringBuilder text = new StringBuilder(length);
        for (int i = 0; i < length; i++) {
            text.append((char) ('0' + random.nextInt(10)));
        }
        return text.toString();
    }

    /** A tenth of these contain ORIGINAL. */
    String data() {
        String text = letters(26, 50);
        if (!percent(10)) {
            return text;
        }
        int at = between(0, text.length() - 8);
        return text.substring(0, at) + "ORIGINAL" + text.substring(at + 8);
    }

    /** An amount of money between two numbers of cents. */
    String cents(int low, int high) {
        int cents = between(low, high);
        return cents / 100 + "." + (cents % 100 < 10 ? "0" : "") + cents % 100;
    }

    /** The numbers from 1 in random order. */
    int[] permutation(int count) {
        int[] numbers = new int[count];
        for (int i = 0; i < count; i++) {
            int at = random.nextInt(i + 1);
            numbers[i] = numbers[at];
            numbers[at] = i + 1;
        }
        return numbers;
    }
}
