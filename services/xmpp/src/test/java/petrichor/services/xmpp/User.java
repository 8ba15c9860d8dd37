package petrichor.services.xmpp;

import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jivesoftware.smack.ConnectionConfiguration.SecurityMode;
import org.jivesoftware.smack.filter.StanzaTypeFilter;
import org.jivesoftware.smack.packet.Message;
import org.jivesoftware.smack.packet.Presence;
import org.jivesoftware.smack.packet.Stanza;
import org.jivesoftware.smack.roster.Roster;
import org.jivesoftware.smack.tcp.XMPPTCPConnection;
import org.jivesoftware.smack.tcp.XMPPTCPConnectionConfiguration;
import org.jivesoftware.smackx.admin.ServiceAdministrationManager;
import org.jxmpp.jid.impl.JidCreate;

/** A user with an ordinary client. */
final class User implements AutoCloseable {
    static final String PASSWORD = "password";

    private final XMPPTCPConnection connection;
    private final LinkedBlockingQueue<Stanza> stanzas = new LinkedBlockingQueue<>();

    private User(XMPPTCPConnection connection) {
        this.connection = connection;
    }

    static User register(XmppSettings server, String name) throws Exception {
        try (User admin = signIn(server, server.admin().user(), server.admin().password())) {
            ServiceAdministrationManager.getInstanceFor(admin.connection)
                    .addUser(JidCreate.entityBareFrom(name + "@" + server.domain()), PASSWORD);
        }
        return signIn(server, name, PASSWORD);
    }

    static User signIn(XmppSettings server, String name, String password) throws Exception {
        User user =
                new User(
                        new XMPPTCPConnection(
                                XMPPTCPConnectionConfiguration.builder()
                                        .setXmppDomain(server.domain())
                                        .setHost(server.host())
                                        .setPort(server.port())
                                        .setUsernameAndPassword(name, password)
                                        .setSecurityMode(SecurityMode.disabled)
                                        .build()));
        Roster.getInstanceFor(user.connection)
                .setSubscriptionMode(Roster.SubscriptionMode.accept_all);
        user.connection.addSyncStanzaListener(user.stanzas::add, StanzaTypeFilter.MESSAGE);
        user.connection.addSyncStanzaListener(user.stanzas::add, StanzaTypeFilter.PRESENCE);
        user.connection.connect().login();
        return user;
    }

    void write(String to, String body) throws Exception {
        connection.sendStanza(
                connection
                        .getStanzaFactory()
                        .buildMessageStanza()
                        .to(JidCreate.from(to))
                        .ofType(Message.Type.chat)
                        .setBody(body)
                        .build());
    }

    void presence(String to, Presence.Type type) throws Exception {
        connection.sendStanza(
                connection
                        .getStanzaFactory()
                        .buildPresenceStanza()
                        .to(JidCreate.from(to))
                        .ofType(type)
                        .build());
    }

    void show(Presence.Mode mode, String status) throws Exception {
        connection.sendStanza(
                connection
                        .getStanzaFactory()
                        .buildPresenceStanza()
                        .ofType(Presence.Type.available)
                        .setMode(mode)
                        .setStatus(status)
                        .build());
    }

    /** The next message; presences are skipped. */
    Message message() throws InterruptedException {
        while (true) {
            if (next() instanceof Message message) {
                return message;
            }
        }
    }

    /** The next presence of an account with this type; messages are skipped. */
    Presence seen(String from, Presence.Type type) throws InterruptedException {
        while (true) {
            if (next() instanceof Presence presence
                    && presence.getType() == type
                    && presence.getFrom().asBareJid().toString().equals(from)) {
                return presence;
            }
        }
    }

    private Stanza next() throws InterruptedException {
        Stanza next = stanzas.poll(1, TimeUnit.MINUTES);
        if (next == null) {
            throw new AssertionError("nothing arrived");
        }
        return next;
    }

    @Override
    public void close() {
        connection.disconnect();
    }
}
