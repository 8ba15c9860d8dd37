package petrichor.services.mail;

import jakarta.activation.DataHandler;
import jakarta.mail.Message;
import jakarta.mail.MessagingException;
import jakarta.mail.Part;
import jakarta.mail.Session;
import jakarta.mail.internet.InternetAddress;
import jakarta.mail.internet.MimeBodyPart;
import jakarta.mail.internet.MimeMessage;
import jakarta.mail.internet.MimeMultipart;
import jakarta.mail.util.ByteArrayDataSource;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URLConnection;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Properties;
import petrichor.services.mail.MailProblem.Reason;

/** Encodes checked messages (MIME). Blind copies are only in the envelope. */
final class MimeText {
    private static final String UTF_8 = StandardCharsets.UTF_8.name();
    private static final String APP = "X-Google-Appengine-App-Id";

    private MimeText() {}

    /**
     * @param id unique among the mails of the project
     * @param timeMicros when the app submitted it
     */
    static byte[] of(
            String project,
            long id,
            long timeMicros,
            MailMessage message,
            MailCheck.Checked addresses) {
        try {
            Identified mime =
                    new Identified("<" + id + "@" + project + SenderRules.APP_DOMAIN + ">");
            mime.setFrom(addresses.sender());
            set(mime, Message.RecipientType.TO, addresses.to());
            set(mime, Message.RecipientType.CC, addresses.cc());
            if (!addresses.replyTo().isEmpty()) {
                mime.setReplyTo(addresses.replyTo().toArray(InternetAddress[]::new));
            }
            mime.setSubject(message.subject(), UTF_8);
            mime.setHeader(
                    "Date",
                    DateTimeFormatter.RFC_1123_DATE_TIME.format(
                            Instant.EPOCH
                                    .plus(timeMicros, ChronoUnit.MICROS)
                                    .atOffset(ZoneOffset.UTC)));
            mime.setHeader(APP, project);
            for (MailMessage.Header header : message.headers()) {
                mime.addHeader(
                        header.name(),
                        jakarta.mail.internet.MimeUtility.encodeText(header.value(), UTF_8, null));
            }
            mime.setContent(content(message));
            return bytes(mime);
        } catch (MessagingException | IOException e) {
            throw new MailProblem(Reason.BAD_REQUEST, "the message cannot be encoded");
        }
    }

    private static void set(
            MimeMessage mime, Message.RecipientType type, List<InternetAddress> addresses)
            throws MessagingException {
        if (!addresses.isEmpty()) {
            mime.setRecipients(type, addresses.toArray(InternetAddress[]::new));
        }
    }

    private static MimeMultipart content(MailMessage message) throws MessagingException {
        MimeMultipart alternatives = new MimeMultipart("alternative");
        MailMessage.Bodies bodies = message.bodies();
        // The last alternative is the preferred one.
        if (bodies.text().isPresent()) {
            alternatives.addBodyPart(text(bodies.text().get(), "plain"));
        }
        if (bodies.amp().isPresent()) {
            alternatives.addBodyPart(text(bodies.amp().get(), "x-amp-html"));
        }
        if (bodies.html().isPresent()) {
            alternatives.addBodyPart(text(bodies.html().get(), "html"));
        }
        if (message.attachments().isEmpty()) {
            return alternatives;
        }
        boolean related =
                message.attachments().stream().anyMatch(file -> file.contentId().isPresent());
        MimeMultipart mixed = new MimeMultipart(related ? "related" : "mixed");
        MimeBodyPart body = new MimeBodyPart();
        body.setContent(alternatives);
        mixed.addBodyPart(body);
        for (MailMessage.Attachment file : message.attachments()) {
            mixed.addBodyPart(part(file));
        }
        return mixed;
    }

    private static MimeBodyPart text(String text, String subtype) throws MessagingException {
        MimeBodyPart part = new MimeBodyPart();
        part.setDataHandler(
                new DataHandler(
                        new ByteArrayDataSource(
                                text.getBytes(StandardCharsets.UTF_8),
                                "text/" + subtype + "; charset=utf-8")));
        return part;
    }

    private static MimeBodyPart part(MailMessage.Attachment file) throws MessagingException {
        MimeBodyPart part = new MimeBodyPart();
        String type = URLConnection.guessContentTypeFromName(file.fileName());
        part.setDataHandler(
                new DataHandler(
                        new ByteArrayDataSource(
                                file.data(), type == null ? "application/octet-stream" : type)));
        part.setFileName(file.fileName());
        part.setDisposition(file.contentId().isPresent() ? Part.INLINE : Part.ATTACHMENT);
        if (file.contentId().isPresent()) {
            part.setContentID(file.contentId().get());
        }
        return part;
    }

    private static byte[] bytes(MimeMessage mime) throws IOException, MessagingException {
        Bounded bytes = new Bounded();
        mime.writeTo(bytes);
        return bytes.toByteArray();
    }

    /** Refuses to grow beyond the limit of a message. */
    private static final class Bounded extends ByteArrayOutputStream {
        @Override
        public synchronized void write(int one) {
            require(1);
            super.write(one);
        }

        @Override
        public synchronized void write(byte[] bytes, int from, int length) {
            require(length);
            super.write(bytes, from, length);
        }

        private void require(int more) {
            if (more > MailLimits.MESSAGE_BYTES_MAX - count) {
                throw new MailProblem(
                        Reason.BAD_REQUEST,
                        "the encoded message is larger than "
                                + MailLimits.MESSAGE_BYTES_MAX
                                + " bytes");
            }
        }
    }

    /** Keeps our own message id: the same for each attempt to send it. */
    private static final class Identified extends MimeMessage {
        private final String id;

        Identified(String id) {
            super(Session.getInstance(new Properties()));
            this.id = id;
        }

        @Override
        protected void updateMessageID() throws MessagingException {
            setHeader("Message-ID", id);
        }
    }
}
