package petrichor.apps.instances.network;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.net.Inet4Address;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.OptionalInt;

/**
 * Asks the kernel which user opened the other end of a TCP connection over IPv4 between two
 * processes of this machine (sock_diag(7)). The question names both ends exactly, so its cost does
 * not depend on the number of connections. Thread-safe.
 */
public final class SocketOwners {
    private static final int AF_INET = 2;
    private static final int AF_NETLINK = 16;
    private static final int RAW_CLOSED_ON_EXEC = 3 | 0x80000;
    private static final int SOCK_DIAG = 4;
    private static final short BY_FAMILY = 20;
    private static final short REQUEST = 1;
    private static final byte TCP = 6;
    private static final int HEAD_BYTES = 16;
    private static final int REQUEST_BYTES = HEAD_BYTES + 56;
    private static final int ANSWER_BYTES_MAX = 8 << 10;

    /** Of the answer: the state, the ports, the user and the inode. */
    private static final int STATE = HEAD_BYTES + 1;

    private static final int CLIENT_PORT = HEAD_BYTES + 4;
    private static final int SERVER_PORT = HEAD_BYTES + 6;
    private static final int USER = HEAD_BYTES + 64;
    private static final int INODE = USER + Integer.BYTES;

    /** ESTABLISHED, FIN_WAIT1, FIN_WAIT2, CLOSE_WAIT, LAST_ACK: the sockets have an owner. */
    private static final int OPEN_STATES = 1 << 1 | 1 << 4 | 1 << 5 | 1 << 8 | 1 << 9;

    private static final Linker LINKER = Linker.nativeLinker();

    private final MethodHandle socket;
    private final MethodHandle send;
    private final MethodHandle receive;
    private final MethodHandle close;

    public SocketOwners() {
        this.socket =
                function(
                        "socket",
                        FunctionDescriptor.of(
                                ValueLayout.JAVA_INT,
                                ValueLayout.JAVA_INT,
                                ValueLayout.JAVA_INT,
                                ValueLayout.JAVA_INT));
        FunctionDescriptor transfer =
                FunctionDescriptor.of(
                        ValueLayout.JAVA_LONG,
                        ValueLayout.JAVA_INT,
                        ValueLayout.ADDRESS,
                        ValueLayout.JAVA_LONG,
                        ValueLayout.JAVA_INT);
        this.send = function("send", transfer);
        this.receive = function("recv", transfer);
        this.close =
                function(
                        "close", FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));
    }

    @SuppressWarnings("restricted")
    private static MethodHandle function(String name, FunctionDescriptor descriptor) {
        MemorySegment address =
                LINKER.defaultLookup()
                        .find(name)
                        .orElseThrow(() -> new IllegalStateException("libc has no " + name));
        return LINKER.downcallHandle(address, descriptor);
    }

    /**
     * The user id of the process that opened a connection; empty if the connection is not open any
     * more, or its client is not on this machine.
     *
     * @param client the end of the client
     * @param server the end that accepted the connection
     */
    public OptionalInt userOf(InetSocketAddress client, InetSocketAddress server)
            throws IOException {
        if (!(client.getAddress() instanceof Inet4Address from)
                || !(server.getAddress() instanceof Inet4Address to)) {
            return OptionalInt.empty();
        }
        byte[] question = question(client.getPort(), from, server.getPort(), to);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment sent = arena.allocate(question.length);
            sent.copyFrom(MemorySegment.ofArray(question));
            MemorySegment received = arena.allocate(ANSWER_BYTES_MAX);
            long bytes = exchange(sent, received);
            if (bytes < 0) {
                throw new IOException("the kernel does not report the owners of sockets");
            }
            byte[] answer = received.asSlice(0, bytes).toArray(ValueLayout.JAVA_BYTE);
            return user(
                    ByteBuffer.wrap(answer).order(ByteOrder.nativeOrder()),
                    client.getPort(),
                    server.getPort());
        }
    }

    private long exchange(MemorySegment question, MemorySegment answer) {
        try {
            int descriptor = (int) socket.invokeExact(AF_NETLINK, RAW_CLOSED_ON_EXEC, SOCK_DIAG);
            if (descriptor < 0) {
                return -1;
            }
            try {
                long sent = (long) send.invokeExact(descriptor, question, question.byteSize(), 0);
                return sent < 0
                        ? -1
                        : (long) receive.invokeExact(descriptor, answer, answer.byteSize(), 0);
            } finally {
                int _ = (int) close.invokeExact(descriptor);
            }
        } catch (Throwable impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    /** A {@code nlmsghdr} and an {@code inet_diag_req_v2}, whose ports are in network order. */
    private static byte[] question(
            int clientPort, Inet4Address client, int serverPort, Inet4Address server) {
        ByteBuffer all = ByteBuffer.allocate(REQUEST_BYTES).order(ByteOrder.nativeOrder());
        all.putInt(REQUEST_BYTES).putShort(BY_FAMILY).putShort(REQUEST).putInt(1).putInt(0);
        all.put((byte) AF_INET).put(TCP).putShort((short) 0).putInt(-1);
        all.order(ByteOrder.BIG_ENDIAN).putShort((short) clientPort).putShort((short) serverPort);
        all.put(client.getAddress()).position(all.position() + 12);
        all.put(server.getAddress()).position(all.position() + 12);
        all.putInt(0).putInt(-1).putInt(-1);
        return all.array();
    }

    /**
     * The kernel may answer with another socket, such as one that listens at the client's port,
     * when the client has gone.
     */
    private static OptionalInt user(ByteBuffer answer, int clientPort, int serverPort) {
        if (answer.limit() < INODE + Integer.BYTES || answer.getShort(4) != BY_FAMILY) {
            return OptionalInt.empty();
        }
        // A socket that its process has closed may still be in one of the states, without an inode.
        boolean open = (OPEN_STATES >> answer.get(STATE) & 1) == 1 && answer.getInt(INODE) != 0;
        int user = answer.getInt(USER);
        answer.order(ByteOrder.BIG_ENDIAN);
        boolean same =
                answer.getShort(CLIENT_PORT) == (short) clientPort
                        && answer.getShort(SERVER_PORT) == (short) serverPort;
        return open && same ? OptionalInt.of(user) : OptionalInt.empty();
    }
}
