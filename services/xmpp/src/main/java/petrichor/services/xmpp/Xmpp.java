package petrichor.services.xmpp;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import org.jivesoftware.smack.packet.MessageBuilder;
import org.jivesoftware.smack.packet.Presence;
import org.jivesoftware.smack.packet.Stanza;
import org.jivesoftware.smack.roster.Roster;
import org.jivesoftware.smack.tcp.XMPPTCPConnection;
import org.jxmpp.jid.EntityBareJid;
import org.jxmpp.jid.EntityJid;
import petrichor.base.ErrorCode;
import petrichor.base.MemoryBudget;
import petrichor.base.PetrichorException;
import petrichor.base.RateLimit;
import petrichor.base.TimeSource;
import petrichor.services.xmpp.OutgoingMessage.Status;

/**
 * XMPP for the apps whose databases this server owns: messages, invitations and presence. Apps are
 * connected by {@link #keep} and by their calls. Calls fail with UNAVAILABLE while the XMPP server
 * cannot be reached. Thread-safe; calls block.
 *
 * <p>Log records contain addresses of apps, neither messages nor addresses of users.
 */
public final class Xmpp implements AutoCloseable {
    private final Accounts accounts;
    private final XmppLimits limits;
    private final IncomingStanza.Delivery delivery;
    private final MemoryBudget memory;
    private final TimeSource time;
    private final Executor workers;
    private final ConcurrentHashMap<String, App> apps = new ConcurrentHashMap<>();
    private final ConcurrentHashMap<String, RateLimit> rates = new ConcurrentHashMap<>();
    private final AtomicLong sent = new AtomicLong();
    private final AtomicLong refused = new AtomicLong();
    private volatile boolean closed;

    /** An app on this server. */
    private record App(EntityBareJid address, AppConnection connection, IncomingStanzas incoming) {
        void close() {
            incoming.close();
            connection.close();
        }
    }

    /**
     * @param connected apps of this server
     * @param sent stanzas that the XMPP server has acknowledged
     * @param refused incoming stanzas that apps did not get
     */
    public record Metrics(long connected, long sent, long refused) {}

    /**
     * @param memory for incoming stanzas
     * @param workers threads that may block
     */
    public Xmpp(
            XmppSettings settings,
            XmppLimits limits,
            IncomingStanza.Delivery delivery,
            MemoryBudget memory,
            TimeSource time,
            Executor workers) {
        this.accounts = new Accounts(settings);
        this.limits = limits;
        this.delivery = delivery;
        this.memory = memory;
        this.time = time;
        this.workers = workers;
    }

    /**
     * Sends a message.
     *
     * @return a status per recipient, in their order
     * @throws XmppProblem if the message must not be sent to anybody
     */
    public List<Status> send(String project, OutgoingMessage message) {
        EntityBareJid own = accounts.address(project);
        StanzaCheck.requireOwn(message.sender(), own);
        StanzaCheck.recipients(message.recipients());
        StanzaCheck.body(message.body());
        var type = StanzaCheck.messageType(message.type());
        Optional<RawXml> xml =
                message.body() instanceof OutgoingMessage.Body.Xml(String text)
                        ? Optional.of(new RawXml(text))
                        : Optional.empty();
        List<Optional<EntityJid>> recipients =
                message.recipients().stream().map(StanzaCheck::address).toList();
        takePermits(project, (int) recipients.stream().filter(Optional::isPresent).count());
        AppConnection connection = app(project).connection();
        XMPPTCPConnection open = connection.connected();
        List<Optional<Stanza>> stanzas = new ArrayList<>();
        for (Optional<EntityJid> recipient : recipients) {
            stanzas.add(
                    recipient.map(
                            to -> {
                                MessageBuilder builder =
                                        open.getStanzaFactory().buildMessageStanza();
                                builder.to(to).ofType(type);
                                xml.ifPresentOrElse(
                                        builder::addExtension,
                                        () -> builder.setBody(message.body().content()));
                                return builder.build();
                            }));
        }
        Set<String> arrived = connection.send(stanzas.stream().flatMap(Optional::stream).toList());
        sent.addAndGet(arrived.size());
        return stanzas.stream().map(stanza -> status(stanza, arrived)).toList();
    }

    private static Status status(Optional<Stanza> stanza, Set<String> arrived) {
        return stanza.map(one -> arrived.contains(one.getStanzaId()) ? Status.SENT : Status.FAILED)
                .orElse(Status.INVALID_ADDRESS);
    }

    /** Asks a user to show its presence to the app. */
    public void invite(String project, String recipient, Optional<String> sender) {
        sendPresence(project, new OutgoingPresence(recipient, "subscribe", "", "", sender));
    }

    /** UNAVAILABLE if the XMPP server does not acknowledge the presence. */
    public void sendPresence(String project, OutgoingPresence presence) {
        StanzaCheck.requireOwn(presence.sender(), accounts.address(project));
        EntityJid to = StanzaCheck.requireAddress(presence.recipient());
        Presence.Type type = StanzaCheck.presenceType(presence.type());
        Presence.Mode mode = StanzaCheck.mode(presence.show());
        StanzaCheck.status(presence.status());
        takePermits(project, 1);
        AppConnection connection = app(project).connection();
        var builder = connection.connected().getStanzaFactory().buildPresenceStanza();
        // RFC 6121, section 3: subscriptions concern accounts, not resources.
        boolean subscription = type != Presence.Type.available && type != Presence.Type.unavailable;
        builder.to(subscription ? to.asBareJid() : to).ofType(type);
        if (type == Presence.Type.available) {
            builder.setMode(mode);
        }
        if (!presence.status().isEmpty()) {
            builder.setStatus(presence.status());
        }
        if (connection.send(List.of(builder.build())).isEmpty()) {
            throw PetrichorException.of(
                    ErrorCode.UNAVAILABLE,
                    "the XMPP server has not acknowledged the presence; retry later");
        }
        sent.incrementAndGet();
    }

    /** What the app knows of users; those who have not accepted an invitation are unavailable. */
    public List<ContactPresence> presences(
            String project, List<String> users, Optional<String> sender) {
        StanzaCheck.requireOwn(sender, accounts.address(project));
        StanzaCheck.recipients(users);
        Roster roster = Roster.getInstanceFor(app(project).connection().connected());
        return users.stream().map(user -> presence(roster, user)).toList();
    }

    private static ContactPresence presence(Roster roster, String user) {
        Optional<EntityJid> jid = StanzaCheck.address(user);
        if (jid.isEmpty()) {
            return new ContactPresence.Invalid();
        }
        Presence known =
                jid.get().isEntityFullJid()
                        ? roster.getPresenceResource(jid.get().asFullJidOrThrow())
                        : roster.getPresence(jid.get().asBareJid());
        if (!known.isAvailable()) {
            return new ContactPresence.Unavailable();
        }
        return new ContactPresence.Available(
                switch (known.getMode()) {
                    case available -> ContactPresence.Show.NORMAL;
                    case away -> ContactPresence.Show.AWAY;
                    case dnd -> ContactPresence.Show.DO_NOT_DISTURB;
                    case chat -> ContactPresence.Show.CHAT;
                    case xa -> ContactPresence.Show.EXTENDED_AWAY;
                });
    }

    private void takePermits(String project, int stanzas) {
        RateLimit rate =
                rates.computeIfAbsent(project, _ -> new RateLimit(limits.perMinuteMax(), time));
        if (!rate.take(stanzas)) {
            throw PetrichorException.of(
                    ErrorCode.RESOURCE_EXHAUSTED,
                    "the app sends more than {perMinuteMax} messages and presences in a minute;"
                            + " retry later",
                    "perMinuteMax",
                    limits.perMinuteMax());
        }
    }

    /**
     * Connects apps that can receive stanzas, opens broken connections again, and closes those of
     * apps that are no longer here. Does not wait. Call it every few seconds.
     *
     * @param receiving apps that have an address for requests
     * @param here whether this server owns the database of an app
     */
    public void keep(Set<String> receiving, Predicate<String> here) {
        for (Map.Entry<String, App> known : apps.entrySet()) {
            if (!here.test(known.getKey()) && apps.remove(known.getKey(), known.getValue())) {
                workers.execute(known.getValue()::close);
            }
        }
        for (String project : receiving) {
            if (!closed && here.test(project) && apps.size() < XmppLimits.CONNECTIONS_MAX) {
                app(project);
            }
        }
        apps.values().stream()
                .map(App::connection)
                .filter(connection -> !connection.isConnected())
                .forEach(connection -> workers.execute(connection::keep));
    }

    private App app(String project) {
        if (closed) {
            throw PetrichorException.of(ErrorCode.UNAVAILABLE, "the server stops; use another one");
        }
        if (!apps.containsKey(project) && apps.size() >= XmppLimits.CONNECTIONS_MAX) {
            throw PetrichorException.of(
                    ErrorCode.RESOURCE_EXHAUSTED,
                    "{apps} apps of this server are connected to the XMPP server already",
                    "apps",
                    apps.size());
        }
        return apps.computeIfAbsent(
                project,
                _ -> {
                    EntityBareJid address = accounts.address(project);
                    IncomingStanzas incoming =
                            new IncomingStanzas(project, delivery, memory, workers, refused);
                    return new App(
                            address,
                            new AppConnection(
                                    address, accounts, new StanzaReceiver(address, incoming), time),
                            incoming);
                });
    }

    public Metrics metrics() {
        return new Metrics(
                apps.values().stream().filter(app -> app.connection().isConnected()).count(),
                sent.get(),
                refused.get());
    }

    @Override
    public void close() {
        closed = true;
        for (App app : apps.values()) {
            app.close();
        }
        apps.clear();
    }
}
