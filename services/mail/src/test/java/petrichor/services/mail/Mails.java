package petrichor.services.mail;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import petrichor.base.MemoryBudget;
import petrichor.base.TimeSource;
import petrichor.kv.KeyValueStore;
import petrichor.kv.memory.MemoryStore;
import petrichor.services.mail.MailTransport.Outcome;
import petrichor.transactions.databases.RowDatabases;

/** An outbox over a store, with a clock that tests move; work runs when a test asks for it. */
final class Mails implements AutoCloseable {
    static final String PROJECT = "demo";

    final Clock clock = new Clock();
    final Deque<Runnable> work = new ArrayDeque<>();
    final List<String> admins = new ArrayList<>();
    final MemoryBudget budget = MemoryBudget.of("test", 256 << 20);
    final Outbox outbox;
    private final KeyValueStore store;
    private final RowDatabases databases;

    Mails(@Nullable MailTransport transport) {
        this(MemoryStore.open(), transport, MailLimits.DEFAULT);
    }

    Mails(KeyValueStore store, @Nullable MailTransport transport, MailLimits limits) {
        this.store = store;
        this.databases = new RowDatabases(store);
        this.outbox =
                new Outbox(
                        databases::open,
                        Optional.ofNullable(transport),
                        new SenderRules(_ -> admins, List.of("news@example.com", "*@shop.example")),
                        limits,
                        budget,
                        clock,
                        work::add);
    }

    void runWork() {
        while (!work.isEmpty()) {
            work.remove().run();
        }
    }

    static MailMessage message(String sender, String... to) {
        return new MailMessage(
                new MailMessage.Addresses(
                        sender, Optional.empty(), List.of(to), List.of(), List.of()),
                "Greetings",
                new MailMessage.Bodies(Optional.of("hello"), Optional.empty(), Optional.empty()),
                List.of(),
                List.of());
    }

    static MailMessage message() {
        return message("bot@demo.appspotmail.com", "you@example.com");
    }

    @Override
    public void close() {
        databases.close();
        store.close();
    }

    /** Answers in the order of the script; afterwards it accepts everything. */
    static final class Scripted implements MailTransport {
        final List<byte[]> contents = new ArrayList<>();
        private final Deque<Outcome> outcomes;

        Scripted(Outcome... outcomes) {
            this.outcomes = new ArrayDeque<>(List.of(outcomes));
        }

        @Override
        public Outcome send(StoredMail.Envelope envelope, byte[] content) {
            contents.add(content);
            Outcome next = outcomes.poll();
            return next == null ? new Outcome.Sent(List.of()) : next;
        }
    }

    /** Both clocks move together. */
    static final class Clock implements TimeSource {
        private long nanos = 1_800_000_000_000_000_000L;

        void advance(java.time.Duration by) {
            nanos += by.toNanos();
        }

        @Override
        public long epochMicros() {
            return nanos / 1000;
        }

        @Override
        public long monotonicNanos() {
            return nanos;
        }
    }
}
