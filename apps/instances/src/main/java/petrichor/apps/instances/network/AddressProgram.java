package petrichor.apps.instances.network;

import static petrichor.apps.instances.network.BpfCode.CONTEXT;
import static petrichor.apps.instances.network.BpfCode.R0;
import static petrichor.apps.instances.network.BpfCode.R1;
import static petrichor.apps.instances.network.BpfCode.R2;
import static petrichor.apps.instances.network.BpfCode.R3;
import static petrichor.apps.instances.network.BpfCode.R4;
import static petrichor.apps.instances.network.BpfCode.R5;
import static petrichor.apps.instances.network.BpfCode.R7;
import static petrichor.apps.instances.network.BpfCode.R8;
import static petrichor.apps.instances.network.BpfCode.STACK;
import static petrichor.apps.instances.network.BpfCode.Width.HALF;
import static petrichor.apps.instances.network.BpfCode.Width.WORD;

import java.net.InetAddress;
import java.net.InetSocketAddress;

/**
 * Decides about the destination of a connection or datagram, before a packet exists. Its context is
 * {@code struct bpf_sock_addr}.
 */
final class AddressProgram {
    private static final int ADDRESS_V4 = 4;
    private static final int ADDRESS_V6 = 8;
    private static final int PORT = 24;
    private static final int TYPE = 32;
    private static final int TYPE_STREAM = 1;

    /** Of {@code struct bpf_sock}. */
    private static final int PRIORITY = 20;

    /** {@code struct bpf_sock_tuple} on the stack: addresses of both ends, ports of both ends. */
    private static final int TUPLE = -40;

    private static final int TUPLE_BYTES_V4 = 12;
    private static final int TUPLE_BYTES_V6 = 36;
    private static final int WORDS_V6 = 4;

    private static final String ALLOW = "allow";
    private static final String DENY = "deny";
    private static final String V4 = "v4";
    private static final String LOOPBACK_V4 = "loopback v4";
    private static final String LOOPBACK_V6 = "loopback v6";
    private static final String MACHINE_V4 = "machine v4";
    private static final String MACHINE_V6 = "machine v6";

    private final NetworkPolicy policy;
    private final BpfCode code = new BpfCode();

    private AddressProgram(NetworkPolicy policy) {
        this.policy = policy;
    }

    static byte[] v4(NetworkPolicy policy) {
        AddressProgram program = new AddressProgram(policy);
        program.begin();
        program.code.load(WORD, R8, CONTEXT, ADDRESS_V4);
        program.decideV4();
        return program.end();
    }

    static byte[] v6(NetworkPolicy policy) {
        AddressProgram program = new AddressProgram(policy);
        program.begin();
        program.decideV6();
        program.decideV4();
        return program.end();
    }

    /** R7 is the port. */
    private void begin() {
        code.move(CONTEXT, R1).load(WORD, R7, CONTEXT, PORT);
    }

    private byte[] end() {
        code.label(DENY).exit(0).label(ALLOW).exit(1);
        return code.bytes();
    }

    /** R8 is the address. The kernel connects to 127.0.0.1 if a process asks for 0.0.0.0. */
    private void decideV4() {
        String given = code.unique();
        code.label(V4).ifOther(R8, 0, given).set(R8, Words.LOOPBACK_V4).label(given);
        code.move(R2, R8).and(R2, 0xFF).ifEqual(R2, Words.LOOPBACK_V4_BYTE, LOOPBACK_V4);
        for (InetAddress own : policy.machine(true)) {
            code.ifEqual(R8, Words.of(own)[0], MACHINE_V4);
        }
        code.jump(ALLOW);
        code.label(MACHINE_V4);
        servicesV4();
        code.jump(DENY);
        code.label(LOOPBACK_V4);
        servicesV4();
        code.storeConstant(WORD, STACK, TUPLE, Words.LOOPBACK_V4)
                .store(WORD, STACK, TUPLE + Words.BYTES, R8)
                .storeConstant(HALF, STACK, TUPLE + 2 * Words.BYTES, 0)
                .store(HALF, STACK, TUPLE + 2 * Words.BYTES + 2, R7);
        sameInstance(TUPLE_BYTES_V4);
    }

    private void servicesV4() {
        code.ifEqual(R7, Words.port(policy.port()), ALLOW);
        for (InetSocketAddress service : policy.services(true)) {
            String next = code.unique();
            code.ifOther(R7, Words.port(service.getPort()), next)
                    .ifEqual(R8, Words.of(service.getAddress())[0], ALLOW)
                    .label(next);
        }
    }

    /** Keeps the address in the tuple; continues with {@link #decideV4} if it is one of IPv4. */
    private void decideV6() {
        int address = TUPLE + WORDS_V6 * Words.BYTES;
        for (int i = 0; i < WORDS_V6; i++) {
            code.load(WORD, R2 + i, CONTEXT, ADDRESS_V6 + i * Words.BYTES)
                    .store(WORD, STACK, address + i * Words.BYTES, R2 + i);
        }
        String other = code.unique();
        String notMapped = code.unique();
        code.ifOther(R2, 0, other).ifOther(R3, 0, other);
        code.ifOther(R4, Words.MAPPED_V4, notMapped).move(R8, R5).jump(V4).label(notMapped);
        code.ifOther(R4, 0, other).ifEqual(R5, Words.LOOPBACK_V6_END, LOOPBACK_V6);
        // The kernel connects to ::1 if a process asks for ::.
        code.ifOther(R5, 0, other)
                .storeConstant(WORD, STACK, address + 3 * Words.BYTES, Words.LOOPBACK_V6_END)
                .jump(LOOPBACK_V6);
        code.label(other);
        for (InetAddress own : policy.machine(false)) {
            ifAddressV6(own, MACHINE_V6);
        }
        code.jump(ALLOW);
        code.label(MACHINE_V6);
        servicesV6();
        code.jump(DENY);
        code.label(LOOPBACK_V6);
        servicesV6();
        for (int i = 0; i < WORDS_V6; i++) {
            code.storeConstant(
                    WORD,
                    STACK,
                    TUPLE + i * Words.BYTES,
                    i == WORDS_V6 - 1 ? Words.LOOPBACK_V6_END : 0);
        }
        code.storeConstant(HALF, STACK, TUPLE + 2 * WORDS_V6 * Words.BYTES, 0)
                .store(HALF, STACK, TUPLE + 2 * WORDS_V6 * Words.BYTES + 2, R7);
        sameInstance(TUPLE_BYTES_V6);
    }

    private void ifAddressV6(InetAddress wanted, String label) {
        String next = code.unique();
        int[] words = Words.of(wanted);
        for (int i = 0; i < WORDS_V6; i++) {
            code.load(WORD, R2, STACK, TUPLE + (WORDS_V6 + i) * Words.BYTES)
                    .ifOther(R2, words[i], next);
        }
        code.jump(label).label(next);
    }

    private void servicesV6() {
        code.ifEqual(R7, Words.port(policy.port()), ALLOW);
        for (InetSocketAddress service : policy.services(false)) {
            String next = code.unique();
            code.ifOther(R7, Words.port(service.getPort()), next);
            ifAddressV6(service.getAddress(), ALLOW);
            code.label(next);
        }
    }

    /**
     * Allows what reaches a socket of this instance. If no socket listens, a connection is allowed,
     * as the kernel refuses it; a datagram is not, because a later one would not be checked.
     */
    private void sameInstance(int bytes) {
        String datagram = code.unique();
        String found = code.unique();
        String none = code.unique();
        code.load(WORD, R8, CONTEXT, TYPE);
        lookupArguments(bytes);
        code.ifOther(R8, TYPE_STREAM, datagram)
                .call(BpfCode.KernelFunction.LOOKUP_TCP)
                .ifNull(R0, none)
                .jump(found);
        code.label(datagram).call(BpfCode.KernelFunction.LOOKUP_UDP).ifNull(R0, DENY);
        code.label(found)
                .load(WORD, R7, R0, PRIORITY)
                .move(R1, R0)
                .call(BpfCode.KernelFunction.RELEASE)
                .ifEqual(R7, policy.tag(), ALLOW)
                .jump(DENY);
        code.label(none).jump(ALLOW);
    }

    private void lookupArguments(int bytes) {
        code.move(R1, CONTEXT)
                .move(R2, STACK)
                .addConstant(R2, TUPLE)
                .set(R3, bytes)
                // The network of the socket.
                .set(R4, -1)
                .set(R5, 0);
    }
}
