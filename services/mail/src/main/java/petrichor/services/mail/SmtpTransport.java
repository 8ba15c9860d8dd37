package petrichor.services.mail;

import jakarta.mail.Address;
import jakarta.mail.MessagingException;
import jakarta.mail.SendFailedException;
import jakarta.mail.Session;
import jakarta.mail.Transport;
import jakarta.mail.internet.AddressException;
import jakarta.mail.internet.InternetAddress;
import java.io.ByteArrayInputStream;
import java.util.Arrays;
import java.util.List;
import java.util.Properties;
import org.eclipse.angus.mail.smtp.SMTPAddressFailedException;
import org.eclipse.angus.mail.smtp.SMTPMessage;
import org.eclipse.angus.mail.smtp.SMTPSendFailedException;
import org.eclipse.angus.mail.smtp.SMTPSenderFailedException;
import org.jspecify.annotations.Nullable;

/** Sends mails over SMTP, each on a connection of its own. */
public final class SmtpTransport implements MailTransport {
    private static final int PERMANENT = 500;

    private final SmtpSettings settings;

    public SmtpTransport(SmtpSettings settings) {
        this.settings = settings;
    }

    @Override
    public Outcome send(StoredMail.Envelope envelope, byte[] content) {
        Session session = Session.getInstance(properties());
        try {
            SMTPMessage message = new SMTPMessage(session, new ByteArrayInputStream(content));
            message.setEnvelopeFrom(envelope.sender());
            message.setSendPartial(true);
            try (Transport transport =
                    session.getTransport(
                            settings.security() == SmtpSettings.Security.TLS ? "smtps" : "smtp")) {
                SmtpSettings.Login login = settings.login().orElse(null);
                transport.connect(
                        settings.host(),
                        settings.port(),
                        login == null ? null : login.user(),
                        login == null ? null : login.password());
                transport.sendMessage(message, addresses(envelope.recipients()));
            }
            return new Outcome.Sent(List.of());
        } catch (SendFailedException e) {
            return outcome(e);
        } catch (MessagingException e) {
            // Connection, login, protocol: the operator's concern, not the mail's.
            return new Outcome.Deferred(text(e));
        }
    }

    private Properties properties() {
        Properties properties = new Properties();
        String prefix =
                settings.security() == SmtpSettings.Security.TLS ? "mail.smtps." : "mail.smtp.";
        boolean encrypted = settings.security() != SmtpSettings.Security.NONE;
        properties.put(
                prefix + "connectiontimeout", Long.toString(SmtpSettings.CONNECT_MAX.toMillis()));
        properties.put(prefix + "timeout", Long.toString(SmtpSettings.ANSWER_MAX.toMillis()));
        properties.put(prefix + "writetimeout", Long.toString(SmtpSettings.ANSWER_MAX.toMillis()));
        properties.put(prefix + "auth", Boolean.toString(settings.login().isPresent()));
        properties.put(
                prefix + "starttls.required",
                Boolean.toString(settings.security() == SmtpSettings.Security.STARTTLS));
        properties.put(
                prefix + "starttls.enable",
                Boolean.toString(settings.security() == SmtpSettings.Security.STARTTLS));
        properties.put(prefix + "ssl.checkserveridentity", Boolean.toString(encrypted));
        return properties;
    }

    private static InternetAddress[] addresses(List<String> recipients) throws AddressException {
        InternetAddress[] addresses = new InternetAddress[recipients.size()];
        for (int i = 0; i < addresses.length; i++) {
            addresses[i] = new InternetAddress(recipients.get(i), true);
        }
        return addresses;
    }

    private static Outcome outcome(SendFailedException failed) {
        Address[] sent = failed.getValidSentAddresses();
        if (sent != null && sent.length > 0) {
            // Trying again would send it twice to those who have it.
            return new Outcome.Sent(
                    texts(failed.getInvalidAddresses(), failed.getValidUnsentAddresses()));
        }
        return code(failed) >= PERMANENT
                ? new Outcome.Rejected(text(failed))
                : new Outcome.Deferred(text(failed));
    }

    private static List<String> texts(Address @Nullable [] one, Address @Nullable [] other) {
        return java.util.stream.Stream.of(one, other)
                .filter(java.util.Objects::nonNull)
                .flatMap(Arrays::stream)
                .map(Address::toString)
                .toList();
    }

    /** The smallest reply code of the chain: a temporary failure of one recipient is one of all. */
    private static int code(MessagingException failed) {
        int least = Integer.MAX_VALUE;
        for (Exception one = failed;
                one instanceof MessagingException next;
                one = next.getNextException()) {
            int code =
                    switch (next) {
                        case SMTPSendFailedException e -> e.getReturnCode();
                        case SMTPAddressFailedException e -> e.getReturnCode();
                        case SMTPSenderFailedException e -> e.getReturnCode();
                        case MessagingException _ -> Integer.MAX_VALUE;
                    };
            least = code > 0 ? Math.min(least, code) : least;
        }
        return least == Integer.MAX_VALUE ? 0 : least;
    }

    private static String text(MessagingException failed) {
        String message = String.valueOf(failed.getMessage()).strip();
        return message.substring(0, Math.min(message.length(), 300));
    }
}
