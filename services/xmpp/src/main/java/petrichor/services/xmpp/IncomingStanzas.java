package petrichor.services.xmpp;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import petrichor.base.MemoryBudget;

/**
 * Hands incoming stanzas to one app: those of a sender in their order, those of different senders
 * at the same time. An app that fails is tried again a few times; then the stanza is given up.
 * Thread-safe.
 */
final class IncomingStanzas implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(IncomingStanzas.class);

    /** Requests to one app at one time. */
    private static final int LANES = 8;

    private static final List<Duration> PAUSES =
            List.of(Duration.ofMillis(200), Duration.ofSeconds(2));

    private final String project;
    private final IncomingStanza.Delivery delivery;
    private final MemoryBudget memory;
    private final Executor workers;
    private final AtomicLong refused;
    private final List<Lane> lanes = new ArrayList<>();
    private int waiting;
    private boolean closed;

    /**
     * @param memory for stanzas that wait
     * @param workers threads that may block
     * @param refused counts stanzas that the app does not get
     */
    IncomingStanzas(
            String project,
            IncomingStanza.Delivery delivery,
            MemoryBudget memory,
            Executor workers,
            AtomicLong refused) {
        this.project = project;
        this.delivery = delivery;
        this.memory = memory;
        this.workers = workers;
        this.refused = refused;
        for (int i = 0; i < LANES; i++) {
            lanes.add(new Lane());
        }
    }

    /**
     * @param givenUp runs if the app does not accept the stanza
     */
    private record Entry(IncomingStanza stanza, Runnable givenUp) {
        long bytes() {
            return XmppLimits.STANZA_BYTES + 4L * stanza.xml().length();
        }
    }

    /** Stanzas of some senders; one is delivered at one time. */
    private static final class Lane {
        private final ArrayDeque<Entry> entries = new ArrayDeque<>();
        private boolean running;
    }

    /**
     * Queues a stanza without blocking.
     *
     * @param sender address without resource
     * @param givenUp runs if the app does not accept it
     * @return false if too many stanzas wait
     */
    boolean offer(String sender, IncomingStanza stanza, Runnable givenUp) {
        Entry entry = new Entry(stanza, givenUp);
        Lane lane = lanes.get(Math.floorMod(sender.hashCode(), LANES));
        synchronized (this) {
            if (closed || waiting >= XmppLimits.INCOMING_MAX || !memory.tryReserve(entry.bytes())) {
                refused.incrementAndGet();
                return false;
            }
            waiting++;
            lane.entries.add(entry);
            if (lane.running) {
                return true;
            }
            lane.running = true;
        }
        workers.execute(() -> run(lane));
        return true;
    }

    private void run(Lane lane) {
        while (true) {
            Entry next;
            synchronized (this) {
                next = closed ? null : lane.entries.peek();
                if (next == null) {
                    lane.running = false;
                    return;
                }
            }
            boolean accepted = false;
            try {
                accepted = deliver(next.stanza());
                if (!accepted && !isClosed()) {
                    refused.incrementAndGet();
                    next.givenUp().run();
                }
            } finally {
                remove(lane, next);
            }
        }
    }

    private synchronized void remove(Lane lane, Entry entry) {
        if (lane.entries.remove(entry)) {
            waiting--;
            memory.release(entry.bytes());
        }
    }

    private boolean deliver(IncomingStanza stanza) {
        for (int attempt = 0; !isClosed(); attempt++) {
            if (delivery.deliver(project, stanza)) {
                return true;
            }
            // Presence is soon out of date; only messages are worth another attempt.
            if (stanza.kind() != IncomingStanza.Kind.MESSAGE || attempt >= PAUSES.size()) {
                break;
            }
            try {
                Thread.sleep(PAUSES.get(attempt));
            } catch (InterruptedException stopping) {
                Thread.currentThread().interrupt();
                return false;
            }
        }
        LOG.debug("the app {} does not accept {}", project, stanza.kind().path());
        return false;
    }

    private synchronized boolean isClosed() {
        return closed;
    }

    @Override
    public synchronized void close() {
        closed = true;
        for (Lane lane : lanes) {
            for (Entry entry : List.copyOf(lane.entries)) {
                remove(lane, entry);
            }
        }
    }
}
