package petrichor.services.xmpp;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jivesoftware.smack.ConnectionListener;
import org.jivesoftware.smack.SmackException;
import org.jivesoftware.smack.XMPPException;
import org.jivesoftware.smack.filter.StanzaTypeFilter;
import org.jivesoftware.smack.packet.Presence;
import org.jivesoftware.smack.packet.Stanza;
import org.jivesoftware.smack.roster.AbstractPresenceEventListener;
import org.jivesoftware.smack.roster.Roster;
import org.jivesoftware.smack.sasl.SASLErrorException;
import org.jivesoftware.smack.tcp.XMPPTCPConnection;
import org.jivesoftware.smackx.ping.PingManager;
import org.jspecify.annotations.Nullable;
import org.jxmpp.jid.EntityBareJid;
import org.jxmpp.jid.FullJid;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.base.TimeSource;

/**
 * The connection of one app to the XMPP server, with the app's account, which is created if it does
 * not exist. A broken connection is opened again by the next call or the next {@link #keep}, after
 * pauses that grow while attempts fail. Thread-safe; blocks.
 */
final class AppConnection implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(AppConnection.class);

    private final EntityBareJid address;
    private final Accounts accounts;
    private final StanzaReceiver receiver;
    private final TimeSource time;
    private final ReentrantLock connecting = new ReentrantLock();
    private volatile @Nullable XMPPTCPConnection open;
    private volatile boolean closed;
    private int failures;
    private long retryNanos;
    private String reason = "";

    AppConnection(
            EntityBareJid address, Accounts accounts, StanzaReceiver receiver, TimeSource time) {
        this.address = address;
        this.accounts = accounts;
        this.receiver = receiver;
        this.time = time;
        this.retryNanos = time.monotonicNanos();
    }

    boolean isConnected() {
        XMPPTCPConnection current = open;
        return current != null && current.isAuthenticated();
    }

    /** Connects if necessary, unless another thread does or the pause has not ended. */
    void keep() {
        if (isConnected() || !connecting.tryLock()) {
            return;
        }
        try {
            if (!closed && time.monotonicNanos() - retryNanos >= 0) {
                connected();
            }
        } catch (PetrichorException failed) {
            LOG.warn("{}", failed.getMessage());
        } finally {
            connecting.unlock();
        }
    }

    /** UNAVAILABLE if the server cannot be reached. */
    XMPPTCPConnection connected() {
        connecting.lock();
        try {
            XMPPTCPConnection current = open;
            if (current != null && current.isAuthenticated()) {
                return current;
            }
            if (closed || time.monotonicNanos() - retryNanos < 0) {
                throw unavailable(null, closed ? "the server stops" : reason);
            }
            return connect();
        } finally {
            connecting.unlock();
        }
    }

    private XMPPTCPConnection connect() {
        try {
            XMPPTCPConnection fresh = loggedIn();
            open = fresh;
            failures = 0;
            LOG.info("{} is connected", address);
            return fresh;
        } catch (PetrichorException failed) {
            throw paused(failed, failed);
        } catch (XMPPException | SmackException | IOException failed) {
            throw paused(failed, unavailable(failed, String.valueOf(failed.getMessage())));
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
            throw unavailable(stopping, "the server stops");
        }
    }

    private PetrichorException paused(Exception cause, PetrichorException thrown) {
        failures++;
        retryNanos = time.monotonicNanos() + XmppLimits.pause(failures).toNanos();
        reason = String.valueOf(cause.getMessage());
        return thrown;
    }

    private PetrichorException unavailable(@Nullable Exception cause, String why) {
        return PetrichorException.of(
                ErrorCode.UNAVAILABLE,
                cause,
                "{address} is not connected to the XMPP server: {why}; retry later",
                "address",
                address,
                "why",
                why);
    }

    private XMPPTCPConnection loggedIn()
            throws XMPPException, SmackException, IOException, InterruptedException {
        try {
            return attempt();
        } catch (SASLErrorException refused) {
            accounts.create(address);
            try {
                return attempt();
            } catch (SASLErrorException refusedAgain) {
                // Some servers answer the creation of an existing account with a mere note.
                throw Accounts.existing(address, refusedAgain);
            }
        }
    }

    private XMPPTCPConnection attempt()
            throws XMPPException, SmackException, IOException, InterruptedException {
        XMPPTCPConnection fresh = accounts.connection(address);
        fresh.setUseStreamManagement(true);
        fresh.setUseStreamManagementResumption(false);
        Roster roster = Roster.getInstanceFor(fresh);
        roster.setSubscriptionMode(Roster.SubscriptionMode.manual);
        fresh.addSyncStanzaListener(
                stanza -> receiver.received(fresh, stanza), StanzaTypeFilter.MESSAGE);
        fresh.addSyncStanzaListener(
                stanza -> receiver.received(fresh, stanza), StanzaTypeFilter.PRESENCE);
        roster.addPresenceEventListener(
                new AbstractPresenceEventListener() {
                    @Override
                    public void presenceAvailable(FullJid user, Presence presence) {
                        receiver.changed(presence);
                    }

                    @Override
                    public void presenceUnavailable(FullJid user, Presence presence) {
                        receiver.changed(presence);
                    }
                });
        fresh.addConnectionListener(
                new ConnectionListener() {
                    @Override
                    public void connectionClosedOnError(Exception e) {
                        LOG.warn("{} has lost its connection: {}", address, e.getMessage());
                    }
                });
        boolean complete = false;
        try {
            fresh.connect().login();
            PingManager pings = PingManager.getInstanceFor(fresh);
            pings.setPingInterval((int) XmppLimits.PING_INTERVAL.toSeconds());
            pings.registerPingFailedListener(fresh::instantShutdown);
            complete = true;
            return fresh;
        } finally {
            if (!complete) {
                fresh.instantShutdown();
            }
        }
    }

    /**
     * Sends stanzas, and waits until the server has acknowledged them (XEP-0198).
     *
     * @return the ids of those that the server has acknowledged, or has received if it does not
     *     acknowledge any
     */
    Set<String> send(List<Stanza> stanzas) {
        XMPPTCPConnection connection = connected();
        Set<String> arrived = ConcurrentHashMap.newKeySet();
        if (stanzas.isEmpty()) {
            return arrived;
        }
        CountDownLatch missing = new CountDownLatch(stanzas.size());
        List<String> listening = new ArrayList<>();
        try {
            for (Stanza stanza : stanzas) {
                String id = Objects.requireNonNull(stanza.getStanzaId());
                if (connection.isSmEnabled()) {
                    connection.addStanzaIdAcknowledgedListener(
                            id,
                            _ -> {
                                arrived.add(id);
                                missing.countDown();
                            });
                    listening.add(id);
                }
                connection.sendStanza(stanza);
                if (!connection.isSmEnabled()) {
                    arrived.add(id);
                }
            }
            if (!listening.isEmpty()) {
                connection.requestSmAcknowledgement();
                var _ = missing.await(XmppLimits.ANSWER_MAX.toMillis(), TimeUnit.MILLISECONDS);
            }
        } catch (SmackException broken) {
            LOG.warn("{} could not send: {}", address, broken.getMessage());
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
        } finally {
            listening.forEach(connection::removeStanzaIdAcknowledgedListener);
        }
        return arrived;
    }

    /** Waits for a running attempt to connect. */
    @Override
    public void close() {
        closed = true;
        connecting.lock();
        try {
            XMPPTCPConnection current = open;
            if (current != null) {
                current.disconnect();
            }
        } finally {
            connecting.unlock();
        }
    }
}
