package petrichor.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class PeerOutboxTest {
    private static final int THREADS = 8;
    private static final int EACH = 20_000;

    @Test
    void itemsOfManyThreadsAreSentOnceAndInOrderByOneThreadAtATime() throws Exception {
        List<Integer> sent = new ArrayList<>();
        AtomicInteger sending = new AtomicInteger();
        AtomicInteger messages = new AtomicInteger();
        AtomicBoolean together = new AtomicBoolean();
        PeerOutbox<Integer> outbox =
                new PeerOutbox<>(
                        _ -> 100,
                        () -> true,
                        some -> {
                            together.compareAndSet(false, sending.incrementAndGet() > 1);
                            sent.addAll(some);
                            messages.incrementAndGet();
                            sending.decrementAndGet();
                        });
        List<Thread> threads = new ArrayList<>();
        for (int thread = 0; thread < THREADS; thread++) {
            int first = thread * EACH;
            threads.add(
                    Thread.ofPlatform()
                            .start(
                                    () -> {
                                        for (int i = 0; i < EACH; i++) {
                                            outbox.add(first + i);
                                        }
                                    }));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(together).as("two at the same time").isFalse();
        assertThat(outbox.isEmpty()).isTrue();
        int[] next = new int[THREADS];
        for (int one : sent) {
            assertThat(one % EACH).isEqualTo(next[one / EACH]++);
        }
        assertThat(next).containsOnly(EACH);
        assertThat(messages).hasValueLessThan(THREADS * EACH + 1);
    }

    @Test
    void itemsQueuedDuringBackPressureAreSentTogether() {
        AtomicBoolean ready = new AtomicBoolean();
        List<List<String>> messages = new ArrayList<>();
        PeerOutbox<String> outbox = new PeerOutbox<>(String::length, ready::get, messages::add);
        outbox.add("a");
        outbox.add("b");
        assertThat(messages).isEmpty();
        assertThat(outbox.isEmpty()).isFalse();
        ready.set(true);
        outbox.flush();
        assertThat(messages).containsExactly(List.of("a", "b"));
    }

    @Test
    void aMessageExceedsItsLimitOnlyForASingleItem() {
        AtomicBoolean ready = new AtomicBoolean();
        List<List<Integer>> messages = new ArrayList<>();
        PeerOutbox<Integer> outbox = new PeerOutbox<>(size -> size, ready::get, messages::add);
        outbox.add(200 << 10);
        outbox.add(100 << 10);
        outbox.add(10 << 20);
        ready.set(true);
        outbox.flush();
        assertThat(messages)
                .containsExactly(List.of(200 << 10), List.of(100 << 10), List.of(10 << 20));
    }
}
