package petrichor.sql.h2;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.h2.schema.Sequence;
import petrichor.tables.NumberBlock;
import petrichor.tables.SequenceOptions;
import petrichor.tables.TableStore;

/**
 * Feeds H2's sequences with blocks of numbers from the store. H2's classes cannot be extended here:
 * each sequence is limited to the numbers of its block, and H2 refuses to go beyond. The statement
 * that is refused is executed again with a new block. Thread-safe.
 */
final class DefinedSequences {
    private static final int BLOCK = 32;
    private static final int BLOCK_MAX = 1 << 20;

    /**
     * @param definition as stored
     * @param waiting the definition that H2 shows before the first block
     */
    private record Defined(long id, SequenceOptions options, String definition, String waiting) {}

    /** A definition to store. */
    record Definition(long id, String sql) {}

    private final TableStore store;
    private final Map<Sequence, Defined> known = new HashMap<>();
    private final Set<Sequence> fed = new HashSet<>();
    private final Set<Sequence> restarted = new HashSet<>();

    DefinedSequences(TableStore store) {
        this.store = store;
    }

    synchronized boolean contains(Sequence sequence) {
        return known.containsKey(sequence);
    }

    /** A sequence of the stored catalog: gives no numbers before its first block. */
    synchronized void add(Sequence sequence, long id, String definition) {
        SequenceOptions options = optionsOf(sequence);
        sequence.modify(null, null, null, null, null, Sequence.Cycle.EXHAUSTED, null);
        known.put(sequence, new Defined(id, options, definition, sequence.getCreateSQL()));
    }

    private static SequenceOptions optionsOf(Sequence sequence) {
        return new SequenceOptions(
                sequence.getBaseValue(),
                sequence.getIncrement(),
                sequence.getMinValue(),
                sequence.getMaxValue(),
                sequence.getCycle() == Sequence.Cycle.CYCLE);
    }

    /** The options as defined; the sequence itself has the limits of its block. */
    synchronized SequenceOptions options(Sequence sequence) {
        Defined defined = known.get(sequence);
        return defined == null ? optionsOf(sequence) : defined.options();
    }

    /**
     * Gives a block of numbers to the exhausted sequences of this name; false if there is no
     * sequence of this name. Another session may have been faster.
     *
     * @param doublings from 1: further blocks are larger
     */
    synchronized boolean feed(String name, int doublings) {
        boolean any = false;
        int size = (int) Math.min(BLOCK_MAX, (long) BLOCK << Math.min(20, doublings - 1));
        for (Map.Entry<Sequence, Defined> entry : known.entrySet()) {
            Sequence sequence = entry.getKey();
            if (!sequence.getName().equals(name)) {
                continue;
            }
            any = true;
            if (sequence.getCycle() == Sequence.Cycle.EXHAUSTED) {
                Defined defined = entry.getValue();
                NumberBlock block = store.numbers(defined.id(), defined.options(), size);
                long increment = defined.options().increment();
                long last = block.first() + (block.count() - 1) * increment;
                long low = Math.min(block.first(), last);
                long high = Math.max(block.first(), last);
                // H2 requires two numbers between the limits, and a start within them.
                boolean single = low == high;
                sequence.modify(
                        block.first(),
                        block.first(),
                        single && increment < 0 ? low : single ? low - 1 : low,
                        single && increment < 0 ? high + 1 : high,
                        single ? Long.signum(increment) : increment,
                        Sequence.Cycle.NO_CYCLE,
                        null);
                fed.add(sequence);
            }
        }
        return any;
    }

    /** Gives the numbers from its start again, once the catalog is stored. */
    synchronized void restart(Sequence sequence) {
        restarted.add(sequence);
    }

    /** The definition to be stored after a schema change. */
    synchronized Definition definition(Sequence sequence) {
        Defined defined = known.get(sequence);
        String now = sequence.getCreateSQL();
        if (defined == null) {
            return new Definition(store.newSequence(), now);
        }
        if (restarted.contains(sequence)) {
            return new Definition(store.newSequence(), defined.definition());
        }
        boolean unchanged = now.equals(defined.waiting()) || fed.contains(sequence);
        if (unchanged) {
            return new Definition(defined.id(), defined.definition());
        }
        boolean continues = sequence.getCycle() == Sequence.Cycle.EXHAUSTED;
        return continues
                ? new Definition(defined.id(), now.replace(" EXHAUSTED", ""))
                : new Definition(store.newSequence(), now);
    }
}
