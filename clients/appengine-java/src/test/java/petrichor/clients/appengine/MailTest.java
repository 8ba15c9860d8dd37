package petrichor.clients.appengine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.appengine.api.mail.MailService;
import com.google.appengine.api.mail.MailServiceFactory;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** {@code com.google.appengine.api.mail}. The server has no SMTP server, so mails are kept and shown on a page. */
class MailTest {
    private final App app = App.unique();
    private final MailService mail = MailServiceFactory.getMailService();

    private MailService.Message message() {
        String sender = "Bot <bot@" + app.project() + ".appspotmail.com>";
        return new MailService.Message(sender, "you@example.com", "Hello", "text");
    }

    private static String get(String path) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://" + App.server() + path)).build();
        return HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString()).body();
    }

    private static void post(String path, String json) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://" + App.server() + path))
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(json))
                .build();
        HttpResponse<String> response = HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
    }

    private String kept() throws Exception {
        return get("/petrichor/v1/mail?project=" + app.project());
    }

    @Test
    void aMailIsKeptWithAllItsParts() throws Exception {
        MailService.Message message = message();
        message.setTo("you@example.com", "other@example.com");
        message.setCc("copy@example.com");
        message.setBcc("blind@example.com");
        message.setReplyTo("reply@example.com");
        message.setHtmlBody("<b>html</b>");
        message.setAttachments(new MailService.Attachment(
                "a.txt", "attached".getBytes(StandardCharsets.UTF_8), "<part>"));
        message.setHeaders(new MailService.Header("In-Reply-To", "<1@example.com>"));
        app.run(() -> mail.send(message));
        assertThat(kept()).contains("you@example.com", "other@example.com", "copy@example.com", "blind@example.com");
        Matcher id = Pattern.compile("\"id\": *\"?([^\",}]+)").matcher(kept());
        assertThat(id.find()).isTrue();
        assertThat(get("/petrichor/v1/mail/" + app.project() + "/" + id.group(1)))
                .contains("In-Reply-To: <1@example.com>", "<b>html</b>", "Content-ID: <part>", "reply@example.com")
                .doesNotContain("blind@example.com");
    }

    @Test
    void whatIsRefused() throws Exception {
        app.run(() -> {
            MailService.Message foreign = message();
            foreign.setSender("you@example.com");
            assertThatThrownBy(() -> mail.send(foreign)).isInstanceOf(IllegalArgumentException.class);
            MailService.Message program = message();
            program.setAttachments(new MailService.Attachment("a.exe", new byte[] {1}));
            assertThatThrownBy(() -> mail.send(program)).isInstanceOf(IllegalArgumentException.class);
        });
        assertThat(kept()).doesNotContain("Hello");
    }

    @Test
    void administrators() throws Exception {
        String email = "admin@" + app.project() + ".example";
        post("/petrichor/v1/users", "{\"email\": \"" + email + "\", \"action\": \"add\"}");
        post(
                "/petrichor/v1/users",
                "{\"email\": \"" + email + "\", \"action\": \"grant\", \"project\": \"" + app.project() + "\"}");
        MailService.Message message = message();
        message.setTo();
        app.run(() -> mail.sendToAdmins(message));
        assertThat(kept()).contains(email);
    }
}
