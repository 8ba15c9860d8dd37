package petrichor.services.mail;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import petrichor.base.ErrorCode;
import petrichor.base.MemoryBudget;
import petrichor.base.PetrichorException;
import petrichor.base.RateLimit;
import petrichor.base.TimeSource;
import petrichor.services.mail.MailProblem.Reason;
import petrichor.services.mail.StoredMail.Progress;
import petrichor.services.mail.StoredMail.State;
import petrichor.transactions.Database;

/**
 * Outgoing mail of all projects. {@link #send} returns when the mail is durable; it is then sent in
 * the background, again and again with growing pauses until the server has accepted or finally
 * refused it. A crash between the server's answer and our note of it sends a mail twice, with the
 * same Message-ID. Thread-safe.
 *
 * <p>Log records contain addresses and sizes, neither subjects nor bodies.
 */
public final class Outbox {
    private static final Logger LOG = LoggerFactory.getLogger(Outbox.class);
    private static final int MICROS = 1000;

    private final Function<String, Database> databases;
    private final Optional<MailTransport> transport;
    private final SenderRules senders;
    private final MailLimits limits;
    private final MemoryBudget memory;
    private final TimeSource time;
    private final Executor workers;
    private final ConcurrentHashMap<String, ProjectMails> projects = new ConcurrentHashMap<>();
    private final ConcurrentHashMap<String, RateLimit> rates = new ConcurrentHashMap<>();

    /**
     * @param databases the default database of a project
     * @param transport empty if no SMTP server is configured: mails are kept for inspection
     * @param memory for messages that are being encoded or sent
     * @param workers threads that may block
     */
    public Outbox(
            Function<String, Database> databases,
            Optional<MailTransport> transport,
            SenderRules senders,
            MailLimits limits,
            MemoryBudget memory,
            TimeSource time,
            Executor workers) {
        this.databases = databases;
        this.transport = transport;
        this.senders = senders;
        this.limits = limits;
        this.memory = memory;
        this.time = time;
        this.workers = workers;
    }

    /**
     * Accepts a message.
     *
     * @throws MailProblem if the message must not be sent
     */
    public StoredMail send(String project, MailMessage message) {
        MailCheck.Checked addresses = new MailCheck(senders).check(project, message);
        try (MemoryBudget.Reservation held = memory.reservation()) {
            if (!held.add(2 * size(message))) {
                throw exhausted();
            }
            return accept(project, message, addresses);
        }
    }

    /** Accepts a message to the administrators of the project, regardless of its recipients. */
    public StoredMail sendToAdmins(String project, MailMessage message) {
        List<String> admins = senders.admins().apply(project);
        if (admins.isEmpty()) {
            throw new MailProblem(
                    Reason.BAD_REQUEST,
                    "the app has no administrator; add one with petrichor user grant");
        }
        return send(project, message.with(message.addresses().withRecipients(admins)));
    }

    private static long size(MailMessage message) {
        long bytes = 10_000;
        for (MailMessage.Attachment file : message.attachments()) {
            bytes += 2L * file.data().length;
        }
        bytes += 3L * message.bodies().text().map(String::length).orElse(0);
        bytes += 3L * message.bodies().html().map(String::length).orElse(0);
        return bytes + 3L * message.bodies().amp().map(String::length).orElse(0);
    }

    private StoredMail accept(String project, MailMessage message, MailCheck.Checked addresses) {
        ProjectMails mails = mails(project);
        mails.requireCapacity();
        StoredMail mail;
        synchronized (mails) {
            long now = time.epochMicros();
            long id = mails.nextId(now);
            byte[] content = MimeText.of(project, id, now, message, addresses);
            mail =
                    new StoredMail(
                            id,
                            now,
                            new StoredMail.Envelope(
                                    addresses.sender().getAddress(), addresses.recipients()),
                            message.subject(),
                            content.length,
                            new Progress(
                                    transport.isPresent() ? State.QUEUED : State.KEPT, 0, now, ""));
            mails.insert(mail, content);
        }
        LOG.info(
                "mail {} of {}: from {} to {}, {} bytes, {}",
                mail.id(),
                project,
                mail.envelope().sender(),
                mail.envelope().recipients(),
                mail.bytes(),
                transport.isPresent() ? "queued" : "kept, since no SMTP server is configured");
        if (transport.isPresent()) {
            workers.execute(() -> deliver(project));
        } else {
            mails.limitInspected();
        }
        return mail;
    }

    /** Continues with the mails of a project after a start, or when its database came here. */
    public void resume(String project) {
        Database database = databases.apply(project);
        if (database.sequencedHere() && !mails(project).due(Long.MAX_VALUE).isEmpty()) {
            workers.execute(() -> deliver(project));
        }
    }

    /** Sends what is due, in the background. Call it every few seconds. */
    public void deliverDue() {
        long now = time.epochMicros();
        projects.forEach(
                (project, mails) -> {
                    if (!mails.due(now).isEmpty()) {
                        workers.execute(() -> deliver(project));
                    }
                });
    }

    /** Sends what is due, unless another thread does. */
    void deliver(String project) {
        MailTransport server = transport.orElse(null);
        if (server == null) {
            return;
        }
        try {
            ProjectMails mails = mails(project);
            if (!mails.rows().database().sequencedHere() || !mails.delivering().tryLock()) {
                return;
            }
            try {
                for (StoredMail mail : mails.due(time.epochMicros())) {
                    attempt(project, mails, mail, server);
                }
            } finally {
                mails.delivering().unlock();
            }
            if (!mails.due(time.epochMicros()).isEmpty()) {
                workers.execute(() -> deliver(project)); // accepted while we were sending
            }
        } catch (PetrichorException e) {
            LOG.warn("mails of {} wait: {}", project, e.getMessage());
        }
    }

    private void attempt(
            String project, ProjectMails mails, StoredMail mail, MailTransport server) {
        try (MemoryBudget.Reservation held = memory.reservation()) {
            if (!held.add(3 * mail.bytes())) {
                throw exhausted();
            }
            Optional<byte[]> content = mails.rows().content(mail);
            MailTransport.Outcome outcome =
                    content.isEmpty()
                            ? new MailTransport.Outcome.Rejected("its content is incomplete")
                            : server.send(mail.envelope(), content.get());
            note(project, mails, mail, outcome);
        }
    }

    private void note(
            String project, ProjectMails mails, StoredMail mail, MailTransport.Outcome outcome) {
        int attempts = mail.state().attempts() + 1;
        long now = time.epochMicros();
        switch (outcome) {
            case MailTransport.Outcome.Sent(List<String> refused) -> {
                mails.delete(mail.id());
                LOG.info("mail {} of {}: sent", mail.id(), project);
                if (!refused.isEmpty()) {
                    LOG.warn("mail {} of {}: refused for {}", mail.id(), project, refused);
                }
            }
            case MailTransport.Outcome.Deferred(String reason)
                    when now - mail.acceptedMicros()
                            < MailLimits.RETRY_AGE_MAX.toMillis() * MICROS -> {
                long pause = MailLimits.pause(attempts).toMillis() * MICROS;
                mails.update(mail.with(new Progress(State.QUEUED, attempts, now + pause, reason)));
                LOG.warn("mail {} of {}: attempt {}: {}", mail.id(), project, attempts, reason);
            }
            case MailTransport.Outcome.Deferred(String reason) ->
                    fail(project, mails, mail, attempts, reason);
            case MailTransport.Outcome.Rejected(String reason) ->
                    fail(project, mails, mail, attempts, reason);
        }
    }

    private static void fail(
            String project, ProjectMails mails, StoredMail mail, int attempts, String reason) {
        mails.update(mail.with(new Progress(State.FAILED, attempts, 0, reason)));
        mails.limitInspected();
        LOG.warn("mail {} of {}: not sent: {}", mail.id(), project, reason);
    }

    /** Mails that wait, failed or were kept, oldest first. */
    public List<StoredMail> list(String project) {
        return new MailRows(databases.apply(project)).heads();
    }

    /** The encoded message. */
    public Optional<byte[]> content(String project, long id) {
        MailRows rows = new MailRows(databases.apply(project));
        return rows.head(id).flatMap(rows::content);
    }

    /** Mails of all projects of this server that wait, for metrics. */
    public int queued() {
        return projects.values().stream().mapToInt(mails -> mails.count(State.QUEUED)).sum();
    }

    /**
     * Reads the rows again if the database was reopened, since another server may have changed
     * them.
     */
    private ProjectMails mails(String project) {
        Database database = databases.apply(project);
        return projects.compute(
                project,
                (_, known) ->
                        known != null && known.rows().database().equals(database)
                                ? known
                                : new ProjectMails(
                                        new MailRows(database),
                                        limits,
                                        rates.computeIfAbsent(
                                                project,
                                                _ -> new RateLimit(limits.perMinuteMax(), time))));
    }

    private static PetrichorException exhausted() {
        return PetrichorException.of(
                ErrorCode.RESOURCE_EXHAUSTED,
                "the server has too little memory left for this mail; retry later");
    }
}
