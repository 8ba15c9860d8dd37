package petrichor.placement.advisor;

import java.util.BitSet;
import java.util.EnumMap;
import java.util.Map;

/**
 * Counts what operations read and write. An operation consists of rounds, whose requests are sent
 * together; {@link #begin} starts an operation and {@link #round} a round. Confined to one thread.
 */
public final class Usage {
    private static final int MESSAGES_PER_REQUEST = 2;

    private final EvenRanges ranges;
    private final BitSet ofOperation = new BitSet();
    private final BitSet ofRound = new BitSet();
    private final Map<OperationKind, Estimate.Kind> kinds = new EnumMap<>(OperationKind.class);
    private double messages;
    private double rowsRead;
    private double bytesRead;
    private double rowsWritten;
    private double bytesWritten;

    public Usage(EvenRanges ranges) {
        this.ranges = ranges;
    }

    public void begin() {
        ofOperation.clear();
        ofRound.clear();
        messages = 0;
        rowsRead = 0;
        bytesRead = 0;
        rowsWritten = 0;
        bytesWritten = 0;
    }

    public void round() {
        messages += MESSAGES_PER_REQUEST * ofRound.cardinality();
        ofOperation.or(ofRound);
        ofRound.clear();
    }

    /** The node of a key is asked, in this round. */
    public void ask(byte[] key) {
        ofRound.set(ranges.node(key));
    }

    /** A row is read by a node that was asked. */
    public void read(double bytes) {
        rowsRead++;
        bytesRead += bytes;
    }

    /** A row is written, or removed. */
    public void write(byte[] key, double bytes) {
        ask(key);
        rowsWritten++;
        bytesWritten += bytes;
    }

    /** Rows that were not evaluated one by one. */
    public void readMore(double rows, double bytes) {
        rowsRead += rows;
        bytesRead += bytes;
    }

    /** Rows that were read since the operation began. */
    public double rowsRead() {
        return rowsRead;
    }

    /** Ends an operation. */
    public void end(OperationKind kind) {
        round();
        Cost cost =
                new Cost(
                        ofOperation.cardinality(),
                        messages,
                        rowsRead,
                        bytesRead,
                        rowsWritten,
                        bytesWritten);
        Estimate.Kind before = kinds.getOrDefault(kind, new Estimate.Kind(0, Cost.NONE));
        int count = before.operations() + 1;
        kinds.put(
                kind,
                new Estimate.Kind(
                        count,
                        before.cost().times(before.operations()).plus(cost).times(1.0 / count)));
    }

    public Estimate estimate() {
        return new Estimate(kinds);
    }
}
