package petrichor.apps.instances.network;

import static petrichor.apps.instances.network.BpfCode.CONTEXT;
import static petrichor.apps.instances.network.BpfCode.R1;
import static petrichor.apps.instances.network.BpfCode.R2;
import static petrichor.apps.instances.network.BpfCode.Width.WORD;

import java.util.List;

/**
 * Tags new sockets of an instance, and refuses protocols whose connections the kernel does not
 * submit to {@link AddressProgram}, such as SCTP. Its context is {@code struct bpf_sock}.
 */
final class SocketProgram {
    private static final int PROTOCOL = 12;
    private static final int PRIORITY = 20;

    /** TCP, UDP, multipath TCP, and the echo requests of both versions of IP. */
    private static final List<Integer> PROTOCOLS = List.of(6, 17, 262, 1, 58);

    private SocketProgram() {}

    static byte[] of(NetworkPolicy policy) {
        BpfCode code = new BpfCode();
        code.move(CONTEXT, R1).load(WORD, R2, CONTEXT, PROTOCOL);
        for (int protocol : PROTOCOLS) {
            code.ifEqual(R2, protocol, "tag");
        }
        code.exit(0).label("tag").set(R2, policy.tag()).store(WORD, CONTEXT, PRIORITY, R2).exit(1);
        return code.bytes();
    }
}
