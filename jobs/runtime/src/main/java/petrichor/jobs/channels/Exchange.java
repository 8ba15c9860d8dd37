package petrichor.jobs.channels;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.base.TimeSource;
import petrichor.jobs.channels.compression.BlockCompressor;
import petrichor.jobs.channels.compression.FixedLevel;
import petrichor.jobs.channels.compression.Level;
import petrichor.jobs.channels.compression.LevelModel;

/**
 * A process's endpoint in the data plane of a job: it listens, and hands out the ends of channels
 * by number. Writer and reader may attach in any order; the first waits for the other. A channel
 * within one process needs no exchange: see {@link InputGate#sender}.
 *
 * <p>A number identifies one channel of one attempt of a job and is not reused. The exchange
 * listens at the given address only, which must belong to this machine and not be a wildcard. Only
 * processes with the same {@link ChannelToken} can connect. Safe for any thread. {@link #close}
 * fails the channels that are still open.
 */
public final class Exchange implements AutoCloseable {
    private static final int BACKLOG = 64;

    private final ServerSocket listening;
    private final ChannelLimits limits;
    private final TimeSource time;
    private final BlockPool pool;
    private final Peers peers;
    private final String ownAddress;
    private final Semaphore handshakes;
    private final Thread acceptor;

    /** Sockets that are not yet authenticated. */
    private final Set<Socket> strangers = ConcurrentHashMap.newKeySet();

    private final PendingChannels pending;

    private Exchange(
            ServerSocket listening,
            ChannelToken token,
            ChannelLimits limits,
            BlockPool pool,
            TimeSource time) {
        this.listening = listening;
        this.limits = limits;
        this.time = time;
        this.pool = pool;
        this.ownAddress = displayName(address());
        this.pending = new PendingChannels(ownAddress, limits, time);
        this.peers = new Peers(ownAddress, new Handshake(token), limits, pool, time, pending);
        this.handshakes = new Semaphore(limits.handshakes());
        this.acceptor =
                Thread.ofPlatform().daemon().name("channels-accept").unstarted(this::accept);
    }

    /**
     * @param at the address to listen at; port 0 takes a free one
     * @param pool the block pool of the job in this process
     */
    public static Exchange open(
            InetSocketAddress at,
            ChannelToken token,
            ChannelLimits limits,
            BlockPool pool,
            TimeSource time) {
        InetAddress host = at.getAddress();
        if (host == null || host.isAnyLocalAddress()) {
            throw PetrichorException.invalid(
                    "channels listen at one address, not at {at}; name one, e.g. 127.0.0.1",
                    "at",
                    at);
        }
        loadCodecs();
        ServerSocket listening;
        try {
            listening = new ServerSocket(at.getPort(), BACKLOG, host);
        } catch (IOException e) {
            throw PetrichorException.of(
                    ErrorCode.UNAVAILABLE,
                    e,
                    "cannot listen at {at}: {reason}",
                    "address",
                    at.toString(),
                    "at",
                    at,
                    "reason",
                    e.getMessage());
        }
        Exchange exchange = new Exchange(listening, token, limits, pool, time);
        exchange.acceptor.start();
        return exchange;
    }

    /**
     * Loads the codecs early: unpacking native code takes a tenth of a second, which would delay
     * the first block.
     */
    private static void loadCodecs() {
        byte[] some = new byte[1024];
        byte[] target = new byte[BlockCompressor.capacityFor(some.length)];
        try (BlockCompressor compressor = new BlockCompressor()) {
            for (Level level : Level.ALL) {
                compressor.compress(level, some, 0, some.length, target, 0);
            }
        }
    }

    /** The address at which other processes reach this one. */
    public InetSocketAddress address() {
        return (InetSocketAddress) listening.getLocalSocketAddress();
    }

    /** The pool for writers and readers of this process. */
    public BlockPool pool() {
        return pool;
    }

    /** Attaches a gate as the receiving end of a channel whose sender is in another process. */
    public void receive(long channel, InputGate gate, int slot) {
        RemoteChannel receiving = pending.channel(channel);
        receiving.attach(gate, slot);
        pending.came(channel, receiving);
    }

    /**
     * Attaches the sending end of a channel.
     *
     * @param to the address of the receiving process, which is not this one
     * @param model chooses the compression level of every block
     */
    public BlockWriter writer(long channel, InetSocketAddress to, LevelModel model) {
        String address = displayName(to);
        if (address.equals(ownAddress)) {
            throw PetrichorException.invalid(
                    "channel {channel} has both ends in this process; its gate has a sender for"
                            + " that",
                    "channel",
                    channel);
        }
        Connection connection = peers.to(to, address);
        NetworkWriter writer = new NetworkWriter(connection, channel, model, limits, pool, time);
        connection.add(writer, channel);
        return writer;
    }

    /** As above, without compression. */
    public BlockWriter writer(long channel, InetSocketAddress to) {
        return writer(channel, to, new FixedLevel(Level.NONE));
    }

    private static String displayName(InetSocketAddress address) {
        InetAddress host = address.getAddress();
        if (host == null) {
            throw PetrichorException.invalid(
                    "there is no host named {host}", "host", address.getHostString());
        }
        return host.getHostAddress() + ":" + address.getPort();
    }

    private void accept() {
        while (!listening.isClosed()) {
            try {
                Socket socket = listening.accept();
                if (handshakes.tryAcquire()) {
                    strangers.add(socket);
                    Thread.ofVirtual().start(() -> welcome(socket));
                } else {
                    socket.close();
                }
            } catch (IOException e) {
                // Either one caller's connection broke, or this exchange was closed, which ends the
                // loop.
                Thread.onSpinWait();
            }
        }
    }

    private void welcome(Socket socket) {
        boolean kept = false;
        Thread limit = Thread.ofVirtual().start(() -> closeAfterHandshakeTime(socket));
        try {
            socket.setSoTimeout((int) limits.handshake().toMillis());
            kept = peers.answer(socket);
        } catch (IOException | PetrichorException e) {
            // The caller has received no answer, or a refusal, and reports the failure itself.
            kept = false;
        } finally {
            strangers.remove(socket);
            limit.interrupt();
            handshakes.release();
            if (!kept) {
                closeQuietly(socket);
            }
        }
    }

    /** Bounds the handshake as a whole; the socket's timeout bounds only each read. */
    private void closeAfterHandshakeTime(Socket socket) {
        try {
            Thread.sleep(limits.handshake());
            if (strangers.contains(socket)) {
                closeQuietly(socket);
            }
        } catch (InterruptedException _) {
            // The handshake finished in time.
        }
    }

    private static void closeQuietly(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        try {
            listening.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        strangers.forEach(Exchange::closeQuietly);
        peers.close();
        pending.fail(ErrorCode.ABORTED, "the exchange at " + ownAddress + " was closed");
        joinAcceptor();
    }

    private void joinAcceptor() {
        try {
            acceptor.join();
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    /** Open connections, for tests. */
    Peers peers() {
        return peers;
    }

    /** Channels that wait for one of their ends, for tests. */
    PendingChannels pending() {
        return pending;
    }
}
