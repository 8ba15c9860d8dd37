package petrichor.jobs.channels;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Map;
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
 * A process's place in the network of a job: it listens, and gives out the ends of channels by
 * their number. Writer and reader may come in any order; whoever is first waits for the other. Both
 * ends of a channel in one process need no exchange: {@link InputGate#sender}.
 *
 * <p>A number names one channel of one attempt of a job; it is not used again. Listens at the given
 * address only, which must be one of this machine and not all of them. Only processes with the same
 * {@link ChannelToken} get in. Safe for any thread. {@link #close} breaks the channels that are
 * still open.
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

    /** Sockets that have not proved who they are. */
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
        this.ownAddress = word(address());
        this.pending = new PendingChannels(ownAddress, limits, time);
        this.peers = new Peers(ownAddress, new Handshake(token), limits, pool, time, pending);
        this.handshakes = new Semaphore(limits.handshakes());
        this.acceptor =
                Thread.ofPlatform().daemon().name("channels-accept").unstarted(this::accept);
    }

    /**
     * @param at the address to listen at; port 0 takes a free one
     * @param pool of the job in this process
     */
    public static Exchange open(
            InetSocketAddress at,
            ChannelToken token,
            ChannelLimits limits,
            BlockPool pool,
            TimeSource time) {
        InetAddress host = at.getAddress();
        if (host == null || host.isAnyLocalAddress()) {
            throw new PetrichorException(
                    ErrorCode.INVALID_ARGUMENT,
                    "channels listen at one address, not at " + at + "; name one, e.g. 127.0.0.1");
        }
        loadCodecs();
        ServerSocket listening;
        try {
            listening = new ServerSocket(at.getPort(), BACKLOG, host);
        } catch (IOException e) {
            throw new PetrichorException(
                    ErrorCode.UNAVAILABLE,
                    "cannot listen at " + at + ": " + e.getMessage(),
                    Map.of("address", at.toString()),
                    e);
        }
        Exchange exchange = new Exchange(listening, token, limits, pool, time);
        exchange.acceptor.start();
        return exchange;
    }

    /** Unpacking native code takes a tenth of a second: not on the first block's way. */
    private static void loadCodecs() {
        byte[] some = new byte[1024];
        byte[] room = new byte[BlockCompressor.roomFor(some.length)];
        try (BlockCompressor compressor = new BlockCompressor()) {
            for (Level level : Level.ALL) {
                compressor.compress(level, some, 0, some.length, room, 0);
            }
        }
    }

    /** Where others reach this process. */
    public InetSocketAddress address() {
        return (InetSocketAddress) listening.getLocalSocketAddress();
    }

    /** Blocks for writers and readers of this process. */
    public BlockPool pool() {
        return pool;
    }

    /** Lets what a sender in another process sends arrive at a gate. */
    public void receive(long channel, InputGate gate, int slot) {
        RemoteChannel receiving = pending.channel(channel);
        receiving.attach(gate, slot);
        pending.came(channel, receiving);
    }

    /**
     * The sending end of a channel.
     *
     * @param to the address of the process with the receiving end, which is not this one
     * @param model asked for every block
     */
    public BlockWriter writer(long channel, InetSocketAddress to, LevelModel model) {
        String address = word(to);
        if (address.equals(ownAddress)) {
            throw new PetrichorException(
                    ErrorCode.INVALID_ARGUMENT,
                    "channel "
                            + channel
                            + " has both ends in this process; its gate has a sender for that");
        }
        Connection connection = peers.to(to, address);
        NetworkWriter writer = new NetworkWriter(connection, channel, model, limits, pool, time);
        connection.add(writer, channel);
        return writer;
    }

    /** The same without compression. */
    public BlockWriter writer(long channel, InetSocketAddress to) {
        return writer(channel, to, new FixedLevel(Level.NONE));
    }

    private static String word(InetSocketAddress address) {
        InetAddress host = address.getAddress();
        if (host == null) {
            throw new PetrichorException(
                    ErrorCode.INVALID_ARGUMENT,
                    "there is no host named " + address.getHostString());
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
                // One caller's broken connection, or ours was closed: the loop's condition tells.
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
            // Whoever called has got no answer, or a refusal; it is the one to report it.
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

    /** A read timeout bounds each read; this bounds them all together. */
    private void closeAfterHandshakeTime(Socket socket) {
        try {
            Thread.sleep(limits.handshake());
            if (strangers.contains(socket)) {
                closeQuietly(socket);
            }
        } catch (InterruptedException _) {
            // It was over in time.
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

    /** For tests: the connections there are. */
    Peers peers() {
        return peers;
    }

    /** For tests: the channels that wait for one of their ends. */
    PendingChannels pending() {
        return pending;
    }
}
