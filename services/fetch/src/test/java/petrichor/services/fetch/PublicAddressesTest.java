package petrichor.services.fetch;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.util.List;
import org.junit.jupiter.api.Test;

final class PublicAddressesTest {
    @Test
    void addressesOfMachinesAndNetworksAreNotPublic() {
        for (String address :
                List.of(
                        "0.0.0.0",
                        "10.1.2.3",
                        "100.64.0.1",
                        "127.0.0.1",
                        "127.255.255.254",
                        "169.254.169.254",
                        "172.16.0.1",
                        "172.31.255.255",
                        "192.168.1.1",
                        "198.18.0.1",
                        "203.0.113.9",
                        "224.0.0.1",
                        "255.255.255.255",
                        "::",
                        "::1",
                        "::127.0.0.1",
                        "::ffff:127.0.0.1",
                        "::ffff:169.254.169.254",
                        "64:ff9b::7f00:1",
                        "64:ff9b::a9fe:a9fe",
                        "64:ff9b:1::808:808",
                        "2002:7f00:1::1",
                        "2002:a01:203::1",
                        "2001:0:7f00:1::",
                        "2001:db8::1",
                        "fe80::1",
                        "fec0::1",
                        "fc00::1",
                        "fd00:ec2::254",
                        "ff02::1",
                        "100::1")) {
            assertThat(PublicAddresses.contains(InetAddress.ofLiteral(address)))
                    .as(address)
                    .isFalse();
        }
    }

    @Test
    void addressesOfTheInternetArePublic() {
        for (String address :
                List.of(
                        "8.8.8.8",
                        "100.128.0.1",
                        "172.32.0.1",
                        "192.169.0.1",
                        "::ffff:8.8.8.8",
                        "64:ff9b::808:808",
                        "2002:808:808::1",
                        "2a00:1450:4001::200e",
                        "2606:4700::1111")) {
            assertThat(PublicAddresses.contains(InetAddress.ofLiteral(address)))
                    .as(address)
                    .isTrue();
        }
    }
}
