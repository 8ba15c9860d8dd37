package petrichor.services.mail;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** A message as an app submits it; {@link MailCheck} validates it. */
public record MailMessage(
        Addresses addresses,
        String subject,
        Bodies bodies,
        List<Attachment> attachments,
        List<Header> headers) {
    public MailMessage {
        attachments = List.copyOf(attachments);
        headers = List.copyOf(headers);
    }

    /** Addresses as in header fields: with or without a name. */
    public record Addresses(
            String sender,
            Optional<String> replyTo,
            List<String> to,
            List<String> cc,
            List<String> bcc) {
        public Addresses {
            to = List.copyOf(to);
            cc = List.copyOf(cc);
            bcc = List.copyOf(bcc);
        }

        Stream<String> recipients() {
            return Stream.of(to, cc, bcc).flatMap(List::stream);
        }

        Stream<String> all() {
            return Stream.concat(Stream.concat(Stream.of(sender), replyTo.stream()), recipients());
        }

        /** The same message to other recipients. */
        public Addresses withRecipients(List<String> recipients) {
            return new Addresses(sender, replyTo, recipients, List.of(), List.of());
        }
    }

    /** Alternatives of the text. */
    public record Bodies(Optional<String> text, Optional<String> amp, Optional<String> html) {
        boolean isEmpty() {
            return text.isEmpty() && html.isEmpty();
        }
    }

    /**
     * A file.
     *
     * @param data owned by the message
     * @param contentId with which an HTML text refers to it, in angle brackets
     */
    public record Attachment(String fileName, byte[] data, Optional<String> contentId) {}

    /** A further header field. */
    public record Header(String name, String value) {}

    MailMessage with(Addresses other) {
        return new MailMessage(other, subject, bodies, attachments, headers);
    }
}
