package petrichor.services.mail;

import jakarta.mail.internet.AddressException;
import jakarta.mail.internet.InternetAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import petrichor.services.mail.MailProblem.Reason;

/**
 * Validates messages as App Engine does: authorized sender, addresses, permitted header fields and
 * attachments, and no line break in any header field, which would begin another one (header
 * injection).
 */
final class MailCheck {
    /** App Engine's list of programs and scripts. */
    private static final Set<String> REFUSED_TYPES =
            Set.of(
                    "ade", "adp", "bat", "chm", "cmd", "com", "cpl", "exe", "hta", "ins", "isp",
                    "jse", "lib", "mde", "msc", "msp", "mst", "pif", "scr", "sct", "shb", "sys",
                    "vb", "vbe", "vbs", "vxd", "wsc", "wsf", "wsh");

    /** The header fields that apps may set, by their name in lower case. */
    private static final Map<String, String> PERMITTED_HEADERS =
            Stream.of(
                            "Auto-Submitted",
                            "In-Reply-To",
                            "List-Id",
                            "List-Unsubscribe",
                            "List-Unsubscribe-Post",
                            "On-Behalf-Of",
                            "References",
                            "Resent-Date",
                            "Resent-From",
                            "Resent-To")
                    .collect(
                            Collectors.toMap(
                                    name -> name.toLowerCase(Locale.ROOT), Function.identity()));

    private final SenderRules senders;

    MailCheck(SenderRules senders) {
        this.senders = senders;
    }

    /** Parsed addresses of a checked message. */
    record Checked(
            InternetAddress sender,
            List<InternetAddress> replyTo,
            List<InternetAddress> to,
            List<InternetAddress> cc,
            List<InternetAddress> bcc) {
        List<String> recipients() {
            return Stream.of(to, cc, bcc)
                    .flatMap(List::stream)
                    .map(InternetAddress::getAddress)
                    .distinct()
                    .toList();
        }
    }

    /**
     * @throws MailProblem if the message must not be sent
     */
    Checked check(String project, MailMessage message) {
        MailMessage.Addresses addresses = message.addresses();
        addresses.all().forEach(address -> requireLine("an address", address));
        requireLine("the subject", message.subject());
        if (message.subject().length() > MailLimits.SUBJECT_CHARS_MAX) {
            throw bad("the subject is longer than " + MailLimits.SUBJECT_CHARS_MAX + " characters");
        }
        if (message.bodies().isEmpty()) {
            throw bad("the message has neither a text nor an HTML body");
        }
        checkHeaders(message.headers());
        checkAttachments(message.attachments());
        Checked checked =
                new Checked(
                        one(addresses.sender()),
                        parsed(addresses.replyTo().stream().toList()),
                        parsed(addresses.to()),
                        parsed(addresses.cc()),
                        parsed(addresses.bcc()));
        int recipients = checked.recipients().size();
        if (recipients == 0) {
            throw bad("the message has no recipient");
        }
        if (recipients > MailLimits.RECIPIENTS_MAX) {
            throw bad("the message has more than " + MailLimits.RECIPIENTS_MAX + " recipients");
        }
        if (!senders.permits(project, checked.sender().getAddress())) {
            throw new MailProblem(
                    Reason.UNAUTHORIZED_SENDER,
                    "the sender must be an administrator of the app, an address of "
                            + project
                            + SenderRules.APP_DOMAIN
                            + ", or in mail.senders");
        }
        return checked;
    }

    private static void checkHeaders(List<MailMessage.Header> headers) {
        if (headers.size() > MailLimits.HEADERS_MAX) {
            throw bad("the message has more than " + MailLimits.HEADERS_MAX + " header fields");
        }
        for (MailMessage.Header header : headers) {
            if (!PERMITTED_HEADERS.containsKey(header.name().toLowerCase(Locale.ROOT))) {
                throw new MailProblem(
                        Reason.INVALID_HEADER_NAME,
                        "apps may set only these header fields: "
                                + String.join(
                                        ", ",
                                        PERMITTED_HEADERS.values().stream().sorted().toList()));
            }
            requireLine("a header field", header.value());
        }
    }

    private static void checkAttachments(List<MailMessage.Attachment> attachments) {
        if (attachments.size() > MailLimits.ATTACHMENTS_MAX) {
            throw bad("the message has more than " + MailLimits.ATTACHMENTS_MAX + " attachments");
        }
        for (MailMessage.Attachment attachment : attachments) {
            requireLine("a file name", attachment.fileName());
            // Some systems ignore dots and spaces at the end.
            String name = attachment.fileName().toLowerCase(Locale.ROOT).replaceAll("[. ]+$", "");
            int dot = name.lastIndexOf('.');
            if (name.startsWith(".") || dot < 0) {
                throw new MailProblem(
                        Reason.INVALID_ATTACHMENT_TYPE,
                        "the file "
                                + attachment.fileName()
                                + " is hidden or has no extension; rename it");
            }
            String type = name.substring(dot + 1);
            if (REFUSED_TYPES.contains(type)) {
                throw new MailProblem(
                        Reason.INVALID_ATTACHMENT_TYPE,
                        "files of this type cannot be sent: " + type);
            }
            attachment.contentId().ifPresent(MailCheck::checkContentId);
        }
    }

    private static void checkContentId(String contentId) {
        if (!contentId.matches("<[!-;=?-~]+>")) {
            throw new MailProblem(
                    Reason.INVALID_CONTENT_ID,
                    "a content id must be in angle brackets, such as <image-1>");
        }
    }

    private static List<InternetAddress> parsed(List<String> texts) {
        List<InternetAddress> addresses = new ArrayList<>();
        for (String text : texts) {
            addresses.addAll(parsed(text));
        }
        return addresses;
    }

    private static InternetAddress one(String text) {
        List<InternetAddress> addresses = parsed(text);
        if (addresses.size() != 1) {
            throw bad("the sender must be one address");
        }
        return addresses.getFirst();
    }

    private static List<InternetAddress> parsed(String text) {
        if (text.length() > MailLimits.ADDRESS_CHARS_MAX) {
            throw bad("an address is longer than " + MailLimits.ADDRESS_CHARS_MAX + " characters");
        }
        try {
            InternetAddress[] addresses = InternetAddress.parse(text, true);
            for (InternetAddress address : addresses) {
                address.validate();
                if (address.isGroup() || address.getAddress().indexOf('@') < 1) {
                    throw bad("an address needs a domain");
                }
            }
            return Arrays.asList(addresses);
        } catch (AddressException e) {
            throw bad("an address is malformed");
        }
    }

    private static void requireLine(String what, String text) {
        if (text.chars().anyMatch(one -> one == '\r' || one == '\n' || one == 0)) {
            throw bad(what + " contains a line break");
        }
    }

    private static MailProblem bad(String detail) {
        return new MailProblem(Reason.BAD_REQUEST, detail);
    }
}
