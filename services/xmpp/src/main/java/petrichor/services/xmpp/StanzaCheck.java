package petrichor.services.xmpp;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jivesoftware.smack.packet.Message;
import org.jivesoftware.smack.packet.Presence;
import org.jxmpp.jid.EntityBareJid;
import org.jxmpp.jid.EntityJid;
import org.jxmpp.jid.Jid;
import org.jxmpp.jid.impl.JidCreate;
import org.jxmpp.stringprep.XmppStringprepException;
import petrichor.services.xmpp.XmppProblem.Reason;

/** Checks what an app wants to send. */
final class StanzaCheck {
    private StanzaCheck() {}

    /** Empty if the text is not the address of a user. */
    static Optional<EntityJid> address(String text) {
        if (text.isEmpty() || text.length() > XmppLimits.ADDRESS_CHARS_MAX) {
            return Optional.empty();
        }
        try {
            Jid jid = JidCreate.from(text);
            return jid instanceof EntityJid user ? Optional.of(user) : Optional.empty();
        } catch (XmppStringprepException | IllegalArgumentException invalid) {
            return Optional.empty();
        }
    }

    static EntityJid requireAddress(String text) {
        return address(text)
                .orElseThrow(
                        () ->
                                new XmppProblem(
                                        Reason.INVALID_JID,
                                        "the address is not USER@DOMAIN or USER@DOMAIN/RESOURCE"));
    }

    /** An app has one address; it cannot send under that of another app. */
    static void requireOwn(Optional<String> sender, EntityBareJid own) {
        if (sender.isPresent()
                && address(sender.get()).filter(jid -> own.equals(jid.asBareJid())).isEmpty()) {
            throw new XmppProblem(
                    Reason.INVALID_JID, "an app sends as " + own + " only; leave the sender out");
        }
    }

    static Message.Type messageType(String type) {
        return switch (type) {
            case "", "chat" -> Message.Type.chat;
            case "normal" -> Message.Type.normal;
            case "headline" -> Message.Type.headline;
            case "groupchat" -> Message.Type.groupchat;
            case "error" -> Message.Type.error;
            default ->
                    throw new XmppProblem(
                            Reason.INVALID_TYPE,
                            "the type of a message is chat, normal, headline, groupchat or error");
        };
    }

    static Presence.Type presenceType(String type) {
        return switch (type) {
            case "", "available" -> Presence.Type.available;
            case "unavailable" -> Presence.Type.unavailable;
            case "subscribe" -> Presence.Type.subscribe;
            case "subscribed" -> Presence.Type.subscribed;
            case "unsubscribe" -> Presence.Type.unsubscribe;
            case "unsubscribed" -> Presence.Type.unsubscribed;
            case "probe" -> Presence.Type.probe;
            case "error" -> Presence.Type.error;
            default ->
                    throw new XmppProblem(
                            Reason.INVALID_TYPE,
                            "the type of a presence is available, unavailable, subscribe,"
                                    + " subscribed, unsubscribe, unsubscribed, probe or error");
        };
    }

    static Presence.Mode mode(String show) {
        return switch (show.toLowerCase(Locale.ROOT)) {
            case "" -> Presence.Mode.available;
            case "away" -> Presence.Mode.away;
            case "chat" -> Presence.Mode.chat;
            case "dnd" -> Presence.Mode.dnd;
            case "xa" -> Presence.Mode.xa;
            default ->
                    throw new XmppProblem(
                            Reason.INVALID_SHOW, "show must be away, chat, dnd, xa or empty");
        };
    }

    static void body(OutgoingMessage.Body body) {
        if (body.content().isEmpty()) {
            throw new XmppProblem(Reason.NO_BODY, "the message has no body");
        }
        requireBytes(body.content(), XmppLimits.BODY_BYTES_MAX, "the body");
        requireXmlCharacters(body.content());
    }

    static void status(String status) {
        if (status.length() > XmppLimits.STATUS_CHARS_MAX) {
            throw new XmppProblem(
                    Reason.EXCEEDED_MAX_SIZE,
                    "the status has more than " + XmppLimits.STATUS_CHARS_MAX + " characters");
        }
        requireXmlCharacters(status);
    }

    static void recipients(List<String> recipients) {
        if (recipients.size() > XmppLimits.RECIPIENTS_MAX) {
            throw new XmppProblem(
                    Reason.EXCEEDED_MAX_SIZE,
                    "the call has more than " + XmppLimits.RECIPIENTS_MAX + " addresses");
        }
    }

    private static void requireBytes(String text, int bytesMax, String subject) {
        if (text.getBytes(StandardCharsets.UTF_8).length > bytesMax) {
            throw new XmppProblem(
                    Reason.EXCEEDED_MAX_SIZE, subject + " has more than " + bytesMax + " bytes");
        }
    }

    /** The server ends a connection on which other characters arrive. */
    private static void requireXmlCharacters(String text) {
        boolean valid =
                text.codePoints()
                        .allMatch(
                                c ->
                                        c == '\t'
                                                || c == '\n'
                                                || c == '\r'
                                                || (c >= 0x20 && c <= 0xD7FF)
                                                || (c >= 0xE000 && c <= 0xFFFD)
                                                || c >= 0x10000);
        if (!valid) {
            throw new XmppProblem(
                    Reason.INVALID_XML, "the text contains characters that XML does not allow");
        }
    }
}
