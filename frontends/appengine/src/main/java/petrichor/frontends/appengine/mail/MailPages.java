package petrichor.frontends.appengine.mail;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import petrichor.frontends.http.Page;
import petrichor.services.mail.Outbox;
import petrichor.services.mail.StoredMail;

/**
 * {@code GET /petrichor/v1/mail?project=ID}: mails that wait, failed or were kept. {@code GET
 * /petrichor/v1/mail/ID/MAIL}: one of them with its bodies.
 */
public final class MailPages {
    private static final Gson JSON = new GsonBuilder().setPrettyPrinting().create();

    private final Outbox outbox;

    public MailPages(Outbox outbox) {
        this.outbox = outbox;
    }

    public List<Page> pages() {
        return List.of(
                new Page("GET", "/petrichor/v1/mail", Page.Access.READ, this::list),
                new Page(
                        "GET",
                        "/petrichor/v1/mail/{project}/{mail}",
                        Page.Access.ADMIN,
                        this::mail));
    }

    private Page.Answer list(Page.Request request) {
        String project = request.parameters().getOrDefault("project", "");
        if (project.isEmpty()) {
            return Page.Answer.text(400, "name an app: /petrichor/v1/mail?project=ID\n");
        }
        return Page.Answer.json(
                200,
                JSON.toJson(outbox.list(project).reversed().stream().map(MailPages::json).toList())
                        + "\n");
    }

    private static Map<String, Object> json(StoredMail mail) {
        Map<String, Object> json = new TreeMap<>();
        json.put("id", Long.toString(mail.id()));
        json.put("accepted", time(mail.acceptedMicros()));
        json.put("sender", mail.envelope().sender());
        json.put("recipients", mail.envelope().recipients());
        json.put("subject", mail.subject());
        json.put("bytes", mail.bytes());
        json.put("state", mail.state().state().name().toLowerCase(Locale.ROOT));
        json.put("attempts", mail.state().attempts());
        json.put("note", mail.state().note());
        if (mail.state().state() == StoredMail.State.QUEUED) {
            json.put("due", time(mail.state().dueMicros()));
        }
        return json;
    }

    private static String time(long micros) {
        return Instant.EPOCH.plus(micros, ChronoUnit.MICROS).toString();
    }

    private Page.Answer mail(Page.Request request) {
        String mail = request.inPath("mail");
        if (!mail.matches("[0-9]{1,18}")) {
            return Page.Answer.text(404, "no such mail\n");
        }
        // As text: a browser must not run what an app wrote.
        return outbox.content(request.inPath("project"), Long.parseLong(mail))
                .map(
                        content ->
                                Page.Answer.bytes(200, "text/plain; charset=utf-8", content)
                                        .with(
                                                Map.of(
                                                        "x-content-type-options",
                                                        "nosniff",
                                                        "content-security-policy",
                                                        "default-src 'none'")))
                .orElseGet(() -> Page.Answer.text(404, "no such mail\n"));
    }
}
