package petrichor.frontends.storage;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import petrichor.base.ErrorCode;
import petrichor.base.MemoryBudget;
import petrichor.base.PetrichorException;

/** The memory of running uploads and downloads, and what they have transferred. Thread-safe. */
final class Transfers {
    /**
     * A few pieces of content in either direction; see {@link
     * petrichor.services.blobs.content.BlobContent}.
     */
    private static final int BYTES = 2 << 20;

    private final MemoryBudget memory;
    private final AtomicInteger running = new AtomicInteger();
    private final LongAdder received = new LongAdder();
    private final LongAdder sent = new LongAdder();

    Transfers(MemoryBudget memory) {
        this.memory = memory;
    }

    /** One running transfer. */
    interface Transfer extends AutoCloseable {
        @Override
        void close();
    }

    /** UNAVAILABLE if too many are running. */
    Transfer begin() {
        MemoryBudget.Reservation held = memory.reservation();
        if (!held.add(BYTES)) {
            held.close();
            throw PetrichorException.of(
                    ErrorCode.UNAVAILABLE,
                    "{running} uploads and downloads are running, as many as there is memory for"
                            + " (server.memory-percent); retry later",
                    "running",
                    running.get());
        }
        running.incrementAndGet();
        return new Transfer() {
            private boolean ended;

            @Override
            public synchronized void close() {
                if (!ended) {
                    ended = true;
                    running.decrementAndGet();
                    held.close();
                }
            }
        };
    }

    void received(int bytes) {
        received.add(bytes);
    }

    void sent(int bytes) {
        sent.add(bytes);
    }

    int running() {
        return running.get();
    }

    long bytesReceived() {
        return received.sum();
    }

    long bytesSent() {
        return sent.sum();
    }
}
