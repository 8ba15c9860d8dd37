package petrichor.frontends.appengine.mail;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.appengine.api.mail.MailServicePb.MailAttachment;
import com.google.appengine.api.mail.MailServicePb.MailHeader;
import com.google.appengine.api.mail.MailServicePb.MailMessage;
import com.google.appengine.api.mail.MailServicePb.MailServiceError.ErrorCode;
import com.google.protobuf.ByteString;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import petrichor.base.Cancellation;
import petrichor.base.MemoryBudget;
import petrichor.base.TimeSource;
import petrichor.frontends.appengine.CallingApp;
import petrichor.frontends.appengine.ServiceCall;
import petrichor.frontends.appengine.ServiceError;
import petrichor.kv.memory.MemoryStore;
import petrichor.services.mail.MailLimits;
import petrichor.services.mail.Outbox;
import petrichor.services.mail.SenderRules;
import petrichor.services.mail.StoredMail;
import petrichor.transactions.databases.RowDatabases;

final class MailApiTest {
    private final MemoryStore store = MemoryStore.open();
    private final RowDatabases databases = new RowDatabases(store);
    private final Outbox outbox =
            new Outbox(
                    databases::open,
                    Optional.empty(),
                    new SenderRules(_ -> List.of("admin@example.com"), List.of()),
                    MailLimits.DEFAULT,
                    MemoryBudget.unlimited(),
                    TimeSource.SYSTEM,
                    Runnable::run);
    private final MailApi service = new MailApi(outbox);

    @AfterEach
    void close() {
        databases.close();
        store.close();
    }

    @Test
    void aMailIsStoredWithAllItsParts() {
        call(
                "Send",
                message()
                        .addCc("copy@example.com")
                        .addBcc("blind@example.com")
                        .setHtmlBody("<b>hello</b>")
                        .addAttachment(
                                MailAttachment.newBuilder()
                                        .setFileName("a.txt")
                                        .setData(ByteString.copyFromUtf8("attached")))
                        .addHeader(MailHeader.newBuilder().setName("List-Id").setValue("<list>")));
        StoredMail mail = outbox.list("demo").getFirst();
        assertThat(mail.envelope().recipients())
                .containsExactly("you@example.com", "copy@example.com", "blind@example.com");
        assertThat(
                        new String(
                                outbox.content("demo", mail.id()).orElseThrow(),
                                StandardCharsets.UTF_8))
                .contains("hello", "<b>hello</b>", "filename=a.txt", "attached", "List-Id: <list>")
                .doesNotContain("blind@");
    }

    @Test
    void administratorsReplaceTheRecipients() {
        call("SendToAdmins", message());
        assertThat(outbox.list("demo").getFirst().envelope().recipients())
                .containsExactly("admin@example.com");
    }

    @Test
    void problemsHaveTheCodesOfTheApi() {
        assertThat(code(message().setSender("you@example.com")))
                .isEqualTo(ErrorCode.UNAUTHORIZED_SENDER_VALUE);
        assertThat(code(message().setSubject("a\nb"))).isEqualTo(ErrorCode.BAD_REQUEST_VALUE);
        assertThat(
                        code(
                                message()
                                        .addHeader(
                                                MailHeader.newBuilder()
                                                        .setName("X-Own")
                                                        .setValue("1"))))
                .isEqualTo(ErrorCode.INVALID_HEADER_NAME_VALUE);
        assertThat(
                        code(
                                message()
                                        .addAttachment(
                                                MailAttachment.newBuilder()
                                                        .setFileName("a.exe")
                                                        .setData(ByteString.EMPTY))))
                .isEqualTo(ErrorCode.INVALID_ATTACHMENT_TYPE_VALUE);
        assertThat(outbox.list("demo")).isEmpty();
    }

    private static MailMessage.Builder message() {
        return MailMessage.newBuilder()
                .setSender("bot@demo.appspotmail.com")
                .addTo("you@example.com")
                .setSubject("Greetings")
                .setTextBody("hello");
    }

    private void call(String method, MailMessage.Builder message) {
        assertThat(
                        service.call(
                                        new ServiceCall(
                                                method,
                                                message.build().toByteArray(),
                                                CallingApp.of("demo"),
                                                Cancellation.never()))
                                .join())
                .isEmpty();
    }

    private int code(MailMessage.Builder message) {
        try {
            call("Send", message);
        } catch (ServiceError error) {
            return error.code();
        }
        throw new AssertionError("accepted");
    }
}
