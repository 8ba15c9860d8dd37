package petrichor.apps.instances.network;

import static petrichor.apps.instances.network.BpfCode.CONTEXT;
import static petrichor.apps.instances.network.BpfCode.R0;
import static petrichor.apps.instances.network.BpfCode.R1;
import static petrichor.apps.instances.network.BpfCode.R2;
import static petrichor.apps.instances.network.BpfCode.R3;
import static petrichor.apps.instances.network.BpfCode.R4;
import static petrichor.apps.instances.network.BpfCode.R7;
import static petrichor.apps.instances.network.BpfCode.R8;
import static petrichor.apps.instances.network.BpfCode.STACK;
import static petrichor.apps.instances.network.BpfCode.Width.BYTE;
import static petrichor.apps.instances.network.BpfCode.Width.HALF;
import static petrichor.apps.instances.network.BpfCode.Width.WORD;

import java.net.InetSocketAddress;

/**
 * Decides about packets that enter or leave sockets of an instance. Its context is {@code struct
 * __sk_buff}, whose data begins with the IP header.
 *
 * <p>A packet to any address of this machine leaves over the loopback interface, also to an address
 * that the machine got after the instance had started, which {@link AddressProgram} does not know.
 */
final class PacketProgram {
    private static final int INTERFACE = 40;

    /** In every network namespace of Linux. */
    private static final int LOOPBACK_INTERFACE = 1;

    private static final int HEADER = -40;
    private static final int HEADER_BYTES_V4 = 20;
    private static final int HEADER_BYTES_V6 = 40;
    private static final int PROTOCOL_V4 = 9;
    private static final int PROTOCOL_V6 = 6;
    private static final int DESTINATION_V4 = 16;
    private static final int DESTINATION_V6 = 24;
    private static final int WORDS_V6 = 4;

    private static final int ICMP = 1;
    private static final int TCP = 6;
    private static final int UDP = 17;
    private static final int ICMP_V6 = 58;

    /** The part of the header of TCP up to its flags. */
    private static final int SEGMENT = -56;

    private static final int SEGMENT_BYTES = 14;
    private static final int DATAGRAM_BYTES = 4;
    private static final int PORT = 2;
    private static final int FLAGS = 13;
    private static final int FLAG_SYN = 0x02;
    private static final int FLAG_ACK = 0x10;

    private static final String ALLOW = "allow";
    private static final String DENY = "deny";
    private static final String V6 = "v6";

    private final NetworkPolicy policy;
    private final BpfCode code = new BpfCode();

    private PacketProgram(NetworkPolicy policy) {
        this.policy = policy;
    }

    /** No connection from another machine reaches an instance: it would pass the router. */
    static byte[] entering(NetworkPolicy policy) {
        PacketProgram program = new PacketProgram(policy);
        program.code
                .move(CONTEXT, R1)
                .load(WORD, R2, CONTEXT, INTERFACE)
                .ifEqual(R2, LOOPBACK_INTERFACE, ALLOW);
        program.versions(program::enteringTransport);
        return program.end();
    }

    static byte[] leaving(NetworkPolicy policy) {
        PacketProgram program = new PacketProgram(policy);
        program.code
                .move(CONTEXT, R1)
                .load(WORD, R2, CONTEXT, INTERFACE)
                .ifOther(R2, LOOPBACK_INTERFACE, ALLOW);
        program.versions(program::leavingTransport);
        return program.end();
    }

    private byte[] end() {
        code.label(DENY).exit(0).label(ALLOW).exit(1);
        return code.bytes();
    }

    /** Decides completely about what follows the header of IP. */
    private interface Transport {
        void decide(boolean v4);
    }

    /** R7 is the length of the header, R8 the protocol behind it. */
    private void versions(Transport transport) {
        loadBytes(HEADER, HEADER_BYTES_V4, false);
        code.load(BYTE, R7, STACK, HEADER)
                .move(R2, R7)
                .and(R2, 0xF0)
                .ifEqual(R2, 0x60, V6)
                .and(R7, 0x0F)
                .shiftLeft(R7, 2)
                .load(BYTE, R8, STACK, HEADER + PROTOCOL_V4);
        transport.decide(true);
        code.label(V6);
        loadBytes(HEADER, HEADER_BYTES_V6, false);
        code.set(R7, HEADER_BYTES_V6).load(BYTE, R8, STACK, HEADER + PROTOCOL_V6);
        transport.decide(false);
    }

    /**
     * @param transport whether to start behind the header of IP
     */
    private void loadBytes(int stack, int bytes, boolean transport) {
        code.move(R1, CONTEXT);
        if (transport) {
            code.move(R2, R7);
        } else {
            code.set(R2, 0);
        }
        code.move(R3, STACK)
                .addConstant(R3, stack)
                .set(R4, bytes)
                .call(BpfCode.KernelFunction.LOAD_BYTES)
                .ifOther(R0, 0, DENY);
    }

    private void enteringTransport(boolean v4) {
        if (v4) {
            code.ifOther(R8, TCP, ALLOW);
        } else {
            // A sender could hide a connection behind an extension header.
            String next = code.unique();
            code.ifEqual(R8, UDP, ALLOW)
                    .ifEqual(R8, ICMP_V6, ALLOW)
                    .ifEqual(R8, TCP, next)
                    .jump(DENY)
                    .label(next);
        }
        allowWithinConnection();
        code.jump(DENY);
    }

    /** Leaves the part of TCP's header on the stack. */
    private void allowWithinConnection() {
        loadBytes(SEGMENT, SEGMENT_BYTES, true);
        code.load(BYTE, R2, STACK, SEGMENT + FLAGS)
                .and(R2, FLAG_SYN | FLAG_ACK)
                .ifOther(R2, FLAG_SYN, ALLOW);
    }

    private void leavingTransport(boolean v4) {
        String other = code.unique();
        String services = code.unique();
        // AddressProgram has decided about loopback addresses.
        if (v4) {
            code.load(BYTE, R2, STACK, HEADER + DESTINATION_V4)
                    .ifEqual(R2, Words.LOOPBACK_V4_BYTE, ALLOW);
        } else {
            ifDestinationV6(new int[] {0, 0, 0, Words.LOOPBACK_V6_END}, ALLOW);
        }
        code.ifEqual(R8, v4 ? ICMP : ICMP_V6, ALLOW);
        code.ifOther(R8, TCP, other);
        allowWithinConnection();
        code.jump(services).label(other).ifOther(R8, UDP, DENY);
        loadBytes(SEGMENT, DATAGRAM_BYTES, true);
        code.label(services)
                .load(HALF, R7, STACK, SEGMENT + PORT)
                .ifEqual(R7, Words.port(policy.port()), ALLOW);
        for (InetSocketAddress service : policy.services(v4)) {
            String next = code.unique();
            code.ifOther(R7, Words.port(service.getPort()), next);
            int[] words = Words.of(service.getAddress());
            if (v4) {
                code.load(WORD, R2, STACK, HEADER + DESTINATION_V4).ifEqual(R2, words[0], ALLOW);
            } else {
                ifDestinationV6(words, ALLOW);
            }
            code.label(next);
        }
        code.jump(DENY);
    }

    private void ifDestinationV6(int[] words, String label) {
        String next = code.unique();
        for (int i = 0; i < WORDS_V6; i++) {
            code.load(WORD, R2, STACK, HEADER + DESTINATION_V6 + i * Words.BYTES)
                    .ifOther(R2, words[i], next);
        }
        code.jump(label).label(next);
    }
}
