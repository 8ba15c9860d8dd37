package petrichor.apps.instances.network;

import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Addresses and ports as programs load them: network byte order, read as numbers. */
final class Words {
    static final int BYTES = 4;

    /** 127.0.0.1 */
    static final int LOOPBACK_V4 = 0x0100_007F;

    /** The last word of ::1; the others are 0. */
    static final int LOOPBACK_V6_END = 0x0100_0000;

    /** The third word of an IPv4 address in IPv6. */
    static final int MAPPED_V4 = 0xFFFF_0000;

    /** The first byte of all loopback addresses of IPv4. */
    static final int LOOPBACK_V4_BYTE = 127;

    private Words() {}

    static int[] of(InetAddress address) {
        ByteBuffer bytes = ByteBuffer.wrap(address.getAddress()).order(ByteOrder.LITTLE_ENDIAN);
        int[] words = new int[bytes.capacity() / BYTES];
        bytes.asIntBuffer().get(words);
        return words;
    }

    static int port(int port) {
        return (port & 0xFF) << 8 | port >> 8;
    }
}
