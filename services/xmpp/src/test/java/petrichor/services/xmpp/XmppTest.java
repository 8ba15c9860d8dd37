package petrichor.services.xmpp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.jivesoftware.smack.packet.Message;
import org.jivesoftware.smack.packet.Presence;
import org.jivesoftware.smack.packet.StanzaError;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petrichor.base.ErrorCode;
import petrichor.base.MemoryBudget;
import petrichor.base.PetrichorException;
import petrichor.base.TimeSource;
import petrichor.services.xmpp.OutgoingMessage.Body;
import petrichor.services.xmpp.OutgoingMessage.Status;
import petrichor.services.xmpp.XmppProblem.Reason;
import petrichor.testing.process.ProsodyServer;

/** With a real server, Prosody, and users with ordinary clients. */
class XmppTest {
    private static final String DEMO = "demo@" + ProsodyServer.DOMAIN;
    private static final String ANN = "ann@" + ProsodyServer.DOMAIN;

    private final ExecutorService workers = Executors.newVirtualThreadPerTaskExecutor();
    private final LinkedBlockingQueue<IncomingStanza> delivered = new LinkedBlockingQueue<>();
    private final AtomicInteger refusals = new AtomicInteger();
    private final List<AutoCloseable> opened = new ArrayList<>();
    @TempDir private Path folder;
    private ProsodyServer prosody;
    private Xmpp xmpp;

    @BeforeEach
    void start() {
        assumeTrue(
                ProsodyServer.installed() || System.getenv("CI") != null,
                "install the package prosody");
        prosody = opened(ProsodyServer.in(folder.resolve("prosody")));
        xmpp = opened(xmpp(settings(prosody), XmppLimits.DEFAULT, MemoryBudget.unlimited()));
    }

    private static XmppSettings settings(ProsodyServer server) {
        return settings(server, XmppSettings.Security.NONE, Optional.empty());
    }

    private static XmppSettings settings(ProsodyServer server, TestCertificate trusted) {
        return settings(
                server, XmppSettings.Security.STARTTLS, Optional.of(trusted.tls().certificate()));
    }

    private static XmppSettings settings(
            ProsodyServer server, XmppSettings.Security security, Optional<Path> trusted) {
        return new XmppSettings(
                "127.0.0.1",
                server.port(),
                ProsodyServer.DOMAIN,
                security,
                new XmppSettings.Login(ProsodyServer.ADMIN, ProsodyServer.PASSWORD),
                trusted);
    }

    private Xmpp xmpp(XmppSettings settings, XmppLimits limits, MemoryBudget memory) {
        return new Xmpp(
                settings,
                limits,
                (_, stanza) -> refusals.getAndDecrement() <= 0 && delivered.add(stanza),
                memory,
                TimeSource.SYSTEM,
                workers);
    }

    private <T extends AutoCloseable> T opened(T one) {
        opened.add(one);
        return one;
    }

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable one : opened.reversed()) {
            one.close();
        }
        workers.shutdownNow();
    }

    private User user(String name) throws Exception {
        return opened(User.register(settings(prosody), name));
    }

    private static OutgoingMessage message(String body, String... recipients) {
        return new OutgoingMessage(
                List.of(recipients), new Body.Text(body), "chat", Optional.empty());
    }

    private IncomingStanza next(IncomingStanza.Kind kind) throws InterruptedException {
        while (true) {
            IncomingStanza stanza = delivered.poll(1, TimeUnit.MINUTES);
            assertThat(stanza).as("a stanza of kind %s", kind).isNotNull();
            if (stanza.kind() == kind) {
                return stanza;
            }
        }
    }

    private static void await(BooleanSupplier condition) {
        Instant end = Instant.now().plus(Duration.ofMinutes(1));
        while (!condition.getAsBoolean()) {
            assertThat(Instant.now()).isBefore(end);
            Thread.onSpinWait();
        }
    }

    private void connect(String project) {
        await(
                () -> {
                    xmpp.keep(Set.of(project), _ -> true);
                    return xmpp.metrics().connected() > 0;
                });
    }

    @Test
    void anAppAndAUserTalk() throws Exception {
        User ann = user("ann");
        assertThat(xmpp.send("demo", message("hello <ann> & \"co\" 🌧", ANN)))
                .containsExactly(Status.SENT);
        Message received = ann.message();
        assertThat(received.getBody()).isEqualTo("hello <ann> & \"co\" 🌧");
        assertThat(received.getFrom().toString()).isEqualTo(DEMO + "/bot");
        assertThat(received.getType()).isEqualTo(Message.Type.chat);

        ann.write(DEMO, "good evening\n<demo/>");
        IncomingStanza answer = next(IncomingStanza.Kind.MESSAGE);
        assertThat(answer.content().body()).contains("good evening\n<demo/>");
        assertThat(answer.from()).startsWith(ANN + "/");
        assertThat(answer.to()).isEqualTo(DEMO);
        assertThat(answer.xml()).startsWith("<message").contains("good evening");
    }

    @Test
    void aReceivingAppIsConnectedWithoutACall() throws Exception {
        User ann = user("ann");
        connect("demo");
        ann.write(DEMO + "/bot", "one");
        ann.write(DEMO + "/bot", "two");
        assertThat(next(IncomingStanza.Kind.MESSAGE).content().body()).contains("one");
        assertThat(next(IncomingStanza.Kind.MESSAGE).content().body()).contains("two");
    }

    @Test
    void everyRecipientHasAStatus() throws Exception {
        User ann = user("ann");
        assertThat(xmpp.send("demo", message("hi", "not an address", ANN, "", "apps.test")))
                .containsExactly(
                        Status.INVALID_ADDRESS,
                        Status.SENT,
                        Status.INVALID_ADDRESS,
                        Status.INVALID_ADDRESS);
        assertThat(ann.message().getBody()).isEqualTo("hi");
        assertThat(xmpp.metrics().sent()).isEqualTo(1);
    }

    @Test
    void aMessageToAnUnknownUserReturnsAsAnError() throws Exception {
        xmpp.send("demo", message("hi", "missing@" + ProsodyServer.DOMAIN));
        IncomingStanza error = next(IncomingStanza.Kind.ERROR);
        assertThat(error.from()).isEqualTo("missing@" + ProsodyServer.DOMAIN);
        assertThat(error.xml()).contains("service-unavailable");
    }

    @Test
    void rawXmlBecomesPartOfTheMessage() throws Exception {
        User ann = user("ann");
        xmpp.send(
                "demo",
                new OutgoingMessage(
                        List.of(ANN),
                        new Body.Xml("<body>plain</body><x xmlns='jabber:x:oob'><url>u</url></x>"),
                        "normal",
                        Optional.empty()));
        Message received = ann.message();
        assertThat(received.getBody()).isEqualTo("plain");
        assertThat(received.getType()).isEqualTo(Message.Type.normal);
        assertThat(received.toXML().toString()).contains("jabber:x:oob");
    }

    @Test
    void anInvitedUserShowsItsPresence() throws Exception {
        User ann = user("ann");
        assertThat(xmpp.presences("demo", List.of(ANN, "no address"), Optional.empty()))
                .containsExactly(new ContactPresence.Unavailable(), new ContactPresence.Invalid());
        xmpp.invite("demo", ANN, Optional.empty());
        next(IncomingStanza.Kind.SUBSCRIBED);
        ann.show(Presence.Mode.dnd, "in a meeting");
        IncomingStanza shown = next(IncomingStanza.Kind.AVAILABLE);
        while (shown.content().status().isEmpty()) {
            shown = next(IncomingStanza.Kind.AVAILABLE);
        }
        assertThat(shown.content().show()).contains("dnd");
        assertThat(shown.content().status()).contains("in a meeting");
        assertThat(xmpp.presences("demo", List.of(ANN, shown.from()), Optional.empty()))
                .containsOnly(new ContactPresence.Available(ContactPresence.Show.DO_NOT_DISTURB));
        ann.close();
        next(IncomingStanza.Kind.UNAVAILABLE);
        assertThat(xmpp.presences("demo", List.of(ANN), Optional.empty()))
                .containsExactly(new ContactPresence.Unavailable());
    }

    @Test
    void usersSubscribeToTheApp() throws Exception {
        User ann = user("ann");
        connect("demo");
        ann.presence(DEMO, Presence.Type.subscribe);
        next(IncomingStanza.Kind.SUBSCRIBE);
        ann.presence(DEMO, Presence.Type.subscribed);
        xmpp.sendPresence(
                "demo", new OutgoingPresence(ANN, "", "away", "resting", Optional.empty()));
        Presence seen = ann.seen(DEMO, Presence.Type.available);
        while (seen.getStatus() == null) {
            seen = ann.seen(DEMO, Presence.Type.available);
        }
        assertThat(seen.getMode()).isEqualTo(Presence.Mode.away);
        assertThat(seen.getStatus()).isEqualTo("resting");
        ann.presence(DEMO, Presence.Type.unsubscribe);
        next(IncomingStanza.Kind.UNSUBSCRIBE);
    }

    @Test
    void invalidCallsAreRefused() {
        assertRefused(Reason.NO_BODY, () -> xmpp.send("demo", message("", ANN)));
        assertRefused(
                Reason.EXCEEDED_MAX_SIZE,
                () -> xmpp.send("demo", message("é".repeat(51_201), ANN)));
        assertRefused(Reason.INVALID_XML, () -> xmpp.send("demo", message("a\u0000", ANN)));
        assertRefused(Reason.INVALID_XML, () -> xmpp.send("demo", message("\uD800", ANN)));
        String[] many = new String[XmppLimits.RECIPIENTS_MAX + 1];
        java.util.Arrays.fill(many, ANN);
        assertRefused(Reason.EXCEEDED_MAX_SIZE, () -> xmpp.send("demo", message("hi", many)));
        assertRefused(
                Reason.INVALID_TYPE,
                () ->
                        xmpp.send(
                                "demo",
                                new OutgoingMessage(
                                        List.of(ANN),
                                        new Body.Text("hi"),
                                        "shout",
                                        Optional.empty())));
        assertRefused(Reason.INVALID_JID, () -> xmpp.invite("demo", "ann", Optional.empty()));
        assertRefused(
                Reason.INVALID_SHOW,
                () ->
                        xmpp.sendPresence(
                                "demo",
                                new OutgoingPresence(ANN, "", "bored", "", Optional.empty())));
        assertRefused(
                Reason.INVALID_TYPE,
                () ->
                        xmpp.sendPresence(
                                "demo",
                                new OutgoingPresence(ANN, "absent", "", "", Optional.empty())));
    }

    @Test
    void rawXmlCannotLeaveItsMessage() throws Exception {
        for (String attack :
                List.of(
                        "</message><message to='bob@apps.test'><body>x</body>",
                        "</raw><raw>",
                        "<body>",
                        "<!DOCTYPE x><body/>",
                        "<body>&lol;</body>",
                        "<stream:error/>",
                        "<?xml version='1.0'?><body/>",
                        "<?php ?><body/>",
                        "<!-- --><body/>",
                        "text",
                        "<a>".repeat(40) + "</a>".repeat(40))) {
            assertRefused(
                    Reason.INVALID_XML,
                    () ->
                            xmpp.send(
                                    "demo",
                                    new OutgoingMessage(
                                            List.of(ANN),
                                            new Body.Xml(attack),
                                            "chat",
                                            Optional.empty())));
        }
        User ann = user("ann");
        xmpp.send("demo", message("still connected", ANN));
        assertThat(ann.message().getBody()).isEqualTo("still connected");
    }

    @Test
    void anAppSendsUnderItsOwnAddressOnly() throws Exception {
        User ann = user("ann");
        Optional<String> other = Optional.of("other@" + ProsodyServer.DOMAIN);
        assertRefused(Reason.INVALID_JID, () -> xmpp.invite("demo", ANN, other));
        assertRefused(Reason.INVALID_JID, () -> xmpp.presences("demo", List.of(ANN), other));
        assertRefused(
                Reason.INVALID_JID,
                () -> xmpp.sendPresence("demo", new OutgoingPresence(ANN, "", "", "", other)));
        assertRefused(
                Reason.INVALID_JID,
                () ->
                        xmpp.send(
                                "demo",
                                new OutgoingMessage(
                                        List.of(ANN), new Body.Text("x"), "chat", other)));
        xmpp.send(
                "demo",
                new OutgoingMessage(
                        List.of(ANN), new Body.Text("own"), "chat", Optional.of(DEMO + "/bot")));
        assertThat(ann.message().getBody()).isEqualTo("own");
    }

    @Test
    void aFailingAppIsTriedAgain() throws Exception {
        User ann = user("ann");
        connect("demo");
        refusals.set(2);
        ann.write(DEMO, "again");
        assertThat(next(IncomingStanza.Kind.MESSAGE).content().body()).contains("again");
    }

    @Test
    void theSenderLearnsThatTheAppDidNotAccept() throws Exception {
        User ann = user("ann");
        connect("demo");
        refusals.set(1000);
        ann.write(DEMO, "lost");
        Message error = ann.message();
        assertThat(error.getType()).isEqualTo(Message.Type.error);
        assertThat(error.getError().getCondition())
                .isEqualTo(StanzaError.Condition.recipient_unavailable);
        assertThat(xmpp.metrics().refused()).isPositive();
    }

    @Test
    void stanzasBeyondTheMemoryAreRefused() throws Exception {
        Xmpp small =
                opened(
                        xmpp(
                                settings(prosody),
                                XmppLimits.DEFAULT,
                                MemoryBudget.of("test", 50_000)));
        User ann = user("ann");
        await(
                () -> {
                    small.keep(Set.of("tiny"), _ -> true);
                    return small.metrics().connected() > 0;
                });
        ann.write("tiny@" + ProsodyServer.DOMAIN, "x".repeat(20_000));
        assertThat(ann.message().getError().getCondition())
                .isEqualTo(StanzaError.Condition.resource_constraint);
        ann.write("tiny@" + ProsodyServer.DOMAIN, "short");
        assertThat(next(IncomingStanza.Kind.MESSAGE).content().body()).contains("short");
    }

    @Test
    void theRateOfAnAppIsLimited() throws Exception {
        Xmpp slow = opened(xmpp(settings(prosody), new XmppLimits(2), MemoryBudget.unlimited()));
        assertThat(slow.send("slow", message("hi", ANN, ANN))).hasSize(2);
        assertThatThrownBy(() -> slow.send("slow", message("hi", ANN)))
                .isInstanceOfSatisfying(
                        PetrichorException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.RESOURCE_EXHAUSTED));
        assertThat(slow.send("another", message("hi", ANN))).hasSize(1);
    }

    @Test
    void theConnectionReturnsAfterACrashOfTheServer() throws Exception {
        user("ann").close();
        xmpp.send("demo", message("before", ANN));
        prosody.kill();
        await(() -> xmpp.metrics().connected() == 0);
        assertThatThrownBy(() -> xmpp.send("demo", message("while it is down", ANN)))
                .isInstanceOfSatisfying(
                        PetrichorException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.UNAVAILABLE));
        prosody.start();
        connect("demo");
        User ann = opened(User.signIn(settings(prosody), "ann", User.PASSWORD));
        assertThat(xmpp.send("demo", message("after", ANN))).containsExactly(Status.SENT);
        Message received = ann.message();
        while (!"after".equals(received.getBody())) {
            received = ann.message(); // stored while ann was away
        }
    }

    @Test
    void aMessageThatIsNotAcknowledgedHasFailed() throws Exception {
        connect("demo");
        prosody.pause();
        try {
            assertThat(xmpp.send("demo", message("hi", ANN))).containsExactly(Status.FAILED);
        } finally {
            prosody.resume();
        }
    }

    @Test
    void anAppThatMovedAwayIsDisconnected() {
        connect("demo");
        await(
                () -> {
                    xmpp.keep(Set.of("demo"), _ -> false);
                    return xmpp.metrics().connected() == 0;
                });
    }

    @Test
    void theAccountOfAUserIsNeverTaken() throws Exception {
        user("ann");
        assertThatThrownBy(() -> xmpp.send("ann", message("hi", ANN)))
                .isInstanceOfSatisfying(
                        PetrichorException.class,
                        e -> {
                            assertThat(e.code()).isEqualTo(ErrorCode.FAILED_PRECONDITION);
                            assertThat(e).hasMessageContaining("exists with another password");
                        });
        opened(User.signIn(settings(prosody), "ann", User.PASSWORD));
    }

    @Test
    void aProjectWithADomainHasAnEscapedAddress() throws Exception {
        User ann = user("ann");
        xmpp.send("example.com:shop", message("hi", ANN));
        assertThat(ann.message().getFrom().toString())
                .isEqualTo("example.com\\3ashop@" + ProsodyServer.DOMAIN + "/bot");
    }

    @Test
    void connectionsAreEncryptedAndVerified() throws Exception {
        TestCertificate certificate = TestCertificate.of(folder, ProsodyServer.DOMAIN);
        ProsodyServer secure =
                opened(ProsodyServer.in(folder.resolve("secure"), Optional.of(certificate.tls())));
        Xmpp encrypted =
                opened(
                        xmpp(
                                settings(secure, certificate),
                                XmppLimits.DEFAULT,
                                MemoryBudget.unlimited()));
        assertThat(encrypted.send("demo", message("hi", DEMO))).containsExactly(Status.SENT);

        TestCertificate other = TestCertificate.of(folder, "other.test");
        ProsodyServer wrong =
                opened(ProsodyServer.in(folder.resolve("wrong"), Optional.of(other.tls())));
        Xmpp deceived =
                opened(xmpp(settings(wrong, other), XmppLimits.DEFAULT, MemoryBudget.unlimited()));
        assertThatThrownBy(() -> deceived.send("demo", message("hi", DEMO)))
                .isInstanceOf(PetrichorException.class);

        Xmpp untrusting =
                opened(
                        xmpp(
                                settings(secure, XmppSettings.Security.STARTTLS, Optional.empty()),
                                XmppLimits.DEFAULT,
                                MemoryBudget.unlimited()));
        assertThatThrownBy(() -> untrusting.send("demo", message("hi", DEMO)))
                .isInstanceOf(PetrichorException.class);
    }

    private static void assertRefused(
            Reason reason, org.assertj.core.api.ThrowableAssert.ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        XmppProblem.class,
                        problem -> assertThat(problem.reason()).isEqualTo(reason));
    }
}
