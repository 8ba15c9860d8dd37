package petrichor.base;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.List;

/**
 * Addresses with a common prefix, in CIDR notation; a single address is a block, too.
 *
 * @param prefix 4 or 16 bytes
 * @param bits length of the prefix
 */
public record AddressBlock(byte[] prefix, int bits) {
    public static AddressBlock parse(String text) {
        int slash = text.indexOf('/');
        String address = slash < 0 ? text : text.substring(0, slash);
        byte[] prefix = literal(address, text);
        try {
            int bits = slash < 0 ? prefix.length * 8 : Integer.parseInt(text.substring(slash + 1));
            if (bits >= 0 && bits <= prefix.length * 8) {
                return new AddressBlock(prefix, bits);
            }
        } catch (NumberFormatException _) {
            // Reported below.
        }
        throw invalid(text);
    }

    public static List<AddressBlock> list(String... blocks) {
        return Arrays.stream(blocks).map(AddressBlock::parse).toList();
    }

    /** Whether the text is an address or a block rather than a name. */
    public static boolean looksLikeOne(String text) {
        return text.indexOf(':') >= 0 || text.matches("[0-9.]+(/.*)?");
    }

    /** Never asks a name server. */
    private static byte[] literal(String address, String text) {
        try {
            // Keeps an IPv4-mapped prefix in its IPv6 form, which InetAddress would not.
            if (address.equals("::ffff:0:0")) {
                byte[] mapped = new byte[16];
                mapped[10] = (byte) 0xFF;
                mapped[11] = (byte) 0xFF;
                return mapped;
            }
            return InetAddress.ofLiteral(address).getAddress();
        } catch (IllegalArgumentException _) {
            throw invalid(text);
        }
    }

    private static PetrichorException invalid(String text) {
        return PetrichorException.invalid(
                "{text} is not an address or a block of addresses such as 10.1.0.0/16",
                "text",
                text);
    }

    /** The IPv4 address that an IPv6 address contains. */
    public static InetAddress v4(InetAddress address, int from) {
        try {
            return InetAddress.getByAddress(
                    Arrays.copyOfRange(address.getAddress(), from, from + 4));
        } catch (UnknownHostException e) {
            throw new IllegalStateException(e); // four bytes are always an address
        }
    }

    public boolean contains(InetAddress address) {
        byte[] bytes = address.getAddress();
        if (bytes.length != prefix.length) {
            return false;
        }
        for (int bit = 0; bit < bits; bit += 8) {
            int mask = bits - bit >= 8 ? 0xFF : 0xFF << (8 - (bits - bit)) & 0xFF;
            if (((bytes[bit / 8] ^ prefix[bit / 8]) & mask) != 0) {
                return false;
            }
        }
        return true;
    }
}
