package petrichor.services.mail;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static petrichor.services.mail.Mails.PROJECT;
import static petrichor.services.mail.Mails.message;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.kv.DurableStep;
import petrichor.kv.ForwardingStore;
import petrichor.kv.KeyValueStore;
import petrichor.kv.StoreFailures;
import petrichor.kv.WriteBatch;
import petrichor.kv.memory.MemoryStore;
import petrichor.kv.rocksdb.RocksStore;
import petrichor.services.mail.MailTransport.Outcome;
import petrichor.services.mail.StoredMail.State;

final class OutboxTest {
    @Test
    void anAcceptedMailIsSentAndDeleted() {
        Mails.Scripted server = new Mails.Scripted();
        try (Mails mails = new Mails(server)) {
            mails.outbox.send(PROJECT, message());
            assertThat(mails.outbox.list(PROJECT)).hasSize(1);
            assertThat(server.contents).isEmpty();
            mails.runWork();
            assertThat(server.contents).hasSize(1);
            assertThat(new String(server.contents.getFirst(), StandardCharsets.UTF_8))
                    .contains("From: bot@demo.appspotmail.com", "Subject: Greetings", "hello");
            assertThat(mails.outbox.list(PROJECT)).isEmpty();
            assertThat(mails.budget.bytesUsed()).isZero();
        }
    }

    @Test
    void anAcceptedMailSurvivesARestart(@TempDir Path folder) {
        MailMessage large = withFile(new byte[3 << 20]);
        try (Mails mails =
                new Mails(RocksStore.open(folder), new Mails.Scripted(), MailLimits.DEFAULT)) {
            mails.outbox.send(PROJECT, message());
            mails.outbox.send(PROJECT, large);
        }
        Mails.Scripted server = new Mails.Scripted();
        try (Mails mails = new Mails(RocksStore.open(folder), server, MailLimits.DEFAULT)) {
            mails.outbox.resume(PROJECT);
            mails.runWork();
            assertThat(server.contents).hasSize(2);
            assertThat(server.contents.getLast().length).isGreaterThan(3 << 20);
            assertThat(mails.outbox.list(PROJECT)).isEmpty();
        }
    }

    /** The server may have accepted it: its Message-ID is the same then. */
    @Test
    void aMailIsSentAgainAfterACrashBeforeItsAnswerIsNoted(@TempDir Path folder) {
        List<byte[]> first = new ArrayList<>();
        MailTransport crash =
                (_, content) -> {
                    first.add(content);
                    throw new IllegalStateException("crash");
                };
        try (Mails mails = new Mails(RocksStore.open(folder), crash, MailLimits.DEFAULT)) {
            mails.outbox.send(PROJECT, message());
            assertThatThrownBy(mails::runWork).hasMessage("crash");
        }
        Mails.Scripted server = new Mails.Scripted();
        try (Mails mails = new Mails(RocksStore.open(folder), server, MailLimits.DEFAULT)) {
            mails.outbox.resume(PROJECT);
            mails.runWork();
            assertThat(server.contents).usingRecursiveComparison().isEqualTo(first);
            assertThat(mails.outbox.list(PROJECT)).isEmpty();
        }
    }

    @Test
    void aMailThatIsBeingSentIsNotSentByAnotherThread() {
        AtomicInteger sent = new AtomicInteger();
        AtomicReference<@Nullable Mails> started = new AtomicReference<>();
        MailTransport server =
                (_, _) -> {
                    Mails mails = started.get();
                    if (sent.incrementAndGet() == 1 && mails != null) {
                        CompletableFuture.runAsync(() -> mails.outbox.deliver(PROJECT)).join();
                    }
                    return new Outcome.Sent(List.of());
                };
        try (Mails mails = new Mails(server)) {
            started.set(mails);
            mails.outbox.send(PROJECT, message());
            mails.runWork();
            assertThat(sent).hasValue(1);
        }
    }

    /** Its content needs several commits; the first is made, the others are refused. */
    @Test
    void aMailThatWasNotAcceptedInFullIsNotSent() {
        MemoryStore memory = MemoryStore.open();
        AtomicInteger remaining = new AtomicInteger(Integer.MAX_VALUE);
        KeyValueStore store =
                new ForwardingStore(memory) {
                    @Override
                    public DurableStep durableStep() {
                        var step = (DurableStep.AtomicBatch) super.durableStep();
                        return new DurableStep.AtomicBatch() {
                            @Override
                            public long takeFence(byte[] domain) {
                                return step.takeFence(domain);
                            }

                            @Override
                            public DurableStep.Outcome commit(
                                    byte[] domain, long fence, WriteBatch batch) {
                                if (remaining.getAndDecrement() <= 0) {
                                    throw StoreFailures.unreachable(
                                            "the test's", new IOException());
                                }
                                return step.commit(domain, fence, batch);
                            }
                        };
                    }
                };
        Mails.Scripted server = new Mails.Scripted();
        try (Mails mails = new Mails(store, server, MailLimits.DEFAULT)) {
            mails.outbox.resume(PROJECT);
            remaining.set(1);
            MailMessage large = withFile(new byte[3 << 20]);
            assertThatThrownBy(() -> mails.outbox.send(PROJECT, large))
                    .isInstanceOf(PetrichorException.class);
            assertThat(mails.outbox.list(PROJECT)).isEmpty();
            mails.runWork();
            assertThat(server.contents).isEmpty();
        }
    }

    @Test
    void aDeferredMailIsSentAgainWithGrowingPauses() {
        Mails.Scripted server =
                new Mails.Scripted(new Outcome.Deferred("busy"), new Outcome.Deferred("busy"));
        try (Mails mails = new Mails(server)) {
            mails.outbox.send(PROJECT, message());
            mails.runWork();
            assertThat(server.contents).hasSize(1);
            assertThat(mails.outbox.list(PROJECT).getFirst().state().note()).isEqualTo("busy");
            mails.clock.advance(Duration.ofSeconds(59));
            later(mails);
            assertThat(server.contents).hasSize(1);
            mails.clock.advance(Duration.ofSeconds(1));
            later(mails);
            assertThat(server.contents).hasSize(2);
            mails.clock.advance(Duration.ofSeconds(119));
            later(mails);
            assertThat(server.contents).hasSize(2);
            mails.clock.advance(Duration.ofSeconds(1));
            later(mails);
            assertThat(server.contents).hasSize(3);
            assertThat(server.contents.getLast()).isEqualTo(server.contents.getFirst());
            assertThat(mails.outbox.list(PROJECT)).isEmpty();
        }
        assertThat(MailLimits.pause(30)).isEqualTo(MailLimits.RETRY_MAX);
    }

    private static void later(Mails mails) {
        mails.outbox.deliverDue();
        mails.runWork();
    }

    @Test
    void aRejectedMailIsKeptAndNotSentAgain() {
        Mails.Scripted server = new Mails.Scripted(new Outcome.Rejected("no such user"));
        try (Mails mails = new Mails(server)) {
            mails.outbox.send(PROJECT, message());
            mails.runWork();
            mails.clock.advance(Duration.ofDays(2));
            later(mails);
            assertThat(server.contents).hasSize(1);
            assertThat(mails.outbox.list(PROJECT).getFirst().is(State.FAILED)).isTrue();
        }
    }

    @Test
    void aMailThatIsDeferredForADayHasFailed() {
        Outcome[] busy = new Outcome[100];
        Arrays.fill(busy, new Outcome.Deferred("busy"));
        Mails.Scripted server = new Mails.Scripted(busy);
        try (Mails mails = new Mails(server)) {
            mails.outbox.send(PROJECT, message());
            mails.runWork();
            for (int hour = 0; hour < 48; hour++) {
                mails.clock.advance(Duration.ofHours(1));
                later(mails);
            }
            assertThat(server.contents).hasSizeBetween(24, 30);
            assertThat(mails.outbox.list(PROJECT).getFirst().is(State.FAILED)).isTrue();
        }
    }

    @Test
    void withoutAServerTheNewestMailsAreKept() {
        MailLimits limits = new MailLimits(1000, 10, 3);
        try (Mails mails = new Mails(MemoryStore.open(), null, limits)) {
            for (int i = 0; i < 5; i++) {
                mails.outbox.send(PROJECT, message("bot@demo.appspotmail.com", i + "@example.com"));
            }
            List<StoredMail> kept = mails.outbox.list(PROJECT);
            assertThat(kept)
                    .extracting(mail -> mail.envelope().recipients().getFirst())
                    .containsExactly("2@example.com", "3@example.com", "4@example.com");
            assertThat(mails.outbox.content(PROJECT, kept.getLast().id())).isPresent();
            assertThat(mails.outbox.content("other", kept.getLast().id())).isEmpty();
            assertThat(mails.outbox.list("other")).isEmpty();
        }
    }

    @Test
    void contentsWithoutAHeadAreRemoved(@TempDir Path folder) {
        long id;
        try (Mails mails =
                new Mails(RocksStore.open(folder), new Mails.Scripted(), MailLimits.DEFAULT)) {
            id = mails.outbox.send(PROJECT, withFile(new byte[1 << 20])).id();
        }
        // The state after a crash between two commits of a mail.
        try (RocksStore store = RocksStore.open(folder)) {
            try (var databases = new petrichor.transactions.databases.RowDatabases(store)) {
                MailRows rows = new MailRows(databases.open(PROJECT));
                StoredMail mail = rows.head(id).orElseThrow();
                rows.removeRemains(rows.heads());
                assertThat(rows.content(mail)).isPresent();
                rows.removeRemains(List.of());
                assertThat(rows.content(mail)).isEmpty();
            }
        }
    }

    @Test
    void anAppCannotSendTooManyMails() {
        try (Mails mails =
                new Mails(MemoryStore.open(), new Mails.Scripted(), new MailLimits(2, 10, 10))) {
            mails.outbox.send(PROJECT, message());
            mails.outbox.send(PROJECT, message());
            isExhausted(mails, PROJECT);
            mails.outbox.send("other", message("bot@other.appspotmail.com", "you@example.com"));
            mails.clock.advance(Duration.ofSeconds(31));
            mails.outbox.send(PROJECT, message());
        }
        try (Mails mails =
                new Mails(MemoryStore.open(), new Mails.Scripted(), new MailLimits(1000, 2, 10))) {
            mails.outbox.send(PROJECT, message());
            mails.outbox.send(PROJECT, message());
            isExhausted(mails, PROJECT);
        }
    }

    private static void isExhausted(Mails mails, String project) {
        assertThatThrownBy(() -> mails.outbox.send(project, message()))
                .isInstanceOfSatisfying(
                        PetrichorException.class,
                        failed ->
                                assertThat(failed.code()).isEqualTo(ErrorCode.RESOURCE_EXHAUSTED));
    }

    @Test
    void administratorsAreThoseOfTheApp() {
        try (Mails mails = new Mails(new Mails.Scripted())) {
            assertThatThrownBy(() -> mails.outbox.sendToAdmins(PROJECT, message()))
                    .isInstanceOf(MailProblem.class);
            mails.admins.add("admin@example.com");
            StoredMail mail = mails.outbox.sendToAdmins(PROJECT, message());
            assertThat(mail.envelope().recipients()).containsExactly("admin@example.com");
        }
    }

    @Test
    void aMessageEndsAtTheLimit() {
        try (Mails mails = new Mails(new Mails.Scripted())) {
            // Base64 adds a third, and line breaks.
            mails.outbox.send(PROJECT, withFile(new byte[23 << 20]));
            assertThatThrownBy(() -> mails.outbox.send(PROJECT, withFile(new byte[25 << 20])))
                    .isInstanceOf(MailProblem.class);
            assertThat(mails.outbox.list(PROJECT)).hasSize(1);
        }
    }

    private static MailMessage withFile(byte[] data) {
        MailMessage plain = message();
        return new MailMessage(
                plain.addresses(),
                plain.subject(),
                plain.bodies(),
                List.of(new MailMessage.Attachment("data.bin", data, Optional.empty())),
                List.of());
    }
}
