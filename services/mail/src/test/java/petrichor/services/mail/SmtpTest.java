package petrichor.services.mail;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static petrichor.services.mail.Mails.PROJECT;

import com.icegreen.greenmail.util.GreenMail;
import com.icegreen.greenmail.util.ServerSetup;
import jakarta.mail.Multipart;
import jakarta.mail.internet.MimeMessage;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import petrichor.base.MemoryBudget;
import petrichor.services.mail.MailTransport.Outcome;
import petrichor.services.mail.SmtpSettings.Login;
import petrichor.services.mail.SmtpSettings.Security;

/** Against real SMTP servers. */
@Timeout(120)
final class SmtpTest {
    private static final StoredMail.Envelope ENVELOPE =
            new StoredMail.Envelope("bot@demo.appspotmail.com", List.of("you@example.com"));

    @Test
    void aMailArrivesWithAllItsParts() throws Exception {
        try (Server server = Server.start();
                Mails mails = new Mails(new SmtpTransport(server.settings(Optional.empty())))) {
            mails.outbox.send(
                    PROJECT,
                    new MailMessage(
                            new MailMessage.Addresses(
                                    "Der Bötchen <bot@demo.appspotmail.com>",
                                    Optional.of("reply@example.com"),
                                    List.of("You <you@example.com>"),
                                    List.of("copy@example.com"),
                                    List.of("blind@example.com")),
                            "Grüße",
                            new MailMessage.Bodies(
                                    Optional.of("text ü"),
                                    Optional.of("<html amp4email></html>"),
                                    Optional.of("<b>html</b>")),
                            List.of(
                                    new MailMessage.Attachment(
                                            "übung.png",
                                            new byte[] {1, 2, 3},
                                            Optional.of("<image>"))),
                            List.of(new MailMessage.Header("In-Reply-To", "<1@example.com>"))));
            mails.runWork();
            MimeMessage[] received = server.mail.getReceivedMessages();
            assertThat(received).as("one per recipient").hasSize(3);
            MimeMessage one = received[0];
            assertThat(one.getSubject()).isEqualTo("Grüße");
            assertThat(one.getFrom()[0].toString()).contains("bot@demo.appspotmail.com");
            assertThat(one.getReplyTo()[0].toString()).isEqualTo("reply@example.com");
            assertThat(one.getHeader("In-Reply-To")).containsExactly("<1@example.com>");
            assertThat(one.getHeader("Bcc")).isNull();
            assertThat(one.getMessageID()).endsWith("@demo.appspotmail.com>");
            Multipart parts = (Multipart) one.getContent();
            Multipart alternatives = (Multipart) parts.getBodyPart(0).getContent();
            assertThat(alternatives.getBodyPart(0).getContent()).isEqualTo("text ü");
            assertThat(alternatives.getBodyPart(1).getContentType()).startsWith("text/x-amp-html");
            assertThat(alternatives.getBodyPart(2).getContent()).isEqualTo("<b>html</b>");
            assertThat(parts.getBodyPart(1).getContentType()).startsWith("image/png");
            assertThat(parts.getBodyPart(1).getInputStream().readAllBytes())
                    .containsExactly(1, 2, 3);
            assertThat(mails.outbox.list(PROJECT)).isEmpty();
        }
    }

    @Test
    void theServerMayAskForALogin() {
        try (Server server = Server.start()) {
            server.mail.setUser("bot", "bot", "secret");
            server.mail.getUserManager().setAuthRequired(true);
            byte[] content = "Subject: Hello\r\n\r\nhello\r\n".getBytes(StandardCharsets.US_ASCII);
            Login right = new Login("bot", "secret");
            assertThat(
                            new SmtpTransport(server.settings(Optional.of(right)))
                                    .send(ENVELOPE, content))
                    .isInstanceOf(Outcome.Sent.class);
            Login wrong = new Login("bot", "wrong");
            assertThat(
                            new SmtpTransport(server.settings(Optional.of(wrong)))
                                    .send(ENVELOPE, content))
                    .isInstanceOf(Outcome.Deferred.class);
            assertThat(wrong.toString()).doesNotContain("wrong");
        }
    }

    @Test
    void aMissingServerDefersAndRequiredEncryptionIsNotSkipped() {
        byte[] content = "Subject: Hello\r\n\r\nhello\r\n".getBytes(StandardCharsets.US_ASCII);
        int port;
        try (Server server = Server.start()) {
            port = server.port();
            SmtpSettings encrypted =
                    new SmtpSettings("127.0.0.1", port, Security.STARTTLS, Optional.empty());
            assertThat(new SmtpTransport(encrypted).send(ENVELOPE, content))
                    .isInstanceOf(Outcome.Deferred.class);
            assertThat(server.mail.getReceivedMessages()).isEmpty();
        }
        SmtpSettings gone = new SmtpSettings("127.0.0.1", port, Security.NONE, Optional.empty());
        assertThat(new SmtpTransport(gone).send(ENVELOPE, content))
                .isInstanceOf(Outcome.Deferred.class);
    }

    @Test
    void repliesOfTheServerDecideWhetherToTryAgain() {
        byte[] content = "Subject: Hello\r\n\r\nhello\r\n".getBytes(StandardCharsets.US_ASCII);
        List<String> taken = new ArrayList<>();
        try (Inbox server = inbox(taken, true)) {
            SmtpTransport transport =
                    new SmtpTransport(
                            new SmtpSettings(
                                    "127.0.0.1", server.port(), Security.NONE, Optional.empty()));
            assertThat(transport.send(ENVELOPE, content)).isInstanceOf(Outcome.Rejected.class);
            StoredMail.Envelope both =
                    new StoredMail.Envelope(
                            "a@b.example", List.of("nobody@example.com", "bot@demo.apps.example"));
            assertThat(transport.send(both, content))
                    .isInstanceOfSatisfying(
                            Outcome.Sent.class,
                            sent ->
                                    assertThat(sent.refused())
                                            .containsExactly("nobody@example.com"));
            assertThat(taken).containsExactly("demo bot@demo.apps.example");
        }
        try (Inbox server = inbox(taken, false)) {
            SmtpTransport transport =
                    new SmtpTransport(
                            new SmtpSettings(
                                    "127.0.0.1", server.port(), Security.NONE, Optional.empty()));
            assertThat(
                            transport.send(
                                    new StoredMail.Envelope(
                                            "a@b.example", List.of("bot@demo.apps.example")),
                                    content))
                    .isInstanceOf(Outcome.Deferred.class);
        }
    }

    @Test
    void theInboxIsNoRelayAndBoundsMails() {
        List<String> taken = new ArrayList<>();
        MemoryBudget small = MemoryBudget.of("test", 1 << 20);
        try (Inbox server = inbox(taken, true, small)) {
            SmtpTransport transport =
                    new SmtpTransport(
                            new SmtpSettings(
                                    "127.0.0.1", server.port(), Security.NONE, Optional.empty()));
            for (String address :
                    List.of(
                            "you@example.com",
                            "bot@unknown.apps.example",
                            "bot@apps.example",
                            "bot@x.demo.apps.example")) {
                assertThat(
                                transport.send(
                                        new StoredMail.Envelope("a@b.example", List.of(address)),
                                        new byte[10]))
                        .as(address)
                        .isInstanceOf(Outcome.Rejected.class);
            }
            assertThat(
                            transport.send(
                                    new StoredMail.Envelope(
                                            "a@b.example", List.of("bot@demo.apps.example")),
                                    ("Subject: Large\r\n\r\n" + "a".repeat(70) + "\r\n")
                                            .concat("b\r\n".repeat(400_000))
                                            .getBytes(StandardCharsets.US_ASCII)))
                    .isInstanceOf(Outcome.Deferred.class);
            assertThat(taken).isEmpty();
            assertThat(small.bytesUsed()).isZero();
        }
        assertThatThrownBy(() -> new MailLimits(0, 1, 1))
                .isInstanceOf(IllegalArgumentException.class);
    }

    private static Inbox inbox(List<String> taken, boolean takes) {
        return inbox(taken, takes, MemoryBudget.unlimited());
    }

    private static Inbox inbox(List<String> taken, boolean takes, MemoryBudget memory) {
        return Inbox.start(
                new InboxSettings(InetAddress.getLoopbackAddress(), 0, List.of("apps.example"), 10),
                new Inbox.Delivery() {
                    @Override
                    public boolean accepts(String project) {
                        return project.equals("demo");
                    }

                    @Override
                    public boolean deliver(String project, String address, byte[] message) {
                        if (takes) {
                            taken.add(project + " " + address);
                        }
                        return takes;
                    }
                },
                memory);
    }

    /** GreenMail on a free port. */
    private record Server(GreenMail mail) implements AutoCloseable {
        static Server start() {
            GreenMail mail =
                    new GreenMail(new ServerSetup(0, "127.0.0.1", ServerSetup.PROTOCOL_SMTP));
            mail.start();
            return new Server(mail);
        }

        int port() {
            return mail.getSmtp().getPort();
        }

        SmtpSettings settings(Optional<Login> login) {
            return new SmtpSettings("127.0.0.1", port(), Security.NONE, login);
        }

        @Override
        public void close() {
            mail.stop();
        }
    }
}
