package petrichor.services.mail;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.subethamail.smtp.MessageContext;
import org.subethamail.smtp.MessageHandler;
import org.subethamail.smtp.RejectException;
import org.subethamail.smtp.TooMuchDataException;
import org.subethamail.smtp.server.SMTPServer;
import petrichor.base.MemoryBudget;

/**
 * Receives mails for apps over SMTP and hands them over before it acknowledges them: if an app does
 * not take a mail, the sending server tries again later. It relays nothing: other recipients than
 * those of apps are refused. Thread-safe.
 */
public final class Inbox implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Inbox.class);
    private static final int CHUNK_BYTES = 64 << 10;
    private static final int UNKNOWN_RECIPIENT = 550;
    private static final int TRY_LATER = 451;

    private final InboxSettings settings;
    private final Delivery delivery;
    private final MemoryBudget memory;
    private final SMTPServer server;

    /** Hands a mail to an app: {@code POST /_ah/mail/ADDRESS}. */
    public interface Delivery {
        /** Whether this platform has such an app, and it receives mail. */
        boolean accepts(String project);

        /**
         * Blocks until the app has answered.
         *
         * @return whether the app took the mail
         */
        boolean deliver(String project, String address, byte[] message);
    }

    private Inbox(InboxSettings settings, Delivery delivery, MemoryBudget memory) {
        this.settings = settings;
        this.delivery = delivery;
        this.memory = memory;
        this.server =
                new SMTPServer.Builder()
                        .bindAddress(settings.address())
                        .port(settings.port())
                        .softwareName("Petrichor")
                        .maxConnections(settings.connectionsMax())
                        .maxRecipients(InboxSettings.RECIPIENTS_MAX)
                        .maxMessageSize(MailLimits.MESSAGE_BYTES_MAX)
                        .connectionTimeout(
                                (int) InboxSettings.IDLE_MAX.toSeconds(), TimeUnit.SECONDS)
                        .messageHandlerFactory(Incoming::new)
                        .build();
    }

    /** Listens when it returns. */
    public static Inbox start(InboxSettings settings, Delivery delivery, MemoryBudget memory) {
        Inbox inbox = new Inbox(settings, delivery, memory);
        inbox.server.start();
        LOG.info("receiving mail on {}:{}", settings.address().getHostAddress(), inbox.port());
        return inbox;
    }

    public int port() {
        return server.getPortAllocated();
    }

    @Override
    public void close() {
        server.stop();
    }

    /** The app that an address belongs to. */
    Optional<String> project(String address) {
        String domain = address.substring(address.lastIndexOf('@') + 1).toLowerCase(Locale.ROOT);
        return settings.domains().stream()
                .filter(own -> domain.endsWith("." + own))
                .map(own -> domain.substring(0, domain.length() - own.length() - 1))
                .filter(project -> project.indexOf('.') < 0 && delivery.accepts(project))
                .findFirst();
    }

    /** One mail of a connection. Confined to the thread of the connection. */
    private final class Incoming implements MessageHandler {
        private final List<String> recipients = new ArrayList<>();

        Incoming(MessageContext context) {}

        @Override
        public void from(String from) {}

        @Override
        public void recipient(String recipient) throws RejectException {
            if (recipient.indexOf('@') < 1 || project(recipient).isEmpty()) {
                throw new RejectException(UNKNOWN_RECIPIENT, "5.1.1 No such app");
            }
            recipients.add(recipient);
        }

        @Override
        public String data(InputStream data)
                throws RejectException, TooMuchDataException, IOException {
            try (MemoryBudget.Reservation held = memory.reservation()) {
                byte[] message = read(data, held);
                for (String recipient : recipients) {
                    deliver(recipient, message);
                }
            }
            return "2.0.0 Accepted";
        }

        private byte[] read(InputStream data, MemoryBudget.Reservation held)
                throws RejectException, TooMuchDataException, IOException {
            ByteArrayOutputStream message = new ByteArrayOutputStream();
            byte[] chunk = new byte[CHUNK_BYTES];
            for (int read = data.read(chunk); read >= 0; read = data.read(chunk)) {
                if (message.size() + read > MailLimits.MESSAGE_BYTES_MAX) {
                    throw new TooMuchDataException("5.3.4 The mail is too large");
                }
                if (!held.add(3L * read)) {
                    throw new RejectException(TRY_LATER, "4.3.1 Too little memory; try later");
                }
                message.write(chunk, 0, read);
            }
            return message.toByteArray();
        }

        private void deliver(String recipient, byte[] message) throws RejectException {
            String project = project(recipient).orElse("");
            boolean taken = !project.isEmpty() && delivery.deliver(project, recipient, message);
            LOG.info(
                    "mail for {}: {} bytes, {}",
                    recipient,
                    message.length,
                    taken ? "delivered" : "not taken by the app");
            if (!taken) {
                throw new RejectException(TRY_LATER, "4.2.0 The app did not take it; try later");
            }
        }

        @Override
        public void done() {}
    }
}
