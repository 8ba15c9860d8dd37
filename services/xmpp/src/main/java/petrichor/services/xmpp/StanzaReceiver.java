package petrichor.services.xmpp;

import java.util.Optional;
import org.jivesoftware.smack.SmackException;
import org.jivesoftware.smack.packet.Message;
import org.jivesoftware.smack.packet.Presence;
import org.jivesoftware.smack.packet.Stanza;
import org.jivesoftware.smack.packet.StanzaError;
import org.jivesoftware.smack.roster.Roster;
import org.jivesoftware.smack.tcp.XMPPTCPConnection;
import org.jxmpp.jid.EntityBareJid;
import org.jxmpp.jid.Jid;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What arrives for one app. Runs on the connection's thread, and does not wait for the app. As on
 * App Engine, every user may subscribe to the presence of an app.
 */
final class StanzaReceiver {
    private static final Logger LOG = LoggerFactory.getLogger(StanzaReceiver.class);

    private final EntityBareJid own;
    private final IncomingStanzas incoming;

    StanzaReceiver(EntityBareJid own, IncomingStanzas incoming) {
        this.own = own;
        this.incoming = incoming;
    }

    void received(XMPPTCPConnection connection, Stanza stanza) {
        Jid from = stanza.getFrom();
        if (from == null || own.equals(from.asBareJid())) {
            return; // from the server, or the app's own presence
        }
        if (stanza instanceof Message message) {
            message(connection, message);
        } else if (stanza instanceof Presence presence) {
            presence(connection, presence);
        }
    }

    private void message(XMPPTCPConnection connection, Message message) {
        switch (message.getType()) {
            case error -> offer(IncomingStanza.Kind.ERROR, message, IncomingStanza.Content.none());
            case chat, normal -> {
                String body = message.getBody();
                if (body == null) {
                    return; // such as a notification that someone is typing
                }
                boolean taken =
                        incoming.offer(
                                sender(message),
                                incoming(
                                        IncomingStanza.Kind.MESSAGE,
                                        message,
                                        new IncomingStanza.Content(
                                                Optional.of(body),
                                                Optional.empty(),
                                                Optional.empty())),
                                () ->
                                        refuse(
                                                connection,
                                                message,
                                                StanzaError.Condition.recipient_unavailable));
                if (!taken) {
                    refuse(connection, message, StanzaError.Condition.resource_constraint);
                }
            }
            case groupchat, headline -> {} // an app joins no conference
        }
    }

    /** Reports to the sender that the app did not get the message. */
    private void refuse(
            XMPPTCPConnection connection, Message message, StanzaError.Condition condition) {
        try {
            connection.sendStanza(
                    connection
                            .getStanzaFactory()
                            .buildMessageStanza()
                            .ofType(Message.Type.error)
                            .to(message.getFrom())
                            .addExtension(StanzaError.getBuilder(condition).build())
                            .build());
        } catch (SmackException.NotConnectedException gone) {
            LOG.debug("{} could not refuse a message: {}", own, gone.getMessage());
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
        }
    }

    /** After the roster knows it: an app that asks for the presence gets this one. */
    void changed(Presence presence) {
        Jid from = presence.getFrom();
        if (from != null && !own.equals(from.asBareJid())) {
            offer(
                    presence.getType() == Presence.Type.available
                            ? IncomingStanza.Kind.AVAILABLE
                            : IncomingStanza.Kind.UNAVAILABLE,
                    presence);
        }
    }

    private void presence(XMPPTCPConnection connection, Presence presence) {
        IncomingStanza.Kind kind =
                switch (presence.getType()) {
                    case available, unavailable -> null; // the roster reports them
                    case subscribe -> IncomingStanza.Kind.SUBSCRIBE;
                    case subscribed -> IncomingStanza.Kind.SUBSCRIBED;
                    case unsubscribe -> IncomingStanza.Kind.UNSUBSCRIBE;
                    case unsubscribed -> IncomingStanza.Kind.UNSUBSCRIBED;
                    case error -> IncomingStanza.Kind.ERROR;
                    case probe -> null;
                };
        if (kind == IncomingStanza.Kind.SUBSCRIBE) {
            answer(connection, presence);
        }
        if (kind != null) {
            offer(kind, presence);
        }
    }

    private void offer(IncomingStanza.Kind kind, Presence presence) {
        offer(
                kind,
                presence,
                new IncomingStanza.Content(
                        Optional.empty(),
                        presence.getMode() == Presence.Mode.available
                                ? Optional.empty()
                                : Optional.of(presence.getMode().name()),
                        Optional.ofNullable(presence.getStatus())));
    }

    private void answer(XMPPTCPConnection connection, Presence request) {
        boolean accepted =
                Roster.getInstanceFor(connection).getEntryCount() < XmppLimits.SUBSCRIBERS_MAX;
        try {
            connection.sendStanza(
                    connection
                            .getStanzaFactory()
                            .buildPresenceStanza()
                            .ofType(
                                    accepted
                                            ? Presence.Type.subscribed
                                            : Presence.Type.unsubscribed)
                            .to(request.getFrom().asBareJid())
                            .build());
        } catch (SmackException.NotConnectedException gone) {
            LOG.debug("{} could not accept a subscription: {}", own, gone.getMessage());
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
        }
    }

    private void offer(IncomingStanza.Kind kind, Stanza stanza, IncomingStanza.Content content) {
        if (!incoming.offer(sender(stanza), incoming(kind, stanza, content), () -> {})) {
            LOG.debug("{} has too many stanzas waiting; one was discarded", own);
        }
    }

    private static String sender(Stanza stanza) {
        return stanza.getFrom().asBareJid().toString();
    }

    private IncomingStanza incoming(
            IncomingStanza.Kind kind, Stanza stanza, IncomingStanza.Content content) {
        return new IncomingStanza(
                kind,
                stanza.getFrom().toString(),
                stanza.getTo() == null ? own.toString() : stanza.getTo().toString(),
                content,
                stanza.toXML().toString());
    }
}
