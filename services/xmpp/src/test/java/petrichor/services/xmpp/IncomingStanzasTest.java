package petrichor.services.xmpp;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import petrichor.base.MemoryBudget;

class IncomingStanzasTest {
    private final ExecutorService workers = Executors.newVirtualThreadPerTaskExecutor();
    private final CountDownLatch open = new CountDownLatch(1);
    private final List<String> delivered = new CopyOnWriteArrayList<>();
    private final AtomicLong refused = new AtomicLong();
    private final MemoryBudget memory = MemoryBudget.of("test", 100 << 20);
    private final IncomingStanzas incoming =
            new IncomingStanzas("demo", this::deliver, memory, workers, refused);

    @AfterEach
    void close() {
        open.countDown();
        incoming.close();
        workers.shutdownNow();
    }

    /** Waits until the test opens the app. */
    private boolean deliver(String project, IncomingStanza stanza) {
        try {
            boolean opened = open.await(1, TimeUnit.MINUTES);
            return opened && delivered.add(stanza.xml());
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private boolean offer(String sender, String text) {
        IncomingStanza stanza =
                new IncomingStanza(
                        IncomingStanza.Kind.MESSAGE,
                        sender,
                        "demo@apps.test",
                        new IncomingStanza.Content(
                                Optional.of(text), Optional.empty(), Optional.empty()),
                        text);
        return incoming.offer(sender, stanza, () -> {});
    }

    private void awaitDelivered(int count) {
        while (delivered.size() < count) {
            Thread.onSpinWait();
        }
    }

    @Test
    void aLimitedNumberWaits() {
        for (int i = 0; i < XmppLimits.INCOMING_MAX; i++) {
            assertThat(offer("user" + i, "text")).isTrue();
        }
        assertThat(offer("one more", "text")).isFalse();
        assertThat(refused).hasValue(1);
        open.countDown();
        awaitDelivered(XmppLimits.INCOMING_MAX);
        while (memory.bytesUsed() > 0) {
            Thread.onSpinWait();
        }
        assertThat(offer("one more", "text")).isTrue();
    }

    @Test
    void stanzasOfOneSenderKeepTheirOrder() {
        for (int i = 0; i < 100; i++) {
            assertThat(offer("ann", Integer.toString(i))).isTrue();
        }
        open.countDown();
        awaitDelivered(100);
        assertThat(delivered).hasSize(100).first().isEqualTo("0");
        assertThat(delivered.stream().map(Integer::valueOf)).isSorted();
    }

    @Test
    void waitingStanzasReleaseTheirMemoryWhenTheServerStops() {
        offer("ann", "first");
        offer("ann", "second");
        assertThat(memory.bytesUsed()).isPositive();
        incoming.close();
        assertThat(offer("ann", "third")).isFalse();
        assertThat(memory.bytesUsed()).isZero();
    }
}
