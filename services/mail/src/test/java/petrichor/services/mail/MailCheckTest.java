package petrichor.services.mail;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static petrichor.services.mail.Mails.message;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import petrichor.services.mail.MailProblem.Reason;

final class MailCheckTest {
    private final MailCheck check =
            new MailCheck(
                    new SenderRules(
                            project ->
                                    project.equals("demo")
                                            ? List.of("Admin@example.com")
                                            : List.of(),
                            List.of("news@example.com", "*@shop.example")));

    @ParameterizedTest
    @ValueSource(
            strings = {
                "bot@demo.appspotmail.com",
                "The Bot <bot@DEMO.appspotmail.com>",
                "admin@example.com",
                "news@example.com",
                "anything@shop.example"
            })
    void authorizedSendersMaySend(String sender) {
        assertThatCode(() -> check.check("demo", message(sender, "you@example.com")))
                .doesNotThrowAnyException();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "bot@other.appspotmail.com",
                "bot@xdemo.appspotmail.com",
                "bot@a.demo.appspotmail.com",
                "president@example.com",
                "\"admin@example.com\" <evil@example.net>",
                "x@notshop.example"
            })
    void othersMayNot(String sender) {
        assertThat(reason(message(sender, "you@example.com")))
                .isEqualTo(Reason.UNAUTHORIZED_SENDER);
    }

    @Test
    void anAdministratorOfAnotherAppMayNot() {
        try {
            check.check("other", message("admin@example.com", "you@example.com"));
        } catch (MailProblem problem) {
            assertThat(problem.reason()).isEqualTo(Reason.UNAUTHORIZED_SENDER);
            return;
        }
        throw new AssertionError("accepted");
    }

    @Test
    void aLineBreakCannotBeginAnotherField() {
        String injected = "you@example.com\r\nBcc: all@example.com";
        assertThat(reason(message("bot@demo.appspotmail.com", injected)))
                .isEqualTo(Reason.BAD_REQUEST);
        assertThat(reason(message("bot@demo.appspotmail.com\nX: y", "you@example.com")))
                .isEqualTo(Reason.BAD_REQUEST);
        assertThat(reason(with("Hello\r\nBcc: all@example.com", List.of(), List.of())))
                .isEqualTo(Reason.BAD_REQUEST);
        assertThat(
                        reason(
                                with(
                                        "Hello",
                                        List.of(),
                                        List.of(
                                                new MailMessage.Header(
                                                        "In-Reply-To",
                                                        "<1>\r\nBcc: a@b.example")))))
                .isEqualTo(Reason.BAD_REQUEST);
        assertThat(reason(with("Hello", List.of(file("a\r\nX: y.txt")), List.of())))
                .isEqualTo(Reason.BAD_REQUEST);
    }

    @Test
    void onlyPermittedFieldsAreSet() {
        assertThat(
                        reason(
                                with(
                                        "Hello",
                                        List.of(),
                                        List.of(new MailMessage.Header("Bcc", "a@b.example")))))
                .isEqualTo(Reason.INVALID_HEADER_NAME);
        assertThat(
                        reason(
                                with(
                                        "Hello",
                                        List.of(),
                                        List.of(new MailMessage.Header("From", "a@b.example")))))
                .isEqualTo(Reason.INVALID_HEADER_NAME);
        check.check(
                "demo",
                with("Hello", List.of(), List.of(new MailMessage.Header("in-reply-to", "<1@x>"))));
    }

    @ParameterizedTest
    @ValueSource(strings = {"a.exe", "a.EXE", "a.txt.bat", "a.exe.", "a.vbs  ", "", "..."})
    void programsAreNotSent(String name) {
        assertThat(reason(with("Hello", List.of(file(name)), List.of())))
                .isEqualTo(Reason.INVALID_ATTACHMENT_TYPE);
    }

    @ParameterizedTest
    @ValueSource(strings = {"README", "exe", ".profile", ".a.txt", "README."})
    void hiddenFilesAndFilesWithoutAnExtensionAreNotSent(String name) {
        assertThat(reason(with("Hello", List.of(file(name)), List.of())))
                .isEqualTo(Reason.INVALID_ATTACHMENT_TYPE);
    }

    @Test
    void otherFilesAre() {
        for (String name : List.of("a.pdf", "a.exe.txt", "übung.txt")) {
            check.check("demo", with("Hello", List.of(file(name)), List.of()));
        }
        assertThat(
                        reason(
                                with(
                                        "Hello",
                                        List.of(
                                                new MailMessage.Attachment(
                                                        "a.png", new byte[1], Optional.of("id"))),
                                        List.of())))
                .isEqualTo(Reason.INVALID_CONTENT_ID);
    }

    @Test
    void addressesMustBeAddresses() {
        for (String address :
                List.of(
                        "",
                        "you",
                        "you@",
                        "@example.com",
                        "a b@example.com",
                        "group: a@b.example;")) {
            assertThat(reason(message("bot@demo.appspotmail.com", address)))
                    .as(address)
                    .isEqualTo(Reason.BAD_REQUEST);
        }
        String[] many = new String[MailLimits.RECIPIENTS_MAX + 1];
        for (int i = 0; i < many.length; i++) {
            many[i] = i + "@example.com";
        }
        assertThat(reason(message("bot@demo.appspotmail.com", many))).isEqualTo(Reason.BAD_REQUEST);
    }

    private Reason reason(MailMessage message) {
        try {
            check.check("demo", message);
        } catch (MailProblem problem) {
            return problem.reason();
        }
        throw new AssertionError("accepted");
    }

    private static MailMessage.Attachment file(String name) {
        return new MailMessage.Attachment(name, new byte[1], Optional.empty());
    }

    private static MailMessage with(
            String subject, List<MailMessage.Attachment> files, List<MailMessage.Header> headers) {
        MailMessage plain = message();
        return new MailMessage(plain.addresses(), subject, plain.bodies(), files, headers);
    }
}
