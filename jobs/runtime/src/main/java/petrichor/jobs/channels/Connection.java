package petrichor.jobs.channels;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.base.TimeSource;

/**
 * The one connection between two processes, which multiplexes all channels between them, in both
 * directions. Two threads: the receiver never waits for anything but the socket; the other sends
 * control messages, so that no thread that must not block has to send. Writers send their blocks on
 * their own threads.
 *
 * <p>If the other process dies, violates the protocol or is silent for too long, the connection
 * fails, and with it every channel on it that has not ended; nothing else fails.
 */
final class Connection {
    /** How long a closing side waits for messages in flight. */
    private static final long GOODBYE_MILLIS = 2_000;

    private static final int PINGS_PER_SILENCE = 4;

    private final Socket socket;
    private final String peer;
    private final boolean dialled;
    private final ChannelLimits limits;
    private final BlockPool pool;
    private final PendingChannels pending;
    private final Runnable onClosed;
    private final FrameInput input;
    private final FrameOutput output;
    private final Thread receiver;
    private final Thread sender;
    private final Map<Long, Inbound> inbound = new ConcurrentHashMap<>();
    private final Map<Long, NetworkWriter> outbound = new ConcurrentHashMap<>();
    private final AtomicBoolean over = new AtomicBoolean();
    private volatile @Nullable PetrichorException failure;

    /**
     * @param peer the address at which the other process is reachable
     * @param dialled whether this side opened the connection
     * @param pending the receiving ends of channels that the other side writes
     * @param onClosed called once, when no channel can use this connection any more
     */
    Connection(
            Socket socket,
            String peer,
            boolean dialled,
            ChannelLimits limits,
            BlockPool pool,
            TimeSource time,
            PendingChannels pending,
            Runnable onClosed)
            throws IOException {
        this.socket = socket;
        this.peer = peer;
        this.dialled = dialled;
        this.limits = limits;
        this.pool = pool;
        this.pending = pending;
        this.onClosed = onClosed;
        socket.setTcpNoDelay(true);
        socket.setSoTimeout((int) limits.silence().toMillis());
        this.input = new FrameInput(socket.getInputStream(), time);
        this.output = new FrameOutput(socket.getOutputStream());
        this.receiver =
                Thread.ofPlatform().daemon().name("channels-in " + peer).unstarted(this::receive);
        this.sender =
                Thread.ofPlatform().daemon().name("channels-out " + peer).unstarted(this::pump);
    }

    void start() {
        receiver.start();
        sender.start();
    }

    String peer() {
        return peer;
    }

    boolean dialled() {
        return dialled;
    }

    boolean usable() {
        return !over.get();
    }

    FrameOutput output() {
        return output;
    }

    /** Opens a channel to the other process. */
    void add(NetworkWriter writer, long channel) {
        if (outbound.size() >= limits.channelsPerConnection()) {
            throw PetrichorException.of(
                    ErrorCode.RESOURCE_EXHAUSTED,
                    "the connection to {peer} has reached its limit of {channelsPerConnection}"
                            + " channels",
                    "peer",
                    peer,
                    "channelsPerConnection",
                    limits.channelsPerConnection());
        }
        if (outbound.putIfAbsent(channel, writer) != null) {
            throw PetrichorException.of(
                    ErrorCode.ALREADY_EXISTS,
                    "channel {channel} to {peer} has a writer already",
                    "channel",
                    channel,
                    "peer",
                    peer);
        }
        output.later(Frame.of(Frame.Type.OPEN, channel, new byte[0]));
        PetrichorException failed = failure;
        if (failed != null) {
            writer.lost(failed);
        }
    }

    void remove(long channel) {
        outbound.remove(channel);
    }

    private void pump() {
        long idle = limits.silence().toNanos() / PINGS_PER_SILENCE;
        try {
            output.pump(idle, Frame.of(Frame.Type.PING, 0, new byte[0]));
        } catch (IOException e) {
            fail(lost(e));
        } catch (InterruptedException e) {
            fail(lost(new IOException("the sending thread was interrupted", e)));
        }
    }

    private void receive() {
        byte[] header = new byte[Frame.HEADER_BYTES];
        try {
            while (true) {
                input.readHeader(header);
                receive(Frame.parse(header, "the connection to " + peer));
            }
        } catch (SocketTimeoutException e) {
            fail(
                    PetrichorException.of(
                            ErrorCode.UNAVAILABLE,
                            e,
                            "the process at {peer} has been silent for {silenceMillis} ms and is"
                                    + " considered dead",
                            "peer",
                            peer,
                            "silenceMillis",
                            limits.silence().toMillis()));
        } catch (IOException e) {
            fail(lost(e));
        } catch (PetrichorException e) {
            fail(e);
        } catch (RuntimeException | Error e) {
            fail(
                    PetrichorException.of(
                            ErrorCode.UNAVAILABLE,
                            e,
                            "internal error on the connection to {peer}: {reason}",
                            "peer",
                            peer,
                            "reason",
                            e));
        }
    }

    private void receive(Frame frame) throws IOException {
        switch (frame.type()) {
            case OPEN -> open(frame.channel());
            case BLOCK -> block(frame);
            case END -> {
                long blocks = Frame.blocks(content(frame));
                Inbound ending = inbound.remove(frame.channel());
                if (ending != null) {
                    ending.end(blocks);
                }
            }
            case FAIL -> {
                byte[] reason = content(frame);
                Inbound failing = inbound.remove(frame.channel());
                if (failing != null) {
                    failing.to.failed(ErrorCode.ABORTED, new String(reason, UTF_8));
                }
            }
            case CREDIT -> {
                Frame.Credit credit = Frame.Credit.parse(content(frame));
                NetworkWriter writer = outbound.get(frame.channel());
                if (writer != null) {
                    writer.credited(credit);
                }
            }
            case ENOUGH -> {
                NetworkWriter writer = outbound.get(frame.channel());
                if (writer != null) {
                    writer.readerHasEnough();
                }
            }
            case PING -> {}
        }
    }

    private byte[] content(Frame frame) throws IOException {
        byte[] content = new byte[frame.length()];
        input.readRest(content, 0, content.length);
        return content;
    }

    private void open(long channel) {
        if (inbound.size() >= limits.channelsPerConnection()) {
            throw Frame.broken(
                    peer, "more than the limit of " + limits.channelsPerConnection() + " channels");
        }
        Inbound opened = new Inbound(channel, pending.channel(channel));
        if (inbound.putIfAbsent(channel, opened) != null) {
            throw Frame.broken(peer, "channel " + channel + " was opened twice");
        }
        opened.to.feeder(opened);
        pending.came(channel, opened.to);
        opened.taken();
    }

    private void block(Frame frame) throws IOException {
        Inbound to = inbound.get(frame.channel());
        if (to == null) {
            throw Frame.broken(
                    peer, "a block of channel " + frame.channel() + ", which is not open");
        }
        long before = input.burstNanos();
        // The first credits may have been granted and not yet sent.
        if (++to.arrivedBlocks > Math.max(to.toldGranted, limits.blocksPerChannel())) {
            throw Frame.broken(peer, "more blocks than its credits allow");
        }
        Block packed = pool.takePacked(frame.length());
        input.readRest(packed.array, packed.begin, frame.length());
        to.trainTook(input.burstNanos() - before);
        if (!to.to.arrived(packed)) {
            throw Frame.broken(peer, "more blocks than its credits allow");
        }
    }

    /** A channel that the other process writes. */
    private final class Inbound implements RemoteChannel.Feeder {
        private final long channel;
        private final RemoteChannel to;
        private final Supplier<byte[]> credit = this::creditFrame;

        /** Only the receiving thread writes it; a report may be one block behind. */
        private volatile long ownTrainNanos;

        private volatile long toldGranted;

        /** Only the receiving thread uses this. */
        private long arrivedBlocks;

        Inbound(long channel, RemoteChannel to) {
            this.channel = channel;
            this.to = to;
        }

        @SuppressWarnings("NonAtomicVolatileUpdate") // Only the receiving thread writes it.
        void trainTook(long nanos) {
            ownTrainNanos = ownTrainNanos + nanos;
        }

        /** Verifies the block count of a stream that its sender has ended. */
        void end(long blocks) {
            if (blocks == arrivedBlocks) {
                to.ended();
            } else {
                to.failed(
                        ErrorCode.INTERNAL,
                        "it had " + blocks + " blocks, of which " + arrivedBlocks + " arrived");
            }
        }

        /** Credits are granted in batches, unless the reader is about to run out of blocks. */
        @Override
        public void taken() {
            int group = Math.max(1, limits.blocksPerChannel() / 4);
            if (to.granted() - toldGranted >= group || to.lowWatermark()) {
                output.later(credit);
            }
        }

        @Override
        public void cancelUpstream() {
            output.later(Frame.of(Frame.Type.ENOUGH, channel, new byte[0]));
        }

        private byte[] creditFrame() {
            long granted = to.granted();
            toldGranted = granted;
            long burstNanos = input.burstNanos();
            Frame.Credit content =
                    new Frame.Credit(
                            granted,
                            to.meter()
                                    .report(
                                            input.trainBytes(),
                                            burstNanos,
                                            Math.max(0, burstNanos - ownTrainNanos)));
            return Frame.of(Frame.Type.CREDIT, channel, content.bytes());
        }
    }

    private PetrichorException lost(IOException e) {
        return PetrichorException.of(
                ErrorCode.UNAVAILABLE,
                e,
                "the connection to the process at {peer} was lost: {reason}",
                "peer",
                peer,
                "reason",
                e.getMessage() == null ? e.toString() : e.getMessage());
    }

    /** The first failure wins. */
    void fail(PetrichorException cause) {
        if (!over.compareAndSet(false, true)) {
            return;
        }
        failure = cause;
        output.close();
        try {
            socket.close();
        } catch (IOException e) {
            cause.addSuppressed(e);
        }
        String reason = cause.getMessage() == null ? cause.toString() : cause.getMessage();
        inbound.values().forEach(channel -> channel.to.failed(cause.code(), reason));
        inbound.clear();
        outbound.values().forEach(writer -> writer.lost(cause));
        outbound.clear();
        onClosed.run();
    }

    /**
     * Closes the connection in order: sends what is queued and waits up to {@link #GOODBYE_MILLIS}
     * for the other side to close its end.
     */
    void close() {
        try {
            output.drain(GOODBYE_MILLIS * 1_000_000);
            socket.shutdownOutput();
            receiver.join(GOODBYE_MILLIS);
        } catch (IOException _) {
            // Messages still queued are lost; the connection is aborted next anyway.
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
        fail(
                PetrichorException.of(
                        ErrorCode.UNAVAILABLE,
                        "the connection to {peer} was closed by this process",
                        "peer",
                        peer));
        sender.interrupt();
        joinBriefly(receiver);
        joinBriefly(sender);
    }

    private static void joinBriefly(Thread thread) {
        try {
            thread.join(GOODBYE_MILLIS);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }
}
