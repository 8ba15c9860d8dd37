package petrichor.services.channels;

import java.util.concurrent.atomic.LongAdder;

/** Counters of the messages of all apps. Thread-safe. */
final class ChannelCounters {
    private final LongAdder accepted = new LongAdder();
    private final LongAdder delivered = new LongAdder();
    private final LongAdder discarded = new LongAdder();

    void accepted() {
        accepted.increment();
    }

    void delivered() {
        delivered.increment();
    }

    void discarded(int messages) {
        discarded.add(messages);
    }

    long acceptedTotal() {
        return accepted.sum();
    }

    long deliveredTotal() {
        return delivered.sum();
    }

    long discardedTotal() {
        return discarded.sum();
    }
}
