package petrichor.services.fetch;

import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.util.List;
import petrichor.base.AddressBlock;

/**
 * Which addresses are reachable by everybody on the Internet, according to IANA's registries of
 * special-purpose addresses. Everything else belongs to a machine, a network or a cloud: loopback,
 * private networks, link-local addresses (with the metadata servers of clouds), multicast, carrier
 * grade NAT, documentation. An IPv6 address that contains an IPv4 address (mapped, NAT64, 6to4) is
 * as public as the latter.
 */
final class PublicAddresses {
    private static final List<AddressBlock> SPECIAL_V4 =
            AddressBlock.list(
                    "0.0.0.0/8",
                    "10.0.0.0/8",
                    "100.64.0.0/10",
                    "127.0.0.0/8",
                    "169.254.0.0/16",
                    "172.16.0.0/12",
                    "192.0.0.0/24",
                    "192.0.2.0/24",
                    "192.31.196.0/24",
                    "192.52.193.0/24",
                    "192.88.99.0/24",
                    "192.168.0.0/16",
                    "192.175.48.0/24",
                    "198.18.0.0/15",
                    "198.51.100.0/24",
                    "203.0.113.0/24",
                    "224.0.0.0/4",
                    "240.0.0.0/4");

    /** Google's and Amazon's metadata servers have public-looking names, but these addresses. */
    private static final List<AddressBlock> SPECIAL_V6 =
            AddressBlock.list("2001::/23", "2001:db8::/32", "3fff::/20", "5f00::/16");

    /** Global unicast: the only part of IPv6 that is routed on the Internet. */
    private static final AddressBlock GLOBAL_V6 = AddressBlock.parse("2000::/3");

    private static final AddressBlock NAT64 = AddressBlock.parse("64:ff9b::/96");
    private static final AddressBlock SIX_TO_FOUR = AddressBlock.parse("2002::/16");
    private static final AddressBlock MAPPED = AddressBlock.parse("::ffff:0:0/96");

    private PublicAddresses() {}

    static boolean contains(InetAddress address) {
        return switch (address) {
            case Inet4Address v4 -> SPECIAL_V4.stream().noneMatch(block -> block.contains(v4));
            case Inet6Address v6 -> containsV6(v6);
            case InetAddress _ -> false;
        };
    }

    private static boolean containsV6(Inet6Address address) {
        if (MAPPED.contains(address) || NAT64.contains(address)) {
            return contains(AddressBlock.v4(address, 12));
        }
        if (SIX_TO_FOUR.contains(address)) {
            return contains(AddressBlock.v4(address, 2));
        }
        return GLOBAL_V6.contains(address)
                && SPECIAL_V6.stream().noneMatch(block -> block.contains(address));
    }
}
