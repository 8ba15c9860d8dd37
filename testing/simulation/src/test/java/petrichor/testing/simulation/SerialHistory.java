package petrichor.testing.simulation;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import petrichor.testing.simulation.Attempt.Append;
import petrichor.testing.simulation.Attempt.Operation;
import petrichor.testing.simulation.Attempt.Outcome;
import petrichor.testing.simulation.Attempt.Read;
import petrichor.testing.simulation.Attempt.Scan;

/**
 * Generates strictly serializable histories: every transaction takes effect at one instant between
 * its start and its end, and overlaps with others.
 */
final class SerialHistory {
    private static final int KEYS = 6;
    private static final long OVERLAP_MAX = 40;

    private final Random random;
    private final SortedMap<String, List<Long>> state = new TreeMap<>();
    private final List<Attempt> attempts = new ArrayList<>();
    private long element;

    private SerialHistory(long seed) {
        random = new Random(seed);
    }

    static List<Attempt> of(long seed, int count) {
        SerialHistory history = new SerialHistory(seed);
        for (int id = 0; id < count; id++) {
            history.attempt(id);
        }
        long end = count * 10L + OVERLAP_MAX + 1;
        Scan all = new Scan("a", "z", new TreeMap<>(history.state));
        history.attempts.add(new Attempt(count, end, end, Outcome.COMMITTED, List.of(all)));
        Collections.shuffle(history.attempts, history.random);
        return history.attempts;
    }

    private void attempt(int id) {
        long instant = id * 10L;
        long invoked = instant - random.nextLong(OVERLAP_MAX);
        long completed = instant + random.nextLong(OVERLAP_MAX);
        int dice = random.nextInt(10);
        Outcome outcome =
                dice == 0 ? Outcome.ABORTED : dice == 1 ? Outcome.UNKNOWN : Outcome.COMMITTED;
        boolean takesEffect =
                outcome == Outcome.COMMITTED
                        || (outcome == Outcome.UNKNOWN && random.nextBoolean());
        List<Operation> operations = new ArrayList<>();
        for (int count = random.nextInt(3); count >= 0; count--) {
            String key = key();
            if (random.nextInt(4) == 0) {
                operations.add(new Scan("b", "e", new TreeMap<>(state.subMap("b", "e"))));
            } else {
                operations.add(new Read(key, state.getOrDefault(key, List.of())));
            }
        }
        for (int count = random.nextInt(3); count > 0; count--) {
            Append append = new Append(key(), ++element);
            operations.add(append);
            if (takesEffect) {
                List<Long> longer = new ArrayList<>(state.getOrDefault(append.key(), List.of()));
                longer.add(append.element());
                state.put(append.key(), List.copyOf(longer));
            }
        }
        attempts.add(new Attempt(id, invoked, completed, outcome, operations));
    }

    private String key() {
        return String.valueOf((char) ('a' + random.nextInt(KEYS)));
    }
}
